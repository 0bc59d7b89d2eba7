// SPDX-License-Identifier: Apache-2.0
//! GCC, Google congestion control (draft-ietf-rmcat-gcc-02): the lesser of a rate that follows the gradient of the one-way delay, and one
//! that follows losses.
//!
//! * A filter measures how the delay grows from group to group of packets, and signals over-use, under-use or neither.
//! * Over-use lowers the rate `A` to 0.85 of what arrives, under-use holds it until the queue is empty; otherwise it grows by 8 % in a
//!   second or, near the rate at which over-use was seen before, by half a packet in a response time.
//! * Losses of more than 10 % lower the rate `As` by half of their share, fewer than 2 % raise it by 5 %.

mod gradient;

use super::received::Received;
use super::{NEEDS, is_past, window_of_rate};
use crate::{Ack, Cause, CongestionControl, Dash, EcnUse, Entry, Hue, Limits, Loss, Path, Setup, Style};
use alloc::boxed::Box;
use gradient::{DRAFT, Gradient, Signal, WEBRTC};
use narrows_card::{Card, Domain, Parameter, Values, Variable};
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Rate, Span, Time};

/// The parameters and the state of GCC. Rates are in bit/s.
#[derive(Clone, Debug)]
pub struct Gcc {
    minimum: f64,
    maximum: f64,
    mss: Bytes,
    initial_window: f64,
    gradient: Gradient,
    received: Received,
    state: State,
    /// `A_hat`: the rate by the delay.
    by_delay: f64,
    /// `As_hat`: the rate by losses.
    by_loss: f64,
    capacity: Option<Capacity>,
    /// Packets acknowledged and lost since the last feedback.
    acked: u64,
    lost: u64,
    updated_at: Option<Time>,
    decreased_at: Option<Time>,
    /// Smoothed round-trip time, seconds.
    srtt: f64,
}

/// The states of the rate control (§5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Increase,
    Decrease,
    Hold,
}

/// What arrived when the rate was lowered before: mean and normalised variance, kbit/s.
#[derive(Clone, Copy, Debug)]
struct Capacity {
    mean: f64,
    variance: f64,
}

impl Capacity {
    /// Adds what arrives when the rate is lowered, `rate` in bit/s.
    fn updated(known: Option<Self>, rate: f64) -> Self {
        let rate = rate / 1000.0;
        let Some(Self { mean, variance }) = known else {
            return Self { mean: rate, variance: VARIANCE_MIN };
        };
        let mean = CAPACITY_MEMORY * mean + (1.0 - CAPACITY_MEMORY) * rate;
        let square = (mean - rate) * (mean - rate) / mean.max(1.0);
        let variance = CAPACITY_MEMORY * variance + (1.0 - CAPACITY_MEMORY) * square;
        Self { mean, variance: variance.clamp(VARIANCE_MIN, VARIANCE_MAX) }
    }

    /// Returns the rates, bit/s, between which a rate is close to it.
    fn range(self) -> (f64, f64) {
        let three = 3.0 * (self.variance * self.mean).sqrt();
        (1000.0 * (self.mean - three), 1000.0 * (self.mean + three))
    }
}

impl Gcc {
    fn rate(&self) -> f64 {
        self.by_delay.min(self.by_loss).min(self.maximum).max(self.minimum)
    }

    /// The change of state by a signal (§5.5).
    fn enter(&mut self, signal: Signal) {
        self.state = match (signal, self.state) {
            (Signal::OverUse, _) => State::Decrease,
            (Signal::UnderUse, _) | (Signal::Normal, State::Decrease) => State::Hold,
            (Signal::Normal, State::Hold | State::Increase) => State::Increase,
        };
    }

    /// What over-use takes to be detected, seconds.
    fn response_time(&self) -> f64 {
        DETECTION_TIME + self.srtt
    }

    /// The delay-based rate, `elapsed` seconds after the last time.
    fn update_by_delay(&mut self, elapsed: f64, now: Time) {
        let received = self.received.rate(now);
        match self.state {
            State::Hold => {}
            State::Decrease => {
                if !is_past(self.decreased_at, Span::from_secs_f64(self.response_time()), now) {
                    return;
                }
                let arrives = received.unwrap_or(self.by_delay);
                self.by_delay = (BETA * arrives).min(self.by_delay);
                self.capacity = Some(Capacity::updated(self.capacity, arrives));
                self.decreased_at = Some(now);
            }
            State::Increase => {
                let arrives = received.unwrap_or(0.0);
                if self.capacity.is_some_and(|known| arrives > known.range().1) {
                    self.capacity = None;
                }
                let is_close = self.capacity.is_some_and(|known| arrives >= known.range().0);
                let grown = if is_close {
                    let frame = self.by_delay / FRAMES_PER_SECOND;
                    let packet = frame / (frame / PACKET_BITS).ceil();
                    let share = 0.5 * (elapsed / self.response_time()).min(1.0);
                    self.by_delay + (share * packet).max(LEAST_INCREASE)
                } else {
                    self.by_delay * libm::pow(GROWTH, elapsed.min(1.0))
                };
                let most = received.map_or(f64::INFINITY, |rate| HEADROOM * rate);
                self.by_delay = grown.min(most.max(self.by_delay));
            }
        }
        self.by_delay = self.by_delay.min(self.maximum).max(self.minimum);
    }

