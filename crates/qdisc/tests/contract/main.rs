// SPDX-License-Identifier: Apache-2.0
//! Truth: the contract of every discipline, as properties over random arrivals and departures. A new discipline is
//! covered by its line in the catalogue.

mod disciplines;

use disciplines::{drawn, hasty, set, with};
use narrows_card::Domain;
use narrows_qdisc::{
    Backlog, Context, Discipline, DropReason, Limit, Order, QueueDiscipline, Setting, Tap, catalogue,
    droptail,
};
use narrows_units::{Rate, Span, Time};
use narrows_wire::{Body, Ecn, FlowId, Packet, Request};
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use std::collections::{BTreeMap, BTreeSet};

/// What happens to a queue.
#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive { flow: u32, size: u16, ecn: Ecn },
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
        5 => (0..4_u32, 40..=1500_u16, ecn).prop_map(|(flow, size, ecn)| Step::Arrive { flow, size, ecn }),
        4 => proptest::prelude::Just(Step::Depart),
        1 => (0..20_000_u64).prop_map(|us| Step::Wait(Span::from_us(us))),
    ];
    proptest::collection::vec(step, 0..400)
}

fn packet(number: u64, flow: u32, size: u16, ecn: Ecn, now: Time) -> Packet {
    Packet {
        arrival: now,
        sent_at: now,
        number,
        flow: FlowId::new(flow, 0),
        size,
        next: 0,
        ecn,
        ecn_echo: false,
        body: Body::Data { request: request(number), payload: 0, retransmission: false, timestamp: 0 },
    }
}

/// Of every seven packets one asks for nothing.
fn request(number: u64) -> Option<Request> {
    match number % 7 {
        0 => Some(Request::Xcp { rtt: 0.05, spacing: 0.001, delta: f32::INFINITY }),
        1 => Some(Request::Rate { rate: f32::INFINITY, rtt: 0.05 }),
        2 => Some(Request::QuickStart { rate: 1e6, ttl_difference: 0 }),
        3 => Some(Request::Level(0)),
        4 => Some(Request::Price(-1.0)),
        5 => Some(Request::Load { threshold: 0.5, above: false, overload: false }),
        _ => None,
    }
}

/// Keeps its own account of what waits, from its notifications and nothing else.
struct Ledger {
    discipline: Discipline,
    arrived: u64,
    dequeued: u64,
    dropped: u64,
    waiting: BTreeMap<u64, Packet>,
    marked: BTreeSet<u64>,
    /// The last that left of those that keep their order: of a flow where flows do, and of an identifier of L4S where only they
    /// do.
    last: BTreeMap<(Option<FlowId>, bool), u64>,
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
            "{:?}: a packet is dropped once, and not after it left",
            self.discipline
        );
        self.dropped += 1;
        self.fates.push((packet.number, Fate::Dropped(reason)));
    }

    fn marked(&mut self, packet: &Packet) {
        let name = &self.discipline;
        let Some(arrived) = self.waiting.get(&packet.number) else {
            panic!("{name:?}: only a packet that waits or arrives is marked");
        };
        assert!(arrived.ecn.is_capable(), "{name:?}: a mark needs an ECN-capable packet");
        assert_eq!(packet.ecn, Ecn::Ce, "{name:?}: a marked packet carries CE");
        self.marked.insert(packet.number);
    }
}

impl Ledger {
    fn new(discipline: &Discipline) -> Self {
        Self {
            discipline: discipline.clone(),
            arrived: 0,
            dequeued: 0,
            dropped: 0,
            waiting: BTreeMap::new(),
            marked: BTreeSet::new(),
            last: BTreeMap::new(),
            fates: Vec::new(),
        }
    }

    fn arrives(&mut self, step: (u32, u16, Ecn), now: Time) -> Packet {
        let (flow, size, ecn) = step;
        let packet = packet(self.arrived, flow, size, ecn, now);
        self.waiting.insert(packet.number, packet);
        self.arrived += 1;
        packet
    }

