// SPDX-License-Identifier: Apache-2.0
//! The application above a sender: it decides when data is written, and how much.

use crate::link::Capacity;
use narrows_engine::Stream;
use narrows_model::SourceModel;
use narrows_model::traffic::{Sizes, Spans};
use narrows_units::{Bytes, Span, Time};

/// The data that an application writes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Full packets.
    Packets(u64),
    /// A part of a stream of bytes.
    Bytes(Bytes),
}

/// An application that writes its data over time.
#[derive(Debug)]
pub(crate) enum Application {
    /// Constant or varying bit rate: a packet as soon as the rate has accumulated its bits.
    Rate {
        rate: Capacity,
        /// A full packet on the wire.
        packet: Bytes,
        /// Time of the next packet.
        made: Time,
    },
    /// Writes at random times and of random sizes.
    Writes {
        interval: Spans,
        size: Sizes,
        /// Payload of a full packet, to which sizes are rounded up; `None` for a stream of bytes.
        whole: Option<Bytes>,
        draws: Stream,
        /// Time of the next write.
        next: Time,
    },
}

impl Application {
    /// Creates the application that `model` describes for flow number `place` of its group, with packets of `packet`
    /// bytes on the wire and `mss` bytes of payload; `None` for sources that write all data at the start.
    pub fn new(model: &SourceModel, place: usize, packet: Bytes, mss: Bytes, draws: Stream) -> Option<Self> {
        if let SourceModel::Writes { interval, size, whole_packets } = model {
            let (interval, size) = (interval.clone(), size.clone());
            let whole = whole_packets.then_some(mss);
            return Some(Self::Writes { interval, size, whole, draws, next: Time::NEVER });
        }
        let rate = Capacity::of_source(model, place, draws)?;
        Some(Self::Rate { rate, packet, made: Time::NEVER })
    }

    /// Starts the application at `now`, when its flow starts.
    pub fn start(&mut self, now: Time) {
        match self {
            Self::Rate { rate, packet, made } => {
                // The rate process starts with the run, not with the flow.
                while rate.next_change() <= now {
                    rate.change(rate.next_change());
                }
                *made = rate.start(*packet, now);
            }
            Self::Writes { next, .. } => *next = now,
        }
    }

    /// Returns the time of its next action; `NEVER` if there is none.
    pub fn next(&self) -> Time {
        match self {
            Self::Rate { rate, made, .. } => rate.next_change().min(*made),
            Self::Writes { next, .. } => *next,
        }
    }

    /// Performs the action that is due at `now` and returns what it writes. Called at the
    /// time given by [`next`](Self::next), and when the flow starts.
    pub fn act(&mut self, now: Time) -> Written {
        match self {
            Self::Rate { rate, packet, made } => {
                let full = *made <= now;
                if full {
                    *made = rate.start(*packet, now);
                }
                if rate.next_change() <= now
                    && let Some(later) = rate.change(now)
                {
                    *made = later;
                }
                Written::Packets(u64::from(full))
            }
            Self::Writes { interval, size, whole, draws, next } => {
                if *next > now {
                    return Written::Packets(0);
                }
                *next = now + interval.sample(draws).max(Span::from_ps(1));
                let size = size.sample(draws);
                whole.map_or(Written::Bytes(size), |mss| Written::Packets(size.count().div_ceil(mss.count())))
            }
        }
    }
}
