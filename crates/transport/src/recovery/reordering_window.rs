// SPDX-License-Identifier: Apache-2.0
//! RACK's reordering window: how late a reordered segment may be before it is declared lost (RFC 8985 §6.2, step 4).

use super::scoreboard::Scoreboard;

/// The adaptive part of the reordering window, as `RACK_update_reo_wnd` computes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReorderingWindow {
    /// `RACK.reo_wnd_mult`: the window in quarters of the minimum round-trip time.
    pub(super) quarters: u64,
    /// `RACK.reo_wnd_persist`: recoveries without a D-SACK until the window is reset.
    persist: u32,
    /// `RACK.dsack_round`: no D-SACK widens the window again until all below this segment is acknowledged.
    round: Option<u64>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { quarters: 1, persist: PERSIST, round: None }
    }
}

impl ReorderingWindow {
    /// An acknowledgement arrived; `dsack` if it reports a spurious retransmission, which widens the window by a
    /// quarter of the minimum round-trip time, at most once per round trip.
    pub(super) fn on_ack(&mut self, dsack: bool, board: &Scoreboard) {
        if self.round.is_some_and(|round| board.una() >= round) {
            self.round = None;
        }
        if dsack && self.round.is_none() {
            self.round = Some(board.next());
            self.quarters += 1;
            self.persist = PERSIST;
        }
    }

    /// An episode ended without a D-SACK.
    pub(super) fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.quarters = 1;
        }
    }
}

/// RFC 8985 §6.2, step 4.
const PERSIST: u32 = 16;

#[cfg(test)]
mod tests {
    use super::ReorderingWindow;
    use crate::recovery::scoreboard::{Delivery, Scoreboard};
    use crate::transfer::Transfer;
    use narrows_units::{Bytes, Time};

    #[test]
    fn the_window_widens_once_per_round_trip_and_resets_after_sixteen_recoveries_without_dsack() {
        let mut board = Scoreboard::new(Transfer::new(None, Bytes::new(1_000)), false, false);
        (0..10).for_each(|_| {
            board.on_sent(0, Time::ZERO);
        });
        let mut window = ReorderingWindow::default();
        (0..3).for_each(|_| window.on_ack(true, &board));
        assert_eq!(window.quarters, 2);
        board.acknowledge(10, &mut Delivery::default());
        window.on_ack(true, &board);
        assert_eq!(window.quarters, 3);
        (0..15).for_each(|_| window.on_recovered());
        assert_eq!(window.quarters, 3);
        window.on_recovered();
        assert_eq!(window.quarters, 1);
    }
}
