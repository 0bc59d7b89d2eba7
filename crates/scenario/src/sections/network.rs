// SPDX-License-Identifier: Apache-2.0
//! `[network]`: routers and links as written, from a generator or from a file, and what happens to them.

mod draft;
mod edges;
mod events;
mod generators;
mod graph;
mod links;
mod thinning;
mod tiered;
mod written;

use super::link::{LinkContext, Traffic};
use super::path::check_packet;
use super::rate::usual_access_rate;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::input::InputFile;
use crate::kind::list;
use crate::queue::Groups;
use crate::section::{Table, Tables, keys};
use crate::value::{Element, List, Positive};
use draft::Draft;
use edges::{EdgeKeys, HostsKeys};
use events::Events;
use generators::Generator;
use graph::GraphKeys;
use links::LinkKeys;
use narrows_model::{LinkChange, LinkModel};
use narrows_topology::graph::Graph;
use narrows_topology::{Core, RoutePoints};
use narrows_units::{Bytes, Rate, Span};

keys! {
    /// The keys of `[network]`.
    pub struct NetworkKeys {
        /// Round-trip time in the unit bdp of buffer sizes; the rate is the mean rate of the link.
        rtt: Positive<Span>,
        /// Size of a full data packet, headers included.
        packet: Positive<Bytes> = Bytes::new(1500),
        /// Rate of the access links of each flow, which are unlimited FIFOs. Packets queue there if it is the lowest
        /// rate on the path.
        access_rate: Positive<Rate> => "ten times the greatest rate of any link",
        /// Convergence time of routing: from an event until packets are forwarded along the new routes.
        convergence: Span = Span::ZERO,
        /// Source of the topology, and assumptions about it.
        note: String => "what a generator or file was taken to say",
        /// Values that were inferred from the text of a file, or assumed if it gives none; listed by the checks of a
        /// run.
        assumed: List<String> => "nothing",
        /// Links between routers. Beside a graph: further links; one without a name takes the place of all edges between its
        /// routers, and one with a name is parallel to them. Packets take the first of parallel links with the shortest delay.
        links: Tables<LinkKeys> => "those of generator or graph",
        /// A generated topology with links of equal properties; given instead of links.
        generator: Generator => "none",
        /// A GraphML file; given instead of links, or with links beside its edges.
        graph: Table<GraphKeys> => "none",
        /// Hosts behind the edge routers.
        hosts: Table<HostsKeys> => "see its keys",
        /// Edge routers, which have hosts behind them; flows with between = "edges" run from each of them to every
        /// other.
        edges: Tables<EdgeKeys> => "those of generator tiered",
        /// Changes of links at given times. After each, routes are recomputed (shortest by delay); a packet in flight
        /// keeps its route.
        events: Events => "none",
    }
}

/// A resolved network.
#[derive(Clone, Debug)]
pub struct ResolvedNetwork {
    /// Routers, links and events.
    pub graph: Graph,
    /// Round-trip time in a bandwidth-delay product of a buffer.
    pub rtt: Span,
    /// Size of a full data packet on the wire.
    pub packet: Bytes,
    /// Source of the links, and assumptions about them; `None` if all were written.
    pub note: Option<String>,
    /// Each link, for a reader.
    words: Vec<String>,
}

