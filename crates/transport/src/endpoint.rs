//! The two endpoints of a flow, of the kind that its algorithm requires.
//!
//! Events are dispatched by `match`: virtual calls for each packet cost about 1 % of the instructions of a run.

use crate::datagram::{DatagramReceiver, DatagramSender};
use crate::receiver::Receiver;
use crate::sender::{Sender, SenderCore};
use crate::stack::{StackPacket, StackPort, StackReceiver, StackSender, StackState};
use crate::{ConnectionState, Host, Limit, ReceiverCounters, SenderCounters, TransportOptions};
use narrows_cc::{CongestionControl, Failure, Needs, RttView, Transport};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{FlowId, Packet};
use std::sync::Arc;

/// The sending endpoint of a flow.
#[derive(Debug)]
pub struct SendingEndpoint(SenderKind);

/// The receiving endpoint of a flow.
#[derive(Debug)]
pub struct ReceivingEndpoint(ReceiverKind);

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most flows are reliable")]
enum SenderKind {
    Reliable(Sender),
    Datagram(DatagramSender),
    Stack(StackSender),
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most flows are reliable")]
enum ReceiverKind {
    Reliable(Receiver),
    Datagram(DatagramReceiver),
    Stack(StackReceiver),
}

/// The state of a sending endpoint at one time, for records.
#[derive(Clone, Copy, Debug)]
pub struct SenderSnapshot {
    /// Congestion window, packets. For an algorithm without one, the packets that it sends in a smoothed round-trip
    /// time if it sends datagrams, else `None`.
    pub window: Option<f64>,
    /// Packets that may be in flight, by the congestion window and loss recovery; `None` if only a rate limits.
    pub usable_window: Option<u64>,
    /// Slow-start threshold, packets, infinite while unset; `None` for an algorithm without one.
    pub ssthresh: Option<f64>,
    /// Packets sent, not acknowledged and not declared lost; `None` if the receiver sends nothing back.
    pub in_flight: Option<u64>,
    /// The round-trip time estimate; `None` before the first sample.
    pub rtt: Option<RttView>,
    /// The rate at which packets are paced, of payload; `None` if they are not paced.
    pub pacing_rate: Option<Rate>,
}

impl SendingEndpoint {
    /// The endpoint that sends `size` bytes of payload, endless if `None`, under `algorithm`, which `needs` describes.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        Self(match needs.transport {
            Transport::Reliable => SenderKind::Reliable(Sender::new(flow, options, size, algorithm, needs)),
            Transport::Datagram(_) => {
                SenderKind::Datagram(DatagramSender::new(flow, options, size, algorithm, needs))
            }
        })
    }

    /// The endpoint of a connection of `size` bytes of payload, endless if `None`, that the stack behind `port` carries. The
    /// simulated `algorithm` takes no part in it.
    pub fn of_stack(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
        port: StackPort,
    ) -> Self {
        let core = SenderCore::new(flow, options, size, algorithm, needs);
        Self(SenderKind::Stack(StackSender::new(core, size, port)))
    }

    /// The stack sends `packet`. Ignored by an endpoint that no stack carries.
    pub fn send_from_stack<H: Host>(&mut self, packet: &StackPacket, now: Time, host: &mut H) {
        if let SenderKind::Stack(sender) = &mut self.0 {
            sender.send(packet, host, now);
        }
    }

    /// The stack reports its `state` of the connection. Ignored by an endpoint that no stack carries.
    pub fn update_from_stack<H: Host>(&mut self, state: StackState, now: Time, host: &mut H) {
        if let SenderKind::Stack(sender) = &mut self.0 {
            sender.update(state, now, host);
        }
    }

    /// Starts the flow; a reliable flow opens its connection. Has no effect if the flow has started before.
    pub fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.open(now, host),
            SenderKind::Datagram(sender) => sender.open(now, host),
            SenderKind::Stack(sender) => sender.open(),
        }
    }

    /// Starts the flow on a connection that the other side has opened. Has no effect if the flow has started before.
    pub fn accept<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.accept(host),
            SenderKind::Datagram(sender) => sender.open(now, host),
            SenderKind::Stack(sender) => sender.open(),
        }
    }

    /// The application will write the transfer in parts of the given `sizes`, each above zero; segments do not span
    /// parts. Nothing is available until it is [offered](Self::offer). Only for a reliable flow that has not started.
    ///
    /// # Panics
    ///
    /// If the flow sends datagrams.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.expect_writes(sizes),
            SenderKind::Datagram(_) | SenderKind::Stack(_) => {
                unreachable!("only segments are written in parts")
            }
        }
    }

    /// The application will [write](Self::write) the transfer in parts of sizes that are not known yet; segments do not
    /// span parts. Only for a reliable flow that has not started.
    ///
    /// # Panics
    ///
    /// If the flow does not use the simulated TCP.
    pub fn expect_more_writes(&mut self) {
        let SenderKind::Reliable(sender) = &mut self.0 else {
            unreachable!("only segments are written in parts")
        };
        sender.expect_more_writes();
    }

    /// The application writes a part of `size`, above zero. Only after [`expect_more_writes`](Self::expect_more_writes).
    pub fn write<H: Host>(&mut self, size: Bytes, now: Time, host: &mut H) {
        if let SenderKind::Reliable(sender) = &mut self.0 {
            sender.write(size, now, host);
        }
    }

    /// The payload of all segments up to the next one that has not been sent, and of that one.
    pub fn end_of_next(&self) -> Bytes {
        let next = match &self.0 {
            SenderKind::Reliable(sender) => sender.next(),
            SenderKind::Datagram(_) | SenderKind::Stack(_) => 0,
        };
        self.core().data.transfer().payload_before(next + 1)
    }

    /// The payload of all segments that have been sent, from the first one of the transfer.
    pub fn sent(&self) -> Bytes {
        let next = match &self.0 {
            SenderKind::Reliable(sender) => sender.next(),
            SenderKind::Datagram(_) | SenderKind::Stack(_) => 0,
        };
        self.core().data.transfer().payload_before(next)
    }

    /// The rate that the algorithm permits, of payload: the congestion window over the smoothed round-trip time, or the
    /// pacing rate if that is lower; `None` before the first round-trip sample if nothing is paced.
    pub fn permitted_rate(&self) -> Option<Rate> {
        let SenderSnapshot { window, rtt, pacing_rate, .. } = self.snapshot();
        let mss = self.core().options.mss.bits() as f64;
        let windows = window.zip(rtt).map(|(window, rtt)| {
            Rate::from_bps_f64((window * mss / rtt.smoothed.as_secs_f64()).min(u64::MAX as f64))
        });
        windows.into_iter().chain(pacing_rate).min()
    }

    /// The application writes no more: the flow completes when all data is acknowledged. Only after
    /// [`expect_more_writes`](Self::expect_more_writes).
    pub fn close<H: Host>(&mut self, host: &mut H) {
        if let SenderKind::Reliable(sender) = &mut self.0 {
            sender.close(host);
        }
    }

    /// Nothing is available yet: only what [`offer`](Self::offer) adds may be sent. Without this call the whole transfer
    /// is available when the flow starts.
    pub fn wait_for_offers(&mut self) {
        match &mut self.0 {
            SenderKind::Stack(sender) => sender.wait_for_offers(),
            SenderKind::Reliable(_) | SenderKind::Datagram(_) => self.core_mut().data.wait_for_offers(),
        }
    }

    /// The application offers `segments` more segments.
    pub fn offer<H: Host>(&mut self, segments: u64, now: Time, host: &mut H) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.offer(segments, now, host),
            SenderKind::Datagram(sender) => sender.offer(segments, now, host),
            SenderKind::Stack(sender) => sender.offer(segments),
        }
    }

    /// Reports each packet that is declared lost from now on as [`TransportEvent::DeclaredLost`](crate::TransportEvent).
    /// A sender of datagrams always does.
    pub fn report_losses(&mut self) {
        if let SenderKind::Reliable(sender) = &mut self.0 {
            sender.report_losses();
        }
    }

    /// A packet from the receiver arrived.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.on_packet(packet, now, host),
            SenderKind::Datagram(sender) => sender.on_packet(packet, now, host),
            SenderKind::Stack(sender) => sender.on_packet(packet),
        }
    }

    /// A timer may have expired. Has no effect if none has.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.on_wake(now, host),
            SenderKind::Datagram(sender) => sender.on_wake(now, host),
            SenderKind::Stack(_) => {}
        }
    }

    /// When the next timer expires; `Time::NEVER` if none is set.
    pub fn next_wake(&self) -> Time {
        match &self.0 {
            SenderKind::Reliable(sender) => sender.next_wake(),
            SenderKind::Datagram(sender) => sender.next_wake(),
            SenderKind::Stack(_) => Time::NEVER,
        }
    }

    /// The congestion window, packets: that of [`snapshot`](Self::snapshot).
    pub fn window(&self) -> Option<f64> {
        match &self.0 {
            SenderKind::Reliable(sender) => sender.window(),
            SenderKind::Datagram(sender) => sender.window(),
            SenderKind::Stack(sender) => sender.window(),
        }
    }

    /// The state at this time.
    pub fn snapshot(&self) -> SenderSnapshot {
        let (usable_window, in_flight, pacing_rate) = match &self.0 {
            SenderKind::Reliable(sender) => {
                (sender.usable_window(), Some(sender.in_flight()), sender.pacing_rate())
            }
            SenderKind::Datagram(sender) => {
                (sender.usable_window(), sender.in_flight(), sender.pacing_rate())
            }
            SenderKind::Stack(sender) => {
                let state = sender.reported();
                (Some(u64::from(state.window)), Some(u64::from(state.in_flight)), state.pacing_rate)
            }
        };
        SenderSnapshot {
            window: self.window(),
            usable_window,
            ssthresh: self.ssthresh(),
            in_flight,
            rtt: match &self.0 {
                SenderKind::Stack(sender) => sender.reported().rtt,
                SenderKind::Reliable(_) | SenderKind::Datagram(_) => self.core().timer.rtt().copied(),
            },
            pacing_rate,
        }
    }

    /// Slow-start threshold, packets, infinite while unset; `None` for an algorithm without one.
    pub fn ssthresh(&self) -> Option<f64> {
        match &self.0 {
            SenderKind::Stack(sender) => Some(sender.ssthresh()),
            SenderKind::Reliable(_) | SenderKind::Datagram(_) => self.core().algorithm.ssthresh(),
        }
    }

    /// Whether a window that is smaller than before is no reduction of its own: a stack lowers its window packet by packet after a
    /// reduction (proportional rate reduction), and adapts it all the time where its algorithm sets a pacing rate.
    pub fn lowers_window_in_steps(&self) -> bool {
        matches!(&self.0, SenderKind::Stack(sender) if sender.lowers_window_in_steps())
    }

    /// Whether the flow asked for ECN and does without.
    pub fn lacks_ecn(&self) -> bool {
        match &self.0 {
            SenderKind::Stack(sender) => sender.reported().lacks_ecn,
            SenderKind::Reliable(_) | SenderKind::Datagram(_) => {
                self.core().options.ecn && !self.core().ecn.is_used()
            }
        }
    }

    /// The counts so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.core().counters
    }

    /// The state of the connection.
    pub fn state(&self) -> ConnectionState {
        self.core().state
    }

    /// What stopped the last attempt to send.
    pub fn limited_by(&self) -> Limit {
        self.core().limited_by
    }

    /// The hosted congestion control algorithm; `None` where a stack carries the connection, which has its own.
    pub fn algorithm(&self) -> Option<&dyn CongestionControl> {
        match &self.0 {
            SenderKind::Stack(_) => None,
            SenderKind::Reliable(_) | SenderKind::Datagram(_) => Some(self.core().algorithm.as_ref()),
        }
    }

    /// What went wrong in the hosted congestion control algorithm, if anything did.
    pub fn failure(&self) -> Option<&Failure> {
        self.core().algorithm.failure()
    }

    fn core(&self) -> &SenderCore {
        match &self.0 {
            SenderKind::Reliable(sender) => sender.core(),
            SenderKind::Datagram(sender) => sender.core(),
            SenderKind::Stack(sender) => sender.core(),
        }
    }

    fn core_mut(&mut self) -> &mut SenderCore {
        match &mut self.0 {
            SenderKind::Reliable(sender) => sender.core_mut(),
            SenderKind::Datagram(sender) => sender.core_mut(),
            SenderKind::Stack(sender) => sender.core_mut(),
        }
    }
}

