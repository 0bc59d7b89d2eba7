// SPDX-License-Identifier: Apache-2.0
//! The sending endpoint of a connection that a stack carries.

use super::{StackPacket, StackPart, StackRequest, StackState};
use crate::sender::{SenderSnapshot, Status};
use crate::{ConnectionState, Host, Limit, Rule, TransportEvent};
use narrows_cc::Cause;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, FlowId, Packet};

/// The sending endpoint of a connection that the stack carries.
#[derive(Debug)]
pub struct StackSender {
    flow: FlowId,
    /// Payload of a segment.
    mss: Bytes,
    status: Status,
    state: StackState,
    /// Whether the window was being reduced before or after the last report.
    reduces: bool,
    /// Window and threshold before the last reduction; `None` if it was undone.
    reduced: Option<(f64, Option<f64>)>,
    /// Timeouts before the connection was established.
    syn_timeouts: u64,
    /// Payload of the transfer; `None` if it is endless.
    size: Option<Bytes>,
    /// Payload of the transfer that has not been written; `None` if it is endless.
    unwritten: Option<Bytes>,
    waits_for_offers: bool,
    /// End of the data sent so far: payload from the start of the connection, bytes.
    sent_end: u64,
    /// Name and value of each inner variable of the algorithm in the stack; empty unless they are recorded.
    observed: Vec<(String, f64)>,
}

impl StackSender {
    /// Creates the endpoint of a connection of `size` bytes of payload, endless if `None`, in segments of `mss`.
    pub(crate) fn new(flow: FlowId, size: Option<Bytes>, mss: Bytes) -> Self {
        Self {
            flow,
            mss,
            status: Status::default(),
            state: StackState::default(),
            reduces: false,
            reduced: None,
            syn_timeouts: 0,
            size,
            unwritten: size,
            waits_for_offers: false,
            sent_end: 0,
            observed: Vec::new(),
        }
    }

    /// The inner variables of the algorithm in the stack have these values, each with its name.
    pub fn set_observed(&mut self, observed: Vec<(String, f64)>) {
        self.observed = observed;
    }

