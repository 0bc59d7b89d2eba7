//! A graph of named routers: shortest ways through it, and what happens to them when links fail or change.
//!
//! Ways are shortest by propagation delay, then by number of links, then by the order of the links. They are all known
//! before a run begins: those of the start, and those that each event leads to.

mod generate;
mod shortest;
pub mod tiered;

pub use generate::{Generated, dumbbell, parking_lot, ring, two_routers};

use super::{Core, Course, Edges, Group, Layout, Way};
use crate::model::{ChangeModel, FlowRoutes, LinkChange};
use narrows_units::Span;
use shortest::State;

/// Routers, links and what happens to them.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Names of the routers, in the order of their numbers.
    pub nodes: Vec<String>,
    /// The links, each in one direction.
    pub core: Core,
    /// Edge routers and the hosts behind them, where transfers go between those.
    pub edges: Option<Edges>,
    /// What happens to links, ascending by time.
    pub events: Vec<Event>,
    /// From an event to the time at which hosts send along other ways for it.
    pub convergence: Span,
}

/// Something that happens to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub at: Span,
    /// Index into the links.
    pub link: u32,
    /// What.
    pub change: LinkChange,
}

/// A time at which something changes.
#[derive(Debug)]
struct Epoch<'a> {
    at: Span,
    /// What happens to links.
    links: Vec<(u32, LinkChange)>,
    /// By what ways are chosen from then on, where that changes.
    state: Option<State<'a>>,
}

/// Between which routers packets travel, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trip {
    /// The sender's router.
    pub from: u32,
    /// The receiver's router.
    pub to: u32,
    /// Routers in between that data passes in this order, and acknowledgements in the opposite one.
    pub via: Vec<u32>,
}

impl Graph {
    /// Links alone, of routers without names.
    pub fn of(core: Core) -> Self {
        Self { nodes: Vec::new(), core, edges: None, events: Vec::new(), convergence: Span::ZERO }
    }

    /// The shortest way of a trip when the run starts; `None` if there is none in one of the directions.
    pub fn way(&self, trip: &Trip) -> Option<Way> {
        State::new(&self.core).way(trip)
    }

    /// Two-way propagation delay of `way` when the run starts.
    pub fn propagation(&self, way: &Way) -> Span {
        let all = way.outward.iter().chain(&way.homeward);
        all.fold(Span::ZERO, |sum, link| sum + self.core.links[*link as usize].delay)
    }

    /// The number of the router with that name.
    pub fn node(&self, name: &str) -> Option<u32> {
        self.nodes.iter().position(|known| known == name).map(|number| number as u32)
    }

    /// Lays out the links and routes of `groups`, all of which travel between routers that a way joins, and what changes
    /// in the course of the run.
    pub fn layout(&self, groups: &[Group]) -> (Layout, Vec<ChangeModel>) {
        let trips: Vec<Option<&Trip>> = groups.iter().map(|group| group.course.trip()).collect();
        let way = |trip: &Trip| self.way(trip).expect("a group's way was found when it was resolved");
        let mut ways: Vec<Option<Way>> = trips.iter().map(|trip| trip.map(way)).collect();
        let mut layout = self.core.clone().attach(groups, &ways);
        let between = self.between_edges(&mut layout, groups);
        let mut changes = Vec::new();
        for Epoch { at, links, state } in self.epochs() {
            let (mut flows, mut routes) = (Vec::new(), Vec::new());
            if let Some(state) = state {
                routes.extend(self.edge_routes(&state, between));
                for (group, way) in ways.iter_mut().enumerate() {
                    let (Some(way), Some(trip)) = (way, trips[group]) else { continue };
                    // Where no way is left, packets go on to the failed link and are lost there.
                    let Some(other) = state.way(trip).filter(|other| other != way) else { continue };
                    *way = other;
                    flows.extend(reroute(&layout, group, way));
                    for population in layout.populations.iter().filter(|each| each.group == group) {
                        for place in &population.ways {
                            routes.push((place.outward, way.outward.clone()));
                            routes.push((place.homeward, way.homeward.clone()));
                        }
                    }
                }
            }
            if !(links.is_empty() && flows.is_empty() && routes.is_empty()) {
                changes.push(ChangeModel { at, links, flows, routes });
            }
        }
        (layout, changes)
    }

    /// Gives the groups whose transfers go between edges their populations. Returns where the routes between edges begin.
    fn between_edges(&self, layout: &mut Layout, groups: &[Group]) -> Option<u32> {
        let spread = || groups.iter().enumerate().filter(|(_, group)| group.course == Course::Edges);
        spread().next()?;
        let edges = self.edges.as_ref().expect("transfers go between edges only where there are some");
        let first = layout.routes.len() as u32;
        layout.routes.extend(edges.routes(self));
        for (index, group) in spread() {
            edges.populate(layout, index, group, first);
        }
        Some(first)
    }

    /// Routes between edges as they are in `state`; one that is cut keeps to the failed link.
    fn edge_routes(&self, state: &State<'_>, first: Option<u32>) -> Vec<(u32, Vec<u32>)> {
        let (Some(first), Some(edges)) = (first, &self.edges) else { return Vec::new() };
        let routers: Vec<u32> = edges.all.iter().map(|edge| edge.router).collect();
        let all = between(state, &routers).into_iter().enumerate();
        let open = all.filter(|(_, route)| !route.is_empty());
        open.map(|(number, route)| (first + number as u32, route)).collect()
    }

    /// Shortest routes between every two of `routers`, row by row; empty from a router to itself and where there is none.
    pub fn routes_between(&self, routers: &[u32]) -> Vec<Vec<u32>> {
        between(&State::new(&self.core), routers)
    }

    /// Each time at which something changes, in order.
    fn epochs(&self) -> Vec<Epoch<'_>> {
        let mut state = State::new(&self.core);
        let mut all: Vec<Epoch<'_>> = Vec::new();
        for together in self.events.chunk_by(|one, next| one.at == next.at) {
            let at = together[0].at;
            for event in together {
                state.change(event.link, event.change);
            }
            let links = together.iter().map(|event| (event.link, event.change)).collect();
            all.push(Epoch { at, links, state: None });
            all.push(Epoch { at: at + self.convergence, links: Vec::new(), state: Some(state.clone()) });
        }
        // Of ways and links that change at the same time, links come first.
        all.sort_by_key(|epoch| (epoch.at, epoch.state.is_some()));
        all
    }
}

fn between(state: &State<'_>, routers: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::with_capacity(routers.len() * routers.len());
    for from in routers {
        let tree = state.tree(*from);
        all.extend(routers.iter().map(|to| tree.route(*to).unwrap_or_default()));
    }
    all
}

/// The routes of every flow of `group` along `way`.
fn reroute(layout: &Layout, group: usize, way: &Way) -> Vec<FlowRoutes> {
    let between = |route: &[u32], links: &[u32]| [&route[..1], links, &route[route.len() - 1..]].concat();
    let flows = layout.flows.iter().enumerate().filter(|(_, flow)| flow.group == group);
    flows
        .map(|(number, flow)| FlowRoutes {
            flow: number as u32,
            outward: between(&flow.outward, &way.outward),
            homeward: between(&flow.homeward, &way.homeward),
        })
        .collect()
}

impl Course {
    fn trip(&self) -> Option<&Trip> {
        match self {
            Self::Routers(trip) => Some(trip),
            Self::Edges => None,
            Self::Forward | Self::Reverse => unreachable!("in a graph a group names its routers"),
        }
    }
}

#[cfg(test)]
mod tests;
