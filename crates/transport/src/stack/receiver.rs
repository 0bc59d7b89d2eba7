// SPDX-License-Identifier: Apache-2.0
//! The receiving endpoint of a connection that a stack carries.

use super::{StackPacket, StackRequest};
use crate::{Host, ReceiverCounters};
use narrows_units::Time;
use narrows_wire::{Body, Ecn, FlowId, Packet, SackBlocks};

/// The receiving endpoint of a connection that the stack carries.
#[derive(Debug)]
pub struct StackReceiver {
    flow: FlowId,
    counters: ReceiverCounters,
}

impl StackReceiver {
    pub(crate) fn new(flow: FlowId) -> Self {
        Self { flow, counters: ReceiverCounters::default() }
    }

    /// Passes `packet` to the stack.
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, _now: Time, host: &mut H) {
        if matches!(packet.body, Body::Data { .. }) {
            self.counters.packets_received += 1;
            self.counters.ce_packets += u64::from(packet.ecn == Ecn::Ce);
        }
        host.request(StackRequest::deliver(packet));
    }

    /// The stack sends `packet`.
    pub fn send<H: Host>(&mut self, packet: &StackPacket, now: Time, host: &mut H) {
        let body = if packet.syn {
            Body::SynAck { feedback: None }
        } else {
            self.counters.acks_sent += 1;
            Body::Ack { blocks: SackBlocks::NONE, ce_packets: 0, timestamp_echo: 0 }
        };
        host.send(packet.on_wire(self.flow, body, now));
    }

    /// The stack has delivered `bytes` of payload in order, and does not say what it has received beyond.
    pub fn update(&mut self, bytes: u64) {
        self.counters.bytes_delivered = bytes;
        self.counters.bytes_received = bytes;
    }

    pub(crate) fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }
}
