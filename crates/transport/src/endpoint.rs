// SPDX-License-Identifier: Apache-2.0
//! The two endpoints of a flow, of the kind that its algorithm requires, or that a stack carries.
//!
//! Events are dispatched by `match`: virtual calls for each packet cost about 1 % of the instructions of a run.

use crate::datagram::{DatagramReceiver, DatagramSender};
use crate::receiver::Receiver;
use crate::sender::{Sender, SenderCore, SenderSnapshot, Status};
use crate::stack::{StackReceiver, StackSender};
use crate::{ConnectionState, Host, Limit, ReceiverCounters, SenderCounters, TransportOptions};
use narrows_cc::{CongestionControl, Failure, Needs, Transport};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{FlowId, Packet};
use std::sync::Arc;

/// The sending endpoint of a flow.
#[derive(Debug)]
pub struct SendingEndpoint(Kind<Sender, DatagramSender, StackSender>);

/// The receiving endpoint of a flow.
#[derive(Debug)]
pub struct ReceivingEndpoint(Kind<Receiver, DatagramReceiver, StackReceiver>);

#[derive(Debug)]
enum Kind<R, D, S> {
    Reliable(R),
    Datagram(D),
    Stack(S),
}

/// The same call for every kind of endpoint.
macro_rules! each {
    ($kind:expr, $endpoint:ident => $call:expr) => {
        match $kind {
            Kind::Reliable($endpoint) => $call,
            Kind::Datagram($endpoint) => $call,
            Kind::Stack($endpoint) => $call,
        }
    };
}

