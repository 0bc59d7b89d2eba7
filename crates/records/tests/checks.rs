// SPDX-License-Identifier: Apache-2.0
//! Truth: rule. The sanity section answers its questions from the records alone, and only if they arise.

use crate::support::{
    self, {at_ms, records},
};
use narrows_records::{Check, Level, LinkDescription, Records, RunDescription, checks};
use narrows_units::Span;

/// The check `name` of the hand-made records after `change`.
fn check(name: &str, change: fn(&mut Records)) -> Check {
    let mut records = records();
    change(&mut records);
    checks(&records).into_iter().find(|check| check.name == name).expect("the question is asked")
}

fn ok(name: &str, change: fn(&mut Records)) -> Option<bool> {
    check(name, change).ok
}

fn level(name: &str, change: fn(&mut Records)) -> Option<Level> {
    check(name, change).level
}

#[test]
fn the_checks_stand_in_their_order() {
    let mut records = records();
    records.run.warmup_found = Some(true);
    let names: Vec<_> = checks(&records).iter().map(|check| check.name).collect();
    assert_eq!(
        names,
        [
            "bottleneck saturated",
            "buffer ever full",
            "ECN used",
            "routers answer requests",
            "senders limited by congestion control",
            "connections opened",
            "long enough to measure",
            "packets conserved",
            "packet log complete",
            "warm-up found",
        ]
    );
}

#[test]
fn a_bottleneck_is_saturated_from_95_percent_on() {
    let name = "bottleneck saturated";
    let check = check(name, unprovoked);
    assert_eq!(
        (check.ok, check.detail.as_str()),
        (Some(false), "bottleneck was used at 80.0 % of its capacity")
    );
    assert_eq!(ok(name, |records| records.links[0].sent_bits = 95e6), Some(true));
    assert_eq!(
        ok(name, |records| records.run.groups.iter_mut().for_each(|group| group.bottleneck = None)),
        None
    );
    assert_eq!(
        ok(name, |records| (records.links[0].sent_bits, records.links[0].offered_bits) = (0.0, 0.0)),
        None
    );
    assert_eq!(ok(name, |records| records.links.clear()), None);
}

/// A second bottleneck, for the group at `index`, with this much sent of 100 Mbit.
fn second_bottleneck(records: &mut Records, index: usize, sent_bits: f64) {
    records.run.groups[index].bottleneck = Some(1);
    records.run.links.push(LinkDescription { name: "second".into(), limited: true, ..Default::default() });
    records.links.push(narrows_records::LinkRecord { sent_bits, ..support::link() });
}

#[test]
fn the_least_used_bottleneck_of_greedy_groups_is_judged() {
    let name = "bottleneck saturated";
    let finite = check(name, |records| second_bottleneck(records, 1, 1e6));
    assert!(finite.detail.starts_with("bottleneck was used at 80.0 %"), "{finite:?}");
    let greedy = check(name, |records| {
        records.run.groups[1].finite = false;
        second_bottleneck(records, 1, 1e6);
    });
    assert!(greedy.detail.starts_with("second was used at 1.0 %"), "{greedy:?}");
    assert!((greedy.shortfall + 0.01).abs() < 1e-12, "{greedy:?}");
}

/// No packet of any flow was lost or marked.
fn unprovoked(records: &mut Records) {
    records.groups.iter_mut().for_each(|group| (group.lost, group.marked) = (0, 0));
}

#[test]
fn an_idle_bottleneck_is_a_caution_only_where_nothing_that_is_known_explains_it() {
    let name = "bottleneck saturated";
    assert_eq!(level(name, unprovoked), Some(Level::Caution));
    let responded = check(name, |_| ());
    assert_eq!((responded.ok, responded.level), (Some(false), Some(Level::Note)));
    assert!(
        responded.detail.ends_with("; its flows responded to packets that were lost or marked"),
        "{responded:?}"
    );
    assert_eq!(level(name, |records| records.links[0].sent_bits = 99e6), None);
    assert_eq!(level(name, |records| records.run.groups[0].source_limited = true), Some(Level::Note));
    let ends = check(name, |records| records.run.groups[0].finite = true);
    assert_eq!(ends.level, Some(Level::Note));
    assert!(ends.detail.ends_with("; no group of flows always has data to send over it"), "{ends:?}");
    // The direction that is full holds back the acknowledgements of the other.
    let unequal = check(name, |records| {
        unprovoked(records);
        records.run.groups[1].finite = false;
        second_bottleneck(records, 1, 99e6);
    });
    assert_eq!(unequal.level, Some(Level::Note));
    assert!(unequal.detail.ends_with("; second was used at 99.0 %"), "{unequal:?}");
}

