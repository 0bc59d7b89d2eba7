// SPDX-License-Identifier: Apache-2.0
//! LEDBAT, low extra delay background transport (RFC 6817): a window that keeps the queueing delay near a target, below
//! the delay of flows that fill the queue, and so yields to them.
//!
//! * Queueing delay `q`: the least of the last samples less the least of the last minutes (§2.4.2, §4.2; the lists of
//!   `current_delays` and `base_delays`).
//! * For each acknowledgement `w += GAIN (TARGET − q) / TARGET · acked / w` (§2.4.2), at least two packets.
//! * Loss: half, once per round trip (§2.4.2).

use crate::window::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Values, Variable};
use narrows_units::{Span, Time};

/// The parameters and the state of LEDBAT (RFC 6817).
#[derive(Clone, Debug)]
pub struct Ledbat {
    /// `TARGET`, seconds.
    target: f64,
    /// `GAIN`.
    gain: f64,
    delays: Delays,
    /// `GAIN (TARGET − q) / TARGET` with the current acknowledgement: change of the window for each packet over it.
    slope: f64,
}

impl WindowRule for Ledbat {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.slope.max(0.0) * acked / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.delays.on_ack(ack, path.now);
        let off_target =
            self.delays.queueing().map_or(0.0, |queueing| (self.target - queueing) / self.target);
        self.slope = self.gain * off_target;
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, _path: &Path) -> Option<f64> {
        let fall = self.slope.min(0.0) * ack.newly_acked as f64 / window.size;
        // There is no slow start, except after a timeout or an idle time.
        (fall < 0.0 || window.ssthresh.is_infinite())
            .then(|| (window.size + fall).max(MIN_CWND.min(window.size)))
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.delays.observe(record);
    }
}

/// The lists of delays from which the queueing delay follows.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    /// The last samples, a ring.
    current: [Span; CURRENT_FILTER],
    next: usize,
    /// The least sample of each of the last minutes, a ring.
    base: [Span; BASE_HISTORY],
    /// The least of them.
    least: Span,
    /// Number of the minute of the last sample.
    minute: u64,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            current: [Span::MAX; CURRENT_FILTER],
            next: 0,
            base: [Span::MAX; BASE_HISTORY],
            least: Span::MAX,
            minute: 0,
        }
    }
}

impl Delays {
    /// Adds the sample of `ack`, if it has one.
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, now: Time) {
        let Some(sample) = ack.rtt else { return };
        self.current[self.next] = sample;
        self.next = (self.next + 1) % CURRENT_FILTER;
        let minute = now.as_ps() / MINUTE_PS;
        let place = |minute: u64| (minute % BASE_HISTORY as u64) as usize;
        if minute != self.minute {
            for passed in (self.minute..minute).take(BASE_HISTORY) {
                self.base[place(passed + 1)] = Span::MAX;
            }
            self.minute = minute;
            self.least = self.base.iter().copied().min().unwrap_or(Span::MAX);
        }
        let of_minute = &mut self.base[place(minute)];
        *of_minute = sample.min(*of_minute);
        self.least = sample.min(self.least);
    }

    /// Returns the delay without a queue; [`Span::MAX`] before the first sample.
    pub(super) fn base(&self) -> Span {
        self.least
    }

    /// Returns the queueing delay, seconds; `None` before the first sample.
    pub(super) fn queueing(&self) -> Option<f64> {
        let current = self.current.iter().copied().min().unwrap_or(Span::MAX);
        // After ten minutes without a sample the last ones may be below the base, which has forgotten them.
        (current < Span::MAX).then(|| (current.max(self.base()) - self.base()).as_secs_f64())
    }

    pub(super) fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Some(queueing) = self.queueing() {
            record("base_delay_s", self.base().as_secs_f64());
            record("queueing_delay_s", queueing);
        }
    }
}

/// The inner variables of [`Delays`].
pub(super) const DELAYS: &[Variable] = &[
    Variable { name: "base_delay_s", unit: "s", meaning: "least round-trip time of the last ten minutes" },
    Variable {
        name: "queueing_delay_s",
        unit: "s",
        meaning: "least of the last four round-trip times less the base delay",
    },
];

/// `MIN_CWND` of RFC 6817 §2.5, packets.
const MIN_CWND: f64 = 2.0;

/// Number of samples whose least is the present delay (RFC 6817 §4.2 leaves the filter open; four, as in
/// draft-irtf-iccrg-ledbat-plus-plus-01 §4.5 and ns-3).
const CURRENT_FILTER: usize = 4;

/// `BASE_HISTORY` of RFC 6817 §2.5, minutes.
const BASE_HISTORY: usize = 10;

const MINUTE_PS: u64 = 60_000_000_000_000;

/// The card of `ledbat`.
pub(crate) const LEDBAT: Entry = Entry {
    card: Card {
        name: "ledbat",
        family: "delay-based",
        summary: "LEDBAT: gives way to others, with up to 100 ms of queueing delay of its own",
        source: "RFC 6817",
        equations: &[
            "ACK: w = w + gain (target - q) / target * acked / w, at least 2, q the queueing delay",
            "q: the least of the last 4 samples less the least of the last 10 minutes",
            "loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number("target", "queueing delay that it aims at", 0.1, 0.001..=1.0)
                .unit("s")
                .source("RFC 6817 §2.5: at most 100 ms"),
            Parameter {
                name: "gain",
                meaning: "packets per round trip by which the window grows without a queue",
                unit: "",
                source: "RFC 6817 §2.5: at most 1",
                domain: Domain::Fraction { default: 1.0, zero: false },
            },
        ],
        variables: DELAYS,
        deviations: &[
            "round-trip times in place of one-way delays, which senders of TCP do not measure: queues of acknowledgements count as well",
            "the window starts at the flow's initial window (RFC 6817: 2) and grows only while it limits the sender, in place of at most one packet above the data in flight",
            "after a timeout slow start leads to half of the window; RFC 6817 has none",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::DashDot)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Ledbat {
        target: values.number("target"),
        gain: values.number("gain"),
        delays: Delays::default(),
        slope: 0.0,
    };
    Box::new(Windowed::new(rule, setup))
}
