// SPDX-License-Identifier: Apache-2.0
//! Loss recovery: which segments are lost, when a recovery episode starts and ends, and the next segment to retransmit.
//! There is one policy per file: [`reno`] (RFC 5681), [`newreno`] (RFC 6582), [`sack`] (RFC 6675), [`sack_1996`] (Fall
//! and Floyd 1996) and [`rack`] (RFC 8985). A policy reads the changes by an acknowledgement, declares segments lost on
//! the scoreboard and returns a [`RecoveryAction`]; the sender reports to the algorithm and transmits. The congestion
//! window is reduced only if an action or a retransmission timeout starts an episode.
//!
//! Limited transmit (RFC 3042) is common to all policies: each of the first two duplicate ACKs allows one new segment
//! beyond the congestion window, which does not change. With selective acknowledgements the SACKed segments leave `pipe`
//! instead, which has the same effect and, as RFC 3042 requires, counts only ACKs with new information; under RACK it
//! lasts until a loss is declared. Early retransmit (RFC 5827) is not implemented: with a small window a loss is
//! detected by the third duplicate ACK, by RACK's timer or by the retransmission timer.

mod action;
mod forward_rto;
mod newreno;
mod phase;
mod policies;
mod policy;
mod rack;
mod rate_reduction;
mod reno;
mod reordering_window;
mod sack;
mod sack_1996;
mod sack_emulation;
mod scoreboard;
mod timestamps;
mod undo;

pub(crate) use action::{Context, NextSeg, RecoveryAction};
pub(crate) use scoreboard::{Delivery, Detail, Scoreboard};

use crate::transfer::Transfer;
use crate::{Rule, TransportOptions, UndoKind};
use forward_rto::ForwardRto;
use narrows_cc::Needs;
use narrows_units::Time;
use narrows_wire::Block;
use phase::Phase;
use policies::Policy;
use policy::RecoveryPolicy;
use rate_reduction::RateReduction;
use sack_emulation::SackEmulation;
use scoreboard::Newest;
use timestamps::Timestamps;
use undo::Undo;

/// The loss recovery of one reliable sender. The order of the fields is that in memory: those first that every
/// acknowledgement reads.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct LossRecovery {
    board: Scoreboard,
    policy: Policy,
    /// Acknowledgements carry SACK blocks.
    selective: bool,
    /// The next lost segment is sent regardless of the window.
    force_retransmit: bool,
    /// The rate reduction of the present episode, if the flow uses it.
    reduction: Option<RateReduction>,
    timestamps: Timestamps,
    undo: Undo,
    forward_rto: ForwardRto,
    sack_emulation: SackEmulation,
}

/// The segment that is sent next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NextSegment {
    /// The lowest lost segment.
    Lost(u64),
    /// The first segment that has not been sent.
    New,
    /// A segment that may be lost.
    NextSeg(NextSeg),
}

impl NextSegment {
    /// Returns the number of the segment if it is a retransmission; `None` for a new segment.
    pub(crate) fn retransmission(self) -> Option<u64> {
        match self {
            Self::Lost(number) => Some(number),
            Self::New => None,
            Self::NextSeg(segment) => Some(segment.number()),
        }
    }
}

impl LossRecovery {
    pub(crate) fn new(options: &TransportOptions, transfer: Transfer, needs: Needs) -> Self {
        Self {
            board: Scoreboard::new(transfer, needs.packets || needs.rate_samples, needs.packets),
            policy: Policy::new(options),
            selective: options.recovery.is_selective(),
            force_retransmit: false,
            reduction: None,
            timestamps: Timestamps::new(options.undo == UndoKind::DuplicatesAndTimestamps),
            undo: Undo::new(options.undo),
            forward_rto: ForwardRto::new(options.frto),
            sack_emulation: SackEmulation::default(),
        }
    }

    pub(crate) fn board(&self) -> &Scoreboard {
        &self.board
    }

    pub(crate) fn board_mut(&mut self) -> &mut Scoreboard {
        &mut self.board
    }

    /// Acknowledgements carry SACK blocks.
    pub(crate) fn is_selective(&self) -> bool {
        self.selective
    }

    /// Whether an episode is in progress.
    pub(crate) fn is_recovering(&self) -> bool {
        self.policy.phase() != Phase::Open
    }

