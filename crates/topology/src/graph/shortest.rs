// SPDX-License-Identifier: Apache-2.0
//! Shortest paths by Dijkstra's algorithm (Numerische Mathematik 1, 1959).

use crate::{Core, Path, RoutePoints};
use narrows_model::LinkChange;
use narrows_units::Span;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The links as they are at some time.
#[derive(Clone, Debug)]
pub(super) struct State<'a> {
    core: &'a Core,
    /// State of each link, by index.
    links: Vec<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    delay: Span,
    works: bool,
}

impl<'a> State<'a> {
    /// Creates the state of the links of `core` at the start of the run.
    pub fn new(core: &'a Core) -> Self {
        Self { core, links: core.links.iter().map(|link| Link { delay: link.delay, works: true }).collect() }
    }

    /// Applies `change` to the link with index `link`.
    pub fn change(&mut self, link: u32, change: LinkChange) {
        let link = &mut self.links[link as usize];
        match change {
            LinkChange::Fail => link.works = false,
            LinkChange::Restore => link.works = true,
            LinkChange::Delay(delay) => link.delay = delay,
        }
    }

    /// Returns the shortest path through the routers `points`; `None` if there is no route in one of the directions.
    pub fn path(&self, points: &RoutePoints) -> Option<Path> {
        let stops: Vec<u32> =
            [points.from].into_iter().chain(points.via.iter().copied()).chain([points.to]).collect();
        let back: Vec<u32> = stops.iter().rev().copied().collect();
        Some(Path { forward: self.along(&stops)?, reverse: self.along(&back)? })
    }

    fn along(&self, stops: &[u32]) -> Option<Vec<u32>> {
        let legs: Option<Vec<_>> = stops.windows(2).map(|leg| self.shortest(leg[0], leg[1])).collect();
        Some(legs?.concat())
    }

    fn shortest(&self, from: u32, to: u32) -> Option<Vec<u32>> {
        self.tree(from).route(to)
    }

    /// Returns the shortest routes from router `from` to all others.
    pub fn tree(&self, from: u32) -> Tree<'_> {
        let nodes = self.core.nodes as usize;
        let mut reached: Vec<Option<(Span, u32)>> = vec![None; nodes];
        let mut by: Vec<Option<u32>> = vec![None; nodes];
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        for (number, link) in self.core.links.iter().enumerate().filter(|(link, _)| self.links[*link].works) {
            leaving[link.from as usize].push(number as u32);
        }
        let mut next = BinaryHeap::from([Reverse(((Span::ZERO, 0), from))]);
        reached[from as usize] = Some((Span::ZERO, 0));
        while let Some(Reverse((cost, node))) = next.pop() {
            if reached[node as usize] != Some(cost) {
                continue;
            }
            for &number in &leaving[node as usize] {
                let there = self.core.links[number as usize].to;
                let cost = (cost.0 + self.links[number as usize].delay, cost.1 + 1);
                if reached[there as usize].is_none_or(|known| cost < known) {
                    reached[there as usize] = Some(cost);
                    by[there as usize] = Some(number);
                    next.push(Reverse((cost, there)));
                }
            }
        }
        Tree { core: self.core, from, by }
    }
}

/// The shortest paths from one router.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    core: &'a Core,
    from: u32,
    /// The last link on the path to each router that can be reached, but for the first.
    by: Vec<Option<u32>>,
}

impl Tree<'_> {
    /// Returns the shortest route to router `to`, as indices of links in order; `None` if there is none.
    pub fn route(&self, to: u32) -> Option<Vec<u32>> {
        let mut links = Vec::new();
        let mut node = to;
        while node != self.from {
            let number = self.by[node as usize]?;
            links.push(number);
            node = self.core.links[number as usize].from;
        }
        links.reverse();
        Some(links)
    }
}
