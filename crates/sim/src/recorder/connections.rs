// SPDX-License-Identifier: Apache-2.0
//! Losses and marks of the data packets of each connection or workload on all links of a partition.

use super::{EventEntry, EventLogs, LinkRecorder, Log, LogEntry, Place, RecordedClients};
use narrows_model::Model;
use narrows_qdisc::{DropReason, Tap};
use narrows_records::{FlowEvent, PacketEvent};
use narrows_units::Time;
use narrows_wire::{Body, FlowId, Packet};
use std::sync::Arc;

/// Losses and marks after the warm-up: of each individually recorded connection, and of each other workload as a whole.
#[derive(Clone, Debug)]
pub(crate) struct FlowTallies {
    /// Number of lost packets, dropped by a queue or lost at random, by index of the connection or workload.
    pub lost: Vec<u32>,
    /// Number of marked packets, by index of the connection or workload.
    pub marked: Vec<u32>,
    /// End of the warm-up; `NEVER` before it ends.
    pub since: Time,
    /// The packet log.
    pub trace: Log<LogEntry>,
    /// The logs of events.
    pub events: EventLogs,
    /// Packets that a stack outside the simulator has sent; `None` without such a stack.
    pub stack: Option<OfStack>,
    /// Position of the counts, and group, of each workload.
    owners: Vec<Owner>,
    /// The workload of each connection slot.
    workloads: Arc<[u16]>,
    /// The group of each block of slots if it is the same for all of them; small enough to stay in the cache.
    blocks: Vec<Option<u16>>,
}

/// The packets of a stack outside the simulator: their numbers in the network are the handles by which the stack knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfStack {
    /// Handles of its lost packets, which the stack needs to know.
    pub discarded: Vec<u64>,
    /// Whether it carries the connections of each workload.
    pub carries: Vec<bool>,
    /// Whether the packets of its flows may be in [lanes](narrows_transport::StackPacket::lane).
    pub has_lanes: bool,
    /// Number shown in logs, by handle of the packet.
    numbers: Vec<u64>,
}

impl OfStack {
    /// Creates the record, without packets, of a stack that carries the connections of the workloads that `carries` marks.
    pub fn new(carries: Vec<bool>) -> Self {
        Self { carries, ..Self::default() }
    }

    /// The packet that the stack sends next under `handle` is `number` in its flow.
    fn number(&mut self, handle: u64, number: u64) {
        let place = handle as usize;
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, 0);
        }
        self.numbers[place] = number;
    }
}

/// Position of the counts of one workload.
#[derive(Clone, Copy, Debug)]
struct Owner {
    group: u16,
    /// Index of its first or only count.
    base: u32,
    /// First slot of the workload, if each connection has a count of its own; `None` otherwise.
    individual_from: Option<u32>,
    /// Slots of the servers of recorded clients: the first one, and the one after the last.
    recorded: (u32, u32),
}

impl FlowTallies {
    /// Tallies of the connections of `model`; `workloads` has the workload of each slot.
    pub fn new(model: &Model, workloads: Arc<[u16]>) -> Self {
        let (mut first, mut count) = (0, 0);
        let mut owners = Vec::with_capacity(model.workloads.len());
        for (workload, clients) in model.workloads.iter().zip(RecordedClients::of(model)) {
            let individual_from = workload.individual.then_some(first);
            let slots = if workload.demand.is_of_requests() { 0..0 } else { clients.slots() };
            let recorded = (slots.start, slots.end);
            owners.push(Owner { group: workload.group as u16, base: count, individual_from, recorded });
            count += if workload.individual { workload.slots } else { 1 };
            first += workload.slots;
        }
        let group = |slot: &u16| owners[usize::from(*slot)].group;
        let uniform = |block: &[u16]| {
            let first = group(&block[0]);
            block.iter().all(|slot| group(slot) == first).then_some(first)
        };
        let blocks = workloads.chunks(1 << BLOCK_BITS).map(uniform).collect();
        Self {
            lost: vec![0; count as usize],
            marked: vec![0; count as usize],
            since: Time::NEVER,
            trace: Log::new(model.record.packets),
            events: EventLogs {
                flows: Log::new(model.record.events),
                clients: Log::new(model.record.client_events),
            },
            stack: None,
            owners,
            workloads,
            blocks,
        }
    }

    /// Returns the group of the connection to which `packet` belongs.
    pub fn group(&self, packet: &Packet) -> usize {
        let slot = packet.flow.index();
        let group = self.blocks[slot >> BLOCK_BITS].unwrap_or_else(|| self.owner(slot).group);
        usize::from(group)
    }

    /// Returns the index of the counts of the connection in `slot`.
    pub fn index(&self, slot: usize) -> usize {
        let owner = self.owner(slot);
        owner.base as usize + owner.individual_from.map_or(0, |first| slot - first as usize)
    }

