// SPDX-License-Identifier: Apache-2.0
//! The bounds of the long-term and of the short-term model (draft-ietf-ccwg-bbr-06 §2.8, §2.9, §5.5.10): losses in probes
//! set `inflight_longterm`; losses at other times set `bw_shortterm` and `inflight_shortterm` until the next probe.

use super::congestion_signals::CongestionSignals;
use crate::model::real::greater;

/// Bounds, infinite where unset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Packets.
    inflight_longterm: f64,
    /// Packets.
    inflight_shortterm: f64,
    /// Bits of payload per second.
    bw_shortterm: f64,
}

impl Bounds {
    /// No bound is set.
    pub(super) const UNSET: Self = Self {
        inflight_longterm: f64::INFINITY,
        inflight_shortterm: f64::INFINITY,
        bw_shortterm: f64::INFINITY,
    };
    /// Bounds that raise none when restored.
    pub(super) const ZERO: Self = Self { inflight_longterm: 0.0, inflight_shortterm: 0.0, bw_shortterm: 0.0 };

    /// Returns the packets.
    pub(super) fn inflight_longterm(&self) -> f64 {
        self.inflight_longterm
    }

    /// Returns the packets.
    pub(super) fn inflight_shortterm(&self) -> f64 {
        self.inflight_shortterm
    }

    /// Returns the bits of payload per second.
    pub(super) fn bw_shortterm(&self) -> f64 {
        self.bw_shortterm
    }

    /// Losses were too many with more than `packets` in flight.
    pub(super) fn set_inflight_longterm(&mut self, packets: f64) {
        self.inflight_longterm = packets;
    }

    /// Losses were few with `packets` in flight; an unset bound stays unset.
    pub(super) fn raise_inflight_longterm(&mut self, packets: f64) {
        self.inflight_longterm = greater(self.inflight_longterm, packets);
    }

    /// Implements `ResetShortTermModel`.
    pub(super) fn reset_short_term_model(&mut self) {
        self.inflight_shortterm = f64::INFINITY;
        self.bw_shortterm = f64::INFINITY;
    }

    /// Implements `InitLowerBounds` and `LossLowerBounds`, at the end of a round with losses.
    pub(super) fn adapt_lower_bounds(
        &mut self,
        signals: &CongestionSignals,
        max_bw: f64,
        cwnd: f64,
        beta: f64,
    ) {
        if self.bw_shortterm == f64::INFINITY {
            self.bw_shortterm = max_bw;
        }
        if self.inflight_shortterm == f64::INFINITY {
            self.inflight_shortterm = cwnd;
        }
        self.bw_shortterm = signals.bw_latest().max(beta * self.bw_shortterm);
        self.inflight_shortterm = signals.inflight_latest().max(beta * self.inflight_shortterm);
    }

    /// Returns `InflightWithHeadroom`, packets; `headroom` is the share of `inflight_longterm` left to other flows.
    pub(super) fn inflight_with_headroom(&self, headroom: f64) -> f64 {
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        let headroom = greater(headroom * self.inflight_longterm, 1.0);
        greater(self.inflight_longterm - headroom, super::MIN_PIPE_CWND)
    }

    /// Raises each bound to at least what it is in `saved` (`HandleSpuriousLossDetection`).
    pub(super) fn restore(&mut self, saved: &Self) {
        self.inflight_longterm = self.inflight_longterm.max(saved.inflight_longterm);
        self.inflight_shortterm = self.inflight_shortterm.max(saved.inflight_shortterm);
        self.bw_shortterm = self.bw_shortterm.max(saved.bw_shortterm);
    }
}
