// SPDX-License-Identifier: Apache-2.0
//! H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; Linux `tcp_htcp.c`):
//! the increase depends on the time since the last loss, the decrease on the variation of the round-trip time.
//!
//! * `α = 1` for `Δ ≤ 1 s` after the end of a loss episode, then `1 + 10 (Δ − 1) + ((Δ − 1) / 2)²`; divided by
//!   `clamp(0.1 s / RTT_min, 0.5, 10)`, at least 1, then times `2 (1 − β)`. `w += α n / w`.
//! * Loss: `w = β w` with `β = clamp(RTT_min / RTT_max, 0.5, 0.8)`. `β = 0.5` if the largest throughput since the last loss
//!   differs by more than 20 % from that between the two losses before, at the loss after that, and if `RTT_min ≤ 10 ms`.
//! * At each loss `RTT_max` moves 5 % of the way to `RTT_min`. A sample more than 20 ms above `RTT_max` is ignored.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of H-TCP (Leith and Shorten 2004).
#[derive(Clone, Debug)]
pub struct Htcp {
    options: Options,
    /// `β`: factor by which a loss multiplies the window.
    beta: f64,
    /// Start of `Δ`; `None` before the first acknowledgement.
    epoch: Option<Time>,
    /// In loss recovery: nothing is measured.
    recovering: bool,
    /// `RTT_min` and `RTT_max`; `None` before the first sample.
    rtt: Option<(Span, Span)>,
    /// The throughput has been steady from one loss to the next, so that `β` may follow the round-trip times (`modeswitch`).
    steady: bool,
    throughput: Throughput,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    /// `Δ_L`, seconds.
    linear: f64,
    rtt_scaling: bool,
    adaptive_backoff: bool,
    bandwidth_switch: bool,
    /// Length of a throughput sample; zero for a round trip.
    period: Span,
}

/// Largest throughput since the last loss.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// Start of the current sample.
    start: Option<Time>,
    /// Packets acknowledged in the current sample.
    acked: u64,
    /// Packets per second; `None` until the first sample after a loss.
    smoothed: Option<f64>,
    /// Packets per second.
    largest: f64,
    /// As `largest`, before the last loss.
    largest_before: f64,
}

