// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. Every metric of a group and of a link, computed on paper from counts made by hand.

use crate::support::records;
use narrows_records::metrics::{self, MetricValues, group_metrics, link_metrics};
use narrows_records::{FrameCounts, GroupRecord, LinkRecord, Records, RunDescription};
use narrows_units::Span;

/// 1,000 packets, 1.5 MB sent and 1.25 MB delivered in 10 s; flows of 1 MB and 3 MB.
const OF_GROUP: &[(&str, f64)] = &[
    ("goodput_bps", 1e6),
    ("goodput_fraction", 0.1),
    ("throughput_bps", 1.2e6),
    ("jain", 0.8),
    ("range_fairness", 1.0),
    ("min_max", 1.0 / 3.0),
    ("product", 0.75),
    ("power", 50e6),
    ("loss_rate", 0.01),
    ("mark_rate", 0.02),
    ("retransmission_rate", 0.05),
    ("timeouts", 3.0),
    ("loss_events", 20.0),
    ("loss_event_rate", 0.02),
    ("buffer_share", 0.75),
    // 12 of 200 Mbit; 1.5 s of waiting of 1,000 packets in 10 s.
    ("access_utilization", 0.06),
    ("access_queue_delay_mean_s", 0.0015),
    ("access_queue_mean_packets", 0.15),
    ("ack_compression", 0.25),
    ("rtt_mean_s", 0.025),
    ("rtt_p50_s", 0.02),
    ("rtt_p95_s", 0.03),
    ("rtt_p99_s", 0.03),
    ("delay_mean_s", 0.02),
    ("delay_p50_s", 0.01),
    ("delay_p95_s", 0.03),
    ("delay_p99_s", 0.03),
    ("cwnd_mean_packets", 10.0),
    ("cwnd_peak_packets", 25.0),
    ("cwnd_before_reduction_packets", 18.0),
    ("reduction_interval_s", 1.5),
    ("reductions", 5.0),
    ("started_flows", 4.0),
    ("completed_flows", f64::NAN),
    ("failed_flows", 0.0),
    ("abandoned_flows", f64::NAN),
    ("refused_flows", f64::NAN),
    // Of the six samples the last five end after the warm-up: 0, 1, 0, 1, 0 and 3 to 7.
    ("connecting_flows", 0.4),
    ("active_flows", 5.0),
    // 8 Mbit in 0.5 s and in 1 s.
    ("flow_goodput_bps", 12e6),
    ("completion_time_s", 0.75),
    ("completion_time_p50_s", 0.5),
    ("completion_time_p95_s", 1.0),
    ("completion_time_p99_s", 1.0),
    ("slowdown", 3.0),
    // Segments of 2 s at 1 and at 3 Mbps, of which 3 s were played, with a stall of 1 s.
    ("video_bitrate_bps", 2e6),
    ("bitrate_switches", 1.0),
    ("stalls", 1.0),
    ("stall_share", 0.25),
    ("startup_delay_s", 0.5),
    ("loaded_pages", 2.0),
    ("page_load_time_s", 2.0),
    ("page_load_time_p50_s", 1.0),
    ("page_load_time_p95_s", 3.0),
    // On separate connections 20, 30 and 40 ms: 2000 a minute; on load-generating ones 25 ms: 2400.
    ("responsiveness_rpm", 2200.0),
    // Two frames at 1 and 3 Mbps, received after 50 and, too late, 150 ms; two skipped.
    ("frame_bitrate_bps", 2e6),
    ("frame_delay_s", 0.1),
    ("frame_delay_p95_s", 0.15),
    ("missed_frame_share", 0.75),
    ("late_frame_share", 0.25),
    ("skipped_frame_share", 0.5),
    ("reset_stream_bytes", 700.0),
];

/// What differs of a finite group: counts that say nothing of endless flows, and its share of the buffer.
const OF_FINITE: &[(&str, f64)] =
    &[("completed_flows", 2.0), ("abandoned_flows", 1.0), ("refused_flows", 1.0), ("buffer_share", 0.25)];

const OF_LINK: &[(&str, f64)] = &[
    ("utilization", 0.8),
    ("rate_bps", 8e6),
    ("capacity_bps", 10e6),
    ("loss_rate", 0.05),
    ("random_loss_rate", 0.01),
    ("mark_rate", 0.02),
    ("queue_mean_packets", 7.0),
    ("queue_mean_bytes", 9000.0),
    ("queue_peak_packets", 40.0),
    ("queue_delay_mean_s", 0.01),
    ("queue_delay_p50_s", 0.005),
    ("queue_delay_p95_s", 0.015),
    ("queue_delay_p99_s", 0.015),
    ("loss_episodes", 4.0),
    // 2.5 in an episode, of 8 that started and half of 5 that were active.
    ("loss_synchronisation", 2.5 / 10.5),
    ("dropped_packets", 50.0),
    ("marked_packets", 20.0),
];

