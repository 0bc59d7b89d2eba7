// SPDX-License-Identifier: Apache-2.0
//! H-TCP as in Linux 6.12 (`net/ipv4/tcp_htcp.c`): whole packets, jiffies, and factors in 1/128.
//!
//! * One packet is added once `⌊acknowledged α⌋ ≥ w`; the acknowledgement that adds it is not counted, and acknowledged
//!   packets beyond `w / α` are lost, so that a small window grows more slowly than by `α` per round trip.
//! * `α = 2 f (1 − β)` is computed at losses and whenever a packet is added, and holds until the next time: the value
//!   of the loss adds the first packet after the recovery. `f = 1` up to one second after the end of the last recovery,
//!   then `1 + ⌊10 (Δ − 1) + ((Δ − 1) / 2)²⌋`, divided by `clamp(0.1 s / RTT_min, 0.5, 10)` in 1/8, rounded down, at
//!   least 1.
//! * Loss: `w = max(2, ⌊β w⌋)`, `β = clamp(RTT_min / RTT_max, 64/128, 102/128)` with both in jiffies, rounded up; 1/2
//!   if `RTT_min ≤ 12 ms`, if the largest throughput differs by more than 20 % from the throughput before the last
//!   loss, and at the loss after that. `RTT_max` then moves 5 % of the way to `RTT_min`.
//! * Throughput is measured over a window of packets and at least `RTT_min`, and begins anew up to four `RTT_min` after a
//!   recovery. A round-trip time more than 20 ms above `RTT_max`, or outside the state Open, does not raise it.

use super::linux::{HZ, State, States, jiffies, jiffies_in};
use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// H-TCP as in Linux. Times are in jiffies.
#[derive(Clone, Debug)]
pub struct HtcpLinux {
    options: Options,
    states: States,
    /// The acknowledgement arrived in slow start and adds nothing beyond it.
    slow_start: bool,
    /// Packets acknowledged since the last increase (`snd_cwnd_cnt`).
    credit: u64,
    /// Packets that the next acknowledgement counts for (`pkts_acked`).
    counted: u64,
    /// `α` and `β`, in units of 1/128.
    alpha: u64,
    beta: u64,
    /// There was a loss, and the throughput has been steady since (`modeswitch`).
    steady: bool,
    /// `RTT_min` and `RTT_max`; 0 before the first sample.
    rtt_min: u64,
    rtt_max: u64,
    /// `last_cong`: end of the last recovery, or start of one that lasts; `None` before the first acknowledgement.
    last_loss: Option<u64>,
    throughput: Throughput,
}

/// The parameters of the card.
#[derive(Clone, Copy, Debug)]
struct Options {
    rtt_scaling: bool,
    bandwidth_switch: bool,
}

/// Largest throughput since the last loss, packets per second.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// Packets acknowledged in the current sample.
    acked: u64,
    /// `lasttime`: start of the current sample; `None` before the first.
    start: Option<u64>,
    /// `Bi`: smoothed.
    smoothed: u64,
    /// `maxB`.
    largest: u64,
    /// `old_maxB`: `maxB` at the last loss.
    largest_before: u64,
}

impl HtcpLinux {
    /// Jiffies since the last loss.
    fn since_loss(&self, now: u64) -> u64 {
        self.last_loss.map_or(0, |last| now - last)
    }

    fn update_alpha(&mut self, now: u64) {
        let beyond = self.since_loss(now).saturating_sub(HZ);
        let half = beyond / 2;
        let mut factor = 1 + (10 * beyond + half * half / HZ) / HZ;
        if self.options.rtt_scaling && self.rtt_min > 0 {
            let scale = (8 * HZ / (10 * self.rtt_min)).clamp(8 / 2, 8 * 10);
            factor = (8 * factor / scale).max(1);
        }
        self.alpha = 2 * factor * (ONE - self.beta);
    }

