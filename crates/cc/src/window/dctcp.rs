//! Data Center TCP (RFC 8257; Alizadeh et al., SIGCOMM 2010): a cut in proportion to how many packets carry a mark.
//!
//! * Once in a round: `α = (1 − g) α + g F`, with `F` the part of the packets acknowledged that were marked (§3.3).
//! * The first mark of a window of data: `w = w (1 − α / 2)`, and no growth until data sent after it is acknowledged.
//! * Loss: half, as Reno (§3.5).
//!
//! Deviations: marks are counted by the receiver, where the RFC has it echo them one by one through ECE; packets, not bytes.
//! The RFC is silent on growth in a window that was cut; as in Linux there is none.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Domain, Entry, Needs, Parameter, Setup, Values};
use crate::{Ack, Cause, CongestionControl, EcnUse, Path};
use narrows_units::Time;

/// RFC 8257's rule.
#[derive(Clone, Debug)]
pub struct Dctcp {
    /// `g`.
    gain: f64,
    /// `DCTCP.Alpha`.
    alpha: f64,
    /// [`Path::round`] that `acked` and `marked` count in; `None` before the first acknowledgement.
    round: Option<u64>,
    acked: u64,
    marked: u64,
    /// When the window was cut for a mark; `None` once data sent later is acknowledged.
    cut_at: Option<Time>,
}

impl WindowRule for Dctcp {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        if self.cut_at.is_some() { 0.0 } else { acked / window.size }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.cut_at = None;
        window.size / 2.0
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        self.acked += ack.newly_acked;
        self.marked += ack.ce_packets;
        if self.round != Some(path.round) {
            if self.round.is_some() && self.acked > 0 {
                let marked = (self.marked as f64 / self.acked as f64).min(1.0);
                self.alpha += self.gain * (marked - self.alpha);
            }
            (self.round, self.acked, self.marked) = (Some(path.round), 0, 0);
        }
        if let (Some(cut_at), Some(rtt)) = (self.cut_at, ack.rtt)
            && path.now.since(cut_at) >= rtt
        {
            self.cut_at = None;
        }
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) -> Option<f64> {
        if ack.ce_packets == 0 || self.cut_at.is_some() {
            return None;
        }
        self.cut_at = Some(path.now);
        Some((window.size * (1.0 - self.alpha / 2.0)).max(2.0))
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Counted
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("alpha", self.alpha);
    }
}

/// The card of `dctcp`.
pub(crate) const DCTCP: Entry = Entry {
    name: "dctcp",
    family: "data center",
    summary: "DCTCP: cuts in proportion to the part of the packets that routers marked; needs ECN",
    source: "RFC 8257; Alizadeh et al., SIGCOMM 2010",
    equations: &[
        "w += acked / w",
        "round trip: alpha = (1 - g) alpha + g F, F = marked / acknowledged",
        "first mark of a window of data: w = w (1 - alpha / 2); loss: w = w / 2",
    ],
    parameters: &[
        Parameter {
            name: "g",
            meaning: "weight of a new round trip in alpha",
            unit: "",
            source: "RFC 8257 §4.2",
            domain: Domain::Number { default: 0.0625, minimum: 0.0, maximum: 1.0 },
        },
        Parameter {
            name: "alpha",
            meaning: "alpha before the first round trip",
            unit: "",
            source: "RFC 8257 §3.3",
            domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1.0 },
        },
    ],
    deviations: &[
        "the receiver counts marks, where the RFC has it echo them one by one; packets are counted, not bytes",
        "no growth from a cut until data sent after it is acknowledged, as in Linux; the RFC is silent",
        "a cut for a mark leaves at least 2 packets, as in Linux",
    ],
    validation: Some(
        "alpha of a lone flow against sqrt(2 / (C RTT + K)): +3.8 %; the queue never empties at K = 40 packets; \
         in the simulator the share of marked packets: -0.7 % to +0.7 % at g = 0.02, +7 % to +10 % at g = 1/16, which \
         the theory wants smaller",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Dctcp {
        gain: values.number("g"),
        alpha: values.number("alpha"),
        round: None,
        acked: 0,
        marked: 0,
        cut_at: None,
    };
    Box::new(Windowed::new(rule, setup))
}
