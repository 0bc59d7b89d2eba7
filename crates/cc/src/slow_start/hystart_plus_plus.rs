// SPDX-License-Identifier: Apache-2.0
//! HyStart++ (RFC 9406): when the round-trip time rises, the window grows four times slower for five rounds before slow
//! start ends, and at the former pace again if the rise was noise.
//!
//! * Conservative slow start (CSS) starts when the smallest round-trip time of a round, after 8 samples, is
//!   `clamp(last / 8, 4 ms, 16 ms)` above the smallest of the round before (§4.2).
//! * In CSS each packet acknowledged adds a quarter of a packet. CSS ends, and slow start resumes, if the smallest
//!   round-trip time falls below that at the start of CSS. After 5 rounds of CSS, including the one in which it started,
//!   slow start is over.
//! * An acknowledgement counts for at most 8 packets (`L`), for any number if the flow is paced (§4.2).
//! * Only the initial slow start of a connection, before ssthresh is known, uses HyStart++ (§4.3). An idle time restarts it, which
//!   §4.3 permits.
//!
//! Deviations: none.

use crate::{Ack, Path};
use narrows_units::Span;

/// The state of HyStart++ (RFC 9406).
#[derive(Clone, Debug)]
pub struct HyStartPlusPlus {
    /// [`Path::round`] of the current round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// `lastRoundMinRTT`.
    last_min: Span,
    /// `currentRoundMinRTT`.
    current_min: Span,
    /// `rttSampleCount`, up to [`SAMPLES`].
    samples: u32,
    /// `None` outside of CSS.
    css: Option<Css>,
    /// `L`: largest number of packets that an acknowledgement counts for.
    limit: f64,
}

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Css {
    /// `cssBaselineMinRtt`.
    baseline: Span,
    /// Rounds completed in CSS.
    rounds: u32,
}

impl HyStartPlusPlus {
    /// Creates the state before the first sample; `paced` says whether the host paces the flow.
    pub(super) fn new(paced: bool) -> Self {
        let unknown = Span::MAX;
        let limit = if paced { f64::INFINITY } else { LIMIT };
        Self { round: None, last_min: unknown, current_min: unknown, samples: 0, css: None, limit }
    }

    /// Whether slow start ends with this acknowledgement.
    pub(super) fn is_over(&mut self, ack: &Ack<'_>, path: &Path) -> bool {
        if self.round != Some(path.round) {
            self.round = Some(path.round);
            (self.last_min, self.current_min, self.samples) = (self.current_min, Span::MAX, 0);
            if let Some(css) = &mut self.css {
                css.rounds += 1;
            }
        }
        if let Some(rtt) = ack.rtt {
            self.current_min = self.current_min.min(rtt);
            self.samples = (self.samples + 1).min(SAMPLES);
        }
        if self.samples == SAMPLES {
            self.update_css();
        }
        self.css.is_some_and(|css| css.rounds >= CSS_ROUNDS)
    }

    /// Starts CSS, or resumes slow start.
    fn update_css(&mut self) {
        match self.css {
            None if self.last_min < Span::MAX => {
                let threshold = (self.last_min / 8).clamp(RTT_THRESHOLD_MIN, RTT_THRESHOLD_MAX);
                if self.current_min >= self.last_min + threshold {
                    self.css = Some(Css { baseline: self.current_min, rounds: 0 });
                }
            }
            Some(css) if self.current_min < css.baseline => self.css = None,
            _ => {}
        }
    }

    /// Returns the packets to add to the window for `acked` packets acknowledged.
    pub(super) fn growth(&self, acked: f64) -> f64 {
        acked.min(self.limit) / if self.css.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 }
    }

    /// Whether the flow is in conservative slow start.
    pub(super) fn is_conservative(&self) -> bool {
        self.css.is_some()
    }

    /// Discards the measurements.
    pub(super) fn restart(&mut self) {
        let limit = self.limit;
        *self = Self { limit, ..Self::new(false) };
    }
}

/// `N_RTT_SAMPLE`.
const SAMPLES: u32 = 8;
/// `MIN_RTT_THRESH`.
const RTT_THRESHOLD_MIN: Span = Span::from_ms(4);
/// `MAX_RTT_THRESH`.
const RTT_THRESHOLD_MAX: Span = Span::from_ms(16);
/// `CSS_GROWTH_DIVISOR`.
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// `CSS_ROUNDS`.
const CSS_ROUNDS: u32 = 5;
/// `L` of a flow that is not paced, packets.
const LIMIT: f64 = 8.0;
