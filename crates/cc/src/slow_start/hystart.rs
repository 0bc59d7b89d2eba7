// SPDX-License-Identifier: Apache-2.0
//! HyStart, which ends slow start before it overshoots (Ha and Rhee, "Taming the elephants", Computer Networks 55, 2011),
//! with the constants and the two heuristics of Linux 6.18 `net/ipv4/tcp_cubic.c`.
//!
//! * ACK train: while acknowledgements are at most 2 ms apart, the time since the start of the round measures how long
//!   the window takes to pass the bottleneck. Slow start ends when `now - round_start > (delay_min + ack_delay) / 2`;
//!   the bound is not halved if the flow is paced, since pacing spreads a window over half a round trip in slow start.
//! * Delay: slow start ends when the smallest of more than 8 samples of a round exceeds
//!   `delay_min + clamp(delay_min / 8, 4 ms, 16 ms)`.
//! * `ack_delay` is `min(1 ms, 4 · 65536 B / pacing rate)` with the rate `2 · window · mss / SRTT` that Linux computes in
//!   slow start whether or not it paces: 1 ms below 2 Gbps.
//!
//! As in Linux, slow start ends in this way once, until a timeout resets that and `delay_min`; one that ended by a loss may be followed by one
//! that ends below the ssthresh of that loss.
//!
//! Deviations: none.

use crate::{Ack, Path};
use narrows_units::{Span, Time};

/// The state of HyStart (Ha and Rhee 2011).
#[derive(Clone, Debug)]
pub struct HyStart {
    /// [`Path::round`] of the current round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Time of the first acknowledgement of the round.
    round_start: Time,
    /// Time of the last acknowledgement of the ACK train (`last_ack`).
    train_end: Time,
    /// Smallest round-trip time since the start or the last timeout.
    delay_min: Span,
    /// Smallest round-trip time of the round (`curr_rtt`).
    round_min: Span,
    /// Round-trip time samples of the round, counted up to [`MIN_SAMPLES`].
    samples: u32,
    /// Whether HyStart has ended slow start since the start or the last timeout (`found`).
    found: bool,
    /// The host paces the flow.
    paced: bool,
}

impl HyStart {
    /// Creates the state before the first sample; `paced` says whether the host paces the flow.
    pub(super) fn new(paced: bool) -> Self {
        Self {
            paced,
            round: None,
            round_start: Time::ZERO,
            train_end: Time::ZERO,
            delay_min: Span::MAX,
            round_min: Span::MAX,
            samples: 0,
            found: false,
        }
    }

    /// A timeout starts a new slow start.
    pub(super) fn restart(&mut self) {
        *self = Self::new(self.paced);
    }

    /// Whether slow start ends with this acknowledgement, with a window of `window` packets.
    pub(super) fn is_over(&mut self, window: f64, ack: &Ack<'_>, path: &Path) -> bool {
        let Some(rtt) = ack.rtt else { return false };
        self.delay_min = self.delay_min.min(rtt);
        if self.round != Some(path.round) {
            self.round = Some(path.round);
            self.round_start = path.now;
            self.train_end = path.now;
            self.round_min = Span::MAX;
            self.samples = 0;
        }
        if self.found || window < LOW_WINDOW {
            return false;
        }
        self.found = self.train_is_long(window, path) | self.delay_has_grown(rtt);
        self.found
    }

    fn train_is_long(&mut self, window: f64, path: &Path) -> bool {
        if path.now.since(self.train_end) > ACK_DELTA {
            return false;
        }
        self.train_end = path.now;
        let threshold = self.delay_min + ack_delay(window, path);
        path.now.since(self.round_start) > if self.paced { threshold } else { threshold / 2 }
    }

    fn delay_has_grown(&mut self, rtt: Span) -> bool {
        self.round_min = self.round_min.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.round_min > self.delay_min + (self.delay_min / 8).clamp(DELAY_MIN, DELAY_MAX)
    }
}

/// Time that aggregation in the sending host may add to an ACK train (`hystart_ack_delay`).
fn ack_delay(window: f64, path: &Path) -> Span {
    let Some(rtt) = path.rtt else { return Span::ZERO };
    let bytes_in_a_round_trip = 2.0 * window * path.mss.count() as f64;
    rtt.smoothed.scaled(LARGEST_AGGREGATES / bytes_in_a_round_trip).min(Span::from_ms(1))
}

/// `hystart_low_window`, packets.
const LOW_WINDOW: f64 = 16.0;
/// `hystart_ack_delta_us`.
const ACK_DELTA: Span = Span::from_ms(2);
/// `HYSTART_MIN_SAMPLES`.
const MIN_SAMPLES: u32 = 8;
/// `HYSTART_DELAY_MIN`.
const DELAY_MIN: Span = Span::from_ms(4);
/// `HYSTART_DELAY_MAX`.
const DELAY_MAX: Span = Span::from_ms(16);
/// Four segments of `GSO_MAX_SIZE`, the largest that Linux passes to a device, bytes.
const LARGEST_AGGREGATES: f64 = 4.0 * 65536.0;
