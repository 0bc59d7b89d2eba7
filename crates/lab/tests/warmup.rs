// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. A warm-up that is found is the one that the rule says, and nothing else about the run changes.

use crate::support::{self, assert_near, run, scenario};
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;

/// A source that sends at an eighth of its rate for the first ten seconds.
fn ramp(warmup: &str) -> String {
    format!(
        r#"
        duration = "60s"
        warmup = "{warmup}"
        path = {{ rate = "20Mbps", rtt = "40ms" }}
        [[flows]]
        source = {{ kind = "cbr", rate = {{ kind = "steps", rates = ["1Mbps", "8Mbps"], times = ["0s", "10s"] }} }}
        [[flows]]
        algorithm = "newreno"
        receive_window = "10pkt"
        "#
    )
}

#[test]
fn the_latest_settling_of_a_group_ends_the_warm_up() {
    let found = run(&ramp("auto"), 0);
    // Batches of half a second, of which those after the step differ by a packet.
    let end = found.warmup.as_secs_f64();
    assert!((10.0..=12.0).contains(&end), "{end}");
    let check = found.checks.iter().find(|check| check.name == "warm-up found").expect("it is reported");
    assert_eq!(check.ok, Some(true));
    let cbr = support::value(&found, "cbr", "throughput_bps");
    assert_near("the rate after the step", cbr, 8e6, 0.01);
}

#[test]
fn a_run_with_the_found_warm_up_has_the_same_records() {
    let found = run(&ramp("auto"), 0);
    let fixed = run(&ramp(&found.warmup.to_string()), 0);
    assert_eq!(found.digest(), fixed.digest());
    assert_eq!(found.performance.packet_hops, 2 * fixed.performance.packet_hops, "it was run twice");
    assert!(fixed.checks.iter().all(|check| check.name != "warm-up found"));
}

#[test]
fn what_does_not_settle_is_measured_in_its_second_half_and_reported() {
    let rising = ramp("auto").replace(
        r#"rates = ["1Mbps", "8Mbps"], times = ["0s", "10s"]"#,
        r#"rates = ["1Mbps", "8Mbps", "2Mbps"], times = ["0s", "20s", "40s"]"#,
    );
    let records = run(&rising, 0);
    assert_near("the second half", records.warmup.as_secs_f64(), 30.0, 1e-12);
    let check = records.checks.iter().find(|check| check.name == "warm-up found").expect("it is reported");
    assert_eq!(check.ok, Some(false));
}

#[test]
fn the_resolved_scenario_looks_for_it_again_and_short_series_are_refused() {
    let first = scenario(&ramp("auto"));
    let again = scenario(&first.resolved);
    assert_eq!((first.digest, first.resolved), (again.digest, again.resolved));
    let text = ramp("auto").replace(r#"duration = "60s""#, r#"duration = "4900ms""#);
    let faults =
        load(&text, "test.toml", Path::new("."), &[], &LoadOptions::default()).err().unwrap_or_default();
    assert!(faults.iter().any(|fault| fault.render().contains("fewer than 50 intervals of 100ms to search")));
}
