// SPDX-License-Identifier: Apache-2.0
//! Vegas as in Linux 6.12 (`net/ipv4/tcp_vegas.c`): the queue in whole packets, as a part of the minimum round-trip time.
//!
//! * A round ends when a packet that was sent after its start is acknowledged: `diff = ⌊w (rtt − base) / base⌋`, `rtt` the
//!   minimum of the round in microseconds. The paper divides by `rtt`, and so has a smaller `diff` of the same queue.
//! * `diff > β`: `w −= 1`, whether or not the window limits the sender; `diff < α`: `w += 1`.
//! * Slow start, in which the window grows in every round, ends when `diff > γ`, with `w = min(w, ⌊w base / rtt⌋ + 1)`.
//! * A round with fewer than 3 samples adds what Reno adds for its last acknowledgement. A round that holds the end of a
//!   recovery, or of reordering, begins there.
//! * Loss: `w = max(2, ⌊w / 2⌋)`. `base` is measured anew after a timeout and whenever nothing was in flight.

use crate::window::linux::{State, States};
use crate::window::reno_linux::RenoLinux;
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Span;

/// Vegas as in Linux. Times are in microseconds.
#[derive(Clone, Debug)]
pub struct VegasLinux {
    options: Options,
    reno: RenoLinux,
    states: States,
    /// `baseRTT`; `u64::MAX` before the first sample.
    base: u64,
    /// `minRTT`: minimum of the round; `u64::MAX` before its first sample.
    least: u64,
    /// `cntRTT`: samples in the round.
    samples: u32,
    /// Packets that were in flight when the round began and have not been acknowledged since (up to `beg_snd_nxt`).
    earlier: u64,
    /// Nothing was in flight after the last acknowledgement.
    drained: bool,
    /// `diff` of the last round that had enough samples; 0 before the first.
    queued: u64,
    step: Step,
}

/// The parameters of the card, packets.
#[derive(Clone, Copy, Debug)]
struct Options {
    alpha: f64,
    beta: f64,
    gamma: f64,
}

/// The response to an acknowledgement in congestion avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// Nothing.
    Hold,
    /// The increase of Reno.
    Reno,
    /// The window grows by one packet.
    Grow,
    /// The window is reduced to this number of packets, and slow start ends.
    FallTo(u64),
}

impl VegasLinux {
    /// A round begins, with this number of packets in flight.
    fn begin(&mut self, in_flight: u64) {
        (self.earlier, self.least, self.samples) = (in_flight, u64::MAX, 0);
    }

    fn sample(&mut self, rtt: Span) {
        // `tcp_vegas_pkts_acked` adds one, so that no time is zero.
        let rtt = rtt.as_ps() / PICOSECONDS_PER_MICROSECOND + 1;
        self.base = self.base.min(rtt);
        self.least = self.least.min(rtt);
        self.samples += 1;
    }

    /// The step at the end of a round.
    fn decide(&mut self, window: &Window) -> Step {
        if self.samples < SAMPLES_MIN {
            return Step::Reno;
        }
        let size = window.size as u64;
        let queued = size * (self.least - self.base) / self.base;
        self.queued = queued;
        let queued = queued as f64;
        if window.in_slow_start() {
            let without_queue = size * self.base / self.least;
            let over = queued > self.options.gamma;
            return if over { Step::FallTo((without_queue + 1).min(size)) } else { Step::Hold };
        }
        if queued > self.options.beta {
            Step::FallTo(size - 1)
        } else if queued < self.options.alpha {
            Step::Grow
        } else {
            Step::Hold
        }
    }
}

impl WindowRule for VegasLinux {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        match self.step {
            Step::Hold | Step::FallTo(_) => 0.0,
            Step::Reno => self.reno.increase(window, acked, path),
            Step::Grow => 1.0,
        }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        self.states.on_loss(cause);
        if cause == Cause::Timeout {
            self.base = u64::MAX;
        }
        self.reno.decrease(window, cause, path)
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        if self.drained {
            self.base = u64::MAX;
            self.begin(0);
        }
        self.drained = path.in_flight == 0;
        if let Some(rtt) = ack.rtt {
            self.sample(rtt);
        }
        let before = self.states.on_ack(ack);
        self.step = Step::Hold;
        if self.states.state() != State::Open {
            return;
        }
        if before != State::Open {
            self.begin(path.in_flight);
        } else if ack.newly_acked > self.earlier {
            self.step = self.decide(window);
            self.begin(path.in_flight);
        } else {
            self.earlier -= ack.newly_acked;
        }
    }

    fn step_down(&mut self, _window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        if let Step::FallTo(size) = self.step { Some(size.max(2) as f64) } else { None }
    }

    fn on_recovered(&mut self, _window: &Window, path: &Path) {
        self.on_repaired(path);
    }

    fn on_repaired(&mut self, _path: &Path) {
        self.states.on_repaired();
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("queued", self.queued as f64);
    }
}

/// The card of `vegas-linux`.
pub(crate) const VEGAS_LINUX: Entry = Entry {
    card: Card {
        name: "vegas-linux",
        family: "delay-based",
        summary: "Vegas as in Linux 6.12: the queue in whole packets, as a part of the minimum round-trip time",
        source: "Linux 6.12 net/ipv4/tcp_vegas.c",
        equations: &[
            "round trip: diff = floor(w (rtt - base) / base), rtt the smallest of the round, base of the connection, in microseconds",
            "diff < alpha: w = w + 1; diff > beta: w = w - 1; fewer than 3 samples: w += 1 for each w acknowledged last in a round",
            "slow start: over where diff > gamma, w = min(w, floor(w base / rtt) + 1); loss: w = max(2, floor(w / 2))",
            "base anew after a timeout, and after an acknowledgement that leaves nothing in flight",
        ],
        parameters: &[
            packets("alpha", "with fewer packets in the queue the window grows", 2.0),
            packets("beta", "with more packets in the queue the window falls", 4.0),
            packets("gamma", "with more packets in the queue slow start ends", 1.0),
        ],
        variables: &[Variable {
            name: "queued",
            unit: "packets",
            meaning: "diff, the packets that waited in the last round",
        }],
        deviations: &[
            "a window that is not what limits the sender does not grow; in Linux it does, by a packet for each round",
            "ssthresh is the window when that falls; Linux then keeps it at three quarters of the window or more",
            "after a spurious reduction the round goes on, where Linux begins one",
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::LongShort)),
    needs: |_| Needs::RELIABLE,
    build,
};

/// A parameter of Linux's module.
const fn packets(name: &'static str, meaning: &'static str, default: f64) -> Parameter {
    let source = "Linux module parameter of that name";
    Parameter::number(name, meaning, default, 0.0..=1_000_000.0).unit("packets").source(source)
}

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = VegasLinux {
        options: Options {
            alpha: values.number("alpha"),
            beta: values.number("beta"),
            gamma: values.number("gamma"),
        },
        reno: RenoLinux::default(),
        states: States::default(),
        base: u64::MAX,
        least: u64::MAX,
        samples: 0,
        earlier: 0,
        drained: false,
        queued: 0,
        step: Step::Hold,
    };
    Box::new(Windowed::new(rule, setup))
}

/// Samples without which a round gives no estimate: all of fewer may be of delayed acknowledgements.
const SAMPLES_MIN: u32 = 3;

const PICOSECONDS_PER_MICROSECOND: u64 = 1_000_000;
