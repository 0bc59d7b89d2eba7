//! How a flow sets up the algorithm that controls it.

use narrows_units::{Bytes, Rate};

/// What an algorithm is built with besides its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Payload of a full segment, bytes.
    pub mss: Bytes,
    /// A full segment on the wire, headers included, bytes: what routers count.
    pub packet: Bytes,
    /// Congestion window before the first acknowledgement, packets.
    pub initial_window: f64,
    /// Slow-start threshold before the first loss, packets; infinite where unset.
    pub initial_ssthresh: f64,
    /// How deep the first reduction is, and any reduction in slow start.
    pub first_cut: FirstCut,
    /// How the flow starts.
    pub slow_start: SlowStartKind,
    /// The Quick-Start request (RFC 4782); `None` where the flow makes none.
    pub quick_start: Option<QuickStartRequest>,
    /// The host spreads packets over a round trip where the algorithm gives no rate of its own.
    pub paced: bool,
    /// Seed of the algorithm's random numbers.
    pub seed: u64,
}

/// How deep the first reduction of a connection is, and any that ends a slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstCut {
    /// The algorithm's own decrease.
    #[default]
    Rule,
    /// To half the window whatever the algorithm, as ns-2 does.
    Half,
}

/// How a flow starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowStartKind {
    /// One packet more for each acknowledged, up to ssthresh (RFC 5681 §3.1).
    #[default]
    Standard,
    /// HyStart as in Linux's CUBIC (Ha and Rhee 2011).
    HyStart,
    /// As the standard one up to 100 packets, then at most 50 packets a round trip (RFC 3742).
    Limited,
    /// HyStart++ (RFC 9406).
    HyStartPlusPlus,
}

/// A Quick-Start request (RFC 4782).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickStartRequest {
    /// The requested rate, bits per second on the wire.
    pub rate: Rate,
    /// An approved request ends slow start.
    pub ends_slow_start: bool,
}
