// SPDX-License-Identifier: Apache-2.0
//! RACK-TLP: time-based loss detection and the tail loss probe (RFC 8985).
//!
//! A segment is lost if one that was sent later has been delivered and `RACK.rtt + reo_wnd` have passed since it was
//! sent, so that a lost retransmission is detected like any other loss. `reo_wnd` is zero while no reordering has been
//! observed and either three segments are SACKed or an episode lasts; otherwise it is `min(n · min_rtt/4, SRTT)`, where
//! `n` grows with D-SACKs. If the tail of a flight is not acknowledged within `2 SRTT`, plus 200 ms for a single
//! segment, a probe is sent. A probe that repaired a loss costs a reduction.
//!
//! A lost retransmission is another indication of congestion (RFC 5681 §4.3): it starts an episode within the present one, in
//! fast recovery as well as in the slow start after a timeout. A timeout in fast recovery does the same. One episode covers all
//! retransmissions that were sent before it. Linux starts no such episodes (`tcp_fastretrans_alert`, `tcp_enter_loss`); the
//! option `lost_retransmission_reduces` selects the behaviour.
//!
//! Reordering has been observed when a segment sent once is delivered below one that was delivered before, when an original
//! fills a hole for which it was sent again, by its timestamp, and when an episode that RACK began is undone by whatever
//! proof (`tcp_check_sack_reordering` in Linux).
//!
//! Transmissions are queued in the order in which they were sent, and stale ones are removed at the front, so that loss
//! detection costs amortised O(1).
//!
//! Deviations: the reordering timer waits for the first segment to expire, not the last. An acknowledgement of a
//! retransmission that arrives in less than the minimum round-trip time counts as reordering. A D-SACK that a probe
//! caused does not, as in Linux. D-SACKs are sent only if the option `undo` enables them. A timeout declares all segments lost
//! that are not SACKed, not only the expired ones.

use super::action::{Context, RecoveryAction};
use super::phase::Phase;
use super::policy::{DUPLICATE_THRESHOLD, RecoveryPolicy, WORST_DELAYED_ACK};
use super::reordering_window::ReorderingWindow;
use super::scoreboard::{Delivery, Newest, Scoreboard};
use crate::{Rule, TransportOptions, wheel};
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The state of RFC 8985 that is not on the scoreboard.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    limited_transmit: bool,
    /// A lost retransmission starts another episode.
    reduces_again: bool,
    /// The tick of the clock of its timers; zero for an exact one.
    tick: Span,
    phase: Phase,
    /// When the last episode started.
    entered_at: Time,
    /// Segment number and time of each transmission, in the order in which they were sent.
    sent: VecDeque<(u64, Time)>,
    /// `RACK.segment`: of all segments delivered, the one that was sent last.
    newest: Option<Newest>,
    /// `RACK.rtt`: the round-trip time of `newest`.
    rtt: Span,
    /// `RACK.reordering_seen`.
    reordering_seen: bool,
    reo_wnd: ReorderingWindow,
    /// Time at which the first segment sent before `newest` is declared lost; `Time::NEVER` if there is none.
    reordering_deadline: Time,
    /// Time at which the next probe is sent; `Time::NEVER` while none is scheduled.
    probe_deadline: Time,
    /// The probe that has not been acknowledged.
    probe: Option<Probe>,
}

/// Ticks of the shortest timeout of Linux (`TCP_TIMEOUT_MIN`), which it adds to the timeouts of the reordering timer
/// and of the probe.
const SHORTEST_TIMEOUT: u64 = 2;

/// A tail loss probe in flight.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// `TLP.end_seq`: the first segment that had not been sent then.
    end: u64,
    /// `TLP.is_retrans`: the probe was a retransmission, not a new segment.
    retransmission: bool,
}

impl Rack {
    pub(super) fn new(options: &TransportOptions) -> Self {
        Self {
            limited_transmit: options.limited_transmit,
            reduces_again: options.lost_retransmission_reduces,
            tick: options.timer_tick,
            phase: Phase::Open,
            entered_at: Time::ZERO,
            sent: VecDeque::new(),
            newest: None,
            rtt: Span::ZERO,
            reordering_seen: false,
            reo_wnd: ReorderingWindow::default(),
            reordering_deadline: Time::NEVER,
            probe_deadline: Time::NEVER,
            probe: None,
        }
    }

