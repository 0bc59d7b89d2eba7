// SPDX-License-Identifier: Apache-2.0
//! Assigns nodes to partitions.

use narrows_model::{LinkModel, Model};

/// Returns the partition of each node. Nodes joined by the shortest links stay together as long as no partition grows
/// far beyond its share, so that cut links are long and the work is balanced.
pub(super) fn cut(model: &Model, partitions: usize) -> Vec<u16> {
    let nodes = model.nodes as usize;
    let mut parts = Parts { sets: DisjointSets::new(nodes), weights: weights(model) };
    // Before sets are joined: then the weight of a set is stored at its first node.
    let most = parts.weights.iter().sum::<u64>() / partitions as u64 * 11 / 10 + 1;
    let mut between: Vec<&LinkModel> = model.links.iter().collect();
    between.sort_by_key(|link| link.delay);
    for link in between {
        parts.join(link.from as usize, link.to as usize, most);
    }
    parts.deal(partitions)
}

/// Estimated work of each node: the links that its packets enter there, and the hosts that are connected to it, by the connections
/// whose paths lead through it.
fn weights(model: &Model) -> Vec<u64> {
    let mut weights = vec![1; model.nodes as usize];
    for workload in &model.workloads {
        let each = if workload.is_finite() { 1 } else { ENDLESS_WEIGHT };
        let weight = (u64::from(workload.slots) * each).div_ceil(workload.paths.len() as u64);
        for path in &workload.paths {
            for route in [path.forward, path.reverse] {
                let links = || model.routes[route as usize].iter().map(|&link| &model.links[link as usize]);
                for link in links() {
                    weights[link.from as usize] += weight;
                }
                // A packet takes an access link and a sender or a receiver at either end.
                let ends = [links().next().map(|link| link.from), links().next_back().map(|link| link.to)];
                for end in ends.into_iter().flatten() {
                    weights[end as usize] += END_WEIGHT * weight;
                }
            }
        }
    }
    weights
}

/// Sets of nodes in the same partition.
struct Parts {
    sets: DisjointSets,
    /// Weight of each set, stored at its first node.
    weights: Vec<u64>,
}

impl Parts {
    /// Joins two sets unless their weight would exceed `most`.
    fn join(&mut self, one: usize, other: usize, most: u64) {
        let (one, other) = (self.sets.find(one), self.sets.find(other));
        let sum = self.weights[one] + self.weights[other];
        if one != other && sum <= most {
            self.sets.join(one, other);
            let root = self.sets.find(one);
            self.weights[root] = sum;
        }
    }

    /// Assigns each set, in order of decreasing weight, to the partition with the least weight.
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

/// Work of a host and its access link for a packet, relative to a link between nodes.
const END_WEIGHT: u64 = 2;
/// Weight of an endless connection relative to a finite one.
const ENDLESS_WEIGHT: u64 = 10;

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
