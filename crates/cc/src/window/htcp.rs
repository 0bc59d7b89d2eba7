//! H-TCP (Leith and Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004; Linux `tcp_htcp.c`):
//! growth by the time since the last loss, cuts by what the queue added to the round-trip time.
//!
//! * `α = 1` for `Δ ≤ 1 s` after the end of an episode, then `1 + 10 (Δ − 1) + ((Δ − 1) / 2)²`; divided by
//!   `clamp(0.1 s / RTT_min, 0.5, 10)`, at least 1, then times `2 (1 − β)`. `w += α n / w`.
//! * Loss: `w = β w` with `β = clamp(RTT_min / RTT_max, 0.5, 0.8)`; `β = 0.5` where the largest throughput since the
//!   last loss is more than 20 % off that of the epoch before, at the episode after that, and where `RTT_min ≤ 10 ms`.
//! * At each loss `RTT_max` moves 5 % of the way to `RTT_min`; a sample more than 20 ms above it is ignored.
//!
//! Deviations: real numbers, where Linux computes `α` before scaling in whole packets and renews it when the window
//! grows. Round-trip times are samples of any time but recovery, as in Linux of today; 2.6.22 takes SRTT, and `RTT_max`
//! only in congestion avoidance, three round trips after a loss. After a timeout `Δ` counts from the timeout, in Linux
//! from the end of the repair.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, Cause, CongestionControl, Path};
use narrows_units::{Span, Time};

/// Linux's rule.
#[derive(Clone, Debug)]
pub struct Htcp {
    options: Options,
    /// `β`, the part kept.
    beta: f64,
    /// `Δ` counts from here; `None` before the first acknowledgement.
    epoch: Option<Time>,
    /// An episode is being repaired: nothing is measured.
    repairing: bool,
    /// `RTT_min` and `RTT_max`; `None` before the first sample.
    rtt: Option<(Span, Span)>,
    /// The throughput has been steady for one loss, so that `RTT_max` may be believed.
    steady: bool,
    throughput: Throughput,
}

/// What the entry's parameters say.
#[derive(Clone, Debug)]
struct Options {
    /// `Δ_L`, seconds.
    linear: f64,
    rtt_scaling: bool,
    adaptive_backoff: bool,
    bandwidth_switch: bool,
    /// Time of a throughput sample; zero for a round trip.
    period: Span,
}

/// Packets acknowledged per second, largest since the last loss.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    start: Option<Time>,
    acked: u64,
    /// `None` until the first sample after a loss.
    smoothed: Option<f64>,
    largest: f64,
    largest_before: f64,
}

