// SPDX-License-Identifier: Apache-2.0
//! The loss recovery policies as one type.

use super::action::{Context, NextSeg, RecoveryAction};
use super::newreno::NewReno;
use super::phase::Phase;
use super::policy::RecoveryPolicy;
use super::rack::Rack;
use super::reno::Reno;
use super::sack::Sack;
use super::sack_1996::Sack1996;
use super::scoreboard::{Delivery, Newest, Scoreboard};
use crate::{RecoveryKind, Rule, TransportOptions};
use narrows_units::Time;

/// The policy of one sender. No trait object, so that what every acknowledgement calls is inlined.
#[derive(Clone, Debug)]
pub(super) enum Policy {
    Reno(Reno),
    NewReno(NewReno),
    Sack(Sack),
    Sack1996(Sack1996),
    Rack(Box<Rack>),
}

impl Policy {
    /// Creates the policy that `options` select.
    pub(super) fn new(options: &TransportOptions) -> Self {
        match options.recovery {
            RecoveryKind::Reno => Self::Reno(Reno::new(options.limited_transmit)),
            RecoveryKind::NewReno => Self::NewReno(NewReno::new(options.limited_transmit)),
            RecoveryKind::Sack => Self::Sack(Sack::new(options.limited_transmit)),
            RecoveryKind::Sack1996 => Self::Sack1996(Sack1996::new(options.limited_transmit)),
            RecoveryKind::Rack => Self::Rack(Box::new(Rack::new(options))),
        }
    }
}

macro_rules! each {
    ($kind:expr, $policy:ident => $call:expr) => {
        match $kind {
            Policy::Reno($policy) => $call,
            Policy::NewReno($policy) => $call,
            Policy::Sack($policy) => $call,
            Policy::Sack1996($policy) => $call,
            Policy::Rack($policy) => $call,
        }
    };
}

impl RecoveryPolicy for Policy {
    fn rule(&self, enters: bool) -> Rule {
        each!(self, policy => policy.rule(enters))
    }

    #[inline]
    fn phase(&self) -> Phase {
        each!(self, policy => policy.phase())
    }

    #[inline]
    fn is_quiet(&self) -> bool {
        each!(self, policy => policy.is_quiet())
    }

    #[inline]
    fn on_ack(
        &mut self,
        delivery: &Delivery,
        board: &mut Scoreboard,
        context: Context<'_>,
    ) -> RecoveryAction {
        each!(self, policy => policy.on_ack(delivery, board, context))
    }

    #[inline]
    fn on_quiet_ack(&mut self, acked: u64, newest: Newest, board: &mut Scoreboard, context: Context<'_>) {
        each!(self, policy => policy.on_quiet_ack(acked, newest, board, context));
    }

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        each!(self, policy => policy.on_timeout(board))
    }

    fn on_undo(&mut self, board: &Scoreboard) {
        each!(self, policy => policy.on_undo(board));
    }

    #[inline]
    fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        each!(self, policy => policy.usable_window(window, board))
    }

    #[inline]
    fn on_sent(&mut self, number: u64, new: bool, context: Context<'_>, board: &Scoreboard) {
        each!(self, policy => policy.on_sent(number, new, context, board));
    }

    fn next_seg(&self, board: &mut Scoreboard) -> Option<NextSeg> {
        each!(self, policy => policy.next_seg(board))
    }

    fn on_next_seg(&mut self, segment: NextSeg, board: &mut Scoreboard) {
        each!(self, policy => policy.on_next_seg(segment, board));
    }

    #[inline]
    fn next_timer(&self) -> Time {
        each!(self, policy => policy.next_timer())
    }

    fn on_timer(&mut self, board: &mut Scoreboard, context: Context<'_>) -> RecoveryAction {
        each!(self, policy => policy.on_timer(board, context))
    }

    fn take_probe(&mut self, now: Time, rto_due: bool, board: &Scoreboard) -> bool {
        each!(self, policy => policy.take_probe(now, rto_due, board))
    }

    fn on_probe_sent(&mut self, retransmission: bool, board: &Scoreboard) {
        each!(self, policy => policy.on_probe_sent(retransmission, board));
    }
}
