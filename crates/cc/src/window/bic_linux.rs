// SPDX-License-Identifier: Apache-2.0
//! BIC as in Linux 6.12 (`net/ipv4/tcp_bic.c`): whole packets, and twice the increase or more, the more packets an
//! acknowledgement covers.
//!
//! * One packet is added for each `cnt` acknowledged, with `d = ⌊(W_max − w) / 4⌋`: `w / d` below `W_max`, `w / 16` where
//!   `d > 16`, `5 w` where `d ≤ 1` and up to `W_max + 4`; then `3 w / (w − W_max)` up to `W_max + 48`, then `w / 16`. At most
//!   20 before the first loss; `w` at and below 14 packets.
//! * Above 14 packets `cnt` is divided by the mean number of packets per acknowledgement (`delayed_ack`, in 1/16),
//!   which would be right for a count of acknowledgements; but packets are counted. The mean starts at two, and in
//!   whole numbers does not fall below 31/16: the increase is twice the increase of the rule, with delayed
//!   acknowledgements or without.
//! * `cnt` is computed again when the window has changed or after more than 7 jiffies.
//! * Loss: `w = max(2, ⌊819 w / 1024⌋)`, half at and below 14 packets; `W_max = ⌊1843 w / 2048⌋` if `w < W_max`, else `w`. A
//!   timeout resets `W_max` and the mean.

use super::linux::{Credit, HZ, State, States, jiffies};
use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The state of BIC as in Linux.
#[derive(Clone, Debug)]
pub struct BicLinux {
    fast_convergence: bool,
    credit: Credit,
    states: States,
    search: Search,
}

/// The variables that a timeout resets.
#[derive(Clone, Copy, Debug)]
struct Search {
    /// Packets acknowledged for each packet of increase.
    cnt: u64,
    /// `last_max_cwnd`, packets; 0 before the first loss.
    last_max: u64,
    /// `last_cwnd` and `last_time`: window and time, in jiffies, of the last computation of `cnt`.
    last: (u64, u64),
    /// Packets per acknowledgement, smoothed, times [`RATIO`].
    delayed_ack: u64,
}

impl Default for Search {
    fn default() -> Self {
        Self { cnt: 0, last_max: 0, last: (0, 0), delayed_ack: 2 * RATIO }
    }
}

impl Search {
    /// Computes `cnt` if it is due (`bictcp_update`).
    fn update(&mut self, cwnd: u64, now: u64) {
        let (last_cwnd, last_time) = self.last;
        if last_cwnd == cwnd && now - last_time <= HZ / 32 {
            return;
        }
        self.last = (cwnd, now);
        if cwnd <= LOW_WINDOW {
            self.cnt = cwnd;
            return;
        }
        let distance = self.last_max.saturating_sub(cwnd) / DIVISOR;
        let beyond = cwnd.saturating_sub(self.last_max);
        let cnt = if distance > MAX_INCREMENT || beyond >= MAX_INCREMENT * (DIVISOR - 1) {
            cwnd / MAX_INCREMENT
        } else if distance > 1 {
            cwnd / distance
        } else if beyond < DIVISOR {
            cwnd * SMOOTH_PART / DIVISOR
        } else {
            cwnd * (DIVISOR - 1) / beyond
        };
        let cnt = if self.last_max == 0 { cnt.min(20) } else { cnt };
        self.cnt = (cnt * RATIO / self.delayed_ack).max(1);
    }
}

impl WindowRule for BicLinux {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        self.search.update(window.size as u64, jiffies(path.now));
        self.credit.spend(acked as u64, self.search.cnt)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let cwnd = window.size as u64;
        self.credit = Credit::default();
        self.states.on_loss(cause);
        if cause == Cause::Timeout {
            self.search = Search::default();
        } else {
            let converges = self.fast_convergence && cwnd < self.search.last_max;
            self.search.last_max = if converges { cwnd * (SCALE + BETA) / (2 * SCALE) } else { cwnd };
        }
        let left = if cwnd <= LOW_WINDOW { cwnd / 2 } else { cwnd * BETA / SCALE };
        (left as f64).max(2.0)
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, _path: &Path) {
        if self.states.on_ack(ack) == State::Open {
            let acked = if ack.advanced { ack.newly_acked } else { 0 };
            self.search.delayed_ack = self.search.delayed_ack - self.search.delayed_ack / RATIO + acked;
        }
    }

    fn on_recovered(&mut self, _window: &Window, path: &Path) {
        self.on_repaired(path);
    }

    fn on_repaired(&mut self, _path: &Path) {
        self.states.on_repaired();
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("w_max", self.search.last_max as f64);
        record("cnt", self.search.cnt as f64);
        record("packets_per_ack", self.search.delayed_ack as f64 / RATIO as f64);
    }
}

/// The card of `bic-linux`.
pub(crate) const BIC_LINUX: Entry = Entry {
    card: Card {
        name: "bic-linux",
        family: "high-speed",
        summary: "BIC as in Linux 6.12: whole packets, and the increase times the packets of an acknowledgement, 1.9 or more",
        source: "Linux 6.12 net/ipv4/tcp_bic.c",
        equations: &[
            "w += 1 for each cnt acknowledged; w <= 14: cnt = w; above, with d = floor((W_max - w) / 4) and r packets per ACK:",
            "w < W_max: cnt = w / (r min(d, 16)), 5 w / r where d <= 1",
            "w >= W_max: cnt = 5 w / r up to W_max + 4, then w / (r min((w - W_max) / 3, 16)); before a loss cnt <= 20 / r",
            "loss: W_max = floor(1843 w / 2048) if w < W_max else w; ssthresh = w = max(2, floor(819 w / 1024)), w / 2 where w <= 14",
        ],
        parameters: &[Parameter::flag(
            "fast_convergence",
            "W_max is set lower than the window when a loss occurs below the previous W_max",
            true,
        )
        .source("Linux module parameter fast_convergence")],
        variables: &[
            Variable { name: "w_max", unit: "packets", meaning: "last_max_cwnd" },
            Variable {
                name: "cnt",
                unit: "packets",
                meaning: "packets acknowledged that increase the window by one",
            },
            Variable {
                name: "packets_per_ack",
                unit: "packets",
                meaning: "delayed_ack, the smoothed number of packets that an acknowledgement covers",
            },
        ],
        deviations: &[
            "jiffies of 4 ms (CONFIG_HZ=250), counted from the start of the run",
            "packets per acknowledgement leave out those that had been acknowledged selectively",
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = BicLinux {
        fast_convergence: values.flag("fast_convergence"),
        credit: Credit::default(),
        states: States::default(),
        search: Search::default(),
    };
    Box::new(Windowed::new(rule, setup))
}

/// `low_window`: at and below it the rule is Reno's, packets.
const LOW_WINDOW: u64 = 14;
/// `max_increment`, packets per window acknowledged.
const MAX_INCREMENT: u64 = 16;
/// `BICTCP_B`: divisor of the distance to `W_max`.
const DIVISOR: u64 = 4;
/// `smooth_part`: round trips for the last [`DIVISOR`] packets below `W_max`.
const SMOOTH_PART: u64 = 20;
/// `BICTCP_BETA_SCALE`.
const SCALE: u64 = 1024;
/// `beta`, in units of 1/1024.
const BETA: u64 = 819;
/// Unit of `delayed_ack`, and its smoothing: `1 << ACK_RATIO_SHIFT`.
const RATIO: u64 = 16;
