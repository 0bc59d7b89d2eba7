// SPDX-License-Identifier: Apache-2.0
//! Rapid Start (draft-kazuho-ccwg-rapid-start-02, Oku): the window triples in a round trip while no queue builds up, and the first
//! recovery finds by how much it was too large.
//!
//! * An acknowledged packet adds two packets while the least round-trip time of the last `min_rtt` is at most
//!   `min(min_rtt + 4 ms, 1.1 min_rtt)`, else one (§3.2).
//! * In the first round in which the window grows, packets are paced over a round trip (§3.1).
//! * The first loss or mark multiplies the window by `s`; then each packet acknowledged takes `a` packets from it, and each
//!   packet lost `s`, until all packets are accounted for that were in flight (§3.3). With `β` the factor of the algorithm,
//!   `s = β + a` and `a = 2 (1 − β) / 3` (§3.3.1). The window stays above `β / 3` of the window before, `β` initial windows, and the
//!   algorithm's lower bound.
//! * Only the initial slow start of a connection, before ssthresh is known, is a Rapid Start.
//!
//! If only the packets are lost that the path and its buffer do not hold, `β` times what they hold is left, whatever the share of
//! losses. If two of three packets are lost, nothing is sent until `1 − β` of what they hold is acknowledged (appendix A).
//!
//! Version 00, and quicly of April 2026, have `a = 11 (1 − β) / 18`, by which nothing is sent for longer: 1.08 times as long if `β` is
//! 0.5, and 1.11 times if it is 0.7.
//!
//! Choices: `β` is the factor of the algorithm for a third of the window, as much as the path and its buffer hold if the window has
//! just tripled. The algorithm decreases its window at the end of the recovery, from `1 / β` of the window then, so that CUBIC's
//! `W_max` is not three times what the path holds.
//!
//! Deviations: the initial window leaves as in other flows, since the algorithm has no sample then. The packets in flight
//! are counted, not followed: of a packet that is sent and acknowledged in the recovery before all others are accounted for, the
//! draft for QUIC does not count the acknowledgement.

use crate::filter::WindowedMin;
use crate::{Ack, Path};
use narrows_units::{Bytes, Rate, Span, Time};

/// The growth of Rapid Start.
#[derive(Clone, Debug, Default)]
pub struct Rapid {
    /// `rtt_floor`, ps.
    floor: WindowedMin,
    /// No queue builds up.
    triples: bool,
    /// The round of the first acknowledgement, and its round-trip time while that round lasts.
    first: Option<(u64, Option<Span>)>,
}

impl Rapid {
    /// Takes the samples of an acknowledgement.
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        let (Some(sample), Some(rtt)) = (ack.rtt, path.rtt) else { return };
        self.floor.update(rtt.min.as_ps(), path.now.as_ps(), sample.as_ps());
        let threshold = (rtt.min + QUEUE).min(rtt.min + rtt.min / QUEUE_DIVISOR);
        self.triples = self.floor.get() <= threshold.as_ps();
        let round = self.first.map_or(path.round, |(round, _)| round);
        self.first = Some((round, (path.round == round).then_some(rtt.smoothed)));
    }

    /// Returns the packets to add to the window for `acked` packets acknowledged.
    pub(super) fn growth(&self, acked: f64) -> f64 {
        if self.triples { 2.0 * acked } else { acked }
    }

    /// Returns the pacing rate of payload of a window of `window` packets with a payload of `mss` each; `None` for the rate of the host.
    pub(super) fn pacing(&self, window: f64, mss: Bytes) -> Option<Rate> {
        let (_, rtt) = self.first?;
        let rtt = rtt.filter(|rtt| *rtt > Span::ZERO)?;
        Some(Rate::from_bps_f64((window * mss.bits() as f64 / rtt.as_secs_f64()).max(1.0)))
    }

    /// Discards the measurements.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }
}

/// The reduction of the window after the first congestion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    /// Factor of the algorithm.
    beta: f64,
    /// Lower bound of the window, packets.
    least: f64,
    /// Packets that were in flight when it began, and have neither been acknowledged nor lost.
    left: u64,
    since: Time,
}

impl Reduction {
    /// Begins the reduction of `window` packets, of which an algorithm with the factor `beta` would keep as much; the window is not
    /// reduced below `least` packets. `lost` of the packets in flight are being reported.
    pub(crate) fn new(window: f64, beta: f64, least: f64, lost: u64, path: &Path) -> Self {
        Self {
            beta,
            least: least.max(beta * window / LARGEST_GROWTH),
            left: path.in_flight + lost,
            since: path.now,
        }
    }

    /// `s`: the factor of the window at the start, and the packets that a loss takes from it.
    fn silence(&self) -> f64 {
        self.beta + self.per_acked()
    }

    /// `a`: the packets that an acknowledged packet takes from the window.
    fn per_acked(&self) -> f64 {
        K * (1.0 - self.beta)
    }

    /// Returns the window at the start, of `window` packets before.
    pub(crate) fn begin(&self, window: f64) -> f64 {
        self.bounded(window, window * (1.0 - self.silence()))
    }

    /// Returns the window after `acked` packets were acknowledged.
    pub(crate) fn on_acked(&mut self, window: f64, acked: u64, now: Time) -> f64 {
        // The packets whose acknowledgement revealed the loss are not among those in flight after it.
        let counted = if now == self.since { acked } else { acked.min(self.left) };
        if now > self.since {
            self.left -= counted;
        }
        self.bounded(window, counted as f64 * self.per_acked())
    }

    /// Returns the window after `lost` packets were lost.
    pub(crate) fn on_lost(&mut self, window: f64, lost: u64) -> f64 {
        let counted = lost.min(self.left);
        self.left -= counted;
        self.bounded(window, counted as f64 * self.silence())
    }

    fn bounded(&self, window: f64, less: f64) -> f64 {
        (window - less).max(self.least).min(window)
    }

    /// Returns as much as the path and its buffer hold, of which `window` is left.
    pub(crate) fn product(&self, window: f64) -> f64 {
        window / self.beta
    }
}

/// Returns the factor by which an algorithm that keeps `kept` of `window` packets multiplies its window.
pub(crate) fn factor(kept: f64, window: f64) -> f64 {
    #[expect(clippy::manual_clamp, reason = "clamp would return NaN for NaN")]
    (kept / window).max(LEAST_FACTOR).min(1.0)
}

/// The window in a round trip over that before it, at most.
pub(crate) const LARGEST_GROWTH: f64 = 3.0;
/// `K` (§3.3.1).
const K: f64 = 2.0 / 3.0;
/// The additive term of `queue_buildup_thresh`.
const QUEUE: Span = Span::from_ms(4);
/// The multiplicative term of `queue_buildup_thresh` is a tenth.
const QUEUE_DIVISOR: u64 = 10;
/// Below any factor of the catalogue.
const LEAST_FACTOR: f64 = 0.05;
