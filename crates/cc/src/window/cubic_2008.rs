//! CUBIC as its authors published it (Ha, Rhee and Xu, Operating Systems Review 42, 2008), the one in Linux 2.6.22 and in
//! ns-2's TCP/Linux.
//!
//! * `W(t) = C (t − K)³ + W_max`, `K = cbrt((W_max − cwnd_epoch) / C)`, looked at one smallest round-trip time ahead.
//! * An acknowledgement of `n` packets adds `n (W − w) / w`, or `0.01 n / w` where the cubic is below the window.
//! * Growth is at most `s_max` packets in 100 ms; before any loss it is `w / 50` a round trip.
//! * TCP-friendly: `W_tcp += 3 β / (2 − β) · n / w`, and the window is at least `W_tcp`.
//! * Loss: `w = ssthresh = (1 − β) w`, and `W_max = w (2 − β) / 2` if `w < W_max`, else `w`. A timeout forgets all.
//!
//! Deviations: real numbers in place of 2.6.22's counters of acknowledgements, 0.8 in place of 819/1024, and the
//! TCP-friendly window is reached at once where 2.6.22 takes a round trip. Idle periods count, as they did then.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Cause, CongestionControl, Path};
use narrows_units::{Span, Time};

/// The rule of 2008.
#[derive(Clone, Debug)]
pub struct Cubic2008 {
    /// `C`, packets per second cubed.
    c: f64,
    /// `β`, the part given up.
    beta: f64,
    /// `3 β / (2 − β)`: what a Reno flow with this `β` adds for each window acknowledged, packets.
    tcp_slope: f64,
    fast_convergence: bool,
    /// `S_max`, packets per second.
    fastest: f64,
    /// The growth limit holds below `W_max`, too.
    always_limited: bool,
    /// `W_max`, packets; 0 where nothing is known.
    w_max: f64,
    /// A loss has been seen since the start or the last timeout.
    has_lost: bool,
    epoch: Option<Epoch>,
}

/// The time since the first acknowledgement after a cut.
#[derive(Clone, Debug)]
struct Epoch {
    start: Time,
    /// `K`, seconds.
    k: f64,
    /// Where the cubic is flat, packets.
    origin: f64,
    /// The window of a Reno flow with this `β`, packets.
    w_tcp: f64,
}

impl Cubic2008 {
    fn begin(&self, window: &Window, now: Time) -> Epoch {
        let origin = self.w_max.max(window.size);
        Epoch { start: now, k: libm::cbrt((origin - window.size) / self.c), origin, w_tcp: window.size }
    }
}

impl WindowRule for Cubic2008 {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let mut epoch = match self.epoch.take() {
            Some(epoch) => epoch,
            None => self.begin(window, path.now),
        };
        let share = acked / window.size;
        let rtt_min = path.rtt.map_or(Span::ZERO, |rtt| rtt.min);
        let after_k = (path.now.since(epoch.start) + rtt_min).as_secs_f64() - epoch.k;
        let target = epoch.origin + self.c * after_k * after_k * after_k;
        let mut step = if target > window.size { target - window.size } else { CREEP };
        if rtt_min > Span::ZERO && (self.always_limited || after_k >= 0.0) {
            step = step.min(self.fastest * rtt_min.as_secs_f64());
        }
        let added = if self.has_lost { share * step } else { acked / ACKS_BEFORE_LOSS };
        epoch.w_tcp += share * self.tcp_slope;
        let added = added.max(epoch.w_tcp - window.size);
        self.epoch = Some(epoch);
        // At most one packet for each acknowledged, as no counter of acknowledgements is below one.
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

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("w_max", self.w_max);
        if let Some(epoch) = &self.epoch {
            tell("k", epoch.k);
            tell("w_tcp", epoch.w_tcp);
        }
    }
}

