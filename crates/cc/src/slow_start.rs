//! How a flow looks for its rate before it knows anything: one file for each way.
//!
//! The frame grows the window by what was acknowledged, or less, while it is below ssthresh. A slow start may end this
//! before a loss does; ssthresh then becomes the window.
//!
//! Deviations: RFC 5681 §3.1 adds at most one segment for each acknowledgement; here each *segment* acknowledged adds
//! one, as in Linux and RFC 9406 §4.2, so that delayed acknowledgements do not slow the start.

mod hystart;
mod hystart_plus_plus;
mod limited;

pub use hystart::HyStart;
pub use hystart_plus_plus::HyStartPlusPlus;

use crate::catalogue::SlowStartKind;
use crate::{Ack, Path};

/// A way to grow in slow start and to leave it.
#[derive(Clone, Debug)]
pub enum SlowStart {
    /// By a loss or at ssthresh (RFC 5681 §3.1).
    Standard,
    /// Where the length of an ACK train or the delay says that the pipe is full.
    HyStart(HyStart),
    /// As the first, but slower in large windows.
    Limited,
    /// Where the delay has risen for some rounds, slower meanwhile.
    HyStartPlusPlus(HyStartPlusPlus),
}

impl SlowStart {
    /// The slow start of that kind of a flow that is `paced` or not.
    pub fn new(kind: SlowStartKind, paced: bool) -> Self {
        match kind {
            SlowStartKind::Standard => Self::Standard,
            SlowStartKind::HyStart => Self::HyStart(HyStart::new(paced)),
            SlowStartKind::Limited => Self::Limited,
            SlowStartKind::HyStartPlusPlus => Self::HyStartPlusPlus(HyStartPlusPlus::new(paced)),
        }
    }

    /// Told every acknowledgement of a slow start before the window grows: true where it must end now.
    pub fn is_over(&mut self, window: f64, ack: &Ack<'_>, path: &Path) -> bool {
        match self {
            Self::Standard | Self::Limited => false,
            Self::HyStart(hystart) => hystart.is_over(window, ack, path),
            Self::HyStartPlusPlus(hystart) => hystart.is_over(ack, path),
        }
    }

    /// What `acked` packets add to a `window` in slow start, in packets.
    pub fn growth(&self, window: f64, acked: f64) -> f64 {
        match self {
            Self::Standard | Self::HyStart(_) => acked,
            Self::Limited => limited::growth(window, acked),
            Self::HyStartPlusPlus(hystart) => hystart.growth(acked),
        }
    }

    /// A timeout begins a new slow start.
    pub fn restart(&mut self) {
        match self {
            Self::Standard | Self::Limited => {}
            Self::HyStart(hystart) => hystart.restart(),
            Self::HyStartPlusPlus(hystart) => hystart.restart(),
        }
    }
}