impl NetworkKeys {
    /// Resolves all keys and fills them in; the resolved file lists the links, whatever their source.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        load: &LoadContext<'_>,
        duration: Result<Span, Reported>,
        groups: Option<&Groups>,
        traffic: Traffic,
        faults: &mut Vec<Fault>,
    ) -> Result<ResolvedNetwork, Reported> {
        let packet = check_packet(&self.packet, faults);
        let (rtt, ecn) = (self.rtt.copied(), traffic.ecn);
        // Which links acknowledgements cross is known once the groups have routes: `check_thinning`.
        let context = LinkContext { load, duration, rtt, packet, groups, ecn, acknowledged: true };
        let draft = self.draft(context, faults)?;
        let events = events::resolve(&mut self.events, &draft, duration, faults);
        let access_rate = self.access_rate.copied()?;
        let access_rate = access_rate.unwrap_or(usual_access_rate(draft.greatest_bps));
        let edges = edges::resolve(&mut self.edges, &mut self.hosts, &draft, access_rate, faults)?;
        let note = self.note.get()?.clone().or(draft.note);
        let written = self.assumed.get()?.iter().flatten().map(|each| each.value.clone());
        let assumed: Vec<String> = written.chain(draft.assumed).collect();
        let convergence = self.convergence.copied()?;
        let events = events?;
        self.access_rate.fill(Some(access_rate));
        self.note.fill(note.clone());
        let elements =
            assumed.iter().map(|each| Element { at: self.assumed.at.clone(), value: each.clone() });
        let elements: Vec<_> = elements.collect();
        self.assumed.fill((!elements.is_empty()).then_some(elements));
        load.assume(assumed);
        self.generator.omitted = true;
        self.graph.omitted = true;
        let mut links = Vec::new();
        let (mut models, mut words) = (Vec::new(), Vec::new());
        for link in draft.links {
            links.push(link.keys);
            models.push(link.model);
            words.push(link.words);
        }
        self.links.fill(Some(links));
        Ok(ResolvedNetwork {
            rtt: context.rtt?,
            packet: packet?,
            note,
            words,
            graph: Graph {
                core: Core { nodes: draft.nodes.len() as u32, links: models, access_rate },
                nodes: draft.nodes,
                edges,
                events,
                convergence,
            },
        })
    }

    /// The links of the one key that gives them.
    fn draft(&mut self, context: LinkContext<'_>, faults: &mut Vec<Fault>) -> Result<Draft, Reported> {
        let sources = [
            ("links", self.links.written, &self.links.at),
            ("generator", self.generator.written, &self.generator.at),
            ("graph", self.graph.written, &self.graph.at),
        ];
        let written = sources.iter().filter(|(_, written, _)| *written).count();
        let beside = self.links.written && self.graph.written && !self.generator.written;
        if written != 1 && !beside {
            let (_, _, at) = sources.iter().rfind(|(_, written, _)| *written).unwrap_or(&sources[0]);
            let count = if written == 0 { "no" } else { "several" };
            let names = list(sources.iter().map(|(name, ..)| *name));
            let fault = at.fault(format!("{count} sources of links"));
            return Err(fault
                .allowed(format!("exactly one of {names}, or links beside graph"))
                .report(faults));
        }
        if let Some(links) = self.links.get()? {
            let draft = match self.graph.get_mut()? {
                Some(graph) => graph.draft(context, faults)?,
                None => Draft::default(),
            };
            return written::extended(draft, links, context, faults);
        }
        if let Some(generator) = self.generator.get()? {
            return generator.draft(context, faults);
        }
        match self.graph.get_mut()? {
            Some(graph) => graph.draft(context, faults),
            None => Err(Reported::before()),
        }
    }

    /// Returns the files of the graph and of recorded rates and delays, with their digests.
    pub fn recordings(&self) -> Vec<&InputFile> {
        let graph = self.graph.get().ok().and_then(Option::as_ref).and_then(GraphKeys::recording);
        let links = self.links.get().ok().and_then(Option::as_ref).into_iter().flatten();
        graph.into_iter().chain(links.flat_map(LinkKeys::recordings)).collect()
    }
}

impl ResolvedNetwork {
    /// Returns the lowest mean rate of all links in a run of `duration`.
    pub fn narrowest(&self, duration: Span) -> Rate {
        narrowest(self.graph.core.links.iter(), duration)
    }

    /// Returns the lowest mean rate of the links on the route through `points` in a run of `duration`.
    pub fn narrowest_of(&self, points: &RoutePoints, duration: Span) -> Rate {
        narrowest(self.links_of(points), duration)
    }

