//! The two ends of a flow, of whichever kind its algorithm asks for.

use crate::{
    ConnectionState, DatagramReceiver, DatagramSender, Host, Limit, Receiver, ReceiverCounters, Sender,
    SenderCounters, TransportOptions,
};
use narrows_cc::catalogue::Needs;
use narrows_cc::{CongestionControl, Failure, Transport};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{FlowId, Packet};
use std::sync::Arc;

/// A sender of either kind.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most flows are reliable")]
pub enum SendingEndpoint {
    /// What is lost is sent again.
    Reliable(Sender),
    /// What is lost is lost.
    Datagram(DatagramSender),
}

/// A receiver of either kind.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most flows are reliable")]
pub enum ReceivingEndpoint {
    /// Puts segments in order.
    Reliable(Receiver),
    /// Counts datagrams.
    Datagram(DatagramReceiver),
}

impl SendingEndpoint {
    /// The sender that `algorithm` asks for, of `size` bytes of payload, endless where `None`. `needs` are those of the
    /// algorithm's catalogue entry.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        match algorithm.transport() {
            Transport::Reliable => Self::Reliable(Sender::new(flow, options, size, algorithm, needs)),
            Transport::Datagram(_) => {
                Self::Datagram(DatagramSender::new(flow, options, size, algorithm, needs))
            }
        }
    }

    /// The flow begins. Does nothing if it has begun before.
    pub fn open<H: Host>(&mut self, now: Time, host: &mut H) {
        match self {
            Self::Reliable(sender) => sender.open(now, host),
            Self::Datagram(sender) => sender.open(now, host),
        }
    }

    /// The flow begins on a connection that the other side has opened; datagrams need none. Does nothing if it has begun
    /// before.
    pub fn accept<H: Host>(&mut self, now: Time, host: &mut H) {
        match self {
            Self::Reliable(sender) => sender.accept(host),
            Self::Datagram(sender) => sender.open(now, host),
        }
    }

    /// Nothing is written yet, and the transfer will be written in parts of the given `sizes`, each above zero, that share
    /// no segment. For a reliable flow that has not begun.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        match self {
            Self::Reliable(sender) => sender.expect_writes(sizes),
            Self::Datagram(_) => unreachable!("datagrams are not written in parts"),
        }
    }

    /// Nothing is written yet: what may be sent is what [`offer`](Self::offer) says. Without this the application has
    /// written everything before the flow begins.
    pub fn wait_for_offers(&mut self) {
        match self {
            Self::Reliable(sender) => sender.wait_for_offers(),
            Self::Datagram(sender) => sender.wait_for_offers(),
        }
    }

    /// The application has written that many segments more.
    pub fn offer<H: Host>(&mut self, segments: u64, now: Time, host: &mut H) {
        match self {
            Self::Reliable(sender) => sender.offer(segments, now, host),
            Self::Datagram(sender) => sender.offer(segments, now, host),
        }
    }

    /// Takes in a packet from the receiver.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match self {
            Self::Reliable(sender) => sender.on_packet(packet, now, host),
            Self::Datagram(sender) => sender.on_packet(packet, now, host),
        }
    }

    /// Some deadline may be due; harmless if none is.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match self {
            Self::Reliable(sender) => sender.on_wake(now, host),
            Self::Datagram(sender) => sender.on_wake(now, host),
        }
    }

    /// The earliest deadline; `Time::NEVER` if there is none.
    pub fn next_wake(&self) -> Time {
        match self {
            Self::Reliable(sender) => sender.next_wake(),
            Self::Datagram(sender) => sender.next_wake(),
        }
    }

    /// Counts so far.
    pub fn counters(&self) -> &SenderCounters {
        match self {
            Self::Reliable(sender) => sender.counters(),
            Self::Datagram(sender) => sender.counters(),
        }
    }

    /// The congestion window, packets; for an algorithm without one, the packets that its rate sends in a round trip.
    pub fn window(&self) -> Option<f64> {
        match self {
            Self::Reliable(sender) => sender.window(),
            Self::Datagram(sender) => sender.window(),
        }
    }

    /// Packets that may be in flight now; `None` where only a rate limits.
    pub fn usable_window(&self) -> Option<u64> {
        match self {
            Self::Reliable(sender) => sender.usable_window(),
            Self::Datagram(sender) => sender.usable_window(),
        }
    }

    /// The smoothed round-trip time; `None` before the first sample.
    pub fn smoothed_rtt(&self) -> Option<Span> {
        match self {
            Self::Reliable(sender) => sender.smoothed_rtt(),
            Self::Datagram(sender) => sender.smoothed_rtt(),
        }
    }

    /// The shortest round trip so far; `None` before the first sample.
    pub fn minimum_rtt(&self) -> Option<Span> {
        match self {
            Self::Reliable(sender) => sender.minimum_rtt(),
            Self::Datagram(sender) => sender.minimum_rtt(),
        }
    }

    /// The rate at which packets are spaced; `None` where nothing spaces them.
    pub fn pacing_rate(&self) -> Option<Rate> {
        match self {
            Self::Reliable(sender) => sender.pacing_rate(),
            Self::Datagram(sender) => sender.pacing_rate(),
        }
    }

    /// The slow-start threshold, packets; infinite while unset.
    pub fn ssthresh(&self) -> Option<f64> {
        match self {
            Self::Reliable(sender) => sender.ssthresh(),
            Self::Datagram(sender) => sender.ssthresh(),
        }
    }

    /// Packets sent, not known to have arrived and not declared lost; `None` where the receiver is silent.
    pub fn in_flight(&self) -> Option<u64> {
        match self {
            Self::Reliable(sender) => Some(sender.in_flight()),
            Self::Datagram(sender) => sender.in_flight(),
        }
    }

    /// How far the flow has come.
    pub fn state(&self) -> ConnectionState {
        match self {
            Self::Reliable(sender) => sender.state(),
            Self::Datagram(sender) => sender.state(),
        }
    }

    /// What went wrong inside the algorithm, if something did.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Reliable(sender) => sender.algorithm().failure(),
            Self::Datagram(sender) => sender.algorithm().failure(),
        }
    }

    /// Congestion control, and nothing else, stopped the last attempt to send: the window, or a datagram's rate.
    pub fn limited_by_control(&self) -> bool {
        match self {
            Self::Reliable(sender) => matches!(sender.limited_by(), Limit::Window | Limit::Pacing),
            Self::Datagram(sender) => sender.limited_by() != Limit::Application,
        }
    }
}

