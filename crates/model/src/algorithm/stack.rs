// SPDX-License-Identifier: Apache-2.0
//! Protocol stacks of others that carry connections in the simulator: libraries without input, output and clock.
//!
//! A stack brings both endpoints of a connection. The simulator passes them what arrives, with its time, and puts what
//! they send on its links; a datagram travels beside its packet. They report the same state as a kernel, so that hosts,
//! workloads and records are the same.

use crate::algorithm::{Control, FlowStart, StackControl};
use narrows_cc::Failure;
use narrows_transport::{StackPacket, StackState};
use narrows_units::{Bytes, Time};
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

/// The properties of a connection that a stack needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackSetup {
    /// Payload of the transfer; `None` if it is endless.
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

    /// The application of the sender supplies `bytes` more; `None` for an endless supply.
    fn write(&mut self, bytes: Option<Bytes>, now: Time);

    /// `datagram`, which travelled in `direction`, arrives with this ECN field.
    fn receive(&mut self, direction: Direction, datagram: Datagram, ecn: Ecn, now: Time);

    /// Returns the time of its next timer; `Time::NEVER` if none is set.
    fn due(&self) -> Time;

    /// Timers may have expired.
    fn wake(&mut self, now: Time);

    /// Returns the next packet that one of the endpoints sends at `now`, its direction and what it carries; the number by which
    /// the network knows it is still to be set.
    fn send(&mut self, now: Time) -> Option<(Direction, StackPacket, Datagram)>;

    /// Returns the failure of its algorithm, once; `None` if there is none. Only external algorithms can fail.
    fn failure(&mut self) -> Option<Failure>;

    /// Calls `record` with name and value of each inner variable that the sender's algorithm had after its last event, if it is
    /// observed and not one of the stack's own.
    fn observe(&self, record: &mut dyn FnMut(&str, f64));

    /// Returns the state at the sender, and the payload that the receiver has passed on in order, bytes.
    fn state(&mut self) -> (StackState, u64);
}

/// The content of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Datagram {
    /// The payload of UDP.
    pub bytes: Vec<u8>,
    /// The payload that its sender had passed on in order when it was sent, bytes.
    pub delivered: u64,
}
