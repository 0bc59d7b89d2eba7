//! Prague (De Schepper, Tilmans, Briscoe, Goel, draft-briscoe-iccrg-prague-congestion-control-04): DCTCP's cut in
//! proportion to marks, made for the Internet; needs ECN and a queue that marks ECT(1) early, as DualPI2.
//!
//! * Once in a round: `α = (1 − g) α + g F`, with `F` the part of the packets that were marked; from the first mark on.
//! * A mark: `w = w (1 − α / 2)`, once in a round. Growth goes on meanwhile: `1 / w` for each packet without a mark.
//! * Less dependence on the round-trip time: 500 rounds after slow start a flow whose round trip `R` is below 25 ms
//!   grows by `(R / 25 ms)²` as much, and measures and cuts once in 25 ms, so that it gets what a flow of 25 ms gets.
//! * Paced at `w / R`, twice as fast while the window is below half of ssthresh.
//! * Loss: half, as Reno.
//!
//! Deviations: growth is counted per packet, not per byte; the window goes down at once, where Linux takes one packet per
//! acknowledgement; queues that mark as RFC 3168 says are not looked for, which the reference leaves switched off, too.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, Cause, CongestionControl, EcnUse, Path};
use narrows_units::{Bytes, Rate, Span, Time};

/// Prague's rule.
#[derive(Clone, Debug)]
pub struct Prague {
    /// `g`.
    gain: f64,
    /// The round-trip time that shorter ones are made like.
    target: Span,
    /// Rounds after slow start before that begins.
    transition: u64,
    alpha: f64,
    /// A packet has been marked.
    saw_mark: bool,
    acked: u64,
    marked: u64,
    /// [`Path::round`] when alpha was last measured; `None` before the first acknowledgement.
    round: Option<u64>,
    measured_at: Time,
    /// When the window was last cut for a mark.
    cut_at: Option<Time>,
    /// [`Path::round`] when slow start ended.
    avoiding_since: Option<u64>,
    /// Of the packets of this acknowledgement, the part without a mark.
    unmarked: f64,
    rtt: Option<Span>,
    mss: Bytes,
}

impl Prague {
    /// The round-trip time to grow, measure and cut by.
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
        if let (Some(at), Some(rtt)) = (self.cut_at, self.rtt)
            && path.now.since(at) < self.virtual_rtt(rtt, path.round)
        {
            return None;
        }
        self.cut_at = Some(path.now);
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

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("alpha", self.alpha);
    }
}

/// The card of `prague`.
pub(crate) const PRAGUE: Entry = Entry {
    name: "prague",
    family: "low latency",
    summary: "Prague: DCTCP's cuts for the Internet's low-latency queues; needs ECN and a router such as dualpi2",
    source: "draft-briscoe-iccrg-prague-congestion-control-04; Linux tcp_prague 0.6 (L4STeam)",
    equations: &[
        "unmarked packet acknowledged: w += 1 / w; 500 rounds after slow start times (R / max(R, 25 ms))^2",
        "round trip, at least 25 ms then: alpha = (1 - g) alpha + g F, F = marked / acknowledged",
        "mark, once in that time: w = w (1 - alpha / 2); loss: w = w / 2",
        "pacing = w / R, 2 w / R while w < ssthresh / 2",
    ],
    parameters: &[
        Parameter {
            name: "g",
            meaning: "weight of a new round trip in alpha",
            unit: "",
            source: "§2.4.2; PRAGUE_SHIFT_G",
            domain: Domain::Number { default: 0.0625, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "target_rtt",
            meaning: "round-trip time that shorter ones are made like",
            unit: "s",
            source: "§2.4.4; prague_rtt_target",
            domain: Domain::Number { default: 0.025, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "transition",
            meaning: "rounds after slow start before shorter round trips are made like the target",
            unit: "",
            source: "§2.4.4; prague_rtt_transition",
            domain: Domain::Number { default: 500.0, minimum: 0.0, maximum: 1e9 },
        },
    ],
    deviations: &[
        "packets are counted, not bytes; the window goes down at once, where Linux takes one packet per acknowledgement",
        "queues that mark as RFC 3168 says are not looked for; the reference leaves that switched off, too",
    ],
    validation: Some(
        "marked packets in a round trip of a lone flow in flights, marked at random: within 5 % of the root of \
         m = 2 (1 - p) / (1 - exp(-m)) for p from 0.2 % to 5 %, and of its form for 5 and 10 ms; no implementation of others has \
         been held beside it",
    ),
    needs: Needs { packets: false, rate_samples: false },
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
        cut_at: None,
        avoiding_since: None,
        unmarked: 1.0,
        rtt: None,
        mss: setup.mss,
    };
    Box::new(Windowed::new(rule, setup))
}
