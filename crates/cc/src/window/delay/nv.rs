// SPDX-License-Identifier: Apache-2.0
//! TCP-NV, "new Vegas" (Brakmo, "TCP-NV: congestion avoidance for data centers", Linux Plumbers Conference 2010; the
//! documentation in Linux `tcp_nv.c`, by the same author): compares the window with the one that the measured rate needs.
//!
//! * For each acknowledgement: `rtt` is the mean of the sample and the value before; `rate = f / rtt`, where `f` packets were in
//!   flight when the acknowledged packet was sent.
//! * Once per round, with the largest rate since the last decision: `w_max = rate · rtt_min + pad`.
//!   * `w > w_max`: congestion; with at least `dec_samples` samples (`ssthresh_samples` in the first slow start) in at least 2
//!     rounds `w −= max(2, dec (w − w_max))`, but to `w_max` if it is at most 2 below, and the window does not grow any more.
//!   * `w ≤ w_max − pad_buffer`, with at least `inc_samples` samples: the window may grow.
//!   * In between: nothing, and the measurement goes on.
//! * Growth: Reno's, at most one packet for 4; below one packet per round trip after timeouts, by a factor of 2 for each, which
//!   every 8 decisions without congestion take back.
//! * Every `reset` seconds, at random within a quarter of it, `rtt_min` is the minimum since the last time.
//! * Loss: `w = 0.8 w`; the window does not grow until it may, and `rtt_min` is measured anew.

use crate::random::Random;
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of TCP-NV (Brakmo 2010).
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of the module are independent of each other")]
pub struct Nv {
    options: Options,
    random: Random,
    /// [`Path::round`] of the current round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// `rtt`, seconds; `None` before the first sample after a loss.
    rtt: Option<f64>,
    /// `rtt_min`, and the minimum that will replace it, seconds.
    least: (f64, f64),
    /// Time at which that happens; `None` before the first acknowledgement.
    reset_at: Option<Time>,
    /// Largest rate since the last decision, packets per second.
    rate: f64,
    /// Samples since the last decision.
    samples: f64,
    /// Rounds since the last decision.
    rounds: u32,
    /// A round ended with this acknowledgement.
    round_ended: bool,
    /// In recovery, or after a timeout until it ends: nothing is measured.
    recovering: bool,
    /// The window may grow.
    may_grow: bool,
    /// The window has not been decreased on this connection.
    undiminished: bool,
    /// Timeouts that slow the growth down.
    slowed: i32,
    /// Decisions without congestion, one after the other.
    uncongested: u32,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    pad: f64,
    pad_buffer: f64,
    dec: f64,
    loss: f64,
    /// Time between resets of `rtt_min`, seconds.
    reset: f64,
    dec_samples: f64,
    inc_samples: f64,
    ssthresh_samples: f64,
}

impl Nv {
    fn sample(&mut self, rtt: f64, in_flight: f64, now: Time) {
        let mean = self.rtt.map_or(rtt, |before| f64::midpoint(rtt, before));
        if self.rtt.replace(mean).is_none() {
            self.least.0 = mean;
        }
        self.rate = self.rate.max(in_flight / mean);
        self.samples += 1.0;
        self.least = (self.least.0.min(mean), self.least.1.min(mean));
        if self.reset_at.is_some_and(|at| now >= at) {
            self.least = (self.least.1, f64::INFINITY);
            let next = self.options.reset * (0.75 + 0.5 * self.random.unit());
            self.reset_at = Some(now + Span::from_secs_f64(next));
        }
    }

    /// The window after a round, packets; `None` to keep it.
    fn decide(&mut self, size: f64) -> Option<f64> {
        let most = self.rate * self.least.0 + self.options.pad;
        if size > most {
            let needed =
                if self.undiminished { self.options.ssthresh_samples } else { self.options.dec_samples };
            if self.rounds < ROUNDS_MIN {
                return None;
            }
            if self.samples < needed {
                self.may_grow &= self.undiminished || self.rounds <= GROWTH_ROUNDS;
                return None;
            }
            (self.may_grow, self.undiminished, self.uncongested) = (false, false, 0);
            self.decided();
            let excess = size - most;
            let left = if excess > 2.0 { size - (self.options.dec * excess).max(2.0) } else { most };
            return Some(left.max(2.0));
        }
        if size <= most - self.options.pad_buffer && self.samples >= self.options.inc_samples {
            self.may_grow = true;
            self.uncongested += 1;
            if self.slowed > 0 && self.uncongested > RECOVERY_DECISIONS {
                (self.slowed, self.uncongested) = (self.slowed - 1, 0);
            }
            self.decided();
        }
        None
    }

    fn decided(&mut self) {
        (self.samples, self.rounds, self.rate) = (0.0, 0, 0.0);
    }
}