impl SendingEndpoint {
    /// Creates the endpoint that sends `size` bytes of payload, endless if `None`, under `algorithm`, which `needs`
    /// describes.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        Self(match needs.transport {
            Transport::Reliable => Kind::Reliable(Sender::new(flow, options, size, algorithm, needs)),
            Transport::Datagram(_) => {
                Kind::Datagram(DatagramSender::new(flow, options, size, algorithm, needs))
            }
        })
    }

    /// Returns the endpoint of a connection of `size` bytes of payload, endless if `None`, in segments of `mss`, that a
    /// stack carries with an algorithm of its own.
    pub fn of_stack(flow: FlowId, size: Option<Bytes>, mss: Bytes) -> Self {
        Self(Kind::Stack(StackSender::new(flow, size, mss)))
    }

    /// Returns what is particular to a connection that a stack carries; `None` for all others.
    pub fn stack(&self) -> Option<&StackSender> {
        if let Kind::Stack(sender) = &self.0 { Some(sender) } else { None }
    }

    /// Does the same as [`stack`](Self::stack).
    pub fn stack_mut(&mut self) -> Option<&mut StackSender> {
        if let Kind::Stack(sender) = &mut self.0 { Some(sender) } else { None }
    }

    /// Returns what is particular to a reliable flow; `None` for all others.
    pub fn reliable(&self) -> Option<&Sender> {
        if let Kind::Reliable(sender) = &self.0 { Some(sender) } else { None }
    }

    /// Does the same as [`reliable`](Self::reliable).
    pub fn reliable_mut(&mut self) -> Option<&mut Sender> {
        if let Kind::Reliable(sender) = &mut self.0 { Some(sender) } else { None }
    }

    /// Starts the flow; a reliable flow opens its connection. Has no effect if the flow has started before.
    pub fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        each!(&mut self.0, sender => sender.open(now, host));
    }

    /// Starts the flow on a connection that the other side has opened. Has no effect if the flow has started before.
    pub fn accept<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            Kind::Reliable(sender) => sender.accept(host),
            Kind::Datagram(sender) => sender.open(now, host),
            Kind::Stack(sender) => sender.accept(host),
        }
    }

    /// Returns the rate that the algorithm permits a source, of payload: its target or, without one, the congestion window over the smoothed round-trip
    /// time, or the pacing rate if that is lower; `None` before the first round-trip sample if nothing is paced.
    pub fn permitted_rate(&self) -> Option<Rate> {
        if let Some(target) = self.core().and_then(|core| core.algorithm.target()) {
            return Some(target);
        }
        let SenderSnapshot { window, rtt, pacing_rate, .. } = self.snapshot();
        let mss = each!(&self.0, sender => sender.mss()).bits() as f64;
        let windows = window.zip(rtt).map(|(window, rtt)| {
            Rate::from_bps_f64((window * mss / rtt.smoothed.as_secs_f64()).min(u64::MAX as f64))
        });
        windows.into_iter().chain(pacing_rate).min()
    }

    /// Nothing is available yet: only what [`offer`](Self::offer) adds may be sent. Without this call the whole transfer
    /// is available when the flow starts.
    pub fn wait_for_offers(&mut self) {
        match &mut self.0 {
            Kind::Reliable(sender) => sender.core_mut().data.wait_for_offers(),
            Kind::Datagram(sender) => sender.core_mut().data.wait_for_offers(),
            Kind::Stack(sender) => sender.wait_for_offers(),
        }
    }

    /// The application offers `segments` more segments.
    pub fn offer<H: Host>(&mut self, segments: u64, now: Time, host: &mut H) {
        each!(&mut self.0, sender => sender.offer(segments, now, host));
    }

    /// The application stops: it offers no more, and takes back what it has supplied without end and is not sent. The flow
    /// completes as a finite one does.
    pub fn stop<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            Kind::Reliable(sender) => sender.close(host),
            Kind::Datagram(sender) => sender.stop(now, host),
            Kind::Stack(sender) => sender.stop(host),
        }
    }

    /// A packet from the receiver arrived.
    #[inline]
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        each!(&mut self.0, sender => sender.on_packet(packet, now, host));
    }

    /// A timer may have expired. Has no effect if none has.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            Kind::Reliable(sender) => sender.on_wake(now, host),
            Kind::Datagram(sender) => sender.on_wake(now, host),
            Kind::Stack(_) => {}
        }
    }

    /// Returns when the next timer expires; `Time::NEVER` if none is set.
    #[inline]
    pub fn next_wake(&self) -> Time {
        match &self.0 {
            Kind::Reliable(sender) => sender.next_wake(),
            Kind::Datagram(sender) => sender.next_wake(),
            Kind::Stack(_) => Time::NEVER,
        }
    }

    /// Returns the congestion window, packets, as in [`snapshot`](Self::snapshot).
    #[inline]
    pub fn window(&self) -> Option<f64> {
        each!(&self.0, sender => sender.window())
    }

    /// Returns the state at this time.
    pub fn snapshot(&self) -> SenderSnapshot {
        let of = |core: &SenderCore, usable_window, in_flight, pacing_rate| SenderSnapshot {
            window: self.window(),
            usable_window,
            ssthresh: core.algorithm.ssthresh(),
            in_flight,
            rtt: core.timer.rtt().copied(),
            pacing_rate,
        };
        match &self.0 {
            Kind::Reliable(sender) => {
                of(sender.core(), sender.usable_window(), Some(sender.in_flight()), sender.pacing_rate())
            }
            Kind::Datagram(sender) => {
                of(sender.core(), sender.usable_window(), sender.in_flight(), sender.pacing_rate())
            }
            Kind::Stack(sender) => sender.snapshot(),
        }
    }

    /// Returns the slow-start threshold, packets, infinite while unset; `None` for an algorithm without one.
    pub fn ssthresh(&self) -> Option<f64> {
        match self.core() {
            Some(core) => core.algorithm.ssthresh(),
            None => self.snapshot().ssthresh,
        }
    }

    /// Whether a window that is smaller than before is no reduction of its own: a stack lowers its window packet by packet after a
    /// reduction (proportional rate reduction), and adapts it all the time where its algorithm sets a pacing rate; an algorithm may
    /// reduce its window over a loss episode.
    pub fn lowers_window_in_steps(&self) -> bool {
        match &self.0 {
            Kind::Stack(sender) => sender.lowers_window_in_steps(),
            Kind::Reliable(sender) => sender.core().algorithm.reduces_gradually(),
            Kind::Datagram(_) => false,
        }
    }

    /// Whether the flow asked for ECN and does without.
    pub fn lacks_ecn(&self) -> bool {
        match &self.0 {
            Kind::Reliable(sender) => sender.core().lacks_ecn(),
            Kind::Datagram(sender) => sender.core().lacks_ecn(),
            Kind::Stack(sender) => sender.lacks_ecn(),
        }
    }

    /// Returns the counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.status().counters
    }

    /// Returns the state of the connection.
    pub fn state(&self) -> ConnectionState {
        self.status().state
    }

    /// Returns what stopped the last attempt to send; `None` while the connection is not established.
    #[inline]
    pub fn stopped_by(&self) -> Option<Limit> {
        let status = self.status();
        (status.state == ConnectionState::Established).then_some(status.limited_by)
    }

    /// Returns what stopped the last attempt to send.
    pub fn limited_by(&self) -> Limit {
        self.status().limited_by
    }

    /// Returns the hosted congestion control algorithm; `None` if a stack carries the connection, which has its own.
    pub fn algorithm(&self) -> Option<&dyn CongestionControl> {
        self.core().map(|core| core.algorithm.as_ref())
    }

    /// Calls `record` with name and value of each inner variable of the algorithm, hosted here or in the stack that carries the
    /// connection.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        match (&self.0, self.algorithm()) {
            (Kind::Stack(sender), _) => sender.observe(record),
            (_, Some(algorithm)) => algorithm.observe(record),
            (_, None) => {}
        }
    }

    /// Returns what went wrong in the hosted congestion control algorithm, if anything did.
    pub fn failure(&self) -> Option<&Failure> {
        self.core()?.algorithm.failure()
    }

    #[inline]
    fn status(&self) -> &Status {
        match &self.0 {
            Kind::Reliable(sender) => &sender.core().status,
            Kind::Datagram(sender) => &sender.core().status,
            Kind::Stack(sender) => sender.status(),
        }
    }

    fn core(&self) -> Option<&SenderCore> {
        match &self.0 {
            Kind::Reliable(sender) => Some(sender.core()),
            Kind::Datagram(sender) => Some(sender.core()),
            Kind::Stack(_) => None,
        }
    }
}