impl Htcp {
    /// `α`, packets for each round trip.
    fn alpha(&self, now: Time) -> f64 {
        let since = self.epoch.map_or(0.0, |epoch| now.since(epoch).as_secs_f64());
        let beyond = (since - self.options.linear).max(0.0);
        let mut alpha = 1.0 + 10.0 * beyond + (beyond / 2.0) * (beyond / 2.0);
        if let (true, Some((least, _))) = (self.options.rtt_scaling, self.rtt) {
            alpha = (alpha / (REFERENCE_RTT / least.as_secs_f64()).clamp(0.5, 10.0)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * alpha
    }

    /// `β` for the cut that is due.
    fn next_beta(&mut self) -> f64 {
        let Throughput { largest, largest_before, .. } = self.throughput;
        self.throughput.largest_before = largest;
        let changed = largest < 0.8 * largest_before || largest > 1.2 * largest_before;
        if self.options.bandwidth_switch && changed {
            self.steady = false;
            return BETA_MIN;
        }
        match self.rtt {
            Some((least, most)) if self.steady && least > SHORTEST_RTT => {
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
        let believed = !self.repairing && rtt > most && rtt <= most + RTT_JUMP;
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
        acked * self.alpha(path.now) / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        self.beta = if self.options.adaptive_backoff { self.next_beta() } else { BETA_MIN };
        if let Some((least, most)) = &mut self.rtt {
            *most = *least + most.saturating_sub(*least).scaled(RTT_MEMORY);
        }
        self.epoch = Some(path.now);
        self.repairing = cause != Cause::Timeout;
        self.throughput = Throughput { start: None, acked: 0, smoothed: None, ..self.throughput };
        self.beta * window.size
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.epoch.get_or_insert(path.now);
        if let Some(rtt) = ack.rtt {
            self.measure_rtt(rtt);
        }
        if self.options.bandwidth_switch && !self.repairing {
            self.measure_throughput(window, ack.newly_acked, path.now);
        }
    }

    fn on_recovered(&mut self, _window: &Window, path: &Path) {
        self.repairing = false;
        self.epoch = Some(path.now);
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("beta", self.beta);
        tell("throughput", self.throughput.largest);
    }
}

/// The card of `htcp`.
pub(crate) const HTCP: Entry = Entry {
    name: "htcp",
    family: "high-speed",
    summary: "H-TCP: growth rises with the time since the last loss, keeps 0.5 to 0.8 by how much the queue added to the RTT",
    source: "Leith and Shorten, PFLDnet 2004; Linux 2.6.22 and later",
    equations: &[
        "alpha = 1 for D <= linear, else 1 + 10 (D - linear) + ((D - linear) / 2)^2, D = time since the last episode",
        "rtt_scaling: alpha = max(1, alpha / clamp(0.1 s / RTT_min, 0.5, 10))",
        "w += 2 (1 - beta) alpha acked / w",
        "loss: beta = clamp(RTT_min / RTT_max, 0.5, 0.8); ssthresh = w = beta w",
    ],
    parameters: &[
        Parameter {
            name: "linear",
            meaning: "how long growth is TCP's after each loss",
            unit: "s",
            source: "Leith and Shorten 2004 §3",
            domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1000.0 },
        },
        Parameter {
            name: "rtt_scaling",
            meaning: "growth in a second, not in a round trip, is the same at any RTT from 10 to 200 ms",
            unit: "",
            source: "Linux 2.6.22; off in NIST SP 500-282 as we read it",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "adaptive_backoff",
            meaning: "beta follows the RTTs; else it is 0.5",
            unit: "",
            source: "Leith and Shorten 2004 §3",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "bandwidth_switch",
            meaning: "beta is 0.5 where the throughput changed by more than 20 % from one loss to the next",
            unit: "",
            source: "Linux 2.6.22",
            domain: Domain::Flag { default: true },
        },
        Parameter {
            name: "period",
            meaning: "how often the throughput is measured; 0: every round trip",
            unit: "s",
            source: "Linux 2.6.22; 0.25 in NIST SP 500-282",
            domain: Domain::Number { default: 0.0, minimum: 0.0, maximum: 100.0 },
        },
    ],
    deviations: &[
        "real numbers, where Linux computes alpha before scaling in whole packets and renews it when the window grows",
        "RTT_max is of samples, in slow start too, as in Linux of today; 2.6.22 takes SRTT, in congestion avoidance, three round trips after a loss",
        "after a timeout the time since the last episode counts from the timeout, in Linux from the end of the repair",
        "packets acknowledged are counted, not acknowledgements",
    ],
    validation: Some(
        "window gained between losses against the integral of alpha: -4.7 %; alpha 3 s after a loss: 22 packets in a round trip, exactly; ns-2.35 with the module of Linux 2.6.22: DropTail loss +3.3 %, queue -0.7 %, goodput at 0.02 % random loss -3.1 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
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
        repairing: false,
        rtt: None,
        steady: false,
        throughput: Throughput::default(),
    };
    Box::new(Windowed::new(rule, setup))
}

/// Linux `BETA_MIN` and `BETA_MAX`.
const BETA_MIN: f64 = 0.5;
const BETA_MAX: f64 = 0.8;
/// Round-trip time at which scaling changes nothing, seconds.
const REFERENCE_RTT: f64 = 0.1;
/// Up to this smallest round-trip time `β` does not adapt.
const SHORTEST_RTT: Span = Span::from_ms(10);
/// A sample this much above `RTT_max` is not believed.
const RTT_JUMP: Span = Span::from_ms(20);
/// Part of `RTT_max − RTT_min` that a loss leaves.
const RTT_MEMORY: f64 = 0.95;
