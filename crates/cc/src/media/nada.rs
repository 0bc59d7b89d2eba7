// SPDX-License-Identifier: Apache-2.0
//! NADA, network-assisted dynamic adaptation (RFC 8698): a reference rate that follows one congestion signal `x`, the delay that
//! queueing, losses and marks are worth.
//!
//! * `x = d̃ + DLOSS (p_loss / PLRREF)² + DMARK (p_mark / PMRREF)²`; `d̃` is the queueing delay or, where losses are recent, falls
//!   with it above `QTH` (eq. 1, 2).
//! * Accelerated ramp-up while no queue builds up: `r = max(r, (1 + γ) r_recv)` (eq. 3, 4).
//! * Gradual update otherwise (eq. 5 to 7). It rests where `x = PRIO · XREF · RMAX / r`.

use super::queue_delay::QueueDelay;
use super::received::{Received, WINDOW};
use super::{NEEDS, is_past, window_of_rate};
use crate::filter::WindowedMax;
use crate::{Ack, Cause, CongestionControl, Dash, EcnUse, Entry, Hue, Limits, Loss, Path, Setup, Style};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::{Bytes, Rate, Span, Time};

/// The parameters and the state of NADA (RFC 8698). Rates are in bit/s, delays in milliseconds.
#[derive(Clone, Debug)]
pub struct Nada {
    priority: f64,
    minimum: f64,
    maximum: f64,
    mss: Bytes,
    initial_window: f64,
    /// `r_ref`.
    rate: f64,
    /// `x_curr`.
    signal: f64,
    delay: QueueDelay,
    /// The last samples of the queueing delay.
    samples: VecDeque<f64>,
    /// Largest sample of the last half second, microseconds.
    largest: WindowedMax,
    received: Received,
    /// Packets acknowledged, marked and lost since the last update, and the smoothed shares.
    acked: u64,
    marked: u64,
    lost: u64,
    mark_ratio: f64,
    loss_ratio: f64,
    losses: Losses,
    lost_at: Option<Time>,
    updated_at: Option<Time>,
    /// Smoothed round-trip time, seconds.
    srtt: f64,
    ramping: bool,
}

/// Intervals between loss events, packets.
#[derive(Clone, Debug, Default)]
struct Losses {
    /// Closed intervals, the newest first.
    closed: VecDeque<f64>,
    /// Packets since the last loss event.
    open: f64,
    any: bool,
}

impl Losses {
    fn on_event(&mut self) {
        if self.any {
            self.closed.push_front(self.open);
            self.closed.truncate(WEIGHTS.len());
        }
        (self.open, self.any) = (0.0, true);
    }

    /// Whether the last loss is so recent that the delay is warped.
    fn is_recent(&self) -> bool {
        let weighted = |of: &dyn Fn(f64) -> f64| -> f64 {
            self.closed.iter().zip(WEIGHTS).map(|(interval, weight)| weight * of(*interval)).sum()
        };
        let weights = weighted(&|_| 1.0);
        // The first interval is the packets before the first loss, which say nothing; it is recent until one is closed.
        let mean = if weights > 0.0 { weighted(&|interval| interval) / weights } else { f64::INFINITY };
        self.any && self.open < MULTILOSS * mean
    }
}

impl Nada {
    /// The queueing delay that counts (eq. 1).
    fn delay(&self) -> f64 {
        let queue = self.samples.iter().copied().fold(f64::INFINITY, f64::min);
        if queue.is_infinite() {
            0.0
        } else if queue > QTH && self.losses.is_recent() {
            QTH * libm::exp(-LAMBDA * (queue - QTH) / QTH)
        } else {
            queue
        }
    }

