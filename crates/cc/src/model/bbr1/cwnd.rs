// SPDX-License-Identifier: Apache-2.0
//! The congestion window, in whole packets: it grows by the acknowledged packets up to a target, and losses reduce it
//! for a round (`bbr_set_cwnd`, `bbr_set_cwnd_to_recover_or_restore`).
//!
//! In the first round of a recovery as many packets leave as are acknowledged; then the window grows again, by one for
//! each packet acknowledged. After recovery, and after ProbeRTT, the window before it is restored.

use crate::model::state_machine::{StateMachine, States};

/// The window of one flow and the state of its loss recovery.
#[derive(Clone, Debug)]
pub(super) struct CongestionWindow {
    /// Packets.
    cwnd: u64,
    /// The last window not reduced by loss recovery or ProbeRTT, packets.
    prior_cwnd: u64,
    /// Whether packet conservation holds: as many packets leave as are acknowledged.
    packet_conservation: bool,
    ca_state: StateMachine<CaState>,
    /// `ca_state` at the last acknowledgement.
    prev_ca_state: CaState,
}

/// `tcp_ca_state`, as far as BBR uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaState {
    /// `TCP_CA_Open`: nothing is being recovered.
    Open,
    /// `TCP_CA_Recovery`: fast recovery.
    Recovery,
    /// `TCP_CA_Loss`: recovery after a timeout.
    Loss,
}

impl States for CaState {
    fn predecessors(self) -> &'static [Self] {
        match self {
            // A loss episode that started with a mark has no recovery here, but an end.
            Self::Open | Self::Loss => &[Self::Open, Self::Recovery, Self::Loss],
            Self::Recovery => &[Self::Open],
        }
    }
}

/// An acknowledgement, as far as the window is concerned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acked {
    /// Packets acknowledged.
    pub(super) packets: u64,
    /// Packets declared lost by it.
    pub(super) losses: u64,
    /// Packets in flight after it.
    pub(super) in_flight: u64,
    /// Window to grow to, packets.
    pub(super) target_cwnd: u64,
    /// The pipe has been full: a window above the target falls to it.
    pub(super) full_bw_reached: bool,
    /// Fewer packets than an initial window have been delivered in all: the window grows beyond the target.
    pub(super) few_delivered: bool,
}

impl CongestionWindow {
    /// Creates a window of `cwnd` packets, at least one.
    pub(super) fn new(cwnd: u64) -> Self {
        Self {
            cwnd: cwnd.max(1),
            prior_cwnd: 0,
            packet_conservation: false,
            ca_state: StateMachine::new(CaState::Open),
            prev_ca_state: CaState::Open,
        }
    }

    /// Returns the packets.
    pub(super) fn cwnd(&self) -> u64 {
        self.cwnd
    }

    /// Implements `bbr_set_cwnd` without ProbeRTT's bound. Returns whether the first round of a fast recovery starts.
    pub(super) fn set_cwnd(&mut self, acked: Acked) -> bool {
        let recovery_starts = self.set_cwnd_to_recover_or_restore(acked);
        self.cwnd = if self.packet_conservation {
            self.cwnd.max(acked.in_flight + acked.packets)
        } else if acked.full_bw_reached {
            (self.cwnd + acked.packets).min(acked.target_cwnd).max(CWND_MIN_TARGET)
        } else if self.cwnd < acked.target_cwnd || acked.few_delivered {
            (self.cwnd + acked.packets).max(CWND_MIN_TARGET)
        } else {
            self.cwnd.max(CWND_MIN_TARGET)
        };
        recovery_starts
    }

    /// `bbr_set_cwnd_to_recover_or_restore`.
    fn set_cwnd_to_recover_or_restore(&mut self, acked: Acked) -> bool {
        let (prev_state, state) = (self.prev_ca_state, self.ca_state.get());
        self.prev_ca_state = state;
        if acked.losses > 0 {
            self.cwnd = self.cwnd.saturating_sub(acked.losses).max(1);
        }
        if state == prev_state {
            return false;
        }
        let recovery_starts = state == CaState::Recovery && prev_state != CaState::Recovery;
        if recovery_starts {
            self.packet_conservation = true;
            self.cwnd = acked.in_flight + acked.packets;
        } else if state == CaState::Open && prev_state != CaState::Open {
            self.packet_conservation = false;
            self.restore_cwnd();
        }
        recovery_starts
    }

    /// A round has started.
    pub(super) fn on_round_start(&mut self) {
        self.packet_conservation = false;
    }

    /// Acknowledgements have shown packets to be lost.
    pub(super) fn on_loss(&mut self, in_probe_rtt: bool) {
        if self.ca_state.is(CaState::Open) {
            self.save_cwnd(in_probe_rtt);
            self.ca_state.transition_to(CaState::Recovery);
        }
    }

    /// The retransmission timer expired with `in_flight` packets left in flight (`bbr_set_state`).
    pub(super) fn on_timeout(&mut self, new_episode: bool, in_flight: u64, in_probe_rtt: bool) {
        if new_episode {
            self.save_cwnd(in_probe_rtt);
        }
        self.ca_state.transition_to(CaState::Loss);
        self.prev_ca_state = CaState::Loss;
        self.cwnd = in_flight + 1;
    }

    /// Loss recovery is over.
    pub(super) fn on_recovered(&mut self) {
        self.ca_state.transition_to(CaState::Open);
    }

    /// Implements `bbr_save_cwnd`.
    pub(super) fn save_cwnd(&mut self, in_probe_rtt: bool) {
        let reduced = self.prev_ca_state != CaState::Open || in_probe_rtt;
        self.prior_cwnd = if reduced { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    /// Raises the window to at least the one saved.
    pub(super) fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    /// Bounds the window in ProbeRTT.
    pub(super) fn bound_for_probe_rtt(&mut self) {
        self.cwnd = self.cwnd.min(CWND_MIN_TARGET);
    }
}

/// `bbr_cwnd_min_target`, packets.
pub(super) const CWND_MIN_TARGET: u64 = 4;

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::CaState;
    use crate::model::state_machine::tests::assert_legal;

    #[test]
    fn a_timeout_may_interrupt_fast_recovery_and_not_the_reverse() {
        use CaState::{Loss, Open, Recovery};
        let legal: [(_, &[_]); 3] =
            [(Open, &[Open, Recovery, Loss]), (Recovery, &[Open, Loss]), (Loss, &[Open, Loss])];
        assert_legal(&[Open, Recovery, Loss], &legal);
    }
}
