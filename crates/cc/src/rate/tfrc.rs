// SPDX-License-Identifier: Apache-2.0
//! TFRC, TCP-friendly rate control (Floyd, Handley, Padhye and Widmer, SIGCOMM 2000; RFC 3448; RFC 5348), with the
//! self-clocking of Bansal, Balakrishnan, Floyd and Shenker (SIGCOMM 2001).
//!
//! The receiver averages loss intervals and reports once per round trip. The sender's rate is the result of the TCP
//! throughput [`equation`], at most twice the receive rate. Before the first loss the rate doubles every round trip. If
//! the nofeedback timer expires the rate is halved. The packet spacing is multiplied by `sqrt(sample) / mean of
//! sqrt(samples)` of the round-trip time, so that the flow responds to a growing queue at once (RFC 5348 §4.5).
//!
//! Rules *2001* follow ns-2 at that time: initially one packet per round trip, weight 0.05 of a round-trip time sample,
//! an increase of at most one packet per round trip for each round trip, a nofeedback timer of two round trips. Rules
//! *rfc5348*: initially up to four packets, weight 0.1, no bound of the increase, the largest receive rate of two round
//! trips, a nofeedback timer of four round trips.

mod card;
mod receive_rates;

use alloc::boxed::Box;
pub(crate) use card::TFRC;
#[cfg(not(feature = "std"))]
use narrows_units::Float;

use super::equation::{self, Form};
use super::{RATE_MAX, RATE_MIN, payload_rate};
use crate::{Ack, CongestionControl, Limits, Loss, Path, Report, SentPacket};
use narrows_units::{Bytes, Span, Time};
use receive_rates::ReceiveRates;

/// The parameters and the state of a TFRC sender (RFC 5348).
#[derive(Clone, Debug)]
pub struct Tfrc {
    rules: Rules,
    /// `C`: with self-clocking the rate is at most this many times the receive rate; `None` without self-clocking.
    self_clocking: Option<f64>,
    /// The packet spacing follows the latest round-trip time (RFC 5348 §4.5).
    damping: bool,
    mss: Bytes,
    /// Packets per second.
    rate: f64,
    /// `None` before the first report.
    rtt: Option<RoundTrip>,
    received: ReceiveRates,
    /// Time of the last increase of the rate.
    increased_at: Time,
    /// Expiry of the nofeedback timer; `None` before the first packet.
    nofeedback_at: Option<Time>,
    loss_event_rate: f64,
}

/// The versions of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    /// The parameters of ns-2 in 2001.
    Year2001,
    Rfc5348,
}

/// Round-trip times, seconds.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    /// Smoothed.
    mean: f64,
    /// Smoothed square root (`R_sqmean`).
    root_mean: f64,
    latest: f64,
}

