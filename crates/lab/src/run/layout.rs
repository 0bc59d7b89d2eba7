//! Where everything lives: which partition owns which link end and endpoint, and the routes in those terms.
//!
//! Partitions share nothing while they run. A network is cut only at links that are not access links, so a host and
//! the router it hangs on stay together; a cut link's delay is the time by which one partition may run ahead.
//! Local numbers follow the global order, so simultaneous events go in the same order however the network is cut.

use crate::model::{FlowModel, LinkChange, LinkModel, Model, PopulationModel};
use narrows_units::Span;
use narrows_wire::Packet;
use std::sync::Arc;

/// The place of every entity and every route.
#[derive(Debug)]
pub(super) struct Layout {
    /// Number of partitions.
    pub partitions: usize,
    /// Where each link's queue is.
    pub near: Vec<Place>,
    /// Where each link's packets in flight are.
    pub far: Vec<Place>,
    /// Where each flow's sender is.
    pub senders: Vec<Place>,
    /// Where each flow's receiver is.
    pub receivers: Vec<Place>,
    /// How long a partition may run without hearing from the others.
    pub lookahead: Span,
    /// The partition of each population's sources.
    pub homes: Vec<u16>,
    /// The population of each seat, from the first that belongs to one.
    pub populations: Arc<[u16]>,
    /// Where each of the model's routes begins.
    pub bases: Vec<u32>,
    /// The partition in which it ends.
    pub destinations: Vec<u16>,
    /// Where each flow's data begins its way.
    pub outward: Vec<u32>,
    /// Where each flow's acknowledgements begin theirs.
    pub homeward: Vec<u32>,
    /// What becomes of these places, by change of the model.
    pub reroutes: Vec<Reroutes>,
    /// Links that packets enter from more than one other.
    pub merging: Vec<bool>,
    /// Links by which alone packets come to the endpoints behind them.
    pub sole: Vec<bool>,
    routes: Vec<Code>,
}

/// Where packets begin their ways after a change of the network.
#[derive(Debug)]
pub(super) struct Reroutes {
    /// Seat of a flow, of its data, of its acknowledgements.
    pub flows: Vec<(u32, u32, u32)>,
    /// Route of the model, and where it begins.
    pub routes: Vec<(u32, u32)>,
}

/// A partition and an index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub partition: u16,
    pub index: u32,
}

/// What a packet meets next. The index is local to the partition in which the packet is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    Link(u32),
    Sender(u32),
    Receiver(u32),
    /// The host of a population's transfer.
    Host,
}

/// A stop in four bytes, as the routes of a large network are many: its kind in the two highest bits, the index below.
#[derive(Clone, Copy, Debug)]
struct Code(u32);

impl Code {
    fn new(stop: Stop) -> Self {
        let (kind, index) = match stop {
            Stop::Link(index) => (0, index),
            Stop::Sender(index) => (1, index),
            Stop::Receiver(index) => (2, index),
            Stop::Host => (3, 0),
        };
        debug_assert!(index < 1 << INDEX_BITS, "no network has so many links");
        Self(kind << INDEX_BITS | index)
    }

    fn stop(self) -> Stop {
        let index = self.0 & ((1 << INDEX_BITS) - 1);
        match self.0 >> INDEX_BITS {
            0 => Stop::Link(index),
            1 => Stop::Sender(index),
            2 => Stop::Receiver(index),
            _ => Stop::Host,
        }
    }
}

const INDEX_BITS: u32 = 30;

