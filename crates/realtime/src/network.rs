// SPDX-License-Identifier: Apache-2.0
//! The network of a run in steps towards a time, and the packets of programs in it.

use crate::tuples::{Tuple, Tuples};
use narrows_backend::Cancellation;
use narrows_linux::traffic::Payload;
use narrows_model::Model;
use narrows_sim::{Emulation, StackPacket};
use narrows_units::Time;
use narrows_wire::{Direction, Ecn, FlowId};

/// The network of a run.
#[derive(Debug)]
pub(crate) struct Network<'m> {
    pub emulation: Emulation<'m>,
    /// The time to which it has advanced.
    pub reached: Time,
    pub tuples: Tuples,
    held: Held,
}

/// What is known of a packet of a program in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    pub payload: Payload,
    /// The ECN field with which it was sent.
    ecn: Ecn,
    sent: Time,
    /// Place of the counts of its 5-tuple.
    tuple: usize,
}

impl<'m> Network<'m> {
    /// Creates the network of replication `replication` of `model`, at the start of the run, in which programs carry the flows of the
    /// workloads that `carries` marks.
    pub fn new(model: &'m Model, replication: u32, carries: Vec<bool>, cancellation: Cancellation) -> Self {
        let emulation = Emulation::beside(model, replication, carries, cancellation);
        Self { emulation, reached: Time::ZERO, tuples: Tuples::default(), held: Held::default() }
    }

    /// Advances to the next event, or to `now` if none is due before. Returns whether it has reached `now`.
    pub fn step(&mut self, now: Time) -> bool {
        let due = self.emulation.due();
        let reaches = due >= now;
        self.reached = if reaches { now } else { self.reached.max(due) };
        self.emulation.advance(self.reached);
        while let Some(handle) = self.emulation.discarded() {
            self.tuples.discard(self.held.packets[handle as usize].1.tuple);
            self.held.release(handle);
        }
        reaches
    }

    /// Sends `packet` of `flow` and of the 5-tuple `tuple`, with its bytes and payload; its handle is given here. It goes nowhere if
    /// the flow has ended.
    pub fn send(
        &mut self,
        (flow, direction): (FlowId, Direction),
        tuple: Tuple,
        packet: StackPacket,
        (bytes, payload): (&[u8], Payload),
    ) {
        let carried = Carried { payload, ecn: packet.ecn, sent: self.reached, tuple: 0 };
        let handle = self.held.add(bytes, carried);
        if self.emulation.send(flow, direction, &StackPacket { handle, ..packet }, self.reached) {
            self.held.packets[handle as usize].1.tuple = self.tuples.send(tuple, packet.size, self.reached);
        } else {
            self.held.release(handle);
        }
    }

    /// Returns the bytes of the packet `handle`, which is in the network, and the rest of it.
    pub fn packet(&mut self, handle: u64) -> &mut (Vec<u8>, Carried) {
        &mut self.held.packets[handle as usize]
    }

    /// Forgets the packet `handle`, which has left the network with the field `ecn`.
    pub fn leave(&mut self, handle: u64, ecn: Ecn) {
        let (_, packet) = &self.held.packets[handle as usize];
        let marked = ecn == Ecn::Ce && packet.ecn != Ecn::Ce;
        self.tuples.leave(packet.tuple, packet.sent, self.reached, marked);
        self.held.release(handle);
    }
}

/// The packets in the network, by handle. A handle is used again once its packet has left.
#[derive(Debug, Default)]
struct Held {
    packets: Vec<(Vec<u8>, Carried)>,
    free: Vec<usize>,
}

impl Held {
    /// Adds a packet, with a copy of its `bytes`, and returns its handle.
    fn add(&mut self, bytes: &[u8], carried: Carried) -> u64 {
        let Some(place) = self.free.pop() else {
            self.packets.push((bytes.to_vec(), carried));
            return self.packets.len() as u64 - 1;
        };
        let (kept, of_place) = &mut self.packets[place];
        kept.clear();
        kept.extend_from_slice(bytes);
        *of_place = carried;
        place as u64
    }

    fn release(&mut self, handle: u64) {
        self.free.push(handle as usize);
    }
}
#[cfg(test)]
mod tests {
    //! Truth: contract. A queue in real time drops the packets that a link of the crate for other programs drops.

    use super::{Network, Tuple};
    use narrows_backend::Cancellation;
    use narrows_link::{Config, Fate, Link, Stream};
    use narrows_linux::traffic::Payload;
    use narrows_model::{Model, RateModel};
    use narrows_records::{PacketEvent, PacketPlace, PacketRow, TupleRecord};
    use narrows_scenario::{LoadOptions, load};
    use narrows_sim::{StackPacket, StackRequest};
    use narrows_units::{Bytes, Time};
    use narrows_wire::{Body, Direction, Ecn, FlowId, Packet};
    use std::net::SocketAddr;
    use std::path::Path;

    /// The network of an emulation, in which two programs sent as fast as CUBIC of Linux 6.18 let them.
    const SCENARIO: &str = r#"
        duration = "3s"
        warmup = "0s"
        seed = 3
        record = { packets = true }
        transport = { send_delay = "0s" }
        path = { rate = "5Mbps", rtt = "30ms", queue = { kind = "QUEUE" } }
        [[flows]]
        name = "program"
        algorithm = "cubic"
        count = 2
    "#;

    /// A packet: flow, and number in the flow.
    type Of = (u32, u64);

    /// What the packet log of the emulation has: each packet that was sent, with its size in bytes, and each that was dropped.
    struct Recorded {
        sent: Vec<(Time, Of, u64)>,
        dropped: Vec<(Time, Of)>,
    }

