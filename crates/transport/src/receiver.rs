//! The receiver: puts segments in order and acknowledges them.
//!
//! Acknowledgements carry the cumulative point, the runs beyond it if the flow uses selective acknowledgements
//! (RFC 2018) and a segment that arrived again if the flow undoes (RFC 2883), a time stamp, the echo of congestion until the sender answers with CWR (RFC 3168 §6.1.3), the count of marked packets,
//! and what routers answered to requests.

mod ack_policy;
mod buffer;
mod counters;
mod reassembly;

pub use counters::ReceiverCounters;

use crate::transfer::Transfer;
use crate::{Host, RecoveryKind, TransportOptions, UndoKind};
use ack_policy::AckPolicy;
use narrows_units::{Bytes, Time};
use narrows_wire::{Body, Ecn, Feedback, FlowId, Packet, Request, SackBlocks};
use reassembly::{Arrival, Reassembly};
use std::sync::Arc;

/// A receiver.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    options: Arc<TransportOptions>,
    transfer: Transfer,
    reassembly: Reassembly,
    policy: AckPolicy,
    selective: bool,
    /// The segment that arrived again since the last acknowledgement.
    duplicate: Option<u64>,
    /// The time stamp to echo: TS.Recent (RFC 7323 §4.3).
    timestamp: u8,
    /// The number of the last acknowledgement: Last.ACK.sent.
    acknowledged: u64,
    /// Congestion was seen and the sender has not answered yet (ECE).
    echo: bool,
    /// The last data packet arrived marked.
    last_marked: bool,
    /// What routers answered since the last acknowledgement.
    feedback: Option<Feedback>,
    handshake: AcceptState,
    counters: ReceiverCounters,
}

/// How far the receiver has come in accepting the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AcceptState {
    /// No SYN yet.
    Listening,
    /// The SYN-ACK is out; when it goes again, and how often it has.
    Accepting { sent_at: Time, deadline: Time, retries: u32 },
    /// An ACK or data proved that it arrived.
    Accepted,
}

impl Receiver {
    /// A receiver of `size` bytes of payload, endless where `None`.
    pub fn new(flow: FlowId, options: Arc<TransportOptions>, size: Option<Bytes>) -> Self {
        Self {
            flow,
            transfer: Transfer::new(size, options.mss),
            reassembly: Reassembly::default(),
            policy: AckPolicy::new(&options),
            selective: matches!(options.recovery, RecoveryKind::Sack | RecoveryKind::Rack),
            duplicate: None,
            timestamp: 0,
            acknowledged: 0,
            echo: false,
            last_marked: false,
            feedback: None,
            handshake: AcceptState::Listening,
            counters: ReceiverCounters::default(),
            options,
        }
    }

