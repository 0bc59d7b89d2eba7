// SPDX-License-Identifier: Apache-2.0
//! TCP-LP (Kuzmanovic and Knightly, "TCP-LP: low-priority service via end-point congestion control", IEEE/ACM Transactions on
//! Networking 14, 2006, and INFOCOM 2003): Reno that gives way to other flows as soon as the delay grows.
//!
//! * `d += (sample − d) / 8` for each round-trip time. *Early congestion indication*: `d > d_min + δ (d_max − d_min)`, with the
//!   extremes of the connection; from the end of the first slow start on.
//! * At an indication `w = w / 2`, and an *inference phase* starts, in which the window does not grow. With another indication
//!   in it, `w = 1`, and it starts anew.
//! * Otherwise Reno; HSTCP-LP (Kuzmanovic, Knightly and Cottrell, PFLDnet 2004) has HighSpeed TCP there.

use crate::window::hstcp::{self, HighSpeed};
use crate::window::reno::Reno;
use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of TCP-LP (Kuzmanovic and Knightly 2006), over the rule of a flow that is alone.
#[derive(Clone, Debug)]
pub struct Lp<R> {
    /// Increase, and decrease at a loss.
    rule: R,
    /// `δ`.
    threshold: f64,
    /// Weight of the latest sample in `d`.
    gain: f64,
    /// Length of the inference phase, round-trip times.
    inference: f64,
    /// `d_min` and `d_max`; `None` before the first sample.
    extremes: Option<(Span, Span)>,
    /// `d`, seconds; `None` before the first sample after a decrease.
    delay: Option<f64>,
    /// Time of the last decrease; `None` before the first.
    reduced_at: Option<Time>,
    /// End of the inference phase; `None` outside.
    inferring_until: Option<Time>,
}

impl<R> Lp<R> {
    /// Whether `d` is an early congestion indication.
    fn is_indicated(&self) -> bool {
        let (Some((least, most)), Some(delay)) = (self.extremes, self.delay) else { return false };
        let least = least.as_secs_f64();
        delay > least + self.threshold * (most.as_secs_f64() - least)
    }

    /// Starts the measurement of delays anew: packets that were sent before a decrease say nothing about it.
    fn reduced(&mut self, now: Time) {
        (self.reduced_at, self.delay) = (Some(now), None);
    }
}

impl<R: WindowRule> WindowRule for Lp<R> {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        if self.inferring_until.is_some() { 0.0 } else { self.rule.increase(window, acked, path) }
    }

    fn on_avoidance(&mut self) {
        self.rule.on_avoidance();
    }

    fn in_slow_start(&self, growth: f64) -> f64 {
        if self.inferring_until.is_some() { 0.0 } else { growth }
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        self.reduced(path.now);
        self.rule.decrease(window, cause, path)
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        if self.inferring_until.is_some_and(|end| path.now >= end) {
            self.inferring_until = None;
        }
        let Some(rtt) = ack.rtt.filter(|_| window.size >= MEASURED_MIN) else { return };
        let (least, most) = self.extremes.unwrap_or((rtt, rtt));
        self.extremes = Some((least.min(rtt), most.max(rtt)));
        if self.reduced_at.is_none_or(|at| path.now.since(at) >= rtt) {
            let sample = rtt.as_secs_f64();
            self.delay = Some(self.delay.map_or(sample, |delay| delay + self.gain * (sample - delay)));
        }
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) -> Option<f64> {
        if window.in_slow_start() || ack.rtt.is_none() || !self.is_indicated() {
            return None;
        }
        let rtt = path.rtt.map_or(Span::ZERO, |rtt| rtt.smoothed);
        let again = self.inferring_until.replace(path.now + rtt.scaled(self.inference)).is_some();
        self.reduced(path.now);
        Some(if again { 1.0 } else { window.size / 2.0 })
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some(delay) = self.delay {
            record("delay", delay);
        }
        record("inferring", f64::from(u8::from(self.inferring_until.is_some())));
        self.rule.observe(record);
    }
}

