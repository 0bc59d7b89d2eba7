// SPDX-License-Identifier: Apache-2.0
//! Congestion control: every algorithm as a pure state machine.
//!
//! The host passes events to an algorithm in the order in which they happen, and may read its limits at any time. An
//! algorithm has no clock, socket, thread, global state or random number generator but the ones passed to it, so the same
//! object runs in the simulator, in front of a real network, in a fuzzer and in a replay.
//!
//! * [`CongestionControl`] is the interface; [`fact`] has the events, [`Limits`] the limits on the sender.
//! * [`window`] has the *frame* that all window algorithms share (slow start, recovery, timeout, undo) and one file for
//!   each *rule*, which gives increase and decrease of the window; [`slow_start`] has the variants of slow start.
//! * [`model`] has algorithms that model the path, [`filter`] the filters of samples that algorithms share.
//! * [`explicit`] has algorithms that send requests to the routers of the path.
//! * [`media`] has controllers of live media, whose target is the bit rate of an encoder.
//! * [`rate`] has algorithms that send datagrams at a rate, [`utility`] those that try rates and follow their utility.
//! * [`catalogue`] lists the [`Entry`] of every algorithm: its [card], what it [needs](Needs) of its host, its constructor.
//!   [`Algorithm`] is one of them with its parameters.
//!
//! Windows are in packets. They are real numbers inside an algorithm; [`Limits`] has them rounded down.
//!
//! The structs that a host builds, such as [`Setup`], [`Path`] and [`Ack`], have a constructor with defaults, and a method for
//! each field that replaces it. They may get fields in any release.
//!
//! ```
//! use narrows_cc::units::{Bytes, Rate, Span, Time};
//! use narrows_cc::{Ack, Algorithm, Path, RttView, Setup};
//!
//! let setup = Setup::new(Bytes::new(1200), 1).packet(Bytes::new(1228));
//! let mut cubic = Algorithm::parse("cubic(beta=0.8)")?.build(&setup);
//! let rtt = Span::from_ms(40);
//! let path = Path::new(Time::ZERO + rtt, setup.mss).in_flight(8).round(1).rtt(Some(RttView::new(rtt)));
//! cubic.on_ack(&Ack::new(2).rtt(Some(rtt)), &path);
//! assert_eq!(cubic.limits().window, Some(12));
//! # Ok::<(), narrows_cc::card::Fault>(())
//! ```

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[macro_use]
mod setters;

mod algorithm;
pub mod catalogue;
mod entry;
pub mod explicit;
pub mod fact;
pub mod filter;
pub mod media;
pub mod model;
mod needs;
mod random;
pub mod rate;
mod setup;
pub mod slow_start;
mod style;
pub mod utility;
pub mod window;

pub use algorithm::Algorithm;
pub use entry::Entry;
pub use fact::{Ack, Cause, Fact, Idle, Loss, Path, RateSample, Report, RttView, SentPacket};
pub use needs::{LossHistory, Needs, Reports, Transport};
pub use setup::{
    AckCounting, FirstCut, QuickStartRequest, RestartWindow, SavedPath, Setup, SlowStartKind, UndoRestores,
};
pub use style::{Dash, Hue, Style};

/// Cards and parameters, re-exported so that an algorithm in a crate of its own depends on this crate alone.
pub use narrows_card as card;
/// Times, rates and sizes, re-exported for the same reason.
pub use narrows_units as units;
/// Requests to routers and their feedback, re-exported for the same reason.
pub use narrows_wire as wire;

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::Debug;
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Feedback, Request};

/// A congestion control algorithm for one flow.
///
/// The host owns sequence numbers, loss detection and the order of retransmissions; its recovery policy declares the start
/// and the end of loss episodes. The algorithm owns the congestion window, ssthresh and the pacing rate.
pub trait CongestionControl: Send + Debug {
    /// Returns the window, pacing rate and burst that the host must observe now.
    fn limits(&self) -> Limits;

    /// Returns the congestion window in packets, not rounded; `None` for an algorithm without a window.
    fn window(&self) -> Option<f64>;

    /// Returns the slow-start threshold in packets; `None` for an algorithm without one, infinite while unset.
    fn ssthresh(&self) -> Option<f64>;

    /// Returns the bit rate of payload at which a source of live media is to encode; `None` for what window and pacing rate permit.
    fn target(&self) -> Option<Rate> {
        None
    }

