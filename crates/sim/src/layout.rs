// SPDX-License-Identifier: Apache-2.0
//! The layout of a model over partitions: the owner of every link end and host, and the routes in local indices.
//!
//! Partitions share nothing while they run. A host belongs to the partition of its router; the delay of a cut link
//! is the time by which one partition may run ahead of another. Local indices follow the global order, so simultaneous events
//! are handled in the same order however the network is cut.

mod cut;

use narrows_model::{LinkChange, Model, Workload};
use narrows_units::Span;
use narrows_wire::Packet;
use std::sync::Arc;

/// The place of every entity and every route.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Number of partitions.
    pub partitions: usize,
    /// Partition and local index of each link's queue, by link of the model.
    pub near: Vec<Place>,
    /// Partition and local index of each link's packets in flight, by link of the model.
    pub far: Vec<Place>,
    /// Time that a partition may run ahead of messages from the others: the shortest delay of a cut link; `MAX` without
    /// one.
    pub lookahead: Span,
    /// The partition of each workload's sending hosts.
    pub homes: Vec<u16>,
    /// The workload of each connection slot.
    pub workloads: Arc<[u16]>,
    /// Index of the first stop of each of the model's routes.
    pub bases: Vec<u32>,
    /// The partition in which each of the model's routes ends.
    pub destinations: Vec<u16>,
    /// Changes of `bases`, by change of the model: the route, and the index of its first stop from then on.
    pub reroutes: Vec<Vec<(u32, u32)>>,
    /// Whether each link is, for the whole run, the only one by which packets reach the hosts behind it.
    pub sole: Vec<bool>,
    routes: Vec<Code>,
}

/// A partition and an index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Number of the partition.
    pub partition: u16,
    /// Index within the partition.
    pub index: u32,
}

/// The next stop of a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// A link: its index in the partition in which the packet is.
    Link(u32),
    /// The host of a connection.
    Host,
}

/// A stop in four bytes, since a large network has many routes.
#[derive(Clone, Copy, Debug)]
struct Code(u32);

impl Code {
    const HOST: Self = Self(u32::MAX);

    fn link(index: u32) -> Self {
        debug_assert!(index < u32::MAX, "no network has so many links");
        Self(index)
    }

    #[inline]
    fn stop(self) -> Stop {
        if self.0 == Self::HOST.0 { Stop::Host } else { Stop::Link(self.0) }
    }
}

impl Layout {
    /// Lays out `model` over at most `partitions` partitions; over one if hosts steer the rate of a link, since that link may be
    /// anywhere.
    pub fn new(model: &Model, partitions: usize) -> Self {
        let steered = model.links.iter().any(|link| link.rate.autorate().is_some());
        let partitions = if steered { 1 } else { partitions.max(1) };
        let parts = cut::cut(model, partitions);
        let partition_of = |node: u32| parts[node as usize];
        let places = |nodes: &mut dyn Iterator<Item = u32>| {
            let mut counts = vec![0; partitions];
            nodes.map(|node| next_place(partition_of(node), &mut counts)).collect::<Vec<_>>()
        };
        let near = places(&mut model.links.iter().map(|link| link.from));
        let far = places(&mut model.links.iter().map(|link| link.to));

        let mut routes = Vec::new();
        let mut write = |links: &[u32]| {
            let base = routes.len() as u32;
            routes.extend(links.iter().map(|&link| Code::link(near[link as usize].index)));
            routes.push(Code::HOST);
            base
        };
        let bases = model.routes.iter().map(|links| write(links)).collect();
        let reroutes = model
            .changes
            .iter()
            .map(|change| change.routes.iter().map(|(route, links)| (*route, write(links))).collect())
            .collect();
        // A route without links is never used.
        let end = |route: &Vec<u32>| route.last().map_or(0, |link| model.links[*link as usize].to);
        let start = |route: &Vec<u32>| model.links[route[0] as usize].from;
        let home = |each: &Workload| start(&model.routes[each.paths[0].forward as usize]);
        let numbers = model.workloads.iter().enumerate();
        Self {
            homes: model.workloads.iter().map(|each| partition_of(home(each))).collect(),
            workloads: numbers
                .flat_map(|(number, each)| std::iter::repeat_n(number as u16, each.slots as usize))
                .collect(),
            bases,
            destinations: model.routes.iter().map(|route| partition_of(end(route))).collect(),
            partitions,
            lookahead: lookahead(model, &near, &far),
            near,
            far,
            reroutes,
            sole: sole(model),
            routes,
        }
    }

    /// Returns the next stop of `packet` on its route.
    #[inline]
    pub fn next_stop(&self, packet: &Packet) -> Stop {
        self.routes[packet.next as usize].stop()
    }

    /// Returns the global indices of those of `places` that are in `partition`, ascending.
    pub fn members(places: &[Place], partition: usize) -> impl Iterator<Item = usize> + '_ {
        places
            .iter()
            .enumerate()
            .filter(move |(_, place)| usize::from(place.partition) == partition)
            .map(|(i, _)| i)
    }
}

/// The shortest delay, over the run, of a link between two partitions; `MAX` without one.
fn lookahead(model: &Model, near: &[Place], far: &[Place]) -> Span {
    let is_cut = |link: usize| near[link].partition != far[link].partition;
    let first = model.links.iter().enumerate().map(|(link, each)| (link, each.delay));
    let later = model.changes.iter().flat_map(|change| &change.links).filter_map(|&(link, change)| {
        if let LinkChange::Delay(delay) = change { Some((link as usize, delay)) } else { None }
    });
    let delays = first.chain(later).filter(|(link, _)| is_cut(*link)).map(|(_, delay)| delay);
    delays.min().unwrap_or(Span::MAX)
}

/// Whether each link is, for the whole run, the only one by which packets reach the hosts behind it.
fn sole(model: &Model) -> Vec<bool> {
    let mut sole = vec![true; model.links.len()];
    for (route, after) in model.changes.iter().flat_map(|change| &change.routes) {
        let before = &model.routes[*route as usize];
        if let (Some(&before), Some(&after)) = (before.last(), after.last())
            && before != after
        {
            (sole[before as usize], sole[after as usize]) = (false, false);
        }
    }
    sole
}

fn next_place(partition: u16, counts: &mut [u32]) -> Place {
    let index = counts[usize::from(partition)];
    counts[usize::from(partition)] += 1;
    Place { partition, index }
}