impl Layout {
    /// Lays `model` out over at most `partitions` partitions.
    pub fn new(model: &Model, partitions: usize) -> Self {
        let partitions = partitions.max(1);
        let parts = cut(model, partitions);
        let partition_of = |node: u32| parts[node as usize];
        let places = |nodes: &mut dyn Iterator<Item = u32>| {
            let mut counts = vec![0; partitions];
            nodes.map(|node| next_place(partition_of(node), &mut counts)).collect::<Vec<_>>()
        };
        let near = places(&mut model.links.iter().map(|link| link.from));
        let far = places(&mut model.links.iter().map(|link| link.to));
        let ends = |flow: &FlowModel| {
            let (first, last) = (flow.outward[0], flow.outward[flow.outward.len() - 1]);
            (model.links[first as usize].from, model.links[last as usize].to)
        };
        let senders = places(&mut model.flows.iter().map(|flow| ends(flow).0));
        let receivers = places(&mut model.flows.iter().map(|flow| ends(flow).1));
        let is_cut = |link: usize| near[link].partition != far[link].partition;
        let first = model.links.iter().enumerate().map(|(link, each)| (link, each.delay));
        let later = model.changes.iter().flat_map(|change| &change.links).filter_map(|&(link, change)| {
            if let LinkChange::Delay(delay) = change { Some((link as usize, delay)) } else { None }
        });
        let delays = first.chain(later).filter(|(link, _)| is_cut(*link)).map(|(_, delay)| delay);
        let lookahead = delays.min().unwrap_or(Span::MAX);

        let mut routes = Vec::new();
        let mut write = |links: &[u32], end: Stop| {
            let base = routes.len() as u32;
            routes.extend(links.iter().map(|&link| Code::new(Stop::Link(near[link as usize].index))));
            routes.push(Code::new(end));
            base
        };
        let mut outward = Vec::with_capacity(model.flows.len());
        let mut homeward = Vec::with_capacity(model.flows.len());
        for (flow, plan) in model.flows.iter().enumerate() {
            outward.push(write(&plan.outward, Stop::Receiver(receivers[flow].index)));
            homeward.push(write(&plan.homeward, Stop::Sender(senders[flow].index)));
        }
        let bases = model.routes.iter().map(|links| write(links, Stop::Host)).collect();
        let changes = model.changes.iter().map(|change| Reroutes {
            flows: change
                .flows
                .iter()
                .map(|each| {
                    let flow = each.flow as usize;
                    let outward = write(&each.outward, Stop::Receiver(receivers[flow].index));
                    (each.flow, outward, write(&each.homeward, Stop::Sender(senders[flow].index)))
                })
                .collect(),
            routes: change.routes.iter().map(|(route, links)| (*route, write(links, Stop::Host))).collect(),
        });
        let reroutes = changes.collect();
        // A route of no links is never taken.
        let end = |route: &Vec<u32>| route.last().map_or(0, |link| model.links[*link as usize].to);
        let start = |route: &Vec<u32>| model.links[route[0] as usize].from;
        let home = |each: &PopulationModel| start(&model.routes[each.ways[0].outward as usize]);
        let numbers = model.populations.iter().enumerate();
        Self {
            homes: model.populations.iter().map(|each| partition_of(home(each))).collect(),
            populations: numbers
                .flat_map(|(number, each)| std::iter::repeat_n(number as u16, each.seats as usize))
                .collect(),
            bases,
            destinations: model.routes.iter().map(|route| partition_of(end(route))).collect(),
            partitions,
            near,
            far,
            senders,
            receivers,
            lookahead,
            outward,
            homeward,
            reroutes,
            merging: merging(model),
            sole: sole(model),
            routes,
        }
    }

    /// What `packet` meets next.
    pub fn next_stop(&self, packet: &Packet) -> Stop {
        self.routes[packet.next as usize].stop()
    }

    /// Indices in the global order of those of `places` that are in `partition`.
    pub fn members(places: &[Place], partition: usize) -> impl Iterator<Item = usize> + '_ {
        places
            .iter()
            .enumerate()
            .filter(move |(_, place)| usize::from(place.partition) == partition)
            .map(|(i, _)| i)
    }
}

/// For each link whether packets come to it from more than one other in the course of the run.
fn merging(model: &Model) -> Vec<bool> {
    let mut before: Vec<Option<u32>> = vec![None; model.links.len()];
    let mut merging = vec![false; model.links.len()];
    let flows = model.flows.iter().flat_map(|flow| [&flow.outward, &flow.homeward]);
    let later = model.changes.iter().flat_map(|change| &change.flows);
    for route in flows.chain(later.flat_map(|flow| [&flow.outward, &flow.homeward])) {
        for pair in route.windows(2) {
            let (from, link) = (pair[0], pair[1] as usize);
            merging[link] |= before[link].is_some_and(|known| known != from);
            before[link] = Some(from);
        }
    }
    merging
}

