// SPDX-License-Identifier: Apache-2.0
//! The computation of an XCP router, in the form of draft-falk-xcp-spec-03 and ns-2.35 (changes of throughput, not of
//! windows).
//!
//! Each arrival of `s` bytes adds `s` to the traffic, and if it reports a round-trip time, its spacing `X` and `rtt · X` to
//! two sums. Every mean round-trip time `d = Σ rtt X / Σ X`:
//!
//! * efficiency: `φ = α (C − y) − β Q / d` bytes per second, with the traffic's rate `y` and the persistent queue `Q`;
//! * fairness: `h = max(0, γ y − |φ|)` is shuffled between flows besides;
//! * pools `P = max(0, φ) + h` and `N = max(0, −φ) + h`; a departure gets `P / Σ X` for each second of its spacing, which
//!   is the same for all flows, and gives `N / Σ s` for each of its bytes, in proportion to its throughput.
//!
//! `Q` is the least that waited during the last queueing interval, `max(2 ms, (d − q / C) / 2)`.

use super::Config;
use narrows_units::{Bytes, Rate, Span, Time};

/// The efficiency and the fairness controller of one link.
#[derive(Clone, Debug)]
pub struct XcpLaw {
    config: Config,
    /// The running control interval, seconds.
    interval: f64,
    /// `d`, seconds.
    mean_rtt: f64,
    /// Bytes that arrived in this interval.
    arrived: f64,
    /// `Σ X`, seconds.
    spacings: f64,
    /// `Σ rtt X`, seconds squared.
    rtt_spacings: f64,
    /// Throughput that can still be allocated and removed in this interval, bytes per second.
    give: Pool,
    take: Pool,
    /// `Q`, bytes.
    persistent_queue: f64,
    /// The least that waited in this queueing interval, bytes.
    least_queue: f64,
    control_due: Time,
    queue_due: Time,
}

/// A change of throughput to be dealt out.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    /// Part of the change that has not been dealt out, bytes per second.
    left: f64,
    /// Change of throughput for each unit of the share of a departure.
    rate: f64,
}

impl XcpLaw {
    /// Creates the controllers before the first arrival.
    pub fn new(config: &Config) -> Self {
        let initial = config.initial_interval.as_secs_f64();
        Self {
            config: *config,
            interval: initial,
            mean_rtt: initial,
            arrived: 0.0,
            spacings: 0.0,
            rtt_spacings: 0.0,
            give: Pool::default(),
            take: Pool::default(),
            persistent_queue: 0.0,
            least_queue: 0.0,
            control_due: Time::NEVER,
            queue_due: Time::NEVER,
        }
    }

    /// Records the arrival of a packet of `size` at `now`. `header` has the round-trip time and the packet spacing of
    /// its congestion header, both in seconds; `None` if it has no such header.
    pub fn on_arrival(&mut self, size: Bytes, header: Option<(f32, f32)>, now: Time) {
        if self.control_due == Time::NEVER {
            self.control_due = now + self.config.initial_interval;
            self.queue_due = now + self.config.initial_interval;
        }
        self.arrived += size.count() as f64;
        if let Some((rtt, spacing)) = header
            && rtt > 0.0
        {
            let rtt = f64::from(rtt).min(self.config.max_interval.as_secs_f64());
            self.spacings += f64::from(spacing);
            self.rtt_spacings += rtt * f64::from(spacing);
        }
    }

    /// Records that `waiting` bytes wait after a departure.
    pub fn on_queue(&mut self, waiting: Bytes) {
        self.least_queue = self.least_queue.min(waiting.count() as f64);
    }

    /// Returns the feedback for a departing packet of `size`: the change of throughput, bytes per second, that its flow
    /// is permitted. `rtt` and `spacing` come from its header, in seconds; `requested` is the change that the sender
    /// and earlier routers permit, bytes per second.
    pub fn feedback(&mut self, size: Bytes, (rtt, spacing): (f32, f32), requested: f32) -> f32 {
        if rtt <= 0.0 {
            return 0.0;
        }
        let mut given = self.give.share(f64::from(spacing));
        let mut taken = self.take.share(size.count() as f64);
        let (allowed, requested) = (given - taken, f64::from(requested));
        if requested < allowed {
            // Another router is the bottleneck of this flow: what it cannot use counts as taken from it already.
            taken = self.take.left.min(taken + (allowed - requested));
            given = (requested + taken).max(0.0);
        }
        self.give.spend(given);
        self.take.spend(taken);
        allowed.min(requested) as f32
    }

    /// Returns the time of the next update; `None` before the first arrival.
    pub fn next_wake(&self) -> Option<Time> {
        Some(self.control_due.min(self.queue_due)).filter(|due| *due != Time::NEVER)
    }

    /// Performs the updates that are due at `now`, for a link of rate `capacity` at which `waiting` bytes wait.
    pub fn on_wake(&mut self, now: Time, capacity: Rate, waiting: Bytes) {
        let (capacity, waiting) = (capacity.as_bytes_per_sec(), waiting.count() as f64);
        if now >= self.queue_due {
            self.persistent_queue = self.least_queue.min(waiting);
            self.least_queue = waiting;
            let span = Span::from_secs_f64((self.mean_rtt - waiting / capacity).max(0.0) / 2.0);
            self.queue_due = now + span.max(MIN_QUEUE_INTERVAL);
        }
        if now >= self.control_due {
            self.control(capacity);
            self.control_due = now + Span::from_secs_f64(self.interval);
        }
    }

    /// Calls `record` with name and value of each internal variable that records may hold.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("mean_rtt_s", self.mean_rtt);
        record("persistent_queue_bytes", self.persistent_queue);
    }

    /// A control interval ends at a link of `capacity` bytes per second.
    fn control(&mut self, capacity: f64) {
        let rate = self.arrived / self.interval;
        let known = self.spacings > 0.0;
        let initial = self.config.initial_interval.as_secs_f64();
        self.mean_rtt = if known { self.rtt_spacings / self.spacings } else { initial };
        let spare = self.config.alpha * (capacity - rate);
        let change = spare - self.config.beta * self.persistent_queue / self.mean_rtt;
        let shuffled = (self.config.gamma * rate - change.abs()).max(0.0);
        // Without requests there is no flow to give to; without traffic none to take from.
        self.give = if known { Pool::of(change.max(0.0) + shuffled, self.spacings) } else { Pool::default() };
        let traffic = self.arrived > 0.0;
        self.take =
            if traffic { Pool::of((-change).max(0.0) + shuffled, self.arrived) } else { Pool::default() };
        self.arrived = 0.0;
        self.spacings = 0.0;
        self.rtt_spacings = 0.0;
        self.interval = self.mean_rtt.max(self.config.min_interval.as_secs_f64());
    }
}

impl Pool {
    /// `amount` for shares that add up to `shares`.
    fn of(amount: f64, shares: f64) -> Self {
        Self { left: amount, rate: amount / shares }
    }

    /// The amount that a departure with this share may have.
    fn share(&self, share: f64) -> f64 {
        (self.rate * share).min(self.left)
    }

    fn spend(&mut self, amount: f64) {
        self.left = (self.left - amount).max(0.0);
    }
}

/// Shortest queueing interval (ns-2.35).
const MIN_QUEUE_INTERVAL: Span = Span::from_ms(2);

#[cfg(test)]
mod tests;
