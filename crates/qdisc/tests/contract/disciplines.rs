//! What the contract is held against.

use narrows_qdisc::{
    Classes, Discipline, Limit, codel, droptail, drr, dualpi2, fq_codel, pie, priority, quick_start, rcp,
    red, rio, step, xcp,
};
use narrows_units::{Bytes, Span};

/// Every discipline, in each of its modes, and the limit it must keep.
pub fn disciplines() -> Vec<(Discipline, Limit)> {
    let plain = packets(Limit::Packets(12));
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
    let priorities = [Limit::Packets(12), Limit::Bytes(6000), Limit::Packets(0)].map(|limit| {
        (
            Discipline::Priority(priority::Config { classes: classes.clone(), limit, limits: Vec::new() }),
            limit,
        )
    });
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
        .chain(that_answer_requests())
        .collect()
}

/// A RED queue that counts packets.
fn packets(limit: Limit) -> red::Config {
    red::Config {
        unit: red::Unit::Packets,
        min: 2.0,
        max: 6.0,
        max_p: 0.5,
        weight: 0.25,
        gentle: true,
        wait: true,
        ecn: true,
        adaptive: false,
        limit,
        mean_packet: Bytes::new(1000),
    }
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

/// Those that flows ask for a rate.
fn that_answer_requests() -> Vec<(Discipline, Limit)> {
    let limit = Limit::Packets(12);
    let drop_tail = Box::new(Discipline::DropTail(droptail::Config { limit }));
    let early = Box::new(Discipline::Red(red::Config { adaptive: true, ecn: false, ..packets(limit) }));
    let xcp = xcp::Config {
        alpha: 0.4,
        beta: 0.226,
        gamma: 0.1,
        min_interval: Span::from_ms(1),
        max_interval: Span::from_ms(1000),
        initial_interval: Span::from_ms(5),
        discipline: drop_tail.clone(),
    };
    let rcp = rcp::Config {
        alpha: 0.1,
        beta: 1.0,
        gain: 0.02,
        interval: Span::from_ms(10),
        initial: 0.05,
        packet: Bytes::new(1500),
        discipline: drop_tail.clone(),
    };
    let quick_start = quick_start::Config {
        threshold: 0.85,
        share: 0.85,
        interval: Span::from_ms(20),
        encoding: quick_start::Encoding::Rfc4782,
        discipline: drop_tail,
    };
    [
        Discipline::Xcp(xcp::Config { discipline: early.clone(), ..xcp.clone() }),
        Discipline::Rcp(rcp::Config { discipline: early.clone(), ..rcp.clone() }),
        Discipline::QuickStart(quick_start::Config { discipline: early, ..quick_start.clone() }),
        Discipline::Xcp(xcp),
        Discipline::Rcp(rcp),
        Discipline::QuickStart(quick_start),
    ]
    .map(|discipline| (discipline, limit))
    .into()
}