#[test]
fn a_policed_link_is_judged_by_the_rate_of_its_policer() {
    let name = "bottleneck saturated";
    // 80 of 100 Mbit were sent in ten seconds.
    let filled = check(name, |records| records.run.links[0].policed_bps = Some(8e6));
    assert_eq!((filled.ok, filled.level), (Some(true), None));
    assert_eq!(filled.detail, "bottleneck was used at 100.0 % of the rate of its policer");
    let half = check(name, |records| {
        records.run.links[0].policed_bps = Some(9e6);
        records.links[0].sent_bits = 45e6;
    });
    assert_eq!((half.ok, half.level), (Some(false), Some(Level::Note)), "the scenario explains it");
    // One that is faster than the link does nothing.
    let idle = check(name, |records| {
        unprovoked(records);
        records.run.links[0].policed_bps = Some(1e12);
    });
    assert_eq!(idle.level, Some(Level::Caution));
    assert!(idle.detail.ends_with("of its capacity"), "{idle:?}");
}

#[test]
fn flows_that_fill_their_access_links_are_limited_by_them() {
    let name = "senders limited by congestion control";
    let filled = check(name, |records| {
        records
            .groups
            .iter_mut()
            .for_each(|group| group.at_end.otherwise_limited = group.at_warmup.otherwise_limited);
        let sums = &mut records.groups[0].connections;
        (sums.access_bits, sums.access_offered_bits) = (96, 100);
        // Of 1000 packets.
        sums.access_wait_ns = 629_000_000_000;
    });
    assert_eq!((filled.ok, filled.level), (Some(false), Some(Level::Caution)), "{filled:?}");
    assert!(filled.detail.contains("stays are limited by their own access links"), "{filled:?}");
    assert!(filled.detail.contains("in which packets wait 629.0 ms on average"), "{filled:?}");
    let nearly = check(name, |records| {
        records
            .groups
            .iter_mut()
            .for_each(|group| group.at_end.otherwise_limited = group.at_warmup.otherwise_limited);
        let sums = &mut records.groups[0].connections;
        (sums.access_bits, sums.access_offered_bits) = (94, 100);
    });
    assert_eq!(nearly.ok, Some(true), "{nearly:?}");
}

#[test]
fn a_buffer_is_full_when_a_packet_finds_no_room() {
    let name = "buffer ever full";
    let full = check(name, |_| ());
    assert_eq!(
        (full.ok, full.detail.as_str()),
        (Some(true), "30 packets found the buffer of bottleneck full; at most 40 waited")
    );
    let kept =
        check(name, |records| records.links[0].at_end.overflowed = records.links[0].at_warmup.overflowed);
    assert_eq!(kept.ok, None, "a queue that drops early is there to keep its buffer from filling");
    assert!(kept.detail.contains("before it was full"), "{kept:?}");
    assert_eq!(ok(name, |records| records.run.links[0].limited = false), None);
    let empty = |records: &mut Records| {
        let link = &mut records.links[0];
        link.at_end.overflowed = link.at_warmup.overflowed;
        (link.at_end.dropped_early, link.at_end.marked) =
            (link.at_warmup.dropped_early, link.at_warmup.marked);
    };
    assert_eq!((ok(name, empty), level(name, empty)), (Some(false), Some(Level::Note)));
    let second = check(name, |records| {
        records.links[0].at_end.overflowed = records.links[0].at_warmup.overflowed;
        second_bottleneck(records, 1, 1e6);
    });
    assert!(second.ok == Some(true) && second.detail.contains("the buffer of second"), "{second:?}");
}

#[test]
fn ecn_is_used_by_groups_of_every_kind() {
    let name = "ECN used";
    assert_eq!(ok(name, |_| ()), None);
    assert_eq!(ok(name, |records| records.run.groups[1].ecn = true), Some(true));
    let unmarked = |records: &mut Records| {
        records.run.groups[1].ecn = true;
        records.groups.iter_mut().for_each(|group| group.marked = 0);
    };
    assert_eq!((ok(name, unmarked), level(name, unmarked)), (Some(false), Some(Level::Caution)));
    let by_red = check(name, |records| {
        records.run.groups[1].ecn = true;
        records.groups.iter_mut().for_each(|group| group.marked = 0);
        records.run.links[0].queue = "red".to_owned();
    });
    assert!(by_red.detail.ends_with("the queue that marks from one threshold on is step"), "{by_red:?}");
    let without_losses = |records: &mut Records| {
        records.run.groups[1].ecn = true;
        records.groups.iter_mut().for_each(|group| (group.marked, group.lost) = (0, 0));
    };
    assert_eq!((ok(name, without_losses), level(name, without_losses)), (Some(false), Some(Level::Note)));
}

