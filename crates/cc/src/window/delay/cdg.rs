// SPDX-License-Identifier: Apache-2.0
//! CAIA delay gradient, CDG (Hayes and Armitage, "Revisiting TCP congestion control using delay gradients", IFIP Networking
//! 2011; FreeBSD `cc_cdg.c`, by its first author): backs off at random while the round-trip time grows.
//!
//! * Each round has a minimum and a maximum round-trip time; their differences from the previous round are the
//!   gradients `g_min` and `g_max`, and `ḡ` is the mean of the last `a` of each.
//! * *Backoff*: with probability `1 − e^(−ḡ / G)`, where `ḡ` is `ḡ_min` if positive, else `ḡ_max` if positive: `w = β w`. In slow
//!   start the latest gradient takes the place of the mean. The round after a backoff has no gradient.
//! * *Ineffectual backoffs*: after `b` of them without a negative gradient the next `b` are left out, since flows that do not
//!   respond to delay are taken to compete.
//! * The queue is full if `ḡ_min > 0` and `ḡ_max ≤ 0`, and empty if `ḡ_min = 0` and `ḡ_max < 0`.
//! * *Shadow window* `s`: the larger of `s` and `w` before each backoff; it grows as `w` does, and is zero once the queue is
//!   empty.
//! * Loss: if the queue is full, `w = max(s, w) / 2` and `s = s / 2`, else the window stays. Timeout and mark: half.
//! * Otherwise Reno.

use crate::random::Random;
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Idle, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::Span;

/// The parameters and the state of CDG (Hayes and Armitage 2011).
#[derive(Clone, Debug)]
pub struct Cdg {
    options: Options,
    random: Random,
    /// [`Path::round`] of the current round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Minimum and maximum round-trip time of the current round; `None` before its first sample.
    current: Option<(Span, Span)>,
    /// As `current`, of the round before; `None` if it does not count.
    previous: Option<(Span, Span)>,
    /// The last gradients, minimum and maximum, seconds, oldest first.
    gradients: VecDeque<(f64, f64)>,
    /// `ḡ_min` and `ḡ_max`, seconds.
    mean: (f64, f64),
    /// The gradient that may cause a backoff with this acknowledgement, seconds.
    growing: Option<f64>,
    /// The queue is full, or nothing is known of it.
    full: bool,
    /// `s`, packets.
    shadow: f64,
    /// Backoffs without a negative gradient, one after the other, those left out included.
    backoffs: f64,
}

/// The parameters of the card.
#[derive(Clone, Debug)]
struct Options {
    beta: f64,
    /// `G`, seconds.
    scale: f64,
    /// `a`, rounds.
    smoothing: f64,
    /// `b`; zero for never leaving out a backoff.
    ineffectual: f64,
    shadow: bool,
    tolerance: bool,
}

