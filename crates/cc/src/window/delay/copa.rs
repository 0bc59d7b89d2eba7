// SPDX-License-Identifier: Apache-2.0
//! Copa (Arun and Balakrishnan, "Copa: practical delay-based congestion control for the Internet", NSDI 2018): a window that
//! moves towards a target rate of `1 / (δ d)` packets per second, with `d` the queueing delay.
//!
//! * `RTTstanding`: the least round-trip time of the last `srtt / 2`; `RTTmin`: the least of the last 10 s; `d` their
//!   difference.
//! * For each packet acknowledged `w += v / (δ w)` if `w / RTTstanding ≤ 1 / (δ d)`, else `w −= v / (δ w)`. Paced at
//!   `2 w / RTTstanding`. With `w / RTTstanding` the flow's share of the link, `n` flows keep `n / δ` packets in the queue.
//! * Velocity `v`: doubles each round trip once the window has moved in the same direction for three more, else 1.
//! * Slow start: the window doubles each round trip until the rate exceeds its target.
//! * Competitive mode: a queue filled by Copa alone is nearly empty once in five round trips, `d ≤ 0.1 (RTTmax − RTTmin)` with
//!   `RTTmax` of four round trips. If it is not, another flow fills it, and `1 / δ` grows by 1 each round trip and is halved by
//!   a loss.

use crate::filter::{WindowedMax, WindowedMin};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Limits, Loss, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Bytes, Rate, Span};

/// The parameters and the state of Copa (Arun and Balakrishnan 2018).
#[derive(Clone, Debug)]
pub struct Copa {
    /// `δ` of the default mode, 1/packets.
    default_delta: f64,
    /// Whether it switches to the competitive mode.
    switches: bool,
    /// `δ` at present, 1/packets.
    delta: f64,
    competitive: bool,
    window: f64,
    slow_start: bool,
    delays: Delays,
    velocity: Velocity,
    /// [`Path::round`] of the last acknowledgement, and of the last at which the queue was nearly empty.
    round: u64,
    empty_round: u64,
    initial_window: f64,
    /// The window and whether it was in slow start before the last timeout, restored if that was spurious.
    undo: Option<(f64, bool)>,
    mss: Bytes,
}

/// Round-trip times, picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Delays {
    /// `RTTmin`.
    least: WindowedMin,
    /// `RTTstanding`.
    standing: WindowedMin,
    /// `RTTmax`.
    most: WindowedMax,
}

impl Delays {
    fn add(&mut self, sample: Span, path: &Path) {
        let srtt = path.rtt.map_or(sample, |rtt| rtt.smoothed).as_ps();
        let (now, sample) = (path.now.as_ps(), sample.as_ps());
        self.least.update(MINIMUM_WINDOW.as_ps(), now, sample);
        self.standing.update(srtt / 2, now, sample);
        self.most.update(OSCILLATIONS * srtt, now, sample);
    }

    /// `RTTstanding`, seconds; `None` before the first sample.
    fn standing(&self) -> Option<f64> {
        (self.standing.get() < u64::MAX).then(|| Span::from_ps(self.standing.get()).as_secs_f64())
    }

    /// The queueing delay `d`.
    fn queueing(&self) -> Span {
        // The filters may keep a minimum of the long window for a little less than the short one.
        Span::from_ps(self.standing.get().saturating_sub(self.least.get()))
    }

    /// Whether the queue is as empty as flows of Copa alone leave it once in five round trips.
    fn nearly_empty(&self) -> bool {
        let swing = Span::from_ps(self.most.get().saturating_sub(self.least.get()));
        // Equal, as where round-trip times do not vary.
        self.queueing() <= swing / NEARLY_EMPTY
    }
}

/// The speed at which the window moves, and what it follows from.
#[derive(Clone, Copy, Debug)]
struct Velocity {
    /// `v`.
    value: f64,
    /// Whether the window grew in the last round trip; `None` before the first.
    up: Option<bool>,
    /// Further round trips in that direction.
    same: u32,
    /// Window at the start of the round trip.
    from: f64,
}

impl Velocity {
    const fn at(window: f64) -> Self {
        Self { value: 1.0, up: None, same: 0, from: window }
    }

    /// The window is to grow, or to fall: a velocity that was reached in the other direction is void.
    fn turn(&mut self, up: bool, window: f64) {
        if self.value > 1.0 && self.up != Some(up) {
            *self = Self { value: 1.0, up: Some(up), same: 0, from: window };
        }
    }

