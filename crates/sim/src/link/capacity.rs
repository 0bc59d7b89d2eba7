// SPDX-License-Identifier: Apache-2.0
//! The capacity of a link: one interface for rates that may change and for recorded delivery opportunities.
//!
//! It has at most one pending departure and one pending change: [`start`](Capacity::start) returns the departure time of a
//! packet, and [`change`](Capacity::change) may change it. Departures precede simultaneous changes.

mod bucket;
mod opportunities;
mod process;
mod steering;

use bucket::Bucket;
use narrows_engine::Stream;
use narrows_link::Serializer;
use narrows_model::{RateModel, SourceModel};
use narrows_units::{Bytes, Rate, Span, Time};
use opportunities::Opportunities;
use process::{Process, Share};
pub use steering::Probe;
use steering::Steering;

/// The capacity of a link or of a constant-rate source over time.
#[derive(Clone, Debug)]
pub struct Capacity(Medium);

#[derive(Clone, Debug)]
enum Medium {
    /// A link that sends bits at a rate.
    Rated(Rated),
    /// A token bucket in front of a faster line, and what changes its rate.
    Shaped(Bucket, Option<Box<Steering>>),
    /// Bytes leave at recorded times.
    Recorded(Opportunities),
}

/// A rate over time, and the serialiser that runs at it.
#[derive(Clone, Debug)]
struct Rated {
    process: Process,
    serializer: Serializer,
    /// Bits that could have been sent before `since`, times picoseconds per second: an integer, hence exact.
    offered: u128,
    /// Start of the current rate.
    since: Time,
}

impl Capacity {
    /// Creates the capacity that `model` describes, at the start of the run; random processes use `draws`. A recording
    /// whose start is random starts at the draw of `place` from 0 to 1, in parts of its length.
    pub fn new(model: &RateModel, draws: Stream, place: impl FnOnce() -> f64) -> Self {
        if let RateModel::Trace(trace) = model {
            return Self(Medium::Recorded(Opportunities::new(trace.clone(), place)));
        }
        if let RateModel::TokenBucket { rate, burst, peak, autorate } = model {
            let steering = autorate.as_ref().map(|settings| Box::new(Steering::new(settings)));
            return Self(Medium::Shaped(Bucket::new(*rate, *burst, *peak), steering));
        }
        let (process, rate) = Process::new(model, draws);
        Self::rated(process, rate)
    }

    /// Returns the place in the recording at which the run started; `None` without a recording.
    pub fn recording_start(&self) -> Option<Span> {
        match &self.0 {
            Medium::Rated(_) | Medium::Shaped(..) => None,
            Medium::Recorded(opportunities) => Some(opportunities.start_of_run()),
        }
    }

    /// Returns the rate of the source `model` for flow number `place` of its group; `None` if the source has no rate.
    pub fn of_source(model: &SourceModel, place: usize, draws: Stream) -> Option<Self> {
        let (process, rate) = match model {
            SourceModel::Rate(RateModel::Trace(trace)) => {
                return Some(Self(Medium::Recorded(Opportunities::new(trace.clone(), || 0.0))));
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

    /// Starts the transmission of a packet of `size` at `now` on the idle link, and returns the departure time of its
    /// last bit; [`Time::NEVER`] at rate 0, until the rate changes.
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        match &mut self.0 {
            Medium::Rated(rated) => rated.serializer.start(size, now),
            Medium::Shaped(bucket, _) => bucket.start(size, now),
            Medium::Recorded(opportunities) => opportunities.start(size, now),
        }
    }

    /// Returns the earliest time at which a packet given to the idle link at `now` would start to leave: `now` at a
    /// rate, the next opportunity of a trace, [`Time::NEVER`] at rate 0 until the rate changes. A link that leaves its
    /// packets in the queue until then accounts this wait as queueing delay.
    pub fn ready(&self, now: Time) -> Time {
        match &self.0 {
            Medium::Rated(rated) if rated.serializer.rate() == Rate::ZERO => Time::NEVER,
            Medium::Rated(_) | Medium::Shaped(..) => now,
            Medium::Recorded(opportunities) => opportunities.ready(now),
        }
    }

    /// Returns the time of the next rate change; [`Time::NEVER`] if there is none.
    pub fn next_change(&self) -> Time {
        match &self.0 {
            Medium::Rated(rated) => rated.process.next_change(),
            Medium::Shaped(_, Some(steering)) => steering.next(),
            Medium::Shaped(_, None) | Medium::Recorded(_) => Time::NEVER,
        }
    }

    /// Performs the rate change that is due at `now`, as given by [`next_change`](Self::next_change). Returns the new
    /// departure time of the packet in transmission, whose remaining bits are sent at the new rate; `None` if no packet
    /// is in transmission.
    pub fn change(&mut self, now: Time) -> Option<Time> {
        match &mut self.0 {
            Medium::Rated(rated) => {
                debug_assert_eq!(now, rated.process.next_change(), "a change happens when it was announced");
                rated.offered = rated.offered_until(now);
                rated.since = now;
                let rate = rated.process.advance(rated.serializer.rate());
                rated.serializer.change(rate, now)
            }
            Medium::Shaped(bucket, Some(steering)) => {
                let rate = steering.decide(bucket.sent_bits(now));
                bucket.set_rate(rate, now)
            }
            Medium::Shaped(_, None) | Medium::Recorded(_) => None,
        }
    }

    /// Takes a round trip that steers the rate; it counts from the next change after its time on. Has no effect if none does.
    pub fn probed(&mut self, probe: Probe) {
        if let Medium::Shaped(_, Some(steering)) = &mut self.0 {
            steering.probed(probe);
        }
    }

    /// Aborts the transmission in progress at `now`.
    pub fn abort(&mut self, now: Time) {
        match &mut self.0 {
            Medium::Rated(rated) => rated.serializer.abort(now),
            Medium::Shaped(bucket, _) => bucket.abort(now),
            Medium::Recorded(opportunities) => opportunities.abort(),
        }
    }

    /// Returns the current rate; for a token bucket the rate at which it is filled, and for a trace its mean rate.
    pub fn rate(&self) -> Rate {
        match &self.0 {
            Medium::Rated(rated) => rated.serializer.rate(),
            Medium::Shaped(bucket, _) => bucket.rate(),
            Medium::Recorded(opportunities) => opportunities.mean_rate(),
        }
    }

    /// Returns how many bits of the packet in transmission, which departs at `departure`, remain to be sent at `now`;
    /// on a recorded link this is estimated from its mean rate.
    pub fn bits_left(&self, departure: Time, now: Time) -> f64 {
        match &self.0 {
            Medium::Rated(rated) => rated.serializer.bits_left(departure, now),
            Medium::Shaped(bucket, _) => bucket.bits_left(departure, now),
            Medium::Recorded(opportunities) => {
                opportunities.mean_rate().as_bps() as f64 * departure.since(now).as_secs_f64()
            }
        }
    }

    /// Returns the bits that could have been sent from the start of the run until `now`, which must lie between the
    /// last and the next rate change.
    pub fn offered_bits(&self, now: Time) -> f64 {
        match &self.0 {
            Medium::Rated(rated) => rated.offered_until(now) as f64 * 1e-12,
            Medium::Shaped(bucket, _) => bucket.offered_bits(now),
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