impl Htcp {
    /// `2 (1 − β) α`: increase of the window, packets per round trip.
    fn alpha(&self, now: Time) -> f64 {
        let since = self.epoch.map_or(0.0, |epoch| now.since(epoch).as_secs_f64());
        let beyond = (since - self.options.linear).max(0.0);
        let mut alpha = 1.0 + 10.0 * beyond + (beyond / 2.0) * (beyond / 2.0);
        if let (true, Some((least, _))) = (self.options.rtt_scaling, self.rtt) {
            alpha = (alpha / (REFERENCE_RTT / least.as_secs_f64()).clamp(0.5, 10.0)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * alpha
    }

    /// `β` for a loss that starts now.
    fn next_beta(&mut self) -> f64 {
        let Throughput { largest, largest_before, .. } = self.throughput;
        self.throughput.largest_before = largest;
        let changed = largest < 0.8 * largest_before || largest > 1.2 * largest_before;
        if self.options.bandwidth_switch && changed {
            self.steady = false;
            return BETA_MIN;
        }
        match self.rtt {
            Some((least, most)) if self.steady && least > ADAPTIVE_RTT_MIN => {
                (least.as_secs_f64() / most.as_secs_f64()).clamp(BETA_MIN, BETA_MAX)
            }
            _ => {
                self.steady = true;
                BETA_MIN
            }
        }
    }

    fn measure_rtt(&mut self, rtt: Span) {
        let (least, most) = self.rtt.unwrap_or((rtt, rtt));
        let least = least.min(rtt);
        let believed = !self.recovering && rtt > most && rtt <= most + RTT_JUMP;
        self.rtt = Some((least, if believed { rtt } else { most }));
    }

    fn measure_throughput(&mut self, window: &Window, acked: u64, now: Time) {
        let Some((rtt_min, _)) = self.rtt else { return };
        let rate = &self.throughput;
        let start = rate.start.unwrap_or(now);
        let (acked, lasted) = (rate.acked + acked, now.since(start));
        let is_due = if self.options.period > Span::ZERO {
            lasted >= self.options.period
        } else {
            lasted >= rtt_min && lasted > Span::ZERO && acked as f64 >= window.size - self.alpha(now).max(1.0)
        };
        let just_cut = self.epoch.is_none_or(|epoch| now.since(epoch) < rtt_min * 4);
        let rate = &mut self.throughput;
        (rate.start, rate.acked) = (Some(start), acked);
        if is_due {
            let sample = acked as f64 / lasted.as_secs_f64();
            let smoothed = match rate.smoothed {
                Some(old) if !just_cut => 0.75 * old + 0.25 * sample,
                _ => sample,
            };
            rate.largest =
                if just_cut || rate.smoothed.is_none() { sample } else { rate.largest.max(smoothed) };
            rate.smoothed = Some(smoothed);
            (rate.start, rate.acked) = (Some(now), 0);
        }
    }
}

impl WindowRule for Htcp {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        // At most one packet for each packet acknowledged, as in slow start and in Linux: α grows with idle time, too.
        acked * (self.alpha(path.now) / window.size).min(1.0)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        self.beta = if self.options.adaptive_backoff { self.next_beta() } else { BETA_MIN };
        if let Some((least, most)) = &mut self.rtt {
            *most = *least + most.saturating_sub(*least).scaled(RTT_MEMORY);
        }
        self.epoch = Some(path.now);
        self.recovering = cause != Cause::Timeout;
        self.throughput = Throughput { start: None, acked: 0, smoothed: None, ..self.throughput };
        self.beta * window.size
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.epoch.get_or_insert(path.now);
        if let Some(rtt) = ack.rtt {
            self.measure_rtt(rtt);
        }
        if self.options.bandwidth_switch && !self.recovering {
            self.measure_throughput(window, ack.newly_acked, path.now);
        }
    }

    fn on_recovered(&mut self, _window: &Window, path: &Path) {
        self.recovering = false;
        self.epoch = Some(path.now);
    }

    /// `htcp_cwnd_undo` of Linux.
    fn on_undo(&mut self, before: &Self) {
        self.epoch = before.epoch;
        if let (Some((_, most)), Some((_, most_before))) = (&mut self.rtt, before.rtt) {
            *most = most_before;
        }
        self.throughput.largest_before = before.throughput.largest_before;
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("beta", self.beta);
        record("throughput", self.throughput.largest);
    }
}

/// The card of `htcp`.
pub(crate) const HTCP: Entry = Entry {
    card: Card {
        name: "htcp",
        family: "high-speed",
        summary: "H-TCP: increase by the time since the last loss, decrease to 0.5 to 0.8 by the ratio of minimum and maximum RTT",
        source: "Leith and Shorten, PFLDnet 2004; Linux 2.6.22 and later",
        equations: &[
            "alpha = 1 for D <= linear, else 1 + 10 (D - linear) + ((D - linear) / 2)^2, D = time since the last episode",
            "rtt_scaling: alpha = max(1, alpha / clamp(0.1 s / RTT_min, 0.5, 10))",
            "w += 2 (1 - beta) alpha acked / w",
            "loss: beta = clamp(RTT_min / RTT_max, 0.5, 0.8); ssthresh = w = beta w",
        ],
        parameters: &[
            Parameter::number(
                "linear",
                "time after each loss in which the increase is TCP's",
                1.0,
                0.0..=1000.0,
            )
            .unit("s")
            .source("Leith and Shorten 2004 §3"),
            Parameter::flag(
                "rtt_scaling",
                "the increase per second, not per round trip, is the same for RTTs from 10 to 200 ms",
                true,
            )
            .source("Linux 2.6.22; off in NIST SP 500-282 as far as its text shows"),
            Parameter::flag("adaptive_backoff", "beta is RTT_min / RTT_max; otherwise 0.5", true)
                .source("Leith and Shorten 2004 §3"),
            Parameter::flag(
                "bandwidth_switch",
                "beta is 0.5 if the throughput changed by more than 20 % from one loss to the next",
                true,
            )
            .source("Linux 2.6.22"),
            Parameter::number(
                "period",
                "time over which the throughput is measured; 0: one round trip",
                0.0,
                0.0..=100.0,
            )
            .unit("s")
            .source("Linux 2.6.22; 0.25 in NIST SP 500-282"),
        ],
        variables: &[
            Variable {
                name: "beta",
                unit: "",
                meaning: "beta, the factor by which a loss multiplies the window",
            },
            Variable {
                name: "throughput",
                unit: "packets/s",
                meaning: "largest throughput since the last loss",
            },
        ],
        deviations: &[
            "real numbers, where Linux computes alpha before scaling in whole packets, and again only when the window grows",
            "RTT_max is that of samples, in slow start too, as in current Linux; 2.6.22 takes SRTT, in congestion avoidance, three round trips after a loss",
            "after a timeout the time since the last loss counts from the timeout, in Linux from the end of the recovery",
            "packets acknowledged are counted, not acknowledgements; each adds at most one packet, as in Linux, since idle time counts as time since the last loss, too",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Htcp {
        options: Options {
            linear: values.number("linear"),
            rtt_scaling: values.flag("rtt_scaling"),
            adaptive_backoff: values.flag("adaptive_backoff"),
            bandwidth_switch: values.flag("bandwidth_switch"),
            period: Span::from_secs_f64(values.number("period")),
        },
        beta: BETA_MIN,
        epoch: None,
        recovering: false,
        rtt: None,
        steady: false,
        throughput: Throughput::default(),
    };
    Box::new(Windowed::new(rule, setup))
}

/// `BETA_MIN` of Linux.
const BETA_MIN: f64 = 0.5;
/// `BETA_MAX` of Linux.
const BETA_MAX: f64 = 0.8;
/// Round-trip time at which the scaling factor is 1, seconds.
const REFERENCE_RTT: f64 = 0.1;
/// Minimum round-trip time up to which `β` is constant.
const ADAPTIVE_RTT_MIN: Span = Span::from_ms(10);
/// Samples of the round-trip time more than this above `RTT_max` are ignored.
const RTT_JUMP: Span = Span::from_ms(20);
/// Factor by which a loss multiplies `RTT_max − RTT_min`.
const RTT_MEMORY: f64 = 0.95;
