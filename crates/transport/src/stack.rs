//! Endpoints of a connection that a protocol stack outside the simulator carries, such as that of a kernel.
//!
//! They execute no protocol: they pass arriving packets to the stack, send what it sends, and keep the counts and the state
//! that it reports, so that the host above them and its records are the same as for a simulated endpoint.

use crate::sender::SenderCore;
use crate::{ConnectionState, Host, Limit, ReceiverCounters, Rule, TransportEvent};
use narrows_cc::{Cause, RttView};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Direction, Ecn, FlowId, Packet, SackBlocks};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// A request of an endpoint to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackRequest {
    /// Opens the connection.
    Open(FlowId),
    /// Writes this much payload to the connection; `None` for an endless supply.
    Write(FlowId, Option<Bytes>),
    /// A packet has arrived at the stack.
    Deliver {
        /// Its connection.
        flow: FlowId,
        /// The direction in which it travelled.
        direction: Direction,
        /// The number under which the stack sent it.
        handle: u64,
        /// Its ECN field, which the network may have changed.
        ecn: Ecn,
    },
    /// The connection has ended, and is removed.
    Close(FlowId),
}

/// The requests of all endpoints to one stack, in order of time.
#[derive(Clone, Debug, Default)]
pub struct StackPort(Arc<Mutex<VecDeque<StackRequest>>>);

impl StackPort {
    /// Adds `request` behind all others.
    pub fn push(&self, request: StackRequest) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(request);
    }

    /// Removes and returns the first request; `None` if there is none.
    pub fn pop(&self) -> Option<StackRequest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Whether there is no request.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The state of a connection in the stack.
#[expect(clippy::struct_excessive_bools, reason = "what a stack reports, one by one")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackState {
    /// Whether the connection is established.
    pub established: bool,
    /// Whether the stack has aborted the connection.
    pub aborted: bool,
    /// Congestion window, packets; 0 if it is not known.
    pub window: u32,
    /// Slow-start threshold, packets; `None` for infinite.
    pub ssthresh: Option<u32>,
    /// Packets sent, not acknowledged and not declared lost.
    pub in_flight: u32,
    /// The round-trip time estimate; `None` before the first sample.
    pub rtt: Option<RttView>,
    /// Pacing rate, of bytes on the wire; `None` if packets are not paced.
    pub pacing_rate: Option<Rate>,
    /// Payload acknowledged cumulatively, bytes.
    pub bytes_acked: u64,
    /// Packets acknowledged in any way; wraps.
    pub delivered: u32,
    /// Packets declared lost.
    pub lost: u32,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Reductions of the window.
    pub reductions: u32,
    /// The window before the last reduction, packets.
    pub before_reduction: u32,
    /// Whether the window is being reduced, for this cause.
    pub reducing: Option<Cause>,
    /// Whether it asked for ECN and does without.
    pub lacks_ecn: bool,
    /// Whether the window stopped the stack at its last attempt to send.
    pub window_limited: bool,
}

/// The sending endpoint of a connection that the stack carries.
#[derive(Debug)]
pub(crate) struct StackSender {
    core: SenderCore,
    port: StackPort,
    state: StackState,
    /// Whether the window was being reduced before or after the last report.
    reduces: bool,
    /// Window and threshold before the last reduction; `None` if it was undone.
    reduced: Option<(u32, Option<u32>)>,
    /// Timeouts before the connection was established.
    syn_timeouts: u64,
    /// Payload of the transfer; `None` if it is endless.
    size: Option<Bytes>,
    /// Payload of the transfer that has not been written; `None` if it is endless.
    unwritten: Option<Bytes>,
    waits_for_offers: bool,
    /// End of the data sent so far: payload from the start of the connection, bytes.
    sent_end: u64,
}

/// A packet that the stack sends.
#[derive(Clone, Copy, Debug)]
pub struct StackPacket {
    /// The number under which the stack knows it, until it has been delivered or lost: below the number of packets that the
    /// network has held at a time.
    pub handle: u64,
    /// What the logs show: the number of its segment from 0, or of the first that has not been received.
    pub number: u64,
    /// Size on the wire, headers included.
    pub size: Bytes,
    /// Payload.
    pub payload: Bytes,
    /// Position of the payload in the stream, bytes from the start of the connection.
    pub position: u64,
    /// Whether it opens or accepts the connection.
    pub syn: bool,
    /// The ECN field.
    pub ecn: Ecn,
}

