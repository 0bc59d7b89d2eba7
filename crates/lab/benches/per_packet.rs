// SPDX-License-Identifier: Apache-2.0
//! What one packet costs each queue, and nothing else: 64 flows, a link of 1 Gbps, and a sender that holds a few packets
//! in the queue for half of the time and two dozen for the other half.
//!
//! `per_packet` prints, for each queue of the catalogue and for none (`-`), the least nanoseconds of some passes.
//! `per_packet NAME COUNT` sends COUNT packets through one queue and prints nothing: the difference of two counts,
//! under a tool that counts instructions, is the cost of a packet.

use narrows_qdisc::{
    Backlog, Classes, Context, Discipline, DropReason, Given, Limit, QueueDiscipline, Scale, Setting, Tap,
    Threshold, Unit, catalogue,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Ecn, FlowId, Packet, Request};
use std::hint::black_box;
use std::time::Instant;

const PASSES: usize = 9;
const PACKETS: u64 = 200_000;
const FLOWS: u64 = 64;
const PHASE: u64 = 4_000;
const SHORT: u64 = 3;
const LONG: u64 = 24;
const SIZE: u16 = 1500;

fn main() {
    // Cargo adds a flag of its own.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.as_slice() {
        [] => print_all(),
        [name, count] => pass(&mut *build(name), name, count.parse().expect("COUNT is a whole number")),
        _ => panic!("give nothing, or NAME COUNT"),
    }
}

/// Passes over all queues alternate, so that a slow moment meets all of them.
#[expect(clippy::disallowed_methods, reason = "time is what a bench measures")]
fn print_all() {
    let names: Vec<&str> =
        std::iter::once("-").chain(catalogue::entries().iter().map(|entry| entry.card.name)).collect();
    let mut least = vec![f64::INFINITY; names.len()];
    for _ in 0..PASSES {
        for (name, least) in names.iter().zip(&mut least) {
            let mut queue = build(name);
            let begin = Instant::now();
            pass(&mut *queue, name, PACKETS);
            *least = least.min(begin.elapsed().as_secs_f64() * 1e9 / PACKETS as f64);
        }
    }
    for (name, least) in names.iter().zip(least) {
        println!("{name} {least:.2}");
    }
}

/// The queue at its defaults; none for `-`.
fn build(name: &str) -> Box<dyn QueueDiscipline> {
    let Some(entry) = catalogue::find(name) else { return Box::new(Slot(None, 0)) };
    // Every other flow is in the better class.
    let classes = Classes::new((0..FLOWS).map(|flow| (flow % 2) as u8).collect::<Vec<_>>(), 0);
    let packets = |value| Setting::Threshold(Threshold { unit: Unit::Packets, value });
    let limit = || ("limit", Setting::Limit(Limit::Packets(1000)));
    let given = match name {
        "priority" => vec![("classes", Setting::Classes(Vec::new(), classes)), limit()],
        "rio" => vec![
            ("in", Setting::Classes(Vec::new(), classes)),
            ("in_min", packets(40.0)),
            ("in_max", packets(70.0)),
            ("out_min", packets(10.0)),
            ("out_max", packets(30.0)),
            limit(),
        ],
        _ => Vec::new(),
    };
    let given = given.into_iter().map(|(parameter, setting)| {
        let written = setting.to_string();
        Given::new(parameter, setting, written)
    });
    let scale = Scale::new(Rate::from_bps(1_000_000_000), Span::from_ms(40), Bytes::new(u64::from(SIZE)));
    Discipline::new(entry, scale, given.collect()).expect("the settings are sound").build()
}

fn pass(queue: &mut dyn QueueDiscipline, name: &str, count: u64) {
    let mut draws = 1_u64;
    let mut uniform = move || {
        // A 64-bit linear congruential generator, Knuth's constants, upper bits.
        draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (draws >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut tap = Count(0);
    let mut now = Time::ZERO;
    let mut sent = 0;
    while sent < count {
        now += Span::from_us(12);
        let mut context = Context::new(now, Rate::from_bps(1_000_000_000), &mut uniform, &mut tap);
        while queue.next_wake().is_some_and(|at| at <= now) {
            queue.on_wake(&mut context);
        }
        let wanted = if (sent / PHASE).is_multiple_of(2) { SHORT } else { LONG };
        // An arrival that is dropped counts as a packet too, and one in a step is enough to keep the queue up.
        for _ in queue.backlog().packets..wanted {
            queue.enqueue(packet(name, sent, now), &mut context);
            sent += 1;
        }
        black_box(queue.dequeue(&mut context));
    }
    black_box(tap.0);
}

fn packet(name: &str, number: u64, now: Time) -> Packet {
    let request = match name {
        "xcp" => Some(Request::Xcp { rtt: 0.04, spacing: 0.000_8, delta: 0.0 }),
        "rcp" => Some(Request::Rate { rate: f32::INFINITY, rtt: 0.04 }),
        "vcp" | "decbit" | "source-quench" => Some(Request::Level(0)),
        "adpm" => Some(Request::Load { threshold: 0.6, above: false, overload: false }),
        "maxnet" => Some(Request::Price(-1.0)),
        // Only the first packets of a connection ask.
        "quick-start" if number.is_multiple_of(100) => {
            Some(Request::QuickStart { rate: 1e6, ttl_difference: 0 })
        }
        _ => None,
    };
    Packet {
        arrival: now,
        sent_at: now,
        number,
        // Knuth's multiplicative hash spreads the flows.
        flow: FlowId::new((number.wrapping_mul(2_654_435_761) >> 16) as u32 % FLOWS as u32, 0),
        size: SIZE,
        next: 0,
        ecn: if number.is_multiple_of(2) { Ecn::Ect0 } else { Ecn::NotCapable },
        ecn_echo: false,
        body: Body::Data { request, payload: 1460, retransmission: false, timestamp: 0 },
    }
}

struct Count(u64);

impl Tap for Count {
    fn dropped(&mut self, _packet: &Packet, _reason: DropReason) {
        self.0 += 1;
    }

    fn marked(&mut self, _packet: &Packet) {
        self.0 += 1;
    }
}

/// Costs what offering the packets costs: all that wait are the newest.
#[derive(Debug)]
struct Slot(Option<Packet>, u64);

impl QueueDiscipline for Slot {
    fn enqueue(&mut self, packet: Packet, _context: &mut Context<'_>) {
        self.0 = Some(packet);
        self.1 += 1;
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        self.1 = self.1.saturating_sub(1);
        self.0
    }

    fn backlog(&self) -> Backlog {
        Backlog::new(self.1, Bytes::ZERO)
    }
}
