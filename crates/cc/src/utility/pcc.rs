// SPDX-License-Identifier: Apache-2.0
//! The frame of PCC (Dong et al., NSDI 2015 and NSDI 2018): a sender tries rates in monitor intervals, and moves to where its
//! utility is greater.
//!
//! * *Starting*: the rate doubles with each interval, until the utility of one is below that of the interval before it, to whose
//!   rate it returns.
//! * *Probing*: two pairs of intervals with rates `r (1 + ε)` and `r (1 − ε)`, each pair in an order that is drawn. If both pairs
//!   say the same, the rate moves that way; otherwise it probes again.
//! * *Moving*: the rate changes in each interval by the step of the algorithm, until the utility falls: back to the rate before,
//!   and probing.
//!
//! The results of an interval are known a round trip after its end; the intervals in between have the rates that follow from what
//! is known.

pub use super::monitor::Measured;
use super::monitor::Monitor;
use crate::random::Random;
use crate::{Ack, CongestionControl, Limits, Loss, Path, SentPacket, Setup};
use alloc::boxed::Box;
use core::fmt::Debug;
use narrows_units::{Bytes, Rate, Span};

/// What differs between algorithms that try rates.
pub trait Rule: Clone + Debug + Send + 'static {
    /// Returns the utility of an interval.
    fn utility(&self, measured: &Measured) -> f64;

    /// Returns `ε`, by which probing departs from the rate.
    fn probing_step(&self) -> f64;

    /// The two pairs of a probing did not say the same.
    fn on_disagreement(&mut self) {}

    /// A probing is over, and the rate begins to move.
    fn on_moving(&mut self);

    /// Returns the next change of a moving `rate`, in Mbps and positive; `gradient` is the change of utility for each Mbps
    /// at the last step.
    fn change(&mut self, rate: f64, gradient: f64) -> f64;

    /// Returns the length of an interval, round trips; `draw` is uniform from 0 to 1.
    fn length(&self, draw: f64) -> f64;
}

/// A PCC sender with the utility and the steps of `R`.
#[derive(Clone, Debug)]
pub struct Pcc<R> {
    rule: R,
    /// The rate that is probed from or moves, Mbps.
    rate: f64,
    phase: Phase,
    monitor: Monitor,
    /// Number of the next interval.
    next: u64,
    /// Number of the first interval whose result counts in this phase.
    first: u64,
    /// The last result that counted.
    last: Option<Sample>,
    utility: Option<f64>,
    random: Random,
    /// Smoothed round-trip time; `None` before the first sample.
    srtt: Option<Span>,
    initial_window: f64,
    mss: Bytes,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    rate: f64,
    utility: f64,
}

impl Sample {
    /// Change of utility for each Mbps from `other`; 0 for equal rates.
    fn gradient(self, other: Self) -> f64 {
        let across = self.rate - other.rate;
        if across.abs() < f64::EPSILON { 0.0 } else { (self.utility - other.utility) / across }
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Starting,
    /// Which of each pair is the first, and the results.
    Probing {
        high_first: [bool; 2],
        results: [Option<Sample>; 4],
    },
    Moving {
        up: bool,
        gradient: f64,
    },
}

impl<R: Rule> Pcc<R> {
    /// Returns a sender with `rule`, for a flow with this setup.
    pub fn new(rule: R, setup: &Setup) -> Self {
        Self {
            rule,
            rate: RATE_MIN,
            phase: Phase::Starting,
            monitor: Monitor::default(),
            next: 0,
            first: 0,
            last: None,
            utility: None,
            random: Random::new(setup.seed),
            srtt: None,
            initial_window: setup.initial_window.max(1.0),
            mss: setup.mss,
        }
    }

    fn probe(&mut self) {
        let high_first = [self.random.below(2) == 0, self.random.below(2) == 0];
        self.phase = Phase::Probing { high_first, results: [None; 4] };
        self.first = self.next;
    }

    /// The rate of the next interval, Mbps.
    fn next_rate(&mut self) -> f64 {
        match self.phase {
            // The first has the initial rate.
            Phase::Starting if self.next == 0 => {}
            Phase::Starting => self.rate *= 2.0,
            Phase::Probing { high_first, .. } => {
                let place = self.next - self.first;
                if let Some(&first) = high_first.get(place as usize / 2) {
                    let high = first == place.is_multiple_of(2);
                    let step = self.rule.probing_step();
                    return self.rate * if high { 1.0 + step } else { 1.0 - step };
                }
            }
            Phase::Moving { up, gradient } => {
                let change = self.rule.change(self.rate, gradient);
                self.rate += if up { change } else { -change };
            }
        }
        self.rate = self.rate.clamp(RATE_MIN, RATE_MAX);
        self.rate
    }

    /// Begins an interval if the one before is over.
    fn begin(&mut self, path: &Path) {
        let Some(srtt) = self.srtt.filter(|_| self.monitor.is_over(path.now)) else { return };
        let rate = self.next_rate();
        let packets = PACKETS_MIN * self.mss.bits() as f64 / (rate * 1e6);
        let length = (self.rule.length(self.random.unit()) * srtt.as_secs_f64()).max(packets);
        self.monitor.begin(self.next, rate, path.now, Span::from_secs_f64(length.min(LENGTH_MAX)));
        self.next += 1;
    }