impl Cdg {
    /// Ends a round.
    fn end_round(&mut self, in_slow_start: bool) {
        let Some(now) = self.current.take() else { return };
        let Some(before) = self.previous.replace(now) else { return };
        let latest = (difference(now.0, before.0), difference(now.1, before.1));
        self.gradients.push_back(latest);
        if self.gradients.len() as f64 > self.options.smoothing {
            self.gradients.pop_front();
        }
        let sum = self.gradients.iter().fold((0.0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
        self.mean = (sum.0 / self.options.smoothing, sum.1 / self.options.smoothing);
        let (least, most) = if in_slow_start { latest } else { self.mean };
        self.growing = [least, self.mean.0, most, self.mean.1].into_iter().find(|gradient| *gradient > 0.0);
        self.judge_queue();
    }

    /// Sets the state of the queue by the mean gradients.
    fn judge_queue(&mut self) {
        let (least, most) = self.mean;
        if least != 0.0 || most != 0.0 {
            self.full = least > 0.0 && most <= 0.0;
        }
        if least == 0.0 && most < 0.0 {
            self.shadow = 0.0;
        }
        if least < 0.0 || most < 0.0 {
            self.backoffs = 0.0;
        }
    }

    /// Whether a backoff is left out, because those before had no effect.
    fn is_ineffectual(&mut self) -> bool {
        let most = self.options.ineffectual;
        self.backoffs += 1.0;
        let left_out = most > 0.0 && self.backoffs > most;
        if left_out && self.backoffs >= 2.0 * most {
            self.backoffs = 0.0;
        }
        left_out
    }
}

impl WindowRule for Cdg {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let step = acked / window.size;
        if self.shadow > 0.0 {
            self.shadow += step;
        }
        step
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        if cause == Cause::Detected && self.options.tolerance && !self.full {
            return window.size;
        }
        let shadowed = cause == Cause::Detected && self.options.shadow;
        let from = if shadowed { self.shadow.max(window.size) } else { window.size };
        self.shadow /= 2.0;
        from / 2.0
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.growing = None;
        if let Some(rtt) = ack.rtt {
            let (least, most) = self.current.unwrap_or((rtt, rtt));
            self.current = Some((least.min(rtt), most.max(rtt)));
        }
        if self.round.replace(path.round).is_some_and(|round| round != path.round) {
            self.end_round(window.in_slow_start());
        }
    }

    fn step_down(&mut self, window: &Window, _ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        let gradient = self.growing?;
        if self.random.unit() >= 1.0 - libm::exp(-gradient / self.options.scale) {
            return None;
        }
        self.previous = None;
        self.shadow = self.shadow.max(window.size);
        (!self.is_ineffectual()).then_some(self.options.beta * window.size)
    }

    fn on_idle(&mut self, window: &Window, idle: &Idle, _path: &Path) {
        (self.current, self.previous, self.growing) = (None, None, None);
        if idle.timeouts > 0 {
            self.gradients.clear();
            (self.mean, self.full, self.shadow, self.backoffs) = ((0.0, 0.0), true, window.size, 0.0);
        }
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("g_min", self.mean.0);
        record("g_max", self.mean.1);
        record("shadow", self.shadow);
    }
}

/// `now − before`, seconds.
fn difference(now: Span, before: Span) -> f64 {
    if now >= before { (now - before).as_secs_f64() } else { -(before - now).as_secs_f64() }
}

/// The card of `cdg`.
pub(crate) const CDG: Entry = Entry {
    card: Card {
        name: "cdg",
        family: "delay-based",
        summary: "CDG: Reno that also backs off at random while the round-trip time grows, and takes losses with a queue that is not full for random",
        source: "Hayes and Armitage, IFIP Networking 2011; FreeBSD cc_cdg.c, by its first author",
        equations: &[
            "round trip: g_min = min RTT - that of the round before, g_max likewise; means of the last smoothing rounds",
            "backoff with probability 1 - exp(-g / scale), g = mean g_min if positive, else mean g_max: w = beta w",
            "after ineffectual backoffs without a negative gradient as many are left out",
            "full: g_min > 0 and g_max <= 0; empty: g_min = 0 and g_max < 0",
            "backoff: s = max(s, w); empty: s = 0; otherwise s grows as w",
            "w += acked / w; loss: full: w = max(s, w) / 2, s = s / 2; else w stays; timeout, mark: half",
        ],
        parameters: &[
            Parameter::number("beta", "factor of the window at a backoff", 0.7, 0.0..=1.0)
                .source("Hayes and Armitage 2011 §3"),
            Parameter::number(
                "scale",
                "G: gradient at which a backoff has probability 1 - 1/e",
                0.003,
                0.000_001..=100.0,
            )
            .unit("s")
            .source("Hayes and Armitage 2011 §3"),
            Parameter::number("smoothing", "a: rounds in the mean of the gradients", 8.0, 1.0..=256.0)
                .unit("round trips")
                .source("Hayes and Armitage 2011 §3"),
            Parameter::number(
                "ineffectual",
                "b: backoffs without effect after which as many are left out; 0 for never",
                5.0,
                0.0..=1_000.0,
            )
            .source("Hayes and Armitage 2011 §3"),
            Parameter::flag(
                "shadow",
                "a loss decreases to half of the shadow window, if that is more than half of the window",
                true,
            )
            .source("Hayes and Armitage 2011 §3"),
            Parameter::flag(
                "tolerance",
                "a loss without a full queue leaves the window as it is; off in Linux",
                true,
            )
            .source("Hayes and Armitage 2011 §3"),
        ],
        variables: &[
            Variable { name: "g_min", unit: "s", meaning: "mean gradient of the minimum round-trip time" },
            Variable { name: "g_max", unit: "s", meaning: "mean gradient of the maximum round-trip time" },
            Variable { name: "shadow", unit: "packets", meaning: "s, the shadow window" },
        ],
        deviations: &[
            "details that the paper leaves open are those of FreeBSD: a queue of which nothing is known counts as full, timeouts and marks halve",
            "after an idle time of a retransmission timeout all measurements begin anew, as in Linux; the shadow window is then the restart window, in Linux the window before",
            "the window grows with each acknowledgement, in FreeBSD once per round trip; the experimental increase by more than one packet is left out",
            "Linux has tolerance = false, beta = 0.7071, HyStart's tests in slow start, and smoothed gradients there, too (tolerance=false, beta=0.7071; slow_start = hystart)",
            "Linux extrapolates the mean while fewer than smoothing gradients are known, leaves delayed acknowledgements out of the minimum, and forgets ineffectual backoffs only after a mean gradient below -4 us",
            "Linux leaves out every further backoff until then, not the next five; a backoff is an episode of a round trip, in which the window does not grow and gradients are not measured",
            "Linux bounds the shadow window by the window at a loss, and by the window where the application limits the sender",
        ],
    },
    style: Some(Style(Hue::Green, Dash::LongShort)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Cdg {
        options: Options {
            beta: values.number("beta"),
            scale: values.number("scale"),
            smoothing: values.number("smoothing"),
            ineffectual: values.number("ineffectual"),
            shadow: values.flag("shadow"),
            tolerance: values.flag("tolerance"),
        },
        random: Random::new(setup.seed),
        round: None,
        current: None,
        previous: None,
        gradients: VecDeque::new(),
        mean: (0.0, 0.0),
        growing: None,
        full: true,
        shadow: setup.initial_window,
        backoffs: 0.0,
    };
    Box::new(Windowed::new(rule, setup))
}
