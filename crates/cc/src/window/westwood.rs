//! Westwood+ (Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno and Vegas TCP congestion
//! control", Computer Communication Review 34, 2004): Reno's growth, and a cut to what the path was seen to carry.
//!
//! * Every round trip, 50 ms or more: a sample, packets acknowledged over the time that they took, passes two low-pass
//!   filters `B₁ = (7 B₁ + sample) / 8`, `B = (7 B + B₁) / 8`.
//! * Loss: `ssthresh = B · RTT_min`, `w = min(w, ssthresh)`; timeout: the same ssthresh, window 1.
//!
//! Deviations: before the first sample a cut halves. Linux sets the window to `B · RTT_min` at the end of recovery even
//! where that is more than before the loss; here, as in the paper, a cut never raises it. The smallest round-trip time is
//! of samples (Linux 2.6.22: of SRTT); as there, a timeout forgets it.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, Cause, CongestionControl, Path};
use narrows_units::{Span, Time};

/// Linux's rule.
#[derive(Clone, Debug)]
pub struct Westwood {
    /// Shortest time of a sample.
    shortest: Span,
    /// Part of the old value that each filter keeps.
    keep: f64,
    /// When the present sample began; `None` before the first acknowledgement.
    sample_start: Option<Time>,
    /// Packets acknowledged since.
    acked: u64,
    /// Both filters, packets per second; `None` before the first sample.
    rates: Option<(f64, f64)>,
    /// Smallest round-trip time since the start or the last timeout.
    rtt_min: Option<Span>,
}

impl Westwood {
    fn sample(&mut self, lasted: Span) {
        let sample = self.acked as f64 / lasted.as_secs_f64();
        let filter = |old: f64, new: f64| self.keep * old + (1.0 - self.keep) * new;
        self.rates = Some(self.rates.map_or((sample, sample), |(first, second)| {
            let first = filter(first, sample);
            (first, filter(second, first))
        }));
    }

    /// `B · RTT_min`, packets.
    fn pipe(&self) -> Option<f64> {
        Some(self.rates?.1 * self.rtt_min?.as_secs_f64())
    }
}

impl WindowRule for Westwood {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let pipe = self.pipe().unwrap_or(window.size / 2.0);
        if cause == Cause::Timeout {
            self.rtt_min = None;
        }
        pipe
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        if let Some(rtt) = ack.rtt {
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |least| least.min(rtt)));
        }
        let lasted = path.now.since(*self.sample_start.get_or_insert(path.now));
        if lasted > path.rtt.map_or(self.shortest, |rtt| rtt.smoothed.max(self.shortest)) {
            self.sample(lasted);
            self.sample_start = Some(path.now);
            self.acked = 0;
        }
        self.acked += ack.newly_acked;
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        if let Some((_, rate)) = self.rates {
            tell("rate", rate);
        }
    }
}

/// The card of `westwood`.
pub(crate) const WESTWOOD: Entry = Entry {
    name: "westwood",
    family: "bandwidth-estimating",
    summary: "Westwood+: grows as Reno and cuts to the bandwidth it has seen times the smallest RTT",
    source: "Grieco and Mascolo, Computer Communication Review 34(2), 2004; Linux 2.6.22",
    equations: &[
        "w += acked / w",
        "each max(SRTT, shortest): B1 = keep B1 + (1 - keep) acked / time, B = keep B + (1 - keep) B1",
        "loss: ssthresh = max(2, B RTT_min), w = min(w, ssthresh); timeout: the same ssthresh, w = 1",
    ],
    parameters: &[
        Parameter {
            name: "shortest",
            meaning: "shortest time over which the bandwidth is measured",
            unit: "s",
            source: "Linux 2.6.22",
            domain: Domain::Number { default: 0.05, minimum: 0.0, maximum: 100.0 },
        },
        Parameter {
            name: "keep",
            meaning: "part of the old value that each of the two filters keeps",
            unit: "",
            source: "Linux 2.6.22: 7/8",
            domain: Domain::Number { default: 0.875, minimum: 0.0, maximum: 1.0 },
        },
    ],
    deviations: &[
        "a cut never raises the window, as in the paper; Linux sets it to B RTT_min at the end of recovery even where that is more",
        "the smallest RTT is of samples, where 2.6.22 takes SRTT; as there, a timeout forgets it",
        "before the first sample of the bandwidth a cut halves",
    ],
    validation: Some(
        "on a link of 1000 packets/s and 100 ms every cut is to the 101 packets that fill it without a queue (error below 0.1 %); ns-2.35 with the module of Linux 2.6.22: DropTail loss +5.6 %, queue +2.1 %",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Westwood {
        shortest: Span::from_secs_f64(values.number("shortest")),
        keep: values.number("keep"),
        sample_start: None,
        acked: 0,
        rates: None,
        rtt_min: None,
    };
    Box::new(Windowed::new(rule, setup))
}
