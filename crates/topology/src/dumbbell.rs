// SPDX-License-Identifier: Apache-2.0
//! The dumbbell: two routers and one bottleneck in each direction. Link 0 is the bottleneck, link 1 the bottleneck of
//! the other direction.

use super::{Core, Group, Layout, Path, Placement};
use narrows_model::{Framing, Impairment, KeyPath, LinkModel, LossModel, RateModel};
use narrows_qdisc::Discipline;
use narrows_units::{Rate, Span};

/// A dumbbell: two routers with a bottleneck in each direction between them.
#[derive(Clone, Debug)]
pub struct Dumbbell {
    /// The bottleneck from the left router to the right one.
    pub forward: Direction,
    /// The bottleneck from the right router to the left one.
    pub reverse: Direction,
    /// One-way propagation delay of the bottleneck in both directions.
    pub delay: Span,
    /// Rate of each access link.
    pub access_rate: Rate,
}

/// One direction of a link, without its routers and its delay.
#[derive(Clone, Debug)]
pub struct Direction {
    /// Rate over time.
    pub rate: RateModel,
    /// Framing overhead of each packet; `None` without any.
    pub framing: Option<Framing>,
    /// Queue discipline.
    pub queue: Discipline,
    /// The key of the queue in the scenario file.
    pub queue_key: KeyPath,
    /// Random loss behind the queue; `None` without loss.
    pub loss: Option<LossModel>,
    /// Impairments after the random loss, in the order of traversal.
    pub impairments: Vec<Impairment>,
}

impl Direction {
    /// Returns the rate, framing, queue, loss and impairments of `link`.
    pub fn of(link: &LinkModel) -> Self {
        Self {
            rate: link.rate.clone(),
            framing: link.framing,
            queue: link.queue.clone(),
            queue_key: link.queue_key.clone(),
            loss: link.loss.clone(),
            impairments: link.impairments.clone(),
        }
    }
}

impl Dumbbell {
    /// Returns the links and routes of the dumbbell, with the workloads of `groups`.
    pub fn layout(&self, groups: &[Group]) -> Layout {
        let paths: Vec<Vec<Path>> =
            groups.iter().map(|group| vec![Self::path(group.placement == Placement::Reverse)]).collect();
        self.core().attach(groups, &paths).arranged()
    }

    /// Returns the two routers and the two bottlenecks, without hosts.
    pub fn core(&self) -> Core {
        let bottleneck = |name: &str, from, to, direction: &Direction| LinkModel {
            name: name.to_owned(),
            from,
            to,
            rate: direction.rate.clone(),
            delay: self.delay,
            framing: direction.framing,
            queue: direction.queue.clone(),
            queue_key: direction.queue_key.clone(),
            loss: direction.loss.clone(),
            impairments: direction.impairments.clone(),
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

    /// Returns the path of a flow from left to right, or from right to left if `reverse`.
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
