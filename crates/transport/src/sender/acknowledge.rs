//! What an acknowledgement does to a sender.

use super::{ConnectionState, Sender};
use crate::recovery::{Phase, Verdict, View};
use crate::scoreboard::Delivery;
use crate::{Host, News};
use narrows_cc::{Ack, Cause, RateSample};
use narrows_units::{Span, Time};
use narrows_wire::{Block, Feedback, Packet};

/// What an acknowledgement says besides its selective blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The first segment not received in order.
    next: u64,
    /// Congestion was seen (ECE).
    echo: bool,
    /// Data packets that arrived marked; wraps.
    ce_packets: u16,
    timestamp_echo: u8,
    /// A segment arrived again.
    duplicated: Option<u64>,
    feedback: Option<Feedback>,
}

impl Report {
    pub(super) fn new(
        packet: &Packet,
        ce_packets: u16,
        timestamp_echo: u8,
        duplicated: Option<u64>,
        feedback: Option<Feedback>,
    ) -> Self {
        Self { next: packet.number, echo: packet.ecn_echo, ce_packets, timestamp_echo, duplicated, feedback }
    }
}

impl Sender {
    pub(super) fn on_ack<H: Host>(
        &mut self,
        report: &Report,
        blocks: impl Iterator<Item = Block>,
        now: Time,
        host: &mut H,
    ) {
        if self.state != ConnectionState::Established || report.next > self.board.next() {
            return;
        }
        self.counters.acks_received += 1;
        let prior_in_flight = self.board.in_flight();
        let mut delivery = Delivery { duplicated: report.duplicated, ..Delivery::default() };
        self.read(report, blocks, &mut delivery);
        let news = delivery.newly_acked > 0 || delivery.advanced > 0;
        if news || delivery.duplicate || delivery.duplicated.is_some() {
            self.apply(report, &delivery, prior_in_flight, now, host);
        }
    }

    /// Marks on the scoreboard what the acknowledgement reports.
    #[inline]
    fn read(&mut self, report: &Report, blocks: impl Iterator<Item = Block>, delivery: &mut Delivery) {
        let una = self.board.una();
        let outstanding = self.board.outstanding();
        if report.next > una {
            self.board.acknowledge(report.next, delivery);
        }
        delivery.original = delivery.advanced > 0 && self.undo.is_original(report.timestamp_echo);
        delivery.duplicate = report.next == una && outstanding > 0;
        if self.recovery.is_selective() {
            for block in blocks {
                self.board.sack(block, delivery);
            }
        } else if delivery.advanced > 0 {
            delivery.newly_acked = self.silent.on_advance(delivery.advanced);
        } else if delivery.duplicate {
            delivery.newly_acked = self.silent.on_duplicate(outstanding);
        }
        self.counters.segments_acked += delivery.advanced;
        self.counters.bytes_acked = self.transfer.payload_before(self.board.una()).count();
    }

    #[inline]
    fn apply<H: Host>(
        &mut self,
        report: &Report,
        delivery: &Delivery,
        prior_in_flight: u64,
        now: Time,
        host: &mut H,
    ) {
        let rtt = self.measure(delivery, now, host);
        let rate = self.sample_rate(delivery, prior_in_flight, now);

        if self.undo.on_ack(delivery, self.board.unrepaired()) {
            self.take_back(now);
        }
        // Before losses are marked: what the window had to cover until now.
        let flight = self.board.in_flight() + delivery.newly_acked;
        let view = View { now, rtt: self.rtt.view() };
        let verdict = self.recovery.on_ack(delivery, &mut self.board, view);
        if verdict.asks() {
            self.obey(verdict, flight, now, host);
        }
        if self.ecn.is_used() {
            self.follow_marks(report, now, host);
        }

        if delivery.newly_acked > 0 {
            self.tell_delivered(report, delivery, rtt, rate, now);
            self.handshake.on_acked(delivery.newly_acked, self.algorithm.as_ref());
        }
        if let Some(reduction) = &mut self.reduction {
            let cleanly = delivery.advanced > 0 && verdict.lost == 0;
            reduction.on_ack(delivery.newly_acked, self.board.in_flight(), cleanly);
        }
        if delivery.advanced > 0 {
            self.timeouts_in_a_row = 0;
            if self.board.outstanding() == 0 {
                self.rto_deadline = Time::NEVER;
            } else if !verdict.keeps_timer {
                self.rto_deadline = now + self.rtt.rto();
            }
            if self.board.una() == self.transfer.segments() {
                self.finish(ConnectionState::Completed, News::Completed, host);
                return;
            }
        }
        self.transmit(now, host);
    }

