// SPDX-License-Identifier: Apache-2.0
//! Rule: links, routes and connection slots of a dumbbell.

use super::{Direction, Dumbbell};
use crate::{Group, Placement, slots};
use narrows_cc::Algorithm;
use narrows_model::algorithm::Control;
use narrows_model::traffic::{Distribution, Spans};
use narrows_model::{Demand, KeyPath, RateModel, SourceModel, Start};
use narrows_qdisc::{Limit, droptail};
use narrows_transport::TransportOptions;
use narrows_units::{Rate, Span};

fn dumbbell(delay: Span) -> Dumbbell {
    let direction = Direction {
        rate: RateModel::Constant(Rate::from_bps(1_000_000)),
        framing: None,
        queue: droptail::with_limit(Limit::Packets(10)),
        queue_key: KeyPath::new("path.queue"),
        loss: None,
        impairments: Vec::new(),
    };
    Dumbbell {
        forward: direction.clone(),
        reverse: direction,
        delay,
        access_rate: Rate::from_bps(10_000_000),
    }
}

fn group(rtt: Span, count: u32, reverse: bool) -> Group {
    Group {
        name: "cubic".into(),
        algorithm: Control::Listed(Algorithm::parse("cubic").expect("the catalogue has it")),
        program: None,
        subject: false,
        demand: Demand::Fixed { start: Start::At(Span::ZERO), stop: None, source: SourceModel::Bulk },
        slots: count,
        surges: Vec::new(),
        size: None,
        rtt: Spans(Distribution::Constant(rtt.as_secs_f64())),
        placement: if reverse { Placement::Reverse } else { Placement::Forward },
        further: Vec::new(),
        transport: TransportOptions::default(),
        send_delay: Span::ZERO,
    }
}

#[test]
fn data_and_acknowledgements_cross_the_bottleneck_in_opposite_directions() {
    let groups = [group(Span::from_ms(40), 2, false), group(Span::from_ms(80), 1, true)];
    let layout = dumbbell(Span::from_ms(16)).layout(&groups);
    assert_eq!((layout.links.len(), layout.workloads.len()), (2, 2));
    let routes = |workload: usize| {
        let path = &layout.workloads[workload].paths[0];
        (layout.routes[path.forward as usize].clone(), layout.routes[path.reverse as usize].clone())
    };
    assert_eq!((routes(0), routes(1)), ((vec![0], vec![1]), (vec![1], vec![0])));
    assert_eq!((layout.groups[0].bottleneck, layout.groups[1].bottleneck), (Some(0), Some(1)));
}

#[test]
fn every_flow_has_a_connection_slot_of_its_own() {
    let groups = [group(Span::from_ms(40), 3, false), group(Span::from_ms(40), 2, false)];
    let layout = dumbbell(Span::from_ms(1)).layout(&groups);
    assert!(layout.workloads.iter().all(|workload| workload.individual));
    assert_eq!(layout.workloads.iter().map(|workload| workload.slots).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(slots(&groups.map(|group| (u64::from(group.slots), true))), [0..3, 3..5]);
}
