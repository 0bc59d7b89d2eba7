// SPDX-License-Identifier: Apache-2.0
//! A kind of demand, and the objects on which it acts.

use super::planner::{Given, Planner};
use crate::connections::{ConnectionContext, Connections};
use crate::events::Event;
use crate::host::{Context, Ending, SendingHost};
use crate::net::Net;
use crate::notice::Notice;
use crate::plan::Plan;
use narrows_engine::Stream;
use narrows_transport::{Receiver, TransportOptions};
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use std::fmt::Debug;
use std::sync::Arc;

/// What starts the connections of one workload, and writes their data if that is not there from the start.
///
/// An implementation says when its first events are due and starts connections then; it has the methods besides these that its
/// connections are unlike others in. All slots are its own, as numbered in the partition.
pub(crate) trait Kind: Debug + Send {
    /// What draws its connections.
    fn planner(&self) -> &Planner<'_>;

    /// Its first events, and their times.
    fn first_events(&mut self) -> Vec<(Event, Time)>;

    /// Handles its own event, [`Event::ConnectionArrival`], which is due.
    fn on_due(&mut self, _context: &mut WorkloadContext<'_, '_, '_>) {}

    /// Handles the event of `slot`, which has no connection.
    fn on_idle_slot(&mut self, _slot: u32, _context: &mut WorkloadContext<'_, '_, '_>) {}

    /// The plan of connection `index`, which starts at `now`; its payload of `size` bytes is drawn if not given.
    fn plan(&self, flow: FlowId, index: u64, size: Option<u64>, now: Time) -> Plan {
        self.planner().plan(flow, index, now, Given { size, ..Given::default() })
    }

    /// Options of the transport of connection `index`.
    fn options(&self, _index: u64) -> Arc<TransportOptions> {
        Arc::clone(&self.planner().workload.transport)
    }

    /// Random stream of the send delays of connection `index`, in `slot`.
    fn send_delays(&self, _slot: u32, index: u64) -> Stream {
        self.planner().send_delays(index)
    }

    /// Prepares the sending host of connection `index`, which starts at `now`.
    fn equip(&self, _host: &mut SendingHost, _index: u64, _now: Time) {}

    /// Whether this side opens connection `index`, instead of accepting it from the other side.
    fn opens(&self, _index: u64) -> bool {
        true
    }

    /// Time at which it next writes at `host`, in `slot`; `NEVER` if it does not.
    fn writes_next(&self, _slot: u32, _host: &SendingHost) -> Time {
        Time::NEVER
    }

    /// Writes what is due at the sending host of `slot`.
    fn write(&mut self, _slot: u32, _context: &mut WorkloadContext<'_, '_, '_>) {}

    /// `host`, in `slot`, has done what was due.
    fn on_work(&mut self, _slot: u32, _host: &SendingHost) {}

    /// The connection in `slot`, which `plan` describes, has ended, and the slot is free. Returns the time of the next event of
    /// the slot.
    fn on_left(
        &mut self,
        _slot: u32,
        _ending: Ending,
        _plan: &Plan,
        _context: &mut WorkloadContext<'_, '_, '_>,
    ) -> Time {
        Time::NEVER
    }

    /// The other side starts the connection in `slot` that `plan` describes, whose data `receiver` receives here.
    fn on_opening(&mut self, _slot: u32, _plan: &Plan, _receiver: Option<&mut Receiver>) {}

    /// The newest connection of the other side of `slot` has delivered `delivered` bytes of stream `stream` in total. Only
    /// connections that a stack carries have more than one stream, 0.
    fn on_delivered(
        &mut self,
        _slot: u32,
        _stream: u64,
        _delivered: Bytes,
        _context: &mut WorkloadContext<'_, '_, '_>,
    ) {
    }

    /// The stack has reset `stream` of the connection in `slot`: what had been sent of it, and what had not.
    fn on_reset(
        &mut self,
        _slot: u32,
        _stream: u64,
        _reset: (Bytes, Bytes),
        _context: &mut WorkloadContext<'_, '_, '_>,
    ) {
    }

    /// The other side of `slot` announces something.
    fn on_notice(&mut self, _slot: u32, _notice: Notice, _connections: &mut Connections<'_>, _net: &mut Net) {
    }

    /// Does what follows from all that has happened at a host.
    fn react(&mut self, _context: &mut WorkloadContext<'_, '_, '_>) {}

    /// Records the state at `now` of what it records over time.
    fn gauge(&mut self, _now: Time, _connections: &mut Connections<'_>) {}

    /// Counts conditions that have lasted until `now`.
    fn bring_up(&mut self, _now: Time, _connections: &mut Connections<'_>) {}
}

/// The objects on which a kind of demand acts: the connections of its partition, with the network around them, at one
/// time.
pub(crate) struct WorkloadContext<'a, 'b, 'm> {
    /// The connections of the partition.
    pub connections: &'a mut Connections<'m>,
    /// The parts of the partition that they use.
    pub parts: &'a mut ConnectionContext<'b>,
    /// Current time of the run.
    pub now: Time,
}

impl WorkloadContext<'_, '_, '_> {
    /// Starts connection `index` of `kind` in `slot`; its payload of `size` bytes is drawn if not given.
    pub fn start(&mut self, kind: &mut dyn Kind, slot: u32, index: u64, size: Option<u64>) {
        let (now, flow) = (self.now, self.connections.next_flow(slot));
        let plan = kind.plan(flow, index, size, now);
        let delays = || kind.send_delays(slot, index);
        let mut host = self.connections.sending_host(plan, kind.options(index), delays, now);
        kind.equip(&mut host, index, now);
        self.connections.open(&plan, self.parts.net);
        let event = self.parts.net.slots.of(Event::SendingHost(slot));
        host.start(now, kind.opens(index), &mut self.parts.sender(event, host.group));
        self.connections.sending[slot as usize] = Some(host);
        kind.write(slot, self);
        self.settle(kind, slot);
    }

    /// Lets the sending host in `slot` do something; `None` if there is none.
    pub fn at_host<R>(
        &mut self,
        slot: u32,
        act: impl FnOnce(&mut SendingHost, &mut Context<'_>) -> R,
    ) -> Option<R> {
        let event = self.parts.net.slots.of(Event::SendingHost(slot));
        let host = self.connections.sending[slot as usize].as_deref_mut()?;
        let group = host.group;
        Some(act(host, &mut self.parts.sender(event, group)))
    }

    /// Sets the time of `event`.
    pub fn schedule(&mut self, event: Event, at: Time) {
        self.parts.net.queue.set(self.parts.net.slots.of(event), at);
    }

    /// Makes the event of `slot` due at `at` at the latest.
    pub fn bring_forward(&mut self, slot: u32, at: Time) {
        self.connections.bring_forward(slot, at, self.parts.net);
    }

    /// Announces something to the other side of `slot`.
    pub fn announce(&mut self, slot: u32, notice: Notice) {
        self.connections.announce(slot, notice, self.parts.net);
    }

    /// To be called after work at a sending host: frees the slot if the connection has ended, and arms the timer.
    pub fn settle(&mut self, kind: &mut dyn Kind, slot: u32) {
        let now = self.now;
        let host = self.connections.sending[slot as usize].as_deref_mut().expect("a host is there");
        if !host.exclusive && host.has_sent() {
            self.connections.acknowledge(slot, now, self.parts);
        }
        let host = self.connections.sending[slot as usize].as_deref_mut().expect("a host is there");
        kind.on_work(slot, host);
        if host.concluded {
            return;
        }
        let event = self.parts.net.slots.of(Event::SendingHost(slot));
        let Some(end) = host.is_over(now) else {
            let due = host.timer.deadline().min(kind.writes_next(slot, host));
            host.timer.arm(due, event, &mut self.parts.net.queue);
            return;
        };
        let plan = host.plan;
        if self.connections.end(slot, end, &plan, now, self.parts.net) {
            let due = kind.on_left(slot, end.1, &plan, self);
            self.parts.net.queue.set(event, due);
        }
    }
}