    /// RFC 8985 §6.2, steps 1 and 2.
    fn update_newest(&mut self, newest: Newest, acks_original: bool, context: Context<'_>) {
        // The timestamp shows that an earlier transmission was delivered: RACK declared it lost too early.
        if newest.retransmitted && acks_original {
            self.reordering_seen |= matches!(self.phase, Phase::FastRecovery { .. });
            return;
        }
        let rtt = context.now - newest.sent_at;
        // In less than the minimum round-trip time only an earlier transmission can be acknowledged: it was reordered.
        let reordered = newest.retransmitted && context.rtt.is_some_and(|known| rtt < known.min);
        self.reordering_seen |= reordered;
        if !reordered && self.newest.is_none_or(|known| newest.is_newer_than(known)) {
            self.newest = Some(newest);
            self.rtt = rtt;
        }
    }

    /// `RACK_detect_loss`: RFC 8985 §6.2, step 5. Returns its effect on the episode.
    fn detect_loss(&mut self, board: &mut Scoreboard, context: Context<'_>) -> RecoveryAction {
        let (lost, again) = self.declare_losses(board, context);
        let mut action = self.phase.update(board, lost);
        if again && self.reduces_again && !action.enter {
            self.phase.enter(board, &mut action);
            action.again = true;
        }
        if action.enter {
            self.entered_at = context.now;
        }
        action
    }

    /// Returns the number of segments declared lost, and whether a retransmission of the present episode is among them.
    fn declare_losses(&mut self, board: &mut Scoreboard, context: Context<'_>) -> (u64, bool) {
        self.reordering_deadline = Time::NEVER;
        let timeout = self.rtt + self.reordering_window(board, context);
        let (mut lost, mut again) = (0, false);
        while let Some(&(number, sent_at)) = self.sent.front() {
            if board.is_in_flight_since(number, sent_at) {
                let this = Newest { sent_at, number, retransmitted: false };
                if !self.newest.is_some_and(|newest| newest.is_newer_than(this)) {
                    break;
                }
                if sent_at + timeout > context.now {
                    let left = (sent_at + timeout).since(context.now) + self.tick * SHORTEST_TIMEOUT;
                    self.reordering_deadline = wheel::expiry(context.now, left, self.tick);
                    break;
                }
                again |= board.repairs(number) && sent_at >= self.entered_at;
                board.declare_lost(number);
                lost += 1;
            }
            self.sent.pop_front();
        }
        (lost, again)
    }

    /// `RACK.reo_wnd`: RFC 8985 §6.2, step 4.
    fn reordering_window(&self, board: &Scoreboard, context: Context<'_>) -> Span {
        let recovering = self.phase != Phase::Open || board.sacked() >= DUPLICATE_THRESHOLD;
        match context.rtt {
            Some(rtt) if self.reordering_seen || !recovering => {
                (rtt.min / 4 * self.reo_wnd.quarters).min(rtt.smoothed)
            }
            _ => Span::ZERO,
        }
    }

    /// `TLP_calc_PTO`: RFC 8985 §7.2.
    fn schedule_probe(&mut self, board: &Scoreboard, context: Context<'_>) {
        if self.probe.is_some() {
            return;
        }
        let mut timeout = context.rtt.map_or(INITIAL_PROBE_TIMEOUT, |rtt| rtt.smoothed * 2);
        if board.outstanding() == 1 {
            timeout += WORST_DELAYED_ACK;
        } else {
            timeout += self.tick * SHORTEST_TIMEOUT;
        }
        self.probe_deadline = wheel::expiry(context.now, timeout, self.tick);
    }

    /// The probe in flight retransmitted segment `number`.
    fn is_probe(&self, number: u64) -> bool {
        self.probe.is_some_and(|probe| probe.retransmission && number + 1 == probe.end)
    }