    /// A round trip ends with this window; `δ` is `delta`.
    fn on_round(&mut self, window: f64, delta: f64) {
        let up = Some(window > self.from);
        if up == self.up {
            self.same += 1;
            if self.same >= SAME_DIRECTION {
                self.value = (2.0 * self.value).min((delta * window).max(1.0));
            }
        } else {
            (self.value, self.same) = (1.0, 0);
        }
        (self.up, self.from) = (up, window);
    }
}

impl Copa {
    /// Sets mode and `δ` at the end of a round trip.
    fn switch(&mut self) {
        let was_competitive = self.competitive;
        self.competitive = self.switches && self.round.saturating_sub(self.empty_round) > FULL_ROUNDS;
        self.delta = if !self.competitive {
            self.default_delta
        } else if was_competitive {
            1.0 / (1.0 / self.delta + 1.0)
        } else {
            self.default_delta.min(COMPETITIVE_DELTA)
        };
        if self.competitive != was_competitive {
            // The window moves by v / δ packets in a round trip: v was reached with a different δ.
            self.velocity = Velocity::at(self.window);
        }
    }

    /// Moves the window for `acked` packets acknowledged, at a rate that exceeds its target or does not.
    fn step(&mut self, acked: f64, exceeds: bool, path: &Path) {
        if self.slow_start && !exceeds {
            if path.window_limited {
                self.window = (self.window + acked).min(WINDOW_MAX);
            }
            self.velocity = Velocity::at(self.window);
            return;
        }
        self.slow_start = false;
        self.velocity.turn(!exceeds, self.window);
        let step = acked * self.velocity.value / (self.delta * self.window);
        if exceeds {
            self.window = (self.window - step).max(WINDOW_MIN.min(self.window));
        } else if path.window_limited {
            self.window = (self.window + step).min(WINDOW_MAX);
        }
    }
}

impl CongestionControl for Copa {
    fn limits(&self) -> Limits {
        let rate = |standing: f64| {
            let packets = PACING_GAIN * self.window / standing.max(RTT_LEAST);
            Rate::from_bps_f64((packets * self.mss.bits() as f64).max(1.0))
        };
        Limits { window: Some(self.window as u64), pacing: self.delays.standing().map(rate), burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        Some(self.window)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        if let Some(sample) = ack.rtt {
            self.delays.add(sample, path);
        }
        let Some(standing) = self.delays.standing() else { return };
        if self.delays.nearly_empty() {
            self.empty_round = path.round;
        }
        if core::mem::replace(&mut self.round, path.round) != path.round {
            self.velocity.on_round(self.window, self.delta);
            self.switch();
        }
        let exceeds = self.window * self.delta * self.delays.queueing().as_secs_f64() > standing;
        self.step(ack.newly_acked as f64, exceeds, path);
    }

    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        if loss.new_episode && self.competitive {
            self.delta = (2.0 * self.delta).min(self.default_delta.min(COMPETITIVE_DELTA));
        }
        if loss.cause == Cause::Timeout {
            if loss.new_episode {
                self.undo = Some((self.window, self.slow_start));
            }
            self.window = 1.0;
            self.slow_start = true;
            self.velocity = Velocity::at(self.window);
        }
    }

    fn on_spurious_loss(&mut self, _path: &Path) {
        if let Some((window, slow_start)) = self.undo.take() {
            self.slow_start = slow_start;
            self.set_window(window.max(self.window), false);
        }
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        if idle.timeouts > 0 {
            self.undo = None;
            self.set_window(self.window.min(self.initial_window), false);
            self.slow_start = true;
        }
        // Time without packets says nothing of the queue.
        self.empty_round = path.round;
    }

    fn set_window(&mut self, window: f64, ends_slow_start: bool) {
        self.window = if window.is_finite() { window.clamp(1.0, WINDOW_MAX) } else { 1.0 };
        self.velocity = Velocity::at(self.window);
        self.slow_start &= !ends_slow_start;
    }

    fn needs_sent_events(&self) -> bool {
        false
    }

