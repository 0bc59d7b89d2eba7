//! The dumbbell: two routers and one bottleneck in each direction. Link 0 is the bottleneck, link 1 that of the other
//! direction.

use super::{Core, Group, Layout, Path, Placement};
use narrows_model::{LinkModel, LossModel, RateModel};
use narrows_qdisc::Discipline;
use narrows_units::{Rate, Span};

/// The middle of the dumbbell.
#[derive(Clone, Debug)]
pub struct Dumbbell {
    /// From the left to the right.
    pub forward: Direction,
    /// From the right to the left.
    pub reverse: Direction,
    /// One-way propagation delay of the bottleneck, both directions.
    pub delay: Span,
    /// Rate of every access link.
    pub access_rate: Rate,
}

/// The bottleneck in one direction.
#[derive(Clone, Debug)]
pub struct Direction {
    /// Its rate over time.
    pub rate: RateModel,
    /// What waits for it.
    pub queue: Discipline,
    /// Random loss behind the queue.
    pub loss: Option<LossModel>,
}

impl Direction {
    /// What `link` is besides its place and delay.
    pub fn of(link: &LinkModel) -> Self {
        Self { rate: link.rate.clone(), queue: link.queue.clone(), loss: link.loss }
    }
}

impl Dumbbell {
    /// Lays out the links and routes of `groups`.
    pub fn layout(&self, groups: &[Group]) -> Layout {
        let paths: Vec<Option<Path>> =
            groups.iter().map(|group| Some(Self::path(group.placement == Placement::Reverse))).collect();
        self.core().attach(groups, &paths).in_order()
    }

    /// Both routers and bottlenecks.
    pub fn core(&self) -> Core {
        let bottleneck = |name: &str, from, to, direction: &Direction| LinkModel {
            name: name.to_owned(),
            from,
            to,
            rate: direction.rate.clone(),
            delay: self.delay,
            queue: direction.queue.clone(),
            loss: direction.loss,
        };
        Core {
            nodes: 2,
            links: vec![
                bottleneck("bottleneck", LEFT, RIGHT, &self.forward),
                bottleneck("bottleneck reverse", RIGHT, LEFT, &self.reverse),
            ],
            access_rate: self.access_rate,
        }
    }

    /// Which bottleneck data crosses, and which the acknowledgements.
    pub fn path(reverse: bool) -> Path {
        let (there, back) = if reverse { (REVERSE, FORWARD) } else { (FORWARD, REVERSE) };
        Path { forward: vec![there], reverse: vec![back] }
    }
}

/// The node at which forward data queues.
const LEFT: u32 = 0;

/// The node to which the bottleneck brings it.
const RIGHT: u32 = 1;

/// The bottleneck's place among the links.
const FORWARD: u32 = 0;

/// The place of the bottleneck in the other direction.
const REVERSE: u32 = 1;

#[cfg(test)]
mod tests;