impl ReceivingEndpoint {
    /// The receiver of a flow that an algorithm with this `transport` sends: `size` bytes of payload, endless where `None`.
    pub fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        transport: Transport,
    ) -> Self {
        match transport {
            Transport::Reliable => Self::Reliable(Receiver::new(flow, options, size)),
            Transport::Datagram(reports) => Self::Datagram(DatagramReceiver::new(flow, options, reports)),
        }
    }

    /// The transfer is written in parts, as [`SendingEndpoint::expect_writes`] says of its sender.
    pub fn expect_writes(&mut self, sizes: impl Iterator<Item = Bytes>) {
        match self {
            Self::Reliable(receiver) => receiver.expect_writes(sizes),
            Self::Datagram(_) => unreachable!("datagrams are not written in parts"),
        }
    }

    /// Takes in a packet from the sender.
    pub fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        match self {
            Self::Reliable(receiver) => receiver.on_packet(packet, now, host),
            Self::Datagram(receiver) => receiver.on_packet(packet, now, host),
        }
    }

    /// Some deadline may be due; harmless if none is.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match self {
            Self::Reliable(receiver) => receiver.on_wake(now, host),
            Self::Datagram(receiver) => receiver.on_wake(now, host),
        }
    }

    /// The earliest deadline; `Time::NEVER` if there is none.
    pub fn next_wake(&self) -> Time {
        match self {
            Self::Reliable(receiver) => receiver.next_wake(),
            Self::Datagram(receiver) => receiver.next_wake(),
        }
    }

    /// Counts so far.
    pub fn counters(&self) -> &ReceiverCounters {
        match self {
            Self::Reliable(receiver) => receiver.counters(),
            Self::Datagram(receiver) => receiver.counters(),
        }
    }
}