    /// The loss-based rate (§6).
    fn update_by_loss(&mut self) {
        let (acked, lost) = (self.acked as f64, self.lost as f64);
        (self.acked, self.lost) = (0, 0);
        if acked + lost == 0.0 {
            return;
        }
        let share = lost / (acked + lost);
        if share > LOSS_HIGH {
            self.by_loss *= 1.0 - 0.5 * share;
        } else if share < LOSS_LOW {
            self.by_loss *= LOSS_GROWTH;
        }
        self.by_loss = self.by_loss.min(self.maximum).max(self.minimum);
    }

    /// Updates both rates if a feedback is due, or the delay-based one at once where over-use begins.
    fn update(&mut self, now: Time) {
        let elapsed = self.updated_at.map_or(0.0, |at| now.since(at).as_secs_f64());
        let signal = self.gradient.signal();
        if !is_past(self.updated_at, FEEDBACK_INTERVAL, now) {
            if signal == Signal::OverUse && self.state != State::Decrease {
                self.enter(signal);
                self.update_by_delay(elapsed, now);
            }
            return;
        }
        self.enter(signal);
        self.update_by_delay(elapsed, now);
        self.update_by_loss();
        self.updated_at = Some(now);
    }
}

impl CongestionControl for Gcc {
    fn limits(&self) -> Limits {
        let rate = self.rate();
        let burst = Bytes::new((rate * BURST_TIME / 8.0) as u64).max(self.mss);
        Limits {
            window: self.window().map(|window| window as u64),
            pacing: Some(Rate::from_bps_f64(rate)),
            burst,
        }
    }

