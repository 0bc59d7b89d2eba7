// SPDX-License-Identifier: Apache-2.0
//! The reliable receiver: reassembles segments in order and acknowledges them.
//!
//! An acknowledgement carries the cumulative acknowledgement; SACK blocks (RFC 2018) if the flow uses them, and a D-SACK
//! (RFC 2883) if it can undo episodes; the echo of a timestamp (RFC 7323); ECE until the sender responds with CWR
//! (RFC 3168 §6.1.3); the count of marked packets; the routers' responses to requests; and the window, if the application
//! does not read all data at once.
//!
//! A receiver may misbehave as Savage, Cardwell, Wetherall and Anderson describe ("TCP Congestion Control with a Misbehaving
//! Receiver", 1999): it divides acknowledgements, acknowledges segments that have not arrived and conceals losses, or hides
//! marks (RFC 3168 §7).

mod ack_policy;
pub(crate) mod buffer;
mod counters;
mod reader;
mod reassembly;
mod stream;

pub use counters::ReceiverCounters;

use crate::transfer::Transfer;
use crate::{Host, TransportOptions, UndoKind, wheel};
use ack_policy::AckPolicy;
use narrows_units::{Bytes, Time};
use narrows_wire::{Body, Ecn, Feedback, FlowId, Packet, Request, SackBlocks};
use reader::Reader;
use reassembly::{Arrival, Reassembly};
use std::sync::Arc;
use stream::Stream;

/// A reliable receiver.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    options: Arc<TransportOptions>,
    transfer: Transfer,
    reassembly: Reassembly,
    policy: AckPolicy,
    /// Acknowledgements carry SACK blocks.
    selective: bool,
    /// A segment received twice since the last acknowledgement.
    dsack: Option<u64>,
    /// The timestamp to echo: `TS.Recent` (RFC 7323 §4.3).
    timestamp: u8,
    /// The number of the last acknowledgement: `Last.ACK.sent`.
    acknowledged: u64,
    /// ECE: congestion was experienced, and the sender has not responded yet.
    echo: bool,
    /// The codepoint of its packets. It equals the codepoint of the SYN, since both sides have the same algorithm.
    ecn: Ecn,
    /// The last data packet was marked.
    last_marked: bool,
    /// The routers' responses since the last acknowledgement.
    feedback: Option<Feedback>,
    handshake: AcceptState,
    counters: ReceiverCounters,
    /// State of a misbehaving receiver; `None` for a receiver that neither claims more than it has received nor divides
    /// acknowledgements.
    claim: Option<Claim>,
    /// The application, if it does not read all data at once.
    reader: Option<Box<Reader>>,
    /// The part of a stream that has arrived; `None` if the sizes of segments are known before they arrive.
    stream: Option<Box<Stream>>,
}

/// The data that a receiver with `optimistic_ack` claims to have received.
#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    /// The first segment that it does not claim to have received.
    next: u64,
    /// Segments beyond the one that arrived that it claims.
    ahead: u64,
    /// Payload of the segments that have arrived, bytes.
    delivered: u64,
}

/// The state of the handshake at the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AcceptState {
    /// No SYN has arrived.
    Listening,
    /// The SYN-ACK was sent at `sent_at`, after `retries` retransmissions, and is retransmitted at `deadline`; it answers the
    /// SYN before which `syn` others were sent.
    Accepting { syn: u64, sent_at: Time, deadline: Time, retries: u32 },
    /// An ACK or data has acknowledged the SYN-ACK.
    Accepted,
}

impl Receiver {
    /// Creates a receiver of `size` bytes of payload, endless if `None`.
    pub(crate) fn new(flow: FlowId, options: Arc<TransportOptions>, size: Option<Bytes>) -> Self {
        Self {
            flow,
            transfer: Transfer::new(size, options.mss),
            reassembly: Reassembly::default(),
            policy: AckPolicy::new(&options),
            selective: options.recovery.is_selective(),
            dsack: None,
            timestamp: 0,
            acknowledged: 0,
            echo: false,
            ecn: Ecn::NotCapable,
            last_marked: false,
            feedback: None,
            handshake: AcceptState::Listening,
            counters: ReceiverCounters::default(),
            reader: Reader::new(&options),
            stream: None,
            claim: (options.ack_division > 1 || options.optimistic_ack > 0).then(Claim::default),
            options,
        }
    }

