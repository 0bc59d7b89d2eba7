// SPDX-License-Identifier: Apache-2.0
//! Scalable TCP as in Linux 6.12 (`net/ipv4/tcp_scalable.c`): whole packets, and Reno's increase below 100 packets.
//!
//! One packet is added for each `min(w, 100)` acknowledged; a loss sets `w = w − ⌊w / 8⌋`, at any window.

use super::linux::Credit;
use super::{Window, WindowRule, Windowed};
use crate::{Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values, Variable};

/// Scalable TCP as in Linux.
#[derive(Clone, Debug, Default)]
pub struct ScalableLinux {
    credit: Credit,
}

impl WindowRule for ScalableLinux {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        self.credit.spend(acked as u64, (window.size as u64).min(MOST_ACKED))
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.credit = Credit::default();
        let cwnd = window.size as u64;
        ((cwnd - cwnd / 8) as f64).max(2.0)
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("credit", self.credit.0 as f64);
    }
}

/// The card of `scalable-linux`.
pub(crate) const SCALABLE_LINUX: Entry = Entry {
    card: Card {
        name: "scalable-linux",
        family: "high-speed",
        summary: "Scalable TCP as in Linux 6.12: whole packets, and Reno's increase below 100 packets",
        source: "Linux 6.12 net/ipv4/tcp_scalable.c",
        equations: &[
            "w += 1 for each min(w, 100) acknowledged",
            "loss: ssthresh = w = max(2, w - floor(w / 8))",
        ],
        parameters: &[],
        variables: &[Variable {
            name: "credit",
            unit: "packets",
            meaning: "packets acknowledged that have not yet counted for the window",
        }],
        deviations: &[
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Rose, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(ScalableLinux::default(), setup))
}

/// `TCP_SCALABLE_AI_CNT`: packets acknowledged for each packet of increase, at most.
const MOST_ACKED: u64 = 100;
