//! `[network]`: routers and links as written, from a generator or from a file, and what happens to them.

mod edges;
mod events;
mod file;
mod links;
mod tiered;

use super::super::diagnostic::{Fault, nearest};
use super::super::table::{Checked, Table};
use super::super::walk::list;
use super::classes::Groups;
use super::path::packet;
use super::{Surroundings, rate};
use crate::model::LinkModel;
use crate::network::graph::{Graph, Trip};
use crate::network::{Core, Course, Edge};
use narrows_units::{Bytes, Rate, Span};
use std::path::PathBuf;

/// A network with nothing left to choose.
#[derive(Clone, Debug)]
pub(in super::super) struct Network {
    pub graph: Graph,
    /// What 1bdp of a buffer counts.
    pub rtt: Span,
    pub packet: Bytes,
    /// Where the links come from and what was assumed of them.
    pub note: Option<String>,
    /// The file of each link's recorded rate.
    pub traces: Vec<Option<PathBuf>>,
    /// The GraphML file, with its digest.
    pub file: Option<(PathBuf, String)>,
}

/// What the links depend on.
struct Context<'a> {
    duration: Option<Span>,
    around: &'a Surroundings<'a>,
    groups: Option<&'a Groups>,
    rtt: Option<Span>,
    packet: Option<Bytes>,
}

/// Links while they are being put together.
#[derive(Debug, Default)]
struct Draft {
    nodes: Vec<String>,
    links: Vec<LinkModel>,
    traces: Vec<Option<PathBuf>>,
    /// The other direction of each link.
    twins: Vec<Option<u32>>,
    /// The greatest rate that any of them ever has.
    greatest_bps: f64,
    note: Option<String>,
    file: Option<(PathBuf, String)>,
    edges: Vec<Edge>,
}

/// Resolves `[network]`; `None` if a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    duration: Option<Span>,
    around: &Surroundings<'_>,
    groups: Option<&Groups>,
    faults: &mut Vec<Fault>,
) -> Option<Network> {
    let packet = packet(table, faults);
    let rtt = table.given("rtt", Checked::span);
    let context = Context { duration, around, groups, rtt, packet };
    let written: Vec<&str> = SOURCES.iter().copied().filter(|key| table.has(key)).collect();
    let [source] = written[..] else {
        let key = written.last().copied().unwrap_or(SOURCES[0]);
        let message = format!("{} sources of links", if written.is_empty() { "no" } else { "several" });
        let fault = Fault::new(table.place_of(key), table.path_of(key), message);
        faults.push(fault.allowed(format!("exactly one of {}", list(SOURCES.iter().copied()))));
        return None;
    };
    let draft = match (source, table.value(source)?) {
        ("links", value) => links::written(value.tables(), &context, faults),
        ("generator", value) => match value.variant() {
            ("tiered", form) => tiered::generated(form, &context, faults),
            (kind, form) => links::generated(kind, form, &context, faults),
        },
        (_, value) => file::read(value.table(), &context, faults),
    }?;
    let events = events::resolve(table, &draft, duration, faults);
    let access_rate = table.read("access_rate", None, |value| Some(value.rate()))?;
    let access_rate = access_rate.unwrap_or(Rate::from_bps_f64(draft.greatest_bps * 10.0));
    let edges = edges::resolve(table, &draft, access_rate, faults)?;
    let note = table.read("note", draft.note, |value| Some(value.text()))?;
    Some(Network {
        rtt: rtt?,
        packet: packet?,
        note,
        traces: draft.traces,
        file: draft.file,
        graph: Graph {
            core: Core { nodes: draft.nodes.len() as u32, links: draft.links, access_rate },
            nodes: draft.nodes,
            edges,
            events: events?,
            convergence: table.read("convergence", Span::ZERO, Checked::span)?,
        },
    })
}

impl Draft {
    /// The number of the router with that name, which is new or known.
    fn node(&mut self, name: &str) -> u32 {
        let found = self.nodes.iter().position(|known| known == name);
        found.unwrap_or_else(|| {
            self.nodes.push(name.to_owned());
            self.nodes.len() - 1
        }) as u32
    }

    /// Adds one direction of a link.
    fn push(&mut self, link: LinkModel, source: &rate::Source) {
        self.greatest_bps = self.greatest_bps.max(source.greatest_bps());
        self.links.push(link);
        self.traces.push(source.file.clone());
        self.twins.push(None);
    }