    fn recorded(text: &str) -> Recorded {
        let (mut sent, mut dropped) = (Vec::new(), Vec::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let numbers: Vec<u64> = words[1..].iter().map(|word| word.parse().expect("a number")).collect();
            let (at, of) = (Time::from_ps(numbers[0]), (numbers[1] as u32, numbers[2]));
            match words[0] {
                "sent" => sent.push((at, of, numbers[3])),
                _ => dropped.push((at, of)),
            }
        }
        Recorded { sent, dropped }
    }

    /// Carries out all that happens until `now`, and notes the flows that start.
    fn advance(network: &mut Network<'_>, now: Time, flows: &mut Vec<FlowId>) {
        loop {
            let reached = network.step(now);
            while let Some(request) = network.emulation.request() {
                match request {
                    StackRequest::Open(flow) => flows.push(flow),
                    StackRequest::Deliver { handle, ecn, .. } => network.leave(handle, ecn),
                    _ => {}
                }
            }
            if reached {
                return;
            }
        }
    }

    /// The events at the bottleneck, and the counts of both connections, if the loop in real time reads the packets at the times
    /// at which they were read.
    fn again(model: &Model, sent: &[(Time, Of, u64)]) -> (Vec<PacketRow>, Vec<TupleRecord>) {
        let mut network = Network::new(model, 0, vec![true; model.workloads.len()], Cancellation::default());
        let mut flows = Vec::new();
        for &(at, (flow, number), size) in sent {
            advance(&mut network, at, &mut flows);
            let packet = StackPacket {
                handle: 0,
                number,
                size: Bytes::new(size),
                payload: Bytes::new(size - 52),
                position: number * 1448,
                syn: false,
                ecn: Ecn::NotCapable,
                lane: 0,
                path: 0,
            };
            let end = SocketAddr::from(([10, 0, 0, 1], 9000 + flow as u16));
            let tuple = Tuple { flow: (0, flow), protocol: 6, source: end, destination: end };
            let towards = (flows[flow as usize], Direction::Forward);
            network.send(towards, tuple, packet, (&[], Payload::default()));
        }
        let end = network.emulation.end();
        advance(&mut network, end, &mut flows);
        let tuples = network.tuples.records();
        let records = network.emulation.finish(0.0).expect("packets are conserved");
        let at_bottleneck = |row: &PacketRow| row.place == PacketPlace::Link(0);
        (records.packets.rows.into_iter().filter(at_bottleneck).collect(), tuples)
    }

    /// The drops of a link of the crate, at which packets arrive as `rows` say.
    fn dropped_by_link(model: &Model, rows: &[PacketRow]) -> Vec<(Time, Of)> {
        let link = &model.links[0];
        let RateModel::Constant(rate) = link.rate else { panic!("a constant rate") };
        let stream = |purpose: &str| Stream::new(model.seed, 0, &format!("link {} {purpose}", link.name));
        let mut other = Link::new(&Config::new(rate, link.delay), link.queue.build(), stream);
        let mut dropped = Vec::new();
        let mut take = |other: &mut Link<Of>, until: Time| {
            while let Some(next) = other.next_event().filter(|next| *next < until) {
                while let Some(outcome) = other.poll(next) {
                    if matches!(outcome.fate, Fate::Dropped(_)) {
                        dropped.push((outcome.at, outcome.payload));
                    }
                }
            }
        };
        for row in rows.iter().filter(|row| row.event == PacketEvent::Enqueued) {
            take(&mut other, row.at);
            let (flow, size) = (FlowId::new(row.flow, 0), Bytes::new(u64::from(row.size)));
            let packet = Packet::new(flow, row.number, size, Body::Datagram { rtt: 0.0, payload: 0 }, row.at);
            other.offer(row.at, packet, (row.flow, row.number));
        }
        take(&mut other, Time::ZERO + model.duration);
        dropped
    }

    #[test]
    fn queues_drop_in_real_time_what_a_link_of_the_crate_drops() {
        let runs = [
            ("codel", include_str!("../data/codel.txt")),
            ("pie", include_str!("../data/pie.txt")),
            ("fq-codel", include_str!("../data/fq-codel.txt")),
        ];
        for (queue, text) in runs {
            let scenario = SCENARIO.replace("QUEUE", queue);
            let loaded = load(&scenario, "test.toml", Path::new("."), &[], &LoadOptions::default());
            let model = loaded.expect("a scenario").model;
            let Recorded { sent, dropped } = recorded(text);
            assert!(sent.len() > 1000 && dropped.len() > 20, "{queue}");
            let (rows, tuples) = again(&model, &sent);
            let of_loop = rows.iter().filter(|row| row.event == PacketEvent::Dropped);
            let of_loop: Vec<_> = of_loop.map(|row| (row.at, (row.flow, row.number))).collect();
            assert_eq!(of_loop, dropped, "{queue}: the loop, and the emulation that was recorded");
            assert_eq!(dropped_by_link(&model, &rows), dropped, "{queue}: the link, and the emulation");
            assert_eq!(tuples.len(), 2, "{queue}");
            for counts in &tuples {
                let of_flow = |of: &Of| of.0 == counts.flow;
                assert_eq!(counts.packets, sent.iter().filter(|(_, of, _)| of_flow(of)).count() as u64);
                assert_eq!(counts.dropped, dropped.iter().filter(|(_, of)| of_flow(of)).count() as u64);
                // Half of the round trip, and the transmission of a packet on three links.
                assert!(
                    counts.delay_mean_s > 0.015 + 1500.0 * 8.0 / 5e6
                        && counts.delay_p95_s > counts.delay_mean_s
                );
            }
        }
    }
}