impl StackSender {
    pub(crate) fn new(core: SenderCore, size: Option<Bytes>, port: StackPort) -> Self {
        let state = StackState::default();
        Self {
            core,
            port,
            state,
            reduces: false,
            reduced: None,
            syn_timeouts: 0,
            size,
            unwritten: size,
            waits_for_offers: false,
            sent_end: 0,
        }
    }

    pub(crate) fn core(&self) -> &SenderCore {
        &self.core
    }

    pub(crate) fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    /// Opens the connection, and writes the transfer unless it is offered in parts.
    pub(crate) fn open(&mut self) {
        if self.core.state == ConnectionState::Closed {
            self.core.state = ConnectionState::Connecting;
            self.port.push(StackRequest::Open(self.core.flow));
            if !self.waits_for_offers {
                self.port.push(StackRequest::Write(self.core.flow, self.unwritten));
                self.unwritten = self.unwritten.map(|_| Bytes::ZERO);
            }
        }
    }

    pub(crate) fn wait_for_offers(&mut self) {
        self.waits_for_offers = true;
    }

    /// Writes `segments` more segments.
    pub(crate) fn offer(&mut self, segments: u64) {
        let all = Bytes::new(segments.saturating_mul(self.core.options.mss.count()));
        let bytes = self.unwritten.map_or(all, |left| left.min(all));
        self.unwritten = self.unwritten.map(|left| left - bytes);
        self.port.push(StackRequest::Write(self.core.flow, Some(bytes)));
    }

    /// Passes `packet` to the stack.
    pub(crate) fn on_packet(&mut self, packet: &Packet) {
        self.core.counters.acks_received += 1;
        deliver(&self.port, packet);
    }

    /// The stack sends `packet`.
    pub(crate) fn send<H: Host>(&mut self, packet: &StackPacket, host: &mut H, now: Time) {
        let counters = &mut self.core.counters;
        let body = if packet.syn {
            counters.syns_sent += 1;
            Body::Syn { request: None }
        } else if packet.payload > Bytes::ZERO {
            let retransmission = packet.position < self.sent_end;
            self.sent_end = self.sent_end.max(packet.position + packet.payload.count());
            counters.packets_sent += 1;
            counters.bytes_sent += packet.size.count();
            counters.retransmissions += u64::from(retransmission);
            Body::Data { request: None, payload: packet.payload.count() as u16, retransmission, timestamp: 0 }
        } else {
            Body::HandshakeAck
        };
        host.send(on_wire(self.core.flow, packet, body, now));
    }

    /// The stack reports its `state` of the connection.
    pub(crate) fn update<H: Host>(&mut self, state: StackState, now: Time, host: &mut H) {
        let mut before = std::mem::replace(&mut self.state, state);
        self.reduces = before.reducing.is_some() || state.reducing.is_some();
        if self.core.state == ConnectionState::Connecting && state.established {
            self.core.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
            // What the stack has counted so far are timeouts of the SYN.
            self.syn_timeouts = state.timeouts;
            self.core.counters.timeouts = 0;
            (before.timeouts, before.reductions) = (state.timeouts, state.reductions);
        }
        if let Some(rtt) = state.rtt
            && state.delivered != before.delivered
            && rtt.latest > Span::ZERO
        {
            host.notify(TransportEvent::RttSample(rtt.latest));
        }
        let lost = state.lost.saturating_sub(before.lost);
        self.core.count_losses(lost.into(), state.rtt.map(|rtt| rtt.smoothed), now);
        self.report_reductions(&before, host);
        self.report_undo(&before, host);
        let counters = &mut self.core.counters;
        counters.timeouts = counters.timeouts.max(state.timeouts - self.syn_timeouts);
        counters.bytes_acked = state.bytes_acked;
        let limit = if state.window_limited { Limit::Window } else { Limit::Application };
        self.core.limited_by = limit;
        if self.core.state == ConnectionState::Established {
            if state.aborted {
                self.core.state = ConnectionState::GaveUp;
                host.notify(TransportEvent::GaveUp);
            } else if self.size.is_some_and(|size| state.bytes_acked >= size.count()) {
                self.core.state = ConnectionState::Completed;
                host.notify(TransportEvent::Completed);
            }
        } else if self.core.state == ConnectionState::Connecting && state.aborted {
            self.core.state = ConnectionState::GaveUp;
            host.notify(TransportEvent::GaveUp);
        }
    }

