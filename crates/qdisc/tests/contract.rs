//! Truth: the contract of every discipline, as properties over random arrivals and departures. A new discipline is
//! covered by a line in `disciplines`.

use narrows_qdisc::catalogue;
use narrows_qdisc::{
    Backlog, Classes, Context, Discipline, DropReason, Limit, QueueDiscipline, Tap, codel, droptail, drr,
    dualpi2, fq_codel, pie, priority, red, rio, step,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Ecn, FlowId, Leg, Packet};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use std::collections::{BTreeMap, BTreeSet};

/// Every discipline, in each of its modes, and the limit it must keep.
fn disciplines() -> Vec<(Discipline, Limit)> {
    let plain = red::Config {
        unit: red::Unit::Packets,
        min: 2.0,
        max: 6.0,
        max_p: 0.5,
        weight: 0.25,
        gentle: true,
        wait: true,
        ecn: true,
        adaptive: false,
        limit: Limit::Packets(12),
        mean_packet: Bytes::new(1000),
    };
    let bytes = red::Config { unit: red::Unit::Bytes, min: 1500.0, max: 5000.0, ..plain };
    let drop_tails = [Limit::Unlimited, Limit::Packets(5), Limit::Packets(0), Limit::Bytes(4000)]
        .map(|limit| (Discipline::DropTail(droptail::Config { limit }), limit));
    let reds = [
        plain,
        red::Config { ecn: false, wait: false, ..plain },
        red::Config { gentle: false, weight: 1.0, ..plain },
        red::Config { adaptive: true, ..plain },
        red::Config { limit: Limit::Bytes(9000), ..bytes },
        red::Config { limit: Limit::Unlimited, wait: false, ..bytes },
    ]
    .map(|config| (Discipline::Red(config), config.limit));
    let drrs = [
        drr::Config { quantum: Bytes::new(1500), limit: Limit::Packets(12), drop: drr::End::Head },
        drr::Config { quantum: Bytes::new(300), limit: Limit::Bytes(9000), drop: drr::End::Tail },
        drr::Config { quantum: Bytes::new(1500), limit: Limit::Packets(0), drop: drr::End::Head },
    ]
    .map(|config| (Discipline::Drr(config), config.limit));
    // Of four flows, the first is in the best class, the second in the worst.
    let classes = Classes::new([0, 2], 1);
    let priorities = [Limit::Packets(12), Limit::Bytes(6000), Limit::Packets(0)]
        .map(|limit| (Discipline::Priority(priority::Config { classes: classes.clone(), limit }), limit));
    let ramp = rio::Ramp { min: 2.0, max: 6.0, max_p: 0.5 };
    let two_reds = rio::Config {
        classes,
        unit: red::Unit::Packets,
        inside: ramp,
        outside: ramp,
        weight: 0.25,
        gentle: true,
        wait: true,
        ecn: true,
        limit: Limit::Packets(12),
        mean_packet: Bytes::new(1000),
    };
    let rios =
        [rio::Config { ecn: false, gentle: false, limit: Limit::Bytes(6000), ..two_reds.clone() }, two_reds]
            .map(|config| (config.limit, Discipline::Rio(config)))
            .map(|(limit, discipline)| (discipline, limit));
    let steps = [(Limit::Packets(4), Limit::Packets(12)), (Limit::Bytes(3000), Limit::Bytes(9000))]
        .map(|(threshold, limit)| (Discipline::Step(step::Config { threshold, limit }), limit));
    drop_tails
        .into_iter()
        .chain(reds)
        .chain(drrs)
        .chain(priorities)
        .chain(rios)
        .chain(steps)
        .chain(that_control_delay())
        .collect()
}

