//! Clients of applications: they request objects over connections whose servers are at the other end of the path.
//!
//! Each connection has a slot in two workloads that follow each other, that of the servers' data and that of the
//! clients', as connections over which both sides write. What a server must know when a request has arrived is sent
//! ahead in a [`Message`], which takes effect with the last byte of the request; so is what a client must know of the
//! size of an object. A slot is occupied until both sides have left it: a client announces that it closes the connection
//! after the propagation delay of the path, and a server that it has left it likewise.
//!
//! Deviations: those of connections over which both sides write; servers answer at once.

use super::{Message, WorkloadContext, Workloads};
use crate::events::Event;
use crate::host::Ending;
use crate::net::Net;
use crate::plan::Plan;
use narrows_engine::Stream;
use narrows_model::application::{
    Action, ApplicationModel, Client, Encoder, Event as ClientEvent, Io, Object, Observation, Probe,
};
use narrows_model::{Demand, Workload};
use narrows_records::ApplicationCounts;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::FlowId;
use std::collections::VecDeque;
use std::sync::Arc;

/// One side of the connections of the clients of a workload.
#[derive(Debug)]
pub(super) enum Sides {
    /// No application.
    None,
    /// The servers' sides, by slot.
    Servers(Vec<Server>),
    /// The clients.
    Clients(Vec<ClientState>),
}

/// A client with its connections.
#[derive(Debug)]
pub(super) struct ClientState {
    client: Client,
    started: bool,
    /// When something is due.
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
    /// When the server's side has left the slot; `NEVER` while that is not known.
    left_by_server: Time,
    /// Objects on their way: the end of each, in bytes of the server's data, and the time at which it was written.
    ends: VecDeque<(u64, Time)>,
}

/// The server's side of a connection.
#[derive(Clone, Debug)]
pub(super) struct Server {
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

impl ClientState {
    fn new(client: Client, start: Time, connections: u32) -> Self {
        let closed = Connection {
            open: false,
            established: false,
            left: true,
            left_by_server: Time::ZERO,
            ends: VecDeque::new(),
        };
        Self { client, started: false, wake: start, connections: vec![closed; connections as usize] }
    }

    fn free(&self, now: Time) -> Vec<bool> {
        self.connections.iter().map(|each| !each.open && each.left && each.left_by_server <= now).collect()
    }

    /// Time at which something is due after `now`.
    fn next_wake(&self, now: Time) -> Time {
        let left = self.connections.iter().map(|each| each.left_by_server).filter(|at| *at > now);
        left.fold(self.client.next_wake(), Time::min)
    }
}

/// The application and the side of a workload of clients.
pub(super) fn side(workload: &Workload) -> Option<(&Arc<ApplicationModel>, usize)> {
    match &workload.demand {
        Demand::Clients { application, side, .. } => Some((application, *side)),
        _ => None,
    }
}

/// The clients of `workload`, or their servers; the former start at `start`, a function of their number, and draw from
/// `draws`.
pub(super) fn sides(workload: &Workload, draws: &Stream, start: impl Fn(u32) -> Time) -> Sides {
    let Some((application, side)) = side(workload) else { return Sides::None };
    if side == 0 {
        return Sides::Servers(vec![Server::default(); workload.slots as usize]);
    }
    let connections = application.connections();
    let client = |number: u32| {
        let client = application.client(draws.branch(number.into()));
        ClientState::new(client, start(number), connections)
    };
    Sides::Clients((0..workload.slots / connections).map(client).collect())
}

impl Sides {
    /// Time at which the next client does something; `NEVER` without one.
    pub fn wake(&self) -> Time {
        match self {
            Self::Clients(clients) => clients.iter().map(|each| each.wake).min().unwrap_or(Time::NEVER),
            Self::None | Self::Servers(_) => Time::NEVER,
        }
    }

    fn server(&mut self, index: u32) -> &mut Server {
        let Self::Servers(servers) = self else { unreachable!("a workload of servers") };
        &mut servers[index as usize]
    }

