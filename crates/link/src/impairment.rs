// SPDX-License-Identifier: Apache-2.0
//! The effects of a link on packets behind its queue and its serialiser, besides random loss.

use crate::Selection;
use crate::distribution::Spans;
use alloc::{string::String, vec::Vec};
use narrows_units::{Bytes, Rate, Span};

/// An impairment of a link. A link has a list of them, which every packet that leaves its serialiser passes in order.
#[derive(Clone, Debug)]
pub enum Impairment {
    /// An additional delay of each packet.
    Jitter {
        /// Distribution of the additional delay.
        delay: Spans,
        /// Correlation of the normal scores of successive delays, 0 to below 1.
        correlation: f64,
        /// Whether a packet may overtake earlier ones.
        reorder: bool,
    },
    /// A share of the packets, chosen at random, is late.
    Reorder {
        /// Probability that a packet is late, 0 to 1.
        share: f64,
        /// Delay of late packets.
        late: Lateness,
    },
    /// A token bucket that drops what does not conform to it.
    Policer {
        /// Token rate.
        rate: Rate,
        /// Depth of the bucket, which is full at the start.
        burst: Bytes,
    },
    /// A change of the ECN field.
    Ecn {
        /// Change of the ECN field.
        mode: EcnChange,
        /// Probability that the field of a chosen packet is changed, 0 to 1.
        share: f64,
        /// The packets that are chosen.
        selection: Selection,
    },
    /// An additional delay that changes in time.
    Delay {
        /// The additional delay over time.
        delay: DelayModel,
        /// Whether a packet may overtake earlier ones when the delay falls.
        reorder: bool,
    },
    /// Loss of acknowledgements that carry no data.
    AckThinning {
        /// Probability that an acknowledgement is dropped, 0 to 1.
        share: f64,
    },
    /// Packets are delivered in frames, whole and in order, which are repeated after an error (ARQ).
    Aggregation {
        /// Time between the ends of two frames.
        frame: Span,
        /// Bytes that a frame carries at most; `None` without a limit.
        largest: Option<Bytes>,
        /// Probability that a transmission of a frame fails, 0 to below 1.
        error: f64,
        /// Time from one transmission of a frame to the next.
        retry: Span,
        /// Maximum number of retransmissions of a frame, after which its packets are lost.
        retries: u32,
    },
}

/// The delay of a reordered packet.
#[derive(Clone, Debug)]
pub enum Lateness {
    /// The packet leaves after this number of later packets.
    Distance {
        /// Number of packets, at least 1.
        packets: u64,
        /// Longest time that it is held if fewer packets follow.
        hold: Span,
    },
    /// The packet has an additional delay.
    Delay(Spans),
}

/// A change of the ECN field (RFC 3168 §5) by a hop or by the end of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnChange {
    /// Every packet becomes Not-ECT: the hop overwrites the field.
    Bleach,
    /// CE becomes ECT(0): the hop hides marks, as the egress of a tunnel does that discards the outer header (RFC 6040
    /// §4.2 forbids it).
    ClearCe,
    /// ECT(1) becomes ECT(0), so that packets of L4S are taken for classic ones.
    Ect1ToEct0,
    /// ECT(0) and ECT(1) become CE.
    SetCe,
    /// ECT(0), ECT(1) and CE are lost: the hop treats them as invalid.
    Drop,
}

/// An additional delay over time, from the start of the run.
#[derive(Clone, Debug)]
pub enum DelayModel {
    /// Delays and the times from which they apply, ascending, starting at 0.
    Steps {
        /// Time and delay of each step.
        points: Vec<(Span, Span)>,
        /// Time after which they are repeated; `None` if the last delay stays.
        period: Option<Span>,
        /// Name and SHA-256 of the file in which they were recorded; `None` if the scenario lists them.
        recording: Option<(String, String)>,
    },
    /// The delay rises linearly from `minimum` to `maximum` in each period, and falls back at its end.
    Sawtooth {
        /// Delay at the start of a period.
        minimum: Span,
        /// Delay at the end of a period.
        maximum: Span,
        /// Duration of a period.
        period: Span,
    },
    /// Every `interval`, a new delay; for the time `outage` from each change on, packets wait until it has passed.
    Handover {
        /// Time between two handovers.
        interval: Span,
        /// Distribution of the delay.
        delay: Spans,
        /// Duration of the outage after a handover, in which nothing is delivered; less than `interval`.
        outage: Span,
    },
}

impl Impairment {
    /// Returns its kind in a scenario file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Jitter { .. } => "jitter",
            Self::Reorder { .. } => "reorder",
            Self::Policer { .. } => "policer",
            Self::Ecn { .. } => "ecn",
            Self::Delay { delay, .. } => match delay {
                DelayModel::Steps { recording: None, .. } => "delay-steps",
                DelayModel::Steps { .. } => "delay-trace",
                DelayModel::Sawtooth { .. } => "delay-sawtooth",
                DelayModel::Handover { .. } => "handover",
            },
            Self::AckThinning { .. } => "ack-thinning",
            Self::Aggregation { .. } => "aggregation",
        }
    }

    /// Whether packets may leave it in another order than that in which they arrive.
    pub fn reorders(&self) -> bool {
        match self {
            Self::Jitter { reorder, .. } | Self::Delay { reorder, .. } => *reorder,
            Self::Reorder { .. } => true,
            Self::Policer { .. } | Self::Ecn { .. } | Self::AckThinning { .. } | Self::Aggregation { .. } => {
                false
            }
        }
    }

    /// Whether it needs packets in the order of time.
    pub fn needs_order(&self) -> bool {
        match self {
            Self::Jitter { reorder, .. } | Self::Delay { reorder, .. } => !reorder,
            Self::Reorder { late, .. } => matches!(late, Lateness::Distance { .. }),
            Self::Policer { .. } | Self::Aggregation { .. } => true,
            Self::Ecn { .. } | Self::AckThinning { .. } => false,
        }
    }
}