/// The card of `lp`.
pub(crate) const LP: Entry = Entry {
    card: Card {
        name: "lp",
        family: "lower than best effort",
        summary: "TCP-LP: Reno that halves its window when the delay grows, and falls to one packet if that does not shorten it",
        source: "Kuzmanovic and Knightly, IEEE/ACM Transactions on Networking 14(4), 2006; INFOCOM 2003",
        equations: &[
            "d += gain (sample - d); indication: d > d_min + threshold (d_max - d_min), in congestion avoidance",
            "indication: w = w / 2, no increase for inference RTT; another in that time: w = 1, and again",
            "otherwise w += acked / w; loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number(
                "threshold",
                "delta: part of the largest delay above which congestion is indicated",
                0.15,
                0.0..=1.0,
            )
            .source("Kuzmanovic and Knightly 2006 §III"),
            Parameter::number(
                "gain",
                "weight of the latest sample in the smoothed delay",
                0.125,
                0.001..=1.0,
            )
            .source("Kuzmanovic and Knightly 2006 §III"),
            Parameter::number("inference", "length of the inference phase", 3.0, 0.0..=1_000.0)
                .unit("RTT")
                .source("Linux tcp_lp.c"),
        ],
        variables: &[DELAY, INFERRING],
        deviations: &[
            "round-trip times instead of one-way delays: a queue in the reverse direction counts, too",
            "samples of packets that were sent before a decrease are ignored, and the smoothed delay starts anew after it; the paper does not say how two indications of the same queue are recognized",
            "samples are ignored while the window is below 4 packets, since acknowledgements may then be delayed by the receiver's timer",
            "d_min and d_max are never reset, as in the paper: after the path becomes longer each sample is an indication of congestion; so is jitter above 15 % of the range of the delay: with 0 to 10 ms, uniform, over 10 Mbps and 40 ms the utilization is 0.09, also of hstcp-lp",
            "no indication in slow start: the paper uses the extremes that were measured there after the first loss",
            "Linux estimates one-way delays from timestamps in whole milliseconds and the receiver's clock rate in whole hertz, so that the offset between the clocks is part of the delay",
            "Linux sets d_min to d and d_max to 2 d at each indication, has indications in slow start, too, and leaves ssthresh as it is, so that slow start may follow",
        ],
    },
    style: Some(Style(Hue::Cyan, Dash::DashDotDot)),
    needs: |_| Needs::RELIABLE,
    build: |values, setup| build(Reno, values, setup),
};

/// The card of `hstcp-lp`.
pub(crate) const HSTCP_LP: Entry = Entry {
    card: Card {
        name: "hstcp-lp",
        summary: "HSTCP-LP: HighSpeed TCP that gives way as TCP-LP does when the delay grows",
        source: "Kuzmanovic, Knightly and Cottrell, \"HSTCP-LP: a protocol for low-priority bulk data transfer in high-speed high-RTT networks\", PFLDnet 2004; RFC 3649 §5",
        equations: &[
            "d, indication and inference phase as lp",
            "indication: w = w / 2, no increase for inference RTT; another in that time: w = 1, and again",
            "otherwise w += a(w) acked / w; loss: w = (1 - b(w)) w, a and b as hstcp",
        ],
        variables: &[DELAY, INFERRING, hstcp::INCREASE],
        deviations: &[
            "the paper's text could not be read: it is known to join HighSpeed TCP's windows with TCP-LP's early indications; that an indication halves the window, as in TCP-LP, is our choice",
            "the parameters of HighSpeed TCP are those of RFC 3649",
            "what lp deviates in, except for Linux",
        ],
        ..LP.card
    },
    style: Some(Style(Hue::Vermilion, Dash::LongShort)),
    build: |values, setup| build(HighSpeed::standard(), values, setup),
    ..LP
};

fn build<R: WindowRule>(rule: R, values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Lp {
        rule,
        threshold: values.number("threshold"),
        gain: values.number("gain"),
        inference: values.number("inference"),
        extremes: None,
        delay: None,
        reduced_at: None,
        inferring_until: None,
    };
    Box::new(Windowed::new(rule, setup))
}

const DELAY: Variable = Variable { name: "delay", unit: "s", meaning: "d, the smoothed round-trip time" };

const INFERRING: Variable =
    Variable { name: "inferring", unit: "", meaning: "1 in the inference phase, else 0" };

/// Window with which delays are measured, packets.
const MEASURED_MIN: f64 = 4.0;