    /// Tells the algorithm what was delivered.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn tell_delivered(
        &mut self,
        report: &Report,
        delivery: &Delivery,
        rtt: Option<Span>,
        rate: Option<RateSample>,
        now: Time,
    ) {
        let ce_packets = self.ecn.newly_marked(report.ce_packets);
        self.counters.marks_seen += ce_packets;
        self.window_limited =
            self.usage.window_limited(|| (self.algorithm.window(), self.algorithm.ssthresh()));
        let path = self.path(now);
        let ack = Ack {
            newly_acked: delivery.newly_acked,
            advanced: delivery.advanced > 0,
            ce_packets,
            rtt,
            rate,
            feedback: report.feedback,
            packets: self.board.acked_packets(),
        };
        self.algorithm.on_ack(&ack, &path);
        self.board.clear_acked_packets();
    }

    /// Takes the RTT sample and counts rounds.
    fn measure<H: Host>(&mut self, delivery: &Delivery, now: Time, host: &mut H) -> Option<Span> {
        let newest = delivery.newest?;
        self.round.on_delivered(newest.sent_at, now);
        // Karn's rule, for all segments of this acknowledgement: those above a repaired hole may have arrived long ago.
        if delivery.any_resent {
            return None;
        }
        let rtt = now - newest.sent_at;
        self.take_rtt_sample(rtt, now, host);
        Some(rtt)
    }

    fn sample_rate(&mut self, delivery: &Delivery, prior_in_flight: u64, now: Time) -> Option<RateSample> {
        if !self.needs.rate_samples || delivery.newly_acked == 0 {
            return None;
        }
        self.delivery_rate.on_delivered(delivery.newly_acked, now);
        let newest = delivery.newest?;
        let detail = *self.board.detail(newest.number)?;
        let min_rtt = self.rtt.view().map(|view| view.min);
        let mss = self.options.mss;
        self.delivery_rate.sample(&detail, newest.sent_at, now, min_rtt, mss, prior_in_flight)
    }

    /// Does what the recovery policy decided.
    #[inline]
    pub(super) fn obey<H: Host>(&mut self, verdict: Verdict, flight: u64, now: Time, host: &mut H) {
        if verdict.ends {
            self.tell_recovered(now);
        }
        if verdict.begins {
            // A mark of the same window has cut already (RFC 3168 §6.1.2).
            let new_episode = !self.ecn.in_episode();
            self.ecn.yield_to_loss();
            self.tell_loss(Cause::Detected, new_episode, verdict.lost, now, host);
            if new_episode || self.reduction.is_none() {
                self.begin_reduction(flight);
            }
            // The fast retransmission is given a whole timeout, as Linux and ns-2 do; RFC 6298 §5 leaves it what is left.
            self.rto_deadline = now + self.rtt.rto();
        } else if verdict.lost > 0 {
            self.tell_loss(Cause::Detected, false, verdict.lost, now, host);
        }
        if verdict.passes && !self.ecn.in_episode() {
            self.tell_loss(Cause::Detected, true, 0, now, host);
            self.tell_recovered(now);
        }
        if verdict.forces {
            self.forced = self.board.next_lost().is_some();
        }
    }

    /// Begins and ends mark episodes.
    fn follow_marks<H: Host>(&mut self, report: &Report, now: Time, host: &mut H) {
        if self.ecn.is_over(self.board.una()) {
            self.tell_recovered(now);
        }
        let repairing = self.recovery.phase() != Phase::Open;
        if self.ecn.must_respond(report.echo, self.board.una(), repairing) {
            let flight = self.board.in_flight();
            self.ecn.begin(self.board.next());
            self.tell_loss(Cause::Mark, true, 0, now, host);
            self.begin_reduction(flight);
        }
    }
}