    fn window(&self) -> Option<f64> {
        Some(window_of_rate(self.rate(), self.srtt, self.initial_window, self.mss.count() as f64))
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn target(&self) -> Option<Rate> {
        Some(Rate::from_bps_f64(self.rate()))
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(rtt) = path.rtt {
            self.srtt = rtt.smoothed.as_secs_f64();
        }
        self.received.add(ack, path.now);
        // A mark counts as a loss.
        let marked = ack.ce_packets.min(ack.newly_acked);
        self.acked += ack.newly_acked - marked;
        self.lost += marked;
        if let (Some(newest), Some(delay)) = (ack.packets.last(), ack.one_way) {
            self.gradient.add(newest.sent_at, newest.sent_at + delay);
        }
        self.update(path.now);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if loss.cause != Cause::Mark {
            self.lost += loss.lost;
        }
        self.update(path.now);
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Counted
    }

    fn state(&self) -> &'static str {
        match self.state {
            State::Increase => "increase",
            State::Decrease => "decrease",
            State::Hold => "hold",
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("a_bps", self.by_delay);
        record("as_bps", self.by_loss);
        record("gradient_ms", self.gradient.estimate());
        record("threshold_ms", self.gradient.threshold());
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Time between two feedbacks: the target of transport-wide feedback in WebRTC.
const FEEDBACK_INTERVAL: Span = Span::from_ms(100);
/// Delay of the over-use detector and the rate control beyond the round-trip time, seconds.
const DETECTION_TIME: f64 = 0.1;
/// `beta`.
const BETA: f64 = 0.85;
/// Growth in a second, far from convergence.
const GROWTH: f64 = 1.08;
/// Frame rate and packet size by which a packet is estimated, and the least increase, all of §5.5.
const FRAMES_PER_SECOND: f64 = 30.0;
const PACKET_BITS: f64 = 9600.0;
const LEAST_INCREASE: f64 = 1000.0;
/// Limit of the ratio of the rate to the received rate.
const HEADROOM: f64 = 1.5;
/// Weight of the past in the mean rate at decreases.
const CAPACITY_MEMORY: f64 = 0.95;
/// Bounds of its variance over its mean, kbit/s (`LinkCapacityEstimator` of WebRTC).
const VARIANCE_MIN: f64 = 0.4;
const VARIANCE_MAX: f64 = 2.5;
/// Shares of lost packets below which the loss-based rate grows, and above which it falls; its growth.
const LOSS_LOW: f64 = 0.02;
const LOSS_HIGH: f64 = 0.1;
const LOSS_GROWTH: f64 = 1.05;
/// `burst_time`, seconds.
const BURST_TIME: f64 = 0.005;

/// The card of `gcc`.
pub(crate) const GCC: Entry = Entry {
    card: Card {
        name: "gcc",
        family: "media",
        summary: "Google congestion control of WebRTC: the bit rate of an encoder by the gradient of the one-way delay, and by losses",
        source: "draft-ietf-rmcat-gcc-02; WebRTC (goog_cc) where it says so",
        equations: &[
            "group i of packets, sent within 5 ms: d = (t_i - t_i-1) - (T_i - T_i-1), t arrivals, T departures, ms",
            "z = d - m; k = (e + q) / (v + e + q); m = m + k z; e = (1 - k) (e + q); q = 0.001",
            "v = max(a v + (1 - a) z^2, 1), a = 0.99^(30 dT / 1000), dT the least T_i - T_i-1 of five; z at most 3 sqrt(v)",
            "G = min(60, groups) m (draft: m); over-use: G > th for 10 ms, m not falling; under-use: G < -th",
            "th = th + dt K (|G| - th), K = 0.0087 above and 0.039 below th (draft: 0.01, 0.00018), not where |G| - th > 15; 6 to 600",
            "over-use: A = 0.85 R, R the rate that arrives; under-use: hold; else A = 1.08^s A, at most 1.5 R",
            "R within three deviations of its mean at decreases: A = A + max(1000, 0.5 s / (0.1 + rtt) packet)",
            "losses p: above 10 % As = (1 - p / 2) As, below 2 % As = 1.05 As; target = min(A, As)",
        ],
        parameters: &[
            Parameter {
                name: "detector",
                meaning: "constants of the detector of over-use",
                unit: "",
                source: "OveruseDetector of WebRTC, or draft-ietf-rmcat-gcc-02 §5.6",
                domain: Domain::Choice { default: "webrtc", allowed: &["webrtc", "draft"] },
            },
            Parameter {
                name: "start",
                meaning: "first bit rate",
                unit: "",
                source: "kDefaultStartBitrate of WebRTC; the draft has none",
                domain: Domain::Rate { default: "300kbps" },
            },
            Parameter {
                name: "minimum",
                meaning: "least bit rate",
                unit: "",
                source: "none: the draft leaves it open",
                domain: Domain::Rate { default: "100kbps" },
            },
            Parameter {
                name: "maximum",
                meaning: "greatest bit rate; at least the minimum",
                unit: "",
                source: "none: the draft leaves it open",
                domain: Domain::Rate { default: "100Mbps" },
            },
        ],
        variables: &[
            Variable { name: "a_bps", unit: "bit/s", meaning: "bit rate by the delay, A" },
            Variable { name: "as_bps", unit: "bit/s", meaning: "bit rate by losses, As" },
            Variable {
                name: "gradient_ms",
                unit: "ms",
                meaning: "G, the estimate that is compared with the threshold",
            },
            Variable { name: "threshold_ms", unit: "ms", meaning: "threshold of over-use, th" },
        ],
        deviations: &[
            "the detector has the constants of WebRTC unless the draft's are asked for: with these the gradient passes the threshold only at a rate far above the capacity, and losses alone control the flow",
            "beside CUBIC over 4 Mbps, 50 ms and buffers of 0.1, 0.3 and 1 s it has 0.10 Mbps, its least rate, with the constants of WebRTC, and 3.9, 3.5 and 3.0 Mbps with the constants of the draft: neither share is an even one",
            "over a reliable transport, which sends lost packets again; an acknowledgement of each packet at once in place of RTCP feedback",
            "both controllers run every 100 ms, as with transport-wide feedback, and over-use lowers the rate at once, again after a response time",
            "the deviation of the rate at decreases has the bounds of WebRTC, since that of one sample is 0; the variance of the noise is 50 ms^2 at first, and chi 0.01, as there",
            "the window is twice what the rate fills a smoothed round trip with, so that a sender without acknowledgements stops; the draft has none",
            "a mark counts as a lost packet; the draft leaves ECN to further work",
            "no probes: WebRTC finds the rate at the start by them, the draft has none",
        ],
    },
    style: Some(Style(Hue::Rose, Dash::Sparse)),
    needs: |_| NEEDS,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let bps = |name| values.rate(name).as_bps() as f64;
    let minimum = bps("minimum");
    let maximum = bps("maximum").max(minimum);
    let start = bps("start").min(maximum).max(minimum);
    Box::new(Gcc {
        minimum,
        maximum,
        mss: setup.mss,
        initial_window: setup.initial_window,
        gradient: Gradient::new(if values.word("detector") == "draft" { DRAFT } else { WEBRTC }),
        received: Received::default(),
        state: State::Increase,
        by_delay: start,
        by_loss: start,
        capacity: None,
        acked: 0,
        lost: 0,
        updated_at: None,
        decreased_at: None,
        srtt: 0.0,
    })
}