    fn leaves(&mut self, packet: &Packet) {
        let name = &self.discipline;
        let Some(arrived) = self.waiting.remove(&packet.number) else {
            panic!("{name:?}: a packet leaves once, and only if it waited");
        };
        let expected = if self.marked.contains(&packet.number) { Ecn::Ce } else { arrived.ecn };
        assert_eq!(packet.ecn, expected, "{name:?}: marks are made through the context only");
        let same = |packet: &Packet| (packet.flow, packet.size, packet.arrival);
        assert_eq!(same(packet), same(&arrived), "{name:?}: a packet leaves as it arrived");
        let low_latency = matches!(arrived.ecn, Ecn::Ect1 | Ecn::Ce);
        let ordered = match self.discipline.entry().order {
            Order::All => Some((None, false)),
            Order::Flow => Some((Some(packet.flow), false)),
            Order::Queue => {
                let any = self.discipline.settings().word("low_latency") == "ect";
                Some((Some(packet.flow), low_latency || any && arrived.ecn.is_capable()))
            }
            Order::None => None,
        };
        let before = ordered.and_then(|ordered| self.last.insert(ordered, packet.number));
        assert!(
            before.is_none_or(|before| before < packet.number),
            "{name:?}: packets leave in the order that its entry states"
        );
        self.dequeued += 1;
        self.fates.push((packet.number, Fate::Sent(packet.ecn)));
    }

    fn check(&self, queue: &dyn QueueDiscipline, limit: Limit) {
        let recount = Backlog::new(self.waiting.len() as u64, self.waiting.values().map(Packet::size).sum());
        let name = &self.discipline;
        assert_eq!(queue.backlog(), recount, "{name:?}");
        assert_eq!(self.arrived, self.dequeued + self.dropped + recount.packets, "{name:?}");
        match limit {
            Limit::Unlimited => {}
            Limit::Packets(most) => assert!(recount.packets <= most, "{name:?}"),
            Limit::Bytes(most) => assert!(recount.bytes.count() <= most, "{name:?}"),
        }
    }
}

/// Names of the variables that `discipline` may have: the variables of its card and, if packets wait in another
/// discipline, of that discipline's.
fn declared(discipline: &Discipline) -> BTreeSet<&'static str> {
    let card = &catalogue::find(discipline.name()).expect("it is in the catalogue").card;
    let inner = card.parameters.iter().filter_map(|parameter| match parameter.domain {
        Domain::Discipline { allowed, .. } => Some(allowed),
        _ => None,
    });
    let inner = inner.flatten().filter_map(|name| catalogue::find(name)).map(|entry| &entry.card);
    std::iter::once(card).chain(inner).flat_map(|card| card.variables).map(|each| each.name).collect()
}

/// Names of the variables of `queue`, each of which must have a value.
fn observed(queue: &dyn QueueDiscipline) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    queue.observe(&mut |name, value| {
        assert!(!value.is_nan(), "{name} has no value");
        assert!(names.insert(name.to_owned()), "{name} is observed twice");
    });
    names
}

/// Takes a fresh queue through `steps`, checking after each, then empties it. What became of every packet.
fn drive(discipline: &Discipline, steps: &[Step], seed: u64) -> Vec<(u64, Fate)> {
    let mut queue = discipline.build();
    let limit = discipline.limit();
    let declared = declared(discipline);
    let mut ledger = Ledger::new(discipline);
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
        let mut context = Context::new(now, rate, &mut uniform, &mut ledger);
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
                    "{discipline:?}: a queue that holds packets back says until when"
                ),
            }
        }
        ledger.check(&*queue, limit);
        let names = observed(&*queue);
        let known = names.iter().all(|name| declared.contains(name.as_str()));
        assert!(known, "{discipline:?}: {names:?} of {declared:?}");
    }
    ledger.fates
}

