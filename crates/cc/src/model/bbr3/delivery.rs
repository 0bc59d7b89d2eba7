// SPDX-License-Identifier: Apache-2.0
//! Delivery of packets: packet-timed round trips and the bandwidth of the last two ProbeBW cycles
//! (draft-ietf-ccwg-bbr-06 §4.1, §5.5.1 to §5.5.6).

use crate::model::app_limited::AppLimited;
use crate::model::real::greater;
use crate::{Ack, Path, SentPacket};
use narrows_units::Span;

/// The sample that one acknowledgement or one lost packet gives (`RS`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Bits of payload per second; 0 if the acknowledgement has no rate sample.
    pub(super) delivery_rate: f64,
    /// Packets delivered since the sampled packet left.
    pub(super) delivered: u64,
    /// Packets that had been delivered when the sampled packet left; `None` without a rate sample.
    pub(super) prior_delivered: Option<u64>,
    /// Packets acknowledged for the first time.
    pub(super) newly_acked: f64,
    pub(super) rtt: Option<Span>,
    /// The rate is limited by the application, or by the algorithm in ProbeRTT.
    pub(super) is_app_limited: bool,
    /// Packets in flight when the newest packet acknowledged, or the lost one, left.
    pub(super) tx_in_flight: u64,
    /// Packets declared lost since that packet left.
    pub(super) lost: u64,
}

/// Rounds, counts and rates of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    /// `C.delivered`, packets.
    delivered: u64,
    /// `C.lost`, packets.
    lost: u64,
    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    /// Largest rate of the previous and of the current ProbeBW cycle.
    max_bw_filter: [f64; 2],
    max_bw: f64,
    app_limited: AppLimited,
}

impl Delivery {
    /// Returns `C.delivered`, packets.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Returns the packet-timed round trips so far.
    pub(super) fn round_count(&self) -> u64 {
        self.round_count
    }

    /// Whether the last acknowledgement ended a round.
    pub(super) fn round_start(&self) -> bool {
        self.round_start
    }

    /// Returns `BBR.max_bw`, bits of payload per second.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw
    }

    /// Counts the packets acknowledged and computes the sample (`GenerateRateSample`).
    #[inline]
    pub(super) fn generate_rate_sample(&mut self, ack: &Ack<'_>, path: &Path) -> Sample {
        self.delivered += ack.newly_acked;
        let newest = ack.packets.iter().max_by_key(|packet| (packet.sent_at, packet.number));
        let (tx_in_flight, lost) = match newest {
            Some(packet) => (packet.in_flight, self.lost - packet.lost_before),
            None => (path.in_flight + ack.newly_acked, 0),
        };
        let counted = Sample {
            // An acknowledgement is of fewer than 2³² packets.
            newly_acked: f64::from(ack.newly_acked as u32),
            rtt: ack.rtt,
            tx_in_flight,
            lost,
            ..Sample::default()
        };
        match &ack.rate {
            Some(rate) => Sample {
                delivery_rate: rate.rate.as_bps() as f64,
                delivered: rate.delivered,
                prior_delivered: Some(rate.prior_delivered),
                is_app_limited: rate.app_limited || self.app_limited.covers(rate.prior_delivered),
                ..counted
            },
            None => counted,
        }
    }

    /// Counts a packet declared lost and computes its sample (`HandleLostPacket`).
    pub(super) fn sample_of_lost_packet(&mut self, packet: &SentPacket) -> Sample {
        self.lost += 1;
        Sample {
            tx_in_flight: packet.in_flight,
            lost: self.lost - packet.lost_before,
            is_app_limited: packet.app_limited,
            ..Sample::default()
        }
    }

    /// Implements `UpdateRound`.
    pub(super) fn update_round(&mut self, sample: &Sample) {
        self.round_start = sample.prior_delivered.is_some_and(|prior| prior >= self.next_round_delivered);
        if self.round_start {
            self.start_round();
            self.round_count += 1;
        }
    }

    /// Implements `StartRound`: a round starts now, wherever the last one is.
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Implements `UpdateMaxBw`, after `UpdateRound`.
    pub(super) fn update_max_bw(&mut self, sample: &Sample) {
        if sample.delivery_rate > 0.0 && (sample.delivery_rate >= self.max_bw || !sample.is_app_limited) {
            self.max_bw_filter[1] = greater(self.max_bw_filter[1], sample.delivery_rate);
            self.max_bw = greater(self.max_bw_filter[0], self.max_bw_filter[1]);
        }
    }

    /// Implements `AdvanceMaxBwFilter`; a cycle without a sample does not count.
    pub(super) fn advance_max_bw_filter(&mut self) {
        if self.max_bw_filter[1] > 0.0 {
            self.max_bw = self.max_bw_filter[1];
            self.max_bw_filter = [self.max_bw, 0.0];
        }
    }

    /// Implements `MarkConnectionAppLimited`, with `in_flight` packets in flight.
    pub(super) fn mark_connection_app_limited(&mut self, in_flight: u64) {
        self.app_limited.mark(self.delivered, in_flight);
    }

    /// Whether packets that leave now are marked as application-limited.
    pub(super) fn is_marked_app_limited(&self) -> bool {
        self.app_limited.covers(self.delivered)
    }
}
