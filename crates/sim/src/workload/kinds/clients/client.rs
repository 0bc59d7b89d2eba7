// SPDX-License-Identifier: Apache-2.0
//! The clients' sides: due events at clients, their actions, and the objects that they receive.

use super::Side;
use crate::connections::Connections;
use crate::events::Event;
use crate::host::{Ending, SendingHost};
use crate::net::Net;
use crate::notice::Notice;
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::{Planner, draw_start};
use narrows_model::application::{Action, ApplicationModel, Client, Event as ClientEvent, Io};
use narrows_model::{Start, Stop};
use narrows_transport::{Receiver, StackPart};
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use std::collections::VecDeque;

/// The clients of a workload, and their requests.
#[derive(Debug)]
pub(in crate::workload::kinds) struct Clients<'m> {
    side: Side<'m>,
    stop: Option<Stop>,
    all: Vec<ClientState>,
    /// Events that have not been passed to their clients yet.
    happened: VecDeque<(usize, ClientEvent)>,
    /// Memory for the actions of a client.
    actions: Vec<Action>,
}

/// A client with its connections.
#[derive(Debug)]
struct ClientState {
    client: Client,
    started: bool,
    /// Time at which it stops; `NEVER` before it has started and after it has stopped.
    stops: Time,
    stopped: bool,
    /// Time at which something is due.
    wake: Time,
    connections: Vec<Connection>,
}

/// The client's view of a connection slot.
#[derive(Clone, Debug)]
struct Connection {
    /// Whether the client uses it.
    open: bool,
    established: bool,
    /// Whether the client's sending host has left the slot.
    left: bool,
    /// Time at which the server's side left the slot; `NEVER` while it is not known.
    left_by_server: Time,
    /// Requests so far.
    requests: u64,
    /// Numbers of those whose objects have not been received.
    requested: VecDeque<u64>,
    /// Objects on their way, by stream.
    ends: VecDeque<OnItsWay>,
}

/// An object on its way.
#[derive(Clone, Copy, Debug)]
struct OnItsWay {
    /// Stream of the object.
    stream: u64,
    /// Its end in bytes of the server's data in this stream.
    end: u64,
    /// Number of its request.
    request: u64,
    /// Time at which it was written.
    written: Time,
}

impl Connection {
    fn new(open: bool, left_by_server: Time) -> Self {
        Self {
            open,
            established: false,
            left: !open,
            left_by_server,
            requests: 0,
            requested: VecDeque::new(),
            ends: VecDeque::new(),
        }
    }

    /// The first object of `stream` that has arrived in full with `delivered` bytes of it: its place among the objects that have not
    /// been received, and the time at which it was written.
    fn take(&mut self, stream: u64, delivered: u64) -> Option<(usize, Time)> {
        let first = self.ends.partition_point(|each| each.stream < stream);
        let found = *self.ends.get(first)?;
        if found.stream != stream || found.end > delivered {
            return None;
        }
        self.ends.remove(first);
        // Of an object in parts, such as frames, only the first is there.
        let place = self.requested.partition_point(|number| *number < found.request);
        if self.requested.get(place) == Some(&found.request) {
            self.requested.remove(place);
        }
        Some((place, found.written))
    }
}

impl ClientState {
    fn new(client: Client, start: Time, connections: u32) -> Self {
        let closed = Connection::new(false, Time::ZERO);
        Self {
            client,
            started: false,
            stops: Time::NEVER,
            stopped: false,
            wake: start,
            connections: vec![closed; connections as usize],
        }
    }

    fn free(&self, now: Time) -> Vec<bool> {
        self.connections.iter().map(|each| !each.open && each.left && each.left_by_server <= now).collect()
    }

    /// Time at which something is due after `now`.
    fn next_wake(&self, now: Time) -> Time {
        let left = self.connections.iter().map(|each| each.left_by_server).filter(|at| *at > now);
        let own = if self.stopped { Time::NEVER } else { self.client.next_wake() };
        left.fold(own.min(self.stops), Time::min)
    }
}

impl<'m> Clients<'m> {
    /// Creates the clients of `application`, which start at `start` and stop at `stop`.
    pub fn new(
        planner: Planner<'m>,
        application: &'m ApplicationModel,
        start: Start,
        stop: Option<Stop>,
    ) -> Self {
        let side = Side::new(planner, application);
        let connections = application.connections();
        let client = |number: u32| {
            let at = draw_start(start, number, || side.draws.branch(u64::from(number) | START));
            ClientState::new(
                application.client(side.in_streams, side.draws.branch(number.into())),
                at,
                connections,
            )
        };
        let all = (0..side.planner.workload.slots / connections).map(client).collect();
        Self { side, stop, all, happened: VecDeque::new(), actions: Vec::new() }
    }