#[test]
#[should_panic(expected = "Flag(false)}: packets leave in the order that its entry states")]
fn a_queue_that_does_not_keep_its_order_is_named() {
    let limit = set("limit", Setting::Limit(Limit::Packets(5)));
    let droptail = with(catalogue::find("droptail").expect("it is in the catalogue"), vec![limit]);
    let mut ledger = Ledger::new(&droptail);
    let first = ledger.arrives((0, 1000, Ecn::Ect0), Time::ZERO);
    let second = ledger.arrives((1, 1000, Ecn::Ect0), Time::ZERO);
    ledger.leaves(&second);
    ledger.leaves(&first);
}

#[test]
fn every_discipline_observes_what_its_card_declares() {
    for entry in catalogue::entries() {
        let declared: BTreeSet<_> = entry.card.variables.iter().map(|each| each.name.to_owned()).collect();
        let seen = observed(&*with(entry, Vec::new()).build());
        assert_eq!(seen, declared, "{}", entry.card.name);
    }
}

proptest! {
    #[test]
    fn every_discipline_keeps_the_contract(steps in steps(), seed in any::<u64>(), draw in any::<u64>()) {
        for discipline in hasty().into_iter().chain(drawn(draw)) {
            drive(&discipline, &steps, seed);
        }
    }

    #[test]
    fn the_same_arrivals_and_draws_have_the_same_fate(
        steps in steps(),
        seed in any::<u64>(),
        draw in any::<u64>(),
    ) {
        for discipline in hasty().into_iter().chain(drawn(draw)) {
            assert_eq!(drive(&discipline, &steps, seed), drive(&discipline, &steps, seed), "{discipline:?}");
        }
    }
}

/// Two packets of 1000 bytes arrive for each that leaves, for 600 ms.
fn overload(ecn: Ecn) -> Vec<Step> {
    let arrive = |flow: u32| Step::Arrive { flow: flow % 4, size: 1000, ecn };
    let each = |index| [arrive(index), arrive(index), Step::Depart, Step::Wait(Span::from_ms(1))];
    (0..600).flat_map(each).collect()
}

/// About 30 packets wait for a second, each for 30 ms.
fn standing_queue(ecn: Ecn) -> Vec<Step> {
    let arrive = |flow: u32| Step::Arrive { flow: flow % 4, size: 1000, ecn };
    let each = |index| [arrive(index), Step::Depart, Step::Wait(Span::from_ms(1))];
    (0..30).map(arrive).chain((0..1000).flat_map(each)).collect()
}

/// Whether a packet is dropped, and whether one is marked.
fn signals(discipline: &Discipline, steps: &[Step]) -> (bool, bool) {
    let fates = drive(discipline, steps, 1);
    let lost = fates.iter().any(|(_, fate)| matches!(fate, Fate::Dropped(_)));
    (lost, fates.iter().any(|(_, fate)| *fate == Fate::Sent(Ecn::Ce)))
}

/// Whether it marks, as its entry says, if there is room for packets at all.
fn should_mark(discipline: &Discipline) -> bool {
    let asked = !matches!(discipline.settings().get("ecn"), Some(Setting::Flag(false)));
    discipline.entry().marks && asked && discipline.limit() != Limit::Packets(0)
}

/// Guards the properties above against passing because nothing happens.
#[test]
fn under_load_every_limited_discipline_drops_and_ecn_marks() {
    for discipline in hasty() {
        let (lost, marked) = signals(&discipline, &overload(Ecn::Ect0));
        assert_eq!(lost, droptail::limit_of(&discipline) != Some(Limit::Unlimited), "{discipline:?}");
        assert_eq!(marked, should_mark(&discipline), "{discipline:?}");
    }
}

