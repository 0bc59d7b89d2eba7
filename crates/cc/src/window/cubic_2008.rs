// SPDX-License-Identifier: Apache-2.0
//! CUBIC as its authors published it (Ha, Rhee and Xu, Operating Systems Review 42, 2008), the one in Linux 2.6.22 and in
//! ns-2's TCP/Linux.
//!
//! * `W(t) = C (t − K)³ + W_max`, `K = cbrt((W_max − cwnd_epoch) / C)`, with `t` one minimum round-trip time ahead.
//! * An acknowledgement of `n` packets adds `n (W − w) / w`, or `0.01 n / w` where `W(t)` is below the window.
//! * The increase is at most `s_max` packets in 100 ms; before any loss it is `w / 50` per round trip.
//! * TCP-friendly: `W_tcp += 3 β / (2 − β) · n / w`, and the window is at least `W_tcp`.
//! * Loss: `w = ssthresh = (1 − β) w`, and `W_max = w (2 − β) / 2` if `w < W_max`, else `w`. A timeout resets `W_max`.

use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of CUBIC as of 2008 (Ha, Rhee and Xu).
#[derive(Clone, Debug)]
pub struct Cubic2008 {
    /// `C`, packets per second cubed.
    c: f64,
    /// `β`: fraction by which a loss decreases the window.
    beta: f64,
    /// `3 β / (2 − β)`: increase of a Reno flow with this `β`, packets per round trip.
    tcp_slope: f64,
    fast_convergence: bool,
    /// `S_max`, packets per second.
    fastest: f64,
    /// `S_max` holds below `W_max`, too.
    always_limited: bool,
    /// `W_max`, packets; 0 before the first loss and after a timeout.
    w_max: f64,
    /// There was a loss after the start or the last timeout.
    has_lost: bool,
    epoch: Option<Epoch>,
}

/// An epoch: it starts with the first acknowledgement after a loss.
#[derive(Clone, Debug)]
struct Epoch {
    start: Time,
    /// `K`, seconds.
    k: f64,
    /// Window at the plateau of the cubic function, packets.
    origin: f64,
    /// `W_tcp`: window of a Reno flow with this `β`, packets.
    w_tcp: f64,
}

impl Cubic2008 {
    fn start_epoch(&self, window: &Window, now: Time) -> Epoch {
        let origin = self.w_max.max(window.size);
        Epoch { start: now, k: libm::cbrt((origin - window.size) / self.c), origin, w_tcp: window.size }
    }
}

impl WindowRule for Cubic2008 {
    const ABE_FACTOR: Option<f64> = Some(0.85);

    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let epoch = if let Some(epoch) = &mut self.epoch {
            epoch
        } else {
            let epoch = self.start_epoch(window, path.now);
            self.epoch.insert(epoch)
        };
        let share = acked / window.size;
        let rtt_min = path.rtt.map_or(Span::ZERO, |rtt| rtt.min);
        let after_k = (path.now.since(epoch.start) + rtt_min).as_secs_f64() - epoch.k;
        let target = epoch.origin + self.c * after_k * after_k * after_k;
        let mut step = if target > window.size { target - window.size } else { PLATEAU_STEP };
        if rtt_min > Span::ZERO && (self.always_limited || after_k >= 0.0) {
            step = step.min(self.fastest * rtt_min.as_secs_f64());
        }
        let added = if self.has_lost { share * step } else { acked / ACKS_BEFORE_LOSS };
        epoch.w_tcp += share * self.tcp_slope;
        let added = added.max(epoch.w_tcp - window.size);
        // At most one packet for each packet acknowledged: Linux's count of acknowledgements per increase is at least one.
        added.min(acked)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        self.epoch = None;
        self.has_lost = cause != Cause::Timeout;
        self.w_max = if cause == Cause::Timeout {
            0.0
        } else if self.fast_convergence && window.size < self.w_max {
            window.size * (2.0 - self.beta) / 2.0
        } else {
            window.size
        };
        (1.0 - self.beta) * window.size
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("w_max", self.w_max);
        if let Some(epoch) = &self.epoch {
            record("k", epoch.k);
            record("w_tcp", epoch.w_tcp);
        }
    }
}