/// The card of `cubic-2008`.
pub(crate) const CUBIC_2008: Entry = Entry {
    name: "cubic-2008",
    family: "high-speed",
    summary: "CUBIC as published in 2008 and built into Linux 2.6.22: keeps 0.8 at a loss, growth limited to 16 packets in 100 ms",
    source: "Ha, Rhee and Xu, Operating Systems Review 42, 2008; Linux 2.6.22",
    equations: &[
        "W(t) = c (t - K)^3 + W_max, K = cbrt((W_max - cwnd_epoch) / c), t = since the cut + smallest RTT",
        "w += acked (W - w) / w if W > w, else 0.01 acked / w; at most s_max in 100 ms; acked / 50 before any loss",
        "w >= W_tcp, W_tcp += 3 beta / (2 - beta) acked / w",
        "loss: W_max = w (2 - beta) / 2 if w < W_max else w; ssthresh = w = (1 - beta) w",
    ],
    parameters: &[C, BETA, FAST_CONVERGENCE, S_MAX, LIMIT],
    deviations: &[
        "real numbers where Linux 2.6.22 counts acknowledgements; 0.8 where it has 819/1024",
        "the TCP-friendly window is reached at once, not over a round trip, and grows with acknowledgements as in 2.6.22, not with time",
        "packets acknowledged are counted; 2.6.22 estimates them from the acknowledgements",
    ],
    validation: Some(
        "K after a loss at 1000 packets: 7.94 s, and the window is back at 1000 then (error below 0.1 %); ns-2.35 with the module of Linux 2.6.22: DropTail loss -0.5 %, queue -0.1 %, goodput at 0.02 % random loss -2.0 %; ten flows over RED: loss -8.9 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build: |values, setup| build(values, values.word("limit") == "always", setup),
};

/// The card of `cubic-2005`.
pub(crate) const CUBIC_2005: Entry = Entry {
    name: "cubic-2005",
    summary: "CUBIC as first published in 2005 and built into Linux 2.6.13: as cubic-2008, but growth is limited to 16 packets in 100 ms below W_max, too",
    source: "Rhee and Xu, PFLDnet 2005; Linux 2.6.13",
    parameters: &[C, BETA, FAST_CONVERGENCE, S_MAX],
    deviations: &[
        CUBIC_2008.deviations[0],
        CUBIC_2008.deviations[1],
        CUBIC_2008.deviations[2],
        "the rule of cubic-2008 with the limit always on; Linux began with ssthresh at 100 packets, here the flow's initial_ssthresh says",
    ],
    validation: Some("growth after a loss at 10000 packets against 16 packets in 100 ms, for 8 s: -0.1 %"),
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

const C: Parameter = Parameter {
    name: "c",
    meaning: "how fast the cubic rises",
    unit: "packets/s^3",
    source: "Ha et al. 2008 §3.1",
    domain: Domain::Number { default: 0.4, minimum: 0.001, maximum: 1000.0 },
};

const BETA: Parameter = Parameter {
    name: "beta",
    meaning: "part of the window that is given up at a loss",
    unit: "",
    source: "Ha et al. 2008 §3.1",
    domain: Domain::Number { default: 0.2, minimum: 0.01, maximum: 0.9 },
};

const FAST_CONVERGENCE: Parameter = Parameter {
    name: "fast_convergence",
    meaning: "give way when a loss comes below the window of the loss before",
    unit: "",
    source: "Ha et al. 2008 §3.6",
    domain: Domain::Flag { default: true },
};

const S_MAX: Parameter = Parameter {
    name: "s_max",
    meaning: "largest growth in 100 ms",
    unit: "packets",
    source: "Linux 2.6.22",
    domain: Domain::Number { default: 16.0, minimum: 0.01, maximum: 1_000_000.0 },
};

const LIMIT: Parameter = Parameter {
    name: "limit",
    meaning: "where s_max holds: above W_max only, or always as in the version of 2005",
    unit: "",
    source: "Linux 2.6.22; Rhee and Xu, PFLDnet 2005",
    domain: Domain::Choice { default: "convex", allowed: &["convex", "always"] },
};

/// Packets a round trip while the cubic is below the window.
const CREEP: f64 = 0.01;
/// Acknowledged packets for each packet of growth before the first loss.
const ACKS_BEFORE_LOSS: f64 = 50.0;
