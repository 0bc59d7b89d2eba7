//! TFRC, TCP-friendly rate control (Floyd, Handley, Padhye and Widmer, SIGCOMM 2000; RFC 3448; RFC 5348), with the
//! self-clocking of Bansal, Balakrishnan, Floyd and Shenker (SIGCOMM 2001).
//!
//! The receiver averages loss intervals and reports once a round trip; the sender takes the rate at which TCP would send
//! ([`equation`]), at most twice what arrives. Before the first loss it doubles each round trip. Without a report for
//! long enough the rate is halved. The spacing is scaled by `sqrt(sample) / mean of sqrt(samples)` so that a growing
//! queue slows the flow at once (RFC 5348 §4.5).
//!
//! Rules *2001* are those of ns-2 at that time: one packet a round trip at first, round-trip weight 0.05, a rate that
//! grows by at most one packet a round trip for each round trip, no report for two round trips halves. *rfc5348* starts
//! with up to four packets, weight 0.1, no such bound, the largest of two round trips' receive rates, four round trips.
//!
//! Deviations: see the card.

mod card;
mod receive_rates;

pub(crate) use card::TFRC;

use super::equation::{self, Form};
use super::{FASTEST, SLOWEST, payload_rate};
use crate::{
    Ack, CongestionControl, Limits, Loss, LossHistory, Path, Report, Reports, SentPacket, Transport,
};
use narrows_units::{Bytes, Span, Time};
use receive_rates::ReceiveRates;

/// The rate of one flow.
#[derive(Clone, Debug)]
pub struct Tfrc {
    rules: Rules,
    /// What the receiver does.
    history: LossHistory,
    /// `C`: self-clocking lets out at most this many times what arrives; `None` without it.
    self_clocking: Option<f64>,
    /// Packets are spaced by the newest round trip.
    damping: bool,
    mss: Bytes,
    /// Packets a second.
    rate: f64,
    /// `None` before the first report.
    rtt: Option<RoundTrip>,
    received: ReceiveRates,
    /// When the rate last grew.
    grown_at: Time,
    /// When the lack of reports halves the rate; `None` before the first packet.
    halving_at: Option<Time>,
    loss_event_rate: f64,
}

/// Which of the published rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rules {
    Year2001,
    Rfc5348,
}

/// Averages over the round trip, seconds and their square root.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    mean: f64,
    root_mean: f64,
    newest: f64,
}

impl CongestionControl for Tfrc {
    fn limits(&self) -> Limits {
        let scale = match self.rtt {
            Some(rtt) if self.damping => rtt.root_mean / rtt.newest.sqrt(),
            _ => 1.0,
        };
        let rate = (self.rate * scale).min(FASTEST);
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
        if self.halving_at.is_none() {
            self.halving_at = Some(packet.sent_at + UNSAMPLED_PATIENCE);
        }
    }

    fn on_report(&mut self, report: &Report, path: &Path) {
        let first = self.rtt.is_none();
        let rtt = self.average(report.rtt);
        let arriving = (report.receive_rate.as_bps() as f64 / self.mss.bits() as f64).min(FASTEST);
        let bound = match self.rules {
            Rules::Year2001 => (2.0 * arriving).max(1.0 / rtt),
            Rules::Rfc5348 => 2.0 * self.received.add(arriving, path.now, rtt),
        };
        self.loss_event_rate = report.loss_event_rate.clamp(0.0, 1.0);
        if self.loss_event_rate > 0.0 {
            self.follow_equation(bound, rtt, path.now);
        } else {
            self.start_slowly(bound, first, rtt, path.now);
        }
        if let Some(factor) = self.self_clocking.filter(|_| self.loss_event_rate > 0.0) {
            let allowed = if report.lost > 0 { arriving } else { factor * arriving };
            self.rate = self.rate.min(allowed.max(1.0 / rtt));
        }
        self.rate = self.rate.clamp(SLOWEST, FASTEST);
        self.halving_at = Some(path.now + self.patience());
    }

