// SPDX-License-Identifier: Apache-2.0
//! The network of one partition: links, packets in flight, and forwarding from link to link.

use crate::events::{Event, Slots};
use crate::layout::{Layout, Place as EntityPlace, Stop};
use crate::link::{Bound, Probe, Transmitter, make_room};
use crate::recorder::{FlowTallies, Place};
use narrows_backend::Cancellation;
use narrows_engine::{EventQueue, Slot};
use narrows_model::LinkChange;
use narrows_records::PacketEvent;
use narrows_transport::StackRequest;
use narrows_units::{Span, Time};
use narrows_wire::{Direction, Packet};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Links and packets of a partition.
#[derive(Debug)]
pub(crate) struct Net {
    /// Number of this partition.
    pub partition: u16,
    /// The events of the partition.
    pub queue: EventQueue,
    /// Slots of the events.
    pub slots: Slots,
    /// Places of all entities.
    pub layout: Arc<Layout>,
    /// The links whose queues are in this partition.
    pub links: Vec<Transmitter>,
    /// Connection slots whose round trips steer the rate of a link, each with the link.
    pub steering: Vec<(Range<u32>, u32)>,
    /// Place of the far end of each of `links`.
    pub far: Vec<EntityPlace>,
    /// Packets in flight, by link end in this partition, in order of arrival time.
    pub pipes: Vec<VecDeque<Packet>>,
    /// Whether hosts may take packets from each of `pipes` ahead of the clock of the run.
    pub prompt: Vec<bool>,
    /// Counts of the connections.
    pub flows: FlowTallies,
    /// Current index of the first stop of each of the model's routes.
    pub bases: Vec<u32>,
    /// Packets for each partition since the last exchange.
    pub outbox: Vec<Vec<Crossing>>,
    /// Packet-hops so far: number of links crossed, summed over packets.
    pub hops: u64,
    /// Number of packets sent by hosts so far.
    pub injected: u64,
    /// Number of packets received by hosts so far, including those for which no connection was left.
    pub delivered: u64,
    /// The request to stop. It is looked at for every event, every action of a host and every few packets sent, since one
    /// event can take any amount of work.
    pub cancellation: Cancellation,
    /// Whether it was found to be made between packets.
    pub stopped: bool,
    /// Packets that the partition may hold.
    pub most_packets: u64,
    /// Time at which more packets were here than memory should hold.
    pub overfull: Option<Time>,
    /// Requests to the stack that carries the connections, in order of time; none if they are simulated.
    pub requests: VecDeque<StackRequest>,
    /// Whether packets are logged.
    pub logged: bool,
    /// Whether the clocks of links and hosts may differ from the clock of the run if that cannot be observed.
    pub lookahead: bool,
}

/// A packet that crosses to another partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// Index of the pipe in that partition.
    pub pipe: u32,
    /// The packet, with its arrival time at the far end.
    pub packet: Packet,
}

