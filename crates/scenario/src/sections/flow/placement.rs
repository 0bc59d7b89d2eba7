// SPDX-License-Identifier: Apache-2.0
//! `direction`, `from`, `to`, `via` and `between`: the route of the data of a group.

use super::super::network::ResolvedNetwork;
use super::super::path::PathKeys;
use super::super::source::PathRate;
use super::super::transport::Scale;
use super::FlowKeys;
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::forms::Choice;
use crate::kind::list;
use crate::value::{Element, words};
use narrows_topology::{Placement, RoutePoints};
use narrows_units::Span;

/// Direction of the data on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectionWord {
    /// From the left to the right.
    Forward,
    /// From the right to the left.
    Reverse,
}

words!(DirectionWord { Forward = "forward", Reverse = "reverse" });

/// The routers between which transfers are sent, if not two named ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// All pairs of edge routers.
    Edges,
}

words!(Between { Edges = "edges" });

/// The path or network of the flows.
#[derive(Clone, Copy)]
pub enum TopologyContext<'a> {
    /// A path.
    Path(&'a PathKeys),
    /// A network.
    Network(Result<&'a ResolvedNetwork, Reported>),
    /// Neither, which is an error that was reported.
    Missing(Reported),
}

impl TopologyContext<'_> {
    /// Returns the rate of the path, of which a source may leave a part to others.
    pub fn path_rate(self) -> PathRate {
        match self {
            Self::Path(path) => match path.rate.get() {
                Ok(Choice::Plain(rate)) => PathRate::Constant(*rate),
                Ok(Choice::Form(_)) => PathRate::Changing,
                Err(reported) => PathRate::Faulty(reported),
            },
            Self::Network(_) => PathRate::Network,
            Self::Missing(reported) => PathRate::Faulty(reported),
        }
    }
}

