// SPDX-License-Identifier: Apache-2.0
//! Prague (De Schepper, Tilmans, Briscoe, Goel, draft-briscoe-iccrg-prague-congestion-control-04): DCTCP's decrease in
//! proportion to marks, for the Internet; needs ECN and a queue that marks ECT(1) at a shallow threshold, such as DualPI2.
//!
//! * Once per round, from the first mark on: `α = (1 − g) α + g F`, where `F` is the fraction of packets marked.
//! * Mark: `w = w (1 − α / 2)`, at most once per round. The window still grows by `1 / w` for each packet without a mark.
//! * Reduced RTT dependence: from 500 rounds after slow start, a flow with a round-trip time `R` below 25 ms grows by
//!   `(R / 25 ms)²` of that, and updates `α` and the window once in 25 ms, so that its rate equals the rate of a flow
//!   with 25 ms.
//! * Pacing rate `w / R`, twice that while the window is below half of ssthresh.
//! * Loss: half, as Reno.

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, EcnUse, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
use narrows_units::{Bytes, Rate, Span, Time};

/// The parameters and the state of Prague (draft-briscoe-iccrg-prague-congestion-control).
#[derive(Clone, Debug)]
pub struct Prague {
    /// `g`.
    gain: f64,
    /// Target round-trip time of reduced RTT dependence.
    target: Span,
    /// Rounds from slow start to the start of reduced RTT dependence.
    transition: u64,
    alpha: f64,
    /// A packet has been marked on this connection.
    saw_mark: bool,
    acked: u64,
    marked: u64,
    /// [`Path::round`] at the last update of `alpha`; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Time of the last update of `alpha`.
    measured_at: Time,
    /// Time of the last decrease for a mark.
    reduced_at: Option<Time>,
    /// [`Path::round`] at the end of slow start; `None` in slow start.
    avoiding_since: Option<u64>,
    /// Fraction of the packets of this acknowledgement without a mark.
    unmarked: f64,
    /// Smoothed round-trip time.
    rtt: Option<Span>,
    mss: Bytes,
}

impl Prague {
    /// Virtual round-trip time (`prague_virtual_rtt`): `rtt`, or the target if that is longer and the transition is over.
    fn virtual_rtt(&self, rtt: Span, round: u64) -> Span {
        let old = self.avoiding_since.is_some_and(|since| round - since >= self.transition);
        if old { rtt.max(self.target) } else { rtt }
    }
}

impl WindowRule for Prague {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        let scale =
            self.rtt.map_or(1.0, |rtt| rtt.as_secs_f64() / self.virtual_rtt(rtt, path.round).as_secs_f64());
        acked * self.unmarked * scale * scale / window.size
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        window.size / 2.0
    }

    fn on_ack(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) {
        self.rtt = path.rtt.map(|rtt| rtt.smoothed);
        self.unmarked = 1.0 - (ack.ce_packets as f64 / ack.newly_acked as f64).min(1.0);
        self.saw_mark |= ack.ce_packets > 0;
        self.acked += ack.newly_acked;
        self.marked += ack.ce_packets;
        if window.in_slow_start() {
            self.avoiding_since = None;
        } else {
            self.avoiding_since.get_or_insert(path.round);
        }
        let due = self.rtt.is_none_or(|rtt| {
            let virtual_rtt = self.virtual_rtt(rtt, path.round);
            virtual_rtt == rtt || path.now.since(self.measured_at) >= virtual_rtt
        });
        if self.round != Some(path.round) && due {
            if self.round.is_some() && self.saw_mark {
                let part = (self.marked as f64 / self.acked as f64).min(1.0);
                self.alpha += self.gain * (part - self.alpha);
            }
            (self.round, self.acked, self.marked) = (Some(path.round), 0, 0);
            self.measured_at = path.now;
        }
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) -> Option<f64> {
        if ack.ce_packets == 0 {
            return None;
        }
        if let (Some(at), Some(rtt)) = (self.reduced_at, self.rtt)
            && path.now.since(at) < self.virtual_rtt(rtt, path.round)
        {
            return None;
        }
        self.reduced_at = Some(path.now);
        Some((window.size * (1.0 - self.alpha / 2.0)).max(2.0))
    }

    fn pacing(&self, window: &Window) -> Option<Rate> {
        let bits = window.size * self.mss.bits() as f64;
        let gain = if window.size < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
        self.rtt.map(|rtt| Rate::from_bps_f64(gain * bits / rtt.as_secs_f64()))
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::LowLatency
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("alpha", self.alpha);
    }
}

/// The card of `prague`.
pub(crate) const PRAGUE: Entry = Entry {
    card: Card {
        name: "prague",
        family: "low latency",
        summary: "Prague: DCTCP's decrease for the low-latency queues of L4S; needs ECN and a queue such as dualpi2",
        source: "draft-briscoe-iccrg-prague-congestion-control-04; Linux tcp_prague 0.6 (L4STeam)",
        equations: &[
            "unmarked packet acknowledged: w += 1 / w; from 500 rounds after slow start (R / max(R, 25 ms))^2 of that",
            "round trip, then at least 25 ms: alpha = (1 - g) alpha + g F, F = marked / acknowledged",
            "mark, once in that time: w = w (1 - alpha / 2); loss: w = w / 2",
            "pacing = w / R, 2 w / R while w < ssthresh / 2",
        ],
        parameters: &[
            Parameter::number("g", "weight of the latest round trip in alpha", 0.0625, 0.0..=1.0)
                .source("§2.4.2; PRAGUE_SHIFT_G"),
            Parameter::number("target_rtt", "RTT whose rate flows with shorter RTTs get", 0.025, 0.0..=1.0)
                .unit("s")
                .source("§2.4.4; prague_rtt_target"),
            Parameter::number(
                "transition",
                "rounds from slow start until target_rtt holds",
                500.0,
                0.0..=1e9,
            )
            .source("§2.4.4; prague_rtt_transition"),
        ],
        variables: &[Variable {
            name: "alpha",
            unit: "share",
            meaning: "alpha, the estimated fraction of packets that are marked",
        }],
        deviations: &[
            "packets are counted, not bytes; the window falls at once, where Linux takes one packet per acknowledgement",
            "a mark after a round trip without a reduction reduces at once, in the middle of a flight: if marks are spread over all packets, m^2 / 2 = 1 + m, or 2.7 a round trip (2.66 in the simulator at 1 %), and not 2 as for DCTCP; the closed form below holds for flights that are marked as a whole",
            "no detection of classic ECN queues (RFC 3168), which is switched off in the reference implementation, too",
        ],
    },
    style: Some(Style(Hue::Rose, Dash::Long)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Prague {
        gain: values.number("g"),
        target: Span::from_secs_f64(values.number("target_rtt")),
        transition: values.number("transition") as u64,
        alpha: 1.0,
        saw_mark: false,
        acked: 0,
        marked: 0,
        round: None,
        measured_at: Time::ZERO,
        reduced_at: None,
        avoiding_since: None,
        unmarked: 1.0,
        rtt: None,
        mss: setup.mss,
    };
    Box::new(Windowed::new(rule, setup))
}
