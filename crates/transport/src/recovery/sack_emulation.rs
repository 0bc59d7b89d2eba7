// SPDX-License-Identifier: Apache-2.0
//! SACK emulation for receivers without selective acknowledgements.
//!
//! Each duplicate ACK shows that one segment above the hole has arrived. It is reported to the algorithm as delivered
//! at once, and not again when the cumulative acknowledgement advances past it (Linux's `tcp_add_reno_sack` and
//! `tcp_remove_reno_sacks`).

/// The segments that duplicate ACKs have revealed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SackEmulation {
    /// Linux's `sacked_out`: segments above the cumulative acknowledgement known to have arrived.
    sacked: u64,
}

impl SackEmulation {
    /// Whether nothing above the cumulative acknowledgement is known to have arrived.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.sacked == 0
    }

    /// A duplicate ACK arrived while `outstanding` segments were outstanding. Returns the number of segments newly
    /// delivered, 0 or 1.
    pub(super) fn on_duplicate_ack(&mut self, outstanding: u64) -> u64 {
        // The hole itself has not arrived.
        let new = u64::from(self.sacked + 1 < outstanding);
        self.sacked += new;
        new
    }

    /// The cumulative acknowledgement advanced by `advanced` > 0 segments. Returns how many of these are newly
    /// delivered, at least 1: the hole itself.
    pub(super) fn on_cumulative_ack(&mut self, advanced: u64) -> u64 {
        let known = self.sacked.min(advanced - 1);
        self.sacked -= known;
        advanced - known
    }

    /// The retransmission timer expired: discards the revealed losses, since everything is retransmitted.
    pub(super) fn reset(&mut self) {
        self.sacked = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::SackEmulation;

    #[test]
    fn each_segment_of_a_window_with_one_hole_is_delivered_once() {
        let mut emulation = SackEmulation::default();
        let revealed: u64 = (0..9).map(|_| emulation.on_duplicate_ack(10)).sum();
        assert_eq!(revealed, 9);
        assert_eq!(emulation.on_duplicate_ack(10), 0);
        assert_eq!(emulation.on_cumulative_ack(10), 1);
        assert_eq!(emulation.on_cumulative_ack(3), 3);
    }
}
