//! The state of the workloads in one partition: their connection slots and hosts.
//!
//! A slot has a *sending host* and a *receiving host*; they may be in different partitions, so each partition has entries
//! for both of every slot. A sending host exists from the start of a connection to its end. A receiving host exists until no
//! more packets can arrive, possibly after the next connection of the slot has started: then both hosts exist and are
//! independent of each other. Individually recorded connections keep their hosts, and their slots, to the end of the run.
//! Besides packets, the two sides of a connection exchange [`Message`]s, which take effect at times that do not depend on
//! how the network is cut: an opening before the first packet arrives, a closing at the time it gives.
//!
//! A host processes a packet as soon as its router is known to receive it, if nothing else can affect the host before the
//! packet arrives, and nothing reads its state until then: its clock is ahead of the run. A slot is freed only when the
//! clock of the run has reached the end of its connection.

mod clients;
mod delivery;
mod exchange;
mod opening;
mod planner;
mod process;
mod recording;
mod stack;

pub(crate) use recording::{GroupTotals, ideal_completion_s, individual_connections};

use crate::events::Event;
use crate::host::{Context, ReceivingHost, SendingHost};
use crate::layout::Layout;
use crate::net::Net;
use crate::plan::Plan;
use crate::transfer::EndedTransfer;
use narrows_cc::Failure;
use narrows_engine::Slot;
use narrows_model::application::{Action, Event as ClientEvent, Object};
use narrows_model::traffic::Side;
use narrows_model::{Classes, GroupModel, Model, Workload};
use narrows_records::{ClassCounts, Histogram};
use narrows_transport::StackPort;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::FlowId;
use process::{Next, Process};
use recording::{ack_spacing, add_receiver, add_sender, counts_of, kept};
use std::collections::VecDeque;
use std::sync::Arc;

/// The hosts and processes of all connection slots in one partition.
#[derive(Debug)]
pub(crate) struct Workloads<'m> {
    model: &'m Model,
    layout: Arc<Layout>,
    /// The sending host in each slot; `None` if the slot is free or the host is in another partition.
    pub sending: Vec<Option<Box<SendingHost>>>,
    /// The newest receiving host in each slot, which links to older ones.
    pub receiving: Vec<Option<Box<ReceivingHost>>>,
    /// Number of connections that each slot has had.
    generations: Vec<u32>,
    /// The process that starts the connections of each workload; `None` if its senders are in another partition.
    processes: Vec<Option<Process>>,
    /// Counts of each group.
    pub groups: Vec<GroupTotals>,
    /// Global indices of the classes of files, and of the classes of the paths, of each workload.
    classes: Vec<(Vec<u32>, Vec<u32>)>,
    path_classes: u32,
    /// Finite connections that have ended.
    pub ended: Vec<EndedTransfer>,
    /// Messages for other partitions: the partition and the message.
    pub messages: Vec<(u16, Message)>,
    /// Failures of algorithms in connections that have ended.
    failed: Vec<(Failure, Plan)>,
    /// Number of connections, by workload, that have a row of their own: the first ones of each user or of all arrivals.
    kept: Vec<u64>,
    /// Interval, by workload, below which acknowledgements are compressed.
    ack_spacings: Vec<Span>,
    /// First slot of each workload.
    firsts: Vec<u32>,
    /// What has happened to clients and has not been passed to them: workload, client and event.
    happened: VecDeque<(u32, usize, ClientEvent)>,
    /// Memory for the actions of a client.
    actions: Vec<Action>,
    measuring: bool,
    /// The stack that carries all connections; `None` if they are simulated.
    pub stack: Option<StackPort>,
}

/// A connection whose algorithm failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed<'a> {
    /// The failure.
    pub failure: &'a Failure,
    /// Slot of the connection.
    pub flow: usize,
    /// Group of the connection.
    pub group: usize,
}

/// A message to the partition of a receiving host.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Message {
    /// A connection starts; sent well before its first packet arrives.
    Opening(Plan),
    /// A connection has ended: the time at which what was sent arrives if nothing but propagation delays it, and what the
    /// sender knows of a transfer of datagrams, which is complete only when these have arrived.
    Closing(FlowId, Time, Option<EndedTransfer>),
    /// A request of this size for this object is on its way to a server.
    Request(FlowId, Bytes, Object),
    /// An object is on its way to a client: its size where it is a part of its own, its end in bytes of the server's data,
    /// and the time at which it was written.
    Object(FlowId, Option<Bytes>, u64, Time),
    /// The client of the server in this slot closes the connection at the given time.
    End(u32, Time),
    /// The server of the client in this slot has left the connection at the given time.
    Left(u32, Time),
}