    fn connection(&mut self, slot: u32) -> &mut Connection {
        let (client, connection) = (self.side.client(slot), self.side.connection(slot));
        &mut self.all[client].connections[connection as usize]
    }

    fn happen(&mut self, slot: u32, event: impl FnOnce(u32) -> ClientEvent) {
        self.happened.push_back((self.side.client(slot), event(self.side.connection(slot))));
    }

    /// Something is due at the client of `slot` at `at`.
    fn wake(&mut self, slot: u32, at: Time, net: &mut Net) {
        let client = self.side.client(slot);
        let state = &mut self.all[client];
        state.wake = state.wake.min(at);
        let (event, at) = self.due();
        net.queue.set(net.slots.of(event), at);
    }

    /// The event of the clients, and its time.
    fn due(&self) -> (Event, Time) {
        let wake = self.all.iter().map(|each| each.wake).min();
        (Event::ConnectionArrival(self.side.planner.number), wake.unwrap_or(Time::NEVER))
    }

    fn perform(&mut self, client: usize, action: Action, context: &mut WorkloadContext<'_, '_, '_>) {
        match action {
            Action::Open(connection) => {
                let slot = self.side.slot(client, connection);
                *self.connection(slot) = Connection::new(true, Time::NEVER);
                context.start(self, slot, client as u64, None);
            }
            Action::Request { connection, request, object } => {
                let slot = self.side.slot(client, connection);
                let Some(host) = context.connections.open_host(slot) else { return };
                let (flow, now) = (host.plan.flow, context.now);
                let state = self.connection(slot);
                let number = state.requests;
                state.requests += 1;
                state.requested.push_back(number);
                let part = StackPart { stream: self.side.stream(number), size: Some(request), last: true };
                context.at_host(slot, |host, cx| host.write_part(part, now, cx));
                context.announce(slot, Notice::Request(flow, request, object));
                context.settle(self, slot);
            }
            Action::Close(connection) => self.close(client, connection, context),
            Action::Observe(observation) => {
                self.side.observe(client, observation, context.now, context.connections);
            }
        }
    }

    /// The client requests nothing more over the connection.
    fn close(&mut self, client: usize, connection: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let (slot, now) = (self.side.slot(client, connection), context.now);
        let state = self.connection(slot);
        if !std::mem::take(&mut state.open) {
            return;
        }
        state.ends.clear();
        let served = state.left_by_server == Time::NEVER;
        if context.at_host(slot, |host, cx| host.close_writes(now, cx)).is_some() {
            if served {
                context.announce(slot, Notice::End(self.side.announced(now)));
            }
            context.settle(self, slot);
        }
    }

    /// The client stops: it observes conditions that have lasted until now, and closes its connections.
    fn stop(&mut self, client: usize, context: &mut WorkloadContext<'_, '_, '_>) {
        let state = &mut self.all[client];
        (state.stops, state.stopped) = (Time::NEVER, true);
        let mut actions = Vec::new();
        state.client.bring_up(&mut Io { now: context.now, free: &mut [], actions: &mut actions });
        actions.extend((0..state.connections.len() as u32).map(Action::Close));
        for action in actions {
            self.perform(client, action, context);
        }
    }

    /// An object is on its way over `flow` to the client in `slot`: its size if it is a separate object, its end in bytes of the server's
    /// data in its stream, the number of its request, and the time at which it was written.
    fn on_object(
        &mut self,
        slot: u32,
        (flow, size): (FlowId, Option<Bytes>),
        (end, request, written): (u64, u64, Time),
        connections: &mut Connections<'_>,
    ) {
        let Some(host) = connections.receiving_host(flow) else { return };
        if let (Some(size), Some(receiver)) = (size, host.parts_mut()) {
            receiver.expect_write(size);
        }
        let stream = self.side.stream(request);
        let in_groups = self.side.application.needs_stack();
        if in_groups && self.connection(slot).open {
            self.happen(slot, |_| ClientEvent::Captured(written));
        }
        let connection = self.connection(slot);
        if connection.open && end < u64::MAX {
            let place = connection.ends.partition_point(|each| each.stream <= stream);
            connection.ends.insert(place, OnItsWay { stream, end, request, written });
        }
        if in_groups && connection.ends.len() > MOST_FRAMES {
            connection.ends.pop_front();
        }
    }
}