impl CongestionControl for Tfrc {
    fn limits(&self) -> Limits {
        let scale = match self.rtt {
            Some(rtt) if self.damping => rtt.root_mean / rtt.latest.sqrt(),
            _ => 1.0,
        };
        let rate = (self.rate * scale).min(RATE_MAX);
        Limits { window: None, pacing: Some(payload_rate(rate, self.mss)), burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    fn on_loss(&mut self, _loss: &Loss<'_>, _path: &Path) {}

    fn on_sent(&mut self, packet: &SentPacket, _path: &Path) {
        if self.nofeedback_at.is_none() {
            self.nofeedback_at = Some(packet.sent_at + INITIAL_NOFEEDBACK_TIME);
        }
    }

    fn on_report(&mut self, report: &Report, path: &Path) {
        let first = self.rtt.is_none();
        let rtt = self.average(report.rtt);
        let receive_rate = (report.receive_rate.as_bps() as f64 / self.mss.bits() as f64).min(RATE_MAX);
        let bound = match self.rules {
            Rules::Year2001 => (2.0 * receive_rate).max(1.0 / rtt),
            Rules::Rfc5348 => 2.0 * self.received.add(receive_rate, path.now, rtt),
        };
        self.loss_event_rate = report.loss_event_rate.clamp(0.0, 1.0);
        if self.loss_event_rate > 0.0 {
            self.follow_equation(bound, rtt, path.now);
        } else {
            self.slow_start(bound, first, rtt, path.now);
        }
        if let Some(factor) = self.self_clocking.filter(|_| self.loss_event_rate > 0.0) {
            let allowed = if report.lost > 0 { receive_rate } else { factor * receive_rate };
            self.rate = self.rate.min(allowed.max(1.0 / rtt));
        }
        self.rate = self.rate.clamp(RATE_MIN, RATE_MAX);
        self.nofeedback_at = Some(path.now + self.nofeedback_time());
    }

    fn next_timer(&self) -> Option<Time> {
        self.nofeedback_at
    }

    fn on_timer(&mut self, path: &Path) {
        if self.nofeedback_at.is_none_or(|at| path.now < at) {
            return;
        }
        self.rate = (self.rate / 2.0).max(RATE_MIN);
        self.received.replace(self.rate / 2.0, path.now);
        self.nofeedback_at = Some(path.now + self.nofeedback_time());
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rate", self.rate);
        record("loss_event_rate", self.loss_event_rate);
        if let Some(rtt) = self.rtt {
            record("rtt_s", rtt.mean);
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Tfrc {
    /// Adds `sample`. Returns the smoothed round-trip time, seconds.
    fn average(&mut self, sample: Span) -> f64 {
        let latest = sample.as_secs_f64().max(RTT_MIN);
        let gain = match self.rules {
            Rules::Year2001 => 0.05,
            Rules::Rfc5348 => 0.1,
        };
        let rtt = match self.rtt {
            None => RoundTrip { mean: latest, root_mean: latest.sqrt(), latest },
            Some(before) => RoundTrip {
                mean: before.mean + gain * (latest - before.mean),
                root_mean: before.root_mean + gain * (latest.sqrt() - before.root_mean),
                latest,
            },
        };
        self.rtt = Some(rtt);
        rtt.mean
    }

    /// Before the first loss: the rate doubles once per round trip (RFC 5348 §4.3, step 5).
    fn slow_start(&mut self, bound: f64, first: bool, rtt: f64, now: Time) {
        let initial = match self.rules {
            Rules::Year2001 => 1.0 / rtt,
            Rules::Rfc5348 => initial_window(self.mss) / rtt,
        };
        if first {
            self.rate = initial;
            self.increased_at = now;
        } else if now.since(self.increased_at).as_secs_f64() >= rtt {
            self.rate = (2.0 * self.rate).min(bound).max(initial);
            self.increased_at = now;
        }
    }

    /// The rate of the equation, at most `bound` packets per second (RFC 5348 §4.3, step 4).
    fn follow_equation(&mut self, bound: f64, rtt: f64, now: Time) {
        self.rate = match self.rules {
            Rules::Rfc5348 => equation::throughput(self.loss_event_rate, rtt, Form::Simple).min(bound),
            Rules::Year2001 => {
                let fair = equation::throughput(self.loss_event_rate, rtt, Form::Bounded);
                let rounds = (now.since(self.increased_at).as_secs_f64() / rtt).min(INCREASE_ROUNDS_MAX);
                fair.min(self.rate + rounds / rtt).min(bound)
            }
        };
        self.increased_at = now;
    }

    /// Length of the nofeedback timer (RFC 5348 §4.3, step 7).
    fn nofeedback_time(&self) -> Span {
        let rounds = match self.rules {
            Rules::Year2001 => 2.0,
            Rules::Rfc5348 => 4.0,
        };
        let two_packets = Span::from_secs_f64(2.0 / self.rate);
        match self.rtt {
            None => two_packets.max(INITIAL_NOFEEDBACK_TIME),
            Some(rtt) => Span::from_secs_f64(rounds * rtt.mean).max(two_packets),
        }
    }
}

/// `W_init`, packets: `min(4 s, max(2 s, 4380))` bytes (RFC 5348 §4.2; RFC 3390).
fn initial_window(mss: Bytes) -> f64 {
    (4380.0 / mss.count().max(1) as f64).clamp(2.0, 4.0)
}

/// Initial nofeedback timer (RFC 5348 §4.2).
const INITIAL_NOFEEDBACK_TIME: Span = Span::from_ms(2_000);
/// Lower bound of round-trip time samples, seconds.
const RTT_MIN: f64 = 1e-9;
/// Largest number of round trips for which a late report increases the rate, in ns-2.
const INCREASE_ROUNDS_MAX: f64 = 2.0;