#[test]
fn a_group_without_the_ecn_that_it_asked_for_is_not_what_the_scenario_describes() {
    let name = "ECN used";
    let some = |records: &mut Records| {
        records.run.groups[1].ecn = true;
        records.groups[1].at_end.lacking_ecn = 1;
    };
    assert_eq!((ok(name, some), level(name, some)), (Some(false), Some(Level::Caution)));
    let all = |records: &mut Records| {
        records.run.groups[1].ecn = true;
        records.groups[1].at_end.lacking_ecn = records.groups[1].at_end.established;
    };
    assert_eq!((ok(name, all), level(name, all)), (Some(false), Some(Level::Broken)));
}

#[test]
fn a_request_needs_a_queue_that_answers_it() {
    let name = "routers answer requests";
    assert_eq!(ok(name, |_| ()), None);
    assert_eq!(ok(name, |records| records.run.groups[1].asks = Some("droptail")), Some(true));
    let alone = check(name, |records| records.run.groups[1].asks = Some("xcp"));
    assert_eq!((alone.ok, alone.level), (Some(false), Some(Level::Broken)));
    assert!(alone.detail.contains("comes"), "{alone:?}");
    let nowhere = |records: &mut Records| {
        records.run.groups[1].asks = Some("xcp");
        records.run.groups[1].bottleneck = None;
    };
    assert_eq!(ok(name, nowhere), Some(false));
}

#[test]
fn senders_of_every_group_count_for_what_held_them_back() {
    let name = "senders limited by congestion control";
    assert_eq!(ok(name, |_| ()), Some(true));
    assert_eq!(ok(name, |records| records.groups[1].at_end.otherwise_limited += 60), Some(false));
    assert_eq!(ok(name, |records| records.groups.clear()), None);
}

#[test]
fn a_source_may_limit_its_own_group_and_no_other() {
    let name = "senders limited by congestion control";
    let held = |group: usize, source_limited: bool| {
        let mut records = records();
        records.run.groups[1].source_limited = source_limited;
        records.groups[group].at_end.otherwise_limited += 100;
        checks(&records).into_iter().find(|check| check.name == name).expect("the question is asked").level
    };
    assert_eq!(held(1, false), Some(Level::Caution));
    assert_eq!(held(1, true), Some(Level::Note));
    assert_eq!(held(0, true), Some(Level::Caution));
}

#[test]
fn every_connection_is_to_be_opened() {
    let name = "connections opened";
    let all = check(name, |_| ());
    assert_eq!((all.ok, all.detail.as_str()), (Some(true), "16 of 16 connections were opened; 0 failed"));
    assert_eq!(ok(name, |records| records.groups[0].at_end.failed = 1), Some(false));
    assert_eq!(ok(name, |records| records.groups[1].at_end.failed = 1), Some(false));
    assert_eq!(level(name, |records| records.groups[1].at_end.failed = 1), Some(Level::Caution));
    let silent = |records: &mut Records| {
        (records.groups[1].at_warmup.established, records.groups[1].at_end.established) = (0, 0);
    };
    assert_eq!(level(name, silent), Some(Level::Broken));
    assert_eq!(ok(name, |records| records.groups[0].at_end.started += 1), Some(false));
}

#[test]
fn the_end_of_a_run_may_come_while_a_finite_flow_connects() {
    let name = "connections opened";
    let connecting = |group: usize, established: u64| {
        let mut records = records();
        records.groups[group].series[5].connecting = 1;
        records.groups[group].at_warmup.established = 0;
        records.groups[group].at_end.established = established;
        records.groups[group].at_end.started = established + 1;
        records.groups[group].at_warmup.started = 0;
        checks(&records).into_iter().find(|check| check.name == name).expect("the question is asked")
    };
    let last = connecting(1, 8);
    assert_eq!(last.ok, Some(true));
    assert!(last.detail.ends_with("; 1 were being opened when the run ended"), "{last:?}");
    assert_eq!(connecting(0, 8).ok, Some(false));
    assert_eq!(connecting(1, 0).ok, Some(false));
}

