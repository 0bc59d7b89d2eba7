// SPDX-License-Identifier: Apache-2.0
//! CUBIC as in Linux 6.18 (`net/ipv4/tcp_cubic.c`): whole packets, jiffies, and its own HyStart.
//!
//! * `target = bic_origin_point ∓ ⌊410 |t − K|³ / 2⁴⁰⌋` with `t` and `K` in units of 1/1024 s. Because the *distance* is
//!   rounded down, the window reaches `W_max` before `K`: at 134 packets after 3.3 s instead of 4.7 s.
//! * `t` is in jiffies of 4 ms plus the minimum round-trip time, rounded up to a jiffy.
//! * One packet is added for each `cnt` acknowledged: `cnt = w / (target − w)`, `100 w` on the plateau; at most 20 before
//!   the first loss; less if the window of a Reno flow, plus one packet for each `⌊15 w / 8⌋` acknowledged, is larger;
//!   at least 2.
//! * `cnt` is computed again when the window has changed or after more than 7 jiffies, `target` at most once in a jiffy.
//! * Loss: `ssthresh = max(2, ⌊717 w / 1024⌋)`; fast convergence sets `W_max` to `⌊1741 w / 2048⌋`.
//! * When the sender sends again after nothing was in flight, the epoch moves by the time since it last sent.

use super::linux::{Credit, HZ, jiffies, jiffies_in};
use super::{Window, WindowRule, Windowed};
use crate::{
    Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, SlowStartKind, Style,
};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Span;

/// The parameters and the state of CUBIC as in Linux.
#[derive(Clone, Debug)]
pub struct CubicLinux {
    fast_convergence: bool,
    friendliness: bool,
    state: State,
}

/// The variables that a timeout resets. Times are in jiffies unless stated otherwise.
#[derive(Clone, Debug, Default)]
struct State {
    /// Packets acknowledged for each packet of increase.
    cnt: u64,
    credit: Credit,
    /// `last_max_cwnd`, packets; 0 before the first loss.
    last_max: u64,
    /// `bic_origin_point`: window at the plateau, packets.
    origin: u64,
    /// `K` in 1/1024 s.
    k: u64,
    /// `epoch_start`; `None` until the first acknowledgement after a loss.
    epoch_start: Option<u64>,
    /// Minimum round-trip time, without samples of the first second of each epoch; zero before the first.
    delay_min: Span,
    /// `last_cwnd` and `last_time`: window and time of the last computation of `cnt`.
    last: (u64, u64),
    /// `ack_cnt`: packets acknowledged and not yet used for an increase of `reno`.
    reno_acked: u64,
    /// `tcp_cwnd`: estimated window of a Reno flow, packets.
    reno: u64,
}

impl CubicLinux {
    /// Computes `cnt` if it is due (`bictcp_update`).
    fn update(&mut self, cwnd: u64, acked: u64, now: u64) {
        let state = &mut self.state;
        state.reno_acked = state.reno_acked.saturating_add(acked);
        let (last_cwnd, last_time) = state.last;
        if last_cwnd == cwnd && now - last_time <= HZ / 32 {
            return;
        }
        if state.epoch_start.is_none() || now != last_time {
            state.last = (cwnd, now);
            let start = *state.epoch_start.get_or_insert_with(|| {
                state.reno_acked = acked;
                state.reno = cwnd;
                state.origin = state.last_max.max(cwnd);
                state.k = cube_root(CUBE_FACTOR * (state.origin - cwnd));
                now
            });
            state.cnt = state.cubic_cnt(cwnd, now - start);
        }
        if self.friendliness {
            let state = &mut self.state;
            let delta = (cwnd * RENO_SCALE) >> 3;
            if state.reno_acked > delta {
                // At least one packet remains, as in Linux's loop, which subtracts while more than `delta` is left.
                let steps = (state.reno_acked - 1) / delta;
                state.reno_acked -= steps * delta;
                state.reno += steps;
            }
            if state.reno > cwnd {
                state.cnt = state.cnt.min(cwnd / (state.reno - cwnd));
            }
        }
        self.state.cnt = self.state.cnt.max(2);
    }
}

impl State {
    /// `cnt` by the cubic function, `elapsed` jiffies after the start of the epoch.
    fn cubic_cnt(&self, cwnd: u64, elapsed: u64) -> u64 {
        let t = ((elapsed + jiffies_in(self.delay_min)) << 10) / HZ;
        let offset = u128::from(t.abs_diff(self.k));
        let delta = (u128::from(CUBE_SCALE) * offset * offset * offset) >> 40;
        let delta = u64::try_from(delta).unwrap_or(u64::MAX);
        let target =
            if t < self.k { self.origin.saturating_sub(delta) } else { self.origin.saturating_add(delta) };
        let cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.last_max == 0 { cnt.min(20) } else { cnt }
    }
}

