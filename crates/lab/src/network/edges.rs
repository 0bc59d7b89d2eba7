//! Edge routers, and transfers between the hosts behind any two of them: demand spreads over the sources behind each,
//! and every transfer finds its receiver behind another, by the weights of both (a gravity model).

use super::graph::Graph;
use super::{Group, Layout, Transfers};
use crate::model::{Access, Demand, HostModel, PopulationModel, WayModel};
use crate::traffic::{Arrivals, Distribution};
use std::sync::Arc;

/// A router behind which there are hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The router, by number.
    pub router: u32,
    /// What edges like it are called: a way between two has the class of both.
    pub class: String,
    /// Its part of all sources, relative to the others'.
    pub sources: f64,
    /// Its part of all receivers, relative to the others'.
    pub receivers: f64,
}

/// The edges of a network and the hosts behind them.
#[derive(Clone, Debug)]
pub struct Edges {
    /// At least two.
    pub all: Vec<Edge>,
    /// The hosts, of sources and of receivers.
    pub hosts: HostModel,
}

impl Edges {
    /// What a way between two edges is called: their classes, in the order in which the classes first appear.
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

    /// Adds the populations of a group to `layout`, whose routes between edges begin at `first`.
    pub(super) fn populate(&self, layout: &mut Layout, index: usize, group: &Group, first: u32) {
        let transfers = group.transfers.as_ref().expect("only transfers go between edges");
        let seats = self.share(u64::from(transfers.seats));
        let sources: f64 = self.all.iter().map(|edge| edge.sources).sum();
        let transport = Arc::new(group.transport.clone());
        for (from, edge) in self.all.iter().enumerate().filter(|(from, _)| seats[*from] > 0) {
            let route = |from: usize, to: usize| first + (from * self.all.len() + to) as u32;
            let ways =
                self.all.iter().enumerate().filter(|(to, _)| *to != from).map(|(to, other)| WayModel {
                    weight: other.receivers,
                    outward: route(from, to),
                    homeward: route(to, from),
                    class: self.class(edge, other),
                });
            layout.populations.push(PopulationModel {
                group: index,
                demand: part(&transfers.demand, edge.sources / sources),
                seats: seats[from] as u32,
                size: group.size.as_ref().map_or(Distribution::Constant(1.0), |size| size.0.clone()),
                surges: surges(transfers, edge),
                ways: ways.collect(),
                access: Access::Hosts { source: self.hosts, receiver: self.hosts },
                transport: Arc::clone(&transport),
            });
        }
    }

    /// Routes between every two edges, row by row; that from an edge to itself is empty and never taken.
    pub(super) fn routes(&self, graph: &Graph) -> Vec<Vec<u32>> {
        let routers: Vec<u32> = self.all.iter().map(|edge| edge.router).collect();
        graph.routes_between(&routers)
    }
}

/// What one edge has of a demand.
fn part(demand: &Demand, share: f64) -> Demand {
    match demand {
        Demand::Open(Arrivals::Poisson(steps)) => {
            let steps: Vec<_> = steps.iter().map(|(at, rate)| (*at, rate * share)).collect();
            Demand::Open(Arrivals::Poisson(steps.into()))
        }
        other => other.clone(),
    }
}

fn surges(transfers: &Transfers, edge: &Edge) -> Vec<crate::model::Surge> {
    let here = |place: &Vec<String>| place.is_empty() || place.contains(&edge.class);
    transfers.surges.iter().filter(|(_, place)| here(place)).map(|(surge, _)| *surge).collect()
}
