// SPDX-License-Identifier: Apache-2.0
//! Runs whose flows, or some of them, are carried by protocol stacks in this process.
//!
//! These flows have the endpoints of the [emulation](crate::Emulation) around a kernel; here the simulator keeps the
//! clock, and advances from one event of the network or timer of a stack to the next.

use crate::cpu_clock::CpuClock;
use crate::drive::REPORTS;
use crate::{Emulation, RunOptions, StackRequest};
use narrows_backend::{Progress, RunError};
use narrows_engine::Stream;
use narrows_model::Model;
use narrows_model::algorithm::FlowStart;
use narrows_model::stack::{Datagram, Delivery, StackConnection, StackSetup};
use narrows_records::Records;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Direction, FlowId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The connections of stacks, and what their packets carry.
#[derive(Debug)]
struct Carried<'m> {
    model: &'m Model,
    replication: u32,
    /// The workload of each slot.
    workloads: Vec<usize>,
    /// The slot of the side that opens the connection, of each slot: its own, or the slot of the other side.
    openers: Vec<usize>,
    /// The connection that each slot has opened.
    connections: Vec<Option<Connection>>,
    /// Times at which timers may expire, each with the slot; some have been moved since.
    timers: BinaryHeap<Reverse<(Time, usize)>>,
    /// The time of each slot that was added last.
    armed: Vec<Time>,
    /// The packets in the network, by handle: the flow, the path that it takes, and what it carries.
    datagrams: BTreeMap<u64, (FlowId, u32, Datagram)>,
    /// Packets sent so far.
    sent: u64,
}

/// A connection of a stack.
#[derive(Debug)]
struct Connection {
    /// The flow of the side that opened it, and of the other side, if that writes.
    flows: [Option<FlowId>; 2],
    both: Box<dyn StackConnection>,
}

/// Whether stacks carry flows of `model`.
pub(crate) fn has_stacks(model: &Model) -> bool {
    model.groups.iter().any(|group| group.algorithm.stack().is_some())
}

