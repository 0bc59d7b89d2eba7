//! Deliveries that a receiver without selective acknowledgements does not name.
//!
//! Each duplicate ACK tells that one segment above the hole has arrived. Algorithms are told so at once, and when the
//! cumulative point then jumps over those segments they are not counted again (as Linux's `tcp_add_reno_sack` and
//! `tcp_remove_reno_sacks`).

/// Segments above the cumulative point that duplicate ACKs told of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SilentDeliveries {
    arrived: u64,
}

impl SilentDeliveries {
    /// A duplicate ACK came while `outstanding` segments were out: how many arrived newly.
    pub(crate) fn on_duplicate(&mut self, outstanding: u64) -> u64 {
        // The hole itself has not arrived.
        let new = u64::from(self.arrived + 1 < outstanding);
        self.arrived += new;
        new
    }

    /// The cumulative point moved by `advanced` > 0: how many of these arrived newly, at least the hole itself.
    pub(crate) fn on_advance(&mut self, advanced: u64) -> u64 {
        let known = self.arrived.min(advanced - 1);
        self.arrived -= known;
        advanced - known
    }

    /// What arrived above is unknown from now on: a timeout sends everything again.
    pub(crate) fn forget(&mut self) {
        self.arrived = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::SilentDeliveries;

    #[test]
    fn a_window_with_one_hole_is_counted_once() {
        let mut silent = SilentDeliveries::default();
        let named: u64 = (0..9).map(|_| silent.on_duplicate(10)).sum();
        assert_eq!(named, 9);
        assert_eq!(silent.on_duplicate(10), 0);
        assert_eq!(silent.on_advance(10), 1);
        assert_eq!(silent.on_advance(3), 3);
    }
}
