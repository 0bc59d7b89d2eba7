//! What an application writes, and when.

use super::RateModel;
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_units::{Rate, Span};

/// What makes the data of a flow.
#[derive(Clone, Debug)]
pub enum SourceModel {
    /// Everything is written before the flow begins.
    Bulk,
    /// A packet is written whenever the rate has made the bits of one, as it is on the wire.
    Rate(RateModel),
    /// As [`Rate`](Self::Rate), at what is left of `whole` by a rate over time, which may not exceed it.
    Leaving {
        /// Both together.
        whole: Rate,
        /// What is left to others.
        left: RateModel,
    },
    /// As [`Leaving`](Self::Leaving), where flows have equal shares: as many of the group's flows send as leave the others
    /// what they are to have, each a little more than its share.
    Sharing {
        /// All together.
        whole: Rate,
        /// What is left to the others together.
        left: RateModel,
        /// How many others there are.
        others: u32,
        /// How many flows the group has.
        count: u32,
    },
    /// As [`Rate`](Self::Rate), at a rate that comes and goes; it begins on.
    OnOff {
        /// The rate while it is on.
        rate: Rate,
        /// How long it is on, each time.
        on: Spans,
        /// How long it is off, each time.
        off: Spans,
    },
    /// Now and then so much, in whole packets; the first as the flow begins.
    Writes {
        /// Time between two.
        interval: Spans,
        /// How much, each time.
        size: Sizes,
    },
}

impl SourceModel {
    /// It sends at a rate of its own, whatever the network does.
    pub fn has_rate(&self) -> bool {
        matches!(self, Self::Rate(_) | Self::Leaving { .. } | Self::Sharing { .. } | Self::OnOff { .. })
    }

    /// Flows of the group follow one course of the rate, and draw the same numbers.
    pub fn is_common(&self) -> bool {
        matches!(self, Self::Sharing { .. })
    }

    /// How often it acts on its own in a run of `duration`, at most or on average, besides sending packets.
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
