// SPDX-License-Identifier: Apache-2.0
//! The servers' sides: requests, the objects and frames that are sent for them, and the end of a connection.

mod publishing;

use super::Side;
use crate::connections::Connections;
use crate::events::Event;
use crate::host::{Ending, SendingHost};
use crate::net::Net;
use crate::notice::Notice;
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::Planner;
use narrows_model::application::{ApplicationModel, Encoder, Object, Publisher};
use narrows_transport::{Receiver, StackPart};
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use std::collections::VecDeque;

/// The servers of a workload, and their objects.
#[derive(Debug)]
pub(in crate::workload::kinds) struct Servers<'m> {
    side: Side<'m>,
    /// The servers' sides, by slot.
    servers: Vec<Server>,
}

/// The server's side of a connection.
#[derive(Clone, Debug)]
struct Server {
    /// Bytes of requests that are known to arrive.
    announced: u64,
    /// Requests that are known so far.
    known: u64,
    /// Requests that have not arrived, in order.
    requests: VecDeque<Request>,
    /// Bytes of objects written.
    written: u64,
    /// Encoder that captures frames; `None` unless frames were requested.
    encoder: Option<Box<Encoder>>,
    /// Source of groups of frames; `None` unless these were requested.
    publisher: Option<Box<Publisher>>,
    /// Number of the request for frames.
    frames: u64,
    /// Time at which it is known that the client requests no more; `NEVER` while it may.
    closes: Time,
    closed: bool,
    /// Whether its sending host has left the slot.
    left: bool,
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Request {
    /// Its number.
    number: u64,
    /// Its stream, and its end in bytes of the client's data there.
    stream: u64,
    end: u64,
    object: Object,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            announced: 0,
            known: 0,
            requests: VecDeque::new(),
            written: 0,
            encoder: None,
            publisher: None,
            frames: 0,
            closes: Time::NEVER,
            closed: false,
            left: false,
        }
    }
}

impl Server {
    /// The time at which it next does something of its own; `NEVER` if it does not.
    fn next_wake(&self) -> Time {
        let encoder = self.encoder.as_ref().map_or(Time::NEVER, |encoder| encoder.next_wake());
        let publisher = self.publisher.as_ref().map_or(Time::NEVER, |publisher| publisher.next_wake());
        encoder.min(publisher).min(self.closes)
    }
}

impl<'m> Servers<'m> {
    /// Creates the servers of `application`.
    pub fn new(planner: Planner<'m>, application: &'m ApplicationModel) -> Self {
        let servers = vec![Server::default(); planner.workload.slots as usize];
        Self { side: Side::new(planner, application), servers }
    }

    fn server(&mut self, slot: u32) -> &mut Server {
        let index = self.side.index(slot);
        &mut self.servers[index]
    }

    /// The server in `slot` answers the request `number` with `object`.
    fn serve(
        &mut self,
        slot: u32,
        (number, object): (u64, Object),
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        if context.connections.sending[slot as usize].is_none() {
            let client = self.side.client(slot) as u64;
            context.start(self, slot, client, None);
        }
        let Some(host) = context.connections.open_host(slot) else { return };
        let in_streams = self.side.in_streams;
        let (size, end) = match object {
            Object::Of(size) if in_streams => (Some(size), size.count()),
            Object::Of(size) => {
                let server = self.server(slot);
                server.written += size.count();
                (Some(size), server.written)
            }
            Object::Endless => (None, u64::MAX),
            // A segment on a stream of its own, or in place of the next one.
            Object::Next if in_streams => {
                let size = self.side.planner.workload.transport.mss;
                (Some(size), size.count())
            }
            Object::Next => (None, host.parts().end_of_next().count()),
            Object::Frames => {
                let encoder = self.side.application.encoder(context.now).map(Box::new);
                let publisher = self.side.application.publisher(context.now).map(Box::new);
                let server = self.server(slot);
                (server.encoder, server.publisher, server.frames) = (encoder, publisher, number);
                self.write(slot, context);
                return context.settle(self, slot);
            }
        };
        let part = StackPart { stream: self.side.stream(number), size, last: object != Object::Endless };
        let is_written = in_streams || object != Object::Next;
        self.send(slot, (number, end), Some(part).filter(|_| is_written), context);
    }

    /// Announces an object, or a part of one, of request `number`, which ends after `end` bytes, and writes `part`.
    fn send(
        &mut self,
        slot: u32,
        (request, end): (u64, u64),
        part: Option<StackPart>,
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        let Some(host) = context.connections.open_host(slot) else { return };
        let (flow, now) = (host.plan.flow, context.now);
        // Before what it announces.
        let size = part.and_then(|part| part.size);
        context.announce(slot, Notice::Object { flow, size, end, request, written: now });
        if let Some(part) = part {
            context.at_host(slot, |host, cx| host.write_part(part, now, cx));
        }
        context.settle(self, slot);
    }