/// For each link whether the endpoints to which it brings packets get them by no other in the course of the run.
fn sole(model: &Model) -> Vec<bool> {
    let mut sole = vec![true; model.links.len()];
    let mut compare = |before: &[u32], after: &[u32]| {
        if let (Some(&before), Some(&after)) = (before.last(), after.last())
            && before != after
        {
            (sole[before as usize], sole[after as usize]) = (false, false);
        }
    };
    for change in &model.changes {
        for each in &change.flows {
            let flow = &model.flows[each.flow as usize];
            compare(&flow.outward, &each.outward);
            compare(&flow.homeward, &each.homeward);
        }
        for (route, links) in &change.routes {
            compare(&model.routes[*route as usize], links);
        }
    }
    sole
}

fn next_place(partition: u16, counts: &mut [u32]) -> Place {
    let index = counts[usize::from(partition)];
    counts[usize::from(partition)] += 1;
    Place { partition, index }
}

/// The partition of each node. What hangs together by access links stays together; then what the shortest links join,
/// as long as no part grows far beyond its share, so that the links that are cut are long and the work is even.
fn cut(model: &Model, partitions: usize) -> Vec<u16> {
    let nodes = model.nodes as usize;
    let mut parts = Parts { sets: DisjointSets::new(nodes), weights: weights(model) };
    // Before anything is joined: a set's weight stays at its first node, and the others keep theirs.
    let most = parts.weights.iter().sum::<u64>() / partitions as u64 * 11 / 10 + 1;
    let ends = |link: &LinkModel| (link.from as usize, link.to as usize);
    for link in model.links.iter().filter(|link| link.access) {
        let (from, to) = ends(link);
        parts.join(from, to, u64::MAX);
    }
    let mut between: Vec<&LinkModel> = model.links.iter().filter(|link| !link.access).collect();
    between.sort_by_key(|link| link.delay);
    for link in between {
        let (from, to) = ends(link);
        parts.join(from, to, most);
    }
    parts.deal(partitions)
}

/// What a node has to do, roughly: the flows that end there, or the seats.
fn weights(model: &Model) -> Vec<u64> {
    let mut weights = vec![1; model.nodes as usize];
    for flow in &model.flows {
        weights[model.links[flow.outward[0] as usize].from as usize] += FLOW_WEIGHT;
    }
    for population in &model.populations {
        let route = &model.routes[population.ways[0].outward as usize];
        weights[model.links[route[0] as usize].from as usize] += u64::from(population.seats);
    }
    weights
}

/// Sets of nodes that stay together.
struct Parts {
    sets: DisjointSets,
    /// Of each set at its first node.
    weights: Vec<u64>,
}

impl Parts {
    /// Makes one set of two unless it would weigh more than `most`.
    fn join(&mut self, one: usize, other: usize, most: u64) {
        let (one, other) = (self.sets.find(one), self.sets.find(other));
        let sum = self.weights[one] + self.weights[other];
        if one != other && sum <= most {
            self.sets.join(one, other);
            let root = self.sets.find(one);
            self.weights[root] = sum;
        }
    }

    /// Gives each set, the heaviest first, to the partition that has least.
    fn deal(&mut self, partitions: usize) -> Vec<u16> {
        let nodes = self.weights.len();
        let mut roots: Vec<usize> = (0..nodes).filter(|&node| self.sets.find(node) == node).collect();
        roots.sort_by_key(|&root| (std::cmp::Reverse(self.weights[root]), root));
        let mut loads = vec![0_u64; partitions];
        let mut of_root = vec![0_u16; nodes];
        for root in roots {
            let least = (0..partitions).min_by_key(|&number| loads[number]).expect("there is a partition");
            loads[least] += self.weights[root];
            of_root[root] = least as u16;
        }
        (0..nodes).map(|node| of_root[self.sets.find(node)]).collect()
    }
}

/// An endless flow keeps its host busier than a seat does.
const FLOW_WEIGHT: u64 = 10;

/// Union-find with path halving.
struct DisjointSets {
    parent: Vec<usize>,
}

impl DisjointSets {
    fn new(count: usize) -> Self {
        Self { parent: (0..count).collect() }
    }

    fn find(&mut self, mut element: usize) -> usize {
        while self.parent[element] != element {
            self.parent[element] = self.parent[self.parent[element]];
            element = self.parent[element];
        }
        element
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.parent[one.max(other)] = one.min(other);
    }
}
