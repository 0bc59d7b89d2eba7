// SPDX-License-Identifier: Apache-2.0
//! A graph of named routers: shortest paths through it, and what happens to them when links fail or change.
//!
//! Paths are shortest by propagation delay, then by number of links, then by the order of the links. They are all known
//! before a run starts: the routes of the start, and the routes after each event.

mod generate;
mod shortest;
pub mod tiered;

pub use generate::{Generated, dumbbell, parking_lot, ring, two_routers};

use super::{Core, Edges, Group, Layout, Path, Placement, RoutePoints};
use narrows_model::{ChangeModel, LinkChange};
use narrows_units::Span;
use shortest::State;

/// A network of routers and links, with the events of its links.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Names of the routers, by index.
    pub nodes: Vec<String>,
    /// The links, each in one direction.
    pub core: Core,
    /// Edge routers and their hosts; `None` if no transfers go between edges.
    pub edges: Option<Edges>,
    /// Events of links, ascending by time.
    pub events: Vec<Event>,
    /// Convergence time of routing: from an event until hosts use the routes that follow from it.
    pub convergence: Span,
}

/// An event of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Time of the event, from the start of the run.
    pub at: Span,
    /// Index of the link.
    pub link: u32,
    /// The change of the link.
    pub change: LinkChange,
}

/// The links that packets of a group cross at any time of a run, by index of the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossed {
    /// Whether data packets cross the link.
    pub data: Vec<bool>,
    /// Whether acknowledgements do.
    pub acknowledgements: Vec<bool>,
}

/// A time at which something changes.
#[derive(Debug)]
struct Epoch<'a> {
    at: Span,
    /// Changes of links: index, and change.
    links: Vec<(u32, LinkChange)>,
    /// State by which paths are chosen from then on; `None` if it does not change.
    state: Option<State<'a>>,
}

impl Graph {
    /// Returns the network with the routers and links of `core`, without names, edges and events.
    pub fn of(core: Core) -> Self {
        Self { nodes: Vec::new(), core, edges: None, events: Vec::new(), convergence: Span::ZERO }
    }

    /// Returns the shortest path through the routers `points` at the start of the run; `None` if there is no route in
    /// one of the directions.
    pub fn path(&self, points: &RoutePoints) -> Option<Path> {
        State::new(&self.core).path(points)
    }

    /// Returns the two-way propagation delay of `path` at the start of the run.
    pub fn propagation(&self, path: &Path) -> Span {
        let all = path.forward.iter().chain(&path.reverse);
        all.fold(Span::ZERO, |sum, link| sum + self.core.links[*link as usize].delay)
    }

    /// Returns the index of the router `name`; `None` if there is none.
    pub fn node(&self, name: &str) -> Option<u32> {
        self.nodes.iter().position(|known| known == name).map(|number| number as u32)
    }

    /// Returns the links and routes of the network with the workloads of `groups`, and the changes of links and routes
    /// over time.
    ///
    /// # Panics
    ///
    /// If there is no path between the routers of a group, or if a group is placed between edges and there are none.
    pub fn layout(&self, groups: &[Group]) -> (Layout, Vec<ChangeModel>) {
        let path =
            |points: &RoutePoints| self.path(points).expect("a group's path was found when it was resolved");
        let mut paths: Vec<Vec<Path>> =
            groups.iter().map(|group| group.points().map(path).collect()).collect();
        let mut layout = self.core.clone().attach(groups, &paths);
        let between = self.between_edges(&mut layout, groups);
        let mut changes = Vec::new();
        for Epoch { at, links, state } in self.epochs() {
            let mut routes = Vec::new();
            if let Some(state) = state {
                routes.extend(self.edge_routes(&state, between));
                for (group, paths) in paths.iter_mut().enumerate() {
                    let points = groups[group].placement.points();
                    // Each of several paths stays on its own links, as packets of an interface do.
                    let ([path], Some(points)) = (paths.as_mut_slice(), points) else { continue };
                    // If no path is left, packets go on to the failed link and are lost there.
                    let Some(other) = state.path(points).filter(|other| other != path) else { continue };
                    *path = other;
                    // All workloads of a group are on the same pair of routes, acceptors on the same in exchange.
                    let first = layout.workloads.iter().find(|each| each.group == group);
                    for taken in first.iter().flat_map(|workload| &workload.paths) {
                        routes.push((taken.forward, path.forward.clone()));
                        routes.push((taken.reverse, path.reverse.clone()));
                    }
                }
            }
            if !(links.is_empty() && routes.is_empty()) {
                changes.push(ChangeModel { at, links, routes });
            }
        }
        (layout.arranged(), changes)
    }