impl ReceivingEndpoint {
    /// The endpoint that receives `size` bytes of payload, endless if `None`, from a sender of the given kind.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        transport: Transport,
    ) -> Self {
        Self(match transport {
            Transport::Reliable => ReceiverKind::Reliable(Receiver::new(flow, options, size)),
            Transport::Datagram(reports) => {
                ReceiverKind::Datagram(DatagramReceiver::new(flow, options, reports))
            }
        })
    }

    /// The receiving endpoint of a connection that the stack behind `port` carries.
    pub fn of_stack(flow: FlowId, port: StackPort) -> Self {
        Self(ReceiverKind::Stack(StackReceiver::new(flow, port)))
    }

    /// The stack sends `packet`. Ignored by an endpoint that no stack carries.
    pub fn send_from_stack<H: Host>(&mut self, packet: &StackPacket, now: Time, host: &mut H) {
        if let ReceiverKind::Stack(receiver) = &mut self.0 {
            receiver.send(packet, host, now);
        }
    }

    /// The stack has delivered `bytes` of payload in order. Ignored by an endpoint that no stack carries.
    pub fn update_from_stack(&mut self, bytes: u64) {
        if let ReceiverKind::Stack(receiver) = &mut self.0 {
            receiver.update(bytes);
        }
    }

    /// The transfer is written in parts, as for [`SendingEndpoint::expect_writes`].
    ///
    /// # Panics
    ///
    /// If the flow sends datagrams.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        match &mut self.0 {
            ReceiverKind::Reliable(receiver) => receiver.expect_writes(sizes),
            ReceiverKind::Datagram(_) | ReceiverKind::Stack(_) => {
                unreachable!("only segments are written in parts")
            }
        }
    }

    /// The transfer is written in parts of sizes that are not known yet, as for
    /// [`SendingEndpoint::expect_more_writes`].
    ///
    /// # Panics
    ///
    /// If the flow does not use the simulated TCP.
    pub fn expect_more_writes(&mut self) {
        let ReceiverKind::Reliable(receiver) = &mut self.0 else {
            unreachable!("only segments are written in parts")
        };
        receiver.expect_more_writes();
    }

    /// The next part has `size`, above zero. To be called before its first segment arrives.
    pub fn expect_write(&mut self, size: Bytes) {
        if let ReceiverKind::Reliable(receiver) = &mut self.0 {
            receiver.expect_write(size);
        }
    }

    /// A packet from the sender arrived.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match &mut self.0 {
            ReceiverKind::Reliable(receiver) => receiver.on_packet(packet, now, host),
            ReceiverKind::Datagram(receiver) => receiver.on_packet(packet, now, host),
            ReceiverKind::Stack(receiver) => receiver.on_packet(packet),
        }
    }

    /// A timer may have expired. Has no effect if none has.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match &mut self.0 {
            ReceiverKind::Reliable(receiver) => receiver.on_wake(now, host),
            ReceiverKind::Datagram(receiver) => receiver.on_wake(now, host),
            ReceiverKind::Stack(_) => {}
        }
    }

    /// When the next timer expires; `Time::NEVER` if none is set.
    pub fn next_wake(&self) -> Time {
        match &self.0 {
            ReceiverKind::Reliable(receiver) => receiver.next_wake(),
            ReceiverKind::Datagram(receiver) => receiver.next_wake(),
            ReceiverKind::Stack(_) => Time::NEVER,
        }
    }

    /// The counts so far.
    pub fn counters(&self) -> &ReceiverCounters {
        match &self.0 {
            ReceiverKind::Reliable(receiver) => receiver.counters(),
            ReceiverKind::Datagram(receiver) => receiver.counters(),
            ReceiverKind::Stack(receiver) => receiver.counters(),
        }
    }
}
