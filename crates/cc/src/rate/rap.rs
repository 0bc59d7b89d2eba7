// SPDX-License-Identifier: Apache-2.0
//! RAP, the rate adaptation protocol (Rejaie, Handley and Estrin, INFOCOM 1999), with TCP(b)'s constants (Bansal,
//! Balakrishnan, Floyd and Shenker, SIGCOMM 2001 §3).
//!
//! A packet leaves every `1/rate` seconds, independently of acknowledgements. Every smoothed round-trip time without a loss
//! the rate grows by `a` packets per round trip; a loss episode multiplies it by `1 − b` and starts a new round trip.
//! `srtt += (sample − srtt) / 2`, 2 s before the first sample, which also sets the rate to one packet per round trip.

use super::{RATE_MAX, RATE_MIN, payload_rate};
use crate::{Ack, CongestionControl, Dash, Entry, Hue, Limits, Loss, Needs, Path, Reports, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Bytes, Span, Time};

/// The parameters and the state of a RAP sender (Rejaie, Handley and Estrin 1999).
#[derive(Clone, Debug)]
pub struct Rap {
    /// Increase per round trip, packets per round trip.
    a: f64,
    /// Fraction by which a loss decreases the rate.
    b: f64,
    mss: Bytes,
    /// Packets per second.
    rate: f64,
    /// Smoothed round-trip time, seconds.
    srtt: f64,
    /// Time of the next increase; `None` before the first round-trip time sample.
    increase_at: Option<Time>,
}

impl Rap {
    fn increase_after(&self, now: Time) -> Time {
        now + Span::from_secs_f64(self.srtt)
    }
}

impl CongestionControl for Rap {
    fn limits(&self) -> Limits {
        Limits { window: None, pacing: Some(payload_rate(self.rate, self.mss)), burst: self.mss }
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let Some(sample) = ack.rtt.map(Span::as_secs_f64) else { return };
        if self.increase_at.is_some() {
            self.srtt += RTT_GAIN * (sample - self.srtt);
        } else {
            self.srtt = sample;
            self.rate = (1.0 / sample).min(RATE_MAX);
            self.increase_at = Some(self.increase_after(path.now));
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if !loss.new_episode {
            return;
        }
        self.rate = ((1.0 - self.b) * self.rate).max(RATE_MIN);
        if self.increase_at.is_some() {
            self.increase_at = Some(self.increase_after(path.now));
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.increase_at
    }

    fn on_timer(&mut self, path: &Path) {
        if self.increase_at.is_none_or(|at| path.now < at) {
            return;
        }
        if path.window_limited {
            self.rate = (self.rate + self.a / self.srtt).min(RATE_MAX);
        }
        self.increase_at = Some(self.increase_after(path.now));
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rate", self.rate);
        record("srtt_s", self.srtt);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `rap`.
pub(crate) const RAP: Entry = Entry {
    card: Card {
        name: "rap",
        family: "rate",
        summary: "RAP(1/gamma): TCP(b)'s increase and decrease applied to a rate",
        source: "Rejaie, Handley and Estrin, INFOCOM 1999; RAP(1/gamma) by Bansal et al., SIGCOMM 2001 §3",
        equations: &[
            "every srtt: rate = rate + a / srtt",
            "loss: rate = (1 - b) rate",
            "a = 4 (2 b - b^2) / 3",
        ],
        parameters: &[
            Parameter::number(
                "gamma",
                "inverse of the fraction by which a loss decreases the rate; 2 for RAP",
                2.0,
                1.0..=1_000_000.0,
            )
            .source("Bansal et al. 2001 §3"),
            Parameter::number(
                "b",
                "fraction by which a loss decreases the rate; 0: 1 / gamma",
                0.0,
                0.0..=1.0,
            )
            .source("Rejaie et al. 1999 §3: 1/2"),
            Parameter::number(
                "a",
                "increase per round trip, in packets per round trip; 0: the \
                 value that gives TCP's throughput with b",
                0.0,
                0.0..=1000.0,
            )
            .unit("packets")
            .source("Yang and Lam 2000; 1 for b = 1/2"),
        ],
        variables: &[
            Variable { name: "rate", unit: "packets/s", meaning: "sending rate" },
            Variable { name: "srtt_s", unit: "s", meaning: "smoothed round-trip time" },
        ],
        deviations: &[
            "losses are detected by three later packets or the timeout of RFC 6298, not by a timeout of 1.2 srtt + 4 var for each packet",
            "no fine-grain adaptation of the packet spacing to short-term delay, as by default in ns-2",
            "the rate does not grow while the application limits the sender; in ns-2 it grows if at least half of the packets that the rate allows were sent",
            "the rate grows without acknowledgements, too: through an outage it is halved by a timeout, and rises by a / srtt each srtt",
            "datagrams have no receive window: with one of 20 packets over 10 Mbps and 40 ms the goodput is 8.7 Mbps, twice the rate that the window permits",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::Long)),
    needs: |_| Needs::datagrams(Reports::EachPacket),
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let given_or = |given: f64, default: f64| if given > 0.0 { given } else { default };
    let b = given_or(values.number("b"), 1.0 / values.number("gamma"));
    let a = given_or(values.number("a"), 4.0 * (2.0 * b - b * b) / 3.0);
    Box::new(Rap { a, b, mss: setup.mss, rate: 1.0 / INITIAL_SRTT, srtt: INITIAL_SRTT, increase_at: None })
}

/// Weight of the latest sample in `srtt` (`delta_` of ns-2).
const RTT_GAIN: f64 = 0.5;
/// `srtt` and the packet spacing before the first sample, seconds (`srtt_` and `ipg_` of ns-2).
const INITIAL_SRTT: f64 = 2.0;