/// The card of `cubic-2008`.
pub(crate) const CUBIC_2008: Entry = Entry {
    card: Card {
        name: "cubic-2008",
        family: "high-speed",
        summary: "CUBIC as published in 2008 and in Linux 2.6.22: decrease to 0.8, increase of at most 16 packets in 100 ms",
        source: "Ha, Rhee and Xu, Operating Systems Review 42, 2008; Linux 2.6.22",
        equations: &[
            "W(t) = c (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / c), t = time since the loss + minimum RTT",
            "w += acked (W - w) / w if W > w, else 0.01 acked / w; at most s_max in 100 ms; acked / 50 before any loss",
            "w >= W_tcp, W_tcp += 3 beta / (2 - beta) acked / w",
            "loss: W_max = w (2 - beta) / 2 if w < W_max else w; ssthresh = w = (1 - beta) w",
            "mark, with the flow's key abe: ssthresh = w = 0.85 w if 1 - beta is less (RFC 8511 §3.1)",
        ],
        parameters: &[C, BETA, FAST_CONVERGENCE, S_MAX, LIMIT],
        variables: &[
            Variable {
                name: "w_max",
                unit: "packets",
                meaning: "W_max, the window before the last decrease",
            },
            Variable { name: "k", unit: "s", meaning: "K, the time from the decrease to W_max" },
            Variable { name: "w_tcp", unit: "packets", meaning: "window of the Reno-friendly region" },
        ],
        deviations: &[
            "real numbers, where Linux 2.6.22 counts acknowledgements; 0.8 where it has 819/1024",
            "the window is raised to W_tcp at once, not over a round trip; W_tcp grows with acknowledgements, as in 2.6.22, not with time",
            "packets acknowledged are counted; 2.6.22 estimates their number from the acknowledgements",
            "idle time counts as time since the loss, as in 2.6.22; an acknowledgement adds at most the packets that it acknowledges",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::DashDot)),
    needs: |_| Needs { abe_factor: Cubic2008::ABE_FACTOR, ..Needs::RELIABLE },
    build: |values, setup| build(values, values.word("limit") == "always", setup),
};

/// The card of `cubic-2005`.
pub(crate) const CUBIC_2005: Entry = Entry {
    card: Card {
        name: "cubic-2005",
        summary: "CUBIC as published in 2005 and in Linux 2.6.13: as cubic-2008, with the limit of 16 packets in 100 ms below W_max, too",
        source: "Rhee and Xu, PFLDnet 2005; Linux 2.6.13",
        parameters: &[C, BETA, FAST_CONVERGENCE, S_MAX],
        deviations: &[
            CUBIC_2008.card.deviations[0],
            CUBIC_2008.card.deviations[1],
            CUBIC_2008.card.deviations[2],
            CUBIC_2008.card.deviations[3],
            "the rule of cubic-2008 with limit = always; Linux started with ssthresh at 100 packets, here it is the flow's initial_ssthresh",
        ],
        ..CUBIC_2008.card
    },
    style: Some(Style(Hue::Cyan, Dash::Dotted)),
    build: |values, setup| build(values, true, setup),
    ..CUBIC_2008
};

fn build(values: &Values, always_limited: bool, setup: &Setup) -> Box<dyn CongestionControl> {
    let beta = values.number("beta");
    let rule = Cubic2008 {
        c: values.number("c"),
        beta,
        tcp_slope: 3.0 * beta / (2.0 - beta),
        fast_convergence: values.flag("fast_convergence"),
        fastest: values.number("s_max") * 10.0,
        always_limited,
        w_max: 0.0,
        has_lost: false,
        epoch: None,
    };
    Box::new(Windowed::new(rule, setup))
}

const C: Parameter = Parameter::number("c", "coefficient of the cubic function", 0.4, 0.001..=1000.0)
    .unit("packets/s^3")
    .source("Ha et al. 2008 §3.1");

const BETA: Parameter =
    Parameter::number("beta", "fraction by which a loss decreases the window", 0.2, 0.01..=0.9)
        .source("Ha et al. 2008 §3.1");

const FAST_CONVERGENCE: Parameter = Parameter::flag(
    "fast_convergence",
    "W_max is set lower than the window when a loss occurs below the previous W_max",
    true,
)
.source("Ha et al. 2008 §3.6");

const S_MAX: Parameter = Parameter::number("s_max", "largest increase in 100 ms", 16.0, 0.01..=1_000_000.0)
    .unit("packets")
    .source("Linux 2.6.22");

const LIMIT: Parameter = Parameter {
    name: "limit",
    meaning: "where s_max holds: above W_max only (convex), or everywhere as in the version of 2005 (always)",
    unit: "",
    source: "Linux 2.6.22; Rhee and Xu, PFLDnet 2005",
    domain: Domain::Choice { default: "convex", allowed: &["convex", "always"] },
};

/// Increase while the cubic function is below the window, packets per round trip.
const PLATEAU_STEP: f64 = 0.01;
/// Packets acknowledged for each packet of increase before the first loss.
const ACKS_BEFORE_LOSS: f64 = 50.0;