    /// Reports the reductions since the state was that `before`. One acknowledgement can end a recovery and begin the next.
    fn report_reductions<H: Host>(&mut self, before: &StackState, host: &mut H) {
        let state = self.state;
        let timeout = state.timeouts > before.timeouts;
        // A reduction that was undone at once has left no state.
        let cause = state.reducing.unwrap_or(if timeout { Cause::Timeout } else { Cause::Detected });
        let rule = match cause {
            Cause::Detected => Rule::Stack,
            Cause::Timeout => Rule::Timeout,
            Cause::Mark => Rule::Mark,
        };
        for _ in before.reductions..state.reductions {
            let window = f64::from(state.before_reduction.max(1));
            let after = state.ssthresh.map_or(f64::from(state.window), f64::from).min(window);
            let windows = (Some(window), before.ssthresh.map(f64::from));
            self.core.report_reduction((cause, rule), windows, Some(after), host);
            if before.reducing.is_none() {
                self.reduced = Some((state.before_reduction, before.ssthresh));
            }
        }
    }

    /// Reports that the last reduction was undone: window and threshold are what they were before it, or more.
    fn report_undo<H: Host>(&mut self, before: &StackState, host: &mut H) {
        let threshold = |of: Option<u32>| of.unwrap_or(u32::MAX);
        let now = threshold(self.state.ssthresh);
        let undone = self.state.reductions == before.reductions
            && now > threshold(before.ssthresh)
            && self
                .reduced
                .is_some_and(|(window, ssthresh)| self.state.window >= window && now >= threshold(ssthresh));
        if undone {
            self.reduced = None;
            host.notify(TransportEvent::Undone(Rule::Stack));
        }
    }

    pub(crate) fn window(&self) -> Option<f64> {
        (self.state.established && self.state.window > 0).then_some(f64::from(self.state.window))
    }

    /// Slow-start threshold, packets; infinite while unset.
    pub(crate) fn ssthresh(&self) -> f64 {
        self.state.ssthresh.map_or(f64::INFINITY, f64::from)
    }

    /// Whether a smaller window is a step of a reduction that was reported, or one of an algorithm with a rate.
    pub(crate) fn lowers_window_in_steps(&self) -> bool {
        self.reduces || self.state.pacing_rate.is_some()
    }

    /// The state that the stack reported last.
    pub(crate) fn reported(&self) -> &StackState {
        &self.state
    }
}

impl Drop for StackSender {
    fn drop(&mut self) {
        self.port.push(StackRequest::Close(self.core.flow));
    }
}

/// The receiving endpoint of a connection that the stack carries.
#[derive(Debug)]
pub(crate) struct StackReceiver {
    flow: FlowId,
    port: StackPort,
    counters: ReceiverCounters,
}

impl StackReceiver {
    pub(crate) fn new(flow: FlowId, port: StackPort) -> Self {
        Self { flow, port, counters: ReceiverCounters::default() }
    }

    /// Passes `packet` to the stack.
    pub(crate) fn on_packet(&mut self, packet: &Packet) {
        if matches!(packet.body, Body::Data { .. }) {
            self.counters.packets_received += 1;
            self.counters.ce_packets += u64::from(packet.ecn == Ecn::Ce);
        }
        deliver(&self.port, packet);
    }

    /// The stack sends `packet`.
    pub(crate) fn send<H: Host>(&mut self, packet: &StackPacket, host: &mut H, now: Time) {
        let body = if packet.syn {
            Body::SynAck { feedback: None }
        } else {
            self.counters.acks_sent += 1;
            Body::Ack { blocks: SackBlocks::NONE, ce_packets: 0, timestamp_echo: 0 }
        };
        host.send(on_wire(self.flow, packet, body, now));
    }

    /// The stack has delivered `bytes` of payload in order, and does not say what it has received beyond.
    pub(crate) fn update(&mut self, bytes: u64) {
        self.counters.bytes_delivered = bytes;
        self.counters.bytes_received = bytes;
    }

    pub(crate) fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }
}

fn deliver(port: &StackPort, packet: &Packet) {
    port.push(StackRequest::Deliver {
        flow: packet.flow,
        direction: packet.direction(),
        handle: packet.number,
        ecn: packet.ecn,
    });
}

fn on_wire(flow: FlowId, packet: &StackPacket, body: Body, now: Time) -> Packet {
    let mut sent = Packet::new(flow, packet.handle, packet.size, body, now);
    sent.ecn = packet.ecn;
    sent
}

/// A round-trip time estimate of the stack, in microseconds; `None` before the first sample.
pub fn rtt_view(latest_us: u32, smoothed_us: u32, min_us: u32) -> Option<RttView> {
    let span = |us: u32| Span::from_ps(u64::from(us) * 1_000_000);
    (smoothed_us > 0).then(|| RttView {
        latest: span(latest_us),
        min: span(min_us),
        smoothed: span(smoothed_us),
        variation: Span::ZERO,
    })
}
