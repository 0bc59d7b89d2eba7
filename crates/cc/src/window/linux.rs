// SPDX-License-Identifier: Apache-2.0
//! What Linux's window algorithms share: jiffies, whole packets, and the state of the sender (Linux 6.12,
//! `net/ipv4/tcp_cong.c`, `tcp_input.c`).

use crate::{Ack, Cause};
use narrows_units::{Span, Time};

/// `CONFIG_HZ`: jiffies per second.
pub(super) const HZ: u64 = 250;
/// `1 / HZ`.
const JIFFY: Span = Span::from_ms(4);

/// Jiffies from the start of the run to `time`.
pub(super) fn jiffies(time: Time) -> u64 {
    time.as_ps() / JIFFY.as_ps()
}

/// Returns `span` in jiffies, rounded up (`usecs_to_jiffies`).
pub(super) fn jiffies_in(span: Span) -> u64 {
    span.as_ps().div_ceil(JIFFY.as_ps())
}

/// Packets acknowledged and not yet used for an increase (`snd_cwnd_cnt`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Credit(pub(super) u64);

impl Credit {
    /// Adds `acked` packets and returns the increase, one packet for each `per` (`tcp_cong_avoid_ai`). Credit from a time
    /// with a larger `per` gives one packet at most.
    pub(super) fn spend(&mut self, acked: u64, per: u64) -> f64 {
        let mut added = 0;
        if self.0 >= per {
            self.0 = 0;
            added = 1;
        }
        self.0 += acked;
        added += self.0 / per;
        self.0 %= per;
        added as f64
    }
}

/// The state of loss recovery of a sender (`enum tcp_ca_state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// In order.
    #[default]
    Open,
    /// Packets have been acknowledged out of order.
    Disorder,
    /// The window falls, after a loss (`Recovery`) or a mark (`CWR`).
    Reduction,
    /// After a timeout.
    Loss,
}

/// The state of a sender, from the events of its rule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct States {
    state: State,
    /// The loss is repaired, and the acknowledgement that repaired it is not counted yet.
    repaired: bool,
}

impl States {
    /// Returns the state in which Linux counts `ack`: that before it.
    pub(super) fn on_ack(&mut self, ack: &Ack<'_>) -> State {
        let before = self.state;
        self.state = match before {
            _ if self.repaired => State::Open,
            State::Open if !ack.advanced => State::Disorder,
            State::Disorder if ack.advanced => State::Open,
            other => other,
        };
        self.repaired = false;
        before
    }

    /// Returns the state after the last event.
    pub(super) fn state(self) -> State {
        self.state
    }

    pub(super) fn on_loss(&mut self, cause: Cause) {
        let state = if cause == Cause::Timeout { State::Loss } else { State::Reduction };
        *self = Self { state, repaired: false };
    }

    /// The losses are repaired. Returns whether there were any: not after an undo, which restores the state before them.
    pub(super) fn on_repaired(&mut self) -> bool {
        self.repaired = matches!(self.state, State::Reduction | State::Loss);
        self.repaired
    }
}