impl Kind for Clients<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.side.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        vec![self.due()]
    }

    fn on_due(&mut self, context: &mut WorkloadContext<'_, '_, '_>) {
        let now = context.now;
        for client in 0..self.all.len() {
            let state = &mut self.all[client];
            if state.wake > now {
                continue;
            }
            let reset = |each: &Connection| each.open && each.left_by_server <= now;
            let reset: Vec<u32> =
                (0..).zip(&state.connections).filter(|(_, each)| reset(each)).map(|(k, _)| k).collect();
            let event = if state.started { ClientEvent::Timer } else { ClientEvent::Start };
            if !std::mem::replace(&mut state.started, true) {
                state.stops = self.stop.map_or(Time::NEVER, |stop| stop.of(now));
            }
            let stops = state.stops <= now;
            for connection in reset {
                self.close(client, connection, context);
                self.happened.push_back((client, ClientEvent::Failed(connection)));
            }
            self.happened.push_back((client, event));
            if stops {
                self.stop(client, context);
            }
        }
        self.react(context);
        let (event, at) = self.due();
        context.schedule(event, at);
    }

    fn plan(&self, flow: FlowId, index: u64, _size: Option<u64>, now: Time) -> Plan {
        self.side.plan(flow, index, now, true)
    }

    fn equip(&self, host: &mut SendingHost, _index: u64, _now: Time) {
        host.expect_parts();
    }

    fn on_work(&mut self, slot: u32, host: &SendingHost) {
        let established = host.recorder.established.is_some();
        let connection = self.connection(slot);
        if established && connection.open && !connection.established {
            connection.established = true;
            self.happen(slot, ClientEvent::Opened);
        }
    }

    fn on_left(
        &mut self,
        slot: u32,
        ending: Ending,
        _: &Plan,
        context: &mut WorkloadContext<'_, '_, '_>,
    ) -> Time {
        let connection = self.connection(slot);
        connection.left = true;
        let served = connection.left_by_server == Time::NEVER;
        if std::mem::take(&mut connection.open) {
            debug_assert!(ending != Ending::Completed, "the client closes before it is complete");
            if served {
                context.announce(slot, Notice::End(self.side.announced(context.now)));
            }
            self.happen(slot, ClientEvent::Failed);
        } else {
            self.happen(slot, |_| ClientEvent::Timer);
        }
        Time::NEVER
    }

    fn on_opening(&mut self, slot: u32, _plan: &Plan, receiver: Option<&mut Receiver>) {
        if let Some(receiver) = receiver.filter(|_| !self.side.is_endless(slot)) {
            receiver.expect_more_writes();
        }
    }

    fn on_delivered(
        &mut self,
        slot: u32,
        stream: u64,
        delivered: Bytes,
        _context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        while let Some((place, written)) = self.connection(slot).take(stream, delivered.count()) {
            self.happen(slot, |connection| ClientEvent::Received(connection, place, written));
        }
    }

    fn on_notice(&mut self, slot: u32, notice: Notice, connections: &mut Connections<'_>, net: &mut Net) {
        match notice {
            Notice::Object { flow, size, end, request, written } => {
                self.on_object(slot, (flow, size), (end, request, written), connections);
                if self.side.application.needs_stack() {
                    self.wake(slot, written, net);
                }
            }
            Notice::Reset(stream, sent) => {
                self.connection(slot).ends.retain(|each| each.stream != stream || each.end <= sent);
            }
            Notice::Left(at) => {
                self.connection(slot).left_by_server = at;
                self.wake(slot, at, net);
            }
            Notice::Request(..) | Notice::End(_) => debug_assert!(false, "servers request nothing"),
        }
    }

    fn react(&mut self, context: &mut WorkloadContext<'_, '_, '_>) {
        let now = context.now;
        while let Some((client, event)) = self.happened.pop_front() {
            let mut actions = std::mem::take(&mut self.actions);
            let state = &mut self.all[client];
            if !state.stopped {
                let mut free = state.free(now);
                state.client.on_event(event, &mut Io { now, free: &mut free, actions: &mut actions });
            }
            for action in actions.drain(..) {
                self.perform(client, action, context);
            }
            self.actions = actions;
            let state = &mut self.all[client];
            state.wake = state.next_wake(now);
            let (event, at) = self.due();
            context.schedule(event, at);
        }
    }

    fn bring_up(&mut self, now: Time, connections: &mut Connections<'_>) {
        let mut actions = Vec::new();
        for (client, state) in self.all.iter_mut().enumerate() {
            if !state.started || state.stopped {
                continue;
            }
            state.client.bring_up(&mut Io { now, free: &mut [], actions: &mut actions });
            for action in actions.drain(..) {
                if let Action::Observe(observation) = action {
                    self.side.observe(client, observation, now, connections);
                }
            }
        }
    }

    fn gauge(&mut self, now: Time, connections: &mut Connections<'_>) {
        self.bring_up(now, connections);
        for (client, state) in self.all.iter().enumerate() {
            if state.started && !state.stopped {
                connections.clients.gauge(self.side.planner.number, client, now, state.client.gauge());
            }
        }
    }
}

/// Frames of a connection for which a viewer waits at a time; of more, the oldest were lost.
const MOST_FRAMES: usize = 4096;

/// Distinguishes the draw of a client's start from its others.
const START: u64 = 1 << 63;
