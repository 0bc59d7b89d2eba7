// SPDX-License-Identifier: Apache-2.0
//! What changes the rate of a shaper: a controller, the round trips that it has not seen yet, and the time of its decisions.
//!
//! Hosts may be ahead of the link, and links behind the run. A decision therefore counts the round trips of before its time,
//! which are all known when the link gets there, in the order of their times.

use narrows_link::{Autorate, RateController};
use narrows_units::{Rate, Span, Time};

/// A round trip that a host has measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probe {
    /// When it ended.
    pub at: Time,
    /// Connection slot of the flow.
    pub slot: u32,
    /// The round-trip time.
    pub rtt: Span,
}

/// A controller and its inputs.
#[derive(Clone, Debug)]
pub(super) struct Steering {
    controller: RateController,
    /// Round trips since the last decision.
    probes: Vec<Probe>,
    /// Time of the next decision.
    next: Time,
    /// Bits sent by the last decision.
    sent_bits: f64,
}

impl Steering {
    /// Creates the controller with `settings` at the start of the run.
    pub fn new(settings: &Autorate) -> Self {
        let next = Time::ZERO + settings.interval;
        Self { controller: RateController::new(settings.clone()), probes: Vec::new(), next, sent_bits: 0.0 }
    }

    /// Returns the time of the next decision.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Takes the round trip `probe`.
    pub fn probed(&mut self, probe: Probe) {
        self.probes.push(probe);
    }

    /// Decides the rate from [`next`](Self::next) on, by when `sent_bits` had been sent since the start of the run.
    pub fn decide(&mut self, sent_bits: f64) -> Rate {
        let now = self.next;
        let interval = self.controller.settings().interval;
        // Flows that are ahead of the run come before others.
        self.probes.sort_unstable();
        let seen = self.probes.partition_point(|probe| probe.at < now);
        for probe in self.probes.drain(..seen) {
            self.controller.probed(probe.slot, probe.rtt);
        }
        let achieved = (sent_bits - self.sent_bits) / interval.as_secs_f64();
        (self.sent_bits, self.next) = (sent_bits, now + interval);
        self.controller.decide(Rate::from_bps_f64(achieved), now)
    }
}