impl WindowRule for Nv {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let reno = acked / window.size.max(4.0);
        if !self.may_grow {
            0.0
        } else if self.slowed > 0 {
            libm::ldexp(acked / window.size, -self.slowed)
        } else {
            reno
        }
    }

    fn in_slow_start(&self, growth: f64) -> f64 {
        if self.may_grow { growth } else { 0.0 }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        (self.may_grow, self.undiminished, self.recovering) = (false, false, cause != Cause::Timeout);
        if cause == Cause::Timeout {
            self.slowed = (self.slowed + 1).min(SLOWED_MAX);
        }
        (self.rtt, self.uncongested) = (None, 0);
        self.decided();
        self.options.loss * window.size
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        let first = self.options.reset * FIRST_RESET;
        self.reset_at.get_or_insert(path.now + Span::from_secs_f64(first));
        self.round_ended = self.round.is_some_and(|round| round != path.round);
        let newest = ack.packets.iter().max_by_key(|packet| packet.number);
        if let (Some(rtt), Some(packet), false) = (ack.rtt, newest, self.recovering)
            && rtt > Span::ZERO
        {
            self.sample(rtt.as_secs_f64(), packet.in_flight as f64, path.now);
        }
        self.round = Some(path.round);
        self.rounds += u32::from(self.round_ended);
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        let measured = self.round_ended && ack.rtt.is_some() && self.samples > 0.0;
        if measured { self.decide(window.size) } else { None }
    }

    fn on_recovered(&mut self, _window: &Window, _path: &Path) {
        self.recovering = false;
        self.decided();
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if self.samples > 0.0 {
            record("needed", self.rate * self.least.0);
        }
        record("growing", f64::from(u8::from(self.may_grow)));
    }
}

/// The card of `nv`.
pub(crate) const NV: Entry = Entry {
    card: Card {
        name: "nv",
        family: "delay-based",
        summary: "TCP-NV: keeps at most ten packets more in flight than the measured rate needs; for flows within a data center",
        source: "Brakmo, Linux Plumbers Conference 2010; Linux tcp_nv.c, by the same author",
        equations: &[
            "acknowledgement: rtt = (sample + rtt) / 2; rate = in flight when sent / rtt, the largest since the last decision",
            "round trip: w_max = rate rtt_min + pad",
            "w > w_max: w -= max(2, dec (w - w_max)), w = w_max within 2; no growth",
            "w <= w_max - pad_buffer: growth w += acked / max(4, w); after n timeouts w += acked / (2^n w)",
            "loss: w = loss w, no growth until it is allowed, rtt_min anew",
        ],
        parameters: &[
            Parameter::number("pad", "packets that may wait in the network", 10.0, 0.0..=1_000_000.0)
                .unit("packets")
                .source(SOURCE),
            Parameter::number(
                "pad_buffer",
                "no growth with fewer packets than this below the limit",
                2.0,
                0.0..=1_000_000.0,
            )
            .unit("packets")
            .source(SOURCE),
            Parameter::number(
                "dec",
                "part of the excess that a round trip with congestion removes",
                0.296_875,
                0.0..=1.0,
            )
            .source(SOURCE),
            Parameter::number("loss", "factor of the window at a loss", 0.8, 0.0..=1.0).source(SOURCE),
            Parameter::number(
                "reset",
                "time after which the minimum RTT is replaced by that since the last replacement",
                5.0,
                0.01..=1_000_000.0,
            )
            .unit("s")
            .source(SOURCE),
            Parameter::number(
                "dec_samples",
                "samples without which congestion is not decided on",
                60.0,
                0.0..=1_000_000.0,
            )
            .source(SOURCE),
            Parameter::number(
                "inc_samples",
                "samples without which growth is not decided on",
                20.0,
                0.0..=1_000_000.0,
            )
            .source(SOURCE),
            Parameter::number(
                "ssthresh_samples",
                "as dec_samples, before the first decrease",
                30.0,
                0.0..=1_000_000.0,
            )
            .source(SOURCE),
        ],
        variables: &[
            Variable {
                name: "needed",
                unit: "packets",
                meaning: "rate rtt_min, the window that the rate needs",
            },
            Variable { name: "growing", unit: "", meaning: "1 if the window may grow, else 0" },
        ],
        deviations: &[
            "as in Linux, a queue that does not empty for a reset period becomes part of rtt_min",
            "the talk has no equations, so that the rules and the values are those of Linux's module and its comments",
            "ssthresh falls with the window, where Linux sets it to w_max even if that is below the window",
            "the larger least window of hosts that coalesce acknowledgements, bounds of the RTT from BPF programs and the faster growth that is off by default are left out",
            "Linux computes in whole packets, microseconds and hundreds of bits per second, and measures in reordering, not in recovery",
        ],
    },
    style: Some(Style(Hue::Rose, Dash::DashDotDot)),
    needs: |_| Needs { packets: true, ..Needs::RELIABLE },
    build,
};

/// Source of the parameters.
const SOURCE: &str = "Linux tcp_nv.c";

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Nv {
        options: Options {
            pad: values.number("pad"),
            pad_buffer: values.number("pad_buffer"),
            dec: values.number("dec"),
            loss: values.number("loss"),
            reset: values.number("reset"),
            dec_samples: values.number("dec_samples"),
            inc_samples: values.number("inc_samples"),
            ssthresh_samples: values.number("ssthresh_samples"),
        },
        random: Random::new(setup.seed),
        round: None,
        rtt: None,
        least: (f64::INFINITY, f64::INFINITY),
        reset_at: None,
        rate: 0.0,
        samples: 0.0,
        rounds: 0,
        round_ended: false,
        recovering: false,
        may_grow: true,
        undiminished: true,
        slowed: 0,
        uncongested: 0,
    };
    Box::new(Windowed::new(rule, setup))
}

/// Rounds without which congestion is not decided on.
const ROUNDS_MIN: u32 = 2;
/// Rounds of undecided congestion after which the window does not grow any more.
const GROWTH_ROUNDS: u32 = 10;
/// Decisions without congestion that take back the effect of a timeout.
const RECOVERY_DECISIONS: u32 = 8;
/// Timeouts that slow the growth down at most.
const SLOWED_MAX: i32 = 8;
/// The first reset is after 2 of the usual 5 seconds.
const FIRST_RESET: f64 = 0.4;
