// SPDX-License-Identifier: Apache-2.0
//! Protocol stacks of others that carry connections in the simulator: libraries without input, output and clock.
//!
//! A stack brings both endpoints of a connection. The simulator passes them what arrives, with its time, and puts what
//! they send on its links; a datagram travels beside its packet. They report the same state as a kernel, so that hosts,
//! workloads and records are the same.

use crate::algorithm::{Control, FlowStart, StackControl};
use narrows_cc::Failure;
use narrows_transport::{StackPacket, StackState};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Direction, Ecn};
use std::fmt::Debug;
use std::sync::Arc;

/// A protocol stack that is compiled in.
pub trait ProtocolStack: Debug + Send + Sync {
    /// Returns its name in scenarios.
    fn name(&self) -> &'static str;

    /// Returns the names of its congestion controllers.
    fn controllers(&self) -> &'static [&'static str];

    /// Returns the least size of packets that it needs on a path, headers of IP and UDP included.
    fn least_packet(&self) -> Bytes;

    /// Whether a connection can have several paths at a time.
    fn has_paths(&self) -> bool {
        false
    }

    /// Returns the settings that connections with the controller `name` have unless a scenario sets others. Those that
    /// are `None` have no value: the window is unlimited, or the receiver decides about its acknowledgements.
    fn defaults(&self, name: &str) -> StackSettings;

    /// Returns why `algorithm`, one of Narrows or from a file, cannot be a controller in the stack; `None` if it can.
    fn refusal(&self, algorithm: &Arc<Control>) -> Option<String>;

    /// Returns the two endpoints of the connection `start`, which is still to be opened. Its sender has `control`: one of its
    /// [controllers](Self::controllers), or an algorithm that it does not [refuse](Self::refusal).
    fn connection(
        &self,
        control: &StackControl,
        setup: &StackSetup,
        start: &FlowStart<'_>,
    ) -> Box<dyn StackConnection>;
}

/// Settings of a stack, for both endpoints of a connection. A setting that is `None` is the stack's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StackSettings {
    /// Packets by which a later one must be ahead for an earlier one to be declared lost (RFC 9002 §6.1.1).
    pub packet_threshold: Option<u32>,
    /// Time after which a packet is declared lost when a later one is acknowledged, in round trips (RFC 9002 §6.1.2).
    pub time_threshold: Option<f64>,
    /// Round-trip time before the first sample (RFC 9002 §6.2.2).
    pub initial_rtt: Option<Span>,
    /// The acknowledgements that an endpoint asks its peer for.
    pub ack_frequency: Option<AckFrequency>,
    /// Probe timeouts after which losses are persistent congestion (RFC 9002 §7.6.1).
    pub persistent_congestion_threshold: Option<u32>,
    /// Congestion window before the first acknowledgement, in packets of 1200 bytes.
    pub initial_window: Option<u32>,
    /// Data of a stream that the receiver has room for.
    pub stream_receive_window: Option<Bytes>,
    /// Data of all streams that the receiver has room for.
    pub connection_receive_window: Option<Bytes>,
    /// Data that the application may have written and that is not acknowledged.
    pub send_window: Option<Bytes>,
}

/// A request for acknowledgements (draft-ietf-quic-ack-frequency).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckFrequency {
    /// Ack-eliciting packets after which the next one is acknowledged at once.
    pub threshold: u32,
    /// Longest delay of an acknowledgement; `None` for the peer's own.
    pub max_delay: Option<Span>,
    /// Packets by which one must be out of order to be acknowledged at once; 0 for never.
    pub reordering: u32,
}

/// One of several paths of a connection (draft-ietf-quic-multipath).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StackPath {
    /// Whether it carries data only while no other path does (§3.3, PATH_STATUS_BACKUP).
    pub backup: bool,
    /// Time at which the client opens the path, from the start of the run; the first path opens the connection.
    pub start: Span,
    /// Time at which the client closes it (§3.4, PATH_ABANDON); `None` for the end of the connection.
    pub stop: Option<Span>,
}

impl StackSettings {
    /// Returns these settings, with the values of `defaults` for settings that are not set.
    #[must_use]
    pub fn or(self, defaults: Self) -> Self {
        Self {
            packet_threshold: self.packet_threshold.or(defaults.packet_threshold),
            time_threshold: self.time_threshold.or(defaults.time_threshold),
            initial_rtt: self.initial_rtt.or(defaults.initial_rtt),
            ack_frequency: self.ack_frequency.or(defaults.ack_frequency),
            persistent_congestion_threshold: self
                .persistent_congestion_threshold
                .or(defaults.persistent_congestion_threshold),
            initial_window: self.initial_window.or(defaults.initial_window),
            stream_receive_window: self.stream_receive_window.or(defaults.stream_receive_window),
            connection_receive_window: self.connection_receive_window.or(defaults.connection_receive_window),
            send_window: self.send_window.or(defaults.send_window),
        }
    }
}

