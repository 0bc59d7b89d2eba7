// SPDX-License-Identifier: Apache-2.0
//! Sources: the times and sizes of the writes of an application.

use super::RateModel;
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_units::{Rate, Span};

/// The source of the data of a flow.
#[derive(Clone, Debug)]
pub enum SourceModel {
    /// All data is written at the start of the flow.
    Bulk,
    /// A constant bit rate in full packets: each is written when the rate has accumulated its bits on the wire.
    Rate(RateModel),
    /// As [`Rate`](Self::Rate), at `whole` less a rate over time, which must not exceed it.
    Leaving {
        /// Rate of the source and the others together.
        whole: Rate,
        /// Rate left to the others, over time.
        left: RateModel,
    },
    /// As [`Leaving`](Self::Leaving), on a link that all flows share equally: the number of sending flows of the group
    /// varies so that the others get the given rate, and each sends slightly more than its fair share.
    Sharing {
        /// Rate of the link.
        whole: Rate,
        /// Rate left to the others together, over time.
        left: RateModel,
        /// Number of other flows.
        others: u32,
        /// Number of flows in the group.
        count: u32,
    },
    /// As [`Rate`](Self::Rate), at a rate that alternates between on and off, starting with on.
    OnOff {
        /// Rate during on periods.
        rate: Rate,
        /// Durations of the on periods.
        on: Spans,
        /// Durations of the off periods.
        off: Spans,
    },
    /// Writes of random sizes at random intervals; the first at the start of the flow.
    Writes {
        /// Times between two writes.
        interval: Spans,
        /// Sizes of the writes.
        size: Sizes,
        /// Whether each is rounded up to full packets; otherwise they are a stream of bytes, of which segments are cut when they are
        /// sent.
        whole_packets: bool,
    },
}

impl SourceModel {
    /// Whether it sends at a rate of its own, without congestion control.
    pub fn has_rate(&self) -> bool {
        matches!(self, Self::Rate(_) | Self::Leaving { .. } | Self::Sharing { .. } | Self::OnOff { .. })
    }

    /// Whether it writes a stream of bytes.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Writes { whole_packets: false, .. })
    }

    /// Returns the highest rate at which it writes, bits per second on the wire; `None` if it has no rate of its own.
    pub fn highest_bps(&self) -> Option<f64> {
        match self {
            Self::Rate(rate) => Some(rate.highest_bps()),
            Self::Leaving { whole: rate, .. }
            | Self::Sharing { whole: rate, .. }
            | Self::OnOff { rate, .. } => Some(rate.as_bps() as f64),
            Self::Bulk | Self::Writes { .. } => None,
        }
    }

    /// Whether all flows of the group use the same random rate process, and so draw the same numbers.
    pub fn is_common(&self) -> bool {
        matches!(self, Self::Sharing { .. })
    }

    /// Returns the number of actions, other than sending packets, in a run of `duration`: an upper bound or a mean.
    pub fn acts(&self, duration: Span) -> f64 {
        let every = match self {
            Self::OnOff { on, off, .. } => f64::midpoint(on.0.mean(), off.0.mean()),
            Self::Writes { interval: Spans(Distribution::Constant(seconds)), .. } => *seconds,
            Self::Writes { interval, .. } => interval.0.mean(),
            Self::Bulk | Self::Rate(_) | Self::Leaving { .. } | Self::Sharing { .. } => return 0.0,
        };
        duration.as_secs_f64() / every
    }
}