/// Those among them whose laws think in time.
fn that_control_delay() -> Vec<(Discipline, Limit)> {
    let control =
        codel::Control { target: Span::from_ms(2), interval: Span::from_ms(10), mtu: Bytes::new(1500) };
    let codels = [(true, Limit::Packets(12)), (false, Limit::Bytes(9000)), (true, Limit::Packets(0))]
        .map(|(ecn, limit)| (Discipline::Codel(codel::Config { control, ecn, limit }), limit));
    let fq_codels =
        [(true, Limit::Packets(30), 64), (false, Limit::Bytes(9000), 2), (true, Limit::Packets(0), 1)].map(
            |(ecn, limit, queues)| {
                let quantum = Bytes::new(1500);
                (Discipline::FqCodel(fq_codel::Config { control, ecn, quantum, queues, limit }), limit)
            },
        );
    let pie = pie::Config {
        target: Span::from_ms(1),
        update: Span::from_ms(1),
        alpha: 0.125,
        beta: 1.25,
        burst: Span::ZERO,
        ecn: true,
        limit: Limit::Packets(1000),
        mean_packet: Bytes::new(1000),
    };
    let pies = [
        pie,
        pie::Config { ecn: false, limit: Limit::Bytes(9000), ..pie },
        pie::Config { limit: Limit::Packets(0), ..pie },
    ]
    .map(|config| (Discipline::Pie(config), config.limit));
    let dualpi2 = dualpi2::Config {
        target: Span::from_ms(2),
        update: Span::from_ms(2),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2.0,
        step: Span::from_ms(1),
        classic_share: 0.1,
        limit: Limit::Packets(30),
        mtu: Bytes::new(1500),
    };
    let dualpi2s = [
        dualpi2,
        dualpi2::Config { limit: Limit::Bytes(9000), ..dualpi2 },
        dualpi2::Config { limit: Limit::Packets(0), ..dualpi2 },
    ]
    .map(|config| (Discipline::DualPi2(config), config.limit));
    codels.into_iter().chain(fq_codels).chain(pies).chain(dualpi2s).collect()
}

/// What happens to a queue.
#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive { flow: u32, size: u32, ecn: Ecn },
    Depart,
    Wait(Span),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let ecn = prop_oneof![
        proptest::prelude::Just(Ecn::NotCapable),
        proptest::prelude::Just(Ecn::Ect0),
        proptest::prelude::Just(Ecn::Ect1),
        proptest::prelude::Just(Ecn::Ce),
    ];
    let step = prop_oneof![
        5 => (0..4_u32, 40..=1500_u32, ecn).prop_map(|(flow, size, ecn)| Step::Arrive { flow, size, ecn }),
        4 => proptest::prelude::Just(Step::Depart),
        1 => (0..20_000_u64).prop_map(|us| Step::Wait(Span::from_us(us))),
    ];
    proptest::collection::vec(step, 0..400)
}

/// Keeps its own account of what waits, from what it is told and nothing else.
#[derive(Default)]
struct Ledger {
    arrived: u64,
    dequeued: u64,
    dropped: u64,
    waiting: BTreeMap<u64, Packet>,
    marked: BTreeSet<u64>,
    /// DualPI2 keeps the order of a flow's packets within each of its queues only.
    two_queues: bool,
    last_of_flow: BTreeMap<(FlowId, bool), u64>,
    fates: Vec<(u64, Fate)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Sent(Ecn),
    Dropped(DropReason),
}

impl Tap for Ledger {
    fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        assert!(
            self.waiting.remove(&packet.number).is_some(),
            "a packet is dropped once, and not after it left"
        );
        self.dropped += 1;
        self.fates.push((packet.number, Fate::Dropped(reason)));
    }

    fn marked(&mut self, packet: &Packet) {
        let arrived =
            self.waiting.get(&packet.number).expect("only a packet that waits or arrives is marked");
        assert!(arrived.ecn.is_capable(), "a mark needs an ECN-capable packet");
        assert_eq!(packet.ecn, Ecn::Ce);
        self.marked.insert(packet.number);
    }
}

impl Ledger {
    fn arrives(&mut self, step: (u32, u32, Ecn), now: Time) -> Packet {
        let (flow, size, ecn) = step;
        let packet = Packet {
            stamp: now,
            sent_at: now,
            number: self.arrived,
            flow: FlowId(flow),
            size,
            leg: Leg::Outward,
            hop: 0,
            ecn,
            ecn_echo: false,
            body: Body::Syn,
        };
        self.waiting.insert(packet.number, packet);
        self.arrived += 1;
        packet
    }

    fn leaves(&mut self, packet: &Packet) {
        let arrived =
            self.waiting.remove(&packet.number).expect("a packet leaves once, and only if it waited");
        let expected = if self.marked.contains(&packet.number) { Ecn::Ce } else { arrived.ecn };
        assert_eq!(packet.ecn, expected, "marks are made through the context only");
        assert_eq!((packet.flow, packet.size, packet.stamp), (arrived.flow, arrived.size, arrived.stamp));
        let low_latency = self.two_queues && matches!(arrived.ecn, Ecn::Ect1 | Ecn::Ce);
        let before = self.last_of_flow.insert((packet.flow, low_latency), packet.number);
        assert!(before.is_none_or(|before| before < packet.number), "packets of a flow keep their order");
        self.dequeued += 1;
        self.fates.push((packet.number, Fate::Sent(packet.ecn)));
    }

