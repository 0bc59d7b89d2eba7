// SPDX-License-Identifier: Apache-2.0
//! Edge routers, and transfers between the hosts behind any two of them: demand spreads over the sources behind each,
//! and every transfer finds its receiver behind another, by the weights of both (a gravity model).

use super::{Group, Layout};
use narrows_model::{Access, HostModel, PathModel, Workload};
use std::sync::Arc;

/// An edge router, behind which there are hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Index of the router.
    pub router: u32,
    /// Class of the edge. A path between two edges has the names of both classes.
    pub class: String,
    /// Relative number of sources behind the edge.
    pub sources: f64,
    /// Relative number of receivers behind the edge.
    pub receivers: f64,
}

/// The edge routers of a network and the hosts behind them.
#[derive(Clone, Debug)]
pub struct Edges {
    /// The edges, at least two.
    pub all: Vec<Edge>,
    /// Properties of the hosts, which are the same for sources and receivers.
    pub hosts: HostModel,
}

impl Edges {
    /// The name of a path between two edges: their classes, in the order in which the classes first appear.
    fn class(&self, from: &Edge, to: &Edge) -> Arc<str> {
        let rank = |edge: &Edge| self.all.iter().position(|other| other.class == edge.class);
        let (first, second) = if rank(from) <= rank(to) { (from, to) } else { (to, from) };
        format!("{}{}", first.class, second.class).into()
    }

    /// `count` shared out by the weights of sources: whole numbers, by largest remainder, that sum to it.
    fn share(&self, count: u64) -> Vec<u64> {
        let all: f64 = self.all.iter().map(|edge| edge.sources).sum();
        let exact: Vec<f64> = self.all.iter().map(|edge| count as f64 * edge.sources / all).collect();
        let mut shares: Vec<u64> = exact.iter().map(|share| share.floor() as u64).collect();
        let mut order: Vec<usize> = (0..exact.len()).collect();
        order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
        let missing = count - shares.iter().sum::<u64>();
        for &edge in order.iter().cycle().take(missing as usize) {
            shares[edge] += 1;
        }
        shares
    }

    /// Adds the workloads of a group to `layout`, one for each edge that has sources; routes between edges start at
    /// `first`.
    pub(super) fn populate(&self, layout: &mut Layout, index: usize, group: &Group, first: u32) {
        let slots = self.share(u64::from(group.slots));
        let sources: f64 = self.all.iter().map(|edge| edge.sources).sum();
        let access = Access::Hosts { source: self.hosts, receiver: self.hosts };
        let common = group.workload(index, Vec::new(), access);
        for (from, edge) in self.all.iter().enumerate().filter(|(from, _)| slots[*from] > 0) {
            let route = |from: usize, to: usize| first + (from * self.all.len() + to) as u32;
            let paths =
                self.all.iter().enumerate().filter(|(to, _)| *to != from).map(|(to, other)| PathModel {
                    weight: other.receivers,
                    forward: route(from, to),
                    reverse: route(to, from),
                    class: self.class(edge, other),
                });
            layout.workloads.push(Workload {
                demand: group.demand.part(edge.sources / sources),
                slots: slots[from] as u32,
                individual: false,
                surges: surges(group, edge),
                paths: paths.collect(),
                ..common.clone()
            });
        }
    }

    /// Returns the router of each edge.
    pub(super) fn routers(&self) -> Vec<u32> {
        self.all.iter().map(|edge| edge.router).collect()
    }
}

/// The surges that the sources behind one edge make.
fn surges(group: &Group, edge: &Edge) -> Vec<narrows_model::Surge> {
    let here = |classes: &Vec<String>| classes.is_empty() || classes.contains(&edge.class);
    group.surges.iter().filter(|(_, classes)| here(classes)).map(|(surge, _)| *surge).collect()
}
