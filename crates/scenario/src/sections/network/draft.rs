// SPDX-License-Identifier: Apache-2.0
//! Links while they are being put together.

use super::super::link::{OneWay, OneWayKeys};
use super::super::rate::greatest_bps;
use super::links::LinkKeys;
use crate::field::Field;
use narrows_model::LinkModel;
use narrows_topology::Edge;
use narrows_units::Span;

/// A network before its events are resolved: routers and links.
#[derive(Debug, Default)]
pub struct Draft {
    /// Names of the routers.
    pub nodes: Vec<String>,
    /// The links, each in one direction.
    pub links: Vec<DraftLink>,
    /// Highest rate of any link over time, bits per second.
    pub greatest_bps: f64,
    /// Source of the links; `None` if they were written.
    pub note: Option<String>,
    /// Values that were inferred or assumed about the links, one sentence each.
    pub assumed: Vec<String>,
    /// Edge routers, with relative numbers of hosts.
    pub edges: Vec<Edge>,
}

/// One direction of a link.
#[derive(Debug)]
pub struct DraftLink {
    /// Keys of the link, as in the resolved file.
    pub keys: LinkKeys,
    /// The link as resolved.
    pub model: LinkModel,
    /// Description of the link.
    pub words: String,
    /// Index of the other direction; `None` for a one-way link.
    pub twin: Option<u32>,
}

impl Draft {
    /// Returns the index of the router `name`, which is added if it is new.
    pub fn node(&mut self, name: &str) -> u32 {
        let found = self.nodes.iter().position(|known| known == name);
        found.unwrap_or_else(|| {
            self.nodes.push(name.to_owned());
            self.nodes.len() - 1
        }) as u32
    }

    /// Returns the default name of a link between two routers.
    pub fn name(&self, (from, to): (u32, u32)) -> String {
        format!("{}-{}", self.nodes[from as usize], self.nodes[to as usize])
    }

    /// Returns the name of a further link between two routers: the default name, with a number if there is such a link.
    pub fn free_name(&self, ends: (u32, u32)) -> String {
        let name = self.name(ends);
        let between = self.links.iter().filter(|link| (link.model.from, link.model.to) == ends).count();
        if between == 0 { name } else { format!("{name} {}", between + 1) }
    }

    /// Removes all links between two routers, in both directions.
    pub fn remove_between(&mut self, one: &str, other: &str) {
        let is_end = |node: u32| self.nodes[node as usize] == one || self.nodes[node as usize] == other;
        let kept: Vec<bool> =
            self.links.iter().map(|link| !(is_end(link.model.from) && is_end(link.model.to))).collect();
        let place = |twin: u32| kept[..twin as usize].iter().filter(|kept| **kept).count() as u32;
        for link in &mut self.links {
            link.twin = link.twin.map(place);
        }
        let mut kept = kept.into_iter();
        self.links.retain(|_| kept.next().unwrap_or(true));
    }

    /// Returns the names of all links.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.links.iter().map(|link| link.model.name.as_str())
    }

    /// Adds both directions of a link between two routers.
    pub fn pair(&mut self, names: [String; 2], (from, to): (u32, u32), delay: Span, both: &[OneWay; 2]) {
        let [forward, reverse] = names;
        self.push(forward, (from, to), delay, &both[0]);
        self.push(reverse, (to, from), delay, &both[1]);
        let last = self.links.len() as u32 - 1;
        self.links[last as usize].twin = Some(last - 1);
        self.links[last as usize - 1].twin = Some(last);
    }

    /// Adds one direction of a link between two routers.
    pub fn push(&mut self, name: String, (from, to): (u32, u32), delay: Span, one_way: &OneWay) {
        let OneWay { keys: OneWayKeys { rate, overhead, queue, loss, impairments }, direction, .. } = one_way;
        self.greatest_bps = self.greatest_bps.max(greatest_bps(&direction.rate));
        let at = rate.at.clone();
        let keys = LinkKeys {
            from: Field::of(&at, self.nodes[from as usize].clone()),
            to: Field::of(&at, self.nodes[to as usize].clone()),
            name: Field::of(&at, Some(name.clone())),
            one_way: Field::of(&at, true),
            delay: Field::of(&at, delay),
            rate: rate.clone(),
            overhead: overhead.clone(),
            queue: queue.clone(),
            loss: loss.clone(),
            impairments: impairments.clone(),
            reverse: Field::of(&at, None),
            table: at,
        };
        let model = LinkModel {
            name,
            from,
            to,
            rate: direction.rate.clone(),
            delay,
            framing: direction.framing,
            queue: direction.queue.clone(),
            queue_key: direction.queue_key.clone(),
            loss: direction.loss.clone(),
            impairments: direction.impairments.clone(),
        };
        let words = format!("{}; {delay} one way", one_way.words);
        self.links.push(DraftLink { keys, model, words, twin: None });
    }
}
