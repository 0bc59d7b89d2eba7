// SPDX-License-Identifier: Apache-2.0
//! Connections that a protocol stack outside the simulator carries.

use super::{ConnectionContext, Connections, receiving_host, sending_host};
use crate::events::Event;
use narrows_transport::{StackPacket, StackState};
use narrows_units::Time;
use narrows_wire::{Direction, FlowId};

impl Connections<'_> {
    /// The stack sends `packet` of `flow` in `direction` at `now`. Returns false if the connection is gone.
    pub fn send_from_stack(
        &mut self,
        (flow, direction): (FlowId, Direction),
        packet: &StackPacket,
        now: Time,
        context: &mut ConnectionContext<'_>,
    ) -> bool {
        let workload = &self.model.workloads[self.workload(flow.index() as u32) as usize];
        // A connection with several paths has all those of its workload.
        let path = workload.paths.get(packet.path as usize).filter(|_| packet.path > 0);
        match direction {
            Direction::Forward => {
                let Some(host) = sending_host(&mut self.sending, flow) else { return false };
                let event = context.net.slots.of(Event::SendingHost(flow.index() as u32));
                let route = path.map_or(host.route, |path| path.forward);
                host.send_from_stack(packet, route, now, &mut context.sender(event, host.group));
                host.timer.arm(host.timer.deadline(), event, &mut context.net.queue);
            }
            Direction::Reverse => {
                let Some(host) = receiving_host(&mut self.receiving, flow) else { return false };
                let event = context.net.slots.of(Event::ReceivingHost(flow.index() as u32));
                let route = path.map_or(host.route, |path| path.reverse);
                host.send_from_stack(packet, route, now, &mut context.receiver(event, host.group));
                let due = host.timer.deadline();
                self.arm_receiving(flow, due, context.net);
            }
        }
        true
    }

    /// The inner variables of the algorithm of `flow` have these values in its stack, each with its name.
    pub fn observe_in_stack(&mut self, flow: FlowId, observed: Vec<(String, f64)>) {
        let host = sending_host(&mut self.sending, flow);
        if let Some(sender) = host.and_then(|host| host.sender.stack_mut()) {
            sender.set_observed(observed);
        }
    }

    /// The receiver of `flow` has received `bytes` of payload so far.
    pub fn deliver_from_stack(&mut self, flow: FlowId, bytes: u64) {
        if let Some(host) = receiving_host(&mut self.receiving, flow) {
            host.deliver_from_stack(bytes);
        }
    }

    /// The stack reports the `state` of `flow` at its sender, and the payload in bytes that its receiver has delivered in
    /// order. Returns false if the connection is gone.
    pub fn update_from_stack(
        &mut self,
        flow: FlowId,
        state: StackState,
        delivered: u64,
        now: Time,
        context: &mut ConnectionContext<'_>,
    ) -> bool {
        self.deliver_from_stack(flow, delivered);
        let Some(host) = sending_host(&mut self.sending, flow) else { return false };
        let event = context.net.slots.of(Event::SendingHost(flow.index() as u32));
        host.update_from_stack(state, now, &mut context.sender(event, host.group));
        true
    }
}