    /// Returns the two-way propagation delay of the path through `points` at the start of the run.
    pub fn propagation(&self, points: &RoutePoints) -> Span {
        self.graph.propagation(&self.graph.path(points).expect("resolved points have a route"))
    }

    /// The links that data crosses when the run starts.
    fn links_of(&self, points: &RoutePoints) -> impl Iterator<Item = &LinkModel> {
        let path = self.graph.path(points).expect("resolved points have a route");
        path.forward.into_iter().map(|link| &self.graph.core.links[link as usize])
    }

    /// Returns the names of the links that data crosses at the start of the run, separated by commas.
    pub fn link_names_of(&self, points: &RoutePoints) -> String {
        list(self.links_of(points).map(|link| link.name.as_str()))
    }

    /// Returns the names of the links with the lowest rate among those that data crosses when the run starts, the
    /// bottleneck first.
    pub fn equal_bottlenecks(&self, points: &RoutePoints) -> Vec<&str> {
        let path = self.graph.path(points).expect("resolved points have a route");
        let all = &self.graph.core.links;
        let bottleneck = &all[self.graph.core.narrowest(&path.forward)];
        let links = path.forward.iter().map(|link| &all[*link as usize]);
        links
            .filter(|link| link.rate.first_bps() <= bottleneck.rate.first_bps())
            .map(|link| link.name.as_str())
            .collect()
    }

    /// Returns the names of all links, the bottleneck of flows through `points` first.
    pub fn link_names(&self, points: Option<&RoutePoints>) -> Vec<String> {
        let mut names: Vec<String> = self.graph.core.links.iter().map(|link| link.name.clone()).collect();
        if let Some(path) = points.and_then(|points| self.graph.path(points)) {
            names[..=self.graph.core.narrowest(&path.forward)].rotate_right(1);
        }
        names
    }

    /// Describes the network: title and text of each paragraph.
    pub fn describe(&self) -> Vec<(String, String)> {
        let Graph { nodes, core, events, convergence, .. } = &self.graph;
        let mut words = vec![(
            "Network".to_owned(),
            format!(
                "{} routers and {} links of one direction; packets of {}; access links of {}; the bandwidth-delay product \
                 counts a round trip of {}",
                nodes.len(),
                core.links.len(),
                self.packet,
                core.access_rate,
                self.rtt
            ),
        )];
        words.extend(self.note.iter().map(|note| ("Links".to_owned(), note.clone())));
        // Links that are alike are described together.
        let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
        for (link, text) in core.links.iter().zip(&self.words) {
            match kinds.iter_mut().find(|(known, _)| known == text) {
                Some((_, names)) => names.push(&link.name),
                None => kinds.push((text, vec![&link.name])),
            }
        }
        for (text, names) in kinds {
            let title = if names.len() == 1 { "Link" } else { "Links" };
            words.push((format!("{title} {}", names.join(", ")), text.to_owned()));
        }
        if !events.is_empty() {
            let events = events.iter().map(|event| {
                let (at, name) = (event.at, &core.links[event.link as usize].name);
                match event.change {
                    LinkChange::Fail => format!("{name} fails at {at}"),
                    LinkChange::Restore => format!("{name} is restored at {at}"),
                    LinkChange::Delay(delay) => format!("{name} has a delay of {delay} from {at} on"),
                }
            });
            let events = events.collect::<Vec<_>>().join(", ");
            words.push(("Events".to_owned(), format!("{events}; routes change {convergence} later")));
        }
        words
    }
}

fn narrowest<'a>(links: impl Iterator<Item = &'a LinkModel>, duration: Span) -> Rate {
    let bps = links.map(|link| link.rate.mean_bps(duration)).fold(f64::INFINITY, f64::min);
    Rate::from_bps_f64(bps)
}
