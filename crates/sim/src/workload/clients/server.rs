//! The servers' sides: requests, the objects and frames that are sent for them, and the end of a connection.

use super::{Place, Sides, side};
use crate::events::Event;
use crate::net::Net;
use crate::plan::Plan;
use crate::workload::{Message, WorkloadContext, Workloads, receiving_host};
use narrows_model::application::{Encoder, Object};
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use std::collections::VecDeque;

/// The server's side of a connection.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Server {
    /// Bytes of requests that are known to arrive.
    announced: u64,
    /// Requests that have not arrived: the end of each, in bytes of the client's data, and its object.
    requests: VecDeque<(u64, Object)>,
    /// Bytes of objects written.
    written: u64,
    /// What captures frames; `None` unless it was asked for them.
    encoder: Option<Box<Encoder>>,
    /// When it is known that the client requests no more; `NEVER` while it may.
    closes: Time,
    closed: bool,
    /// Whether its sending host has left the slot.
    left: bool,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            announced: 0,
            requests: VecDeque::new(),
            written: 0,
            encoder: None,
            closes: Time::NEVER,
            closed: false,
            left: false,
        }
    }
}

impl Workloads<'_> {
    /// The sending host of `slot`, of a server, has left it at `now`.
    pub(super) fn on_server_left(&mut self, place: Place, slot: u32, plan: &Plan, now: Time, net: &mut Net) {
        let message = Message::Left(self.other(slot), self.announced(place.number, now));
        let server = self.sides(place.number).server(place.index);
        (server.left, server.encoder) = (true, None);
        self.send_message(message, plan, net);
    }

    /// The connection at `place`, in `slot`, has delivered `delivered` bytes to its server by `now`.
    pub(super) fn on_requests(
        &mut self,
        place: Place,
        slot: u32,
        delivered: u64,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        loop {
            let server = self.sides(place.number).server(place.index);
            let arrived = server.requests.front().is_some_and(|(end, _)| !server.closed && *end <= delivered);
            if !arrived {
                return;
            }
            let Some((_, object)) = server.requests.pop_front() else { return };
            self.serve(slot, object, now, context);
        }
    }

    /// The server in `slot` writes `object` at `now`.
    fn serve(&mut self, slot: u32, object: Object, now: Time, context: &mut WorkloadContext<'_>) {
        let place = self.place(slot);
        if self.sending[slot as usize].is_none() {
            self.start_connection(slot, (place.number, place.client as u64), None, now, context);
        }
        let Some(host) = self.sending[slot as usize].as_deref_mut().filter(|host| host.ended.is_none())
        else {
            return;
        };
        let (plan, group) = (host.plan, host.group);
        let event = context.net.slots.of(Event::SendingHost(slot));
        let server =
            self.processes[place.number as usize].as_mut().map(|process| process.sides.server(place.index));
        let server = server.expect("a side acts in its own partition");
        let (size, end) = match object {
            Object::Of(size) => {
                server.written += size.count();
                (Some(size), server.written)
            }
            Object::Endless => (None, u64::MAX),
            Object::Next => (None, host.sender.end_of_next().count()),
            Object::Frames => {
                let workload = &self.model.workloads[place.number as usize];
                let encoder = side(workload).and_then(|(application, _)| application.encoder(now));
                server.encoder = encoder.map(Box::new);
                self.run_server(slot, now, context);
                return self.settle(slot, now, context);
            }
        };
        // Before what it announces.
        self.send_message(Message::Object(plan.flow, size, end, now), &plan, context.net);
        let Some(host) = self.sending[slot as usize].as_deref_mut() else { return };
        let sender = &mut context.sender(event, group);
        match object {
            Object::Of(size) => host.write_part(size, now, sender),
            Object::Endless => host.offer(u64::MAX, now, sender),
            Object::Next | Object::Frames => {}
        }
        self.settle(slot, now, context);
    }

    /// Captures the frame of the server in `slot` that is due at `now`, if one is.
    fn capture(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let place = self.place(slot);
        let Some(mut encoder) = self.sides(place.number).server(place.index).encoder.take() else { return };
        // It captures nothing more for a connection that has ended.
        let Some(host) = self.sending[slot as usize].as_deref().filter(|host| host.ended.is_none()) else {
            return;
        };
        if encoder.next_wake() > now {
            self.sides(place.number).server(place.index).encoder = Some(encoder);
            return;
        }
        let permitted = host.sender.permitted_rate();
        let (size, observation) = encoder.capture(now, host.sender.sent().count(), permitted);
        self.sides(place.number).server(place.index).encoder = Some(encoder);
        let group = self.model.workloads[place.number as usize].group;
        self.observe(group, observation);
        if let Some(size) = size {
            self.serve(slot, Object::Of(size), now, context);
        }
    }

    /// The time at which the server in `slot` next does something of its own; `NEVER` if it does not.
    pub(in crate::workload) fn server_wakes(&self, slot: u32) -> Time {
        let place = self.place(slot);
        let Some(Sides::Servers(servers)) =
            self.processes[place.number as usize].as_ref().map(|process| &process.sides)
        else {
            return Time::NEVER;
        };
        let server = &servers[place.index as usize];
        server.encoder.as_ref().map_or(Time::NEVER, |encoder| encoder.next_wake()).min(server.closes)
    }

    /// Does what is due at `now` of the server in `slot`: captures a frame, and ends the connection.
    pub(in crate::workload) fn run_server(
        &mut self,
        slot: u32,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        if self.server_wakes(slot) > now {
            return;
        }
        self.capture(slot, now, context);
        let place = self.place(slot);
        let server = self.sides(place.number).server(place.index);
        if server.closes > now {
            return;
        }
        (server.closes, server.closed, server.encoder) = (Time::NEVER, true, None);
        let left = server.left;
        let path = &self.model.workloads[place.number as usize].paths[0];
        let there = self.layout.destinations[path.forward as usize];
        if let Some(host) = self.sending[slot as usize].as_deref_mut() {
            let event = context.net.slots.of(Event::SendingHost(slot));
            host.close_writes(now, &mut context.sender(event, host.group));
        } else if !left {
            // No request has arrived.
            let message = Message::Left(self.other(slot), self.announced(place.number, now));
            self.send_to(there, message, context.net);
        }
    }

    /// The receiving host of the requests in `slot` has been opened.
    pub(in crate::workload) fn on_server_opening(&mut self, slot: u32) {
        let other = self.other(slot);
        let place = self.place(other);
        *self.sides(place.number).server(place.index) = Server::default();
    }

    /// A request of `size` for `object` is on its way over `flow`.
    pub(in crate::workload) fn announce_request(&mut self, flow: FlowId, size: Bytes, object: Object) {
        let slot = flow.index() as u32;
        if let Some(host) = receiving_host(&mut self.receiving, flow) {
            host.receiver.expect_write(size);
        }
        let other = self.other(slot);
        let place = self.place(other);
        let server = self.sides(place.number).server(place.index);
        server.announced += size.count();
        server.requests.push_back((server.announced, object));
    }

    /// The client of the server in `slot` closes the connection at `at`.
    pub(in crate::workload) fn announce_end(&mut self, slot: u32, at: Time, net: &mut Net) {
        let place = self.place(slot);
        self.sides(place.number).server(place.index).closes = at;
        let event = net.slots.of(Event::SendingHost(slot));
        match &mut self.sending[slot as usize] {
            Some(host) => {
                let due = host.timer.deadline().min(at);
                host.timer.arm(due, event, &mut net.queue);
            }
            None => net.queue.set(event, at),
        }
    }
}
