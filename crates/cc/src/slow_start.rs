//! Variants of slow start, one file for each.
//!
//! While the window is below ssthresh the frame adds to it the packets acknowledged, or fewer. A variant may end slow start
//! before a loss does; ssthresh is then set to the window.
//!
//! RFC 5681 §3.1 adds at most one segment for each acknowledgement, RFC 3465 §2.3 at most two (`L`). The frame counts by
//! [`AckCounting`](crate::AckCounting): one for each acknowledgement, as in RFC 5681 and ns-2; or one for each *segment*
//! acknowledged without that limit, as in Linux and RFC 9406 §4.2, so that delayed acknowledgements do not slow the
//! growth.

mod hystart;
mod hystart_plus_plus;
mod limited;

pub use hystart::HyStart;
pub use hystart_plus_plus::HyStartPlusPlus;

use crate::{Ack, Path, SlowStartKind};

/// A variant of slow start with its state.
#[derive(Clone, Debug)]
pub enum SlowStart {
    /// Ends at a loss or at ssthresh (RFC 5681 §3.1).
    Standard,
    /// Ends when an ACK train is long or the delay has increased (Ha and Rhee 2011).
    HyStart(HyStart),
    /// As the standard variant, but slower above 100 packets (RFC 3742).
    Limited,
    /// Ends when the delay has been increased for five rounds, in which the window grows more slowly (RFC 9406).
    HyStartPlusPlus(HyStartPlusPlus),
}

impl SlowStart {
    /// The variant `kind` in its initial state; `paced` says whether the host paces the flow.
    pub fn new(kind: SlowStartKind, paced: bool) -> Self {
        match kind {
            SlowStartKind::Standard => Self::Standard,
            SlowStartKind::HyStart => Self::HyStart(HyStart::new(paced)),
            SlowStartKind::Limited => Self::Limited,
            SlowStartKind::HyStartPlusPlus => Self::HyStartPlusPlus(HyStartPlusPlus::new(paced)),
        }
    }

    /// Whether slow start ends now. Called for each acknowledgement in slow start before the window grows; `window` is
    /// in packets.
    pub fn is_over(&mut self, window: f64, ack: &Ack<'_>, path: &Path) -> bool {
        match self {
            Self::Standard | Self::Limited => false,
            Self::HyStart(hystart) => hystart.is_over(window, ack, path),
            Self::HyStartPlusPlus(hystart) => hystart.is_over(ack, path),
        }
    }

    /// The increase of a window of `window` packets in slow start, in packets, for `acked` packets acknowledged.
    pub fn growth(&self, window: f64, acked: f64) -> f64 {
        match self {
            Self::Standard | Self::HyStart(_) => acked,
            Self::Limited => limited::growth(window, acked),
            Self::HyStartPlusPlus(hystart) => hystart.growth(acked),
        }
    }

    /// The name of the phase that slow start is in, for records.
    pub fn phase(&self) -> &'static str {
        match self {
            Self::HyStartPlusPlus(hystart) if hystart.is_conservative() => "conservative-slow-start",
            _ => "slow-start",
        }
    }

    /// The rule by which [`is_over`](Self::is_over) ends slow start, for records.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Standard | Self::Limited => "",
            Self::HyStart(_) => "hystart",
            Self::HyStartPlusPlus(_) => "hystart++",
        }
    }

    /// A new slow start begins after a timeout: resets the state.
    pub fn restart(&mut self) {
        match self {
            Self::Standard | Self::Limited => {}
            Self::HyStart(hystart) => hystart.restart(),
            Self::HyStartPlusPlus(hystart) => hystart.restart(),
        }
    }
}