    fn update(&mut self, now: Time) {
        if !is_past(self.updated_at, DELTA, now) {
            return;
        }
        let updated_at = self.updated_at.replace(now);
        let all = (self.acked + self.lost) as f64;
        if all > 0.0 {
            self.loss_ratio += ALPHA * (self.lost as f64 / all - self.loss_ratio);
            self.mark_ratio += ALPHA * (self.marked as f64 / all - self.mark_ratio);
        }
        (self.acked, self.marked, self.lost) = (0, 0, 0);
        let square = |share: f64, reference: f64| (share / reference) * (share / reference);
        let before = self.signal;
        let losses = DLOSS * square(self.loss_ratio, PLRREF);
        let marks = DMARK * square(self.mark_ratio, PMRREF);
        self.signal = (self.delay() + losses + marks).min(SIGNAL_MAX);
        let Some(updated_at) = updated_at else { return };
        self.ramping = is_past(self.lost_at, WINDOW, now) && (self.largest.get() as f64) < 1000.0 * QEPS;
        if self.ramping {
            let gamma = (QBOUND / (1000.0 * self.srtt + FILTERING)).min(GAMMA_MAX);
            if let Some(received) = self.received.rate(now) {
                self.rate = self.rate.max((1.0 + gamma) * received);
            }
        } else {
            let offset = self.signal - self.priority * XREF * self.maximum / self.rate;
            let difference = self.signal - before;
            let by_offset = 1000.0 * now.since(updated_at).min(LONGEST).as_secs_f64() / TAU * offset / TAU;
            self.rate -= KAPPA * (by_offset + ETA * difference / TAU) * self.rate;
        }
        self.rate = self.rate.min(self.maximum).max(self.minimum);
    }
}

impl CongestionControl for Nada {
    fn limits(&self) -> Limits {
        Limits {
            window: self.window().map(|window| window as u64),
            pacing: Some(Rate::from_bps_f64(SENDING_GAIN * self.rate)),
            burst: self.mss,
        }
    }