    /// An acknowledgement arrived that acknowledges at least one packet for the first time.
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path);

    /// A report of a datagram receiver arrived; only for algorithms that need [`Reports::LossEvents`].
    fn on_report(&mut self, _report: &Report, _path: &Path) {}

    /// The connection is open; `feedback` is the routers' response to the request in its SYN.
    fn on_answer(&mut self, _feedback: Feedback, _path: &Path) {}

    /// Packets were declared lost, or a congestion mark started an episode.
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path);

    /// The last loss episode, whose start [`Loss::new_episode`] declared, is over.
    fn on_recovered(&mut self, _path: &Path) {}

    /// Whether the window falls over the present loss episode, step by step: a host then makes no reduction of its own from the
    /// window before to that at the start of the episode (RFC 9937).
    fn reduces_gradually(&self) -> bool {
        false
    }

    /// Whether the algorithm uses [`on_sent`](Self::on_sent) or [`request`](Self::request). Constant over its lifetime;
    /// hosts may skip both calls when it is false, since packets that leave then do not change [`limits`](Self::limits).
    fn needs_sent_events(&self) -> bool {
        true
    }

    /// A packet was sent.
    fn on_sent(&mut self, _packet: &SentPacket, _path: &Path) {}

    /// The last loss episode was spurious: no packet had been lost. If the episode is not over yet,
    /// [`on_recovered`](Self::on_recovered) follows.
    fn on_spurious_loss(&mut self, _path: &Path) {}

    /// The host is about to send, and nothing is in flight that it sent before. With [`Idle::timeouts`] the window must
    /// restart (RFC 5681 §4.1); shorter times end here, too, so that an algorithm need not count them as time in which its
    /// window grew.
    fn on_idle(&mut self, _idle: &Idle, _path: &Path) {}

    /// Returns when [`on_timer`](Self::on_timer) is to be called; `None` for not at all. May change with every event.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// The timer of [`next_timer`](Self::next_timer) expired.
    fn on_timer(&mut self, _path: &Path) {}

    /// Returns the request to the routers in the next packet, called once for each packet: for the SYN, then for each
    /// data packet.
    fn request(&mut self, _path: &Path) -> Option<Request> {
        None
    }

    /// Sets the window to `window` packets, and ssthresh too if `ends_slow_start`. Called by an algorithm that contains this
    /// one, such as [Quick-Start](explicit::quick_start). Algorithms that compute their window from a model ignore it.
    fn set_window(&mut self, _window: f64, _ends_slow_start: bool) {}

    /// How the algorithm uses ECN on flows that have it enabled.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Returns the error that stopped the algorithm, if there was one: from then on its limits are meaningless, and the
    /// host must end the run. Only external algorithms can fail.
    fn failure(&self) -> Option<&Failure> {
        None
    }

    /// Returns the name of the state that the algorithm is in, for records; `""` if it has no states. Losses and their
    /// recovery are not states: the host knows them.
    fn state(&self) -> &'static str {
        ""
    }

    /// Returns the rule by which the present state was entered, for records; `""` if the previous state implies it.
    fn state_rule(&self) -> &'static str {
        ""
    }

    /// Calls `record` with name and value of each inner variable that has a value, in the order of the card.
    fn observe(&self, _record: &mut dyn FnMut(&str, f64)) {}

    /// Returns a copy with the same state.
    fn boxed_clone(&self) -> Box<dyn CongestionControl>;
}

/// [`boxed_clone`](CongestionControl::boxed_clone).
impl Clone for Box<dyn CongestionControl> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}

/// The limits that a host must observe when it sends. At least one of `window` and `pacing` is `Some`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of packets in flight, at least 1; `None` for no limit.
    pub window: Option<u64>,
    /// Pacing rate of payload; `None` if the algorithm does not pace.
    pub pacing: Option<Rate>,
    /// Payload that a paced sender may send back to back.
    pub burst: Bytes,
}

/// The first error of an external algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// Simulated time at which it occurred.
    pub at: Time,
    /// Message for the author of the algorithm.
    pub reason: String,
}

impl Failure {
    /// Creates the failure of an algorithm at `at`.
    pub fn new(at: Time, reason: impl Into<String>) -> Self {
        Self { at, reason: reason.into() }
    }
}

impl Limits {
    /// Creates limits, of which `window` or `pacing` is `Some`.
    #[inline]
    pub const fn new(window: Option<u64>, pacing: Option<Rate>, burst: Bytes) -> Self {
        Self { window, pacing, burst }
    }

    /// Whether the window is the only limit on a sender that does not pace by itself.
    #[inline]
    pub const fn is_window_alone(&self) -> bool {
        // Without `..`: whoever adds a limit decides here whether the short path of the sender observes it.
        let Self { window, pacing, burst: _ } = *self;
        window.is_some() && pacing.is_none()
    }

    /// Returns these limits, with a window of one packet added if there is neither a window nor a rate: without a
    /// limit, the sender of an endless transfer would never stop.
    #[must_use]
    pub fn bounded(self) -> Self {
        let endless = self.window.is_none() && self.pacing.is_none();
        Self { window: if endless { Some(1) } else { self.window }, ..self }
    }
}

setters!(Limits { window: Option<u64>, pacing: Option<Rate>, burst: Bytes });

/// The use of ECN by an algorithm on flows that have it enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnUse {
    /// Sends ECT(0); marks start at most one loss episode per round trip (RFC 3168).
    Classic,
    /// Sends ECT(0); [`Ack::ce_packets`] counts the marks (RFC 8257).
    Counted,
    /// Sends ECT(1); [`Ack::ce_packets`] counts the marks (RFC 9331).
    LowLatency,
}
