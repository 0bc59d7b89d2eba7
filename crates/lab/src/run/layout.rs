//! Where everything lives: which partition owns which link end and endpoint, and the routes in those terms.
//!
//! Partitions share nothing while they run. A network is cut only at links that are not access links, so a host and
//! the router it hangs on stay together, and a cut link's delay is the time by which one partition may run ahead.
//! Local numbers follow the global order, so simultaneous events go in the same order however the network is cut.

use crate::model::{LinkModel, Model};
use narrows_units::Span;
use narrows_wire::Packet;

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
    /// Where each flow's data begins its way.
    pub outward: Vec<u32>,
    /// Where each flow's acknowledgements begin theirs.
    pub homeward: Vec<u32>,
    routes: Vec<Stop>,
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
}

impl Layout {
    /// Lays `model` out over at most `partitions` partitions.
    pub fn new(model: &Model, partitions: usize) -> Self {
        let (near_node, far_node, sender_node, receiver_node) = nodes(model);
        let regions = regions(&model.links, &near_node, &far_node);
        let partition_of = |node: usize| (regions[node] % partitions.max(1)) as u16;
        let place = |nodes: &[usize]| {
            let mut counts = vec![0; partitions.max(1)];
            nodes.iter().map(|&node| next_place(partition_of(node), &mut counts)).collect::<Vec<_>>()
        };
        let near = place(&near_node);
        let far = place(&far_node);
        let senders = place(&sender_node);
        let receivers = place(&receiver_node);
        let lookahead = model
            .links
            .iter()
            .enumerate()
            .filter(|(link, _)| near[*link].partition != far[*link].partition)
            .map(|(_, link)| link.delay)
            .min()
            .unwrap_or(Span::MAX);

        let mut routes = Vec::new();
        let mut write = |links: &[u32], end: Stop| {
            let base = routes.len() as u32;
            routes.extend(links.iter().map(|&link| Stop::Link(near[link as usize].index)));
            routes.push(end);
            base
        };
        let mut outward = Vec::with_capacity(model.flows.len());
        let mut homeward = Vec::with_capacity(model.flows.len());
        for (flow, plan) in model.flows.iter().enumerate() {
            outward.push(write(&plan.outward, Stop::Receiver(receivers[flow].index)));
            homeward.push(write(&plan.homeward, Stop::Sender(senders[flow].index)));
        }
        Self {
            partitions: partitions.max(1),
            near,
            far,
            senders,
            receivers,
            lookahead,
            outward,
            homeward,
            routes,
        }
    }

    /// What `packet` meets next.
    pub fn next_stop(&self, packet: &Packet) -> Stop {
        self.routes[packet.next as usize]
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

fn next_place(partition: u16, counts: &mut [u32]) -> Place {
    let index = counts[usize::from(partition)];
    counts[usize::from(partition)] += 1;
    Place { partition, index }
}

/// Names the nodes that the routes imply: the far end of a link is the near end of the next, a flow's sender stands
/// where its data starts and its acknowledgements end. Returns the node of each link's near and far end, of each
/// sender and of each receiver.
fn nodes(model: &Model) -> (Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>) {
    let links = model.links.len();
    let mut sets = DisjointSets::new(2 * links);
    let (near, far) = (|link: u32| 2 * link as usize, |link: u32| 2 * link as usize + 1);
    for flow in &model.flows {
        for route in [&flow.outward, &flow.homeward] {
            for pair in route.windows(2) {
                sets.join(far(pair[0]), near(pair[1]));
            }
        }
        sets.join(near(flow.outward[0]), far(flow.homeward[flow.homeward.len() - 1]));
        sets.join(far(flow.outward[flow.outward.len() - 1]), near(flow.homeward[0]));
    }
    let of_link = |end: fn(u32) -> usize, sets: &mut DisjointSets| {
        (0..links as u32).map(|link| sets.find(end(link))).collect::<Vec<_>>()
    };
    let near_nodes = of_link(|link| 2 * link as usize, &mut sets);
    let far_nodes = of_link(|link| 2 * link as usize + 1, &mut sets);
    let senders = model.flows.iter().map(|flow| sets.find(near(flow.outward[0]))).collect();
    let receivers = model.flows.iter().map(|flow| sets.find(near(flow.homeward[0]))).collect();
    (near_nodes, far_nodes, senders, receivers)
}

/// Numbers the parts that remain connected when every link that is not an access link is cut: for each node its part,
/// in the order in which links first mention them.
fn regions(links: &[LinkModel], near: &[usize], far: &[usize]) -> Vec<usize> {
    let mut sets = DisjointSets::new(2 * links.len());
    for (link, model) in links.iter().enumerate() {
        if model.access {
            sets.join(near[link], far[link]);
        }
    }
    let mut numbers = vec![usize::MAX; 2 * links.len()];
    let mut count = 0;
    for &node in near.iter().zip(far).flat_map(|(near, far)| [near, far]) {
        let root = sets.find(node);
        if numbers[root] == usize::MAX {
            numbers[root] = count;
            count += 1;
        }
    }
    (0..2 * links.len()).map(|node| numbers[sets.find(node)]).collect()
}

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
