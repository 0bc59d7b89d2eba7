// SPDX-License-Identifier: Apache-2.0
//! Signs of congestion: smoothed shares of losses and marks, and the thresholds above which they count, as delays do. Flows that send
//! fast are more sensitive.

/// A sign of congestion, and the part of the rate by which it lowers the rate, at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Signal {
    /// A round-trip time beyond its threshold by `excess` thresholds.
    Delay { excess: f64 },
    /// A share of losses beyond its threshold.
    Loss,
    /// A share of marks beyond its threshold by `excess` thresholds.
    Mark { excess: f64 },
}

/// Returns how sensitive a flow with a nominal rate of `rate` bytes per second is, from 0 to 1.
pub(super) fn sensitivity(rate: f64) -> f64 {
    let between =
        |(from, low): (f64, f64), (to, high): (f64, f64)| low + (high - low) * (rate - from) / (to - from);
    if rate < SLOW {
        0.0
    } else if rate < MIDDLE {
        between((SLOW, 0.0), (MIDDLE, MIDDLE_SENSITIVITY))
    } else if rate < FAST {
        between((MIDDLE, MIDDLE_SENSITIVITY), (FAST, 1.0))
    } else {
        1.0
    }
}

/// Returns by how much a round-trip time may exceed a nominal max RTT of `nominal_max`; seconds.
pub(super) fn delay_threshold(sensitivity: f64, nominal_max: f64) -> f64 {
    ((1.0 + 3.0 * (1.0 - sensitivity)) / 16.0 * nominal_max).min(DELAY_THRESHOLD_MAX)
}

/// Returns the smoothed share of losses that is congestion.
pub(super) fn loss_threshold(sensitivity: f64) -> f64 {
    0.02 + 0.5 * (1.0 - sensitivity)
}

/// Returns the share of marks that is congestion.
pub(super) fn mark_threshold(sensitivity: f64) -> f64 {
    (2.0 - sensitivity) * 3.0 / 32.0
}

/// The shares of losses and of marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shares {
    /// `smoothed_loss_rate`.
    lost: f64,
    /// `ecn_alpha`.
    marked: f64,
    /// Packets acknowledged without a mark since the last update of `marked`.
    unmarked: u64,
    /// Whether any packet has been marked.
    path_marks: bool,
}

impl Shares {
    /// Counts packets delivered, `marked` of them with a mark; without `losses` the share of losses stays.
    pub(super) fn on_delivered(&mut self, packets: u64, marked: u64, losses: bool) {
        if losses {
            self.lost *= libm::pow(1.0 - GAIN, packets as f64);
        }
        self.unmarked += packets.saturating_sub(marked);
        if marked > 0 {
            self.path_marks = true;
            self.update_marked(marked);
        }
    }

    /// Counts packets declared lost.
    pub(super) fn on_lost(&mut self, packets: u64) {
        self.lost = 1.0 - (1.0 - self.lost) * libm::pow(1.0 - GAIN, packets as f64);
    }

    /// An era begins.
    pub(super) fn begin_era(&mut self) {
        if self.unmarked > 0 {
            self.update_marked(0);
        }
    }

    fn update_marked(&mut self, marked: u64) {
        let share = marked as f64 / (marked + core::mem::take(&mut self.unmarked)) as f64;
        if share >= MOST_MARKED {
            self.marked = share;
        } else {
            self.marked += (share - self.marked) * GAIN;
        }
    }

    /// Returns `smoothed_loss_rate`.
    pub(super) fn lost(&self) -> f64 {
        self.lost
    }

    /// Returns `ecn_alpha`.
    pub(super) fn marked(&self) -> f64 {
        self.marked
    }

    /// Whether a router of the path has marked packets of the flow.
    pub(super) fn path_marks(&self) -> bool {
        self.path_marks
    }

    /// Forgets both shares.
    pub(super) fn reset(&mut self) {
        (self.lost, self.marked, self.unmarked) = (0.0, 0.0, 0);
    }
}

/// Rates between which the sensitivity is interpolated, bytes per second.
const SLOW: f64 = 50_000.0;
const MIDDLE: f64 = 1_000_000.0;
const FAST: f64 = 10_000_000.0;
/// The sensitivity at the middle one.
const MIDDLE_SENSITIVITY: f64 = 0.92;
/// Largest delay threshold, seconds.
const DELAY_THRESHOLD_MAX: f64 = 0.025;
/// Gain of both averages.
const GAIN: f64 = 1.0 / 16.0;
/// Share of marks from which on the average follows at once.
const MOST_MARKED: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::{Shares, delay_threshold, loss_threshold, mark_threshold, sensitivity};

    fn same(one: f64, other: f64) {
        assert!((one - other).abs() < 1e-12, "{one} is not {other}");
    }

    #[test]
    fn sensitivity_is_interpolated_between_the_rates_of_the_draft() {
        for (rate, expected) in
            [(0.0, 0.0), (5e4, 0.0), (525e3, 0.46), (1e6, 0.92), (5.5e6, 0.96), (1e7, 1.0), (1e9, 1.0)]
        {
            same(sensitivity(rate), expected);
        }
    }

    #[test]
    fn thresholds_fall_with_sensitivity() {
        for (sensitivity, delay, loss, marks) in
            [(0.0, 0.25, 0.52, 0.1875), (0.92, 0.0775, 0.06, 0.10125), (1.0, 0.0625, 0.02, 0.09375)]
        {
            same(delay_threshold(sensitivity, 0.08), delay * 0.08);
            same(loss_threshold(sensitivity), loss);
            same(mark_threshold(sensitivity), marks);
        }
        same(delay_threshold(0.0, 1.0), 0.025);
    }

    #[test]
    fn one_loss_in_sixteen_of_the_average_and_a_share_of_marks_of_a_half_at_once() {
        let mut shares = Shares::default();
        shares.on_lost(1);
        same(shares.lost(), 1.0 / 16.0);
        shares.on_delivered(1, 0, true);
        same(shares.lost(), 15.0 / 256.0);
        shares.on_delivered(8, 1, true);
        // One of nine since the beginning.
        same(shares.marked(), 1.0 / 9.0 / 16.0);
        shares.on_delivered(2, 1, true);
        same(shares.marked(), 0.5);
        shares.reset();
        assert_eq!((shares.lost(), shares.marked(), shares.path_marks()), (0.0, 0.0, true));
    }
}