impl ReceivingEndpoint {
    /// Creates the endpoint that receives `size` bytes of payload, endless if `None`, from a sender of the given kind.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        transport: Transport,
    ) -> Self {
        Self(match transport {
            Transport::Reliable => Kind::Reliable(Receiver::new(flow, options, size)),
            Transport::Datagram(reports) => Kind::Datagram(DatagramReceiver::new(flow, options, reports)),
        })
    }

    /// Returns the receiving endpoint of a connection that a stack carries.
    pub fn of_stack(flow: FlowId) -> Self {
        Self(Kind::Stack(StackReceiver::new(flow)))
    }

    /// Returns what is particular to a connection that a stack carries; `None` for all others.
    pub fn stack_mut(&mut self) -> Option<&mut StackReceiver> {
        if let Kind::Stack(receiver) = &mut self.0 { Some(receiver) } else { None }
    }

    /// Returns what is particular to a reliable flow; `None` for all others.
    pub fn reliable_mut(&mut self) -> Option<&mut Receiver> {
        if let Kind::Reliable(receiver) = &mut self.0 { Some(receiver) } else { None }
    }

    /// A packet from the sender arrived.
    #[inline]
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        each!(&mut self.0, receiver => receiver.on_packet(packet, now, host));
    }

    /// The host sends data in the other direction, which carries the acknowledgement: a delayed acknowledgement leaves at once.
    /// Has no effect without one.
    pub fn acknowledge<H: Host>(&mut self, now: Time, host: &mut H) {
        if let Kind::Reliable(receiver) = &mut self.0 {
            receiver.acknowledge(now, host);
        }
    }

    /// A timer may have expired. Has no effect if none has.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            Kind::Reliable(receiver) => receiver.on_wake(now, host),
            Kind::Datagram(receiver) => receiver.on_wake(now, host),
            Kind::Stack(_) => {}
        }
    }

    /// Returns when the next timer expires; `Time::NEVER` if none is set.
    #[inline]
    pub fn next_wake(&self) -> Time {
        match &self.0 {
            Kind::Reliable(receiver) => receiver.next_wake(),
            Kind::Datagram(receiver) => receiver.next_wake(),
            Kind::Stack(_) => Time::NEVER,
        }
    }

    /// Returns the counts so far.
    pub fn counters(&self) -> &ReceiverCounters {
        each!(&self.0, receiver => receiver.counters())
    }
}
