// SPDX-License-Identifier: Apache-2.0
//! The pacing rate and what follows from it (draft-ietf-ccwg-bbr-06 §5.6.2, §5.6.3). Most acknowledgements change neither.

use crate::model::real::{greater, lesser};
use narrows_units::{Bytes, Rate, Span};

/// The pacing of one flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacing {
    /// The rate before it is rounded, bits of payload per second.
    bps: f64,
    /// `C.pacing_rate`.
    rate: Rate,
    /// `C.SMSS`, bytes.
    mss: f64,
    send_quantum: Bytes,
    /// Packets.
    offload_budget: f64,
}

impl Pacing {
    /// Creates the pacing at `bps` bits of payload per second, in packets of `mss`.
    pub(super) fn new(bps: f64, mss: Bytes) -> Self {
        let mut pacing = Self {
            bps,
            rate: Rate::ZERO,
            mss: mss.count() as f64,
            send_quantum: Bytes::ZERO,
            offload_budget: 0.0,
        };
        pacing.change(bps, Rate::from_bps_f64(bps));
        pacing
    }

    /// Returns `C.pacing_rate`.
    pub(super) fn pacing_rate(&self) -> Rate {
        self.rate
    }

    /// Returns `C.send_quantum`.
    pub(super) fn send_quantum(&self) -> Bytes {
        self.send_quantum
    }

    /// Returns the packets that the host may hold back, so that they leave together (`UpdateOffloadBudget` as for TCP).
    pub(super) fn offload_budget(&self) -> f64 {
        self.offload_budget
    }

    /// Sets the rate to `bps` bits of payload per second, to a lower one only if `may_fall`.
    pub(super) fn set(&mut self, bps: f64, may_fall: bool) {
        let bps = greater(bps, 1.0);
        if bps > self.bps || may_fall && bps < self.bps {
            let rate = Rate::from_bps_f64(bps);
            if may_fall || rate > self.rate {
                self.change(bps, rate);
            }
        }
    }

    /// Packets have a payload of `mss` from now on.
    pub(super) fn set_mss(&mut self, mss: Bytes) {
        self.mss = mss.count() as f64;
        self.change(self.bps, self.rate);
    }

    /// `SetSendQuantum` and `UpdateOffloadBudget` for `rate`, which is `bps` rounded.
    fn change(&mut self, bps: f64, rate: Rate) {
        (self.bps, self.rate) = (bps, rate);
        let send_quantum = rate.as_bytes_per_sec() * SEND_QUANTUM_SPAN.as_secs_f64();
        let send_quantum = greater(lesser(send_quantum, SEND_QUANTUM_MAX), 2.0 * self.mss);
        self.send_quantum = Bytes::new(send_quantum as u64);
        self.offload_budget = 3.0 * send_quantum / self.mss;
    }
}

/// Time whose packets may leave together (`SetSendQuantum`).
const SEND_QUANTUM_SPAN: Span = Span::from_ms(1);
/// Bytes (`SetSendQuantum`).
const SEND_QUANTUM_MAX: f64 = 65_536.0;

#[cfg(test)]
mod tests {
    use super::Pacing;
    use narrows_units::Bytes;

    /// Rate in bits per second, send quantum in bytes.
    fn of(pacing: &Pacing) -> (u64, u64) {
        (pacing.pacing_rate().as_bps(), pacing.send_quantum().count())
    }

    #[test]
    fn a_lower_rate_is_used_only_if_it_may_fall_and_what_follows_changes_with_it() {
        let mut pacing = Pacing::new(80e6, Bytes::new(1000));
        assert_eq!(of(&pacing), (80_000_000, 10_000));
        pacing.set(40e6, false);
        assert_eq!(of(&pacing), (80_000_000, 10_000));
        pacing.set(160e6, false);
        assert_eq!(of(&pacing), (160_000_000, 20_000));
        pacing.set(40e6, true);
        assert_eq!(of(&pacing), (40_000_000, 5_000));
        pacing.set(0.0, true);
        assert_eq!(of(&pacing), (1, 2_000));
        pacing.set_mss(Bytes::new(500));
        assert_eq!(of(&pacing), (1, 1_000));
        assert!((pacing.offload_budget() - 6.0).abs() < 1e-12);
    }
}