    /// `TLP_process_ack`: RFC 8985 §7.4.2. Returns true if the probe repaired a loss that nothing else revealed.
    fn process_probe_ack(&mut self, delivery: &Delivery, board: &Scoreboard) -> bool {
        let Some(probe) = self.probe.filter(|probe| board.una() >= probe.end) else { return false };
        let duplicate = (delivery.duplicate_ack && delivery.newly_sacked == 0) || delivery.dsack.is_some();
        let repaired = probe.retransmission && board.una() > probe.end;
        if !probe.retransmission || repaired || duplicate {
            self.probe = None;
        }
        repaired
    }
}

impl RecoveryPolicy for Rack {
    fn rule(&self, _enters: bool) -> Rule {
        Rule::Rack
    }

    fn phase(&self) -> Phase {
        self.phase
    }

    fn is_quiet(&self) -> bool {
        self.phase == Phase::Open && self.probe.is_none()
    }

    fn on_ack(
        &mut self,
        delivery: &Delivery,
        board: &mut Scoreboard,
        context: Context<'_>,
    ) -> RecoveryAction {
        self.reordering_seen |= delivery.reordered;
        if let Some(newest) = delivery.newest {
            self.update_newest(newest, delivery.acks_original, context);
        }
        let dsack = delivery.dsack.is_some_and(|number| !self.is_probe(number));
        self.reo_wnd.on_ack(dsack, board);
        let repaired = self.process_probe_ack(delivery, board);
        let mut action = self.detect_loss(board, context);
        if repaired && self.phase == Phase::Open {
            action.probe_repaired = true;
        }
        if action.exit && !dsack {
            self.reo_wnd.on_recovered();
        }
        if action.enter {
            self.probe = None;
        }
        if self.phase != Phase::Open || board.sacked() > 0 || board.outstanding() == 0 {
            self.probe_deadline = Time::NEVER;
        } else if delivery.advanced > 0 {
            self.schedule_probe(board, context);
        }
        action
    }

    fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let within = matches!(self.phase, Phase::FastRecovery { .. }) && !self.reduces_again;
        let new_episode = self.phase.on_timeout(board) && !within;
        self.reordering_deadline = Time::NEVER;
        self.probe_deadline = Time::NEVER;
        self.probe = None;
        new_episode
    }

    fn on_undo(&mut self, board: &Scoreboard) {
        // A spurious timeout shows a delay, not reordering.
        self.reordering_seen |= !matches!(self.phase, Phase::RtoRecovery { .. });
        self.phase = Phase::Open;
        // It may have been an unnecessary retransmission, after which nothing sent before it was lost.
        self.newest = None;
        // The segments that a timeout declared lost may have been removed from the queue.
        self.sent.clear();
        self.sent.extend(board.in_flight_segments());
        self.sent.make_contiguous().sort_unstable_by_key(|&(number, sent_at)| (sent_at, number));
    }

    fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        self.phase.sack_window(window, board, self.limited_transmit)
    }

    fn on_sent(&mut self, number: u64, new: bool, context: Context<'_>, board: &Scoreboard) {
        self.sent.push_back((number, context.now));
        if new && self.phase == Phase::Open && board.sacked() == 0 {
            self.schedule_probe(board, context);
        }
    }

    fn next_timer(&self) -> Time {
        self.reordering_deadline.min(self.probe_deadline)
    }

    fn on_timer(&mut self, board: &mut Scoreboard, context: Context<'_>) -> RecoveryAction {
        if context.now < self.reordering_deadline {
            return RecoveryAction::default();
        }
        self.detect_loss(board, context)
    }

    fn take_probe(&mut self, now: Time, rto_due: bool, board: &Scoreboard) -> bool {
        let scheduled = self.probe_deadline < Time::NEVER;
        if !scheduled || (now < self.probe_deadline && !rto_due) {
            return false;
        }
        self.probe_deadline = Time::NEVER;
        board.outstanding() > 0
    }

    fn on_probe_sent(&mut self, retransmission: bool, board: &Scoreboard) {
        self.probe = Some(Probe { end: board.next(), retransmission });
        self.probe_deadline = Time::NEVER;
    }
}

/// RFC 8985 §7.2: the probe timeout before the first round-trip sample.
const INITIAL_PROBE_TIMEOUT: Span = Span::from_ms(1_000);
