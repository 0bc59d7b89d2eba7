// SPDX-License-Identifier: Apache-2.0
//! HighSpeed TCP as in Linux 6.12 (`net/ipv4/tcp_highspeed.c`): the table of RFC 3649, appendix B, in whole packets, and an
//! increase for each acknowledgement.
//!
//! * With a window above row `k − 1` of the table and at most at row `k`, each *acknowledgement* adds `k / w` packets,
//!   however many packets it covers: with delayed acknowledgements the increase is half of the RFC's.
//! * Loss: `w = max(2, w − ⌊m w / 256⌋)`, where `m = ⌊256 b⌋` and `b` is RFC 3649's `b(w)` at row `k`.
//! * The row is searched at acknowledgements in congestion avoidance alone, so that a loss in slow start uses that before.

use super::linux::Credit;
use super::{Window, WindowRule, Windowed};
use crate::{Ack, Cause, CongestionControl, Dash, Entry, Hue, Needs, Path, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Values, Variable};

/// HighSpeed TCP as in Linux.
#[derive(Clone, Debug, Default)]
pub struct HighSpeedLinux {
    credit: Credit,
    /// Place in [`ROWS`] of the first window that is at least the present one; the last if there is none.
    row: usize,
    /// The acknowledgement arrived in slow start and adds nothing beyond it.
    slow_start: bool,
}

impl WindowRule for HighSpeedLinux {
    fn increase(&mut self, window: &Window, _acked: f64, _path: &Path) -> f64 {
        if self.slow_start {
            return 0.0;
        }
        let cwnd = window.size as u64;
        self.row = row_of(cwnd);
        self.credit.0 += self.row as u64 + 1;
        if self.credit.0 < cwnd {
            return 0.0;
        }
        self.credit.0 -= cwnd;
        1.0
    }

    fn decrease(&mut self, window: &Window, _cause: Cause, _path: &Path) -> f64 {
        self.credit = Credit::default();
        let cwnd = window.size as u64;
        let m = (256.0 * decrease_of(ROWS[self.row])) as u64;
        ((cwnd - ((cwnd * m) >> 8)) as f64).max(2.0)
    }

    fn on_ack(&mut self, window: &Window, _ack: &Ack<'_>, _path: &Path) {
        self.slow_start = window.in_slow_start();
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("a", self.row as f64 + 1.0);
    }
}

/// The card of `highspeed-linux`.
pub(crate) const HIGHSPEED_LINUX: Entry = Entry {
    card: Card {
        name: "highspeed-linux",
        family: "high-speed",
        summary: "HighSpeed TCP as in Linux 6.12: the table of the RFC in whole packets, and an increase for each acknowledgement",
        source: "Linux 6.12 net/ipv4/tcp_highspeed.c; RFC 3649 appendix B",
        equations: &[
            "k = first row of the table of RFC 3649, appendix B, whose window W_k is at least w, at most 72",
            "each ACK: w += k / w, in whole packets",
            "loss: ssthresh = w = max(2, w - floor(floor(256 b(W_k)) w / 256)), b(w) = 0.5 - 0.4 ln(w / 38) / ln(83000 / 38)",
        ],
        parameters: &[],
        variables: &[Variable {
            name: "a",
            unit: "packets",
            meaning: "k, the increase for a window of acknowledgements",
        }],
        deviations: &[
            "the window falls to ssthresh at once; in Linux it falls over a round trip, by proportional rate reduction, which here is part of the transport",
        ],
    },
    style: Some(Style(Hue::Blue, Dash::Dotted)),
    needs: |_| Needs::RELIABLE,
    build,
};

fn build(_values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    Box::new(Windowed::new(HighSpeedLinux::default(), setup))
}

/// Returns `a(w)` by the table of RFC 3649, appendix B, packets for each round trip; 1 up to 38 packets.
pub(super) fn increase_at(window: f64) -> f64 {
    row_of(libm::ceil(window) as u64) as f64 + 1.0
}

/// Returns `b(w)` by the table of RFC 3649, appendix B; one half up to 38 packets.
pub(super) fn decrease_at(window: f64) -> f64 {
    decrease_of(ROWS[row_of(libm::ceil(window) as u64)])
}

/// Place in [`ROWS`] of the first window that is at least `window` packets; the last if there is none.
fn row_of(window: u64) -> usize {
    ROWS.partition_point(|row| *row < window).min(ROWS.len() - 1)
}

/// `b(w)` (RFC 3649 §5).
fn decrease_of(window: u64) -> f64 {
    0.5 - 0.4 * libm::log(window as f64 / 38.0) / libm::log(83_000.0 / 38.0)
}

/// The windows of RFC 3649, appendix B, up to 90 000 packets, as Linux has them: the first is 38, and each further one is
/// the smallest at which `a(w)` is more than one larger than at that before.
const ROWS: [u64; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596,
    5036, 5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10_661, 11_358, 12_082, 12_834, 13_614,
    14_424, 15_265, 16_137, 17_042, 17_981, 18_955, 19_965, 21_013, 22_101, 23_230, 24_402, 25_618, 26_881,
    28_193, 29_557, 30_975, 32_450, 33_986, 35_586, 37_253, 38_992, 40_808, 42_707, 44_694, 46_776, 48_961,
    51_258, 53_677, 56_230, 58_932, 61_799, 64_851, 68_113, 71_617, 75_401, 79_517, 84_035, 89_053,
];

#[cfg(test)]
mod tests {
    use super::{ROWS, decrease_of};

    #[test]
    fn each_row_is_the_smallest_window_that_adds_another_packet() {
        let increase = |window: u64| {
            let (w, b) = (window as f64, decrease_of(window));
            w * w * 2.0 * b / ((2.0 - b) * libm::pow(w, 1.2) * 12.8)
        };
        let (mut rows, mut last) = (vec![38], 1.0);
        for window in 38..90_000 {
            if increase(window) > last + 1.0 {
                last = increase(window);
                rows.push(window);
            }
        }
        assert_eq!(rows, ROWS);
    }
}