/// As its entry says, at the defaults, with a limit of 200 packets if it has one.
#[test]
fn under_load_every_entry_of_the_catalogue_drops_what_cannot_be_marked_and_marks_if_it_says_so() {
    for entry in catalogue::entries() {
        let has = |name| entry.card.parameters.iter().any(|parameter| parameter.name == name);
        let mut given = Vec::new();
        if has("limit") {
            given.push(set("limit", Setting::Limit(Limit::Packets(200))));
        }
        for ecn in if has("ecn") { vec![false, true] } else { vec![true] } {
            let mut given = given.clone();
            if has("ecn") {
                given.push(set("ecn", Setting::Flag(ecn)));
            }
            let discipline = with(entry, given);
            let name = discipline.name();
            let lost = signals(&discipline, &overload(Ecn::NotCapable));
            assert_eq!(lost, (true, false), "{name}, ecn {ecn}");
            let (_, marked) = signals(&discipline, &standing_queue(Ecn::Ect0));
            assert_eq!(marked, should_mark(&discipline), "{name}, ecn {ecn}");
        }
    }
}

/// Takes no account, so that what allocates is the queue.
struct Ignored;

impl Tap for Ignored {
    fn dropped(&mut self, _packet: &Packet, _reason: DropReason) {}
    fn marked(&mut self, _packet: &Packet) {}
}

/// The queue of 40 flows rises and falls for a second, and then once more: what it needs it has by then.
#[test]
fn in_the_steady_state_no_discipline_allocates() {
    for discipline in hasty().into_iter().chain(drawn(0)) {
        let mut queue = discipline.build();
        let mut now = Time::ZERO;
        let mut draw = 0.0;
        let mut second = |queue: &mut dyn QueueDiscipline| {
            for index in 0..2000_u64 {
                now += Span::from_us(500);
                draw = (draw + 0.618_033_988_749_895) % 1.0;
                let (rate, mut uniform, mut tap) = (Rate::from_bps(10_000_000), || draw, Ignored);
                let mut context = Context::new(now, rate, &mut uniform, &mut tap);
                if queue.next_wake().is_some_and(|wake| wake <= now) {
                    queue.on_wake(&mut context);
                }
                let rises = index / 250 % 2 == 0;
                for number in 0..if rises { 2 } else { 0 } {
                    let flow = (index * 7 + number * 13) % 40;
                    queue.enqueue(packet(index, flow as u32, 1000, Ecn::Ect0, now), &mut context);
                }
                for _ in 0..if rises { 1 } else { 2 } {
                    queue.dequeue(&mut context);
                }
            }
        };
        second(&mut *queue);
        let allocations = allocation_counter::measure(|| second(&mut *queue)).count_total;
        assert_eq!(allocations, 0, "{discipline:?}");
    }
}

#[test]
fn every_entry_is_found_by_its_name_and_its_card_is_filled_in() {
    for entry in catalogue::entries() {
        let card = &entry.card;
        assert!(
            std::ptr::eq(catalogue::find(card.name).expect("listed"), *entry),
            "{} is listed twice",
            card.name
        );
        assert!(!card.family.is_empty() && !card.summary.is_empty() && !card.source.is_empty());
        assert!(!card.equations.is_empty(), "{}", card.name);
        for parameter in card.parameters {
            assert!(!parameter.meaning.is_empty() && !parameter.source.is_empty(), "{}", parameter.name);
        }
    }
    assert!(catalogue::find("no such queue").is_none());
}

/// A default that is written in words, or that is outside its domain, would leave a parameter without a value.
#[test]
fn every_parameter_has_a_value_at_the_defaults_unless_another_takes_its_place() {
    for entry in catalogue::entries() {
        let discipline = with(entry, Vec::new());
        for parameter in entry.card.parameters {
            let replaced = parameter.name == "limit" && discipline.settings().get("discipline").is_some();
            let set = discipline.settings().get(parameter.name).is_some();
            assert_eq!(set, !replaced, "{} of {}", parameter.name, entry.card.name);
            let default = parameter.domain.default();
            let structured = matches!(
                parameter.domain,
                narrows_card::Domain::Limits
                    | narrows_card::Domain::Groups
                    | narrows_card::Domain::Classes { .. }
            );
            let Some(default) = default.value() else { continue };
            assert_eq!(
                parameter.domain.contains(&default),
                !structured,
                "{} of {}",
                parameter.name,
                entry.card.name
            );
        }
    }
}
