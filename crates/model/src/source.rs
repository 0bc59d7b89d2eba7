//! Sources: the times and sizes of the writes of an application.

use super::RateModel;
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_units::{Rate, Span};

/// The source of the data of a flow.
#[derive(Clone, Debug)]
pub enum SourceModel {
    /// All data is written at the start of the flow.
    Bulk,
    /// A packet is written whenever the rate has made the bits of one, as it is on the wire.
    Rate(RateModel),
    /// As [`Rate`](Self::Rate), at the difference between `whole` and a rate over time, which must not exceed it.
    Leaving {
        /// Both together.
        whole: Rate,
        /// The rate left to others.
        left: RateModel,
    },
    /// As [`Leaving`](Self::Leaving), on a link that all flows share equally: the number of sending flows of the group
    /// leaves the given rate to the others, and each of them sends slightly more than its share.
    Sharing {
        /// All together.
        whole: Rate,
        /// The rate left to the others together.
        left: RateModel,
        /// How many others there are.
        others: u32,
        /// How many flows the group has.
        count: u32,
    },
    /// As [`Rate`](Self::Rate), at a rate that is on and off, starting with on.
    OnOff {
        /// The rate while it is on.
        rate: Rate,
        /// How long it is on, each time.
        on: Spans,
        /// How long it is off, each time.
        off: Spans,
    },
    /// Writes of random sizes, in whole packets, at random intervals; the first at the start of the flow.
    Writes {
        /// Time between two.
        interval: Spans,
        /// How much, each time.
        size: Sizes,
    },
}

impl SourceModel {
    /// Whether it sends at a rate of its own, without congestion control.
    pub fn has_rate(&self) -> bool {
        matches!(self, Self::Rate(_) | Self::Leaving { .. } | Self::Sharing { .. } | Self::OnOff { .. })
    }

    /// Whether all flows of the group use the same random rate process, and so draw the same numbers.
    pub fn is_common(&self) -> bool {
        matches!(self, Self::Sharing { .. })
    }

    /// Number of actions, other than sending packets, in a run of `duration`: an upper bound or a mean.
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
