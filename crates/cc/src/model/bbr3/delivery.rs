//! What the network delivers: round trips counted in packets, the bandwidth of the last two probing cycles, and what
//! the current round has delivered (draft-ietf-ccwg-bbr-06 §5.5.1 to §5.5.6, §5.5.10.3).

use crate::{Ack, Path, SentPacket};
use narrows_units::Span;

/// A sample: what one acknowledgement tells (`RS`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Bits of payload per second; 0 where the acknowledgement gives no rate.
    pub(super) rate: f64,
    /// Packets delivered since the sampled packet left.
    pub(super) delivered: u64,
    /// Packets that had been delivered when it left; `None` without a rate.
    pub(super) prior_delivered: Option<u64>,
    pub(super) newly_acked: u64,
    pub(super) rtt: Option<Span>,
    /// The rate is what the application sent.
    pub(super) app_limited: bool,
    /// Packets in flight when the newest packet acknowledged left.
    pub(super) tx_in_flight: u64,
    /// Packets declared lost since then.
    pub(super) lost: u64,
}

/// Rounds and rates of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    /// Packets delivered.
    pub(super) delivered: u64,
    /// Packets declared lost.
    pub(super) lost: u64,
    pub(super) rounds: u64,
    /// A round ended with this acknowledgement.
    pub(super) round_start: bool,
    /// The round ends with the sample of a packet that left when this many had been delivered.
    round_end: u64,
    /// A round in which losses are counted ended with this acknowledgement.
    pub(super) loss_round_start: bool,
    loss_round_end: u64,
    pub(super) loss_in_round: bool,
    /// The largest rate of the previous and of this probing cycle.
    cycles: [f64; 2],
    /// Of this loss round: the largest rate and volume delivered (`bw_latest`, `inflight_latest`).
    pub(super) latest_rate: f64,
    pub(super) latest_volume: f64,
    /// Samples of packets that left when this many to this many had been delivered are as good as app-limited.
    quiet: Option<(u64, u64)>,
}

impl Delivery {
    /// The bandwidth that the path has shown (`max_bw`), bits of payload per second.
    pub(super) fn max_bandwidth(&self) -> f64 {
        self.cycles[0].max(self.cycles[1])
    }

    /// Counts what was acknowledged and makes the sample.
    pub(super) fn sample(&mut self, ack: &Ack<'_>, path: &Path) -> Sample {
        self.delivered += ack.newly_acked;
        let newest = ack.packets.iter().max_by_key(|packet| (packet.sent_at, packet.number));
        let rate = ack.rate.as_ref();
        Sample {
            rate: rate.map_or(0.0, |rate| rate.rate.as_bps() as f64),
            delivered: rate.map_or(0, |rate| rate.delivered),
            prior_delivered: rate.map(|rate| rate.prior_delivered),
            newly_acked: ack.newly_acked,
            rtt: ack.rtt,
            app_limited: rate.is_some_and(|rate| rate.app_limited || self.was_quiet(rate.prior_delivered)),
            tx_in_flight: newest.map_or(path.in_flight + ack.newly_acked, |packet| packet.in_flight),
            lost: newest.map_or(0, |packet| self.lost - packet.lost_before),
        }
    }

    /// A packet was declared lost; the sample that its loss makes.
    pub(super) fn sample_of_loss(&mut self, packet: &SentPacket) -> Sample {
        self.lost += 1;
        Sample {
            tx_in_flight: packet.in_flight,
            lost: self.lost - packet.lost_before,
            app_limited: packet.app_limited,
            ..Sample::default()
        }
    }

    /// `UpdateLatestDeliverySignals`.
    pub(super) fn follow_loss_round(&mut self, sample: &Sample) {
        self.latest_rate = self.latest_rate.max(sample.rate);
        self.latest_volume = self.latest_volume.max(sample.delivered as f64);
        self.loss_round_start = sample.prior_delivered.is_some_and(|prior| prior >= self.loss_round_end);
        if self.loss_round_start {
            self.loss_round_end = self.delivered;
        }
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn advance_loss_round(&mut self, sample: &Sample) {
        if self.loss_round_start {
            self.latest_rate = sample.rate;
            self.latest_volume = sample.delivered as f64;
        }
    }

    /// `ResetCongestionSignals`.
    pub(super) fn forget_congestion(&mut self) {
        self.loss_in_round = false;
        self.latest_rate = 0.0;
        self.latest_volume = 0.0;
    }

    /// `NoteLoss`.
    pub(super) fn note_loss(&mut self) {
        if !self.loss_in_round {
            self.loss_round_end = self.delivered;
        }
        self.loss_in_round = true;
    }

    /// `UpdateRound`.
    pub(super) fn follow_round(&mut self, sample: &Sample) {
        self.round_start = sample.prior_delivered.is_some_and(|prior| prior >= self.round_end);
        if self.round_start {
            self.begin_round();
            self.rounds += 1;
        }
    }

    /// A round begins now, whatever the last one (`StartRound`).
    pub(super) fn begin_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// `UpdateMaxBw`.
    pub(super) fn take_rate(&mut self, sample: &Sample) {
        if sample.rate > 0.0 && (sample.rate >= self.max_bandwidth() || !sample.app_limited) {
            self.cycles[1] = self.cycles[1].max(sample.rate);
        }
    }

    /// A probing cycle is over; one without a sample does not count (`AdvanceMaxBwFilter`).
    pub(super) fn advance_cycle(&mut self) {
        if self.cycles[1] > 0.0 {
            self.cycles = [self.cycles[1], 0.0];
        }
    }

    /// Few packets are sent on purpose; `in_flight` are on their way (`MarkConnectionAppLimited`).
    pub(super) fn keep_quiet(&mut self, in_flight: u64) {
        let from = match self.quiet {
            Some((from, until)) if self.delivered <= until => from,
            _ => self.delivered,
        };
        self.quiet = Some((from, self.delivered + in_flight));
    }

    /// A packet that leaves now is as good as app-limited.
    pub(super) fn is_quiet(&self) -> bool {
        self.was_quiet(self.delivered)
    }

    fn was_quiet(&self, delivered: u64) -> bool {
        self.quiet.is_some_and(|(from, until)| (from..=until).contains(&delivered))
    }
}
