//! What is said of flows that are alike, before they have places in a network.

use crate::algorithm::Control;
use crate::model::Start;
use crate::traffic::{Sizes, Spans};
use narrows_transport::TransportOptions;
use narrows_units::Span;

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
    /// When they start.
    pub start: Start,
    /// Payload of each; `None` is endless.
    pub size: Option<Sizes>,
    /// Two-way propagation delay; at least that of its way.
    pub rtt: Spans,
    /// Data goes from the right to the left.
    pub reverse: bool,
    /// The endpoints.
    pub transport: TransportOptions,
    /// Upper bound of the random delay before each packet.
    pub send_delay: Span,
}