impl FlowKeys {
    /// Resolves the placement of the group's data, and the routers of further paths of its connections.
    ///
    /// # Errors
    ///
    /// If it has errors, which are added to `faults`.
    pub fn resolve_placement(
        &mut self,
        topology: TopologyContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<(Placement, Vec<RoutePoints>), Reported> {
        let (foreign, hint) = match topology {
            TopologyContext::Network(_) => (
                vec![(&self.direction.at, self.direction.written)],
                "in a network a flow says from which router to which it goes",
            ),
            _ => (
                vec![
                    (&self.from.at, self.from.written),
                    (&self.to.at, self.to.written),
                    (&self.via.at, self.via.written),
                    (&self.paths.at, self.paths.written),
                    (&self.between.at, self.between.written),
                ],
                "routers are those of a [network]; along a path there is direction",
            ),
        };
        let mut fits = Ok(());
        for (at, _) in foreign.into_iter().filter(|(_, written)| *written) {
            let fault = at.fault("does not fit here").allowed("no such key").hint(Some(hint.into()));
            fits = Err(fault.report(faults));
        }
        let mut further = Vec::new();
        let placement = match topology {
            TopologyContext::Network(network) if self.between.written => {
                self.between.get()?;
                self.between_edges(network?, faults)?
            }
            TopologyContext::Network(network) => {
                let mut all = self.all_points(network?, faults)?;
                further = all.split_off(1);
                Placement::Routers(all.remove(0))
            }
            _ => {
                let direction = self.direction.copied()?.unwrap_or(DirectionWord::Forward);
                self.direction.fill(Some(direction));
                match direction {
                    DirectionWord::Forward => Placement::Forward,
                    DirectionWord::Reverse => Placement::Reverse,
                }
            }
        };
        fits.map(|()| (placement, further))
    }

    /// Resolves the routers between which the flows travel, through the routers `via`, which are written at `at`.
    ///
    /// # Errors
    ///
    /// If there is no such router or route, which is added to `faults`.
    pub(super) fn route_points(
        &mut self,
        (at, via): (&At, &[Element<String>]),
        network: &ResolvedNetwork,
        faults: &mut Vec<Fault>,
    ) -> Result<RoutePoints, Reported> {
        let from = end(&self.from, network, faults);
        let to = end(&self.to, network, faults);
        let via: Vec<_> =
            via.iter().map(|name| node(&name.value, || at.fault(NO_ROUTER), network, faults)).collect();
        let via = via.into_iter().collect::<Result<Vec<u32>, Reported>>();
        let points = RoutePoints { from: from?, to: to?, via: via? };
        let stops: Vec<u32> =
            [points.from].into_iter().chain(points.via.iter().copied()).chain([points.to]).collect();
        if stops.windows(2).any(|pair| pair[0] == pair[1]) {
            let at = if points.via.is_empty() { &self.to.at } else { at };
            let fault = at.fault("the same router twice in a row");
            let allowed = "a route that crosses a link from each router to the next";
            return Err(fault.allowed(allowed).report(faults));
        }
        if network.graph.path(&points).is_none() {
            let names: Vec<&str> =
                stops.iter().map(|stop| network.graph.nodes[*stop as usize].as_str()).collect();
            let fault = self.to.fault(format!("there is no route from {} and back", names.join(" to ")));
            return Err(fault.allowed("routers that links join in both directions").report(faults));
        }
        let along = network.link_names_of(&points);
        let before = self.to.comment.take().map(|before| format!("{before}; "));
        self.to.comment = Some(format!("{}along {along}", before.unwrap_or_default()));
        Ok(points)
    }

    /// From each edge to every other.
    fn between_edges(
        &self,
        network: &ResolvedNetwork,
        faults: &mut Vec<Fault>,
    ) -> Result<Placement, Reported> {
        let Some(edges) = &network.graph.edges else {
            let fault = self.between.fault("this network has no edges");
            let allowed = "network.edges, or generator = { kind = \"tiered\", … }";
            return Err(fault.allowed(allowed).report(faults));
        };
        let foreign = [
            (&self.from.at, self.from.written),
            (&self.to.at, self.to.written),
            (&self.via.at, self.via.written),
            (&self.paths.at, self.paths.written),
            (&self.rtt.at, self.rtt.written),
        ];
        if let Some((at, _)) = foreign.into_iter().find(|(_, written)| *written) {
            let fault = at.fault("does not fit beside between");
            return Err(fault.allowed("no such key: every pair has its own").report(faults));
        }
        if !self.rules().is_ok_and(|rules| rules.is_some_and(|rules| rules.spreads)) {
            let fault = self.between.fault("only a process of transfers spreads over edges");
            let allowed = "source = { kind = \"users\", … }, \"poisson\" or \"poisson-steps\"";
            return Err(fault.allowed(allowed).report(faults));
        }
        let routers: Vec<u32> = edges.all.iter().map(|edge| edge.router).collect();
        let between = network.graph.routes_between(&routers);
        let apart = between
            .iter()
            .enumerate()
            .find(|(pair, route)| route.is_empty() && pair / routers.len() != pair % routers.len());
        if let Some((pair, _)) = apart {
            let name = |edge: usize| network.graph.nodes[routers[edge] as usize].as_str();
            let (from, to) = (name(pair / routers.len()), name(pair % routers.len()));
            let fault = self.between.fault(format!("there is no route from {from} to {to}"));
            return Err(fault.allowed("edges that links join in both directions").report(faults));
        }
        Ok(Placement::Edges)
    }
}

/// The router that the key `from` or `to` names.
fn end(
    field: &Field<Option<String>>,
    network: &ResolvedNetwork,
    faults: &mut Vec<Fault>,
) -> Result<u32, Reported> {
    if let Some(name) = field.get()? {
        return node(name, || field.fault(NO_ROUTER), network, faults);
    }
    let fault = field.fault("missing: a flow in a network says its routers");
    Err(fault.allowed(list(network.graph.nodes.iter().map(String::as_str))).report(faults))
}

fn node(
    name: &str,
    fault: impl Fn() -> Fault,
    network: &ResolvedNetwork,
    faults: &mut Vec<Fault>,
) -> Result<u32, Reported> {
    network.graph.node(name).ok_or_else(|| {
        let names = || network.graph.nodes.iter().map(String::as_str);
        let fault = fault().given(format!("\"{name}\"")).allowed(list(names()));
        fault.nearest(name, names()).report(faults)
    })
}

/// Returns the conversion of sizes in packets for flows with this placement; in a network the link with the lowest rate
/// on their route counts.
///
/// # Errors
///
/// If one of the arguments has an error that was reported.
pub fn scale<'a>(
    placement: Option<&Placement>,
    topology: TopologyContext<'_>,
    duration: Result<Span, Reported>,
    scale: Result<Scale<'a>, Reported>,
) -> Result<Scale<'a>, Reported> {
    match (placement, topology) {
        (Some(Placement::Routers(points)), TopologyContext::Network(Ok(network))) => {
            Ok(Scale { mean: network.narrowest_of(points, duration?), ..scale? })
        }
        _ => scale,
    }
}

/// Describes a placement, with further paths of each connection.
pub fn describe(placement: &Placement, further: &[RoutePoints], topology: TopologyContext<'_>) -> String {
    match (placement, topology) {
        (Placement::Routers(points), TopologyContext::Network(Ok(network))) => {
            let name = |node: u32| &network.graph.nodes[node as usize];
            let along = network.link_names_of(points);
            let equal = network.equal_bottlenecks(points);
            let first = match equal.split_first() {
                Some((first, others)) if !others.is_empty() => {
                    format!(
                        ", whose bottleneck is {first}, the first of links of one rate ({})",
                        equal.join(", ")
                    )
                }
                _ => String::new(),
            };
            let others =
                further.iter().map(|points| format!("; and along {}", network.link_names_of(points)));
            let others: String = others.collect();
            format!(", from {} to {} along {along}{first}{others}", name(points.from), name(points.to))
        }
        (Placement::Edges, _) => ", from each edge to every other".to_owned(),
        (Placement::Reverse, _) => ", in the reverse direction".to_owned(),
        _ => String::new(),
    }
}

const NO_ROUTER: &str = "unknown router";
