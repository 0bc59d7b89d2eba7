//! What is said of flows that are alike, before they have places in a network.

use super::Course;
use crate::algorithm::Control;
use crate::model::{Demand, SourceModel, Start, Surge};
use crate::traffic::{Sizes, Spans};
use narrows_transport::TransportOptions;
use narrows_units::Span;
use std::ops::Range;
use std::path::PathBuf;

/// Equal flows.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name of the group.
    pub name: String,
    /// Its congestion control.
    pub algorithm: Control,
    /// `compare` may put another algorithm in its place.
    pub subject: bool,
    /// How many flows.
    pub count: u64,
    /// Transfers come and go, instead of `count` flows that are there from their start.
    pub transfers: Option<Transfers>,
    /// When they start.
    pub start: Start,
    /// What makes their data.
    pub source: SourceModel,
    /// Payload of each; `None` is endless.
    pub size: Option<Sizes>,
    /// Two-way propagation delay; at least that of its way.
    pub rtt: Spans,
    /// Where its data goes.
    pub course: Course,
    /// The endpoints.
    pub transport: TransportOptions,
    /// Upper bound of the random delay before each packet.
    pub send_delay: Span,
}

/// The seats of groups, of which each is given by its number of seats and whether its transfers come and go: the flows
/// that stay have the first, in the order of their groups.
pub fn seats(groups: &[(u64, bool)]) -> Vec<Range<u64>> {
    let mut next = 0;
    let mut all = vec![0..0; groups.len()];
    for coming in [false, true] {
        for (index, (count, _)) in groups.iter().enumerate().filter(|(_, group)| group.1 == coming) {
            all[index] = next..next + count;
            next += count;
        }
    }
    all
}

impl Group {
    /// How many seats it has, and whether its transfers come and go.
    pub fn seats(&self) -> (u64, bool) {
        self.transfers.as_ref().map_or((self.count, false), |transfers| {
            let sides = if matches!(transfers.demand, Demand::Exchanges { .. }) { 2 } else { 1 };
            (u64::from(transfers.seats) * sides, true)
        })
    }
}

/// Transfers that come and go.
#[derive(Clone, Debug)]
pub struct Transfers {
    /// What begins one.
    pub demand: Demand,
    /// How many may be under way at once; of connections over which both sides write, how many there are.
    pub seats: u32,
    /// Times of greater ones, each with the classes of edges whose sources make them; all where none is named.
    pub surges: Vec<(Surge, Vec<String>)>,
    /// Where recorded arrivals were read from, and the SHA-256 of that file, hexadecimal.
    pub file: Option<(PathBuf, String)>,
    /// The share of the connections in that file that are made again; 1 for everything else.
    pub share: f64,
}

impl Transfers {
    /// Whether connections keep the round trips that were recorded of them.
    pub fn has_recorded_round_trips(&self) -> bool {
        matches!(&self.demand, Demand::Exchanges { connections, .. } if connections.iter().any(|each| each.rtt.is_some()))
    }
}