    /// Whether nothing is lost, SACKed or being repaired, and no past loss is being judged: an acknowledgement that only
    /// advances has no effect here but on the scoreboard and on the policy, which decides nothing.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        let Self {
            board,
            policy,
            reduction,
            undo,
            forward_rto,
            sack_emulation,
            // There are no SACK blocks, no segment is lost, and none has been sent twice.
            selective: _,
            force_retransmit: _,
            timestamps: _,
        } = self;
        board.is_quiet()
            && policy.is_quiet()
            && reduction.is_none()
            && undo.is_settled()
            && !forward_rto.is_active()
            && sack_emulation.is_empty()
    }

    /// Returns the timestamp of a packet sent now (TSval, RFC 7323).
    pub(crate) fn timestamp(&self) -> u8 {
        self.timestamps.now()
    }

    /// Returns the packets that may be in flight when the congestion window is `window` packets.
    #[inline]
    pub(crate) fn usable_window(&self, window: u64) -> u64 {
        match &self.reduction {
            Some(reduction) => reduction.window(),
            None => self.policy.usable_window(window, &self.board),
        }
    }

    /// Enters an acknowledgement on the scoreboard: the cumulative acknowledgement `next`, the echoed timestamp, whether
    /// it opens the receiver's window, and the SACK blocks. Adds its effect to `delivery`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every acknowledgement, and called at one place")]
    pub(crate) fn acknowledge(
        &mut self,
        next: u64,
        timestamp_echo: u8,
        opens_window: bool,
        blocks: impl Iterator<Item = Block>,
        delivery: &mut Delivery,
    ) {
        let una = self.board.una();
        let outstanding = self.board.outstanding();
        if next > una {
            self.board.acknowledge(next, delivery);
            delivery.acks_original = self.timestamps.acks_original(timestamp_echo);
            if delivery.any_retransmitted {
                let last = self.board.transmission(una);
                delivery.echoed_sent_at = self.timestamps.sent_at(last, timestamp_echo);
            }
        } else {
            delivery.duplicate_ack = next == una && outstanding > 0 && !opens_window;
        }
        if self.selective {
            for block in blocks {
                self.board.sack(block, delivery);
            }
        } else if delivery.advanced > 0 {
            delivery.newly_acked = self.sack_emulation.on_cumulative_ack(delivery.advanced);
        } else if delivery.duplicate_ack {
            delivery.newly_acked = self.sack_emulation.on_duplicate_ack(outstanding);
        }
    }

    /// Whether a retransmission timeout is being judged, for which [`is_spurious`](Self::is_spurious) reads `may_send`.
    #[inline]
    pub(crate) fn judges_timeout(&self) -> bool {
        self.forward_rto.is_active()
    }

    /// Returns the rule by which an acknowledgement reveals that the last episode was spurious, once per episode; else
    /// `None`. `may_send`: new segments can be sent, the congestion window aside.
    #[inline]
    pub(crate) fn is_spurious(&mut self, delivery: &Delivery, may_send: bool) -> Option<Rule> {
        let rule = self.undo.on_ack(delivery, self.board.unrepaired());
        if rule.is_some() {
            self.forward_rto.clear();
        } else if self.forward_rto.on_ack(delivery, self.board.una(), self.selective, may_send) {
            self.undo.clear();
            return Some(Rule::ForwardRto);
        }
        rule
    }

    /// Returns when the first unacknowledged segment was last sent.
    #[inline]
    pub(crate) fn head_sent_at(&self) -> Time {
        self.board.transmission(self.board.una()).sent_at
    }

    /// Undoes the losses of the last episode. Returns true if the episode was in progress.
    pub(crate) fn undo(&mut self) -> bool {
        let recovering = self.is_recovering();
        self.board.undo_losses();
        self.policy.on_undo(&self.board);
        recovering
    }

    /// Detects losses after an acknowledgement.
    #[inline]
    pub(crate) fn on_ack(&mut self, delivery: &Delivery, context: Context<'_>) -> RecoveryAction {
        self.policy.on_ack(delivery, &mut self.board, context)
    }

    /// Does the same after an acknowledgement that only advances, by `acked` segments of which the last was sent at `sent_at`,
    /// while recovery [is quiet](Self::is_quiet), which it remains.
    #[inline]
    pub(crate) fn on_quiet_ack(&mut self, acked: u64, sent_at: Time, context: Context<'_>) {
        let newest = Newest { sent_at, number: self.board.una() - 1, retransmitted: false };
        self.policy.on_quiet_ack(acked, newest, &mut self.board, context);
    }

    /// Returns the rule by which losses are declared; `enters`: at the start of an episode.
    pub(crate) fn rule(&self, enters: bool) -> Rule {
        self.policy.rule(enters)
    }

    /// Adapts the usable window of a rate reduction after an acknowledgement by which `lost` segments were declared
    /// lost.
    #[inline]
    pub(crate) fn update_reduction(&mut self, delivery: &Delivery, lost: u64) {
        if let Some(reduction) = &mut self.reduction {
            let safe = delivery.advanced > 0 && lost == 0;
            reduction.on_ack(delivery.newly_acked, self.board.in_flight(), safe);
        }
    }

    /// Returns when the policy's timers expire; `Time::NEVER` if none is set.
    pub(crate) fn next_timer(&self) -> Time {
        self.policy.next_timer()
    }

    /// Handles the timers of the policy, which may have expired.
    pub(crate) fn on_timer(&mut self, context: Context<'_>) -> RecoveryAction {
        self.policy.on_timer(&mut self.board, context)
    }

    /// The retransmission timer expired: everything that is not SACKed is lost. Returns the number of segments declared
    /// lost, and whether an episode starts. `again`: it had expired before, and nothing has been acknowledged since.
    pub(crate) fn on_timeout(&mut self, again: bool) -> (u64, bool) {
        self.forward_rto.on_timeout(self.board.next(), self.is_recovering() && !again);
        let lost = self.board.declare_all_lost();
        let new_episode = self.policy.on_timeout(&self.board);
        self.sack_emulation.reset();
        self.end_episode();
        (lost, new_episode)
    }

    /// The congestion window was reduced for a loss; `timeout` if the retransmission timer expired.
    pub(crate) fn on_loss_episode(&mut self, timeout: bool) {
        self.timestamps.on_episode();
        self.undo.on_episode(timeout, self.board.una());
    }

    /// The congestion window was reduced for a reason that is never spurious.
    pub(crate) fn on_genuine_episode(&mut self) {
        self.undo.clear();
    }

    /// From now on the usable window falls from `flight` packets to `target`.
    pub(crate) fn start_reduction(&mut self, flight: u64, target: u64) {
        self.reduction = Some(RateReduction::new(flight, target, self.board.in_flight()));
    }

    /// The usable window is not reduced gradually in this episode.
    pub(crate) fn stop_reduction(&mut self) {
        self.reduction = None;
    }

    /// Whether a rate reduction is in progress.
    pub(crate) fn is_reducing(&self) -> bool {
        self.reduction.is_some()
    }

    /// The episode is over: neither a rate reduction nor a forced retransmission remains.
    pub(crate) fn end_episode(&mut self) {
        self.reduction = None;
        self.force_retransmit = false;
    }

    /// The next lost segment, if there is one, is sent regardless of the window.
    pub(crate) fn force_retransmit(&mut self) {
        self.force_retransmit = self.board.next_lost().is_some();
    }

    /// Whether the next lost segment is sent regardless of the window.
    pub(crate) fn is_forced(&self) -> bool {
        self.force_retransmit
    }

    /// Returns the lost segment to be retransmitted next, if it may be.
    #[inline]
    pub(crate) fn next_lost(&mut self) -> Option<u64> {
        let una = self.board.una();
        self.board.next_lost().filter(|&lost| self.forward_rto.permits_again(lost, una))
    }

    /// Whether a new segment may be sent, the windows aside.
    #[inline]
    pub(crate) fn permits_new(&self) -> bool {
        self.forward_rto.permits_new()
    }

    /// Returns a segment that may be retransmitted without having been declared lost, where neither a lost segment nor
    /// a new one can be sent.
    pub(crate) fn next_seg(&mut self) -> Option<NextSeg> {
        self.policy.next_seg(&mut self.board)
    }

    /// `segment` is about to be sent.
    #[inline]
    pub(crate) fn before_sending(&mut self, segment: NextSegment) {
        self.force_retransmit = false;
        if let NextSegment::NextSeg(segment) = segment {
            self.policy.on_next_seg(segment, &mut self.board);
        }
        if let Some(number) = segment.retransmission() {
            self.undo.on_retransmitted(number);
        }
    }

    /// A new segment is sent while recovery [is quiet](Self::is_quiet): neither F-RTO nor a rate reduction counts it. Returns its
    /// number.
    #[inline]
    pub(crate) fn on_new_sent(&mut self, context: Context<'_>) -> u64 {
        let number = self.board.on_sent(self.timestamps.now(), context.now);
        self.policy.on_sent(number, true, context, &self.board);
        number
    }

    /// Segment `retransmission` is sent again, or a new one where `None`. Returns its number.
    #[inline]
    pub(crate) fn on_sent(&mut self, retransmission: Option<u64>, context: Context<'_>) -> u64 {
        let number = if let Some(number) = retransmission {
            self.timestamps.before_retransmission(self.board.transmission(number), self.board.una());
            self.board.on_retransmitted(number, self.timestamps.now(), context.now);
            number
        } else {
            self.forward_rto.on_new_sent();
            self.board.on_sent(self.timestamps.now(), context.now)
        };
        if let Some(reduction) = &mut self.reduction {
            reduction.on_sent();
        }
        self.policy.on_sent(number, retransmission.is_none(), context, &self.board);
        number
    }

    /// Whether to send a tail loss probe now. A probe precedes a retransmission timeout that is due at the same time.
    pub(crate) fn take_probe(&mut self, now: Time, rto_due: bool) -> bool {
        self.policy.take_probe(now, rto_due, &self.board)
    }

    /// A probe was sent: a new segment, or a retransmission.
    pub(crate) fn on_probe_sent(&mut self, retransmission: bool) {
        self.policy.on_probe_sent(retransmission, &self.board);
    }
}
