//! `[network]` as resolved: every link in each of its directions, whatever it came from.

use super::{File, Naming, number, text};
use crate::model::LinkChange;
use crate::network::dumbbell::Direction;
use crate::network::graph::Trip;
use crate::scenario::resolve::{Network, Resolved};

impl File {
    pub(super) fn network(&mut self, network: &Network, naming: Naming, scenario: &Resolved) {
        let graph = &network.graph;
        self.heading("[network]");
        self.set("rtt", text(network.rtt));
        self.set("packet", text(network.packet));
        self.set("access_rate", text(graph.core.access_rate));
        self.set("convergence", text(graph.convergence));
        if let Some(note) = &network.note {
            self.set("note", text(note));
        }
        for (link, trace) in graph.core.links.iter().zip(&network.traces) {
            self.heading("[[network.links]]");
            self.set("from", text(&graph.nodes[link.from as usize]));
            self.set("to", text(&graph.nodes[link.to as usize]));
            self.set("name", text(&link.name));
            self.set("one_way", true);
            self.set("delay", text(link.delay));
            self.direction(&Direction::of(link), trace.as_ref(), naming, scenario);
        }
        if let Some(edges) = &graph.edges {
            self.heading("[network.hosts]");
            self.set("rate", text(edges.hosts.normal));
            self.set("fast_rate", text(edges.hosts.fast));
            self.set("fast", number(edges.hosts.fast_share));
            self.set("delay", text(edges.hosts.delay));
            for edge in &edges.all {
                self.heading("[[network.edges]]");
                self.set("router", text(&graph.nodes[edge.router as usize]));
                self.set("class", text(&edge.class));
                self.set("sources", number(edge.sources));
                self.set("receivers", number(edge.receivers));
            }
        }
        for event in &graph.events {
            self.heading("[[network.events]]");
            self.set("at", text(event.at));
            let name = text(&graph.core.links[event.link as usize].name);
            match event.change {
                LinkChange::Fail => self.set("fail", name),
                LinkChange::Restore => self.set("restore", name),
                LinkChange::Delay(delay) => {
                    self.set("set", name);
                    self.set("delay", text(delay));
                }
            }
        }
    }

    pub(super) fn trip(&mut self, trip: &Trip, network: &Network) {
        let name = |node: &u32| text(&network.graph.nodes[*node as usize]);
        self.set("from", name(&trip.from));
        self.set("to", format!("{}  # along {}", name(&trip.to), network.links_of(trip).join(", ")));
        self.set("via", format!("[{}]", trip.via.iter().map(name).collect::<Vec<_>>().join(", ")));
    }
}
