// SPDX-License-Identifier: Apache-2.0
//! Groups of connections before they have routes.

use narrows_model::algorithm::Control;
use narrows_model::traffic::{Sizes, Spans};
use narrows_model::{Demand, Program, Surge};
use narrows_transport::TransportOptions;
use narrows_units::Span;
use std::ops::Range;

/// A group of flows with a common name and description, before it has routes.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name of the group in the scenario.
    pub name: String,
    /// Congestion control of the flows.
    pub algorithm: Control,
    /// Whether `compare` may replace its algorithm.
    pub subject: bool,
    /// The programs that carry its flows; `None` if the backend's endpoints do.
    pub program: Option<Program>,
    /// The process that starts its connections.
    pub demand: Demand,
    /// Maximum number of open connections; the number of all connections if they are listed or fixed in number.
    pub slots: u32,
    /// Times of larger transfers, each with the classes of edges whose sources send them; all classes if none is named.
    pub surges: Vec<(Surge, Vec<String>)>,
    /// Payload of a connection; `None` for endless flows and if the demand gives the sizes.
    pub size: Option<Sizes>,
    /// Two-way propagation delay of its connections, at least their path's.
    pub rtt: Spans,
    /// Routers between which the data is sent.
    pub placement: Placement,
    /// Routers of further paths that each connection has, if a stack with several paths carries it.
    pub further: Vec<RoutePoints>,
    /// Options of the transport endpoints.
    pub transport: TransportOptions,
    /// Upper bound of the random send delay of each packet, uniform from zero.
    pub send_delay: Span,
}

/// The routers between which the data of a group is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// From the left of a dumbbell to its right.
    Forward,
    /// From the right of a dumbbell to its left.
    Reverse,
    /// Between two routers of a graph.
    Routers(RoutePoints),
    /// Between the edges of a graph: from each edge to all others.
    Edges,
}

/// The routers through which a path leads, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutePoints {
    /// Router of the sender.
    pub from: u32,
    /// Router of the receiver.
    pub to: u32,
    /// Intermediate routers, in the order in which data passes them; acknowledgements pass them in reverse order.
    pub via: Vec<u32>,
}

/// Returns the range of connection slots of each group, given its number of slots and whether its workload is fixed.
/// Fixed workloads have the first slots; otherwise groups keep their order.
pub fn slots(groups: &[(u64, bool)]) -> Vec<Range<u64>> {
    let mut next = 0;
    let mut all = vec![0..0; groups.len()];
    for fixed in [true, false] {
        for (index, (count, _)) in groups.iter().enumerate().filter(|(_, group)| group.1 == fixed) {
            all[index] = next..next + count;
            next += count;
        }
    }
    all
}

impl Group {
    /// Returns the routers of its paths, the first of which opens a connection; none if they are not named.
    pub fn points(&self) -> impl Iterator<Item = &RoutePoints> {
        self.placement.points().into_iter().chain(&self.further)
    }

    /// Whether either end of its connections may send data.
    pub fn sends_both_ways(&self) -> bool {
        self.program.is_some() || self.demand.side().is_some()
    }

    /// Returns the number of its connections that are recorded individually.
    pub fn individual(&self) -> u64 {
        self.demand.individual(self.slots).unwrap_or(0)
    }
}
