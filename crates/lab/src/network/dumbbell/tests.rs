//! Rule: links and routes of a dumbbell; a flow's two-way propagation delay is exactly its round trip.

use super::{Direction, Dumbbell};
use crate::algorithm::Control;
use crate::model::{RateModel, SourceModel, Start};
use crate::network::{Course, Group, Layout};
use crate::traffic::{Distribution, Spans};
use narrows_cc::catalogue::{Algorithm, FirstCut, SlowStartKind};
use narrows_qdisc::{Discipline, Limit, droptail};
use narrows_transport::{RecoveryKind, RtoRule, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span};
use proptest::prelude::*;

fn dumbbell(delay: Span) -> Dumbbell {
    let direction = Direction {
        rate: RateModel::Constant(Rate::from_bps(1_000_000)),
        queue: Discipline::DropTail(droptail::Config { limit: Limit::Packets(10) }),
        loss: None,
    };
    Dumbbell {
        forward: direction.clone(),
        reverse: direction,
        delay,
        access_rate: Rate::from_bps(10_000_000),
    }
}

fn group(rtt: Span, count: u64, reverse: bool) -> Group {
    Group {
        name: "cubic".into(),
        algorithm: Control::Listed(Algorithm::parse("cubic").expect("the catalogue has it")),
        subject: false,
        count,
        transfers: None,
        start: Start::At(Span::ZERO),
        source: SourceModel::Bulk,
        size: None,
        rtt: Spans(Distribution::Constant(rtt.as_secs_f64())),
        course: if reverse { Course::Reverse } else { Course::Forward },
        transport: options(),
        send_delay: Span::ZERO,
    }
}

fn options() -> TransportOptions {
    TransportOptions {
        recovery: RecoveryKind::Sack,
        proportional_rate_reduction: false,
        limited_transmit: true,
        initial_window: 10,
        initial_ssthresh: None,
        slow_start: SlowStartKind::Standard,
        quick_start: None,
        first_cut: FirstCut::Rule,
        receive_window: None,
        undo: UndoKind::Duplicates,
        idle_restart: true,
        pacing: false,
        ecn: false,
        mss: Bytes::new(1460),
        header: Bytes::new(40),
        ack: Bytes::new(40),
        delayed_ack: 2,
        delayed_ack_timeout: Span::from_ms(40),
        quick_ack: false,
        rto: RtoRule::Rfc6298,
        initial_rto: Span::from_ms(1000),
        min_rto: Span::from_ms(200),
        max_rto: Span::from_ms(60_000),
        syn_retries: 6,
        retries: 15,
    }
}

fn propagation(layout: &Layout, flow: usize) -> Span {
    let flow = &layout.flows[flow];
    let links = flow.outward.iter().chain(&flow.homeward);
    links.fold(Span::ZERO, |sum, link| sum + layout.links[*link as usize].delay)
}

#[test]
fn data_and_acknowledgements_cross_the_bottleneck_in_opposite_directions() {
    let groups = [group(Span::from_ms(40), 2, false), group(Span::from_ms(80), 1, true)];
    let layout = dumbbell(Span::from_ms(16)).layout(&groups);
    assert_eq!((layout.links.len(), layout.flows.len()), (2 + 3 * 4, 3));
    assert_eq!((layout.flows[0].outward[1], layout.flows[0].homeward[1]), (0, 1));
    assert_eq!((layout.flows[2].outward[1], layout.flows[2].homeward[1]), (1, 0));
    assert_eq!((layout.groups[0].bottleneck, layout.groups[1].bottleneck), (Some(0), Some(1)));
    assert_eq!(layout.links[6].name, "cubic[1] from sender");
}

#[test]
fn every_flow_has_access_links_of_its_own() {
    let layout = dumbbell(Span::from_ms(1)).layout(&[group(Span::from_ms(40), 3, false)]);
    let mut used: Vec<u32> = layout
        .flows
        .iter()
        .flat_map(|flow| [flow.outward[0], flow.outward[2], flow.homeward[0], flow.homeward[2]])
        .collect();
    used.sort_unstable();
    assert_eq!(used, (2..14).collect::<Vec<_>>());
    assert!(used.iter().all(|link| layout.links[*link as usize].access));
}

proptest! {
    #[test]
    fn no_picosecond_of_a_round_trip_is_lost(delay in 0_u64..1_000_000, rest in 0_u64..1_000_000) {
        let rtt = Span::from_ps(2 * delay + rest);
        let layout = dumbbell(Span::from_ps(delay)).layout(&[group(rtt, 1, false)]);
        prop_assert_eq!(propagation(&layout, 0), rtt);
    }
}