    /// Returns the links that the packets of `group` cross, at the start and along the routes of every event.
    ///
    /// # Panics
    ///
    /// If the group is placed between edges and there are none.
    pub fn crossed(&self, group: &Group) -> Crossed {
        let none = vec![false; self.core.links.len()];
        let mut crossed = Crossed { data: none.clone(), acknowledgements: none };
        let later = self.epochs().into_iter().filter_map(|epoch| epoch.state);
        for state in [State::new(&self.core)].into_iter().chain(later) {
            let (there, back) = match &group.placement {
                Placement::Routers(_) => {
                    let paths = group.points().filter_map(|points| state.path(points));
                    paths.fold(Default::default(), |(there, back): (Vec<u32>, Vec<u32>), path| {
                        ([there, path.forward].concat(), [back, path.reverse].concat())
                    })
                }
                Placement::Edges => {
                    let edges =
                        self.edges.as_ref().expect("transfers go between edges only where there are some");
                    let all = between(&state, &edges.routers()).concat();
                    (all.clone(), all)
                }
                Placement::Forward | Placement::Reverse => Default::default(),
            };
            let both = if group.sends_both_ways() { [there.as_slice(), &back].concat() } else { Vec::new() };
            for link in there.iter().chain(&both) {
                crossed.data[*link as usize] = true;
            }
            for link in back.iter().chain(&both) {
                crossed.acknowledgements[*link as usize] = true;
            }
        }
        crossed
    }

    /// Gives the groups whose transfers go between edges their workloads. Returns where the routes between edges begin.
    fn between_edges(&self, layout: &mut Layout, groups: &[Group]) -> Option<u32> {
        let spread = || groups.iter().enumerate().filter(|(_, group)| group.placement == Placement::Edges);
        spread().next()?;
        let edges = self.edges.as_ref().expect("transfers go between edges only where there are some");
        let first = layout.routes.len() as u32;
        layout.routes.extend(self.routes_between(&edges.routers()));
        for (index, group) in spread() {
            edges.populate(layout, index, group, first);
        }
        Some(first)
    }

    /// Routes between edges as they are in `state`; one that is cut keeps to the failed link.
    fn edge_routes(&self, state: &State<'_>, first: Option<u32>) -> Vec<(u32, Vec<u32>)> {
        let (Some(first), Some(edges)) = (first, &self.edges) else { return Vec::new() };
        let all = between(state, &edges.routers()).into_iter().enumerate();
        let open = all.filter(|(_, route)| !route.is_empty());
        open.map(|(number, route)| (first + number as u32, route)).collect()
    }

    /// Returns the shortest routes between each two of `routers` at the start of the run, as indices of links, in
    /// row-major order: from the first router to all, then from the second. Empty from a router to itself and if there
    /// is no route.
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
        // Of paths and links that change at the same time, links change first.
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

impl Placement {
    /// Returns the routers that routes of the group pass; `None` if they are not named.
    pub(super) fn points(&self) -> Option<&RoutePoints> {
        if let Self::Routers(points) = self { Some(points) } else { None }
    }
}

#[cfg(test)]
mod tests;
