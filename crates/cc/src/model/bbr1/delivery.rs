//! What the network delivers: round trips counted in packets, and the largest delivery rate of the last ten of them.
//!
//! A round ends with the first sample of a packet that left when all of the last round had been delivered. Samples that
//! the application limited count only where they are no smaller than the estimate.

use super::bandwidth::Bandwidth;
use crate::RateSample;
use crate::measure::WindowedMax;
use narrows_units::Time;

/// Rounds and rates of one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    /// Packets delivered on the connection.
    pub(super) delivered: u64,
    /// When the newest of them was reported.
    pub(super) delivered_at: Time,
    /// Packets declared lost on the connection.
    pub(super) lost: u64,
    /// A round ended with this acknowledgement.
    pub(super) round_started: bool,
    /// This acknowledgement's sample says what the application sent, not what the path can carry.
    pub(super) app_limited: bool,
    rounds: u64,
    /// The round ends with the sample of a packet that left when this many had been delivered.
    round_end: u64,
    rates: WindowedMax,
    /// Samples of packets that left when this many to this many had been delivered are as good as app-limited.
    quiet: Option<(u64, u64)>,
}

impl Delivery {
    /// The bandwidth of the bottleneck as far as known.
    pub(super) fn bandwidth(&self) -> Bandwidth {
        Bandwidth(self.rates.get())
    }

    /// `packets` were delivered.
    pub(super) fn on_delivered(&mut self, packets: u64, now: Time) {
        self.delivered += packets;
        self.delivered_at = now;
        self.round_started = false;
        self.app_limited = false;
    }

    /// Follows the rounds; true if `sample` ends one.
    pub(super) fn follow_rounds(&mut self, sample: &RateSample) -> bool {
        self.app_limited = sample.app_limited || self.was_quiet(sample.prior_delivered);
        if sample.prior_delivered >= self.round_end {
            self.begin_round();
            self.rounds += 1;
            self.round_started = true;
        }
        self.round_started
    }

    /// Takes in the rate of `sample`.
    pub(super) fn take(&mut self, sample: &RateSample) {
        let Some(rate) = Bandwidth::over(sample.delivered, sample.interval) else { return };
        if !self.app_limited || rate >= self.bandwidth() {
            self.rates.update(BANDWIDTH_ROUNDS, self.rounds, rate.0);
        }
    }

    /// `lost` packets were declared lost at once: the round is over, and the application was not the limit.
    pub(super) fn on_timeout(&mut self, lost: u64) {
        self.lost += lost;
        self.round_started = true;
        self.app_limited = false;
    }

    /// A round begins now, whatever the last one.
    pub(super) fn begin_round(&mut self) {
        self.round_end = self.delivered;
    }

    /// Few packets are sent on purpose; `in_flight` are on their way.
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

/// `bbr_bw_rtts`: a whole gain cycle and two more.
const BANDWIDTH_ROUNDS: u64 = 10;
