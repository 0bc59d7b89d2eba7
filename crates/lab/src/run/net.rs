//! The network of one partition: links, packets under way, and how a packet goes from one to the next.

use super::entrance::make_room;
use super::layout::{Layout, Stop};
use super::link::{Bound, Link, Pipe, Transmitter};
use super::slots::{Event, Slots};
use crate::model::LinkChange;
use crate::records::{FlowTallies, Happening, Place};
use narrows_engine::{EventQueue, Slot};
use narrows_units::Time;
use narrows_wire::{Leg, Packet};
use std::sync::Arc;

/// Links and packets of a partition.
#[derive(Debug)]
pub(super) struct Net {
    /// The number of this partition.
    pub partition: u16,
    pub now: Time,
    /// The event that is being handled.
    pub slot: Slot,
    pub queue: EventQueue,
    pub slots: Slots,
    pub layout: Arc<Layout>,
    pub links: Vec<Link>,
    /// Where the far end of each of `links` is.
    pub far: Vec<super::layout::Place>,
    pub pipes: Vec<Pipe>,
    /// Whether each of `pipes` is prompt and empty.
    pub open: Vec<bool>,
    /// Packets that wait out their random send delay at their sender's host.
    pub holds: Vec<Pipe>,
    pub flows: FlowTallies,
    /// Where each of the model's routes begins now.
    pub bases: Vec<u32>,
    /// Packets that left for other partitions since the last exchange.
    pub outbox: Vec<Crossing>,
    /// Links crossed by packets so far.
    pub hops: u64,
    /// Packets handed over by endpoints so far.
    pub launched: u64,
    /// Packets handed to endpoints so far.
    pub landed: u64,
    /// The packet log says what endpoints send and receive; no hop is computed then.
    pub logged: bool,
    /// Links may lag behind, so packets are told to them before they come.
    pub lags: bool,
}

/// A packet on its way to another partition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Where to.
    pub partition: u16,
    /// The far end of the link it is on, there.
    pub pipe: u32,
    /// The packet, stamped with its time of arrival.
    pub packet: Packet,
}