    fn update_beta(&mut self) {
        let Throughput { largest, largest_before, .. } = self.throughput;
        self.throughput.largest_before = largest;
        let steady = (4 * largest_before..=6 * largest_before).contains(&(5 * largest));
        if self.options.bandwidth_switch && !steady {
            self.beta = BETA_MIN;
            self.steady = false;
        } else if self.steady && self.rtt_min > ADAPTIVE_RTT_MIN && self.rtt_max > 0 {
            self.beta = (ONE * self.rtt_min / self.rtt_max).clamp(BETA_MIN, BETA_MAX);
        } else {
            self.beta = BETA_MIN;
            self.steady = true;
        }
    }

    fn measure_rtt(&mut self, rtt: u64, state: State) {
        if self.rtt_min == 0 || rtt < self.rtt_min {
            self.rtt_min = rtt;
        }
        if state == State::Open {
            self.rtt_max = self.rtt_max.max(self.rtt_min);
            if rtt > self.rtt_max && rtt <= self.rtt_max + RTT_JUMP {
                self.rtt_max = rtt;
            }
        }
    }

    fn measure_throughput(&mut self, cwnd: u64, acked: u64, state: State, now: u64) {
        if !matches!(state, State::Open | State::Disorder) {
            (self.throughput.acked, self.throughput.start) = (0, Some(now));
            return;
        }
        self.throughput.acked += acked;
        let Throughput { acked, start, .. } = self.throughput;
        // Linux compares unsigned: an α of more than the window never ends a sample.
        let enough = cwnd.checked_sub((self.alpha / ONE).max(1)).is_some_and(|least| acked >= least);
        let lasted = start.map(|start| now - start);
        if !enough || self.rtt_min == 0 || lasted.is_some_and(|lasted| lasted < self.rtt_min) {
            return;
        }
        // The first sample lasts, in Linux, from the start of its clock, and so is next to nothing.
        let sample = lasted.map_or(0, |lasted| acked * HZ / lasted);
        let just_reduced = self.since_loss(now) / self.rtt_min <= 3;
        let rate = &mut self.throughput;
        if just_reduced {
            (rate.smoothed, rate.largest) = (sample, sample);
        } else {
            rate.smoothed = (3 * rate.smoothed + sample) / 4;
            rate.largest = rate.largest.max(rate.smoothed);
        }
        (rate.acked, rate.start) = (0, Some(now));
    }
}

impl WindowRule for HtcpLinux {
    fn increase(&mut self, window: &Window, _acked: f64, path: &Path) -> f64 {
        if self.slow_start {
            return 0.0;
        }
        let counted = core::mem::replace(&mut self.counted, 1);
        if self.credit * self.alpha / ONE < window.size as u64 {
            self.credit += counted;
            return 0.0;
        }
        self.credit = 0;
        self.update_alpha(jiffies(path.now));
        1.0
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        let now = jiffies(path.now);
        self.update_beta();
        self.update_alpha(now);
        if self.rtt_min > 0 {
            self.rtt_max =
                self.rtt_max.min(self.rtt_min + self.rtt_max.saturating_sub(self.rtt_min) * 95 / 100);
        }
        self.last_loss = Some(now);
        self.credit = 0;
        self.states.on_loss(cause);
        ((window.size as u64 * self.beta / ONE) as f64).max(2.0)
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.slow_start = window.in_slow_start();
        let now = jiffies(path.now);
        // Linux counts from the establishment of the connection.
        self.last_loss.get_or_insert_with(|| now.saturating_sub(ack.rtt.map_or(0, jiffies_in)));
        let state = self.states.on_ack(ack);
        let acked = if ack.advanced { ack.newly_acked } else { 0 };
        if state == State::Open {
            self.counted = acked;
        }
        if let Some(rtt) = ack.rtt {
            self.measure_rtt(jiffies_in(rtt), state);
        }
        if self.options.bandwidth_switch {
            self.measure_throughput(window.size as u64, acked, state, now);
        }
    }

