// SPDX-License-Identifier: Apache-2.0
//! Contract: what each key of the file becomes in the model.

use super::{EXAMPLE, LEAST, good, good_with};
use narrows_cc::{AckCounting, FirstCut, SlowStartKind};
use narrows_model::{Counted, Demand, LinkModel, LossModel, RateModel, Selection, Start};
use narrows_qdisc::{Classes, Discipline, Limit, Unit, droptail};
use narrows_transport::{ForwardRtoKind, RecoveryKind, RtoRestart, RtoRule, TransportOptions};
use narrows_units::{Bytes, Rate, Span};

fn limit(text: &str) -> Limit {
    let set = format!("path.queue.limit={text}");
    let model = good_with(LEAST, &[&set]).model;
    droptail::limit_of(&model.links[0].queue).expect("it is DropTail")
}

fn early(sets: &[&str]) -> Discipline {
    let all: Vec<&str> = ["path.queue.kind=red"].iter().chain(sets).copied().collect();
    let queue = good_with(LEAST, &all).model.links[0].queue.clone();
    assert_eq!(queue.name(), "red");
    queue
}

fn rate(table: &str) -> RateModel {
    let set = format!("path.rate={table}");
    good_with(LEAST, &[&set]).model.links[0].rate.clone()
}

#[test]
fn the_documented_example_loads_as_it_says() {
    let scenario = good(EXAMPLE);
    let model = &scenario.model;
    assert_eq!(model.duration, Span::from_ms(60_000));
    assert_eq!(model.warmup, Span::from_ms(10_000));
    assert_eq!((model.slots(), model.groups.len(), model.links.len()), (3, 2, 2));
    assert_eq!((model.groups[0].name.as_str(), model.groups[1].name.as_str()), ("cubic", "reno"));
    assert_eq!(model.groups[1].rtt, Span::from_ms(80));
    assert_eq!(model.workloads[1].transport.recovery, RecoveryKind::NewReno);
    assert_eq!(model.workloads[0].transport.mss, Bytes::new(1460));
    assert!(matches!(model.links[0].rate, RateModel::Constant(rate) if rate == Rate::from_bps(100_000_000)));
    let expected = droptail::with_limit(Limit::Bytes(500_000));
    assert_eq!(model.links[0].queue, expected);
    assert_eq!(scenario.replications, 1);
    assert_eq!(scenario.replications_written, None);
}

#[test]
fn a_group_of_no_flows_is_left_out() {
    let without = good_with(EXAMPLE, &["flows.cubic.count=0"]).model;
    assert_eq!(without.groups.len(), 1);
    assert_eq!(without.groups[0].name, "reno");
    assert_eq!((without.slots(), without.links.len()), (1, 2));
}

#[test]
fn the_least_scenario_has_the_documented_defaults() {
    let model = good(LEAST).model;
    let transport = &model.workloads[0].transport;
    assert_eq!((model.title.as_str(), model.seed, model.warmup), ("test", 1, Span::ZERO));
    assert_eq!(model.links[0].queue, droptail::with_limit(Limit::Bytes(100_000)));
    assert_eq!(model.links[1].queue, droptail::with_limit(Limit::Unlimited));
    assert!(matches!(model.workloads[0].demand, Demand::Fixed { start: Start::At(Span::ZERO), .. }));
    assert_eq!(model.workloads[0].size, None);
    let modern = TransportOptions {
        recovery: RecoveryKind::Rack,
        proportional_rate_reduction: true,
        slow_start: SlowStartKind::HyStartPlusPlus,
        ack_counting: AckCounting::Mixed,
        frto: ForwardRtoKind::Rfc5682,
        rto_restart: RtoRestart::Head,
        ..TransportOptions::default()
    };
    assert_eq!(**transport, modern);
    let before = good_with(LEAST, &["transport.preset=sack-2012"]).model;
    let sack = TransportOptions { ack_counting: AckCounting::Mixed, ..TransportOptions::default() };
    assert_eq!(*before.workloads[0].transport, sack);
    assert_eq!(model.record.interval, Span::from_ms(100));
    // 1500 bytes at 20 Mbps.
    assert_eq!(model.workloads[0].send_delay, Span::from_us(600));
}

#[test]
fn preset_ns2_is_what_the_studies_ran() {
    let model = good_with(LEAST, &["transport.preset=ns2"]).model;
    let transport = &model.workloads[0].transport;
    assert_eq!(
        (transport.recovery, transport.delayed_ack, transport.initial_window),
        (RecoveryKind::Sack, 1, 2)
    );
    assert_eq!(
        (transport.header, transport.ack, transport.mss),
        (Bytes::ZERO, Bytes::new(40), Bytes::new(1500))
    );
    assert_eq!((transport.first_cut, model.workloads[0].send_delay), (FirstCut::Half, Span::ZERO));
    assert_eq!(transport.delayed_ack_timeout, Span::from_ms(100));
}

