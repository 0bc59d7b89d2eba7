// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The settings of stacks have effects, are refused where no stack is, and are in the resolved file.

use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load};
use std::path::Path;

const STACKS: [&str; 2] = ["quinn", "noq"];

fn read(algorithm: &str, changes: &[&str]) -> Result<Scenario, Vec<Diagnostic>> {
    let text = include_str!("../../../scenarios/field-reports/reordered.toml");
    let algorithm = format!("flows.0.algorithm={algorithm}");
    let changes = [&[algorithm.as_str(), "flows.0.size=5MB", "duration=10s"], changes].concat();
    let changes: Vec<String> = changes.into_iter().map(str::to_owned).collect();
    let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
    load(text, "reordered.toml", Path::new(""), &changes, &options)
}

fn ran(algorithm: &str, changes: &[&str]) -> Replication {
    let scenario = read(algorithm, changes).unwrap_or_else(|faults| panic!("{faults:?}"));
    run(&scenario.model, 0, &Progress::new()).expect("the run ends")
}

/// A value that changes the run, for each setting.
const SETTINGS: [&str; 11] = [
    "flows.0.packet_threshold=100",
    "flows.0.time_threshold=4",
    "flows.0.initial_rtt=20ms",
    "flows.0.ack_frequency.threshold=9",
    "flows.0.ack_frequency.max_delay=5ms",
    "flows.0.ack_frequency.reordering=20",
    "flows.0.persistent_congestion_threshold=1",
    "flows.0.initial_window=32pkt",
    "flows.0.stream_receive_window=50kB",
    "flows.0.connection_receive_window=50kB",
    "flows.0.send_window=5kB",
];

#[test]
fn each_setting_changes_the_run_and_its_resolved_file_repeats_it() {
    for stack in STACKS {
        let algorithm = format!("{stack}:newreno");
        for setting in SETTINGS {
            // The path on which the setting matters: losses that leave no packet of a probe timeout for persistent congestion.
            let lossy: &[&str] = if setting.contains("persistent") {
                &["path.loss={kind='bernoulli',rate='40%'}"]
            } else if setting.contains("time_threshold") {
                &["path.loss={kind='bernoulli',rate='2%'}"]
            } else if setting.contains("initial_rtt") {
                &["path.rtt=1s"]
            } else {
                &[]
            };
            let without = ran(&algorithm, lossy).digest();
            let scenario = read(&algorithm, &[lossy, &[setting]].concat());
            let scenario = scenario.unwrap_or_else(|faults| panic!("{setting}: {faults:?}"));
            let with = run(&scenario.model, 0, &Progress::new()).expect("the run ends").digest();
            assert_ne!(with, without, "{setting} in {stack}");
            let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
            let again = load(&scenario.resolved, "again.toml", Path::new(""), &[], &options);
            let again = again.unwrap_or_else(|faults| panic!("{setting}: {faults:?}"));
            assert_eq!(again.resolved, scenario.resolved, "{setting} in {stack}");
            let again = run(&again.model, 0, &Progress::new()).expect("the run ends").digest();
            assert_eq!(again, with, "{setting} in {stack}");
        }
    }
}

#[test]
fn an_initial_window_is_that_of_any_controller_in_the_stack_and_none_of_transport() {
    for algorithm in ["quinn:bbr", "noq:bbr3", "quinn:narrows:newreno", "noq:narrows:newreno"] {
        let usual = ran(algorithm, &[]).digest();
        assert_ne!(ran(algorithm, &["flows.0.initial_window=40pkt"]).digest(), usual, "{algorithm}");
        let scenario = read(algorithm, &["flows.0.preset=ns2"]).unwrap_or_else(|faults| panic!("{faults:?}"));
        assert!(
            scenario.model.groups[0]
                .algorithm
                .stack()
                .is_some_and(|own| own.settings.initial_window.is_none())
        );
        let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
        let again = load(&scenario.resolved, "again.toml", Path::new(""), &[], &options).expect("it is read");
        let [first, again] = [scenario, again]
            .map(|each| run(&each.model, 0, &Progress::new()).expect("the run ends").digest());
        assert_eq!(again, first, "{algorithm}");
    }
}

#[test]
fn a_setting_without_a_stack_is_refused_at_its_key() {
    for setting in SETTINGS.into_iter().filter(|each| !each.contains("initial_window")) {
        let faults = read("cubic", &[setting]).expect_err("it is refused");
        assert_eq!(faults.len(), 1, "{faults:?}");
        let (key, _) = setting.split_once('=').expect("a key and a value");
        assert!(key.starts_with(&faults[0].path), "{faults:?}");
        assert!(faults[0].message.contains("no stack carries the flows"), "{faults:?}");
        assert!(faults[0].allowed.contains("stack = "), "{faults:?}");
    }
}

#[test]
fn settings_out_of_range_are_refused_with_what_is_allowed() {
    for (setting, key, allowed) in [
        ("packet_threshold=0", "packet_threshold", "from 1 to 1000000"),
        ("time_threshold=0.5", "time_threshold", "from 1 to 1000"),
        ("time_threshold=-1e300", "time_threshold", "from 1 to 1000"),
        ("initial_rtt=1us", "initial_rtt", "from 1ms to 60s"),
        ("initial_rtt=9h", "initial_rtt", "h"),
        ("ack_frequency.max_delay=10us", "ack_frequency.max_delay", "from 1ms to 10s"),
        ("ack_frequency.treshold=1", "ack_frequency.treshold", "threshold"),
        ("persistent_congestion_threshold=5000", "persistent_congestion_threshold", "from 1 to 1000"),
        ("stream_receive_window=0B", "stream_receive_window", "positive"),
        ("send_window=3pkt", "send_window", "size"),
        ("initial_window=9000000pkt", "initial_window", "at most 1000000pkt"),
    ] {
        let faults = read("noq:cubic", &[&format!("flows.0.{setting}")]).expect_err(setting);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, format!("flows.0.{key}"));
        assert!(faults[0].render().contains(allowed), "{}", faults[0].render());
    }
}

#[test]
fn a_description_says_the_defaults_of_the_stack_and_what_replaces_them() {
    let words = |algorithm: &str, changes: &[&str]| {
        let scenario = read(algorithm, changes).unwrap_or_else(|faults| panic!("{faults:?}"));
        scenario.description.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join("\n")
    };
    let usual = words("quinn:bbr", &[]);
    assert!(
        usual.contains("packet threshold 3, time threshold 1.125 round trips, initial round trip 333ms"),
        "{usual}"
    );
    assert!(usual.contains("initial window 200 packets"), "{usual}");
    let other = words("noq:cubic", &["flows.0.packet_threshold=100", "flows.0.ack_frequency={threshold=9}"]);
    assert!(other.contains("packet threshold 100"), "{other}");
    assert!(other.contains("asked for after 9 packets"), "{other}");
    assert!(other.contains("initial window 10 packets"), "{other}");
}

#[test]
fn with_larger_thresholds_overtaken_packets_are_not_taken_for_lost_ones() {
    for stack in STACKS {
        let again = |changes: &[&str]| {
            let found = ran(&format!("{stack}:cubic"), changes);
            assert_eq!(found.links[0].value("dropped_packets").to_bits(), 0.0_f64.to_bits(), "{stack}");
            found.groups[0].value("retransmission_rate")
        };
        let usual = again(&[]);
        let both = again(&["flows.0.packet_threshold=100", "flows.0.time_threshold=2"]);
        assert!(usual > 0.05 && both < 0.01, "{stack}: {usual} and {both} of packets sent again");
    }
}