    fn state(&self) -> &'static str {
        match (self.slow_start, self.competitive) {
            (true, _) => "slow-start",
            (false, true) => "competitive",
            (false, false) => "default",
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("delta", self.delta);
        record("velocity", self.velocity.value);
        if self.delays.standing().is_some() {
            record("queueing_delay_s", self.delays.queueing().as_secs_f64());
        }
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// Length of the window of `RTTmin`.
const MINIMUM_WINDOW: Span = Span::from_ms(10_000);
/// Length of the window of `RTTmax`, round trips.
const OSCILLATIONS: u64 = 4;
/// The inverse of the share of `RTTmax − RTTmin` up to which the queue is nearly empty.
const NEARLY_EMPTY: u64 = 10;
/// Round trips in which a queue that Copa alone fills is nearly empty once.
const FULL_ROUNDS: u64 = 5;
/// Round trips in the same direction before the velocity doubles.
const SAME_DIRECTION: u32 = 3;
/// Largest `δ` of the competitive mode, 1/packets.
const COMPETITIVE_DELTA: f64 = 0.5;
/// Pacing rate over `w / RTTstanding`.
const PACING_GAIN: f64 = 2.0;
/// Shortest round-trip time of which a pacing rate is computed, seconds.
const RTT_LEAST: f64 = 1e-9;
/// Smallest window to which the target rate leads, packets (the authors' code and mvfst).
const WINDOW_MIN: f64 = 2.0;
/// Largest window, packets: more than any path holds.
const WINDOW_MAX: f64 = 1_073_741_824.0;

/// The card of `copa`.
pub(crate) const COPA: Entry = Entry {
    card: Card {
        name: "copa",
        family: "delay-based",
        summary: "Copa: keeps 1/delta packets in the queue, and competes with flows that fill it",
        source: "Arun and Balakrishnan, NSDI 2018",
        equations: &[
            "d = RTTstanding - RTTmin: least round-trip time of the last srtt / 2, less that of the last 10 s",
            "ACK: w = w + v / (delta w) if w / RTTstanding <= 1 / (delta d), else w = w - v / (delta w), at least 2",
            "round trip: v = 2 v once w has moved in the same direction for three more, else v = 1",
            "pacing rate = 2 w / RTTstanding; slow start: w doubles each round trip until its rate exceeds 1 / (delta d)",
            "competitive if not d <= 0.1 (RTTmax - RTTmin) once in 5 round trips, RTTmax of 4: 1 / delta += 1 each round trip, halved by a loss, delta at most 0.5",
        ],
        parameters: &[
            Parameter::number(
                "delta",
                "inverse of the packets that a flow keeps in the queue, in the default mode",
                0.5,
                0.001..=10.0,
            )
            .unit("1/packets")
            .source("Arun and Balakrishnan 2018 §2.2; 0.05 in mvfst"),
            Parameter::flag("competitive", "whether it switches to the competitive mode", true)
                .source("Arun and Balakrishnan 2018 §2.2; false in mvfst"),
        ],
        variables: &[
            Variable { name: "delta", unit: "1/packets", meaning: "delta of the present mode" },
            Variable { name: "velocity", unit: "", meaning: "v, the speed at which the window moves" },
            Variable { name: "queueing_delay_s", unit: "s", meaning: "RTTstanding less RTTmin" },
        ],
        deviations: &[
            "round-trip times are filtered in constant space, so that a minimum may stand for samples that are no longer the least of their window",
            "the round trips of velocity and mode are those that the sender counts; the direction follows from the window at the start of one and of the next",
            "a velocity above 1 ends at once where the window is to turn, as in mvfst, and not at the end of the round trip: otherwise the window swings between two packets and twice the path",
            "v is reset to 1 when the mode changes, which the paper does not specify: v / delta packets per round trip is a different speed with a different delta, and a flow alone that drains its own overshoot for more than five round trips would fall to a tenth of the capacity, rise, overshoot again, and keep two thirds of the link",
            "v is at most delta w, so that the window at most doubles in a round trip (the paper sets no bound; in the authors' code v is at most w)",
            "the paper is silent on timeouts and idle times: after a timeout the window is one packet, after an idle time of one at most the initial window, and slow start follows",
            "acknowledgements in bursts longer than srtt / 2 hide the minimum delay, which the paper does not consider: in frames of 20 ms over 10 Mbps and 40 ms the utilization is 0.24",
            "a window that does not limit the sender does not grow",
            "beside a NewReno flow it has 0.58 of 12 Mbps and, within a cycle of NewReno, 0.61 of 96 Mbps, where the paper has it as aggressive",
            "on a path that became longer by 100 ms the least delay of 10 s stands for the shorter path: a flow alone loses a tenth of its packets until it has passed",
            "where the queue swings by few packets, as with delta = 0.5 and one flow, it may be taken for never nearly empty: the competitive mode comes without a competitor",
        ],
    },
    style: Some(Style(Hue::Ochre, Dash::Sparse)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let delta = values.number("delta");
    let window = setup.initial_window.clamp(1.0, WINDOW_MAX);
    Box::new(Copa {
        default_delta: delta,
        switches: values.flag("competitive"),
        delta,
        competitive: false,
        window,
        slow_start: setup.initial_ssthresh > window,
        delays: Delays::default(),
        velocity: Velocity::at(window),
        round: 0,
        empty_round: 0,
        initial_window: window,
        undo: None,
        mss: setup.mss,
    })
}