    fn next_timer(&self) -> Option<Time> {
        self.halving_at
    }

    fn on_timer(&mut self, path: &Path) {
        if self.halving_at.is_none_or(|at| path.now < at) {
            return;
        }
        self.rate = (self.rate / 2.0).max(SLOWEST);
        self.received.replace(self.rate / 2.0, path.now);
        self.halving_at = Some(path.now + self.patience());
    }

    fn transport(&self) -> Transport {
        Transport::Datagram(Reports::LossEvents(self.history))
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("rate", self.rate);
        tell("loss_event_rate", self.loss_event_rate);
        if let Some(rtt) = self.rtt {
            tell("rtt", rtt.mean);
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Tfrc {
    /// The mean round trip in seconds with `sample` taken in.
    fn average(&mut self, sample: Span) -> f64 {
        let newest = sample.as_secs_f64().max(SHORTEST_RTT);
        let gain = match self.rules {
            Rules::Year2001 => 0.05,
            Rules::Rfc5348 => 0.1,
        };
        let rtt = match self.rtt {
            None => RoundTrip { mean: newest, root_mean: newest.sqrt(), newest },
            Some(before) => RoundTrip {
                mean: before.mean + gain * (newest - before.mean),
                root_mean: before.root_mean + gain * (newest.sqrt() - before.root_mean),
                newest,
            },
        };
        self.rtt = Some(rtt);
        rtt.mean
    }

    /// No loss yet: the rate doubles once a round trip (RFC 5348 §4.3, step 5).
    fn start_slowly(&mut self, bound: f64, first: bool, rtt: f64, now: Time) {
        let initial = match self.rules {
            Rules::Year2001 => 1.0 / rtt,
            Rules::Rfc5348 => initial_window(self.mss) / rtt,
        };
        if first {
            self.rate = initial;
            self.grown_at = now;
        } else if now.since(self.grown_at).as_secs_f64() >= rtt {
            self.rate = (2.0 * self.rate).min(bound).max(initial);
            self.grown_at = now;
        }
    }

    /// As fast as TCP would send, at most `bound`.
    fn follow_equation(&mut self, bound: f64, rtt: f64, now: Time) {
        self.rate = match self.rules {
            Rules::Rfc5348 => equation::throughput(self.loss_event_rate, rtt, Form::Simple).min(bound),
            Rules::Year2001 => {
                let fair = equation::throughput(self.loss_event_rate, rtt, Form::Bounded);
                let rounds = (now.since(self.grown_at).as_secs_f64() / rtt).min(MOST_ROUNDS);
                fair.min(self.rate + rounds / rtt).min(bound)
            }
        };
        self.grown_at = now;
    }

    /// How long the sender waits for the next report before it halves the rate (RFC 5348 §4.3, step 7).
    fn patience(&self) -> Span {
        let rounds = match self.rules {
            Rules::Year2001 => 2.0,
            Rules::Rfc5348 => 4.0,
        };
        let two_packets = Span::from_secs_f64(2.0 / self.rate);
        match self.rtt {
            None => two_packets.max(UNSAMPLED_PATIENCE),
            Some(rtt) => Span::from_secs_f64(rounds * rtt.mean).max(two_packets),
        }
    }
}

/// `W_init / s`: `min(4 s, max(2 s, 4380))` bytes (RFC 5348 §4.2; RFC 3390).
fn initial_window(mss: Bytes) -> f64 {
    (4380.0 / mss.count().max(1) as f64).clamp(2.0, 4.0)
}

/// The first wait for a report (RFC 5348 §4.2).
const UNSAMPLED_PATIENCE: Span = Span::from_ms(2_000);
/// A round trip is not taken for shorter than this, seconds.
const SHORTEST_RTT: f64 = 1e-9;
/// Round trips' growth that a late report brings at most, in ns-2.
const MOST_ROUNDS: f64 = 2.0;
