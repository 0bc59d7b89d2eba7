//! RAP, the rate adaptation protocol (Rejaie, Handley and Estrin, INFOCOM 1999), with TCP(b)'s constants (Bansal,
//! Balakrishnan, Floyd and Shenker, SIGCOMM 2001 §3).
//!
//! A packet leaves every `1/rate` seconds whether or not acknowledgements come. Every smoothed round trip without a loss
//! the rate grows by `a` packets a round trip; an episode leaves `1 − b` of it and starts the round trip anew.
//! `srtt += (sample − srtt) / 2`, 2 s before the first sample, which also sets the rate to one packet a round trip.
//!
//! Deviations: losses are the host's to find, three later packets or a timeout by RFC 6298, where RAP times each packet
//! with `1.2 srtt + 4 var`. The fine-grain adaptation of the spacing is left out, as in ns-2's default.

use super::{FASTEST, SLOWEST, payload_rate};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, CongestionControl, Limits, Loss, Path, Reports, Transport};
use narrows_units::{Bytes, Span, Time};

/// A rate and the round trip by which it grows.
#[derive(Clone, Debug)]
pub struct Rap {
    /// Packets to add to a round trip's for each round trip.
    a: f64,
    /// Part of the rate that is given up at a loss.
    b: f64,
    mss: Bytes,
    /// Packets a second.
    rate: f64,
    /// Seconds.
    srtt: f64,
    /// When the rate grows next; `None` before the first sample.
    step_at: Option<Time>,
}

impl Rap {
    fn step_after(&self, now: Time) -> Time {
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
        if self.step_at.is_some() {
            self.srtt += RTT_GAIN * (sample - self.srtt);
        } else {
            self.srtt = sample;
            self.rate = (1.0 / sample).min(FASTEST);
            self.step_at = Some(self.step_after(path.now));
        }
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        if !loss.new_episode {
            return;
        }
        self.rate = ((1.0 - self.b) * self.rate).max(SLOWEST);
        if self.step_at.is_some() {
            self.step_at = Some(self.step_after(path.now));
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.step_at
    }

    fn on_timer(&mut self, path: &Path) {
        if self.step_at.is_none_or(|at| path.now < at) {
            return;
        }
        if path.window_limited {
            self.rate = (self.rate + self.a / self.srtt).min(FASTEST);
        }
        self.step_at = Some(self.step_after(path.now));
    }

    fn transport(&self) -> Transport {
        Transport::Datagram(Reports::EachPacket)
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("rate", self.rate);
        tell("srtt", self.srtt);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The card of `rap`.
pub(crate) const RAP: Entry = Entry {
    name: "rap",
    family: "rate",
    summary: "RAP(1/gamma): TCP(b)'s growth and cut applied to a rate; no packet waits for an acknowledgement",
    source: "Rejaie, Handley and Estrin, INFOCOM 1999; RAP(1/gamma) by Bansal et al., SIGCOMM 2001 §3",
    equations: &["every srtt: rate = rate + a / srtt", "loss: rate = (1 - b) rate", "a = 4 (2 b - b^2) / 3"],
    parameters: &[
        Parameter {
            name: "gamma",
            meaning: "inverse of the part of the rate that is given up at a loss; 2 is RAP",
            unit: "",
            source: "Bansal et al. 2001 §3",
            domain: Domain::Number { default: 2.0, minimum: 1.0, maximum: 1_000_000.0 },
        },
        Parameter {
            name: "b",
            meaning: "part of the rate that is given up at a loss; 0: 1 / gamma",
            unit: "",
            source: "Rejaie et al. 1999 §3: 1/2",
            domain: Domain::Number { default: 0.0, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "a",
            meaning: "packets a round trip to add for each round trip; 0: as fast as TCP, from b",
            unit: "packets",
            source: "Yang and Lam 2000; 1 for b = 1/2",
            domain: Domain::Number { default: 0.0, minimum: 0.0, maximum: 1000.0 },
        },
    ],
    deviations: &[
        "losses are found by three later packets, or the timeout of RFC 6298, not 1.2 srtt + 4 var for each packet",
        "without the fine-grain adaptation of the spacing to short-term delay, as in ns-2's default",
        "the rate does not grow while the application, not the rate, is the limit; ns-2 asks for half the packets the rate allows",
    ],
    validation: Some(
        "packets a round trip under random loss of 0.1 % to 1 %, of ns-2 with b = 1/2 and 1/8: -3.7 % to 0.0 %; of TCP(b)'s law at 0.1 % and 0.3 %: -1.4 % to +6.8 %; 20 flows over RED fall into a common oscillation of 1 to 2 s and lose 12 %, as in ns-2 (9 % to 19 %)",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let or = |given: f64, otherwise: f64| if given > 0.0 { given } else { otherwise };
    let b = or(values.number("b"), 1.0 / values.number("gamma"));
    let a = or(values.number("a"), 4.0 * (2.0 * b - b * b) / 3.0);
    Box::new(Rap { a, b, mss: setup.mss, rate: 1.0 / UNSAMPLED_RTT, srtt: UNSAMPLED_RTT, step_at: None })
}

/// Weight of a new sample in `srtt`; ns-2's `delta_`.
const RTT_GAIN: f64 = 0.5;
/// `srtt` and the spacing of packets before the first sample, seconds; ns-2's `ipg_`, `srtt_`.
const UNSAMPLED_RTT: f64 = 2.0;
