//! How fast a link takes packets: one interface over a rate that may change and over recorded delivery opportunities.
//!
//! Drive it with one pending departure and one pending change: [`start`](Capacity::start) gives the departure of a
//! packet, [`change`](Capacity::change) moves it. Departures at a time come before changes at the same time.

mod opportunities;
mod process;
mod serializer;

use crate::model::{RateModel, SourceModel};
use narrows_engine::Stream;
use narrows_units::{Bytes, Rate, Time};
use opportunities::Opportunities;
use process::{Process, Share};
use serializer::Serializer;

/// The capacity of one link, in motion.
#[derive(Clone, Debug)]
pub struct Capacity(Medium);

#[derive(Clone, Debug)]
enum Medium {
    /// Bits leave at a rate.
    Rated(Rated),
    /// Bytes leave at recorded moments.
    Recorded(Opportunities),
}

/// A rate over time, and the serialiser that runs at it.
#[derive(Clone, Debug)]
struct Rated {
    process: Process,
    serializer: Serializer,
    /// Bits that could have been sent before `since`, times picoseconds per second: whole, so that nothing is lost.
    offered: u128,
    /// When the present rate began.
    since: Time,
}

impl Capacity {
    /// The capacity that `model` describes, at the start of the run. Random processes take their draws from `draws`.
    pub fn new(model: &RateModel, draws: Stream) -> Self {
        if let RateModel::Trace(trace) = model {
            return Self(Medium::Recorded(Opportunities::new(trace.clone())));
        }
        let (process, rate) = Process::new(model, draws);
        Self::rated(process, rate)
    }

    /// The rate of a source, that of the flow with that place in its group; `None` of one that has none.
    pub fn of_source(model: &SourceModel, place: usize, draws: Stream) -> Option<Self> {
        let (process, rate) = match model {
            SourceModel::Rate(RateModel::Trace(trace)) => {
                return Some(Self(Medium::Recorded(Opportunities::new(trace.clone()))));
            }
            SourceModel::Rate(rate) => Process::new(rate, draws),
            SourceModel::Leaving { whole, left } => Process::leaving(*whole, left, draws),
            SourceModel::Sharing { whole, left, others, count } => {
                let share = Share { whole: *whole, others: *others, count: *count, place: place as u32 };
                Process::sharing(share, left, draws)
            }
            SourceModel::OnOff { rate, on, off } => Process::on_off(*rate, on, off, draws),
            SourceModel::Bulk | SourceModel::Writes { .. } => return None,
        };
        Some(Self::rated(process, rate))
    }

    fn rated(process: Process, rate: Rate) -> Self {
        let serializer = Serializer::new(rate);
        Self(Medium::Rated(Rated { process, serializer, offered: 0, since: Time::ZERO }))
    }

    /// Gives the link, free at `now`, a packet of `size`. When its last bit will have left; [`Time::NEVER`] at rate 0,
    /// until a change says otherwise.
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        match &mut self.0 {
            Medium::Rated(rated) => rated.serializer.start(size, now),
            Medium::Recorded(opportunities) => opportunities.start(size, now),
        }
    }

    /// When a packet given to the free link at `now` would begin to leave: at once at a rate, at the next opportunity of
    /// a recording, [`Time::NEVER`] at rate 0, until a change says otherwise. A link that takes no packet from its queue
    /// before this keeps the wait for the medium where it belongs, in the queue.
    pub fn ready(&self, now: Time) -> Time {
        match &self.0 {
            Medium::Rated(rated) if rated.serializer.rate() == Rate::ZERO => Time::NEVER,
            Medium::Rated(_) => now,
            Medium::Recorded(opportunities) => opportunities.ready(now),
        }
    }

    /// When the rate changes next; [`Time::NEVER`] where it does not.
    pub fn next_change(&self) -> Time {
        match &self.0 {
            Medium::Rated(rated) => rated.process.next_change(),
            Medium::Recorded(_) => Time::NEVER,
        }
    }

    /// The time given by [`next_change`](Self::next_change) is `now`. The new departure of the packet in transmission,
    /// whose remaining bits go on at the new rate; `None` if there is none.
    pub fn change(&mut self, now: Time) -> Option<Time> {
        match &mut self.0 {
            Medium::Rated(rated) => {
                debug_assert_eq!(now, rated.process.next_change(), "a change happens when it was announced");
                rated.offered = rated.offered_until(now);
                rated.since = now;
                let rate = rated.process.advance(rated.serializer.rate());
                rated.serializer.change(rate, now)
            }
            Medium::Recorded(_) => None,
        }
    }

    /// Gives up the packet in transmission.
    pub fn abort(&mut self, now: Time) {
        match &mut self.0 {
            Medium::Rated(rated) => rated.serializer.abort(now),
            Medium::Recorded(opportunities) => opportunities.abort(),
        }
    }

    /// The rate now; of a recording the mean rate.
    pub fn rate(&self) -> Rate {
        match &self.0 {
            Medium::Rated(rated) => rated.serializer.rate(),
            Medium::Recorded(opportunities) => opportunities.mean_rate(),
        }
    }

    /// Bits that could have been sent from the start of the run until `now`, which lies between the last change and the
    /// next.
    pub fn offered_bits(&self, now: Time) -> f64 {
        match &self.0 {
            Medium::Rated(rated) => rated.offered_until(now) as f64 * 1e-12,
            Medium::Recorded(opportunities) => opportunities.offered_bits(now) as f64,
        }
    }
}

impl Rated {
    fn offered_until(&self, now: Time) -> u128 {
        let span = now.since(self.since).as_ps();
        self.offered + u128::from(self.serializer.rate().as_bps()) * u128::from(span)
    }
}

#[cfg(test)]
mod tests;