    fn window(&self) -> Option<f64> {
        Some(window_of_rate(self.rate, self.srtt, self.initial_window, self.mss.count() as f64))
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn target(&self) -> Option<Rate> {
        Some(Rate::from_bps_f64(self.rate))
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(rtt) = path.rtt {
            self.srtt = rtt.smoothed.as_secs_f64();
        }
        self.received.add(ack, path.now);
        self.acked += ack.newly_acked;
        self.marked += ack.ce_packets.min(ack.newly_acked);
        self.losses.open += ack.newly_acked as f64;
        if let Some(queue) = self.delay.sample(ack, path.now) {
            if self.samples.len() == TAPS {
                self.samples.pop_front();
            }
            self.samples.push_back(1000.0 * queue);
            self.largest.update(WINDOW.as_ps(), path.now.as_ps(), (1e6 * queue) as u64);
        }
        self.update(path.now);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.cause == Cause::Mark {
            return;
        }
        self.lost += loss.lost;
        self.lost_at = Some(path.now);
        if loss.new_episode {
            self.losses.on_event();
        }
        self.update(path.now);
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Counted
    }

    fn state(&self) -> &'static str {
        if self.ramping { "accelerated-ramp-up" } else { "gradual-update" }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("r_ref_bps", self.rate);
        record("x_curr_ms", self.signal);
        record("p_loss", self.loss_ratio);
        record("p_mark", self.mark_ratio);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// `XREF`, milliseconds.
const XREF: f64 = 10.0;
const KAPPA: f64 = 0.5;
const ETA: f64 = 2.0;
/// `TAU`, milliseconds.
const TAU: f64 = 500.0;
const DELTA: Span = Span::from_ms(100);
/// `DELTA` and `DFILT`, milliseconds.
const FILTERING: f64 = 220.0;
/// Longest time that one update counts: `TAU`.
const LONGEST: Span = Span::from_ms(500);
/// `QEPS`, `QBOUND` and `QTH`, milliseconds.
const QEPS: f64 = 10.0;
const QBOUND: f64 = 50.0;
const QTH: f64 = 50.0;
const GAMMA_MAX: f64 = 0.5;
const LAMBDA: f64 = 0.5;
const MULTILOSS: f64 = 7.0;
/// `DLOSS` and `DMARK`, milliseconds, and the shares that are worth them.
const DLOSS: f64 = 10.0;
const DMARK: f64 = 2.0;
const PLRREF: f64 = 0.01;
const PMRREF: f64 = 0.01;
const ALPHA: f64 = 0.1;
/// `NADA_PARAM_XMAX` of the authors' code, milliseconds.
const SIGNAL_MAX: f64 = 500.0;
/// Samples of whose delay the least counts.
const TAPS: usize = 15;
/// Weights of loss intervals (RFC 5348 §5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];
/// Sending rate over reference rate while data waits (equation 12: at most 5 % more).
const SENDING_GAIN: f64 = 1.05;

/// The card of `nada`.
pub(crate) const NADA: Entry = Entry {
    card: Card {
        name: "nada",
        family: "media",
        summary: "NADA: the bit rate of an encoder by one signal of queueing delay, losses and marks",
        source: "RFC 8698",
        equations: &[
            "x = d + 10 ms (p_loss / 0.01)^2 + 2 ms (p_mark / 0.01)^2, at most 500 ms, every 100 ms",
            "d: queueing delay q, the least of 15 samples; where losses are recent and q > 50 ms: 50 exp(-0.5 (q - 50) / 50) ms",
            "no loss and q < 10 ms for 500 ms: r = max(r, (1 + g) r_recv), g = min(0.5, 50 ms / (rtt + 220 ms))",
            "else r = r - 0.5 r (dt / tau (x - prio 10 ms maximum / r) / tau + 2 (x - x_before) / tau), tau = 500 ms",
            "rest: x = prio 10 ms maximum / r; target = r, pacing 1.05 r",
        ],
        parameters: &[
            Parameter::number("prio", "weight of the flow among others", 1.0, 0.01..=100.0)
                .source("RFC 8698, list of parameters: PRIO"),
            Parameter {
                name: "minimum",
                meaning: "least bit rate, RMIN",
                unit: "",
                source: "RFC 8698, list of parameters",
                domain: Domain::Rate { default: "150kbps" },
            },
            Parameter {
                name: "maximum",
                meaning: "greatest bit rate, RMAX; at least the minimum",
                unit: "",
                source: "RFC 8698, list of parameters",
                domain: Domain::Rate { default: "1500kbps" },
            },
        ],
        variables: &[
            Variable { name: "r_ref_bps", unit: "bit/s", meaning: "reference rate, r" },
            Variable { name: "x_curr_ms", unit: "ms", meaning: "congestion signal, x" },
            Variable { name: "p_loss", unit: "", meaning: "smoothed share of lost packets" },
            Variable { name: "p_mark", unit: "", meaning: "smoothed share of marked packets" },
        ],
        deviations: &[
            "over a reliable transport, which sends lost packets again; the sender computes the signal from acknowledgements of each packet at once, as RFC 8698 permits",
            "what waits at the sender is not known: the pacing rate is always 1.05 r, which equation 12 has as its most; a call's encoder applies equation 11",
            "the signal is at most 500 ms, as in the authors' code (ns3-rmcat): without a bound the rate would leap up as the share of losses is forgotten",
            "an update counts for at most 500 ms, so that a pause does not make the rate negative",
            "the mean loss interval has the weights of RFC 5348; until a second loss event the first counts as recent",
            "the window is twice what the rate fills a smoothed round trip with, so that a sender without acknowledgements stops; the RFC has none",
        ],
    },
    style: Some(Style(Hue::Slate, Dash::Pair)),
    needs: |_| NEEDS,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let bps = |name| values.rate(name).as_bps() as f64;
    let minimum = bps("minimum");
    Box::new(Nada {
        priority: values.number("prio"),
        minimum,
        maximum: bps("maximum").max(minimum),
        mss: setup.mss,
        initial_window: setup.initial_window,
        rate: minimum,
        signal: 0.0,
        delay: QueueDelay::default(),
        samples: VecDeque::new(),
        largest: WindowedMax::default(),
        received: Received::default(),
        acked: 0,
        marked: 0,
        lost: 0,
        mark_ratio: 0.0,
        loss_ratio: 0.0,
        losses: Losses::default(),
        lost_at: None,
        updated_at: None,
        srtt: 0.0,
        ramping: true,
    })
}
