// SPDX-License-Identifier: Apache-2.0
//! Data Center TCP (RFC 8257; Alizadeh et al., SIGCOMM 2010): decrease in proportion to the fraction of marked packets.
//!
//! * Once per round: `α = (1 − g) α + g F`, where `F` is the fraction of the packets acknowledged that were marked (§3.3).
//! * First mark in a window of data: `w = w − ⌊w α / 2⌋`, and no increase until data sent after it is acknowledged.
//! * Loss: half, as Reno (§3.5).

use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, EcnUse, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};
#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::Time;

/// The parameters and the state of DCTCP (RFC 8257).
#[derive(Clone, Debug)]
pub struct Dctcp {
    /// `g`.
    gain: f64,
    /// `DCTCP.Alpha`.
    alpha: f64,
    /// [`Path::round`] for which `acked` and `marked` count; `None` before the first acknowledgement.
    round: Option<u64>,
    acked: u64,
    marked: u64,
    /// Time of the last decrease for a mark; `None` once data sent later is acknowledged.
    reduced_at: Option<Time>,
}

impl WindowRule for Dctcp {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        if self.reduced_at.is_some() { 0.0 } else { acked / window.size }
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.reduced_at = None;
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
        if let (Some(reduced_at), Some(rtt)) = (self.reduced_at, ack.rtt)
            && path.now.since(reduced_at) >= rtt
        {
            self.reduced_at = None;
        }
    }

    fn step_down(&mut self, window: &Window, ack: &Ack<'_>, path: &Path) -> Option<f64> {
        if ack.ce_packets == 0 || self.reduced_at.is_some() {
            return None;
        }
        self.reduced_at = Some(path.now);
        Some((window.size - (window.size * self.alpha / 2.0).floor()).max(2.0))
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Counted
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("alpha", self.alpha);
    }
}

/// The card of `dctcp`.
pub(crate) const DCTCP: Entry = Entry {
    card: Card {
        name: "dctcp",
        family: "data center",
        summary: "DCTCP: decrease in proportion to the fraction of packets that routers marked; needs ECN",
        source: "RFC 8257; Alizadeh et al., SIGCOMM 2010",
        equations: &[
            "w += acked / w",
            "round trip: alpha = (1 - g) alpha + g F, F = marked / acknowledged",
            "first mark of a window of data: w = w - floor(w alpha / 2); loss: w = w / 2",
        ],
        parameters: &[
            Parameter::number("g", "weight of the latest round trip in alpha", 0.0625, 0.0..=1.0)
                .source("RFC 8257 §4.2"),
            Parameter::number("alpha", "initial alpha", 1.0, 0.0..=1.0).source("RFC 8257 §3.3"),
        ],
        variables: &[Variable {
            name: "alpha",
            unit: "share",
            meaning: "alpha, the estimated fraction of packets that are marked",
        }],
        deviations: &[
            "the receiver sends counts of marks, where in the RFC it echoes each by ECE; packets are counted, not bytes",
            "bursts of acknowledgements cause bursts in the queue, each of which is marked: over 10 Mbps and 40 ms with a threshold of 6 packets and acknowledgements in frames of 20 ms the utilization is 0.35, 1.00 without the frames",
            "no increase from a decrease until data sent after it is acknowledged, as in Linux; the RFC does not say",
            "a decrease for a mark takes whole packets and leaves at least 2, as in Linux, for otherwise a flow with a mark in every round trip would hardly grow; in Linux alpha has whole steps of 1/1024, too",
        ],
    },
    style: Some(Style(Hue::Cyan, Dash::Long)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Dctcp {
        gain: values.number("g"),
        alpha: values.number("alpha"),
        round: None,
        acked: 0,
        marked: 0,
        reduced_at: None,
    };
    Box::new(Windowed::new(rule, setup))
}
