// SPDX-License-Identifier: Apache-2.0
//! The connections in one partition: their slots and hosts. It does not matter here what started them.
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

mod delivery;
mod opening;
mod recording;
mod stack;

pub(crate) use recording::{GroupTotals, ideal_completion_s, individual_connections};

use crate::events::Event;
use crate::host::{Context, Ending, ReceivingHost, SendingHost};
use crate::layout::Layout;
use crate::net::Net;
use crate::notice::Notice;
use crate::plan::Plan;
use crate::recorder::ClientRecorder;
use crate::transfer::EndedTransfer;
use narrows_cc::Failure;
use narrows_engine::Slot;
use narrows_model::{Classes, GroupModel, Model, Workload};
use narrows_records::{ClassCounts, Histogram, TransferRecord};
use narrows_transport::StackRequest;
use narrows_units::{Span, Time};
use narrows_wire::FlowId;
use recording::{ack_spacing, add_receiver, add_sender, counts_of, kept};
use std::sync::Arc;

/// The hosts of all connection slots in one partition.
#[derive(Debug)]
pub(crate) struct Connections<'m> {
    pub(crate) model: &'m Model,
    layout: Arc<Layout>,
    partition: usize,
    /// The sending host in each slot; `None` if the slot is free or the host is in another partition.
    pub sending: Vec<Option<Box<SendingHost>>>,
    /// The newest receiving host in each slot, which links to older ones.
    pub receiving: Vec<Option<Box<ReceivingHost>>>,
    /// Number of connections that each slot has had.
    generations: Vec<u32>,
    /// The recorded clients of applications.
    pub clients: ClientRecorder,
    /// Counts of each group.
    pub groups: Vec<GroupTotals>,
    /// Global indices of the classes of files, and of the classes of the paths, of each workload.
    classes: Vec<(Vec<u32>, Vec<u32>)>,
    path_classes: u32,
    /// Finite connections that have ended; their slots are the slots of the model.
    pub ended: Vec<TransferRecord>,
    /// Messages for other partitions: the partition and the message.
    pub messages: Vec<(u16, Message)>,
    /// Messages of this partition to itself that workloads have not seen.
    pub unseen: Vec<Message>,
    /// Failures of algorithms in connections that have ended, and in those that a stack carries.
    failed: Vec<(Failure, Plan)>,
    /// Number of connections, by workload, that have a row of their own: the first ones of each user or of all arrivals.
    kept: Vec<u64>,
    /// Interval, by workload, below which acknowledgements are compressed.
    ack_spacings: Vec<Span>,
    /// First slot of each workload.
    pub firsts: Vec<u32>,
    /// Whether the warm-up is over.
    pub measuring: bool,
    /// Whether a stack outside the simulator carries the connections of each workload.
    pub of_stack: Vec<bool>,
}

/// A connection whose algorithm failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failed<'a> {
    /// Failure of the algorithm.
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
    /// A connection has ended: the time at which the sent data arrives if only propagation delays it, and the sender's
    /// counts of a transfer of datagrams, which is complete only when these have arrived.
    Closing(FlowId, Time, Option<EndedTransfer>),
    /// An announcement from the side that sends in this slot.
    Notice(u32, Notice),
}

/// The parts of a partition that connections use.
pub(crate) struct ConnectionContext<'a> {
    /// The network of the partition.
    pub net: &'a mut Net,
    /// Histograms of round-trip samples, by group.
    pub rtts: &'a mut [Histogram],
    /// Histograms of one-way delays of data packets, by group.
    pub delays: &'a mut [Histogram],
    /// Time up to which only its own packets and deadlines affect an exclusive host, and nothing reads its state.
    pub safe_time: Time,
}

impl ConnectionContext<'_> {
    /// Returns the parts that a sending host of `group` uses, whose event is `slot`.
    pub fn sender(&mut self, slot: Slot, group: usize) -> Context<'_> {
        Context { net: self.net, slot, spans: &mut self.rtts[group] }
    }

    /// Does the same as [`sender`](Self::sender), of a receiving host.
    pub fn receiver(&mut self, slot: Slot, group: usize) -> Context<'_> {
        Context { net: self.net, slot, spans: &mut self.delays[group] }
    }
}