#[track_caller]
fn assert_values(of: &MetricValues, expected: &[(&str, f64)]) {
    let names = |values: &[(&'static str, f64)]| values.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    assert_eq!(names(&of.values), expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((name, got), (_, expected)) in of.values.iter().zip(expected) {
        // Percentiles and trimmed means are computed from buckets.
        let of_buckets = name.contains("_p") || *name == "responsiveness_rpm";
        let near = (got - expected).abs() <= expected.abs() * if of_buckets { 0.008 } else { 1e-9 };
        assert!(near || got.is_nan() && expected.is_nan(), "{name} of {}: {got} for {expected}", of.name);
    }
}

#[test]
fn every_metric_of_an_endless_group_is_the_one_of_its_definition() {
    let groups = group_metrics(&records());
    assert_eq!((groups[0].name.as_str(), groups[0].flows), ("stays", Some(2)));
    assert_values(&groups[0], OF_GROUP);
}

#[test]
fn a_finite_group_has_the_same_metrics_from_the_same_definitions() {
    let groups = group_metrics(&records());
    assert_eq!((groups[1].name.as_str(), groups[1].flows), ("comes", None));
    let different = |name: &str| OF_FINITE.iter().find(|(this, _)| *this == name);
    let expected: Vec<_> = OF_GROUP.iter().map(|each| *different(each.0).unwrap_or(each)).collect();
    assert_values(&groups[1], &expected);
}

#[test]
fn a_share_of_counted_things_is_a_whole_number_of_them() {
    let (groups, links) = (group_metrics(&records()), link_metrics(&records()));
    let mut counted = Vec::new();
    for of in [&groups[0], &links[0]] {
        for ((name, value), trials) in
            of.values.iter().zip(&of.trials).filter(|(_, trials)| trials.is_finite())
        {
            let events = value * trials;
            assert!((events - events.round()).abs() < 1e-9, "{name}: {events}");
            counted.push((*name, *trials));
        }
    }
    let packets = |name| (name, 1_000.0);
    let of_group = ["loss_rate", "mark_rate", "retransmission_rate", "loss_event_rate"].map(packets);
    let frames = ["missed_frame_share", "late_frame_share", "skipped_frame_share"].map(|name| (name, 4.0));
    assert_eq!(counted[..4], of_group);
    assert!(frames.iter().all(|each| counted.contains(each)), "{counted:?}");
    assert_eq!(
        counted
            .iter()
            .filter(|(name, _)| ["loss_rate", "random_loss_rate", "mark_rate"].contains(name))
            .count(),
        5
    );
}

#[test]
fn a_time_that_ends_in_the_run_is_no_longer_than_the_run() {
    let records = records();
    let run_s = records.run.duration.as_secs_f64();
    let group = &group_metrics(&records)[0];
    for ((name, value), most) in
        group.values.iter().zip(&group.most).filter(|((name, _), _)| name.ends_with("_s"))
    {
        let counted_as_it_begins = *name == "access_queue_delay_mean_s";
        let expected = if counted_as_it_begins { f64::INFINITY } else { run_s };
        assert_eq!(most.to_bits(), f64::to_bits(expected), "{name}");
        assert!(value.is_nan() || value <= most, "{name}: {value}");
    }
}

#[test]
fn every_metric_of_a_link_is_the_one_of_its_definition() {
    assert_values(&link_metrics(&records())[0], OF_LINK);
}

#[test]
fn the_share_of_endless_flows_that_lose_is_an_exact_quotient_of_counts() {
    let mut records = records();
    records.run.links[0].crossed_by = vec![(0, 1.0)];
    records.groups[0].at_end.started = 7;
    let got = link_metrics(&records)[0].value("loss_synchronisation");
    assert_eq!(got.to_bits(), (10.0_f64 / 4.0 / 7.0).to_bits());
    // Data that was rerouted over the link is of no group that is described to cross it.
    records.run.links[0].crossed_by.clear();
    let got = link_metrics(&records)[0].value("loss_synchronisation");
    assert!(got.is_infinite() && got > 0.0, "{got}");
}

/// A group whose packets share no link has no bottleneck to compare with; one outside the records has nothing.
#[test]
fn a_metric_without_data_is_not_a_number() {
    let mut records = records();
    records.run.groups[0].bottleneck = None;
    let groups = group_metrics(&records);
    assert!(groups[0].value("goodput_fraction").is_nan() && groups[0].value("buffer_share").is_nan());
    assert!(groups[0].value("no such metric").is_nan());
    records.groups[0] = GroupRecord::default();
    let groups = group_metrics(&records);
    for name in
        ["jain", "min_max", "product", "loss_rate", "rtt_mean_s", "rtt_p50_s", "power", "active_flows"]
    {
        assert!(groups[0].value(name).is_nan(), "{name}");
    }
}

#[test]
fn what_was_described_and_not_recorded_has_no_value_in_any_metric() {
    let bare = Records { run: RunDescription { ..records().run }, ..Records::default() };
    for each in group_metrics(&bare).iter().chain(&link_metrics(&bare)) {
        assert!(each.values.iter().all(|(_, value)| value.is_nan()), "{each:?}");
    }
    let with_default =
        Records { groups: vec![GroupRecord::default(); 2], links: vec![LinkRecord::default()], ..bare };
    assert_eq!(group_metrics(&with_default)[0].values.len(), metrics::of_groups().count());
    assert!(link_metrics(&with_default)[0].value("utilization").is_nan());
    assert!(group_metrics(&Records::default()).is_empty() && link_metrics(&Records::default()).is_empty());
}

/// Three frames in time, one late that was received, two that were missing at their deadlines, one of which was received later.
#[test]
fn a_frame_that_was_missing_counts_once_however_late_it_comes() {
    let mut frames = FrameCounts::default();
    for delay in [20, 30, 40] {
        frames.add_received(Span::from_ms(delay), false);
    }
    frames.add_received(Span::from_ms(150), true);
    frames.add_missing();
    frames.add_missing();
    assert_eq!((frames.known(), frames.late), (6, 3));
    frames.add_overdue(Span::from_ms(300));
    assert_eq!((frames.known(), frames.late, frames.delays.total()), (6, 3, 5));
}