/// The parts of a partition that workloads use.
pub(crate) struct WorkloadContext<'a> {
    /// The network of the partition.
    pub net: &'a mut Net,
    /// Histograms of round-trip samples, by group.
    pub rtts: &'a mut [Histogram],
    /// Histograms of one-way delays of data packets, by group.
    pub delays: &'a mut [Histogram],
    /// Time up to which only its own packets and deadlines affect an exclusive host, and nothing reads its state.
    pub safe_time: Time,
}

impl WorkloadContext<'_> {
    fn sender(&mut self, slot: Slot, group: usize) -> Context<'_> {
        Context { net: self.net, slot, spans: &mut self.rtts[group] }
    }

    fn receiver(&mut self, slot: Slot, group: usize) -> Context<'_> {
        Context { net: self.net, slot, spans: &mut self.delays[group] }
    }
}

impl<'m> Workloads<'m> {
    /// The connections of `partition` in replication `replication`, before any has started.
    pub fn new(model: &'m Model, layout: &Arc<Layout>, partition: usize, replication: u32) -> Self {
        let slots = model.slots();
        let mut first = 0;
        let mut firsts = Vec::new();
        let mut processes = Vec::new();
        for (number, workload) in model.workloads.iter().enumerate() {
            let here = usize::from(layout.homes[number]) == partition;
            processes.push(here.then(|| Process::new(model, number, first, replication)));
            firsts.push(first);
            first += workload.slots;
        }
        let classes = Classes::of(&model.workloads);
        let spacing = |each: &Workload| ack_spacing(model, &model.groups[each.group], &each.transport);
        let totals = |_: &GroupModel| GroupTotals {
            classes: vec![ClassCounts::default(); classes.count()],
            ..GroupTotals::default()
        };
        Self {
            model,
            layout: Arc::clone(layout),
            sending: std::iter::repeat_with(|| None).take(slots).collect(),
            receiving: std::iter::repeat_with(|| None).take(slots).collect(),
            generations: vec![0; slots],
            processes,
            groups: model.groups.iter().map(totals).collect(),
            classes: model
                .workloads
                .iter()
                .map(|each| (classes.of_files(each), classes.of_paths(each)))
                .collect(),
            path_classes: classes.paths.len() as u32,
            ended: Vec::new(),
            messages: Vec::new(),
            failed: Vec::new(),
            kept: model.workloads.iter().map(|each| kept(model, each)).collect(),
            ack_spacings: model.workloads.iter().map(spacing).collect(),
            firsts,
            happened: VecDeque::new(),
            actions: Vec::new(),
            measuring: false,
            stack: None,
        }
    }

    /// Schedules the first events.
    pub fn start(&mut self, net: &mut Net) {
        for (number, process) in self.processes.iter_mut().enumerate() {
            let Some(process) = process else { continue };
            for (event, at) in process.first(&self.model.workloads[number], number) {
                net.queue.set(net.slots.of(event), at);
            }
        }
    }

    /// Handles the arrival of a connection of workload `number` at `now`.
    pub fn arrive(&mut self, number: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let workload = &self.model.workloads[number as usize];
        if clients::side(workload).is_some() {
            return self.on_clients(number, now, context);
        }
        let process = self.processes[number as usize].as_mut().expect("arrivals happen at home");
        let arrival = process.arrive(workload, now);
        context.net.queue.set(context.net.slots.of(Event::ConnectionArrival(number)), arrival.next);
        match arrival.slot {
            None => self.groups[workload.group].removed.refused += 1,
            Some(slot) => self.start_connection(slot, (number, arrival.index), arrival.size, now, context),
        }
    }

    /// Handles the work that is due at `now` at the sending host of `slot`, or starts a connection there.
    pub fn on_sending_host(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let Some(host) = &mut self.sending[slot as usize] else {
            let number = self.workload(slot);
            let workload = &self.model.workloads[number as usize];
            if clients::side(workload).is_some() {
                return self.run_server(slot, now, context);
            }
            let process = self.processes[number as usize]
                .as_ref()
                .expect("connections start in the partition of their sender");
            let index = process.index(workload, slot, self.generations[slot as usize]);
            return self.start_connection(slot, (number, index), None, now, context);
        };
        host.timer.expire();
        let until = if host.exclusive { context.safe_time.min(host.access.last_waiting()) } else { now };
        let event = context.net.slots.of(Event::SendingHost(slot));
        host.advance(until.max(now), &mut context.sender(event, host.group));
        self.write(slot, now, context);
        self.settle(slot, now, context);
        self.run_clients(now, context);
    }