    fn on_recovered(&mut self, _window: &Window, path: &Path) {
        self.on_repaired(path);
    }

    fn on_repaired(&mut self, path: &Path) {
        if self.states.on_repaired() {
            self.last_loss = Some(jiffies(path.now));
        }
    }

    /// `htcp_cwnd_undo`.
    fn on_undo(&mut self, before: &Self) {
        (self.last_loss, self.rtt_max, self.states) = (before.last_loss, before.rtt_max, before.states);
        self.throughput.largest_before = before.throughput.largest_before;
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("alpha", self.alpha as f64 / ONE as f64);
        record("beta", self.beta as f64 / ONE as f64);
        record("throughput", self.throughput.largest as f64);
    }
}

/// The card of `htcp-linux`.
pub(crate) const HTCP_LINUX: Entry = Entry {
    card: Card {
        name: "htcp-linux",
        family: "high-speed",
        summary: "H-TCP as in Linux 6.12: whole packets, jiffies, and an increase that is computed when a packet is added",
        source: "Linux 6.12 net/ipv4/tcp_htcp.c",
        equations: &[
            "f = 1 for D <= 1 s, else 1 + floor(10 (D - 1) + ((D - 1) / 2)^2), D = time since the last recovery",
            "rtt_scaling: f = max(1, floor(8 f / clamp(floor(0.8 s / RTT_min), 4, 80)))",
            "w += 1 once floor(acked 2 f (1 - beta)) >= w, and acked = 0; f is computed at losses and when w grows",
            "loss: beta = clamp(RTT_min / RTT_max, 64/128, 102/128); ssthresh = w = max(2, floor(beta w))",
        ],
        parameters: &[
            Parameter::flag(
                "rtt_scaling",
                "the increase per second, not per round trip, is the same for RTTs from 10 to 200 ms",
                true,
            )
            .source("Linux module parameter use_rtt_scaling"),
            Parameter::flag(
                "bandwidth_switch",
                "beta is 0.5 if the throughput changed by more than 20 % from one loss to the next",
                true,
            )
            .source("Linux module parameter use_bandwidth_switch"),
        ],
        variables: &[
            Variable {
                name: "alpha",
                unit: "packets",
                meaning: "alpha, the increase for a window of packets acknowledged",
            },
            Variable {
                name: "beta",
                unit: "",
                meaning: "beta, the factor by which a loss multiplies the window",
            },
            Variable {
                name: "throughput",
                unit: "packets/s",
                meaning: "maxB, the largest throughput since the last loss",
            },
        ],
        deviations: &[
            "jiffies of 4 ms (CONFIG_HZ=250), counted from the start of the run",
            "packets acknowledged selectively are counted when they were, not when the cumulative acknowledgement passes them",
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Green, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = HtcpLinux {
        options: Options {
            rtt_scaling: values.flag("rtt_scaling"),
            bandwidth_switch: values.flag("bandwidth_switch"),
        },
        states: States::default(),
        slow_start: false,
        credit: 0,
        counted: 1,
        alpha: ONE,
        beta: BETA_MIN,
        steady: false,
        rtt_min: 0,
        rtt_max: 0,
        last_loss: None,
        throughput: Throughput::default(),
    };
    Box::new(Windowed::new(rule, setup))
}

/// `ALPHA_BASE`: 1 in units of 1/128.
const ONE: u64 = 128;
/// `BETA_MIN`: 0.5 in units of 1/128.
const BETA_MIN: u64 = 64;
/// `BETA_MAX`: 0.8 in units of 1/128.
const BETA_MAX: u64 = 102;
/// Minimum round-trip time up to which `β` is constant: 10 ms, rounded up to jiffies.
const ADAPTIVE_RTT_MIN: u64 = 3;
/// Samples of the round-trip time more than this above `RTT_max` are ignored: 20 ms in jiffies.
const RTT_JUMP: u64 = 5;
