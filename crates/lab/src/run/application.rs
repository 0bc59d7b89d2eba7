//! The application above a sender: when it writes, and how much.

use crate::link::Capacity;
use crate::model::SourceModel;
use crate::traffic::{Sizes, Spans};
use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};

/// An application that writes little by little.
#[derive(Debug)]
pub(super) enum Application {
    /// A packet whenever the rate has made the bits of one.
    Rate {
        rate: Capacity,
        /// A full packet on the wire.
        packet: Bytes,
        /// When the next packet is made.
        made: Time,
    },
    /// Now and then so much.
    Writes {
        interval: Spans,
        size: Sizes,
        draws: Stream,
        /// Payload of a full packet.
        mss: Bytes,
        /// When it writes next.
        next: Time,
    },
}

impl Application {
    /// What `model` describes for the flow with that place in its group, for packets of `packet` on the wire with a payload of `mss`; `None` where everything is
    /// written at once.
    pub fn new(model: &SourceModel, place: usize, packet: Bytes, mss: Bytes, draws: Stream) -> Option<Self> {
        if let SourceModel::Writes { interval, size } = model {
            let (interval, size) = (interval.clone(), size.clone());
            return Some(Self::Writes { interval, size, draws, mss, next: Time::NEVER });
        }
        let rate = Capacity::of_source(model, place, draws)?;
        Some(Self::Rate { rate, packet, made: Time::NEVER })
    }

    /// The flow begins.
    pub fn begin(&mut self, now: Time) {
        match self {
            Self::Rate { rate, packet, made } => {
                // A rate goes its way from the start of the run, whoever uses it.
                while rate.next_change() <= now {
                    rate.change(rate.next_change());
                }
                *made = rate.start(*packet, now);
            }
            Self::Writes { next, .. } => *next = now,
        }
    }

    /// When it acts next.
    pub fn next(&self) -> Time {
        match self {
            Self::Rate { rate, made, .. } => rate.next_change().min(*made),
            Self::Writes { next, .. } => *next,
        }
    }

    /// The time that [`next`](Self::next) gave has come, or the flow has just begun. How many packets it writes.
    pub fn act(&mut self, now: Time) -> u64 {
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
                u64::from(full)
            }
            Self::Writes { interval, size, draws, mss, next } => {
                if *next > now {
                    return 0;
                }
                *next = now + interval.sample(draws).max(Span::from_ps(1));
                size.sample(draws).count().div_ceil(mss.count())
            }
        }
    }
}
