//! How a flow looks for its rate before it knows anything: one file for each way.
//!
//! The frame grows the window by what was acknowledged while it is below ssthresh. A slow start may end this before a
//! loss does; ssthresh then becomes the window.
//!
//! Deviations: RFC 5681 §3.1 adds at most one segment for each acknowledgement; here each *segment* acknowledged adds
//! one, as in Linux and RFC 9406 §4.2, so that delayed acknowledgements do not slow the start.

mod hystart;

pub use hystart::HyStart;

use crate::catalogue::SlowStartKind;
use crate::{Ack, Path};

/// A way to leave slow start.
#[derive(Clone, Debug)]
pub enum SlowStart {
    /// By a loss or at ssthresh (RFC 5681 §3.1).
    Standard,
    /// Where the length of an ACK train or the delay says that the pipe is full.
    HyStart(HyStart),
}

impl SlowStart {
    /// The slow start of that kind.
    pub fn new(kind: SlowStartKind) -> Self {
        match kind {
            SlowStartKind::Standard => Self::Standard,
            SlowStartKind::HyStart => Self::HyStart(HyStart::default()),
        }
    }

    /// Told every acknowledgement of a slow start before the window grows: true where it must end now.
    pub fn is_over(&mut self, window: f64, ack: &Ack<'_>, path: &Path) -> bool {
        match self {
            Self::Standard => false,
            Self::HyStart(hystart) => hystart.is_over(window, ack, path),
        }
    }

    /// A timeout begins a new slow start.
    pub fn restart(&mut self) {
        if let Self::HyStart(hystart) = self {
            *hystart = HyStart::default();
        }
    }
}