    /// Returns `packet` from its lane to its flow, as it reaches a host.
    pub fn merge(&self, packet: &mut Packet) {
        let slot = packet.flow.index();
        if let Some(stack) = &self.stack
            && stack.has_lanes
            && stack.carries[usize::from(self.workloads[slot])]
        {
            packet.flow = FlowId::new(slot as u32, 0);
        }
    }

    /// The stack sends the packet `number` of its flow under `handle`.
    pub fn number(&mut self, handle: u64, number: u64) {
        if (self.trace.is_on() || self.events.is_on())
            && let Some(stack) = &mut self.stack
        {
            stack.number(handle, number);
        }
    }

    /// Counts `packet` as lost.
    pub fn lost(&mut self, packet: &Packet) {
        let workload = usize::from(self.workloads[packet.flow.index()]);
        if let Some(stack) = self.stack.as_mut().filter(|stack| stack.carries[workload]) {
            stack.discarded.push(packet.number);
        }
        if self.counts(packet) {
            let index = self.index(packet.flow.index());
            self.lost[index] += 1;
        }
    }

    /// Logs what happened to `packet` at `place`, if packets are logged.
    #[inline]
    pub fn log_packet(&mut self, at: Time, place: Place, event: PacketEvent, packet: &Packet) {
        if self.trace.is_on() {
            let packet = self.shown(packet);
            self.trace.add(LogEntry { at, place, event, packet });
        }
    }

    /// `packet` as the logs show it.
    fn shown(&self, packet: &Packet) -> Packet {
        let workload = usize::from(self.workloads[packet.flow.index()]);
        let stack = self.stack.as_ref().filter(|stack| stack.carries[workload]);
        let numbers = stack.map(|stack| &stack.numbers);
        let number = numbers.and_then(|numbers| numbers.get(packet.number as usize));
        Packet { number: number.copied().unwrap_or(packet.number), ..*packet }
    }

    /// Logs the event of `packet` at a link, by `rule`, if events of its connection are logged.
    pub fn log_event(
        &mut self,
        at: Time,
        place: Place,
        event: FlowEvent,
        rule: &'static str,
        packet: &Packet,
    ) {
        if !self.events.is_on() {
            return;
        }
        let slot = packet.flow.index();
        let Owner { individual_from, recorded: (from, until), .. } = *self.owner(slot);
        let of_client = (from as usize..until as usize).contains(&slot);
        if of_client || individual_from.is_some() {
            let entry = EventEntry::at_link(at, place, event, rule, &self.shown(packet));
            let logs = &mut self.events;
            (if of_client { &mut logs.clients } else { &mut logs.flows }).add(entry);
        }
    }

    fn marked(&mut self, packet: &Packet) {
        if self.counts(packet) {
            let index = self.index(packet.flow.index());
            self.marked[index] += 1;
        }
    }

    fn owner(&self, slot: usize) -> &Owner {
        &self.owners[usize::from(self.workloads[slot])]
    }

    fn counts(&self, packet: &Packet) -> bool {
        // Actions of a host at the end of the warm-up belong to the warm-up.
        packet.sent_at > self.since && is_data(packet)
    }
}

/// The name by which the log of events gives `reason`.
fn rule(reason: DropReason) -> &'static str {
    match reason {
        DropReason::Overflow => "overflow",
        DropReason::Early => "early",
        DropReason::Failure => LINK_FAILURE,
    }
}

/// The rule of losses in failures of a link.
pub(crate) const LINK_FAILURE: &str = "link-failure";

/// A block has 256 slots.
const BLOCK_BITS: u32 = 8;

fn is_data(packet: &Packet) -> bool {
    matches!(packet.body, Body::Data { .. } | Body::Datagram { .. })
}

/// Counts the drops and marks of a queue for its link and for the connections.
#[derive(Debug)]
pub(crate) struct QueueTap<'a> {
    /// Counts of the link.
    pub link: &'a mut LinkRecorder,
    /// Counts of the connections.
    pub flows: &'a mut FlowTallies,
}

impl QueueTap<'_> {
    /// Counts and logs `packet`, which the link marked at `now`: its queue, or an impairment behind it.
    pub fn mark(&mut self, packet: &Packet, now: Time) {
        self.link.counts.marked += 1;
        self.flows.marked(packet);
        self.flows.log_event(now, self.link.place, FlowEvent::Marked, "", packet);
        self.log(now, PacketEvent::Marked, packet);
    }

    /// Logs what happened to `packet` at the link at `now`, if that is logged.
    pub fn log(&mut self, now: Time, event: PacketEvent, packet: &Packet) {
        if let Some(place) = self.link.logged {
            self.flows.log_packet(now, place, event, packet);
        }
    }
}

impl Tap for QueueTap<'_> {
    fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        self.link.dropped(packet.size, reason, is_data(packet).then_some(packet.flow));
        self.flows.lost(packet);
        self.flows.log_event(self.link.now(), self.link.place, FlowEvent::Dropped, rule(reason), packet);
        self.log(self.link.now(), PacketEvent::Dropped, packet);
    }

    fn marked(&mut self, packet: &Packet) {
        self.mark(packet, self.link.now());
    }
}
