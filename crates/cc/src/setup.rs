// SPDX-License-Identifier: Apache-2.0
//! How a flow sets up the algorithm that controls it.

#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Rate, Span};

/// The properties of a flow with which an algorithm is built, besides its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setup {
    /// Payload of a full segment.
    pub mss: Bytes,
    /// Size of a full segment on the wire, headers included, which is what routers count.
    pub packet: Bytes,
    /// Congestion window before the first acknowledgement, packets.
    pub initial_window: f64,
    /// Slow-start threshold before the first loss, packets; infinite if unset.
    pub initial_ssthresh: f64,
    /// Size of the first reduction and of any reduction in slow start.
    pub first_cut: FirstCut,
    /// Whether a mark reduces the window by less than a loss (ABE, RFC 8511), for an algorithm with a factor for it
    /// ([`Needs::abe_factor`](crate::Needs::abe_factor)).
    pub abe: bool,
    /// The window after an idle time.
    pub restart_window: RestartWindow,
    /// The state that the undo of a spurious episode restores.
    pub undo_restores: UndoRestores,
    /// The variant of slow start.
    pub slow_start: SlowStartKind,
    /// Number of packets that an acknowledgement of several packets counts as when the window grows.
    pub ack_counting: AckCounting,
    /// The Quick-Start request (RFC 4782); `None` if the flow makes none.
    pub quick_start: Option<QuickStartRequest>,
    /// What an earlier connection over the same path has left (RFC 9959); `None` without Careful Resume.
    pub saved_path: Option<SavedPath>,
    /// Whether the host paces packets over a round trip if the algorithm sets no pacing rate.
    pub paced: bool,
    /// Seed of the algorithm's random numbers.
    pub seed: u64,
}

impl Setup {
    /// Creates the setup of a flow with segments of `mss`, behind 40 bytes of headers (TCP and IPv4 without options): an initial
    /// window of 10 packets (RFC 6928), standard slow start without a threshold, and nothing else that must be asked for.
    pub const fn new(mss: Bytes, seed: u64) -> Self {
        Self {
            mss,
            packet: Bytes::new(mss.count() + 40),
            initial_window: 10.0,
            initial_ssthresh: f64::INFINITY,
            first_cut: FirstCut::Rule,
            abe: false,
            restart_window: RestartWindow::Initial,
            undo_restores: UndoRestores::State,
            slow_start: SlowStartKind::Standard,
            ack_counting: AckCounting::Segments,
            quick_start: None,
            saved_path: None,
            paced: false,
            seed,
        }
    }
}

setters!(Setup {
    mss: Bytes,
    packet: Bytes,
    initial_window: f64,
    initial_ssthresh: f64,
    first_cut: FirstCut,
    abe: bool,
    restart_window: RestartWindow,
    undo_restores: UndoRestores,
    slow_start: SlowStartKind,
    ack_counting: AckCounting,
    quick_start: Option<QuickStartRequest>,
    saved_path: Option<SavedPath>,
    paced: bool,
    seed: u64,
});

/// The size of the first reduction of a connection and of any reduction in slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstCut {
    /// The reduction of the algorithm's own rule.
    #[default]
    Rule,
    /// Half of the window, whatever the algorithm, as in ns-2.
    Half,
}

/// The window of a sender that was idle for a retransmission timeout or longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestartWindow {
    /// At most the initial window (RFC 5681 §4.1).
    #[default]
    Initial,
    /// Half for each timeout, but not below the initial window, and ssthresh at least three quarters of the window before
    /// (RFC 2861 §3; Linux).
    Halved,
}

impl RestartWindow {
    /// Returns window and ssthresh after `timeouts` retransmission timeouts without sending, at least one; all in packets.
    #[must_use]
    pub fn after(self, window: f64, ssthresh: f64, initial_window: f64, timeouts: u64) -> (f64, f64) {
        let restart = window.min(initial_window).max(1.0);
        match self {
            Self::Initial => (restart, ssthresh),
            Self::Halved => {
                let kept = (window / 2.0).floor() + (window / 4.0).floor();
                let mut halved = window;
                for _ in 0..timeouts {
                    if halved <= restart {
                        break;
                    }
                    halved = (halved / 2.0).floor();
                }
                (halved.max(restart), ssthresh.max(kept))
            }
        }
    }
}

/// The state that the undo of a spurious loss episode restores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UndoRestores {
    /// All state that the episode changed, as if the episode had not happened (RFC 9438 §4.9).
    #[default]
    State,
    /// Window and ssthresh alone, as in Linux (`tcp_undo_cwnd_reduction`, `tcp_reno_undo_cwnd`): the algorithm keeps its state of
    /// the loss, unless its module has an undo of its own.
    Window,
}

/// The number of packets that an acknowledgement of several packets counts as when the window grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AckCounting {
    /// For as many packets as it newly acknowledges (RFC 3465 without its limit `L` in slow start).
    #[default]
    Segments,
    /// As `Segments`, but for one while the losses of a timeout are repaired: what it covers may have arrived before the
    /// timeout (RFC 3465 §2.3, RFC 5681 §3.1).
    Mixed,
    /// For one packet (RFC 5681 §3.1 in slow start, equation 3 in congestion avoidance).
    Acks,
}

impl AckCounting {
    /// Returns the packets that an acknowledgement of `acked` packets counts for; `repairing`: while the losses of a
    /// timeout are repaired.
    pub fn counted(self, acked: f64, repairing: bool) -> f64 {
        match self {
            Self::Segments => acked,
            Self::Mixed if !repairing => acked,
            Self::Mixed | Self::Acks => acked.min(1.0),
        }
    }
}

/// A variant of slow start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlowStartKind {
    /// The window grows by one packet per packet acknowledged, up to ssthresh (RFC 5681 §3.1).
    #[default]
    Standard,
    /// HyStart as in Linux's CUBIC (Ha and Rhee 2011).
    HyStart,
    /// As the standard variant up to 100 packets, then by at most 50 packets per round trip (RFC 3742).
    Limited,
    /// HyStart++ (RFC 9406).
    HyStartPlusPlus,
    /// SEARCH (draft-chung-ccwg-search).
    Search,
    /// Rapid Start (draft-kazuho-ccwg-rapid-start).
    Rapid,
}

/// A Quick-Start request (RFC 4782).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuickStartRequest {
    /// The requested rate on the wire, headers included.
    pub rate: Rate,
    /// Whether an approved request ends slow start.
    pub ends_slow_start: bool,
}

impl QuickStartRequest {
    /// Creates a request for `rate`.
    pub const fn new(rate: Rate, ends_slow_start: bool) -> Self {
        Self { rate, ends_slow_start }
    }
}

/// What Careful Resume saves of a connection (RFC 9959 §3.1).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SavedPath {
    /// `saved_cwnd`, packets.
    pub window: f64,
    /// `saved_rtt`; `None` for a path that is known to be the same.
    pub rtt: Option<Span>,
}

impl SavedPath {
    /// Creates what a connection with this window, in packets, and round-trip time has left.
    pub const fn new(window: f64, rtt: Option<Span>) -> Self {
        Self { window, rtt }
    }
}
