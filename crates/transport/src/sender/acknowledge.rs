// SPDX-License-Identifier: Apache-2.0
//! Acknowledgements at a sender.

use super::{ConnectionState, Sender};
use crate::recovery::{Delivery, RecoveryAction};
use crate::{Host, Rule, TransportEvent};
use narrows_cc::{Ack, AckCounting, Cause, RateSample};
use narrows_units::{Span, Time};
use narrows_wire::{Block, Feedback, Packet};

/// The fields of an acknowledgement, except its SACK blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckFields {
    /// The cumulative acknowledgement: the first segment not received in order.
    pub(super) next: u64,
    /// ECE: congestion was experienced.
    echo: bool,
    /// The receiver's count of marked packets; wraps.
    ce_packets: u16,
    timestamp_echo: u8,
    /// Time at which the receiver sent it.
    sent_at: Time,
    /// A segment that was received twice (RFC 2883).
    dsack: Option<u64>,
    feedback: Option<Feedback>,
    /// The edge of the receiver's window moved.
    pub(super) opens_window: bool,
}

impl AckFields {
    pub(super) fn new(
        packet: &Packet,
        ce_packets: u16,
        timestamp_echo: u8,
        dsack: Option<u64>,
        feedback: Option<Feedback>,
    ) -> Self {
        let (next, echo, sent_at) = (packet.number, packet.ecn_echo, packet.sent_at);
        Self { next, echo, ce_packets, timestamp_echo, sent_at, dsack, feedback, opens_window: false }
    }
}

impl Sender {
    pub(super) fn on_ack<H: Host>(
        &mut self,
        fields: &AckFields,
        blocks: impl Iterator<Item = Block>,
        now: Time,
        host: &mut H,
    ) {
        if self.core.status.state != ConnectionState::Established
            || fields.next > self.recovery.board().next()
        {
            return;
        }
        let prior_in_flight = self.in_flight();
        let AckFields { next, timestamp_echo, dsack, opens_window, .. } = *fields;
        let mut delivery = Delivery { dsack, ..Delivery::default() };
        self.recovery.acknowledge(next, timestamp_echo, opens_window, blocks, &mut delivery);
        let counters = &mut self.core.status.counters;
        counters.segments_acked += delivery.advanced;
        let una = self.recovery.board().una();
        counters.bytes_acked = self.core.data.transfer().payload_before(una).count();
        let delivered = delivery.newly_acked > 0 || delivery.advanced > 0;
        if delivered || delivery.duplicate_ack || delivery.dsack.is_some() {
            self.process(fields, &delivery, prior_in_flight, now, host);
        } else if fields.opens_window {
            self.transmit(now, host);
        }
    }

    /// Responds to an acknowledgement of a part of segment `number`, the first unacknowledged. A sender that counts bytes (RFC
    /// 3465) or segments counts it with the rest; one that counts acknowledgements grows its window for each (Savage et al.
    /// 1999 §2.1). An algorithm that is notified of all acknowledgements decides itself.
    #[cold]
    pub(super) fn on_partial_ack<H: Host>(&mut self, number: u64, now: Time, host: &mut H) {
        let board = self.recovery.board();
        let current = number == board.una() && board.outstanding() > 0;
        if self.core.status.state != ConnectionState::Established || !current {
            return;
        }
        let algorithm = &self.core.algorithm;
        let newly_acked = match self.core.options.ack_counting {
            _ if self.core.needs.partial_acks => 0,
            AckCounting::Acks if algorithm.ssthresh().is_some() => 1,
            _ => return,
        };
        self.window_limited = self.usage.is_limited(|| (algorithm.window(), algorithm.ssthresh()));
        let path = self.path(now);
        let ack = Ack::new(newly_acked);
        self.core.algorithm.on_ack(&ack, &path);
        self.transmit(now, host);
    }

    /// Responds to an acknowledgement that has been entered on the scoreboard.
    #[inline]
    fn process<H: Host>(
        &mut self,
        fields: &AckFields,
        delivery: &Delivery,
        prior_in_flight: u64,
        now: Time,
        host: &mut H,
    ) {
        let rtt = self.sample_rtt(delivery, now, host);
        let rate = self.sample_rate(delivery, prior_in_flight, now);

        let may_send = self.recovery.judges_timeout() && self.limit_on_new::<false>().is_none();
        if let Some(rule) = self.recovery.is_spurious(delivery, may_send) {
            self.undo_episode(rule, now, host);
        }
        // Before losses are detected: the packets that the window covered until now.
        let flight = self.in_flight() + delivery.newly_acked;
        let action = self.recovery.on_ack(delivery, Self::context(&self.core, now));
        if !action.is_empty() {
            self.apply(action, flight, now, host);
        }
        if self.core.ecn.is_used() {
            self.respond_to_marks(fields, now, host);
        }

        if delivery.newly_acked > 0 {
            self.report_delivered(fields, delivery, rtt, rate, now);
            self.handshake.on_acked(delivery.newly_acked, self.core.algorithm.as_ref());
        }
        self.recovery.update_reduction(delivery, action.lost);
        if delivery.advanced > 0 {
            self.core.timer.on_cumulative_ack(self.recovery.board().outstanding(), action.keep_timer, now);
            if self.recovery.board().una() == self.core.data.transfer().segments() {
                self.finish(ConnectionState::Completed, TransportEvent::Completed, host);
                return;
            }
        } else if delivery.newly_sacked > 0 {
            let newest = delivery.newest.filter(|newest| !newest.retransmitted);
            if newest.is_some_and(|newest| newest.sent_at < self.recovery.head_sent_at()) {
                self.core.timer.on_sack_of_earlier(now);
            }
        }
        self.transmit(now, host);
    }