    /// The result of interval `number`.
    fn judge(&mut self, number: u64, measured: Result<Measured, f64>) {
        let measured = match measured {
            Ok(measured) => measured,
            // An unused rate gives no information on the path, and the rates derived from it are discarded.
            Err(unused) => {
                self.rate = self.rate.min(self.last.map_or(unused, |last| last.rate));
                // One that began before the present phase disturbs it no more than a result of that age.
                if number >= self.first {
                    self.probe();
                }
                return;
            }
        };
        let result = Sample { rate: measured.rate, utility: self.rule.utility(&measured) };
        self.utility = Some(result.utility);
        let Some(place) = number.checked_sub(self.first) else { return };
        match &mut self.phase {
            Phase::Starting => match self.last.filter(|last| result.utility < last.utility) {
                Some(last) => {
                    self.rate = last.rate;
                    self.probe();
                }
                None => self.last = Some(result),
            },
            Phase::Probing { results, .. } => {
                if let Some(of) = results.get_mut(place as usize) {
                    *of = Some(result);
                }
                if let [Some(one), Some(two), Some(three), Some(four)] = *results {
                    self.decide([one, two], [three, four]);
                }
            }
            Phase::Moving { up, gradient } => {
                let Some(last) = self.last.replace(result) else { return };
                let now = result.gradient(last);
                if (now > 0.0) == *up && now != 0.0 {
                    *gradient = now;
                } else {
                    (self.rate, self.last) = (last.rate, Some(last));
                    self.probe();
                }
            }
        }
    }

    /// Both pairs of a probing are known.
    fn decide(&mut self, first: [Sample; 2], second: [Sample; 2]) {
        let [gradient, again] = [first, second].map(|[one, other]| one.gradient(other));
        if gradient * again > 0.0 {
            let up = again > 0.0;
            let [one, other] = second;
            let better = if (one.rate > other.rate) == up { one } else { other };
            (self.rate, self.last) = (better.rate, Some(better));
            self.rule.on_moving();
            self.phase = Phase::Moving { up, gradient: again };
            self.first = self.next;
        } else {
            self.rule.on_disagreement();
            self.probe();
        }
    }
}

impl<R: Rule> CongestionControl for Pcc<R> {
    fn limits(&self) -> Limits {
        let pacing = self.monitor.rate().map(|rate| Rate::from_bps_f64(rate * 1e6));
        Limits { window: self.window().map(|window| window as u64), pacing, burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        let of_rate = self.srtt.zip(self.monitor.rate()).map_or(0.0, |(srtt, rate)| {
            WINDOW_GAIN * rate * 1e6 * srtt.as_secs_f64() / self.mss.bits() as f64
        });
        Some(of_rate.clamp(self.initial_window, WINDOW_MAX))
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.begin(path);
        self.monitor.sent(packet.size);
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let newest = ack.packets.len().saturating_sub(1);
        for (place, packet) in ack.packets.iter().enumerate() {
            self.monitor.acked(packet.sent_at, ack.rtt.filter(|_| place == newest));
        }
        if let Some(rtt) = path.rtt {
            if self.srtt.is_none() {
                let packets = self.initial_window / rtt.smoothed.as_secs_f64().max(RTT_MIN);
                self.rate = (packets * self.mss.bits() as f64 / 1e6).clamp(RATE_MIN, RATE_MAX);
            }
            self.srtt = Some(rtt.smoothed);
        }
        self.account(path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        for packet in loss.packets {
            self.monitor.lost(packet.sent_at);
        }
        self.account(path);
    }

    fn state(&self) -> &'static str {
        match self.phase {
            Phase::Starting => "starting",
            Phase::Probing { .. } => "probing",
            Phase::Moving { .. } => "moving",
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rate", self.rate);
        if let Some(utility) = self.utility {
            record("utility", utility);
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl<R: Rule> Pcc<R> {
    /// Judges the intervals whose results are known, and begins one if it is time.
    fn account(&mut self, path: &Path) {
        let overdue = self.srtt.map_or(Span::ZERO, |srtt| srtt * OVERDUE);
        while let Some((number, measured)) = self.monitor.finished(path.now, overdue) {
            self.judge(number, measured);
        }
        self.begin(path);
    }
}

/// Fewest packets for which an interval is long enough.
const PACKETS_MIN: f64 = 10.0;
/// Longest interval, seconds.
const LENGTH_MAX: f64 = 10.0;
/// Round trips after the end of an interval after which packets without a trace are lost.
const OVERDUE: u64 = 4;
/// Lowest and highest rate, Mbps.
const RATE_MIN: f64 = 0.01;
const RATE_MAX: f64 = 1e6;
/// Window over rate and round-trip time.
const WINDOW_GAIN: f64 = 2.0;
/// Largest window, packets: more than any path holds.
const WINDOW_MAX: f64 = 1_073_741_824.0;
/// Shortest round-trip time of which a rate is computed, seconds.
const RTT_MIN: f64 = 1e-6;