    pub(crate) fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        for (name, value) in &self.observed {
            record(name, *value);
        }
    }

    pub(crate) fn mss(&self) -> Bytes {
        self.mss
    }

    pub(crate) fn status(&self) -> &Status {
        &self.status
    }

    /// Opens the connection, and writes the transfer unless it is offered in parts.
    pub(crate) fn open<H: Host>(&mut self, _now: Time, host: &mut H) {
        if self.status.state == ConnectionState::Closed {
            self.status.state = ConnectionState::Connecting;
            host.request(StackRequest::Open(self.flow));
            if !self.waits_for_offers {
                host.request(StackRequest::Write(self.flow, self.unwritten));
                self.unwritten = self.unwritten.map(|_| Bytes::ZERO);
            }
        }
    }

    /// Sends on a connection that the other side has opened.
    pub(crate) fn accept<H: Host>(&mut self, host: &mut H) {
        if self.status.state == ConnectionState::Closed {
            self.status.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
            host.request(StackRequest::Accept(self.flow));
        }
    }

    pub(crate) fn wait_for_offers(&mut self) {
        self.waits_for_offers = true;
    }

    /// Writes `part` of a stream.
    pub fn write<H: Host>(&mut self, part: StackPart, host: &mut H) {
        host.request(StackRequest::WritePart(self.flow, part));
    }

    /// Resets the stream `stream` unless its first `end` bytes have been sent.
    pub fn expire<H: Host>(&mut self, stream: u64, end: Bytes, host: &mut H) {
        host.request(StackRequest::Expire(self.flow, stream, end));
    }

    /// Writes no more. If both sides write, the connection is closed.
    pub fn stop<H: Host>(&mut self, host: &mut H) {
        host.request(StackRequest::Stop(self.flow));
    }

    /// Returns the payload sent, each byte once.
    pub fn sent(&self) -> Bytes {
        Bytes::new(self.sent_end)
    }

    /// Writes `segments` more segments.
    pub(crate) fn offer<H: Host>(&mut self, segments: u64, _now: Time, host: &mut H) {
        let all = Bytes::new(segments.saturating_mul(self.mss.count()));
        let bytes = self.unwritten.map_or(all, |left| left.min(all));
        self.unwritten = self.unwritten.map(|left| left - bytes);
        host.request(StackRequest::Write(self.flow, Some(bytes)));
    }

    /// Passes `packet` to the stack.
    #[expect(clippy::unused_self, reason = "a method of every sender")]
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, _now: Time, host: &mut H) {
        host.request(StackRequest::deliver(packet));
    }

    /// The stack sends `packet`.
    pub fn send<H: Host>(&mut self, packet: &StackPacket, now: Time, host: &mut H) {
        let counters = &mut self.status.counters;
        let body = if packet.syn {
            counters.syns_sent += 1;
            Body::syn(None)
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
        host.send(packet.on_wire(self.flow, body, now));
    }

    /// The stack reports its `state` of the connection.
    pub fn update<H: Host>(&mut self, state: StackState, now: Time, host: &mut H) {
        let mut before = std::mem::replace(&mut self.state, state);
        self.reduces = before.reducing.is_some() || state.reducing.is_some();
        if self.status.state == ConnectionState::Connecting && state.established {
            self.status.state = ConnectionState::Established;
            host.notify(TransportEvent::Established);
            // The stack's counts so far are timeouts of the SYN.
            self.syn_timeouts = state.timeouts;
            self.status.counters.timeouts = 0;
            (before.timeouts, before.reductions) = (state.timeouts, state.reductions);
        }
        if let Some(rtt) = state.rtt
            && state.delivered != before.delivered
            && rtt.latest > Span::ZERO
        {
            host.notify(TransportEvent::RttSample(rtt.latest));
        }
        let lost = state.lost.saturating_sub(before.lost);
        self.status.count_losses(lost.into(), state.rtt.map(|rtt| rtt.smoothed), now);
        self.report_reductions(&before, host);
        self.report_undo(&before, host);
        let counters = &mut self.status.counters;
        counters.timeouts = counters.timeouts.max(state.timeouts - self.syn_timeouts);
        counters.bytes_acked = state.bytes_acked;
        let limit = if state.window_limited { Limit::Window } else { Limit::Application };
        self.status.limited_by = limit;
        let open = matches!(self.status.state, ConnectionState::Connecting | ConnectionState::Established);
        let complete = self.status.state == ConnectionState::Established
            && self.size.is_some_and(|size| state.bytes_acked >= size.count());
        if open && state.aborted {
            self.status.state = ConnectionState::GaveUp;
            host.notify(TransportEvent::GaveUp);
        } else if complete || open && state.closed && self.size.is_none() {
            self.status.state = ConnectionState::Completed;
            host.notify(TransportEvent::Completed);
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
            let window = state.before_reduction.max(1.0);
            let after = state.ssthresh.unwrap_or(state.window).min(window);
            let windows = (Some(window), before.ssthresh);
            self.status.report_reduction((cause, rule), windows, Some(after), host);
            if before.reducing.is_none() {
                self.reduced = Some((state.before_reduction, before.ssthresh));
            }
        }
    }

    /// Reports that the last reduction was undone: window and threshold are what they were before it, or more.
    fn report_undo<H: Host>(&mut self, before: &StackState, host: &mut H) {
        let threshold = |of: Option<f64>| of.unwrap_or(f64::INFINITY);
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
        (self.state.established && self.state.window > 0.0).then_some(self.state.window)
    }

    pub(crate) fn snapshot(&self) -> SenderSnapshot {
        let StackState { window, ssthresh, in_flight, rtt, pacing_rate, .. } = self.state;
        SenderSnapshot {
            window: self.window(),
            usable_window: Some(window as u64),
            ssthresh: Some(ssthresh.unwrap_or(f64::INFINITY)),
            in_flight: Some(in_flight.into()),
            rtt,
            pacing_rate,
        }
    }

    /// Whether a smaller window is a step of a reduction that was reported, or one of an algorithm with a rate.
    pub(crate) fn lowers_window_in_steps(&self) -> bool {
        self.reduces || self.state.pacing_rate.is_some()
    }

    /// Whether the stack asked for ECN and does without.
    pub(crate) fn lacks_ecn(&self) -> bool {
        self.state.lacks_ecn
    }
}