impl Net {
    /// Whether the run is to end before its time, in whatever state.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.cancellation.is_requested()
    }

    /// Stops this partition if there are more packets at one place than memory should hold.
    #[inline]
    pub fn check_waiting(&mut self, packets: u64, now: Time) {
        if packets > self.most_packets {
            self.stop_overfull(now);
        }
    }

    #[cold]
    fn stop_overfull(&mut self, now: Time) {
        self.overfull = Some(now);
        self.stopped = true;
        // The other runs of the command go on.
        self.cancellation = Cancellation::default();
        self.cancellation.request();
    }

    /// Checks conditions that are too rare to be checked for every packet.
    #[cold]
    #[inline(never)]
    fn check(&mut self, now: Time) {
        self.stopped = self.is_stopped();
        if self.injected.is_multiple_of(SENT_BETWEEN_COUNTS) {
            self.check_waiting(self.holding(), now);
        }
    }

    /// The host whose event is `slot` has measured the round trip `rtt` at `at`.
    pub fn probed(&mut self, slot: Slot, rtt: Span, at: Time) {
        let Event::SendingHost(slot) = self.slots.event(slot) else { return };
        for (slots, link) in &self.steering {
            if slots.contains(&slot) {
                self.links[*link as usize].probed(Probe { at, slot, rtt });
            }
        }
    }

    /// Counts and logs `packet` as sent by a host at `at`.
    #[inline]
    pub fn inject(&mut self, packet: &Packet, at: Time) {
        self.injected += 1;
        self.hops += 1;
        if self.injected.is_multiple_of(SENT_BETWEEN_CHECKS) {
            self.check(at);
        }
        if self.logged {
            self.log(at, PacketEvent::Sent, packet.direction(), packet);
        }
    }

    /// Counts and logs `packet` as delivered to its host at `at`.
    #[inline]
    pub fn deliver(&mut self, packet: &Packet, at: Time) {
        self.delivered += 1;
        if self.logged {
            let there = match packet.direction() {
                Direction::Forward => Direction::Reverse,
                Direction::Reverse => Direction::Forward,
            };
            self.log(at, PacketEvent::Received, there, packet);
        }
    }

    /// Announces `packet` to the first link of its route; the event `slot` brings it there at its arrival time.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn announce(&mut self, packet: &Packet, slot: Slot) {
        let Stop::Link(link) = self.layout.next_stop(packet) else {
            unreachable!("a route starts with a link");
        };
        if self.links[link as usize].expect(packet, slot) {
            self.set_due(link);
        }
    }

    /// Passes `packet`, which the event `slot` brings at `now`, to the next link of its route.
    pub fn enter(&mut self, packet: &mut Packet, now: Time, slot: Slot) {
        packet.arrival = now;
        self.announce(packet, slot);
        if !self.lookahead
            && let Stop::Link(link) = self.layout.next_stop(packet)
        {
            // On a fast link, and at an opportunity of a recorded one, a packet may leave when it arrives.
            let far = self.far[link as usize];
            while self.next_sent(link, Bound::after(now), packet) {
                if far.partition == self.partition {
                    self.wait(far.index, packet);
                } else {
                    self.post(far, packet);
                }
            }
            self.set_due(link);
        }
    }

    /// Stores the next packet that `link` sends by `bound` in `packet`, with its arrival time at the far end. Returns
    /// whether there is one.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn next_sent(&mut self, link: u32, bound: Bound, packet: &mut Packet) -> bool {
        let sent = self.links[link as usize].advance(bound, &mut self.flows, packet);
        if sent {
            self.hops += 1;
            packet.next += 1;
        }
        sent
    }

    /// Adds `packet` to `pipe`, where it stays until its arrival time.
    pub fn wait(&mut self, pipe: u32, packet: &Packet) {
        let packets = &mut self.pipes[pipe as usize];
        if packets.is_empty() {
            self.queue.set(self.slots.of(Event::PacketArrival(pipe)), packet.arrival);
        }
        make_room(packets);
        packets.push_back(*packet);
    }

    /// Puts `packet` into the outbox for the partition of `far`, the far end of its link.
    pub fn post(&mut self, far: EntityPlace, packet: &Packet) {
        let crossing = Crossing { pipe: far.index, packet: *packet };
        self.outbox[usize::from(far.partition)].push(crossing);
    }

    /// Removes and returns the first packet of `pipe`.
    pub fn take(&mut self, pipe: u32) -> Option<Packet> {
        self.pipes[pipe as usize].pop_front()
    }

    /// Applies `change` to `link` at `now`, to which the link must have advanced.
    pub fn change_link(&mut self, link: u32, change: LinkChange, now: Time) {
        self.links[link as usize].change(change, now, &mut self.flows);
        self.set_due(link);
    }

    /// Returns the number of packets on links and in pipes.
    pub fn holding(&self) -> u64 {
        let links = self.links.iter().map(Transmitter::holds);
        let pipes = self.pipes.iter().map(|pipe| pipe.len() as u64);
        links.sum::<u64>() + pipes.sum::<u64>()
    }

    /// Schedules the event at which `link` must advance.
    pub fn set_due(&mut self, link: u32) {
        let due = self.links[link as usize].due();
        self.queue.set(self.slots.of(Event::Link(link)), due);
    }

    /// `direction` is the one in which packets leave the host.
    fn log(&mut self, at: Time, event: PacketEvent, direction: Direction, packet: &Packet) {
        let slot = packet.flow.index() as u32;
        let place = match direction {
            Direction::Forward => Place::Sender(slot),
            Direction::Reverse => Place::Receiver(slot),
        };
        self.flows.log_packet(at, place, event, packet);
    }
}

/// Packets sent by hosts between two looks at the request to stop: some milliseconds.
const SENT_BETWEEN_CHECKS: u64 = 1 << 14;
/// Packets sent by hosts between two looks at how many packets there are; a multiple of the above.
const SENT_BETWEEN_COUNTS: u64 = 1 << 20;