    /// Handles the work that is due at `now` at the receiving hosts of `slot`.
    pub fn on_receiving_host(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let event = context.net.slots.of(Event::ReceivingHost(slot));
        // Data of the newest connection alone is waited for.
        let (mut due, mut delivered, mut has_ended) = (Time::NEVER, None, false);
        let mut place = &mut self.receiving[slot as usize];
        while let Some(host) = place {
            let ahead = if host.exclusive { context.safe_time.min(host.access.last_waiting()) } else { now };
            let until = ahead.min(host.closing()).max(now);
            host.advance(until, self.measuring, &mut context.receiver(event, host.group));
            delivered.get_or_insert(host.receiver.counters().bytes_delivered);
            if !host.is_done(now) {
                due = due.min(host.timer.deadline());
            }
            has_ended |= host.has_ended(now);
            place = &mut host.before;
        }
        if has_ended {
            self.record_arrived(slot, now);
        }
        self.clear(slot, now, context.net);
        self.on_delivered(slot, delivered.unwrap_or(0), now, context);
        if let Some(host) = &mut self.receiving[slot as usize] {
            host.timer.expire();
            host.timer.arm(due, event, &mut context.net.queue);
        }
        self.run_clients(now, context);
    }

    /// Handles a message, perhaps from another partition.
    pub fn on_message(&mut self, message: Message, net: &mut Net) {
        match message {
            Message::Opening(plan) => self.open_receiving_host(&plan),
            Message::Closing(flow, due, sent) => {
                let host =
                    receiving_host(&mut self.receiving, flow).expect("it was opened and has not closed");
                host.close(due, sent);
                let closing = host.closing();
                self.arm_receiving(flow, closing, net);
                self.record_arrived(flow.index() as u32, Time::ZERO);
            }
            Message::Request(flow, size, object) => self.announce_request(flow, size, object),
            Message::Object(flow, size, end, written) => self.announce_object(flow, size, end, written),
            Message::End(slot, at) => self.announce_end(slot, at, net),
            Message::Left(slot, at) => self.announce_left(slot, at, net),
        }
    }

