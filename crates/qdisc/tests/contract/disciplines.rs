// SPDX-License-Identifier: Apache-2.0
//! The subjects of the contract: every discipline of the catalogue at its defaults and at the ends of its domains, and
//! some in modes of their own.

use narrows_card::{Domain, Parameter};
use narrows_qdisc::{Classes, Discipline, Entry, Given, Limit, Scale, Setting, Threshold, Unit, catalogue};
use narrows_units::{Bytes, Rate, Span};

/// A link of 10 Mbps on a path of 40 ms, with packets of 1000 bytes: a bandwidth-delay product is 50 packets.
pub const SCALE: Scale = Scale::new(Rate::from_bps(10_000_000), Span::from_ms(40), Bytes::new(1000));

/// Every discipline of the catalogue, each parameter at its default or at an end of its domain as `draw` says, two bits
/// for each. If the ends contradict each other, all are at their defaults.
pub fn drawn(draw: u64) -> impl Iterator<Item = Discipline> {
    catalogue::entries().iter().map(move |entry| {
        let at = |index: usize, parameter| value(parameter, (draw >> (2 * index) & 3) as u8);
        let ends = entry.card.parameters.iter().enumerate();
        let given = ends.filter_map(|(index, parameter)| at(index, parameter)).collect();
        Discipline::new(entry, SCALE, given).unwrap_or_else(|_| with(entry, Vec::new()))
    })
}

/// `entry` with the settings `given`, and with the classes of groups that it requires.
pub fn with(entry: &'static Entry, mut given: Vec<Given>) -> Discipline {
    for parameter in entry.card.parameters.iter().filter(|parameter| parameter.domain.is_required()) {
        if given.iter().all(|each| each.parameter != parameter.name) {
            given.extend(value(parameter, 0));
        }
    }
    Discipline::new(entry, SCALE, given).expect("the settings do not contradict each other")
}

/// The parameter `name` set to `setting`.
pub fn set(name: &'static str, setting: Setting) -> Given {
    let written = setting.to_string();
    Given::new(name, setting, written)
}

/// A parameter at an end of its domain for a `draw` of 2 or 3; `None` for its default.
fn value(parameter: &Parameter, draw: u8) -> Option<Given> {
    let setting = match (parameter.domain, draw) {
        // Of four flows, the first is in the best class, the second in the worst.
        (Domain::Groups | Domain::Classes { .. }, _) => {
            Setting::Classes(vec![("first".to_owned(), 0), ("second".to_owned(), 2)], Classes::new([0, 2], 1))
        }
        (_, 0 | 1) => return None,
        (Domain::Number { minimum, .. }, 2) => Setting::Number(minimum),
        (Domain::Number { maximum, .. }, _) => Setting::Number(maximum.min(100.0)),
        (Domain::Fraction { zero: true, .. }, 2) => Setting::Number(0.0),
        (Domain::Fraction { .. }, 2) => Setting::Number(1e-3),
        (Domain::Fraction { .. }, _) => Setting::Number(1.0),
        (Domain::Integer { minimum, .. }, 2) => Setting::Whole(minimum),
        (Domain::Integer { maximum, .. }, _) => Setting::Whole(maximum.min(256)),
        (Domain::Flag { default }, _) => Setting::Flag(!default),
        (Domain::Choice { allowed, .. }, _) => Setting::Word(allowed[allowed.len() - 1]),
        (Domain::Span { zero: true, .. }, 2) => Setting::Span(Span::ZERO),
        (Domain::Span { .. }, 2) => Setting::Span(Span::from_us(10)),
        (Domain::Span { .. }, _) => Setting::Span(Span::from_ms(1000)),
        (Domain::Rate { .. }, 2) => Setting::Rate(Rate::from_bps(1)),
        (Domain::Rate { .. }, _) => Setting::Rate(Rate::from_bps(1_000_000_000)),
        (Domain::Size { .. }, 2) => Setting::Size(Bytes::new(300)),
        (Domain::Size { .. }, _) => Setting::Size(Bytes::new(3000)),
        (Domain::Length { whole: true, .. }, 2) => Setting::Limit(Limit::Packets(1)),
        (Domain::Length { whole: true, .. }, _) => Setting::Limit(Limit::Bytes(5000)),
        (Domain::Length { .. }, 2) => Setting::Threshold(Threshold { unit: Unit::Packets, value: 0.5 }),
        (Domain::Length { .. }, _) => Setting::Threshold(Threshold { unit: Unit::Bytes, value: 5000.0 }),
        (Domain::Limit { .. }, 2) => Setting::Limit(Limit::Packets(0)),
        (Domain::Limit { .. }, _) => Setting::Limit(Limit::Bytes(9000)),
        (Domain::Limits, _) => Setting::Limits(vec![Limit::Packets(3), Limit::Unlimited, Limit::Bytes(2000)]),
        (Domain::Discipline { allowed, .. }, _) => {
            let name = allowed[allowed.len() - 1];
            let entry = catalogue::find(name).expect("it is in the catalogue");
            Setting::Discipline(Box::new(with(entry, Vec::new())))
        }
    };
    Some(set(parameter.name, setting))
}

