//! Shapes that studies use.

/// Names of routers, and the links between them, each in both directions: the numbers of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Of the routers.
    pub nodes: Vec<String>,
    /// Pairs of routers.
    pub links: Vec<(u32, u32)>,
}

/// Two routers and the link between them.
pub fn dumbbell() -> Generated {
    Generated { nodes: vec!["left".into(), "right".into()], links: vec![(0, 1)] }
}

/// A row of `hops` links: who travels all of them meets at each those who travel it alone.
pub fn parking_lot(hops: u32) -> Generated {
    Generated { nodes: numbered(hops + 1), links: (0..hops).map(|hop| (hop, hop + 1)).collect() }
}

/// As many links as routers, in a circle.
pub fn ring(links: u32) -> Generated {
    Generated { nodes: numbered(links), links: (0..links).map(|from| (from, (from + 1) % links)).collect() }
}

/// Two links in a row (Akella et al., CMU-CS-02-139, figure 3): one router shares the first among all that come, the next
/// favours some on the second.
pub fn two_routers() -> Generated {
    parking_lot(2)
}

fn numbered(count: u32) -> Vec<String> {
    (0..count).map(|number| format!("R{number}")).collect()
}