    /// The last two links are the two directions of one.
    fn pair(&mut self) {
        let last = self.links.len() as u32 - 1;
        self.twins[last as usize] = Some(last - 1);
        self.twins[last as usize - 1] = Some(last);
    }
}

impl Network {
    /// The routers between which the flows of `table` travel; `None` if a fault stands in the way.
    pub fn trip(&self, table: &Table, faults: &mut Vec<Fault>) -> Option<Trip> {
        let mut node = |key: &str, name: &str| {
            let found = self.graph.node(name);
            if found.is_none() {
                let names = || self.graph.nodes.iter().map(String::as_str);
                let fault = Fault::new(table.place_of(key), table.path_of(key), "no such router");
                let fault = fault.given(format!("\"{name}\"")).allowed(list(names()));
                faults.push(fault.nearest(nearest(name, names())));
            }
            found
        };
        let from = table.given("from", Checked::text).and_then(|name| node("from", &name));
        let to = table.given("to", Checked::text).and_then(|name| node("to", &name));
        let via: Option<Vec<u32>> = table
            .read("via", Vec::new(), |value| {
                value.list().iter().map(|item| item.value.as_ref().map(Checked::text)).collect()
            })?
            .into_iter()
            .map(|name| name.and_then(|name| node("via", &name)))
            .collect();
        for key in ["from", "to"].into_iter().filter(|key| !table.has(key)) {
            let fault =
                Fault::new(&table.place, table.path_of(key), "missing: a flow in a network says its routers");
            faults.push(fault.allowed(list(self.graph.nodes.iter().map(String::as_str))));
        }
        let trip = Trip { from: from?, to: to?, via: via? };
        let stops: Vec<u32> =
            [trip.from].into_iter().chain(trip.via.iter().copied()).chain([trip.to]).collect();
        if stops.windows(2).any(|leg| leg[0] == leg[1]) {
            let key = if trip.via.is_empty() { "to" } else { "via" };
            let fault = Fault::new(table.place_of(key), table.path_of(key), "the same router twice in a row");
            faults.push(fault.allowed("a way that crosses a link from each router to the next"));
            return None;
        }
        if self.graph.way(&trip).is_none() {
            let names: Vec<&str> =
                stops.iter().map(|stop| self.graph.nodes[*stop as usize].as_str()).collect();
            let message = format!("there is no way from {} and back", names.join(" to "));
            let fault = Fault::new(table.place_of("to"), table.path_of("to"), message);
            faults.push(fault.allowed("routers that links join in both directions"));
            return None;
        }
        Some(trip)
    }

    /// The lowest mean rate of any link in a run of `duration`.
    pub fn narrowest(&self, duration: Span) -> Rate {
        narrowest(self.graph.core.links.iter(), duration)
    }

    /// Two-way propagation delay of the way of `trip` when the run starts.
    pub fn propagation(&self, trip: &Trip) -> Span {
        self.graph.propagation(&self.graph.way(trip).expect("a resolved trip has a way"))
    }

    /// The lowest mean rate on the way of `trip`.
    pub fn narrowest_of(&self, trip: &Trip, duration: Span) -> Rate {
        let way = self.graph.way(trip).expect("a resolved trip has a way");
        narrowest(way.outward.iter().map(|link| &self.graph.core.links[*link as usize]), duration)
    }

    /// The names of all links, first of that which is the bottleneck of the first group.
    pub(super) fn names_of_links(&self, groups: &[super::flows::Resolved]) -> Vec<String> {
        let mut names: Vec<String> = self.graph.core.links.iter().map(|link| link.name.clone()).collect();
        if let Some(Course::Routers(trip)) = groups.first().map(|group| &group.group.course)
            && let Some(way) = self.graph.way(trip)
        {
            let first = self.graph.core.narrowest(&way.outward);
            names[..=first].rotate_right(1);
        }
        names
    }

    /// The names of the links that data crosses when the run starts.
    pub fn links_of(&self, trip: &Trip) -> Vec<&str> {
        let way = self.graph.way(trip).expect("a resolved trip has a way");
        way.outward.iter().map(|link| self.graph.core.links[*link as usize].name.as_str()).collect()
    }
}

fn narrowest<'a>(links: impl Iterator<Item = &'a LinkModel>, duration: Span) -> Rate {
    let bps = links.map(|link| link.rate.mean_bps(duration)).fold(f64::INFINITY, f64::min);
    Rate::from_bps_f64(bps)
}

/// Keys of which each may give all the links.
const SOURCES: [&str; 3] = ["links", "generator", "graph"];