    /// Reports deliveries to the algorithm.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn report_delivered(
        &mut self,
        fields: &AckFields,
        delivery: &Delivery,
        rtt: Option<Span>,
        rate: Option<RateSample>,
        now: Time,
    ) {
        let ce_packets = self.core.count_marks(fields.ce_packets);
        self.window_limited = self.is_window_limited();
        let path = self.path(now);
        // Assigned, not chained: a chain copies the sample of the rate twice, at every acknowledgement.
        let mut ack = Ack::new(delivery.newly_acked);
        ack.advanced = delivery.advanced > 0;
        ack.ce_packets = ce_packets;
        ack.rtt = rtt;
        ack.one_way = self.one_way_delay(fields, delivery);
        ack.rate = rate;
        ack.feedback = fields.feedback;
        ack.packets = self.recovery.board_mut().acked_packets();
        self.core.algorithm.on_ack(&ack, &path);
        self.recovery.board_mut().clear_acked_packets();
    }

    /// Whether the window was the limit, or may grow although it was not.
    #[inline]
    pub(super) fn is_window_limited(&mut self) -> bool {
        let algorithm = &self.core.algorithm;
        !self.core.options.window_validation
            || self.usage.is_limited(|| (algorithm.window(), algorithm.ssthresh()))
            || self.core.options.rate_limited_increase
                && self.usage.may_grow_unfilled(algorithm.window(), algorithm.ssthresh())
    }

    /// Returns the one-way delay of the newest packet, unless the receiver may have delayed the acknowledgement.
    fn one_way_delay(&self, fields: &AckFields, delivery: &Delivery) -> Option<Span> {
        let at_once =
            delivery.newly_sacked > 0 || delivery.newly_acked >= u64::from(self.core.options.delayed_ack);
        let newest = delivery.newest.filter(|_| at_once && !delivery.any_retransmitted)?;
        Some(fields.sent_at.since(newest.sent_at))
    }

    /// Takes a round-trip time sample and counts rounds.
    fn sample_rtt<H: Host>(&mut self, delivery: &Delivery, now: Time, host: &mut H) -> Option<Span> {
        let newest = delivery.newest?;
        self.core.round.on_delivered(newest.sent_at, now);
        if !delivery.any_retransmitted {
            return Some(self.core.take_rtt_sample(now - newest.sent_at, now, host));
        }
        // Karn's algorithm, for all segments of this acknowledgement: those above a repaired hole may have arrived long
        // ago. The timestamp says when the segment was sent that arrived now (RFC 6298 §3, RFC 7323 §4), unless it
        // belongs to another segment of the episode, and an original arrived that was late.
        let (tick, rtt) = (TIMESTAMP_CLOCK.max(self.core.options.rtt_clock), now - delivery.echoed_sent_at?);
        let too_short = self.core.timer.rtt().is_some_and(|known| rtt < known.min);
        (!too_short).then(|| self.core.take_rtt_sample_by(tick, rtt, now, host))
    }

    fn sample_rate(&mut self, delivery: &Delivery, prior_in_flight: u64, now: Time) -> Option<RateSample> {
        if !self.core.needs.rate_samples || delivery.newly_acked == 0 {
            return None;
        }
        self.delivery_rate.on_delivered(delivery.newly_acked, now);
        let newest = delivery.newest?;
        let detail = *self.recovery.board().detail(newest.number)?;
        let min_rtt = self.core.timer.rtt().map(|rtt| rtt.min);
        let mss = self.core.options.mss;
        self.delivery_rate.sample(&detail, newest.sent_at, now, min_rtt, mss, prior_in_flight)
    }

    /// Applies what loss recovery decided. `flight`: packets in flight before the losses.
    #[inline]
    pub(super) fn apply<H: Host>(&mut self, action: RecoveryAction, flight: u64, now: Time, host: &mut H) {
        if action.exit {
            self.report_recovered(now, host);
        }
        let rule = (Cause::Detected, self.recovery.rule(action.enter));
        if action.enter {
            host.notify(TransportEvent::RecoveryStarted(rule.1));
            // A mark of the same window has reduced it already (RFC 3168 §6.1.2).
            let new_episode = !self.core.ecn.in_episode();
            self.core.ecn.on_loss_episode();
            self.report_loss(rule, new_episode, action.lost, now, host);
            if new_episode || !self.recovery.is_reducing() {
                self.start_rate_reduction(flight);
            }
            if !action.again {
                self.core.timer.on_fast_retransmit(now);
            }
        } else if action.lost > 0 {
            self.report_loss(rule, false, action.lost, now, host);
        }
        if action.probe_repaired && !self.core.ecn.in_episode() {
            host.notify(TransportEvent::RecoveryStarted(Rule::Probe));
            self.report_loss((Cause::Detected, Rule::Probe), true, 0, now, host);
            self.report_recovered(now, host);
        }
        if action.force_retransmit {
            self.recovery.force_retransmit();
        }
    }

    /// Starts and ends mark episodes.
    fn respond_to_marks<H: Host>(&mut self, fields: &AckFields, now: Time, host: &mut H) {
        let una = self.recovery.board().una();
        if self.core.ecn.on_cumulative_ack(una) {
            self.report_recovered(now, host);
        }
        if self.core.ecn.must_respond(fields.echo, una, self.recovery.is_recovering()) {
            let flight = self.in_flight();
            self.core.ecn.start_episode(self.recovery.board().next());
            host.notify(TransportEvent::RecoveryStarted(Rule::Mark));
            self.report_loss((Cause::Mark, Rule::Mark), true, 0, now, host);
            self.start_rate_reduction(flight);
        }
    }
}

/// The clock of timestamps: milliseconds, as in Linux (RFC 7323 §5.4 permits 1 ms to 1 s).
const TIMESTAMP_CLOCK: Span = Span::from_ms(1);
