// SPDX-License-Identifier: Apache-2.0
//! The workloads of one partition: each is one [`Kind`](kind::Kind) of demand, of which nothing is known here.

mod kind;
mod kinds;
mod planner;

use crate::connections::{ConnectionContext, Connections, Message};
use crate::host::ReceivingHost;
use crate::layout::Layout;
use crate::net::Net;
use kind::{Kind, WorkloadContext};
use narrows_model::Model;
use narrows_transport::StackState;
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use planner::Planner;
use std::sync::Arc;

/// The workloads of a partition, and their connections.
#[derive(Debug)]
pub(crate) struct Workloads<'m> {
    /// The connections.
    pub connections: Connections<'m>,
    /// Processes that start the connections of each workload; `None` if its senders are in another partition.
    kinds: Vec<Option<Box<dyn Kind + 'm>>>,
}

impl<'m> Workloads<'m> {
    /// Creates the workloads of `partition` in replication `replication`, before any connection has started.
    pub fn new(model: &'m Model, layout: &Arc<Layout>, partition: usize, replication: u32) -> Self {
        let connections = Connections::new(model, layout, partition);
        let kind = |(number, &first): (usize, &u32)| {
            let here = connections.is_home(number);
            here.then(|| kinds::kind(Planner::new(model, number, first, replication)))
        };
        let kinds = connections.firsts.iter().enumerate().map(kind).collect();
        Self { connections, kinds }
    }

    /// Schedules the first events.
    pub fn start(&mut self, net: &mut Net) {
        for (event, at) in self.kinds.iter_mut().flatten().flat_map(|kind| kind.first_events()) {
            net.queue.set(net.slots.of(event), at);
        }
    }

    /// Handles the event of workload `number`.
    pub fn arrive(&mut self, number: u32, now: Time, parts: &mut ConnectionContext<'_>) {
        self.at(number, now, parts, |kind, context| kind.on_due(context));
    }

    /// Handles the work that is due at `now` at the sending host of `slot`, or in the slot if it has none.
    pub fn on_sending_host(&mut self, slot: u32, now: Time, parts: &mut ConnectionContext<'_>) {
        let present = self.connections.on_sending_host(slot, now, parts);
        self.at(self.connections.workload(slot), now, parts, |kind, context| {
            if present {
                kind.write(slot, context);
                context.settle(kind, slot);
                kind.react(context);
            } else {
                kind.on_idle_slot(slot, context);
            }
        });
    }

    /// Handles the work that is due at `now` at the receiving hosts of `slot`.
    pub fn on_receiving_host(&mut self, slot: u32, now: Time, parts: &mut ConnectionContext<'_>) {
        let delivered = self.connections.on_receiving_host(slot, now, parts);
        // A stack says itself what it has delivered.
        if !self.connections.of_stack[self.connections.workload(slot) as usize] {
            self.deliver_part(slot, 0, Bytes::new(delivered), now, parts);
        }
    }

    /// Of stream `stream` of the newest connection in `slot` the other side has received `bytes` in order, if both sides write.
    pub fn deliver_part(
        &mut self,
        slot: u32,
        stream: u64,
        bytes: Bytes,
        now: Time,
        parts: &mut ConnectionContext<'_>,
    ) {
        if let Some((partner, slot)) = self.connections.other_side(slot) {
            self.at(partner, now, parts, |kind, context| {
                kind.on_delivered(slot, stream, bytes, context);
                kind.react(context);
            });
        }
    }

    /// The stack has reset `stream` of the connection in `slot`: what had been sent of it, and what had not.
    pub fn reset_part(
        &mut self,
        slot: u32,
        stream: u64,
        reset: (Bytes, Bytes),
        now: Time,
        parts: &mut ConnectionContext<'_>,
    ) {
        self.at(self.connections.workload(slot), now, parts, |kind, context| {
            kind.on_reset(slot, stream, reset, context);
        });
    }

    /// The stack reports the `state` of `flow` at its sender, and the payload in bytes that its receiver has delivered in
    /// order.
    pub fn update_from_stack(
        &mut self,
        flow: FlowId,
        state: StackState,
        delivered: u64,
        now: Time,
        parts: &mut ConnectionContext<'_>,
    ) {
        let slot = flow.index() as u32;
        if self.connections.update_from_stack(flow, state, delivered, now, parts) {
            self.at(self.connections.workload(slot), now, parts, |kind, context| {
                context.settle(kind, slot);
                kind.react(context);
            });
        }
    }

    /// Handles a message from another partition.
    pub fn on_message(&mut self, message: &Message, net: &mut Net) {
        self.connections.on_message(message, net);
        self.pass_on(message, net);
    }

    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.bring_up(now);
        self.connections.measure(now);
    }

    /// Completes all sums at the end of the run, `end`.
    pub fn finish(&mut self, end: Time) {
        self.bring_up(end);
        self.connections.finish(end);
    }

    /// Samples the recorded clients of applications at the end of an interval, `now`.
    pub fn sample_clients(&mut self, now: Time) {
        if !self.connections.clients.is_empty() {
            for kind in self.kinds.iter_mut().flatten() {
                kind.gauge(now, &mut self.connections);
            }
            self.connections.sample_clients();
        }
    }

    fn bring_up(&mut self, now: Time) {
        for kind in self.kinds.iter_mut().flatten() {
            kind.bring_up(now, &mut self.connections);
        }
    }

    /// Lets workload `number` act at `now`.
    fn at(
        &mut self,
        number: u32,
        now: Time,
        parts: &mut ConnectionContext<'_>,
        act: impl FnOnce(&mut dyn Kind, &mut WorkloadContext<'_, '_, '_>),
    ) {
        let kind = self.kinds[number as usize].as_deref_mut();
        let kind = kind.expect("a workload acts in the partition of its senders");
        act(kind, &mut WorkloadContext { connections: &mut self.connections, parts, now });
        for at in 0..self.connections.unseen.len() {
            let message = self.connections.unseen[at];
            self.pass_on(&message, parts.net);
        }
        self.connections.unseen.clear();
    }

    /// Passes `message` to the workload of the other side, where both sides write.
    fn pass_on(&mut self, message: &Message, net: &mut Net) {
        let from = match message {
            Message::Opening(plan) => plan.flow.index() as u32,
            Message::Notice(slot, _) => *slot,
            Message::Closing(..) => return,
        };
        let Some((partner, slot)) = self.connections.other_side(from) else { return };
        let kind = self.kinds[partner as usize].as_deref_mut();
        let kind = kind.expect("both sides of a host are in one partition");
        match message {
            Message::Opening(plan) => {
                let host = self.connections.receiving_host(plan.flow);
                kind.on_opening(slot, plan, host.and_then(ReceivingHost::parts_mut));
            }
            Message::Notice(_, notice) => kind.on_notice(slot, *notice, &mut self.connections, net),
            Message::Closing(..) => {}
        }
    }
}
