//! Reno as Linux counts it (Linux 6.18, `tcp_reno_cong_avoid` and `tcp_reno_ssthresh`): RFC 5681's rule in whole packets.
//!
//! Acknowledged packets are credited; `w` of them make the window one packet larger. A cut halves the window, rounded
//! down, and forgets the credit, so every period begins alike.
//!
//! Deviations: the window is cut at once; that Linux lets it fall over a round trip is the transport's proportional rate
//! reduction.

use super::{Window, WindowRule, Windowed};
use crate::catalogue::{Entry, Needs, Setup, Values};
use crate::{Cause, CongestionControl, Path};

/// The rule and what it remembers.
#[derive(Clone, Debug, Default)]
pub struct RenoLinux {
    /// Packets acknowledged since the window last grew.
    credit: u64,
}

impl WindowRule for RenoLinux {
    fn increase(&mut self, window: &Window, acked: f64, _path: &Path) -> f64 {
        let cwnd = window.size as u64;
        let mut added = 0;
        // The window has shrunk below what is credited: one packet, and the rest is forgotten.
        if self.credit >= cwnd {
            self.credit = 0;
            added = 1;
        }
        self.credit += acked as u64;
        added += self.credit / cwnd;
        self.credit %= cwnd;
        added as f64
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.credit = 0;
        ((window.size as u64 / 2) as f64).max(2.0)
    }

    fn observe(&self, tell: &mut dyn FnMut(&'static str, f64)) {
        tell("credit", self.credit as f64);
    }
}

/// The card of `reno-linux`.
pub(crate) const RENO_LINUX: Entry = Entry {
    name: "reno-linux",
    family: "standard",
    summary: "Reno as Linux counts it: whole packets, and the count begins anew at a cut",
    source: "RFC 5681 §3.1; Linux 6.18, net/ipv4/tcp_cong.c",
    equations: &[
        "slow start: w += acked",
        "congestion avoidance: w += 1 for each w acknowledged",
        "loss: ssthresh = w = floor(w / 2); timeout: ssthresh = floor(w / 2), w = 1",
    ],
    parameters: &[],
    deviations: &[
        "the window is cut at once; that Linux lets it fall over a round trip is the transport's proportional rate reduction",
    ],
    validation: Some(
        "Linux 6.18 at 20 Mbps, 40 ms, over 1 and 4 BDP: period, peak window, queueing delay and loss rate within 1 % of the recordings; beside CUBIC it gets 8.2 Mbps where it was recorded at 6.6",
    ),
    needs: Needs { packets: false, rate_samples: false },
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(RenoLinux::default(), setup))
}
