//! The network of one partition: links, packets under way, and how a packet goes from one to the next.

use super::layout::{Layout, Stop};
use super::link::{Link, Pipe, Wish};
use super::slots::{Event, Slots};
use crate::model::LinkChange;
use crate::records::{FlowTallies, Happening, Place};
use narrows_engine::EventQueue;
use narrows_units::Time;
use narrows_wire::{Leg, Packet};
use std::sync::Arc;

/// Links and packets of a partition.
#[derive(Debug)]
pub(super) struct Net {
    /// The number of this partition.
    pub partition: u16,
    pub now: Time,
    pub queue: EventQueue,
    pub slots: Slots,
    pub layout: Arc<Layout>,
    pub links: Vec<Link>,
    /// Where the far end of each of `links` is.
    pub far: Vec<super::layout::Place>,
    pub pipes: Vec<Pipe>,
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

/// Which endpoint of this partition a packet has reached.
#[derive(Clone, Copy, Debug)]
pub(super) enum Landing {
    Sender(u32),
    Receiver(u32),
    Host,
}

impl Net {
    /// An endpoint's packet enters the network at `at`, not before now. `hold` is the sender's host if it waits there.
    pub fn launch(&mut self, packet: Packet, at: Time, hold: Option<u32>) {
        self.launched += 1;
        if let Stop::Link(link) = self.layout.next_stop(&packet)
            && let Link::Computed(_) = self.links[link as usize]
        {
            self.cross_computed(link, packet, at);
        } else if let Some(host) = hold {
            let waiting = &mut self.holds[host as usize].packets;
            if waiting.is_empty() {
                self.queue.set(self.slots.of(Event::Release(host)), at);
            }
            waiting.push_back(Packet { stamp: at, ..packet });
        } else {
            self.log_sent(&packet);
            self.enter(packet);
        }
    }

    /// The oldest packet held at `host` may go.
    pub fn release(&mut self, host: u32) {
        let waiting = &mut self.holds[host as usize].packets;
        let packet = waiting.pop_front().expect("a release is due only while a packet is held");
        if let Some(next) = waiting.front() {
            self.queue.set(self.slots.of(Event::Release(host)), next.stamp);
        }
        self.log_sent(&packet);
        self.enter(packet);
    }

    /// A link has sent the last bit of a packet, or its medium is ready.
    pub fn departure(&mut self, link: u32) {
        let now = self.now;
        let Link::Scheduled(transmitter) = &mut self.links[link as usize] else {
            unreachable!("computed links have no events");
        };
        let (packet, wish) = transmitter.depart(now, &mut self.flows);
        let arrival = packet.map_or(Time::NEVER, |_| transmitter.arrival(now));
        self.grant(link, wish);
        if let Some(mut packet) = packet {
            self.hops += 1;
            packet.next += 1;
            packet.stamp = arrival;
            let far = self.far[link as usize];
            if far.partition == self.partition {
                self.under_way(far.index, packet);
            } else {
                self.outbox.push(Crossing { partition: far.partition, pipe: far.index, packet });
            }
        }
    }

    /// `packet`, its last link crossed, will be at the far end at its stamp. Links beyond it that can be computed are
    /// crossed at once.
    pub fn under_way(&mut self, pipe: u32, packet: Packet) {
        if let Stop::Link(link) = self.layout.next_stop(&packet)
            && let Link::Computed(_) = self.links[link as usize]
        {
            self.cross_computed(link, packet, packet.stamp);
        } else {
            let packets = &mut self.pipes[pipe as usize].packets;
            if packets.is_empty() {
                self.queue.set(self.slots.of(Event::Arrival(pipe)), packet.stamp);
            }
            packets.push_back(packet);
        }
    }

    /// The first packet of a pipe has reached the far end. Returns it if an endpoint is there.
    pub fn arrival(&mut self, pipe: u32) -> Option<(Landing, Packet)> {
        let packets = &mut self.pipes[pipe as usize].packets;
        let packet = packets.pop_front().expect("an arrival is due only while a packet is under way");
        if let Some(next) = packets.front() {
            self.queue.set(self.slots.of(Event::Arrival(pipe)), next.stamp);
        }
        match self.layout.next_stop(&packet) {
            Stop::Link(_) => {
                self.enter(packet);
                None
            }
            Stop::Host => Some((Landing::Host, packet)),
            Stop::Sender(sender) => {
                self.landed += 1;
                self.log_received(&packet);
                Some((Landing::Sender(sender), packet))
            }
            Stop::Receiver(receiver) => {
                self.landed += 1;
                self.log_received(&packet);
                Some((Landing::Receiver(receiver), packet))
            }
        }
    }

    /// A queue's deadline has come.
    pub fn wake_queue(&mut self, link: u32) {
        let now = self.now;
        if let Link::Scheduled(transmitter) = &mut self.links[link as usize] {
            let wish = transmitter.wake(now, &mut self.flows);
            self.grant(link, wish);
        }
    }

    /// A link's rate changes.
    pub fn change_rate(&mut self, link: u32) {
        let now = self.now;
        if let Link::Scheduled(transmitter) = &mut self.links[link as usize] {
            let wish = transmitter.change_rate(now, &mut self.flows);
            let next = transmitter.next_rate_change();
            self.grant(link, wish);
            self.queue.set(self.slots.of(Event::RateChange(link)), next);
        }
    }

    /// Something happens to a link.
    pub fn change_link(&mut self, link: u32, change: LinkChange) {
        let now = self.now;
        let Link::Scheduled(transmitter) = &mut self.links[link as usize] else {
            unreachable!("nothing happens to an access link");
        };
        let wish = transmitter.change(change, now, &mut self.flows);
        self.grant(link, wish);
    }

    /// Packets inside this partition.
    pub fn holding(&self) -> u64 {
        let links = self.links.iter().map(|link| match link {
            Link::Scheduled(transmitter) => transmitter.holds(),
            Link::Computed(_) => 0,
        });
        let pipes = self.pipes.iter().chain(&self.holds).map(|pipe| pipe.packets.len() as u64);
        links.sum::<u64>() + pipes.sum::<u64>()
    }

    /// A packet has reached the router of the link that it meets next.
    pub fn enter(&mut self, packet: Packet) {
        let Stop::Link(link) = self.layout.next_stop(&packet) else {
            unreachable!("a route begins with a link");
        };
        let Link::Scheduled(transmitter) = &mut self.links[link as usize] else {
            unreachable!("a packet crosses a computed link without entering it");
        };
        let wish = transmitter.enqueue(packet, self.now, &mut self.flows);
        self.grant(link, wish);
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

    fn cross_computed(&mut self, link: u32, mut packet: Packet, at: Time) {
        let Link::Computed(computed) = &mut self.links[link as usize] else {
            unreachable!("only a computed link is crossed this way");
        };
        packet.stamp = computed.pass(packet.size(), at);
        packet.next += 1;
        self.hops += 1;
        self.under_way(self.far[link as usize].index, packet);
    }

    fn grant(&mut self, link: u32, wish: Wish) {
        if let Some(departure) = wish.departure {
            self.queue.set(self.slots.of(Event::Departure(link)), departure);
        }
        if let Some(wake) = wish.wake {
            self.queue.set(self.slots.of(Event::QueueWake(link)), wake);
        }
    }
}
