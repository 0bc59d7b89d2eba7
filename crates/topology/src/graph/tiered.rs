// SPDX-License-Identifier: Apache-2.0
//! A tiered Internet, as in Mills et al., NIST SP 500-282: a backbone; points of presence on each of its routers; access
//! routers of three classes, D on the backbone itself, F (fast) and N (normal) on points of presence.
//!
//! The backbone follows Abilene, eleven routers with delays of 1.3 times the great-circle distance at 200 km/ms, or its
//! four western routers for a small network.

use narrows_units::{Rate, Span};

/// The parameters of a tiered Internet (Mills et al., NIST SP 500-282, §3).
#[derive(Clone, Copy, Debug)]
pub struct Tiered {
    /// Whether the backbone has all eleven routers; otherwise it has four.
    pub whole: bool,
    /// Number of points of presence per backbone router.
    pub points: u32,
    /// Number of access routers of each class: D, F and N.
    pub access: [u32; 3],
    /// Rate of backbone links.
    pub backbone: Rate,
    /// Rate of the links from points of presence to the backbone.
    pub point: Rate,
    /// Rate of the uplinks of access routers, by class.
    pub access_rates: [Rate; 3],
    /// Factor by which the delays of the backbone are multiplied.
    pub delay_factor: f64,
    /// One-way propagation delay of the links from points of presence to the backbone.
    pub point_delay: Span,
    /// One-way propagation delay of the uplinks of access routers.
    pub access_delay: Span,
}

/// A link of a tiered network, in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TierLink {
    /// Indices of its two routers.
    pub ends: (u32, u32),
    /// Rate in each direction.
    pub rate: Rate,
    /// One-way propagation delay.
    pub delay: Span,
}

/// A generated tiered network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiers {
    /// Names of the routers.
    pub nodes: Vec<String>,
    /// The links.
    pub links: Vec<TierLink>,
    /// Index and class of each access router; the class is an index into [`CLASSES`].
    pub access: Vec<(u32, usize)>,
}

/// Names of the classes of access routers: on the backbone (D), on a point of presence, fast (F) and normal (N).
pub const CLASSES: [&str; 3] = ["D", "F", "N"];

impl Tiered {
    /// Builds the network. Points of presence and access routers are distributed evenly over the routers above them.
    pub fn build(&self) -> Tiers {
        let count = if self.whole { ROUTERS.len() } else { SMALL } as u32;
        let mut tiers = Tiers {
            nodes: ROUTERS[..count as usize].iter().map(|name| (*name).to_owned()).collect(),
            links: Vec::new(),
            access: Vec::new(),
        };
        for &(one, other, ms) in LINKS.iter().filter(|(one, other, _)| one.max(other) < &count) {
            let delay = Span::from_secs_f64(ms * 1e-3 * self.delay_factor);
            tiers.links.push(TierLink { ends: (one, other), rate: self.backbone, delay });
        }
        let mut points = Vec::new();
        for router in 0..count {
            for number in 0..self.points {
                let name = format!("{}.P{number}", ROUTERS[router as usize]);
                points.push(tiers.hang(name, router, self.point, self.point_delay));
            }
        }
        let backbone: Vec<u32> = (0..count).collect();
        for (class, name) in CLASSES.iter().enumerate() {
            let above = if class == 0 { &backbone } else { &points };
            for number in 0..self.access[class] {
                let parent = above[number as usize % above.len()];
                let name = format!("{name}{number}");
                let router = tiers.hang(name, parent, self.access_rates[class], self.access_delay);
                tiers.access.push((router, class));
            }
        }
        tiers
    }
}

impl Tiers {
    /// Adds a router below `parent`.
    fn hang(&mut self, name: String, parent: u32, rate: Rate, delay: Span) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(name);
        self.links.push(TierLink { ends: (number, parent), rate, delay });
        number
    }
}

/// Routers of the small backbone.
const SMALL: usize = 4;

const ROUTERS: [&str; 11] = [
    "Seattle",
    "Sunnyvale",
    "Denver",
    "LosAngeles",
    "Houston",
    "KansasCity",
    "Atlanta",
    "Indianapolis",
    "Chicago",
    "NewYork",
    "Washington",
];

/// Two routers, and the one-way delay between them in milliseconds.
const LINKS: [(u32, u32, f64); 14] = [
    (0, 1, 7.28),
    (0, 2, 10.66),
    (1, 3, 3.25),
    (1, 2, 9.75),
    (3, 4, 14.37),
    (2, 5, 5.82),
    (5, 4, 6.76),
    (5, 7, 4.71),
    (4, 6, 7.34),
    (6, 7, 4.49),
    (6, 10, 5.66),
    (7, 8, 1.72),
    (8, 9, 7.44),
    (9, 10, 2.15),
];

#[cfg(test)]
mod tests {
    use super::{Tiered, Tiers};
    use narrows_units::{Rate, Span};

    fn tiers(whole: bool, access: [u32; 3]) -> Tiers {
        let rate = Rate::from_bps(1_000_000);
        Tiered {
            whole,
            points: 2,
            access,
            backbone: rate,
            point: rate,
            access_rates: [rate; 3],
            delay_factor: 2.0,
            point_delay: Span::from_ms(1),
            access_delay: Span::from_ms(1),
        }
        .build()
    }

    /// Mills et al., NIST SP 500-282: 11 backbone routers, 22 points of presence, 139 access routers.
    #[test]
    fn the_whole_network_has_the_routers_of_the_study() {
        let whole = tiers(true, [6, 28, 105]);
        assert_eq!((whole.nodes.len(), whole.access.len()), (11 + 22 + 139, 139));
        assert_eq!(whole.links.len(), 14 + 22 + 139);
        assert_eq!(whole.links[0].delay, Span::from_us(14_560));
    }

    #[test]
    fn the_small_network_is_connected_and_its_access_routers_hang_where_their_class_says() {
        let small = tiers(false, [2, 8, 30]);
        assert_eq!(small.nodes.len(), 4 + 8 + 40);
        let mut reached = vec![false; small.nodes.len()];
        reached[0] = true;
        for _ in 0..small.nodes.len() {
            for link in &small.links {
                let (one, other) = (link.ends.0 as usize, link.ends.1 as usize);
                let either = reached[one] || reached[other];
                (reached[one], reached[other]) = (either, either);
            }
        }
        assert!(reached.iter().all(|reached| *reached));
        for (router, class) in &small.access {
            let link = small.links.iter().find(|link| link.ends.0 == *router).expect("it hangs somewhere");
            assert_eq!(link.ends.1 < 4, *class == 0);
        }
    }
}