#[test]
fn preset_linux_is_linux_and_its_algorithms_are_linuxs() {
    let model = good_with(LEAST, &["transport.preset=linux"]).model;
    let transport = &model.workloads[0].transport;
    assert_eq!((transport.recovery, transport.rto), (RecoveryKind::Rack, RtoRule::Linux));
    assert!(transport.proportional_rate_reduction && transport.quick_ack);
    assert_eq!(
        (transport.header, transport.ack, transport.mss),
        (Bytes::new(52), Bytes::new(52), Bytes::new(1448))
    );
    assert_eq!(transport.slow_start, SlowStartKind::HyStart);
    assert_eq!((model.groups[0].name.as_str(), model.groups[0].algorithm.name()), ("cubic", "cubic-linux"));
    for (written, meant) in [
        ("reno", "reno-linux"),
        ("newreno", "reno-linux"),
        ("westwood", "westwood-linux"),
        ("scalable", "scalable-linux"),
        ("hstcp", "highspeed-linux"),
        ("htcp(rtt_scaling=false)", "htcp-linux"),
        ("bic", "bic-linux"),
        ("vegas(alpha=3)", "vegas-linux"),
        ("bbr1", "bbr1"),
    ] {
        let algorithm = format!("flows.0.algorithm={written}");
        let model = good_with(LEAST, &["transport.preset=linux", &algorithm]).model;
        assert_eq!(model.workloads[0].transport.slow_start, SlowStartKind::Standard);
        assert_eq!(model.groups[0].algorithm.name(), meant);
        let standard = good_with(LEAST, &[&algorithm]).model;
        assert!(written.starts_with(standard.groups[0].algorithm.name()), "{written}");
    }
}

#[test]
fn an_algorithm_starts_by_its_own_slow_start_unless_another_is_written() {
    let start = |sets: &[&str]| {
        let sets: Vec<&str> = sets.iter().copied().chain(["flows.0.algorithm=cubic-linux"]).collect();
        let scenario = good_with(LEAST, &sets);
        let start = scenario.model.workloads[0].transport.slow_start;
        assert_eq!(good(&scenario.resolved).model.workloads[0].transport.slow_start, start);
        start
    };
    assert_eq!(start(&[]), SlowStartKind::HyStart);
    assert_eq!(start(&["transport.preset=ns2"]), SlowStartKind::HyStart);
    assert_eq!(start(&["transport.slow_start=standard"]), SlowStartKind::Standard);
    assert_eq!(
        start(&["transport.slow_start=limited", "flows.0.slow_start=hystart++"]),
        SlowStartKind::HyStartPlusPlus
    );
}

#[test]
fn an_explicit_key_wins_over_a_preset_and_a_flow_over_the_transport_table() {
    let sets = ["transport.preset=ns2", "transport.header=20B", "flows.0.preset=linux", "flows.0.ack=60B"];
    let model = good_with(LEAST, &sets).model;
    let transport = &model.workloads[0].transport;
    assert_eq!((transport.header, transport.ack), (Bytes::new(20), Bytes::new(60)));
    assert_eq!((transport.recovery, transport.delayed_ack), (RecoveryKind::Rack, 2));
}

#[test]
fn a_limit_counts_packets_only_where_it_says_packets() {
    assert_eq!(limit("50pkt"), Limit::Packets(50));
    assert_eq!(limit("64KiB"), Limit::Bytes(65_536));
    assert_eq!(limit("20ms"), Limit::Bytes(50_000));
    assert_eq!(limit("1.5bdp"), Limit::Bytes(150_000));
    assert_eq!(limit("0.1bdp"), Limit::Bytes(10_000));
    assert_eq!(limit("infinite"), Limit::Unlimited);
}

#[test]
fn red_averages_in_the_unit_of_its_thresholds() {
    let thresholds = |queue: &Discipline| {
        let [min, max] = ["min", "max"].map(|name| queue.settings().threshold(name));
        assert_eq!(min.unit, max.unit);
        (min.unit, [min.value, max.value].map(f64::to_bits))
    };
    let bits = |min: f64, max: f64| [min, max].map(f64::to_bits);
    let usual = early(&[]);
    assert_eq!(usual.limit(), Limit::Bytes(100_000));
    assert_eq!(thresholds(&usual), (Unit::Packets, bits(5.0, 15.0)));
    let [gentle, wait, ecn] = ["gentle", "wait", "ecn"].map(|name| usual.settings().flag(name));
    assert!(gentle && wait && !ecn);
    let packets = early(&["path.queue.min=15.62pkt", "path.queue.max=78.1pkt", "path.queue.limit=156pkt"]);
    assert_eq!(packets.limit(), Limit::Packets(156));
    assert_eq!(thresholds(&packets), (Unit::Packets, bits(15.62, 78.1)));
    let bytes = early(&["path.queue.min=0.25bdp", "path.queue.max=50ms"]);
    assert_eq!(thresholds(&bytes), (Unit::Bytes, bits(25_000.0, 125_000.0)));
    assert_eq!(bytes.settings().packet(), Bytes::new(1500));
    // The default of max is three times min, whatever its unit.
    assert_eq!(thresholds(&early(&["path.queue.min=9pkt"])), (Unit::Packets, bits(9.0, 27.0)));
    assert_eq!(thresholds(&early(&["path.queue.min=4ms"])), (Unit::Bytes, bits(10_000.0, 30_000.0)));
}