impl Net {
    /// An endpoint's packet enters the network at `at`, not before now. `hold` is the sender's host if it waits there.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn launch(&mut self, packet: &mut Packet, at: Time, hold: Option<u32>) {
        self.launched += 1;
        if let Stop::Link(link) = self.layout.next_stop(packet)
            && let Link::Computed(..) = self.links[link as usize]
        {
            packet.stamp = at;
            // It is on no pipe yet, but crosses one at least.
            if let Some(pipe) = self.under_way(u32::MAX, packet) {
                self.wait(pipe, packet);
            }
        } else if let Some(host) = hold {
            let waiting = &mut self.holds[host as usize].packets;
            if waiting.is_empty() {
                self.queue.set(self.slots.of(Event::Release(host)), at);
            }
            waiting.push_back(Packet { stamp: at, ..*packet });
        } else {
            self.log_sent(packet);
            self.enter(packet);
        }
    }

    /// The oldest packet held at `host` may go.
    pub fn release(&mut self, host: u32) {
        let waiting = &mut self.holds[host as usize].packets;
        let mut packet = waiting.pop_front().expect("a release is due only while a packet is held");
        if let Some(next) = waiting.front() {
            self.queue.set(self.slots.of(Event::Release(host)), next.stamp);
        }
        self.log_sent(&packet);
        self.enter(&mut packet);
    }

    /// Puts the next packet that a link has sent by `bound` into `packet`, stamped with its arrival at the far end; false if
    /// there is none.
    pub fn next_sent(&mut self, link: u32, bound: Bound, packet: &mut Packet) -> bool {
        let sent = transmitter(&mut self.links, link).go_on(bound, &mut self.flows, packet);
        if sent {
            self.hops += 1;
            packet.next += 1;
        }
        sent
    }

    /// `packet`, its last link crossed, will be at the far end at its stamp. Links beyond it that can be computed are
    /// crossed at once, and one that lags is told. Returns the pipe by which a packet comes that comes to a host.
    pub fn under_way(&mut self, mut pipe: u32, packet: &mut Packet) -> Option<u32> {
        while let Stop::Link(link) = self.layout.next_stop(packet) {
            match &mut self.links[link as usize] {
                Link::Computed(computed, far) => {
                    packet.stamp = computed.pass(packet.size(), packet.stamp);
                    packet.next += 1;
                    self.hops += 1;
                    pipe = *far;
                }
                Link::Scheduled(transmitter) if self.lags => {
                    if transmitter.expect(packet, self.slots.of(Event::Arrival(pipe))) {
                        self.set_due(link);
                    }
                    return None;
                }
                Link::Scheduled(_) => {
                    self.wait(pipe, packet);
                    return None;
                }
            }
        }
        Some(pipe)
    }

    /// `packet` waits in `pipe` for the time of its arrival.
    pub fn wait(&mut self, pipe: u32, packet: &Packet) {
        let packets = &mut self.pipes[pipe as usize].packets;
        if packets.is_empty() {
            self.queue.set(self.slots.of(Event::Arrival(pipe)), packet.stamp);
        }
        make_room(packets);
        packets.push_back(*packet);
        self.open[pipe as usize] = false;
    }

    /// The first packet of a pipe, which has reached the far end.
    pub fn arrival(&mut self, pipe: u32) -> Packet {
        let packets = &mut self.pipes[pipe as usize].packets;
        packets.pop_front().expect("an arrival is due only while a packet is under way")
    }

    /// Something happens to a link, which has caught up.
    pub fn change_link(&mut self, link: u32, change: LinkChange) {
        transmitter(&mut self.links, link).change(change, self.now, &mut self.flows);
        self.set_due(link);
    }

    /// Packets inside this partition.
    pub fn holding(&self) -> u64 {
        let links = self.links.iter().map(|link| match link {
            Link::Scheduled(transmitter) => transmitter.holds(),
            Link::Computed(..) => 0,
        });
        let pipes = self.pipes.iter().chain(&self.holds).map(|pipe| pipe.packets.len() as u64);
        links.sum::<u64>() + pipes.sum::<u64>()
    }

    /// The router of the link that `packet` meets first will have it at its stamp, brought by the event `slot`.
    pub fn expect(&mut self, packet: &Packet, slot: Slot) {
        let Stop::Link(link) = self.layout.next_stop(packet) else {
            unreachable!("a route begins with a link");
        };
        if transmitter(&mut self.links, link).expect(packet, slot) {
            self.set_due(link);
        }
    }

    /// A packet has reached the router of the link that it meets next.
    pub fn enter(&mut self, packet: &mut Packet) {
        packet.stamp = self.now;
        self.expect(packet, self.slot);
        if !self.lags
            && let Stop::Link(link) = self.layout.next_stop(packet)
        {
            let sent = self.next_sent(link, Bound::end(self.now), packet);
            debug_assert!(!sent, "what comes at one time leaves at a later");
            self.set_due(link);
        }
    }

    /// An endpoint lets `packet` go now.
    pub fn log_sent(&mut self, packet: &Packet) {
        self.log(Happening::Sent, packet.leg(), packet);
    }

    /// `packet` reaches its endpoint now.
    pub fn log_received(&mut self, packet: &Packet) {
        let there = if packet.leg() == Leg::Outward { Leg::Homeward } else { Leg::Outward };
        self.log(Happening::Received, there, packet);
    }

    /// `leg` is the one on which packets leave the endpoint.
    fn log(&mut self, what: Happening, leg: Leg, packet: &Packet) {
        if self.logged {
            let seat = packet.flow.seat() as u32;
            let place = if leg == Leg::Outward { Place::Sender(seat) } else { Place::Receiver(seat) };
            self.flows.log.add(self.now, place, what, packet);
        }
    }

    /// Notes when a link must go on.
    pub fn set_due(&mut self, link: u32) {
        let due = transmitter(&mut self.links, link).due();
        self.queue.set(self.slots.of(Event::Link(link)), due);
    }
}

fn transmitter(links: &mut [Link], link: u32) -> &mut Transmitter {
    match &mut links[link as usize] {
        Link::Scheduled(transmitter) => transmitter,
        Link::Computed(..) => unreachable!("nothing happens on a computed link"),
    }
}