/// Runs replication `replication` of `model`, some of whose flows stacks carry.
pub(crate) fn run(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Records, RunError> {
    let clock = CpuClock::start();
    let has_stack = |group: usize| model.groups[group].algorithm.stack().is_some();
    let of_stack = model.workloads.iter().map(|each| has_stack(each.group)).collect();
    let queue = |link: usize| model.links[link].queue.build();
    let cancellation = progress.cancellation();
    let mut emulation = Emulation::carrying(model, replication, options, cancellation, of_stack, queue);
    let mut carried = Carried::new(model, replication);
    let end = emulation.end();
    let every = (model.duration / REPORTS).max(Span::from_ps(1));
    let (mut now, mut reported) = (Time::ZERO, Time::ZERO);
    while now < end {
        now = now.max(emulation.due().min(carried.due()).min(end));
        emulation.advance(now);
        carried.serve(now, &mut emulation);
        if now.since(reported) >= every || now == end {
            progress.advance(reported, now);
            reported = now;
            if let Some(failure) = emulation.failure(now) {
                return Err(failure);
            }
        }
    }
    emulation.finish(clock.elapsed_s())
}

impl<'m> Carried<'m> {
    fn new(model: &'m Model, replication: u32) -> Self {
        let of = |(number, count): (usize, u32)| std::iter::repeat_n(number, count as usize);
        let slots = model.workloads.iter().map(|each| each.slots).enumerate();
        let workloads: Vec<usize> = slots.flat_map(of).collect();
        let firsts = model.workloads.iter().scan(0, |next, each| {
            let first = *next;
            *next += each.slots as usize;
            Some(first)
        });
        let firsts: Vec<usize> = firsts.collect();
        let openers = workloads.iter().enumerate().map(|(slot, &number)| {
            let workload = &model.workloads[number];
            // Clients open connections.
            let accepts = workload.demand.is_application() && !workload.demand.is_of_requests();
            let partner = workload.partner.filter(|_| accepts);
            partner.map_or(slot, |partner| firsts[partner as usize] + slot - firsts[number])
        });
        let openers = openers.collect();
        Self {
            openers,
            model,
            replication,
            connections: std::iter::repeat_with(|| None).take(workloads.len()).collect(),
            armed: vec![Time::NEVER; workloads.len()],
            workloads,
            timers: BinaryHeap::new(),
            datagrams: BTreeMap::new(),
            sent: 0,
        }
    }

    /// Returns a time at or before the next timer; `Time::NEVER` if none is set.
    fn due(&self) -> Time {
        self.timers.peek().map_or(Time::NEVER, |Reverse((at, _))| *at)
    }

    /// Carries out the requests of the network and the workloads, and expires timers that are due by `now`.
    fn serve(&mut self, now: Time, emulation: &mut Emulation<'m>) {
        loop {
            while let Some(handle) = emulation.discarded() {
                self.datagrams.remove(&handle);
            }
            if let Some(request) = emulation.request() {
                self.carry_out(request, now, emulation);
            } else if self.due() <= now {
                self.expire(now, emulation);
            } else {
                break;
            }
        }
    }

    fn carry_out(&mut self, request: StackRequest, now: Time, emulation: &mut Emulation<'m>) {
        let flow = match request {
            StackRequest::Open(flow) => {
                let mut both = self.connection(flow, emulation.size(flow), now);
                both.open(now);
                self.connections[flow.index()] = Some(Connection { flows: [Some(flow), None], both });
                flow
            }
            StackRequest::Accept(flow) => {
                if let Some(connection) = &mut self.connections[self.openers[flow.index()]] {
                    connection.flows[1] = Some(flow);
                }
                flow
            }
            StackRequest::Write(flow, bytes) => {
                if let Some((connection, from)) = self.of(flow) {
                    connection.write(from, 0, bytes, now);
                }
                flow
            }
            StackRequest::WritePart(flow, part) => {
                if let Some((connection, from)) = self.of(flow) {
                    connection.write(from, part.stream, part.size, now);
                    if part.last {
                        connection.end(from, part.stream, now);
                    }
                }
                flow
            }
            StackRequest::Expire(flow, stream, end) => {
                if let Some((connection, from)) = self.of(flow)
                    && let Some(reset) = connection.expire(from, stream, end, now)
                {
                    emulation.reset_part(flow, stream, reset, now);
                }
                flow
            }
            StackRequest::Stop(flow) => {
                if let Some((connection, from)) = self.of(flow) {
                    connection.stop(from, now);
                }
                flow
            }
            StackRequest::Deliver { flow, direction, handle, ecn } => {
                if let Some((_, path, datagram)) = self.datagrams.remove(&handle)
                    && let Some((connection, from)) = self.of(flow)
                {
                    let forward = from == direction;
                    let from = if forward { Direction::Forward } else { Direction::Reverse };
                    connection.receive(from, path, datagram, ecn, now);
                }
                flow
            }
            StackRequest::Close(flow) => return self.close(flow),
        };
        self.settle(flow, now, emulation);
    }

    /// The side of `flow` has left its connection, which is removed with the last side.
    fn close(&mut self, flow: FlowId) {
        let slot = self.openers[flow.index()];
        let Some(connection) = &mut self.connections[slot] else { return };
        let Some(own) = connection.flows.iter_mut().find(|own| **own == Some(flow)) else { return };
        *own = None;
        if connection.flows == [None, None] {
            self.connections[slot] = None;
            let openers = &self.openers;
            self.datagrams.retain(|_, (owner, ..)| openers[owner.index()] != slot);
        }
    }

    fn expire(&mut self, now: Time, emulation: &mut Emulation<'m>) {
        let Some(Reverse((at, slot))) = self.timers.pop() else { return };
        if self.armed[slot] == at {
            self.armed[slot] = Time::NEVER;
        }
        let Some(Connection { flows, both }) = &mut self.connections[slot] else { return };
        if both.due() <= now {
            both.wake(now);
            if let Some(flow) = flows.iter().flatten().next().copied() {
                self.settle(flow, now, emulation);
            }
        }
    }

    /// Sends the packets that the connection of `flow` has to send, reports what it has delivered and its state, and sets its timer.
    fn settle(&mut self, flow: FlowId, now: Time, emulation: &mut Emulation<'m>) {
        let slot = self.openers[flow.index()];
        let Some(Connection { flows, both }) = &mut self.connections[slot] else { return };
        if !flows.contains(&Some(flow)) {
            return;
        }
        while let Some((direction, mut packet, datagram)) = both.send(now) {
            packet.handle = self.sent;
            self.sent += 1;
            // All packets of a side leave through one host: the host of its own data, if it has any.
            let (flow, of_flow) = match (direction, &flows) {
                (Direction::Reverse, [_, Some(accepted)]) => (*accepted, Direction::Forward),
                (direction, [Some(opened), _]) => (*opened, direction),
                _ => continue,
            };
            self.datagrams.insert(packet.handle, (flow, packet.path, datagram));
            if !emulation.send(flow, of_flow, &packet, now) {
                self.datagrams.remove(&packet.handle);
            }
        }
        let due = both.due();
        if due != std::mem::replace(&mut self.armed[slot], due) && due < Time::NEVER {
            self.timers.push(Reverse((due, slot)));
        }
        if let Some(failure) = both.failure() {
            emulation.fail(flow, failure);
        }
        let flows = *flows;
        while let Some(Delivery { from, stream, bytes }) = both.delivery() {
            if let Some(flow) = flows[from as usize] {
                emulation.deliver_part(flow, stream, bytes, now);
            }
        }
        for (flow, from) in flows.into_iter().zip([Direction::Forward, Direction::Reverse]) {
            if let Some(flow) = flow {
                let (state, delivered) = both.state(from);
                if self.model.record.internals {
                    let mut observed = Vec::new();
                    both.observe(from, &mut |name, value| observed.push((name.to_owned(), value)));
                    emulation.observe(flow, observed);
                }
                emulation.update(flow, state, delivered, now);
            }
        }
    }

    /// The connection of `flow`, and the direction in which that sends.
    fn of(&mut self, flow: FlowId) -> Option<(&mut dyn StackConnection, Direction)> {
        let connection = self.connections[self.openers[flow.index()]].as_mut()?;
        let of_opener = self.openers[flow.index()] == flow.index();
        Some((&mut *connection.both, if of_opener { Direction::Forward } else { Direction::Reverse }))
    }

    /// The two endpoints of the connection `flow` of `size` bytes, which starts at `now`.
    fn connection(&self, flow: FlowId, size: Option<Bytes>, now: Time) -> Box<dyn StackConnection> {
        let workload = &self.model.workloads[self.workloads[flow.index()]];
        let group = &self.model.groups[workload.group];
        let control = group.algorithm.stack();
        let control = control.expect("a stack carries the connections of the workload");
        let transport = &workload.transport;
        let stream = format!("stack {} {}", flow.index(), flow.generation());
        let setup = StackSetup {
            settings: control.settings,
            two_sided: workload.partner.is_some(),
            size,
            packet: transport.mss + transport.header,
            receive_window: transport
                .receive_window
                .map(|packets| Bytes::new(packets.saturating_mul(transport.mss.count()))),
            ecn: transport.ecn,
            observed: self.model.record.internals,
            seed: Stream::new(self.model.seed, self.replication, &stream).bits(),
        };
        let start = FlowStart { flow: flow.index(), group: &group.name, stack: control.stack.name(), now };
        control.stack.connection(control, &setup, &start)
    }
}
