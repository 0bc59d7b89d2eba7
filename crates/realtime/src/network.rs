// SPDX-License-Identifier: Apache-2.0
//! The network of a run in steps towards a time, and the packets of programs in it.

use narrows_backend::Cancellation;
use narrows_linux::traffic::Payload;
use narrows_model::Model;
use narrows_sim::{Emulation, StackPacket};
use narrows_units::Time;
use narrows_wire::{Direction, FlowId};

/// The network of a run.
#[derive(Debug)]
pub(crate) struct Network<'m> {
    pub emulation: Emulation<'m>,
    /// The time to which it has advanced.
    pub reached: Time,
    held: Held,
}

impl<'m> Network<'m> {
    /// Creates the network of replication `replication` of `model`, at the start of the run, in which programs carry the flows of the
    /// workloads that `carries` marks.
    pub fn new(model: &'m Model, replication: u32, carries: Vec<bool>, cancellation: Cancellation) -> Self {
        let emulation = Emulation::beside(model, replication, carries, cancellation);
        Self { emulation, reached: Time::ZERO, held: Held::default() }
    }

    /// Advances to the next event, or to `now` if none is due before. Returns whether it has reached `now`.
    pub fn step(&mut self, now: Time) -> bool {
        let due = self.emulation.due();
        let reaches = due >= now;
        self.reached = if reaches { now } else { self.reached.max(due) };
        self.emulation.advance(self.reached);
        while let Some(handle) = self.emulation.discarded() {
            self.held.release(handle);
        }
        reaches
    }

    /// Sends `packet` of `flow`, whose handle is given here, with its bytes and payload. It goes nowhere if the flow has ended.
    pub fn send(
        &mut self,
        flow: FlowId,
        direction: Direction,
        packet: StackPacket,
        (bytes, payload): (&[u8], Payload),
    ) {
        let sent = StackPacket { handle: self.held.add(bytes, payload), ..packet };
        if !self.emulation.send(flow, direction, &sent, self.reached) {
            self.release(sent.handle);
        }
    }

    /// Returns the packet `handle`, which is in the network, and its payload.
    pub fn packet(&mut self, handle: u64) -> &mut (Vec<u8>, Payload) {
        &mut self.held.packets[handle as usize]
    }

    /// Forgets the packet `handle`, which has left the network.
    pub fn release(&mut self, handle: u64) {
        self.held.release(handle);
    }
}

/// The packets in the network, by handle. A handle is used again once its packet has left.
#[derive(Debug, Default)]
struct Held {
    packets: Vec<(Vec<u8>, Payload)>,
    free: Vec<usize>,
}

impl Held {
    fn add(&mut self, packet: &[u8], payload: Payload) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.packets.push(<_>::default());
            self.packets.len() - 1
        });
        let (bytes, of_place) = &mut self.packets[place];
        bytes.clear();
        bytes.extend_from_slice(packet);
        *of_place = payload;
        place as u64
    }

    fn release(&mut self, handle: u64) {
        self.free.push(handle as usize);
    }
}

#[cfg(test)]
mod tests {
    //! Truth: contract. A queue in real time drops the packets that a link of the crate for other programs drops.

    use super::Network;
    use narrows_backend::Cancellation;
    use narrows_link::{Config, Fate, Link, Stream};
    use narrows_linux::traffic::Payload;
    use narrows_model::{Model, RateModel};
    use narrows_records::{PacketEvent, PacketPlace, PacketRow};
    use narrows_scenario::{LoadOptions, load};
    use narrows_sim::{StackPacket, StackRequest};
    use narrows_units::{Bytes, Time};
    use narrows_wire::{Body, Direction, Ecn, FlowId, Packet};
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
                    StackRequest::Deliver { handle, .. } => network.release(handle),
                    _ => {}
                }
            }
            if reached {
                return;
            }
        }
    }

    /// The events at the bottleneck if the loop in real time reads the packets at the times at which they were read.
    fn again(model: &Model, sent: &[(Time, Of, u64)]) -> Vec<PacketRow> {
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
            };
            network.send(flows[flow as usize], Direction::Forward, packet, (&[], Payload::default()));
        }
        let end = network.emulation.end();
        advance(&mut network, end, &mut flows);
        let records = network.emulation.finish(0.0).expect("packets are conserved");
        let at_bottleneck = |row: &PacketRow| row.place == PacketPlace::Link(0);
        records.packets.rows.into_iter().filter(at_bottleneck).collect()
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
            let rows = again(&model, &sent);
            let of_loop = rows.iter().filter(|row| row.event == PacketEvent::Dropped);
            let of_loop: Vec<_> = of_loop.map(|row| (row.at, (row.flow, row.number))).collect();
            assert_eq!(of_loop, dropped, "{queue}: the loop, and the emulation that was recorded");
            assert_eq!(dropped_by_link(&model, &rows), dropped, "{queue}: the link, and the emulation");
        }
    }
}
