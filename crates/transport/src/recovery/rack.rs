//! Recovery by time: recent acknowledgement and tail loss probe (RFC 8985).
//!
//! A segment is lost if one that left later has arrived and `RACK.rtt + reo_wnd` have passed since it left; so a lost
//! retransmission is found like any other loss. `reo_wnd` is zero while no reordering has been seen and three segments
//! arrived out of order or an episode runs, else `min(n · min_rtt/4, SRTT)`, where `n` follows reports of duplicates. If the tail of a flight stays unanswered for
//! `2 SRTT` (plus 200 ms for a lone segment) a probe is sent, and a probe that repaired a loss costs a cut.
//!
//! Transmissions stand in a queue in the order in which they left; stale ones are dropped at its front, so finding
//! losses costs amortised O(1). Deviations: the reorder timer waits for the first segment to expire, not the last; an
//! answer sooner than any round trip counts as reordering; the duplicate that a probe causes is no sign of reordering, as
//! in Linux; receivers report duplicates if the option `undo` asks for it; a timeout declares lost all that has
//! not arrived, not only what has expired; a timeout inside fast recovery belongs to its episode, as in Linux.

use super::patience::Patience;
use super::{DUPLICATE_THRESHOLD, Phase, Verdict, View, WORST_DELAYED_ACK};
use crate::scoreboard::{Delivery, Newest, Scoreboard};
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The memory of RFC 8985 beyond the scoreboard.
#[derive(Clone, Debug)]
pub(crate) struct Rack {
    limited_transmit: bool,
    phase: Phase,
    /// Transmissions in the order in which they left.
    sent: VecDeque<(u64, Time)>,
    /// `RACK.segment`: of all segments that arrived the one that left last.
    newest: Option<Newest>,
    /// `RACK.rtt`: its round-trip time.
    rtt: Span,
    reordering_seen: bool,
    /// How the reordering window follows reports of duplicates.
    patience: Patience,
    /// When the first segment overtaken by `newest` expires.
    reorder_deadline: Time,
    /// When the tail is to be probed.
    probe_deadline: Time,
    /// The probe that is out.
    probe: Option<ProbeOut>,
}

/// A probe that has not been answered.
#[derive(Clone, Copy, Debug)]
struct ProbeOut {
    /// `TLP_end_seq`: the first segment that had not been sent then.
    end: u64,
    /// It sent again what might have been lost.
    resent: bool,
}

