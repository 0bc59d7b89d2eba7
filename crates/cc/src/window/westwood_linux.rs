// SPDX-License-Identifier: Apache-2.0
//! Westwood+ as in Linux 6.12 (`net/ipv4/tcp_westwood.c`): Reno until the end of a recovery, which sets the window to the
//! estimated bandwidth times the minimum round-trip time, at once.
//!
//! * After more than `max(RTT, 12)` jiffies: a sample in bytes per jiffy, `⌊acknowledged / time⌋`, passes two filters `B₁ =
//!   ⌊(7 B₁ + sample) / 8⌋`, `B = ⌊(7 B + B₁) / 8⌋`. RTT is the last sample, in jiffies, rounded up.
//! * Loss: `w = max(2, ⌊w / 2⌋)`, and at the end of the recovery `ssthresh = w = max(2, ⌊B RTT_min / MSS⌋)`. If that is
//!   more than half of the window before, as with any buffer of less than a bandwidth-delay product, the difference
//!   leaves as one burst, and a short buffer drops part of it.
//! * Timeout: ssthresh is the same product, and `RTT_min` is taken anew from the next acknowledgement.

use super::linux::{HZ, jiffies, jiffies_in};
use super::reno_linux::RenoLinux;
use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values, Variable};
use narrows_units::Bytes;

/// Westwood+ as in Linux. Times are in jiffies.
#[derive(Clone, Debug)]
pub struct WestwoodLinux {
    reno: RenoLinux,
    mss: Bytes,
    /// `rtt_win_sx`: start of the current sample; `None` before the first acknowledgement.
    start: Option<u64>,
    /// `bk`: bytes acknowledged in the current sample.
    acked: u64,
    /// `bw_ns_est` and `bw_est`: `B₁` and `B`, bytes per jiffy.
    rates: (u64, u64),
    /// Last sample of the round-trip time.
    rtt: u64,
    /// `RTT_min`; `None` before the first acknowledgement and that after a timeout.
    rtt_min: Option<u64>,
}

impl WestwoodLinux {
    /// `B · RTT_min`, packets, at least 2.
    fn bdp(&self) -> f64 {
        let rtt_min = self.rtt_min.unwrap_or(self.rtt);
        ((self.rates.1 * rtt_min / self.mss.count()) as f64).max(2.0)
    }

    /// Ends the current sample, which lasted `lasted` jiffies.
    fn sample(&mut self, lasted: u64) {
        let sample = self.acked / lasted;
        let filter = |old: u64, new: u64| (7 * old + new) / 8;
        let (first, second) = self.rates;
        self.rates = if self.rates == (0, 0) {
            (sample, sample)
        } else {
            let first = filter(first, sample);
            (first, filter(second, first))
        };
        self.acked = 0;
    }
}

impl WindowRule for WestwoodLinux {
    fn increase(&mut self, window: &Window, acked: f64, path: &Path) -> f64 {
        self.reno.increase(window, acked, path)
    }

    fn decrease(&mut self, window: &Window, cause: Cause, path: &Path) -> f64 {
        let half = self.reno.decrease(window, cause, path);
        if cause != Cause::Timeout {
            return half;
        }
        let bdp = self.bdp();
        self.rtt_min = None;
        bdp
    }

    fn on_ack(&mut self, _window: &Window, ack: &Ack<'_>, path: &Path) {
        if let Some(rtt) = ack.rtt {
            self.rtt = jiffies_in(rtt);
        }
        let now = jiffies(path.now);
        match self.start {
            // Linux starts when the connection is established, and counts nothing for its first acknowledgement.
            None => self.start = Some(now.saturating_sub(self.rtt)),
            Some(start) => {
                let lasted = now - start;
                if lasted > self.rtt.max(SHORTEST) {
                    self.sample(lasted);
                    self.start = Some(now);
                }
                self.acked += ack.newly_acked * self.mss.count();
            }
        }
        self.rtt_min = Some(self.rtt_min.map_or(self.rtt, |least| least.min(self.rtt)));
    }

    fn window_after_recovery(&self) -> Option<f64> {
        Some(self.bdp())
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("rate", (self.rates.1 * HZ) as f64 / self.mss.count() as f64);
    }
}

/// The card of `westwood-linux`.
pub(crate) const WESTWOOD_LINUX: Entry = Entry {
    card: Card {
        name: "westwood-linux",
        family: "bandwidth-estimating",
        summary: "Westwood+ as in Linux 6.12: half the window at a loss, bandwidth times minimum RTT at once after the recovery",
        source: "Linux 6.12 net/ipv4/tcp_westwood.c",
        equations: &[
            "w += 1 for each w acknowledged",
            "each time of more than max(RTT, 48 ms), in jiffies: B1 = floor((7 B1 + floor(acked / time)) / 8), B = floor((7 B + B1) / 8), bytes per jiffy",
            "loss: ssthresh = w = max(2, floor(w / 2)); end of recovery: ssthresh = w = max(2, floor(B RTT_min / MSS))",
            "timeout: ssthresh = max(2, floor(B RTT_min / MSS)), w = 1, RTT_min anew",
        ],
        parameters: &[],
        variables: &[Variable { name: "rate", unit: "packets/s", meaning: "B, the estimated bandwidth" }],
        deviations: &[
            "jiffies of 4 ms (CONFIG_HZ=250), counted from the start of the run",
            "packets are counted when they are first acknowledged; Linux counts one for each duplicate acknowledgement and takes those from the next that advances",
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Vermilion, Dash::Dashed)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = WestwoodLinux {
        reno: RenoLinux::default(),
        mss: setup.mss,
        start: None,
        acked: 0,
        rates: (0, 0),
        rtt: FIRST_RTT,
        rtt_min: None,
    };
    Box::new(Windowed::new(rule, setup))
}

/// `TCP_WESTWOOD_RTT_MIN`: a sample is longer than this, jiffies.
const SHORTEST: u64 = HZ / 20;
/// `TCP_WESTWOOD_INIT_RTT`: the round-trip time before the first sample, jiffies.
const FIRST_RTT: u64 = 20 * HZ;
