//! Groups of connections before they have routes.

use narrows_model::algorithm::Control;
use narrows_model::traffic::{Arrivals, Sizes, Spans};
use narrows_model::{Demand, Surge};
use narrows_transport::TransportOptions;
use narrows_units::Span;
use std::ops::Range;

/// Connections that share a name and a description.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Its congestion control.
    pub algorithm: Control,
    /// `compare` may put another algorithm in its place.
    pub subject: bool,
    /// What starts its connections.
    pub demand: Demand,
    /// How many connections may be open at once; all of them where they are listed or fixed in number.
    pub slots: u32,
    /// Times of larger transfers, each with the classes of edges whose sources make them; all where none is named.
    pub surges: Vec<(Surge, Vec<String>)>,
    /// Payload of each connection; `None` where it is endless or comes with the demand.
    pub size: Option<Sizes>,
    /// Two-way propagation delay; at least that of its path.
    pub rtt: Spans,
    /// Where its data goes.
    pub placement: Placement,
    /// How the endpoints behave.
    pub transport: TransportOptions,
    /// Upper bound of the random delay before each packet.
    pub send_delay: Span,
}

/// Where the data of a group goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// From the left of a dumbbell to its right.
    Forward,
    /// From the right of a dumbbell to its left.
    Reverse,
    /// Between two routers of a graph.
    Routers(RoutePoints),
    /// Between the edges of a graph, from each to every other.
    Edges,
}

/// The routers that a route passes, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutePoints {
    /// The sender's router.
    pub from: u32,
    /// The receiver's router.
    pub to: u32,
    /// Routers in between that data passes in this order, and acknowledgements in the opposite one.
    pub via: Vec<u32>,
}

/// The connection slots of groups, of which each is given by its number of slots and whether it is fixed: fixed workloads
/// have the first, in the order of their groups.
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
    /// Every connection can have a slot of its own, and records of its own: they are fixed in number, or they are listed,
    /// few, and never refused.
    pub(super) fn is_individual(&self) -> bool {
        match &self.demand {
            Demand::Fixed { .. } => true,
            Demand::Open(Arrivals::Trace(records)) => {
                records.len() <= MOST_INDIVIDUAL.min(self.slots as usize)
            }
            Demand::Open(_) | Demand::Users { .. } | Demand::Exchanges { .. } => false,
        }
    }

    /// How many of its connections are recorded one by one.
    pub fn individual(&self) -> u64 {
        match &self.demand {
            Demand::Open(Arrivals::Trace(records)) if self.is_individual() => records.len() as u64,
            Demand::Fixed { .. } => self.slots.into(),
            _ => 0,
        }
    }
}

/// Up to so many listed connections of a group are recorded one by one.
const MOST_INDIVIDUAL: usize = 1000;
