// SPDX-License-Identifier: Apache-2.0
//! Reno as in Linux 6.18 (`tcp_reno_cong_avoid`, `tcp_reno_ssthresh`): the rule of RFC 5681 in whole packets.
//!
//! The window grows by one packet for each `w` packets acknowledged. A loss halves the window, rounded down, and resets
//! the count of acknowledged packets, so that all periods between losses start alike.

use super::linux::Credit;
use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values, Variable};

/// The rule of RFC 5681 §3.1 as in Linux, with its count of acknowledged packets.
#[derive(Clone, Debug, Default)]
pub struct RenoLinux {
    credit: Credit,
}

impl WindowRule for RenoLinux {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.credit.spend(acked as u64, window.size as u64)
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.credit = Credit::default();
        ((window.size as u64 / 2) as f64).max(2.0)
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("credit", self.credit.0 as f64);
    }
}

/// The card of `reno-linux`.
pub(crate) const RENO_LINUX: Entry = Entry {
    card: Card {
        name: "reno-linux",
        family: "standard",
        summary: "Reno as in Linux: whole packets, and a count of acknowledged packets that a loss resets",
        source: "RFC 5681 §3.1; Linux 6.18, net/ipv4/tcp_cong.c",
        equations: &[
            "slow start: w += acked",
            "congestion avoidance: w += 1 for each w acknowledged",
            "loss: ssthresh = w = floor(w / 2); timeout: ssthresh = floor(w / 2), w = 1",
        ],
        parameters: &[],
        variables: &[Variable {
            name: "credit",
            unit: "packets",
            meaning: "packets acknowledged that have not yet counted for the window",
        }],
        deviations: &[
            "the window is halved at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Green, Dash::Solid)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(RenoLinux::default(), setup))
}