/// Disciplines that react within a few packets or milliseconds.
pub fn hasty() -> Vec<Discipline> {
    let packets = |value| Setting::Threshold(Threshold { unit: Unit::Packets, value });
    let bytes = |value| Setting::Threshold(Threshold { unit: Unit::Bytes, value });
    let limit = |limit| set("limit", Setting::Limit(limit));
    let ms = |name, ms| set(name, Setting::Span(Span::from_ms(ms)));
    let flag = |name, flag| set(name, Setting::Flag(flag));
    let number = |name, number| set(name, Setting::Number(number));
    let discipline =
        |name: &str, given: Vec<Given>| with(catalogue::find(name).expect("it is in the catalogue"), given);
    let red = |more: Vec<Given>| {
        let mut given = vec![number("max_p", 0.5), limit(Limit::Packets(12))];
        given.extend([set("min", packets(2.0)), set("max", packets(6.0)), number("weight", 0.25)]);
        given.push(flag("ecn", true));
        given.extend(more);
        discipline("red", given)
    };
    let in_bytes = || vec![set("min", bytes(1500.0)), set("max", bytes(5000.0))];
    let rio = |more: Vec<Given>| {
        let ends = [("in_min", 2.0), ("in_max", 6.0), ("out_min", 2.0), ("out_max", 6.0)];
        let mut given: Vec<Given> = ends.map(|(name, value)| set(name, packets(value))).into();
        given.extend([number("in_max_p", 0.5), number("out_max_p", 0.5), number("weight", 0.25)]);
        given.extend([flag("gentle", true), flag("ecn", true), limit(Limit::Packets(12))]);
        given.extend(more);
        discipline("rio", given)
    };
    let codel = |ecn, most| vec![ms("target", 2), ms("interval", 10), flag("ecn", ecn), limit(most)];
    let pie = |ecn, most| {
        let mut given = vec![ms("target", 1), ms("update", 1), set("burst", Setting::Span(Span::ZERO))];
        given.extend([flag("ecn", ecn), limit(most)]);
        discipline("pie", given)
    };
    let fq_codel = |ecn, most, flows| {
        let mut given = codel(ecn, most);
        given.extend([set("flows", Setting::Whole(flows)), set("quantum", Setting::Size(Bytes::new(1500)))]);
        discipline("fq-codel", given)
    };
    let drr = |quantum, most, drop| {
        let quantum = set("quantum", Setting::Size(Bytes::new(quantum)));
        discipline("drr", vec![quantum, limit(most), set("drop", Setting::Word(drop))])
    };
    let step =
        |threshold, most| discipline("step", vec![set("threshold", Setting::Limit(threshold)), limit(most)]);
    let dualpi2 = |most| {
        discipline("dualpi2", vec![ms("target", 2), ms("update", 2), number("alpha", 0.16), limit(most)])
    };
    let early = || {
        let red = red(vec![flag("adaptive", true), flag("ecn", false)]);
        set("discipline", Setting::Discipline(Box::new(red)))
    };
    vec![
        discipline("droptail", vec![limit(Limit::Unlimited)]),
        discipline("droptail", vec![limit(Limit::Packets(5))]),
        discipline("droptail", vec![limit(Limit::Packets(0))]),
        discipline("droptail", vec![limit(Limit::Bytes(4000))]),
        red(vec![]),
        red(vec![flag("ecn", false), flag("wait", false)]),
        red(vec![flag("gentle", false), number("weight", 1.0)]),
        red(vec![flag("adaptive", true)]),
        red([in_bytes(), vec![limit(Limit::Bytes(9000))]].concat()),
        red([in_bytes(), vec![limit(Limit::Unlimited), flag("wait", false)]].concat()),
        drr(1500, Limit::Packets(12), "head"),
        drr(300, Limit::Bytes(9000), "tail"),
        drr(1500, Limit::Packets(0), "head"),
        discipline("priority", vec![limit(Limit::Packets(12))]),
        discipline("priority", vec![limit(Limit::Bytes(6000))]),
        discipline("priority", vec![limit(Limit::Packets(0))]),
        rio(vec![flag("ecn", false), flag("gentle", false), limit(Limit::Bytes(6000))]),
        rio(vec![]),
        step(Limit::Packets(4), Limit::Packets(12)),
        step(Limit::Bytes(3000), Limit::Bytes(9000)),
        discipline("codel", codel(true, Limit::Packets(12))),
        discipline("codel", codel(false, Limit::Bytes(9000))),
        discipline("codel", codel(true, Limit::Packets(0))),
        fq_codel(true, Limit::Packets(30), 64),
        fq_codel(false, Limit::Bytes(9000), 2),
        fq_codel(true, Limit::Packets(0), 1),
        pie(true, Limit::Packets(1000)),
        pie(false, Limit::Bytes(9000)),
        pie(true, Limit::Packets(0)),
        dualpi2(Limit::Packets(30)),
        dualpi2(Limit::Bytes(9000)),
        dualpi2(Limit::Packets(0)),
        discipline("xcp", vec![ms("initial_interval", 5), limit(Limit::Packets(12))]),
        discipline("xcp", vec![ms("initial_interval", 5), early()]),
        discipline("rcp", vec![limit(Limit::Packets(12))]),
        discipline("rcp", vec![early()]),
        discipline("quick-start", vec![ms("interval", 20), limit(Limit::Packets(12))]),
        discipline("quick-start", vec![ms("interval", 20), early()]),
    ]
}