    fn check(&self, queue: &dyn QueueDiscipline, limit: Limit) {
        let recount = Backlog {
            packets: self.waiting.len() as u64,
            bytes: self.waiting.values().map(Packet::size).sum(),
        };
        assert_eq!(queue.backlog(), recount);
        assert_eq!(self.arrived, self.dequeued + self.dropped + recount.packets);
        match limit {
            Limit::Unlimited => {}
            Limit::Packets(most) => assert!(recount.packets <= most),
            Limit::Bytes(most) => assert!(recount.bytes.count() <= most),
        }
    }
}

/// Takes a fresh queue through `steps`, checking after each, then empties it. What became of every packet.
fn drive(discipline: &Discipline, limit: Limit, steps: &[Step], seed: u64) -> Vec<(u64, Fate)> {
    let mut queue = discipline.build();
    let two_queues = matches!(discipline, Discipline::DualPi2(_));
    let mut ledger = Ledger { two_queues, ..Ledger::default() };
    let mut now = Time::ZERO;
    let mut state = seed;
    let mut uniform = || {
        // A 64-bit linear congruential generator, Knuth's constants, upper bits.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let drain = std::iter::repeat_n(Step::Depart, steps.len());
    for step in steps.iter().copied().chain(drain) {
        let rate = Rate::from_bps(10_000_000);
        let mut arrival = None;
        match step {
            Step::Arrive { flow, size, ecn } => arrival = Some(ledger.arrives((flow, size, ecn), now)),
            Step::Depart => {}
            Step::Wait(span) => now += span,
        }
        let mut context = Context { now, rate, uniform: &mut uniform, tap: &mut ledger };
        if queue.next_wake().is_some_and(|wake| wake <= now) {
            queue.on_wake(&mut context);
        }
        if let Some(packet) = arrival {
            queue.enqueue(packet, &mut context);
        }
        if matches!(step, Step::Depart) {
            match queue.dequeue(&mut context) {
                Some(packet) => ledger.leaves(&packet),
                None => assert!(
                    queue.backlog().packets == 0 || queue.next_wake().is_some(),
                    "a queue that holds packets back says until when"
                ),
            }
        }
        ledger.check(&*queue, limit);
    }
    ledger.fates
}

proptest! {
    #[test]
    fn every_discipline_keeps_the_contract(steps in steps(), seed in any::<u64>()) {
        for (discipline, limit) in disciplines() {
            drive(&discipline, limit, &steps, seed);
        }
    }

    #[test]
    fn the_same_arrivals_and_draws_have_the_same_fate(steps in steps(), seed in any::<u64>()) {
        for (discipline, limit) in disciplines() {
            assert_eq!(drive(&discipline, limit, &steps, seed), drive(&discipline, limit, &steps, seed));
        }
    }
}

/// Guards the properties above against passing because nothing happens.
#[test]
fn under_load_every_limited_discipline_drops_and_ecn_marks() {
    let arrivals = (0..600).flat_map(|index| {
        let arrive = Step::Arrive { flow: index % 4, size: 1000, ecn: Ecn::Ect0 };
        [arrive, arrive, Step::Depart, Step::Wait(Span::from_ms(1))]
    });
    let steps: Vec<_> = arrivals.collect();
    for (discipline, limit) in disciplines() {
        let fates = drive(&discipline, limit, &steps, 1);
        let lost = fates.iter().any(|(_, fate)| matches!(fate, Fate::Dropped(_)));
        let marked = fates.iter().any(|(_, fate)| *fate == Fate::Sent(Ecn::Ce));
        let unlimited = discipline == Discipline::DropTail(droptail::Config { limit: Limit::Unlimited });
        assert_eq!(lost, !unlimited, "{discipline:?}");
        let marks = match &discipline {
            Discipline::DropTail(_) | Discipline::Drr(_) | Discipline::Priority(_) => false,
            Discipline::Codel(config) => config.ecn && config.limit != Limit::Packets(0),
            Discipline::FqCodel(config) => config.ecn && config.limit != Limit::Packets(0),
            Discipline::DualPi2(config) => config.limit != Limit::Packets(0),
            Discipline::Pie(config) => config.ecn && config.limit != Limit::Packets(0),
            Discipline::Red(config) => config.ecn,
            Discipline::Rio(config) => config.ecn,
            Discipline::Step(_) => true,
        };
        assert_eq!(marked, marks, "{discipline:?}");
    }
}

#[test]
fn every_discipline_has_a_card_and_every_card_a_discipline() {
    let built: BTreeSet<_> = disciplines().iter().map(|(discipline, _)| discipline.name()).collect();
    let cards: BTreeSet<_> = catalogue::entries().iter().map(|entry| entry.name).collect();
    assert_eq!(built, cards);
}
