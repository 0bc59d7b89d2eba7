// SPDX-License-Identifier: Apache-2.0
//! Contract: workloads are arranged by what they are, and a wrong link between two of them is refused.

use super::{arranged, check};
use crate::application::{ApplicationModel, FramesModel};
use crate::traffic::{Arrivals, Distribution, Spans};
use crate::{Access, Demand, PathModel, SourceModel, Start, Workload};
use narrows_transport::TransportOptions;
use narrows_units::{Rate, Span, Time};
use std::sync::Arc;

fn workload(demand: Demand, slots: u32, partner: Option<u32>) -> Workload {
    let (forward, reverse) = if demand.side() == Some(1) { (1, 0) } else { (0, 1) };
    Workload {
        group: 0,
        demand,
        partner,
        stream: 0,
        first_user: 0,
        slots,
        individual: false,
        size: None,
        surges: Vec::new(),
        paths: vec![PathModel { weight: 1.0, forward, reverse, class: "".into() }],
        access: Access::RoundTrip {
            rtt: Spans(Distribution::Constant(0.1)),
            rate: Rate::from_bps(1_000_000),
        },
        transport: Arc::new(TransportOptions::default()),
        send_delay: Span::ZERO,
    }
}

fn fixed() -> Demand {
    Demand::Fixed { start: Start::At(Span::ZERO), stop: None, source: SourceModel::Bulk }
}

fn open() -> Demand {
    Demand::Open(Arrivals::Poisson([(Time::ZERO, 1.0)].into()))
}

fn both_sides() -> [Demand; 2] {
    let rate = Rate::from_bps(1_000_000);
    let (deadline, skip) = (Span::from_ms(100), Span::from_ms(100));
    let frames = FramesModel { fps: 30, minimum: rate, maximum: rate, deadline, skip };
    let application = Arc::new(ApplicationModel::Frames(frames));
    let side = |side| Demand::Clients {
        application: Arc::clone(&application),
        side,
        start: Start::At(Span::ZERO),
        stop: None,
    };
    [side(0), side(1)]
}

/// Two pairs between other workloads, the fixed ones last, as a scenario may have them.
fn mixed() -> Vec<Workload> {
    let ([one, other], [third, fourth]) = (both_sides(), both_sides());
    vec![
        workload(open(), 5, None),
        workload(one, 4, Some(2)),
        workload(other, 4, Some(1)),
        workload(fixed(), 3, None),
        workload(third, 2, Some(5)),
        workload(fourth, 2, Some(4)),
        workload(open(), 7, None),
        workload(fixed(), 1, None),
    ]
}

#[test]
fn fixed_workloads_are_first_and_the_others_keep_their_order_partners_and_streams() {
    let workloads = arranged(mixed());
    let all = |of: fn(&Workload) -> Option<u32>| workloads.iter().map(of).collect::<Vec<_>>();
    assert_eq!(all(|each| Some(each.slots)), [3, 1, 5, 4, 4, 2, 2, 7].map(Some));
    assert_eq!(all(|each| each.partner), [None, None, None, Some(4), Some(3), Some(6), Some(5), None]);
    // Of fixed workloads, which have streams of their own, neither matters.
    assert_eq!(all(|each| Some(each.stream)), [0, 0, 0, 1, 1, 3, 3, 5].map(Some));
    assert_eq!(all(|each| Some(each.first_user)), [0, 0, 0, 5, 9, 13, 15, 17].map(Some));
    assert_eq!(check(&workloads), Ok(()));
}

/// Partners need not be neighbours: what lies between them changes nothing.
#[test]
fn partners_may_be_apart() {
    let [one, other] = both_sides();
    let workloads =
        arranged(vec![workload(one, 4, Some(2)), workload(open(), 5, None), workload(other, 4, Some(0))]);
    assert_eq!(check(&workloads), Ok(()));
    assert_eq!(workloads.iter().map(|each| each.stream).collect::<Vec<_>>(), [0, 1, 0]);
}

#[test]
fn a_wrong_link_between_workloads_is_refused() {
    type Break = fn(&mut Vec<Workload>);
    let broken: [(&str, Break); 10] = [
        ("workload 3 has no partner, and both sides of its connections write", |all| all[3].partner = None),
        ("workload 3 has the partner 9, and there are 8 workloads", |all| all[3].partner = Some(9)),
        ("workload 3 has the partner 6, whose partner is another", |all| all[3].partner = Some(6)),
        ("workload 2 has the partner 3, whose partner is another", |all| all[2].partner = Some(3)),
        ("workload 3 has the partner 6, which has not the other sides of its connections", |all| {
            // Two pairs that are crossed.
            for (one, other) in [(3, 6), (6, 3), (4, 5), (5, 4)] {
                all[one].partner = Some(other as u32);
            }
        }),
        ("workload 3 has the partner 4, which is of another group", |all| all[4].group = 1),
        ("workload 3 has the partner 4, which has another number of slots", |all| all[4].slots = 3),
        ("workload 3 has the partner 4, which has another random stream", |all| all[4].stream = 2),
        ("workload 3 has the partner 4, which has not the same paths in exchange", |all| {
            all[4].paths[0].forward = 0;
        }),
        ("workloads 2 and 7 have the same random stream, 0", |all| all[7].stream = 0),
    ];
    for (fault, wrong) in broken {
        let mut workloads = arranged(mixed());
        wrong(&mut workloads);
        assert_eq!(check(&workloads), Err(fault.to_owned()));
    }
    let mut workloads = arranged(mixed());
    workloads[7].first_user = 16;
    assert_eq!(check(&workloads), Err("workloads 6 and 7 have the same user, 16".to_owned()));
}