    /// Captures the frame of the server in `slot` that is due, if one is.
    fn capture(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let Some(mut encoder) = self.server(slot).encoder.take() else { return };
        // It captures nothing more for a connection that has ended.
        let Some(host) = context.connections.open_host(slot) else { return };
        if encoder.next_wake() > context.now {
            self.server(slot).encoder = Some(encoder);
            return;
        }
        let permitted = host.sender.permitted_rate();
        let sent = host.sent_of_parts().count();
        let (size, observation) = encoder.capture(context.now, sent, permitted);
        self.server(slot).encoder = Some(encoder);
        self.side.observe(self.side.client(slot), observation, context.now, context.connections);
        if let Some(size) = size {
            let server = self.server(slot);
            server.written += size.count();
            let (request, end) = (server.frames, server.written);
            let part = StackPart { stream: self.side.stream(request), size: Some(size), last: false };
            self.send(slot, (request, end), Some(part), context);
        }
    }
}

impl Kind for Servers<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.side.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        Vec::new()
    }

    fn on_idle_slot(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        self.write(slot, context);
    }

    fn plan(&self, flow: FlowId, index: u64, _size: Option<u64>, now: Time) -> Plan {
        self.side.plan(flow, index, now, false)
    }

    fn equip(&self, host: &mut SendingHost, _index: u64, _now: Time) {
        if self.side.is_endless(host.plan.flow.index() as u32) {
            host.sender.wait_for_offers();
            host.greedy = false;
        } else {
            host.expect_parts();
        }
    }

    fn opens(&self, _index: u64) -> bool {
        false
    }

    fn writes_next(&self, slot: u32, _host: &SendingHost) -> Time {
        self.servers[self.side.index(slot)].next_wake()
    }

    /// Captures a frame, and ends the connection.
    fn write(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let now = context.now;
        if self.server(slot).next_wake() > now {
            return;
        }
        self.capture(slot, context);
        self.publish(slot, context);
        let server = self.server(slot);
        if server.closes > now {
            return;
        }
        (server.closes, server.closed) = (Time::NEVER, true);
        (server.encoder, server.publisher) = (None, None);
        let left = server.left;
        let closed = context.at_host(slot, |host, cx| host.close_writes(now, cx));
        if closed.is_none() && !left {
            // No request has arrived.
            context.announce(slot, Notice::Left(self.side.announced(now)));
        }
    }

    fn on_left(&mut self, slot: u32, _: Ending, _: &Plan, context: &mut WorkloadContext<'_, '_, '_>) -> Time {
        let server = self.server(slot);
        (server.left, server.encoder, server.publisher) = (true, None, None);
        context.announce(slot, Notice::Left(self.side.announced(context.now)));
        Time::NEVER
    }

    fn on_opening(&mut self, slot: u32, _plan: &Plan, receiver: Option<&mut Receiver>) {
        if let Some(receiver) = receiver {
            receiver.expect_more_writes();
        }
        *self.server(slot) = Server::default();
    }

    fn on_delivered(
        &mut self,
        slot: u32,
        stream: u64,
        delivered: Bytes,
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        loop {
            let server = self.server(slot);
            let first = server.requests.partition_point(|each| each.stream < stream);
            let arrived =
                |each: &Request| !server.closed && each.stream == stream && each.end <= delivered.count();
            if !server.requests.get(first).is_some_and(arrived) {
                return;
            }
            let Some(Request { number, object, .. }) = server.requests.remove(first) else { return };
            self.serve(slot, (number, object), context);
        }
    }

    fn on_reset(
        &mut self,
        slot: u32,
        stream: u64,
        reset: (Bytes, Bytes),
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        self.give_up(slot, stream, reset, context);
    }

    fn on_notice(&mut self, slot: u32, notice: Notice, connections: &mut Connections<'_>, net: &mut Net) {
        match notice {
            Notice::Request(flow, size, object) => {
                if let Some(host) = connections.receiving_host(flow)
                    && let Some(receiver) = host.parts_mut()
                {
                    receiver.expect_write(size);
                }
                let in_streams = self.side.in_streams;
                let server = self.server(slot);
                let number = server.known;
                server.known += 1;
                server.announced += size.count();
                let (stream, end) = if in_streams { (number, size.count()) } else { (0, server.announced) };
                server.requests.push_back(Request { number, stream, end, object });
            }
            Notice::End(at) => {
                self.server(slot).closes = at;
                connections.bring_forward(slot, at, net);
            }
            Notice::Object { .. } | Notice::Reset(..) | Notice::Left(_) => {
                debug_assert!(false, "clients serve nothing");
            }
        }
    }
}