/// The properties of a connection that a stack needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StackSetup {
    /// The settings of the scenario.
    pub settings: StackSettings,
    /// Whether both sides write: the one that opens the connection requests, the other answers.
    pub two_sided: bool,
    /// Payload of the transfer; `None` if it is endless, or if both sides write.
    pub size: Option<Bytes>,
    /// Size of the largest packet of the path, headers of IP included.
    pub packet: Bytes,
    /// Payload for which the receiver has room; `None` if it always has.
    pub receive_window: Option<Bytes>,
    /// Whether hosts pass on the ECN field, in both directions.
    pub ecn: bool,
    /// Whether the inner variables of the sender's algorithm are recorded.
    pub observed: bool,
    /// Seed of all its random numbers.
    pub seed: u64,
}

/// Both endpoints of a connection. Times never decrease from call to call.
pub trait StackConnection: Debug + Send {
    /// Opens the connection at `now`.
    fn open(&mut self, now: Time);

    /// The application at the end that sends in the direction `from` supplies `bytes` more for the stream `stream`; `None` for an endless
    /// supply. The end that opens the connection has numbers for its streams, from 0; if both sides write, the other one answers on
    /// them, and opens streams from [`PUSHED`](narrows_transport::PUSHED) on, of which higher numbers are sent first. Bytes that it
    /// writes from [`DATAGRAMS`](narrows_transport::DATAGRAMS) on are sent in datagrams, in order, and not sent again.
    fn write(&mut self, from: Direction, stream: u64, bytes: Option<Bytes>, now: Time);

    /// That application supplies no more for the stream, which ends.
    fn end(&mut self, from: Direction, stream: u64, now: Time);

    /// That application resets the stream, or sends no more of it in datagrams, unless its first `end` bytes have been sent.
    /// Returns the bytes of it that have been sent and those that have not, if so.
    fn expire(&mut self, from: Direction, stream: u64, end: Bytes, now: Time) -> Option<(Bytes, Bytes)>;

    /// That application stops: if both sides write, it closes the connection. Otherwise it takes back what the stack has not taken, and
    /// the connection is closed when all else is acknowledged.
    fn stop(&mut self, from: Direction, now: Time);

    /// `datagram`, which travelled in `direction` on the path number `path`, arrives with this ECN field.
    fn receive(&mut self, direction: Direction, path: u32, datagram: Datagram, ecn: Ecn, now: Time);

    /// Returns the time of its next timer; `Time::NEVER` if none is set.
    fn due(&self) -> Time;

    /// Timers may have expired.
    fn wake(&mut self, now: Time);

    /// Returns the next packet that one of the endpoints sends at `now`, its direction and what it carries; the number by which
    /// the network knows it is still to be set.
    fn send(&mut self, now: Time) -> Option<(Direction, StackPacket, Datagram)>;

    /// Returns the failure of its algorithm, once; `None` if there is none. Only external algorithms can fail.
    fn failure(&mut self) -> Option<Failure>;

    /// Calls `record` with name and value of each inner variable that the algorithm of the end that sends in the direction `from` had
    /// after its last event, if it is observed and not one of the stack's own.
    fn observe(&self, from: Direction, record: &mut dyn FnMut(&str, f64));

    /// Returns the next stream of which more has been passed on in order; `None` if there is none.
    fn delivery(&mut self) -> Option<Delivery>;

    /// Returns the state at the end that sends in the direction `from`, and the payload that the other end has passed on in order,
    /// bytes.
    fn state(&mut self, from: Direction) -> (StackState, u64);
}

/// The data of a stream, or of an object in datagrams, that an application has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The direction in which it was sent.
    pub from: Direction,
    /// Number of the stream.
    pub stream: u64,
    /// Payload from the start of the stream without a hole; of an object in datagrams all that has arrived.
    pub bytes: Bytes,
}

/// The content of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Datagram {
    /// The payload of UDP.
    pub bytes: Vec<u8>,
    /// The payload that its sender had passed on in order when it was sent, bytes.
    pub delivered: u64,
}