#[test]
fn an_endless_flow_that_cuts_its_window_is_to_do_so_three_times() {
    let name = "long enough to measure";
    assert_eq!(ok(name, |_| ()), Some(true));
    assert_eq!(ok(name, |records| records.connections[1].reductions = 2), Some(false));
    let short =
        |records: &mut Records| (records.connections[1].reductions, records.connections[1].lost) = (2, 1);
    assert_eq!(level(name, short), Some(Level::Caution));
    let unprovoked = check(name, |records| {
        let flow = &mut records.connections[1];
        (flow.reductions, flow.lost, flow.marked) = (0, 0, 0);
    });
    assert_eq!(unprovoked.level, Some(Level::Note));
    assert!(
        unprovoked.detail.ends_with("had 0, as none of its packets was lost or marked"),
        "{unprovoked:?}"
    );
    assert_eq!(
        ok(name, |records| records.connections.iter_mut().for_each(|flow| flow.cuts_window = false)),
        None
    );
}

#[test]
fn a_packet_log_is_complete_unless_it_was_full() {
    let name = "packet log complete";
    assert_eq!(ok(name, |_| ()), Some(true));
    let full = check(name, |records| records.packets.full_at = Some(at_ms(500)));
    assert_eq!(full.ok, Some(false));
    assert_eq!(full.detail, "record.packet_limit = 100 was reached: 1 entries, the last before 0.5 s");
    let unlogged = Records { run: RunDescription::default(), ..records() };
    assert!(checks(&unlogged).iter().all(|check| check.name != name));
}

#[test]
fn a_full_log_of_events_is_noted_and_fails_nothing() {
    let name = "event log complete";
    assert!(checks(&records()).iter().all(|check| check.name != name));
    let full = check(name, |records| records.events.full_at = Some(at_ms(500)));
    assert_eq!((full.ok, full.level), (Some(false), Some(Level::Note)));
    assert_eq!(full.detail, "record.event_limit = 100 was reached: 2 entries, the last before 0.5 s");
}

#[test]
fn a_warm_up_that_was_looked_for_was_found_or_not() {
    let name = "warm-up found";
    let found = check(name, |records| records.run.warmup_found = Some(true));
    assert_eq!((found.ok, found.detail.as_str()), (Some(true), "it was over after 2s"));
    let not = check(name, |records| {
        records.run.warmup_found = Some(false);
        records.run.warmup = Span::from_ms(6000);
    });
    assert_eq!(not.ok, Some(false));
    assert_eq!(not.detail, "the run did not settle in its first half; measured from 6s on");
}

/// A backend that fills little: the questions are asked, and most have no answer.
#[test]
fn records_that_hold_nothing_answer_nothing() {
    let described = Records { run: records().run, ..Records::default() };
    for records in [Records::default(), described] {
        for check in checks(&records) {
            let answered = ["connections opened", "packet log complete"].contains(&check.name);
            assert_eq!(check.ok, answered.then_some(true), "{check:?}");
        }
    }
}

#[test]
fn what_was_assumed_is_a_caution_and_listed() {
    let name = "files say everything";
    let listed = |records: &mut Records| {
        records.run.assumed = vec!["rate 1Gbps assumed: a to b".into(), "x".repeat(300)];
    };
    let found = check(name, listed);
    assert_eq!((found.ok, found.level), (Some(false), Some(Level::Caution)));
    assert!(
        found.detail.starts_with("rate 1Gbps assumed: a to b; xxx") && found.detail.ends_with('…'),
        "{found:?}"
    );
    assert!(checks(&records()).iter().all(|each| each.name != name));
}

#[test]
fn a_flow_that_starts_long_after_the_warm_up_is_named() {
    let name = "flows present throughout";
    assert!(checks(&records()).iter().all(|each| each.name != name));
    let late = check(name, |records| {
        records.run.warmup = Span::from_ms(2000);
        records.run.duration = Span::from_ms(10_000);
        records.connections[0].size = None;
        records.connections[0].started = Some(at_ms(6000));
    });
    assert_eq!((late.ok, late.level), (Some(false), Some(Level::Note)));
    assert!(late.detail.contains("started 4.0 s after the warm-up"), "{late:?}");
    assert!(
        late.detail.ends_with("over all 8.0 s; over the time since its start they are 2.00 times as much"),
        "{late:?}"
    );
}