    /// Failures of external algorithms so far, including those in connections that have ended.
    pub fn failures(&self) -> impl Iterator<Item = Failed<'_>> {
        let present = self.sending.iter().flatten();
        let present = present.filter_map(|host| host.sender.failure().map(|failure| (failure, &host.plan)));
        let gone = self.failed.iter().map(|(failure, plan)| (failure, plan));
        gone.chain(present).map(|(failure, plan)| Failed {
            failure,
            flow: plan.flow.index(),
            group: self.model.workloads[plan.workload as usize].group,
        })
    }

    /// Of the sender here that has sent the most packets, their number and its group.
    pub fn busiest(&self) -> Option<(u64, usize)> {
        let senders = self.sending.iter().flatten();
        let busiest = senders.max_by_key(|host| host.sender.counters().packets_sent)?;
        let workload = &self.model.workloads[busiest.plan.workload as usize];
        Some((busiest.sender.counters().packets_sent, workload.group))
    }

    /// Number of packets between hosts and routers.
    pub fn holding(&self) -> u64 {
        let sending = self.sending.iter().flatten().map(|host| host.access.holding());
        sending.chain(self.receiving_hosts().map(|host| host.access.holding())).sum()
    }

    /// All receiving hosts, including older ones in the same slot.
    fn receiving_hosts(&self) -> impl Iterator<Item = &ReceivingHost> {
        self.receiving.iter().flat_map(|newest| chain(newest.as_deref()))
    }

    /// Whether `slot` carries the requests of a client.
    fn is_of_requests(&self, slot: u32) -> bool {
        self.model.workloads[self.workload(slot) as usize].demand.is_of_requests()
    }

    fn workload(&self, slot: u32) -> u32 {
        u32::from(self.layout.workloads[slot as usize])
    }

    /// Starts connection `index` of workload `number` at `now` in `slot`.
    fn start_connection(
        &mut self,
        slot: u32,
        (number, index): (u32, u64),
        size: Option<u64>,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let workload = &self.model.workloads[number as usize];
        let process = self.processes[number as usize]
            .as_ref()
            .expect("connections start in the partition of their sender");
        let generation = self.generations[slot as usize];
        self.generations[slot as usize] = generation.wrapping_add(1);
        let plan = process.planner.plan(workload, (number, index), FlowId::new(slot, generation), size, now);
        let mut host = self.sending_host(plan, index, now);
        self.groups[workload.group].removed.started += 1;
        self.send_message(Message::Opening(plan), &plan, context.net);
        let opens = match clients::side(workload) {
            Some((_, number)) => number == 1,
            None => exchange::side(workload, index).is_none_or(Side::opens),
        };
        let event = context.net.slots.of(Event::SendingHost(slot));
        host.start(now, opens, &mut context.sender(event, workload.group));
        self.sending[slot as usize] = Some(host);
        self.write(slot, now, context);
        self.settle(slot, now, context);
    }

    /// To be called after work at a sending host: frees the slot if the connection has ended, and arms the timer.
    fn settle(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let role = clients::side(&self.model.workloads[self.workload(slot) as usize]).map(|(_, side)| side);
        if role == Some(1) {
            self.on_client_host(slot);
        }
        let net = &mut *context.net;
        let event = net.slots.of(Event::SendingHost(slot));
        let host = self.sending[slot as usize].as_ref().expect("a host is there");
        if host.concluded {
            return;
        }
        let due = host.timer.deadline().min(self.writes_next(host, slot));
        let over = host.is_over(now);
        let plan = host.plan;
        let Some((at, ending)) = over else {
            if let Some(host) = &mut self.sending[slot as usize] {
                host.timer.arm(due, event, &mut net.queue);
            }
            return;
        };
        let number = plan.workload as usize;
        let workload = &self.model.workloads[number];
        let sent = self.conclude(slot, at, ending);
        let in_flight = self.model.delay(workload.paths[plan.path as usize].forward);
        self.send_message(Message::Closing(plan.flow, now + in_flight, sent), &plan, net);
        let process =
            self.processes[number].as_mut().expect("connections end in the partition of their sender");
        let sequel = process.leave(workload, slot, self.generations[slot as usize], now);
        if workload.individual {
            if let Some(host) = &mut self.sending[slot as usize] {
                host.concluded = true;
            }
            return;
        }
        if let Some(host) = self.sending[slot as usize].take() {
            net.delivered += host.access.waiting();
            let totals = &mut self.groups[host.group];
            totals.removed += counts_of(&host);
            add_sender(&mut totals.sums, &host);
            if let Some(failure) = host.sender.failure() {
                self.failed.push((failure.clone(), plan));
            }
        }
        match sequel {
            Next::Idle => net.queue.set(event, Time::NEVER),
            Next::At(due) => net.queue.set(event, due),
            Next::AllAt(due) => {
                let first = self.firsts[number];
                for slot in first..first + workload.slots {
                    net.queue.set(net.slots.of(Event::SendingHost(slot)), due);
                }
            }
        }
        if role.is_some() {
            self.on_left(slot, ending, &plan, now, net);
        }
    }

    /// Sends `message` to the partition of the connection's receiving host.
    fn send_message(&mut self, message: Message, plan: &Plan, net: &mut Net) {
        let path = &self.model.workloads[plan.workload as usize].paths[plan.path as usize];
        self.send_to(self.layout.destinations[path.forward as usize], message, net);
    }

    /// Sends `message` to partition `there`.
    fn send_to(&mut self, there: u16, message: Message, net: &mut Net) {
        if there == net.partition {
            self.on_message(message, net);
        } else {
            self.messages.push((there, message));
        }
    }

    /// Removes the receiving hosts of a slot that are done at `now`, and keeps their counts.
    fn clear(&mut self, slot: u32, now: Time, net: &mut Net) {
        if self.model.workloads[self.workload(slot) as usize].individual {
            return;
        }
        let of_requests = self.is_of_requests(slot);
        let mut place = &mut self.receiving[slot as usize];
        while let Some(host) = place {
            if host.is_done(now) {
                net.delivered += host.access.waiting();
                let totals = &mut self.groups[host.group];
                totals.removed.bytes_received += host.receiver.counters().bytes_received;
                if self.measuring && !of_requests {
                    add_receiver(&mut totals.sums, host);
                }
                let timer = host.timer.inherited();
                *place = host.before.take();
                if let Some(next) = place {
                    next.timer.inherit(timer);
                }
            } else {
                place = &mut place.as_mut().expect("it is there").before;
            }
        }
    }
}

/// The sending host of a connection that has not ended.
#[inline]
fn sending_host(hosts: &mut [Option<Box<SendingHost>>], flow: FlowId) -> Option<&mut SendingHost> {
    let host = hosts[flow.index()].as_deref_mut()?;
    (host.plan.flow == flow && host.ended.is_none()).then_some(host)
}

/// The receiving host of a connection that has not closed.
#[inline]
fn receiving_host(hosts: &mut [Option<Box<ReceivingHost>>], flow: FlowId) -> Option<&mut ReceivingHost> {
    let mut place = hosts[flow.index()].as_deref_mut();
    while place.as_ref().is_some_and(|host| host.flow != flow) {
        place = place.and_then(|host| host.before.as_deref_mut());
    }
    place
}

/// A receiving host and the older ones in its slot.
fn chain(newest: Option<&ReceivingHost>) -> impl Iterator<Item = &ReceivingHost> {
    std::iter::successors(newest, |host| host.before.as_deref())
}
