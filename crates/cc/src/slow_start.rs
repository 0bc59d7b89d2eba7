// SPDX-License-Identifier: Apache-2.0
//! Variants of slow start, one file for each.
//!
//! While the window is below ssthresh the frame adds to it the packets acknowledged, or fewer. A variant may end slow start
//! before a loss does; ssthresh is then set to the window.
//!
//! RFC 5681 §3.1 adds at most one segment for each acknowledgement, RFC 3465 §2.3 at most two (`L`). The frame counts by
//! [`AckCounting`](crate::AckCounting): one for each acknowledgement, as in RFC 5681 and ns-2; or one for each *segment*
//! acknowledged without that limit, as in Linux and RFC 9406 §4.2, so that delayed acknowledgements do not slow the
//! growth.

mod careful_resume;
mod hosted;
mod hystart;
mod hystart_plus_plus;
mod limited;
pub(crate) mod rapid;
mod search;

use alloc::boxed::Box;
pub use careful_resume::CarefulResume;
pub use hosted::{Counted, Hosted};
pub use hystart::HyStart;
pub use hystart_plus_plus::HyStartPlusPlus;
pub use rapid::Rapid;
pub use search::Search;

use crate::{Ack, Path, SlowStartKind};
use narrows_units::{Bytes, Rate};

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
    /// Ends when less is delivered than was sent a round trip before (draft-chung-ccwg-search).
    Search(Box<Search>),
    /// Faster than the standard variant while no queue builds up (draft-kazuho-ccwg-rapid-start).
    Rapid(Box<Rapid>),
}

impl SlowStart {
    /// Creates the variant `kind` in its initial state; `paced` says whether the host paces the flow.
    pub fn new(kind: SlowStartKind, paced: bool) -> Self {
        match kind {
            SlowStartKind::Standard => Self::Standard,
            SlowStartKind::HyStart => Self::HyStart(HyStart::new(paced)),
            SlowStartKind::Limited => Self::Limited,
            SlowStartKind::HyStartPlusPlus => Self::HyStartPlusPlus(HyStartPlusPlus::new(paced)),
            SlowStartKind::Search => Self::Search(Box::default()),
            SlowStartKind::Rapid => Self::Rapid(Box::default()),
        }
    }

    /// Whether slow start ends now. Called for each acknowledgement in slow start before the window grows; `window` and
    /// `ssthresh` are in packets.
    pub fn is_over(&mut self, window: f64, ssthresh: f64, ack: &Ack<'_>, path: &Path) -> bool {
        match self {
            Self::HyStart(hystart) => hystart.is_over(window, ack, path),
            Self::HyStartPlusPlus(hystart) if is_initial(ssthresh) => hystart.is_over(ack, path),
            Self::Search(search) if is_initial(ssthresh) => search.is_over(ack, path),
            Self::Rapid(rapid) if is_initial(ssthresh) => {
                rapid.on_ack(ack, path);
                false
            }
            Self::Standard | Self::Limited | Self::HyStartPlusPlus(_) | Self::Search(_) | Self::Rapid(_) => {
                false
            }
        }
    }

    /// Returns the increase of a window of `window` packets in slow start to `ssthresh`, packets, for `acked` packets
    /// acknowledged.
    pub fn growth(&self, window: f64, ssthresh: f64, acked: f64) -> f64 {
        match self {
            Self::Limited => limited::growth(window, acked),
            Self::HyStartPlusPlus(hystart) if is_initial(ssthresh) => hystart.growth(acked),
            Self::Rapid(rapid) if is_initial(ssthresh) => rapid.growth(acked),
            Self::Standard
            | Self::HyStart(_)
            | Self::HyStartPlusPlus(_)
            | Self::Search(_)
            | Self::Rapid(_) => acked,
        }
    }

    /// Returns the pacing rate of payload in slow start to `ssthresh`, of a window of `window` packets with a payload of `mss` each;
    /// `None` for the rate of the host.
    pub fn pacing(&self, window: f64, ssthresh: f64, mss: Bytes) -> Option<Rate> {
        match self {
            Self::Rapid(rapid) if is_initial(ssthresh) => rapid.pacing(window, mss),
            _ => None,
        }
    }

    /// Whether the first recovery follows in which the variant determines the window.
    pub(crate) fn is_rapid(&self, ssthresh: f64) -> bool {
        matches!(self, Self::Rapid(_)) && is_initial(ssthresh)
    }

    /// Returns the name of the phase that slow start is in, for records.
    pub fn phase(&self, ssthresh: f64) -> &'static str {
        match self {
            Self::HyStartPlusPlus(hystart) if is_initial(ssthresh) && hystart.is_conservative() => {
                "conservative-slow-start"
            }
            _ => "slow-start",
        }
    }

    /// Returns the rule by which [`is_over`](Self::is_over) ends slow start, for records.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Standard | Self::Limited | Self::Rapid(_) => "",
            Self::HyStart(_) => "hystart",
            Self::HyStartPlusPlus(_) => "hystart++",
            Self::Search(_) => "search",
        }
    }

    /// A new slow start begins after a timeout.
    pub fn on_timeout(&mut self) {
        if let Self::HyStart(hystart) = self {
            hystart.restart();
        }
    }

    /// A new slow start begins after an idle time.
    pub fn on_idle(&mut self) {
        match self {
            Self::HyStartPlusPlus(hystart) => hystart.restart(),
            Self::Search(search) => search.restart(),
            Self::Rapid(rapid) => rapid.restart(),
            Self::Standard | Self::HyStart(_) | Self::Limited => {}
        }
    }
}

/// Returns the window after `growth` packets of slow start from `window` towards `ssthresh`, and how many of the `acked`
/// packets acknowledged are left for congestion avoidance; `None` in slow start, and where none are left.
pub(crate) fn step(window: f64, ssthresh: f64, growth: f64, acked: f64) -> (f64, Option<f64>) {
    let room = ssthresh - window;
    if growth < room {
        (window + growth, None)
    } else if growth > room {
        (ssthresh, Some(acked - room * (acked / growth)))
    } else {
        (ssthresh, None)
    }
}

/// Whether a slow start is the first of its connection, in which ssthresh is not known (RFC 9406 §4.3).
fn is_initial(ssthresh: f64) -> bool {
    ssthresh.is_infinite()
}
