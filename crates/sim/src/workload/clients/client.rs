//! The clients' sides: what is due at clients, their actions, and the objects that they receive.

use super::{Place, Sides};
use crate::events::Event;
use crate::host::Ending;
use crate::net::Net;
use crate::plan::Plan;
use crate::workload::{Message, WorkloadContext, Workloads, receiving_host};
use narrows_model::application::{Action, Client, Event as ClientEvent, Io};
use narrows_units::{Bytes, Time};
use narrows_wire::FlowId;
use std::collections::VecDeque;

/// A client with its connections.
#[derive(Debug)]
pub(in crate::workload) struct ClientState {
    client: Client,
    started: bool,
    /// When something is due.
    pub(super) wake: Time,
    pub(super) connections: Vec<Connection>,
}

/// The client's view of a connection slot.
#[derive(Clone, Debug)]
pub(super) struct Connection {
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

impl ClientState {
    pub(super) fn new(client: Client, start: Time, connections: u32) -> Self {
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

impl Workloads<'_> {
    /// Handles what is due at `now` at the clients of workload `number`.
    pub(in crate::workload) fn on_clients(
        &mut self,
        number: u32,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
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
    pub(in crate::workload) fn run_clients(&mut self, now: Time, context: &mut WorkloadContext<'_>) {
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
        match action {
            Action::Open(connection) => {
                let slot = self.slot_of(number, client, connection);
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
                let slot = self.slot_of(number, client, connection);
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
        let slot = self.slot_of(number, client, connection);
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
    pub(in crate::workload) fn on_client_host(&mut self, slot: u32) {
        let established =
            self.sending[slot as usize].as_ref().is_some_and(|host| host.recorder.established.is_some());
        let place = self.place(slot);
        let connection = self.connection(place);
        if established && connection.open && !connection.established {
            connection.established = true;
            self.happened.push_back((place.number, place.client, ClientEvent::Opened(place.connection)));
        }
    }

    /// The sending host of `slot`, of a client, has left it at `now`; `ending` says how its connection ended.
    pub(super) fn on_client_left(
        &mut self,
        place: Place,
        slot: u32,
        ending: Ending,
        plan: &Plan,
        now: Time,
        net: &mut Net,
    ) {
        let connection = self.connection(place);
        connection.left = true;
        let event = if std::mem::take(&mut connection.open) {
            debug_assert!(ending != Ending::Completed, "the client closes before it is complete");
            if connection.left_by_server == Time::NEVER {
                let message = Message::End(self.other(slot), self.announced(place.number, now));
                self.send_message(message, plan, net);
            }
            ClientEvent::Failed(place.connection)
        } else {
            ClientEvent::Timer
        };
        self.happened.push_back((place.number, place.client, event));
    }

    /// The connection at `place` has delivered `delivered` bytes to its client.
    pub(super) fn on_objects(&mut self, place: Place, delivered: u64) {
        let connection = self.connection(place);
        let arrived = connection.ends.iter().take_while(|(end, _)| *end <= delivered).count();
        let arrived: Vec<(u64, Time)> = connection.ends.drain(..arrived).collect();
        for (_, written) in arrived {
            let event = ClientEvent::Received(place.connection, written);
            self.happened.push_back((place.number, place.client, event));
        }
    }

    /// An object that was written at `written` is on its way over `flow`: its size where it is one of its own, and its end in
    /// bytes of the server's data.
    pub(in crate::workload) fn announce_object(
        &mut self,
        flow: FlowId,
        size: Option<Bytes>,
        end: u64,
        written: Time,
    ) {
        let Some(host) = receiving_host(&mut self.receiving, flow) else { return };
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

    /// The server of the client in `slot` has left the connection at `at`.
    pub(in crate::workload) fn announce_left(&mut self, slot: u32, at: Time, net: &mut Net) {
        let place = self.place(slot);
        self.connection(place).left_by_server = at;
        let state = &mut self.sides(place.number).clients()[place.client];
        state.wake = state.wake.min(at);
        let wake = self.sides(place.number).wake();
        net.queue.set(net.slots.of(Event::ConnectionArrival(place.number)), wake);
    }

    /// Observes what has lasted until `now` at all clients.
    pub(in crate::workload) fn bring_up_clients(&mut self, now: Time) {
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
}