    fn clients(&mut self) -> &mut [ClientState] {
        let Self::Clients(clients) = self else { unreachable!("a workload of clients") };
        clients
    }
}

/// The place of a connection among those of its workload.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The workload.
    number: u32,
    /// Its slot, counted from the first of the workload.
    index: u32,
    /// The client.
    client: usize,
    /// The connection among those of the client.
    connection: u32,
}

impl Workloads<'_> {
    fn place(&self, slot: u32) -> Place {
        let number = self.workload(slot);
        let index = slot - self.firsts[number as usize];
        let per = side(&self.model.workloads[number as usize]).map_or(1, |(model, _)| model.connections());
        Place { number, index, client: (index / per) as usize, connection: index % per }
    }

    /// The slot of the other side of the connection in `slot`.
    fn other(&self, slot: u32) -> u32 {
        let number = self.workload(slot) as usize;
        let partner = self.partners[number].expect("clients have servers") as usize;
        self.firsts[partner] + slot - self.firsts[number]
    }

    fn sides(&mut self, number: u32) -> &mut Sides {
        &mut self.processes[number as usize].as_mut().expect("a side acts in its own partition").sides
    }

    fn connection(&mut self, place: Place) -> &mut Connection {
        &mut self.sides(place.number).clients()[place.client].connections[place.connection as usize]
    }

    /// The time of an announcement from one end to the other of the path of workload `number` that is made at `now`.
    fn announced(&self, number: u32, now: Time) -> Time {
        now + self.model.delay(self.model.workloads[number as usize].paths[0].forward)
    }

    /// Handles what is due at `now` at the clients of workload `number`.
    pub(super) fn on_clients(&mut self, number: u32, now: Time, context: &mut WorkloadContext<'_>) {
        for client in 0..self.sides(number).clients().len() {
            let state = &mut self.sides(number).clients()[client];
            if state.wake > now {
                continue;
            }
            let reset = |each: &Connection| each.open && each.left_by_server <= now;
            let reset: Vec<u32> =
                (0..).zip(&state.connections).filter(|(_, each)| reset(each)).map(|(k, _)| k).collect();
            let event = if state.started { ClientEvent::Timer } else { ClientEvent::Start };
            state.started = true;
            for connection in reset {
                self.close(number, client, connection, now, context);
                self.happened.push_back((number, client, ClientEvent::Failed(connection)));
            }
            self.happened.push_back((number, client, event));
        }
        self.run_clients(now, context);
        let wake = self.sides(number).wake();
        context.net.queue.set(context.net.slots.of(Event::ConnectionArrival(number)), wake);
    }

    /// Passes all events that have happened by `now` to their clients.
    pub(super) fn run_clients(&mut self, now: Time, context: &mut WorkloadContext<'_>) {
        while let Some((number, client, event)) = self.happened.pop_front() {
            let mut actions = std::mem::take(&mut self.actions);
            let state = &mut self.sides(number).clients()[client];
            let mut free = state.free(now);
            state.client.on_event(event, &mut Io { now, free: &mut free, actions: &mut actions });
            for action in actions.drain(..) {
                self.perform(number, client, action, now, context);
            }
            self.actions = actions;
            let state = &mut self.sides(number).clients()[client];
            state.wake = state.next_wake(now);
            let wake = self.sides(number).wake();
            context.net.queue.set(context.net.slots.of(Event::ConnectionArrival(number)), wake);
        }
    }

    fn perform(
        &mut self,
        number: u32,
        client: usize,
        action: Action,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let slot = |this: &Self, connection: u32| {
            let workload = &this.model.workloads[number as usize];
            let per = side(workload).map_or(1, |(model, _)| model.connections());
            this.firsts[number as usize] + client as u32 * per + connection
        };
        match action {
            Action::Open(connection) => {
                let slot = slot(self, connection);
                let place = self.place(slot);
                *self.connection(place) = Connection {
                    open: true,
                    established: false,
                    left: false,
                    left_by_server: Time::NEVER,
                    ends: VecDeque::new(),
                };
                self.start_connection(slot, (number, client as u64), None, now, context);
            }
            Action::Request { connection, request, object } => {
                let slot = slot(self, connection);
                let Some(host) =
                    self.sending[slot as usize].as_deref_mut().filter(|host| host.ended.is_none())
                else {
                    return;
                };
                let plan = host.plan;
                let event = context.net.slots.of(Event::SendingHost(slot));
                host.write_part(request, now, &mut context.sender(event, host.group));
                self.send_message(Message::Request(plan.flow, request, object), &plan, context.net);
                self.settle(slot, now, context);
            }
            Action::Close(connection) => self.close(number, client, connection, now, context),
            Action::Observe(observation) => {
                let group = self.model.workloads[number as usize].group;
                self.observe(group, observation);
            }
        }
    }

    /// The client requests nothing more over the connection.
    fn close(
        &mut self,
        number: u32,
        client: usize,
        connection: u32,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let per = side(&self.model.workloads[number as usize]).map_or(1, |(model, _)| model.connections());
        let slot = self.firsts[number as usize] + client as u32 * per + connection;
        let place = self.place(slot);
        let state = self.connection(place);
        if !std::mem::take(&mut state.open) {
            return;
        }
        state.ends.clear();
        let served = state.left_by_server == Time::NEVER;
        if let Some(host) = self.sending[slot as usize].as_deref_mut() {
            let plan = host.plan;
            let event = context.net.slots.of(Event::SendingHost(slot));
            host.close_writes(now, &mut context.sender(event, host.group));
            if served {
                let message = Message::End(self.other(slot), self.announced(number, now));
                self.send_message(message, &plan, context.net);
            }
            self.settle(slot, now, context);
        }
    }

    /// The sending host of `slot`, of a client, has done what was due at `now`.
    pub(super) fn on_client_host(&mut self, slot: u32) {
        let established =
            self.sending[slot as usize].as_ref().is_some_and(|host| host.recorder.established.is_some());
        let place = self.place(slot);
        let connection = self.connection(place);
        if established && connection.open && !connection.established {
            connection.established = true;
            self.happened.push_back((place.number, place.client, ClientEvent::Opened(place.connection)));
        }
    }

    /// The sending host of `slot` has left it at `now`; `ending` says how its connection ended.
    pub(super) fn on_left(&mut self, slot: u32, ending: Ending, plan: &Plan, now: Time, net: &mut Net) {
        let place = self.place(slot);
        let other = self.other(slot);
        let at = self.announced(place.number, now);
        if let Sides::Servers(servers) = self.sides(place.number) {
            let server = &mut servers[place.index as usize];
            (server.left, server.encoder) = (true, None);
            self.send_message(Message::Left(other, at), plan, net);
            return;
        }
        let connection = self.connection(place);
        connection.left = true;
        let event = if std::mem::take(&mut connection.open) {
            debug_assert!(ending != Ending::Completed, "the client closes before it is complete");
            if self.connection(place).left_by_server == Time::NEVER {
                self.send_message(Message::End(other, at), plan, net);
            }
            ClientEvent::Failed(place.connection)
        } else {
            ClientEvent::Timer
        };
        self.happened.push_back((place.number, place.client, event));
    }

    /// The newest receiving host of `slot` has delivered `delivered` bytes by `now`: requests to a server, or objects to a
    /// client.
    pub(super) fn on_application_data(
        &mut self,
        slot: u32,
        delivered: u64,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let other = self.other(slot);
        let place = self.place(other);
        if let Sides::Clients(clients) = self.sides(place.number) {
            let connection = &mut clients[place.client].connections[place.connection as usize];
            let arrived = connection.ends.iter().take_while(|(end, _)| *end <= delivered).count();
            let arrived: Vec<(u64, Time)> = connection.ends.drain(..arrived).collect();
            for (_, written) in arrived {
                let event = ClientEvent::Received(place.connection, written);
                self.happened.push_back((place.number, place.client, event));
            }
            return;
        }
        loop {
            let server = self.sides(place.number).server(place.index);
            let arrived = server.requests.front().is_some_and(|(end, _)| !server.closed && *end <= delivered);
            if !arrived {
                return;
            }
            let Some((_, object)) = server.requests.pop_front() else { return };
            self.serve(other, object, now, context);
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
    pub(super) fn server_wakes(&self, slot: u32) -> Time {
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
    pub(super) fn run_server(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
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
    pub(super) fn on_server_opening(&mut self, slot: u32) {
        let other = self.other(slot);
        let place = self.place(other);
        *self.sides(place.number).server(place.index) = Server::default();
    }

    /// A request of `size` for `object` is on its way over `flow`.
    pub(super) fn announce_request(&mut self, flow: FlowId, size: Bytes, object: Object) {
        let slot = flow.index() as u32;
        if let Some(host) = super::receiving_host(&mut self.receiving, flow) {
            host.receiver.expect_write(size);
        }
        let other = self.other(slot);
        let place = self.place(other);
        let server = self.sides(place.number).server(place.index);
        server.announced += size.count();
        server.requests.push_back((server.announced, object));
    }

    /// An object that was written at `written` is on its way over `flow`: its size where it is one of its own, and its end in
    /// bytes of the server's data.
    pub(super) fn announce_object(&mut self, flow: FlowId, size: Option<Bytes>, end: u64, written: Time) {
        let Some(host) = super::receiving_host(&mut self.receiving, flow) else { return };
        if let Some(size) = size {
            host.receiver.expect_write(size);
        }
        let other = self.other(flow.index() as u32);
        let place = self.place(other);
        let connection = self.connection(place);
        if connection.open && end < u64::MAX {
            connection.ends.push_back((end, written));
        }
    }

    /// The client of the server in `slot` closes the connection at `at`.
    pub(super) fn announce_end(&mut self, slot: u32, at: Time, net: &mut Net) {
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

    /// The server of the client in `slot` has left the connection at `at`.
    pub(super) fn announce_left(&mut self, slot: u32, at: Time, net: &mut Net) {
        let place = self.place(slot);
        self.connection(place).left_by_server = at;
        let state = &mut self.sides(place.number).clients()[place.client];
        state.wake = state.wake.min(at);
        let wake = self.sides(place.number).wake();
        net.queue.set(net.slots.of(Event::ConnectionArrival(place.number)), wake);
    }

    /// Observes what has lasted until `now` at all clients.
    pub(super) fn bring_up_clients(&mut self, now: Time) {
        let mut actions = Vec::new();
        for number in 0..self.processes.len() {
            let group = self.model.workloads[number].group;
            let Some(process) = &mut self.processes[number] else { continue };
            let Sides::Clients(clients) = &mut process.sides else { continue };
            for state in clients.iter_mut().filter(|state| state.started) {
                state.client.bring_up(&mut Io { now, free: &mut [], actions: &mut actions });
            }
            for action in actions.drain(..) {
                if let Action::Observe(observation) = action {
                    self.observe(group, observation);
                }
            }
        }
    }

    fn observe(&mut self, group: usize, observation: Observation) {
        if !self.measuring {
            return;
        }
        let counts: &mut ApplicationCounts = self.groups[group].application.get_or_insert_default();
        let video = &mut counts.video;
        let ps = |span: Span| u128::from(span.as_ps());
        match observation {
            Observation::Segment { rate, duration, switched } => {
                video.add_segment(rate.as_bps(), duration, switched);
            }
            Observation::Startup(span) => video.startups.add(span),
            Observation::Played(span) => video.played_ps += ps(span),
            Observation::Stall => video.stalls += 1,
            Observation::Stalled(span) => video.stalled_ps += ps(span),
            Observation::Page(span) => counts.pages.add(span),
            Observation::Probe(probe, span) => match probe {
                Probe::Tcp => counts.probes.tcp.add(span),
                Probe::Tls => counts.probes.tls.add(span),
                Probe::Http => counts.probes.http.add(span),
                Probe::Loaded => counts.probes.loaded.add(span),
            },
            Observation::Captured(rate) => counts.frames.add_captured(rate.as_bps()),
            Observation::Skipped => counts.frames.skipped += 1,
            Observation::Frame { delay, late } => counts.frames.add_received(delay, late),
        }
    }
}