    /// The transfer is written in parts of the given `sizes`, each above zero, that share no segment. For a flow that has
    /// not begun.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        self.transfer = Transfer::of_writes(sizes, self.options.mss);
    }

    /// Takes in a packet from the sender.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match packet.body {
            Body::Data { request, timestamp, .. } => self.on_data(packet, request, timestamp, now, host),
            Body::Syn { request } => self.on_syn(request, now, host),
            Body::Established => self.accept(now),
            Body::SynAck { .. }
            | Body::Ack { .. }
            | Body::Answer { .. }
            | Body::Datagram { .. }
            | Body::Echo { .. }
            | Body::Report(_) => {}
        }
    }

    /// Some deadline may be due; harmless if none is.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        if now >= self.policy.deadline() {
            self.send_ack(now, host);
        }
        if let AcceptState::Accepting { deadline, retries, .. } = self.handshake
            && now >= deadline
        {
            // Whoever asked has waited too long by now to know the round trip.
            self.send_syn_ack(None, retries + 1, now, host);
        }
    }

    /// The earliest deadline: a held acknowledgement, or a SYN-ACK without an answer; `Time::NEVER` if there is none.
    pub fn next_wake(&self) -> Time {
        match self.handshake {
            AcceptState::Accepting { deadline, .. } => deadline.min(self.policy.deadline()),
            AcceptState::Listening | AcceptState::Accepted => self.policy.deadline(),
        }
    }

    /// Counts so far.
    pub fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }

    fn on_syn<H: Host>(&mut self, request: Option<Request>, now: Time, host: &mut H) {
        let feedback = request.map(|request| answer(request, None));
        match self.handshake {
            AcceptState::Listening => self.send_syn_ack(feedback, 0, now, host),
            AcceptState::Accepting { retries, .. } => self.send_syn_ack(feedback, retries, now, host),
            AcceptState::Accepted => {}
        }
    }

    /// An ACK or data arrived, so the SYN-ACK did.
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
        timestamp: u8,
        now: Time,
        host: &mut H,
    ) {
        self.accept(now);
        self.counters.packets_received += 1;
        let marked = packet.ecn == Ecn::Ce;
        let mark_changed = marked != self.last_marked && self.options.ecn;
        if mark_changed && self.policy.holds() {
            // RFC 8257 §3.2: what was received under the other mark is acknowledged apart.
            self.send_ack(now, host);
        }
        self.last_marked = marked;
        self.note_marks(packet, marked);
        if let Some(request) = request {
            self.feedback = Some(answer(request, self.feedback));
        }
        // RFC 7323 §4.3, rule 2: of a segment that may have let the acknowledgement advance, unless its stamp is older.
        if packet.number <= self.acknowledged && timestamp.wrapping_sub(self.timestamp).cast_signed() >= 0 {
            self.timestamp = timestamp;
        }
        let before = self.reassembly.next();
        let arrival = self.reassembly.insert(packet.number);
        let next = self.reassembly.next();
        if arrival == Arrival::Duplicate {
            self.counters.duplicates += 1;
            let reports = self.selective && self.options.undo != UndoKind::None;
            self.duplicate = reports.then_some(packet.number);
        } else if next != before {
            self.counters.bytes_delivered = self.transfer.payload_before(next).count();
        }
        let urgent = arrival != Arrival::InOrder || mark_changed || next == self.transfer.segments();
        if self.policy.on_segment(urgent, now) {
            self.send_ack(now, host);
        }
    }

    /// RFC 3168 §6.1.3: CWR ends the echo, unless the very packet that carries it was marked.
    fn note_marks(&mut self, packet: &Packet, marked: bool) {
        if packet.ecn_echo {
            self.echo = false;
        }
        if marked {
            self.echo = true;
            self.counters.ce_packets += 1;
        }
    }

    #[inline]
    fn send_ack<H: Host>(&mut self, now: Time, host: &mut H) {
        self.policy.on_sent();
        self.counters.acks_sent += 1;
        let next = self.reassembly.next();
        let ce_packets = self.counters.ce_packets as u16;
        let reported = if self.selective { usize::MAX } else { 0 };
        let blocks = self.reassembly.blocks().take(reported);
        let in_order = self.reassembly.is_in_order();
        let (duplicate, timestamp_echo) = (self.duplicate.take(), self.timestamp);
        self.acknowledged = next;
        let body = match self.feedback.take() {
            None if in_order && duplicate.is_none() => {
                Body::Ack { blocks: SackBlocks::NONE, ce_packets, timestamp_echo }
            }
            None => {
                Body::Ack { blocks: SackBlocks::new(next, duplicate, blocks), ce_packets, timestamp_echo }
            }
            Some(feedback) => {
                let blocks = SackBlocks::new(next, duplicate, blocks);
                Body::Answer { blocks, feedback, ce_packets, timestamp_echo }
            }
        };
        let mut packet = self.packet(body, now);
        packet.number = next;
        packet.ecn_echo = self.echo;
        host.send(packet);
    }

    /// Sends the SYN-ACK, again after a timeout that doubles each time (RFC 6298 §5); gives up as the sender does.
    fn send_syn_ack<H: Host>(&mut self, feedback: Option<Feedback>, retries: u32, now: Time, host: &mut H) {
        let deadline = if retries > self.options.syn_retries {
            Time::NEVER
        } else {
            now + self.options.initial_rto * (1 << retries.min(16))
        };
        self.handshake = AcceptState::Accepting { sent_at: now, deadline, retries };
        if retries <= self.options.syn_retries {
            host.send(self.packet(Body::SynAck { feedback }, now));
        }
    }

    fn packet(&self, body: Body, now: Time) -> Packet {
        Packet {
            stamp: now,
            sent_at: now,
            number: 0,
            flow: self.flow,
            size: self.options.ack.count() as u16,
            next: 0,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body,
        }
    }
}

/// What the routers left in a request, on top of what is still to be sent back; changes of throughput add up.
fn answer(request: Request, before: Option<Feedback>) -> Feedback {
    match (request, before) {
        (Request::Xcp { delta, .. }, Some(Feedback::Delta(before))) => Feedback::Delta(before + delta),
        (Request::Xcp { delta, .. }, _) => Feedback::Delta(delta),
        // RFC 4782 §4.3: a router on the path did not take part.
        (Request::QuickStart { ttl_difference: 1.., .. }, _) => Feedback::Rate(0.0),
        (Request::QuickStart { rate, .. } | Request::Rate { rate, .. }, _) => Feedback::Rate(rate),
    }
}
