// SPDX-License-Identifier: Apache-2.0
//! Deliveries and losses of the current loss round (draft-ietf-ccwg-bbr-06 §5.3.1.3, §5.5.10.2, §5.5.10.3).

use super::delivery::Sample;
use crate::SentPacket;
use crate::model::real::greater;

/// The signals of one loss round: a packet-timed round trip that starts again with the first loss.
#[derive(Clone, Debug, Default)]
pub(super) struct CongestionSignals {
    /// Bits of payload per second.
    bw_latest: f64,
    /// Packets.
    inflight_latest: u64,
    loss_round_start: bool,
    loss_round_delivered: u64,
    is_loss_in_round: bool,
    /// Discontiguous ranges of packets lost in the round.
    lost_ranges: u32,
    /// Number of the packet lost last in the round.
    last_lost: Option<u64>,
}

impl CongestionSignals {
    /// Returns the largest delivery rate of the round, bits of payload per second.
    pub(super) fn bw_latest(&self) -> f64 {
        self.bw_latest
    }

    /// Returns the largest volume delivered of the round, packets.
    pub(super) fn inflight_latest(&self) -> f64 {
        self.inflight_latest as f64
    }

    /// Whether the last acknowledgement ended a loss round.
    pub(super) fn loss_round_start(&self) -> bool {
        self.loss_round_start
    }

    /// Whether a packet was declared lost or marked in the round.
    pub(super) fn is_loss_in_round(&self) -> bool {
        self.is_loss_in_round
    }

    /// Forgets that a packet was declared lost in the round.
    pub(super) fn clear_loss_in_round(&mut self) {
        self.is_loss_in_round = false;
    }

    /// Implements `UpdateLatestDeliverySignals`; the connection has delivered `delivered` packets.
    pub(super) fn update_latest_delivery_signals(&mut self, sample: &Sample, delivered: u64) {
        self.bw_latest = greater(self.bw_latest, sample.delivery_rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        self.loss_round_start =
            sample.prior_delivered.is_some_and(|prior| prior >= self.loss_round_delivered);
        if self.loss_round_start {
            self.loss_round_delivered = delivered;
        }
    }

    /// Implements `AdvanceLatestDeliverySignals`.
    pub(super) fn advance_latest_delivery_signals(&mut self, sample: &Sample) {
        if self.loss_round_start {
            self.bw_latest = sample.delivery_rate;
            self.inflight_latest = sample.delivered;
        }
    }

    /// Implements `ResetCongestionSignals`.
    pub(super) fn reset_congestion_signals(&mut self) {
        self.is_loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0;
    }

    /// Implements `NoteLoss` of `packet`; the connection has delivered `delivered` packets.
    pub(super) fn note_loss(&mut self, packet: &SentPacket, delivered: u64) {
        self.note_congestion(delivered);
        let contiguous = self.last_lost.is_some_and(|last| packet.segment == last + 1);
        self.lost_ranges += u32::from(!contiguous);
        self.last_lost = Some(packet.segment);
    }

    /// The round has a sign of congestion, a loss or a mark; the connection has delivered `delivered` packets.
    pub(super) fn note_congestion(&mut self, delivered: u64) {
        if !self.is_loss_in_round {
            self.loss_round_delivered = delivered;
        }
        self.is_loss_in_round = true;
    }

    /// Discontiguous ranges of packets lost in the round.
    pub(super) fn lost_ranges(&self) -> u32 {
        self.lost_ranges
    }

    /// Resets the count of ranges of lost packets.
    pub(super) fn reset_lost_ranges(&mut self) {
        self.lost_ranges = 0;
        self.last_lost = None;
    }
}