impl<'m> Connections<'m> {
    /// Creates the slots of `partition`, without connections.
    pub fn new(model: &'m Model, layout: &Arc<Layout>, partition: usize) -> Self {
        let slots = model.slots();
        let classes = Classes::of(&model.workloads);
        let spacing = |each: &Workload| ack_spacing(model, &model.groups[each.group], &each.transport);
        let totals = |_: &GroupModel| GroupTotals {
            classes: vec![ClassCounts::default(); classes.count()],
            ..GroupTotals::default()
        };
        let first = |next: &mut u32, each: &Workload| {
            let first = *next;
            *next += each.slots;
            Some(first)
        };
        Self {
            model,
            layout: Arc::clone(layout),
            partition,
            sending: std::iter::repeat_with(|| None).take(slots).collect(),
            receiving: std::iter::repeat_with(|| None).take(slots).collect(),
            generations: vec![0; slots],
            clients: ClientRecorder::new(model),
            groups: model.groups.iter().map(totals).collect(),
            classes: model
                .workloads
                .iter()
                .map(|each| (classes.of_files(each), classes.of_paths(each)))
                .collect(),
            path_classes: classes.paths.len() as u32,
            ended: Vec::new(),
            messages: Vec::new(),
            unseen: Vec::new(),
            failed: Vec::new(),
            kept: model.workloads.iter().map(|each| kept(model, each)).collect(),
            ack_spacings: model.workloads.iter().map(spacing).collect(),
            firsts: model.workloads.iter().scan(0, first).collect(),
            measuring: false,
            of_stack: vec![false; model.workloads.len()],
        }
    }

    /// Returns the workload of `slot`.
    pub fn workload(&self, slot: u32) -> u32 {
        u32::from(self.layout.workloads[slot as usize])
    }

    /// Whether the sending hosts of workload `number` are in this partition.
    pub fn is_home(&self, number: usize) -> bool {
        usize::from(self.layout.homes[number]) == self.partition
    }

    /// Returns the number of connections that `slot` has had.
    pub fn generation(&self, slot: u32) -> u32 {
        self.generations[slot as usize]
    }

    /// Returns the workload of the other sides of the connections in `slot`, and the slot of that side; `None` if one
    /// side alone writes.
    pub fn other_side(&self, slot: u32) -> Option<(u32, u32)> {
        let number = self.workload(slot) as usize;
        let partner = self.model.workloads[number].partner?;
        Some((partner, self.firsts[partner as usize] + slot - self.firsts[number]))
    }

    /// Returns the sending host in `slot` of a connection that has not ended.
    pub fn open_host(&self, slot: u32) -> Option<&SendingHost> {
        self.sending[slot as usize].as_deref().filter(|host| host.ended.is_none())
    }

    /// Handles the work that is due at `now` at the sending host of `slot`; false if there is none.
    pub fn on_sending_host(&mut self, slot: u32, now: Time, context: &mut ConnectionContext<'_>) -> bool {
        let Some(host) = &mut self.sending[slot as usize] else { return false };
        host.timer.expire();
        let until = if host.exclusive { context.safe_time.min(host.access.last_waiting()) } else { now };
        let event = context.net.slots.of(Event::SendingHost(slot));
        host.advance(until.max(now), &mut context.sender(event, host.group));
        true
    }

    /// Handles the work that is due at `now` at the receiving hosts of `slot`. Returns the bytes that the newest had delivered
    /// to its application in total: data of the newest connection alone is waited for.
    pub fn on_receiving_host(&mut self, slot: u32, now: Time, context: &mut ConnectionContext<'_>) -> u64 {
        let event = context.net.slots.of(Event::ReceivingHost(slot));
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
        if let Some(host) = &mut self.receiving[slot as usize] {
            host.timer.expire();
            host.timer.arm(due, event, &mut context.net.queue);
        }
        delivered.unwrap_or(0)
    }

    /// Data leaves at `now` in `slot`: sends the acknowledgement of data in the other direction that its host delays, if both
    /// sides write.
    pub fn acknowledge(&mut self, slot: u32, now: Time, context: &mut ConnectionContext<'_>) {
        let Some((_, other)) = self.other_side(slot) else { return };
        if let Some(host) = &mut self.receiving[other as usize] {
            let event = context.net.slots.of(Event::ReceivingHost(other));
            host.acknowledge(now, &mut context.receiver(event, host.group));
            host.timer.arm(host.timer.deadline(), event, &mut context.net.queue);
        }
    }

    /// Handles a message, perhaps from another partition, as far as it concerns hosts.
    pub fn on_message(&mut self, message: &Message, net: &mut Net) {
        match message {
            Message::Opening(plan) => self.open_receiving_host(plan),
            Message::Closing(flow, due, sent) => {
                let host = self.receiving_host(*flow).expect("it was opened and has not closed");
                host.close(*due, *sent);
                let closing = host.closing();
                self.arm_receiving(*flow, closing, net);
                self.record_arrived(flow.index() as u32, Time::ZERO);
            }
            Message::Notice(..) => {}
        }
    }

