//! How the endpoints of a flow behave, apart from congestion control.

use narrows_cc::catalogue::{FirstCut, Setup, SlowStartKind};
use narrows_cc::explicit::quick_start::StartUp;
use narrows_units::{Bytes, Span};

/// Everything about a flow's endpoints that a scenario may set.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the scenario file")]
pub struct TransportOptions {
    /// What counts as a loss and which segment goes next.
    pub recovery: RecoveryKind,
    /// The usable window falls over one round trip after a cut, not at once (RFC 6937).
    pub proportional_rate_reduction: bool,
    /// A new segment may leave on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// Window before the first acknowledgement, packets.
    pub initial_window: u64,
    /// Slow-start threshold before the first loss, packets; `None` is infinite.
    pub initial_ssthresh: Option<u64>,
    /// How the flow starts.
    pub slow_start: SlowStartKind,
    /// The start-up rate that the first data asks the routers for (RFC 4782).
    pub quick_start: Option<StartUp>,
    /// How deep the first cut is.
    pub first_cut: FirstCut,
    /// Packets the receiver can hold; `None` is infinite.
    pub receive_window: Option<u64>,
    /// By what signs a false episode is known and taken back.
    pub undo: UndoKind,
    /// After silence of a retransmission timeout the window is at most the initial one (RFC 5681 §4.1).
    pub idle_restart: bool,
    /// Packets leave evenly over a round trip even if the algorithm sets no rate.
    pub pacing: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// Payload of a full segment.
    pub mss: Bytes,
    /// Bytes of header on each data packet.
    pub header: Bytes,
    /// Size of an acknowledgement, and of SYN and SYN-ACK.
    pub ack: Bytes,
    /// Segments per acknowledgement; 1 acknowledges each.
    pub delayed_ack: u32,
    /// The longest an acknowledgement is held back.
    pub delayed_ack_timeout: Span,
    /// Acknowledge every segment while the connection is young, as Linux does.
    pub quick_ack: bool,
    /// How the retransmission timeout is computed.
    pub rto: RtoRule,
    /// Timeout before the first sample.
    pub initial_rto: Span,
    /// Shortest timeout.
    pub min_rto: Span,
    /// Longest timeout.
    pub max_rto: Span,
    /// SYNs sent again before the flow gives up.
    pub syn_retries: u32,
    /// Timeouts in a row before the flow gives up.
    pub retries: u32,
}

impl TransportOptions {
    /// What the flow's congestion control is built with; `seed` is for algorithms that draw random numbers.
    pub fn setup(&self, seed: u64) -> Setup {
        Setup {
            mss: self.mss,
            packet: self.mss + self.header,
            initial_window: self.initial_window as f64,
            initial_ssthresh: self.initial_ssthresh.map_or(f64::INFINITY, |packets| packets as f64),
            first_cut: self.first_cut,
            slow_start: self.slow_start,
            quick_start: self.quick_start,
            paced: self.pacing,
            seed,
        }
    }
}

/// Which recovery policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryKind {
    /// Duplicate ACKs; recovery ends at the first ACK that advances (RFC 5681 §3.2).
    Reno,
    /// Duplicate ACKs; recovery ends when all that was out at its start is acknowledged (RFC 6582).
    NewReno,
    /// Selective acknowledgements and `pipe` (RFC 6675).
    Sack,
    /// Selective acknowledgements and time (RFC 8985).
    Rack,
}

/// By what signs a false episode is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoKind {
    /// None: every cut stands.
    None,
    /// Receivers with selective acknowledgements report duplicates (RFC 2883, RFC 3708).
    Duplicates,
    /// That, and time stamps (RFC 3522), under every recovery policy.
    DuplicatesAndTimestamps,
}

/// How the retransmission timeout is computed from SRTT and RTTVAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoRule {
    /// `max(min_rto, SRTT + 4 RTTVAR)` (RFC 6298 §2).
    Rfc6298,
    /// `SRTT + max(min_rto, 4 RTTVAR)`, as Linux.
    Linux,
}
