//! How long recovery by time waits for what may only be late (RFC 8985 §6.2 step 4, `RACK_update_reo_wnd`).

use crate::scoreboard::Scoreboard;

/// The reordering window in quarters of the smallest round-trip time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// `RACK.reo_wnd_mult`.
    pub(super) quarters: u64,
    /// `RACK.reo_wnd_persist`: recoveries without a needless retransmission until the window falls back.
    persist: u32,
    /// `RACK.dsack_round`: once all below is acknowledged a report counts again.
    round: Option<u64>,
}

impl Default for Patience {
    fn default() -> Self {
        Self { quarters: 1, persist: PERSIST, round: None }
    }
}

impl Patience {
    /// An acknowledgement came; `needless` if it reports that a retransmission was. One more quarter, once a round trip.
    pub(super) fn on_ack(&mut self, needless: bool, board: &Scoreboard) {
        if self.round.is_some_and(|round| board.una() >= round) {
            self.round = None;
        }
        if needless && self.round.is_none() {
            self.round = Some(board.next());
            self.quarters += 1;
            self.persist = PERSIST;
        }
    }

    /// An episode ended and nothing was reported.
    pub(super) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }
}

/// RFC 8985 §6.2 step 4.
const PERSIST: u32 = 16;

#[cfg(test)]
mod tests {
    use super::Patience;
    use crate::scoreboard::{Delivery, Scoreboard};
    use crate::transfer::Transfer;
    use narrows_units::{Bytes, Time};

    #[test]
    fn the_window_grows_once_a_round_trip_and_falls_back_after_sixteen_quiet_recoveries() {
        let mut board = Scoreboard::new(Transfer::new(None, Bytes::new(1_000)), false, false);
        (0..10).for_each(|_| {
            board.on_sent(Time::ZERO);
        });
        let mut patience = Patience::default();
        (0..3).for_each(|_| patience.on_ack(true, &board));
        assert_eq!(patience.quarters, 2);
        board.acknowledge(10, &mut Delivery::default());
        patience.on_ack(true, &board);
        assert_eq!(patience.quarters, 3);
        (0..15).for_each(|_| patience.on_recovered());
        assert_eq!(patience.quarters, 3);
        patience.on_recovered();
        assert_eq!(patience.quarters, 1);
    }
}