impl Rack {
    pub(super) fn new(limited_transmit: bool) -> Self {
        Self {
            limited_transmit,
            phase: Phase::Open,
            sent: VecDeque::new(),
            newest: None,
            rtt: Span::ZERO,
            reordering_seen: false,
            patience: Patience::default(),
            reorder_deadline: Time::NEVER,
            probe_deadline: Time::NEVER,
            probe: None,
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn on_ack(&mut self, delivery: &Delivery, board: &mut Scoreboard, view: View<'_>) -> Verdict {
        self.reordering_seen |= delivery.reordered;
        if let Some(newest) = delivery.newest {
            self.advance(newest, delivery.original, view);
        }
        let needless = delivery.duplicated.is_some_and(|number| !self.is_probe(number));
        self.patience.on_ack(needless, board);
        let repaired = self.is_repaired_by_probe(delivery, board);
        let lost = self.detect(board, view);
        let mut verdict = self.phase.follow(board, lost);
        if repaired && self.phase == Phase::Open {
            verdict.passes = true;
        }
        if verdict.ends && !needless {
            self.patience.on_recovered();
        }
        if verdict.begins {
            self.probe = None;
        }
        if self.phase != Phase::Open || board.sacked() > 0 || board.outstanding() == 0 {
            self.probe_deadline = Time::NEVER;
        } else if delivery.advanced > 0 {
            self.arm_probe(board, view);
        }
        verdict
    }

    pub(super) fn on_timeout(&mut self, board: &Scoreboard) -> bool {
        let new_episode = self.phase == Phase::Open;
        self.phase = Phase::Timeout { until: board.next() };
        self.reorder_deadline = Time::NEVER;
        self.probe_deadline = Time::NEVER;
        self.probe = None;
        new_episode
    }

    /// The episode was false.
    pub(super) fn abandon(&mut self, board: &Scoreboard) {
        self.phase = Phase::Open;
        // What a timeout declared lost may have left the queue.
        self.sent.clear();
        self.sent.extend(board.on_their_way());
        self.sent.make_contiguous().sort_unstable_by_key(|&(number, sent_at)| (sent_at, number));
    }

    pub(super) fn on_sent(&mut self, number: u64, new: bool, view: View<'_>, board: &Scoreboard) {
        self.sent.push_back((number, view.now));
        if new && self.phase == Phase::Open && board.sacked() == 0 {
            self.arm_probe(board, view);
        }
    }

    pub(super) fn usable_window(&self, window: u64, board: &Scoreboard) -> u64 {
        self.phase.selective_window(window, board, self.limited_transmit)
    }

    pub(super) fn next_timer(&self) -> Time {
        self.reorder_deadline.min(self.probe_deadline)
    }

    pub(super) fn on_timer(&mut self, board: &mut Scoreboard, view: View<'_>) -> Verdict {
        if view.now < self.reorder_deadline {
            return Verdict::default();
        }
        let lost = self.detect(board, view);
        self.phase.follow(board, lost)
    }

    /// The probe's time has come, or that of the retransmission timer while one is awaited (RFC 8985 §7.2).
    pub(super) fn take_probe(&mut self, now: Time, rto_due: bool, board: &Scoreboard) -> bool {
        let armed = self.probe_deadline < Time::NEVER;
        if !armed || (now < self.probe_deadline && !rto_due) {
            return false;
        }
        self.probe_deadline = Time::NEVER;
        board.outstanding() > 0
    }

    /// The probe has left; `resent` if it was no new segment.
    pub(super) fn on_probe_sent(&mut self, resent: bool, board: &Scoreboard) {
        self.probe = Some(ProbeOut { end: board.next(), resent });
        self.probe_deadline = Time::NEVER;
    }

    /// RFC 8985 §6.2 steps 1 and 2.
    fn advance(&mut self, newest: Newest, original: bool, view: View<'_>) {
        // The time stamp says that this answers an earlier transmission.
        if newest.resent && original {
            return;
        }
        let rtt = view.now - newest.sent_at;
        // An answer sooner than any round trip is to an earlier transmission: it was overtaken, not lost.
        let overtaken = newest.resent && view.rtt.is_some_and(|known| rtt < known.min);
        self.reordering_seen |= overtaken;
        if !overtaken && self.newest.is_none_or(|known| newest.is_newer_than(known)) {
            self.newest = Some(newest);
            self.rtt = rtt;
        }
    }

    /// RFC 8985 §6.2 step 5.
    fn detect(&mut self, board: &mut Scoreboard, view: View<'_>) -> u64 {
        self.reorder_deadline = Time::NEVER;
        let patience = self.rtt + self.reordering_window(board, view);
        let mut lost = 0;
        while let Some(&(number, sent_at)) = self.sent.front() {
            if board.is_in_flight_since(number, sent_at) {
                let this = Newest { sent_at, number, resent: false };
                if !self.newest.is_some_and(|newest| newest.is_newer_than(this)) {
                    break;
                }
                if sent_at + patience > view.now {
                    self.reorder_deadline = sent_at + patience;
                    break;
                }
                board.declare_lost(number);
                lost += 1;
            }
            self.sent.pop_front();
        }
        lost
    }

    /// RFC 8985 §6.2 step 4.
    fn reordering_window(&self, board: &Scoreboard, view: View<'_>) -> Span {
        let impatient = self.phase != Phase::Open || board.sacked() >= DUPLICATE_THRESHOLD;
        match view.rtt {
            Some(rtt) if self.reordering_seen || !impatient => {
                (rtt.min / 4 * self.patience.quarters).min(rtt.smoothed)
            }
            _ => Span::ZERO,
        }
    }

    /// RFC 8985 §7.2.
    fn arm_probe(&mut self, board: &Scoreboard, view: View<'_>) {
        if self.probe.is_some() {
            return;
        }
        let mut timeout = view.rtt.map_or(UNSAMPLED_PROBE, |rtt| rtt.smoothed * 2);
        if board.outstanding() == 1 {
            timeout += WORST_DELAYED_ACK;
        }
        self.probe_deadline = view.now + timeout;
    }

    /// The probe that is out sent segment `number` again.
    fn is_probe(&self, number: u64) -> bool {
        self.probe.is_some_and(|probe| probe.resent && number + 1 == probe.end)
    }

    /// RFC 8985 §7.4.2: the probe is answered; true if it repaired a loss that nothing else told of.
    fn is_repaired_by_probe(&mut self, delivery: &Delivery, board: &Scoreboard) -> bool {
        let Some(probe) = self.probe.filter(|probe| board.una() >= probe.end) else { return false };
        let twice = (delivery.duplicate && delivery.newly_sacked == 0) || delivery.duplicated.is_some();
        let repaired = probe.resent && board.una() > probe.end;
        if !probe.resent || repaired || twice {
            self.probe = None;
        }
        repaired
    }
}

/// RFC 8985 §7.2: the probe timeout before the first RTT sample.
const UNSAMPLED_PROBE: Span = Span::from_ms(1_000);