    /// The transfer is written in parts of the given `sizes`, each above zero; segments do not span parts. Only for a
    /// flow that has not started.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        self.transfer = Transfer::of_writes(sizes, self.options.mss);
    }

    /// The transfer is written in parts of sizes that are not known yet. Only for a flow that has not started.
    pub fn expect_more_writes(&mut self) {
        self.transfer = Transfer::open(self.options.mss);
    }

    /// The application writes a stream, whose segments have sizes that are not known yet. Only for a flow that has not started.
    pub fn expect_stream(&mut self) {
        self.expect_more_writes();
        self.stream = Some(Box::default());
    }

    /// The next part has `size`, above zero; known before its first segment arrives.
    pub fn expect_write(&mut self, size: Bytes) {
        self.transfer.write(size);
    }

    /// A packet from the sender arrived.
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match packet.body {
            Body::Data { request, timestamp, payload, .. } => {
                self.on_data(packet, request, (timestamp, payload.into()), now, host);
            }
            Body::Syn { request, control } => {
                self.ecn = control;
                self.on_syn(packet.number, request, now, host);
            }
            Body::HandshakeAck => self.accept(now),
            // RFC 9293 §3.10.7.4: a segment that is not acceptable is acknowledged.
            Body::WindowProbe => self.send_ack(now, host),
            Body::SynAck { .. }
            | Body::Ack { .. }
            | Body::PartialAck
            | Body::AckWithFeedback { .. }
            | Body::AckWithWindow { .. }
            | Body::AckWithFeedbackAndWindow { .. }
            | Body::Datagram { .. }
            | Body::Echo { .. }
            | Body::Report(_) => {}
        }
    }

    /// Sends the delayed acknowledgement, if there is one.
    pub(crate) fn acknowledge<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.policy.holds() {
            self.send_ack(now, host);
        }
    }

    /// A timer may have expired. Has no effect if none has.
    pub(crate) fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        let updates_window = self.window_update() <= now;
        if self.policy.on_deadline(now) || updates_window {
            self.send_ack(now, host);
        }
        if let AcceptState::Accepting { syn, deadline, retries, .. } = self.handshake
            && now >= deadline
        {
            // No feedback: after this delay it would mislead an algorithm.
            self.send_syn_ack((syn, None), retries + 1, now, host);
        }
    }

    /// Returns when the next timer expires, of a delayed ACK or of the SYN-ACK, or when a window update is sent; `Time::NEVER` if
    /// there is none.
    pub(crate) fn next_wake(&self) -> Time {
        let acknowledges = self.policy.deadline().min(self.window_update());
        match self.handshake {
            AcceptState::Accepting { deadline, .. } => deadline.min(acknowledges),
            AcceptState::Listening | AcceptState::Accepted => acknowledges,
        }
    }

    /// When a window update is sent; `Time::NEVER` if none is. After the end of a transfer no sender waits for one.
    #[inline]
    fn window_update(&self) -> Time {
        match &self.reader {
            Some(reader) if self.reassembly.next() < self.transfer.segments() => reader.due(),
            _ => Time::NEVER,
        }
    }

    /// Returns the counts so far.
    pub(crate) fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }

    fn on_syn<H: Host>(&mut self, number: u64, request: Option<Request>, now: Time, host: &mut H) {
        let feedback = request.map(|request| feedback_on(request, None));
        match self.handshake {
            AcceptState::Listening => self.send_syn_ack((number, feedback), 0, now, host),
            // RFC 7323 §4.3: the timestamp of the first is echoed.
            AcceptState::Accepting { syn, retries, .. } => {
                self.send_syn_ack((syn, feedback), retries, now, host);
            }
            AcceptState::Accepted => {}
        }
    }

    /// An ACK or data arrived, which acknowledges the SYN-ACK.
    fn accept(&mut self, now: Time) {
        if let AcceptState::Accepting { sent_at, .. } = self.handshake {
            self.policy.on_accepted(now, now - sent_at);
        }
        self.handshake = AcceptState::Accepted;
    }

    fn on_data<H: Host>(
        &mut self,
        packet: &Packet,
        request: Option<Request>,
        (timestamp, payload): (u8, u64),
        now: Time,
        host: &mut H,
    ) {
        self.accept(now);
        self.counters.packets_received += 1;
        let marked = packet.ecn == Ecn::Ce;
        let mark_changed = marked != self.last_marked && self.options.ecn && !self.options.hide_ce;
        if mark_changed && self.policy.holds() {
            // RFC 8257 §3.2: segments with the previous mark are acknowledged separately.
            self.send_ack(now, host);
        }
        self.last_marked = marked;
        self.note_marks(packet, marked);
        if let Some(request) = request {
            self.feedback = Some(feedback_on(request, self.feedback));
        }
        // RFC 7323 §4.3, rule 2: the timestamp of a segment that starts at or before Last.ACK.sent, unless it is older. One that
        // ends before has no timestamp any more (§5.3, R2; `tcp_sequence` in Linux).
        let acceptable = packet.number <= self.acknowledged && packet.number + 1 >= self.acknowledged;
        if acceptable && timestamp.wrapping_sub(self.timestamp).cast_signed() >= 0 {
            self.timestamp = timestamp;
        }
        let before = self.reassembly.next();
        let arrival = self.reassembly.insert(packet.number);
        let next = self.reassembly.next();
        if arrival == Arrival::Duplicate {
            let reported = self.selective && self.options.undo != UndoKind::None;
            self.dsack = reported.then_some(packet.number);
        } else {
            self.counters.bytes_received += payload;
            let in_stream =
                self.stream.as_mut().map(|stream| stream.on_segment(packet.number, payload, next));
            if next != before {
                let delivered = in_stream.unwrap_or_else(|| self.transfer.payload_before(next).count());
                self.counters.bytes_delivered = delivered;
                if let Some(reader) = &mut self.reader {
                    reader.on_delivered(self.counters.bytes_delivered, now);
                }
            }
        }
        if self.claim.is_some() && self.options.optimistic_ack > 0 {
            self.on_claimed(packet.number, payload, arrival == Arrival::Duplicate);
        }
        let urgent = arrival != Arrival::InOrder || mark_changed || next == self.transfer.segments();
        if self.policy.on_segment(urgent, next != before, now) {
            self.send_ack(now, host);
        }
    }

    /// RFC 3168 §6.1.3: CWR ends the echo, unless the packet that carries it is marked.
    fn note_marks(&mut self, packet: &Packet, marked: bool) {
        if packet.ecn_echo {
            self.echo = false;
        }
        if marked && !self.options.hide_ce {
            self.echo = true;
            self.counters.ce_packets += 1;
        }
    }

    /// Segment `number` arrived at a receiver that acknowledges more than it has received. Data beyond a hole counts as
    /// delivered: the hole is never filled.
    fn on_claimed(&mut self, number: u64, payload: u64, duplicate: bool) {
        let Some(claim) = &mut self.claim else { return };
        if !duplicate {
            claim.delivered += payload;
        }
        self.counters.bytes_delivered = claim.delivered;
        // More with each segment, so that acknowledged data has been sent.
        claim.ahead = (claim.ahead + 1).min(u64::from(self.options.optimistic_ack));
        let claimed = (number + 1 + claim.ahead).min(self.transfer.segments());
        claim.next = claim.next.max(claimed);
    }

    /// Sends the acknowledgements of parts of segments that precede the acknowledgement of the whole.
    #[cold]
    fn divide_ack<H: Host>(&mut self, now: Time, host: &mut H) {
        for _ in 1..self.options.ack_division {
            self.counters.acks_sent += 1;
            let mut packet = self.packet(Body::PartialAck, now);
            packet.number = self.acknowledged;
            packet.ecn_echo = self.echo;
            host.send(packet);
        }
    }

    #[inline]
    fn send_ack<H: Host>(&mut self, now: Time, host: &mut H) {
        self.policy.on_sent();
        self.counters.acks_sent += 1;
        let next = self.reassembly.next();
        if self.claim.is_some() {
            if self.options.optimistic_ack > 0 {
                return self.send_claim(now, host);
            }
            if next > self.acknowledged {
                self.divide_ack(now, host);
            }
        }
        self.acknowledged = next;
        let (ce_packets, timestamp_echo) = (self.counters.ce_packets as u16, self.timestamp);
        let body = Body::Ack { blocks: SackBlocks::NONE, ce_packets, timestamp_echo };
        let mut packet = self.packet(body, now);
        packet.number = next;
        packet.ecn_echo = self.echo;
        let plain = self.reassembly.is_in_order() && self.dsack.is_none();
        if !plain || self.feedback.is_some() || self.reader.is_some() {
            self.fill_ack(&mut packet, now);
        }
        host.send(packet);
    }

    /// Adds to an acknowledgement, if present: SACK blocks, a D-SACK, the routers' responses, the window.
    #[inline(never)]
    fn fill_ack(&mut self, packet: &mut Packet, now: Time) {
        let (next, dsack) = (packet.number, self.dsack.take());
        let blocks = self.reassembly.blocks().take(if self.selective { usize::MAX } else { 0 });
        let window = self.reader.as_mut().map(|reader| reader.advertise(now));
        let (ce_packets, timestamp_echo) = (self.counters.ce_packets as u16, self.timestamp);
        packet.body = match (self.feedback.take(), window) {
            (None, None) => {
                Body::Ack { blocks: SackBlocks::new(next, dsack, blocks), ce_packets, timestamp_echo }
            }
            (Some(feedback), None) => {
                let blocks = SackBlocks::new(next, dsack, blocks);
                Body::AckWithFeedback { blocks, feedback, ce_packets, timestamp_echo }
            }
            (None, Some(window)) => {
                let blocks = SackBlocks::new(next, dsack, blocks);
                Body::AckWithWindow { blocks, window, ce_packets, timestamp_echo }
            }
            (Some(feedback), Some(window)) => {
                let blocks = SackBlocks::new(next, dsack, blocks);
                Body::AckWithFeedbackAndWindow { blocks, feedback, window, ce_packets, timestamp_echo }
            }
        };
    }

    /// Sends an acknowledgement without blocks of the data that the receiver claims to have received.
    #[cold]
    fn send_claim<H: Host>(&mut self, now: Time, host: &mut H) {
        let next = self.claim.map_or(self.acknowledged, |claim| claim.next);
        if next > self.acknowledged {
            self.divide_ack(now, host);
        }
        self.acknowledged = next;
        self.dsack = None;
        let (ce_packets, timestamp_echo) = (self.counters.ce_packets as u16, self.timestamp);
        let body = match self.feedback.take() {
            None => Body::Ack { blocks: SackBlocks::NONE, ce_packets, timestamp_echo },
            Some(feedback) => {
                Body::AckWithFeedback { blocks: SackBlocks::NONE, feedback, ce_packets, timestamp_echo }
            }
        };
        let mut packet = self.packet(body, now);
        packet.number = next;
        packet.ecn_echo = self.echo;
        host.send(packet);
    }

    /// Sends the SYN-ACK that answers SYN number `syn`, from 0. It is retransmitted after a timeout that doubles each time (RFC 6298 §5), `syn_retries` times.
    fn send_syn_ack<H: Host>(
        &mut self,
        (syn, feedback): (u64, Option<Feedback>),
        retries: u32,
        now: Time,
        host: &mut H,
    ) {
        let deadline = if retries > self.options.syn_retries {
            Time::NEVER
        } else {
            wheel::expiry(now, self.options.initial_rto * (1 << retries.min(16)), self.options.timer_tick)
        };
        self.handshake = AcceptState::Accepting { syn, sent_at: now, deadline, retries };
        if retries <= self.options.syn_retries {
            host.send(Packet { number: syn, ..self.packet(Body::SynAck { feedback }, now) });
        }
    }

    fn packet(&self, body: Body, now: Time) -> Packet {
        Packet { ecn: self.ecn, ..Packet::new(self.flow, 0, self.options.ack, body, now) }
    }
}

/// The routers' response in `request`, combined with `earlier` feedback that has not been sent back: changes of
/// throughput add up, and of two levels the higher counts.
fn feedback_on(request: Request, earlier: Option<Feedback>) -> Feedback {
    match (request, earlier) {
        (Request::Xcp { delta, .. }, Some(Feedback::Delta(earlier))) => Feedback::Delta(earlier + delta),
        (Request::Xcp { delta, .. }, _) => Feedback::Delta(delta),
        // RFC 4782 §4.3: a router on the path did not process the request.
        (Request::QuickStart { ttl_difference: 1.., .. }, _) => Feedback::Rate(0.0),
        (Request::QuickStart { rate, .. } | Request::Rate { rate, .. }, _) => Feedback::Rate(rate),
        (Request::Level(level), Some(Feedback::Level(earlier))) => Feedback::Level(level.max(earlier)),
        (Request::Level(level), _) => Feedback::Level(level),
        (Request::Price(price), _) => Feedback::Price(price),
        (Request::Load { threshold, above, overload }, _) => Feedback::Load { threshold, above, overload },
    }
}
