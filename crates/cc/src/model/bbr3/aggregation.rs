//! How much more is acknowledged at once than the bandwidth explains (draft-ietf-ccwg-bbr-06 §5.5.9): added to the
//! window, so that the sender does not fall silent between bunches of acknowledgements.

use crate::measure::WindowedMax;
use narrows_units::Time;

/// The excess of recent rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Aggregation {
    since: Time,
    /// Packets acknowledged since.
    acked: u64,
    excess: WindowedMax,
}

impl Aggregation {
    /// `acked` packets were acknowledged in round `round` at a bandwidth of `packets_per_second`.
    pub(super) fn on_ack(
        &mut self,
        acked: u64,
        now: Time,
        packets_per_second: f64,
        cwnd: f64,
        round: u64,
        full_pipe: bool,
    ) {
        let mut expected = packets_per_second * now.since(self.since).as_secs_f64();
        if self.acked as f64 <= expected {
            self.restart(now);
            expected = 0.0;
        }
        self.acked += acked;
        let excess = (self.acked as f64 - expected).clamp(0.0, cwnd);
        let rounds = if full_pipe { FILTER_ROUNDS } else { 1 };
        self.excess.update(rounds, round, excess as u64);
    }

    /// The interval begins now.
    pub(super) fn restart(&mut self, now: Time) {
        self.since = now;
        self.acked = 0;
    }

    /// `extra_acked`, packets.
    pub(super) fn get(&self) -> f64 {
        self.excess.get() as f64
    }
}

/// `ExtraAckedFilterLen`.
const FILTER_ROUNDS: u64 = 10;
