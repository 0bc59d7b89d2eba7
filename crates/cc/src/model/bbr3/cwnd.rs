// SPDX-License-Identifier: Apache-2.0
//! The congestion window (draft-ietf-ccwg-bbr-06 §5.6.4): it grows by the acknowledged packets up to `max_inflight`,
//! and is restored after loss recovery and after ProbeRTT.

use super::MIN_PIPE_CWND;
use crate::model::real::{greater, lesser};
use crate::model::state_machine::{StateMachine, States};

/// The window of one flow, and the kind of loss recovery.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    /// `C.cwnd`, packets.
    cwnd: f64,
    /// The last window not reduced by loss recovery or ProbeRTT, packets.
    prior_cwnd: f64,
    recovery: StateMachine<Recovery>,
}

/// The kind of loss recovery in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recovery {
    None,
    /// Fast recovery: losses were detected by acknowledgements.
    Fast,
    /// The retransmission timer expired.
    Rto,
}

impl States for Recovery {
    fn predecessors(self) -> &'static [Self] {
        match self {
            // A loss episode that started with a mark has no recovery here, but an end.
            Self::None | Self::Rto => &[Self::None, Self::Fast, Self::Rto],
            Self::Fast => &[Self::None],
        }
    }
}

impl CongestionWindow {
    /// Creates a window of `cwnd` packets, at least one.
    pub(super) fn new(cwnd: f64) -> Self {
        Self { cwnd: cwnd.max(1.0), prior_cwnd: 0.0, recovery: StateMachine::new(Recovery::None) }
    }

    /// Returns `C.cwnd`, packets.
    pub(super) fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Returns `InLossRecovery`.
    pub(super) fn in_loss_recovery(&self) -> bool {
        !self.recovery.is(Recovery::None)
    }

    /// Whether the recovery is a fast recovery.
    pub(super) fn in_fast_recovery(&self) -> bool {
        self.recovery.is(Recovery::Fast)
    }

    /// Loss recovery starts, or a timeout interrupts it.
    pub(super) fn enter_recovery(&mut self, recovery: Recovery) {
        self.recovery.transition_to(recovery);
    }

    /// Loss recovery is over, and the window is restored.
    pub(super) fn exit_recovery(&mut self) {
        self.recovery.transition_to(Recovery::None);
        self.restore_cwnd();
    }

    /// Implements `SaveCwnd`.
    pub(super) fn save_cwnd(&mut self, in_probe_rtt: bool) {
        let reduced = self.in_loss_recovery() || in_probe_rtt;
        self.prior_cwnd = if reduced { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// Implements `RestoreCwnd`.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// The window after a retransmission timeout with `in_flight` packets left in flight (`OnEnterRTO`).
    pub(super) fn cut_on_rto(&mut self, in_flight: u64) {
        self.cwnd = in_flight as f64 + 1.0;
    }

    /// Implements `SetCwnd` before its bounds: `newly_acked` packets were acknowledged. While `few_delivered`, less
    /// than the initial window in all, the window grows beyond `max_inflight`.
    pub(super) fn set_cwnd(
        &mut self,
        newly_acked: f64,
        max_inflight: f64,
        full_bw_reached: bool,
        few_delivered: bool,
    ) {
        let grown = self.cwnd + newly_acked;
        if full_bw_reached {
            self.cwnd = lesser(grown, max_inflight);
        } else if self.cwnd < max_inflight || few_delivered {
            self.cwnd = grown;
        }
        self.cwnd = greater(self.cwnd, MIN_PIPE_CWND);
    }

    /// Bounds the window by `cap`, or by `MinPipeCwnd` if that is more.
    pub(super) fn bound_cwnd(&mut self, cap: f64) {
        self.cwnd = lesser(self.cwnd, greater(cap, MIN_PIPE_CWND));
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Recovery;
    use crate::model::state_machine::tests::assert_legal;

    #[test]
    fn a_timeout_may_interrupt_fast_recovery_and_not_the_reverse() {
        use Recovery::{Fast, None, Rto};
        let legal: [(_, &[_]); 3] = [(None, &[None, Fast, Rto]), (Fast, &[None, Rto]), (Rto, &[None, Rto])];
        assert_legal(&[None, Fast, Rto], &legal);
    }
}