    /// Announces to the receiving side the connection that `plan` describes.
    pub fn open(&mut self, plan: &Plan, net: &mut Net) {
        self.send_message(Message::Opening(*plan), plan.workload, plan.path, net);
    }

    /// Passes `notice` of the side that sends in `slot` to the other side. Connections over which both write have one path.
    pub fn announce(&mut self, slot: u32, notice: Notice, net: &mut Net) {
        self.send_message(Message::Notice(slot, notice), self.workload(slot), 0, net);
    }

    /// Sends `message` to the partition at the end of a path of a workload.
    fn send_message(&mut self, message: Message, workload: u32, path: u32, net: &mut Net) {
        let workload = &self.model.workloads[workload as usize];
        let there = self.layout.destinations[workload.paths[path as usize].forward as usize];
        if there != net.partition {
            self.messages.push((there, message));
            return;
        }
        self.on_message(&message, net);
        if workload.partner.is_some() {
            self.unseen.push(message);
        }
    }

    /// Makes the event of the sending host of `slot` due at `at` at the latest; of a slot without one, at `at`.
    pub fn bring_forward(&mut self, slot: u32, at: Time, net: &mut Net) {
        let event = net.slots.of(Event::SendingHost(slot));
        match &mut self.sending[slot as usize] {
            Some(host) => {
                let due = host.timer.deadline().min(at);
                host.timer.arm(due, event, &mut net.queue);
            }
            None => net.queue.set(event, at),
        }
    }

    /// Ends the connection in `slot`, which ended at `at`. Returns whether its host has been removed, as is every host
    /// except for connections with individual records.
    pub fn end(
        &mut self,
        slot: u32,
        (at, ending): (Time, Ending),
        plan: &Plan,
        now: Time,
        net: &mut Net,
    ) -> bool {
        let workload = &self.model.workloads[plan.workload as usize];
        let sent = self.conclude(slot, at, ending);
        let in_flight = self.model.delay(workload.paths[plan.path as usize].forward);
        let closing = Message::Closing(plan.flow, now + in_flight, sent);
        self.send_message(closing, plan.workload, plan.path, net);
        if workload.individual {
            // What its user abandons goes on in the stack.
            if self.of_stack[plan.workload as usize] && ending == Ending::Abandoned {
                net.requests.push_back(StackRequest::Close(plan.flow));
            }
            if let Some(host) = &mut self.sending[slot as usize] {
                host.concluded = true;
            }
            return false;
        }
        if let Some(host) = self.sending[slot as usize].take() {
            net.delivered += host.access.waiting();
            let totals = &mut self.groups[host.group];
            totals.removed += counts_of(&host);
            add_sender(&mut totals.sums, &host, Time::NEVER);
            if self.of_stack[plan.workload as usize] {
                net.requests.push_back(StackRequest::Close(plan.flow));
            }
            if let Some(failure) = host.sender.failure() {
                self.failed.push((failure.clone(), *plan));
            }
        }
        true
    }

    /// The algorithm of the connection `flow`, which a stack executes, has failed.
    pub fn fail_in_stack(&mut self, flow: FlowId, failure: Failure) {
        if let Some(host) = &self.sending[flow.index()] {
            self.failed.push((failure, host.plan));
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

    /// Returns the sender in this partition that has sent the most packets: their number, and its group.
    pub fn busiest(&self) -> Option<(u64, usize)> {
        let senders = self.sending.iter().flatten();
        let busiest = senders.max_by_key(|host| host.sender.counters().packets_sent)?;
        Some((busiest.sender.counters().packets_sent, busiest.group))
    }

    /// Returns the number of packets between hosts and routers.
    pub fn holding(&self) -> u64 {
        let sending = self.sending.iter().flatten().map(|host| host.access.holding());
        sending.chain(self.receiving_hosts().map(|host| host.access.holding())).sum()
    }

    /// Returns the receiving host of a connection that has not closed.
    #[inline]
    pub fn receiving_host(&mut self, flow: FlowId) -> Option<&mut ReceivingHost> {
        receiving_host(&mut self.receiving, flow)
    }

    /// All receiving hosts, including older ones in the same slot.
    fn receiving_hosts(&self) -> impl Iterator<Item = &ReceivingHost> {
        let chain = |newest| std::iter::successors(newest, |host: &&ReceivingHost| host.before.as_deref());
        self.receiving.iter().flat_map(move |newest| chain(newest.as_deref()))
    }

    /// Whether `slot` carries the requests of a client.
    fn is_of_requests(&self, slot: u32) -> bool {
        self.model.workloads[self.workload(slot) as usize].demand.is_of_requests()
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
                    add_receiver(&mut totals.sums, host, Time::NEVER);
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