#[test]
fn every_form_of_a_rate_is_read() {
    let mbps = |number: u64| Rate::from_bps(number * 1_000_000);
    let steps = rate(r#"{ kind = "steps", rates = ["10Mbps", "0Mbps"], times = ["0s", "5s"] }"#);
    assert!(matches!(steps, RateModel::Steps(steps)
        if steps == [(Span::ZERO, mbps(10)), (Span::from_ms(5000), Rate::ZERO)]));
    let square = rate(r#"{ kind = "square", high = "10Mbps", low = "2Mbps", period = "4s", duty = "25%" }"#);
    assert!(matches!(square, RateModel::Square { high, low, duty, .. }
        if high == mbps(10) && low == mbps(2) && (duty - 0.25).abs() < 1e-15));
    let walk =
        rate(r#"{ kind = "walk", step = "1Mbps", minimum = "2Mbps", maximum = "8Mbps", interval = "1s" }"#);
    assert!(matches!(walk, RateModel::Walk { start, .. } if start == mbps(5)));
    let uniform = rate(r#"{ kind = "uniform", minimum = "2Mbps", maximum = "8Mbps", interval = "1s" }"#);
    assert!(matches!(uniform, RateModel::Uniform { maximum, .. } if maximum == mbps(8)));
}

#[test]
fn every_kind_of_loss_is_read() {
    let loss = |table: &str| good_with(LEAST, &[&format!("path.loss={table}")]).model.links[0].loss.clone();
    assert_eq!(
        loss(r#"{ kind = "bernoulli", rate = "1%" }"#),
        Some(LossModel::Bernoulli { rate: 0.01, correlation: 0.0 })
    );
    let bursts =
        loss(r#"{ kind = "gilbert-elliott", good_to_bad = 0.01, bad_to_good = "30%", loss_bad = 0.5 }"#);
    let expected = LossModel::GilbertElliott {
        good_to_bad: 0.01,
        bad_to_good: 0.3,
        loss_good: 0.0,
        loss_bad: 0.5,
        longest: None,
    };
    assert_eq!(bursts, Some(expected));
    let listed = loss(r#"{ kind = "list", packets = [7, 2, 7], of = "data" }"#);
    assert_eq!(listed, Some(LossModel::List(Selection::numbered(Counted::Data, [2, 7]))));
}

#[test]
fn the_reverse_direction_copies_the_rate_and_takes_its_own_queue() {
    let model = good_with(LEAST, &["path.reverse.queue={kind=\"droptail\",limit=\"30pkt\"}"]).model;
    assert!(matches!(model.links[1].rate, RateModel::Constant(rate) if rate == Rate::from_bps(20_000_000)));
    assert_eq!(model.links[1].queue, droptail::with_limit(Limit::Packets(30)));
    let model = good_with(LEAST, &["path.reverse.rate=1Mbps"]).model;
    assert!(matches!(model.links[1].rate, RateModel::Constant(rate) if rate == Rate::from_bps(1_000_000)));
}

#[test]
fn flows_are_in_the_class_of_their_group_in_both_directions() {
    let text = format!(
        "{LEAST}count = 2\n[[flows]]\nalgorithm = \"reno\"\ncount = 3\n[[flows]]\nalgorithm = \"bbr1\"\n"
    );
    let queue = "{kind=\"priority\",classes={reno=0,cubic=4}}";
    let sets = [&*format!("path.queue={queue}"), "path.reverse.queue={kind=\"rio\",in=[\"reno\"]}"];
    let model = good_with(&text, &sets).model;
    let classes = |link: &LinkModel, key| link.queue.settings().classes(key);
    // Groups that are not named are behind all that are.
    assert_eq!(classes(&model.links[0], "classes"), Classes::new([4, 4, 0, 0, 0, 5], 5));
    assert_eq!(classes(&model.links[1], "in"), Classes::new([1, 1, 0, 0, 0, 1], 1));
    let set = good_with(&text, &[sets[0], "path.queue.classes.bbr1=0"]).model;
    assert_eq!(classes(&set.links[0], "classes"), Classes::new([4, 4, 0, 0, 0, 0], 4));
}

#[test]
fn long_series_are_widened_and_short_ones_are_not() {
    let interval = |sets: &[&str]| good_with(LEAST, sets).model.record.interval;
    assert_eq!(interval(&[]), Span::from_ms(100));
    // 60 000 intervals of three series, seven times: 1.26 million rows.
    assert_eq!(interval(&["record.interval=1ms", "replications=7"]), Span::from_ms(2));
    let many = good_with(LEAST, &["flows.0.count=101"]).model;
    assert!(!many.record.flows, "series of more than a hundred flows are left out");
    assert!(good_with(LEAST, &["flows.0.count=101", "record.flows=all"]).model.record.flows);
}
