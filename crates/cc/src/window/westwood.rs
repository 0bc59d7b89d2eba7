// SPDX-License-Identifier: Apache-2.0
//! Westwood+ (Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno and Vegas TCP congestion
//! control", Computer Communication Review 34, 2004): Reno's increase, and a decrease to the estimated bandwidth-delay
//! product.
//!
//! * Every round trip, or every 50 ms if that is longer: a bandwidth sample, packets acknowledged over elapsed time, passes
//!   two low-pass filters `B₁ = (7 B₁ + sample) / 8`, `B = (7 B + B₁) / 8`.
//! * Loss: `ssthresh = B · RTT_min`, `w = min(w, ssthresh)`; timeout: the same ssthresh, window 1.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of Westwood+ (Grieco and Mascolo 2004).
#[derive(Clone, Debug)]
pub struct Westwood {
    /// Shortest length of a bandwidth sample.
    shortest: Span,
    /// Weight of the old value in each filter.
    keep: f64,
    /// Start of the current sample; `None` before the first acknowledgement.
    sample_start: Option<Time>,
    /// Packets acknowledged in the current sample.
    acked: u64,
    /// `B₁` and `B`, packets per second; `None` before the first sample.
    rates: Option<(f64, f64)>,
    /// `RTT_min` since the start or the last timeout.
    rtt_min: Option<Span>,
}

impl Westwood {
    /// Ends a sample of length `lasted`.
    fn sample(&mut self, lasted: Span) {
        let sample = self.acked as f64 / lasted.as_secs_f64();
        let filter = |old: f64, new: f64| self.keep * old + (1.0 - self.keep) * new;
        self.rates = Some(self.rates.map_or((sample, sample), |(first, second)| {
            let first = filter(first, sample);
            (first, filter(second, first))
        }));
    }

    /// `B · RTT_min`, packets.
    fn bdp(&self) -> Option<f64> {
        Some(self.rates?.1 * self.rtt_min?.as_secs_f64())
    }
}

impl WindowRule for Westwood {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        acked / window.size
    }

    fn decrease(&mut self, window: &Window, cause: Cause, _path: &Path) -> f64 {
        let bdp = self.bdp().unwrap_or(window.size / 2.0);
        if cause == Cause::Timeout {
            self.rtt_min = None;
        }
        bdp
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

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some((_, rate)) = self.rates {
            record("rate", rate);
        }
    }
}

/// The card of `westwood`.
pub(crate) const WESTWOOD: Entry = Entry {
    card: Card {
        name: "westwood",
        family: "bandwidth-estimating",
        summary: "Westwood+: Reno's increase, decrease to the estimated bandwidth times the minimum RTT",
        source: "Grieco and Mascolo, Computer Communication Review 34(2), 2004; Linux 2.6.22",
        equations: &[
            "w += acked / w",
            "each max(SRTT, shortest): B1 = keep B1 + (1 - keep) acked / time, B = keep B + (1 - keep) B1",
            "loss: ssthresh = max(2, B RTT_min), w = min(w, ssthresh); timeout: the same ssthresh, w = 1",
        ],
        parameters: &[
            Parameter::number(
                "shortest",
                "shortest time over which a bandwidth sample is taken",
                0.05,
                0.0..=100.0,
            )
            .unit("s")
            .source("Linux 2.6.22"),
            Parameter::number("keep", "weight of the old value in each of the two filters", 0.875, 0.0..=1.0)
                .source("Linux 2.6.22: 7/8"),
        ],
        variables: &[Variable { name: "rate", unit: "packets/s", meaning: "B, the estimated bandwidth" }],
        deviations: &[
            "a loss never raises the window, as in the paper; Linux sets it to B RTT_min at the end of recovery even if that is more",
            "RTT_min is the minimum of samples, where 2.6.22 takes SRTT; as there, a timeout resets it",
            "before the first bandwidth sample a loss halves the window",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Dashed)),
    needs: |_| Needs::RELIABLE,
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