impl WindowRule for CubicLinux {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let now = jiffies(path.now);
        let acked = acked as u64;
        self.update(window.size as u64, acked, now);
        self.state.credit.spend(acked, self.state.cnt)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let cwnd = window.size as u64;
        if cause == Cause::Timeout {
            self.state = State::default();
        } else {
            let state = &mut self.state;
            let converges = self.fast_convergence && cwnd < state.last_max;
            state.last_max = if converges { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
            state.epoch_start = None;
            state.credit = Credit::default();
        }
        ((cwnd * BETA / SCALE) as f64).max(2.0)
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        let Some(rtt) = ack.rtt else { return };
        let state = &mut self.state;
        // Samples of the first second may include the delay of the recovery.
        if state.epoch_start.is_some_and(|start| jiffies(path.now) < start + HZ) {
            return;
        }
        if state.delay_min == Span::ZERO || rtt < state.delay_min {
            state.delay_min = rtt;
        }
    }

    fn on_idle(&mut self, _window: &Window, idle: &Idle, path: &Path) {
        let now = jiffies(path.now);
        if let Some(start) = &mut self.state.epoch_start {
            *start = (*start + (now - jiffies(idle.since))).min(now);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("w_max", self.state.last_max as f64);
        record("k", self.state.k as f64 / 1024.0);
        record("cnt", self.state.cnt as f64);
        record("w_tcp", self.state.reno as f64);
    }
}

/// The largest whole number whose cube is at most `x`.
fn cube_root(x: u64) -> u64 {
    let cube = |root: u64| u128::from(root) * u128::from(root) * u128::from(root);
    let mut root = libm::cbrt(x as f64) as u64;
    while cube(root) > u128::from(x) {
        root -= 1;
    }
    while cube(root + 1) <= u128::from(x) {
        root += 1;
    }
    root
}

/// The card of `cubic-linux`.
pub(crate) const CUBIC_LINUX: Entry = Entry {
    card: Card {
        name: "cubic-linux",
        family: "high-speed",
        summary: "CUBIC as in Linux 6.18: whole packets, jiffies, and HyStart unless `slow_start` is written",
        source: "Linux 6.18 net/ipv4/tcp_cubic.c; HyStart: Ha and Rhee, Computer Networks 55, 2011",
        equations: &[
            "target = W_max -+ floor(410 |t - K|^3 / 2^40), K = floor(cbrt(2^40 / 410 (W_max - w))), t and K in 1/1024 s",
            "w += 1 for each cnt acknowledged: cnt = w / (target - w), 100 w where target <= w, at most 20 before a loss, at least 2",
            "cnt <= w / (W_tcp - w) where W_tcp > w; W_tcp += 1 for each floor(15 w / 8) acknowledged",
            "loss: W_max = floor(1741 w / 2048) if w < W_max else w; ssthresh = w = max(2, floor(717 w / 1024))",
        ],
        parameters: &[
            Parameter::flag(
                "fast_convergence",
                "W_max is set lower than the window when a loss occurs below the previous W_max",
                true,
            )
            .source("Linux module parameter fast_convergence"),
            Parameter::flag(
                "tcp_friendliness",
                "increase at least that of a Reno flow with the same decrease",
                true,
            )
            .source("Linux module parameter tcp_friendliness"),
        ],
        variables: &[
            Variable { name: "w_max", unit: "packets", meaning: "last_max_cwnd" },
            Variable { name: "k", unit: "s", meaning: "bic_K" },
            Variable {
                name: "cnt",
                unit: "packets",
                meaning: "packets acknowledged that increase the window by one",
            },
            Variable {
                name: "w_tcp",
                unit: "packets",
                meaning: "tcp_cwnd, the window of the Reno-friendly region",
            },
        ],
        deviations: &[
            "jiffies of 4 ms (CONFIG_HZ=250), counted from the start of the run",
            "K is the exact integer cube root; Linux is within about 0.2 % of it",
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::DashDot)),
    needs: |_| Needs { slow_start: Some(SlowStartKind::HyStart), ..Needs::RELIABLE },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = CubicLinux {
        fast_convergence: values.flag("fast_convergence"),
        friendliness: values.flag("tcp_friendliness"),
        state: State::default(),
    };
    Box::new(Windowed::new(rule, setup))
}

/// `BICTCP_BETA_SCALE`.
const SCALE: u64 = 1024;
/// `beta`, in units of 1/1024.
const BETA: u64 = 717;
/// `cube_rtt_scale`: `C` in packets per (1/1024 s)³, times 2⁴⁰.
const CUBE_SCALE: u64 = 410;
/// `cube_factor`: `1 / C` in (1/1024 s)³ per packet.
const CUBE_FACTOR: u64 = (1 << 40) / CUBE_SCALE;
/// `beta_scale`: 8 (1 + β) / (3 (1 − β)), eight times the packets acknowledged per packet of increase of a Reno flow, over
/// its window.
const RENO_SCALE: u64 = 8 * (SCALE + BETA) / 3 / (SCALE - BETA);
