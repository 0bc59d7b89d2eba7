// SPDX-License-Identifier: Apache-2.0
//! Truth: rule. The sanity section answers its questions, and only if they arise.

use crate::support::run;
use narrows_lab::records::{Check, Level};

fn check(name: &str, flows: &str, queue: &str) -> Check {
    let text = format!(
        "duration = \"4s\"\npath = {{ rate = \"10Mbps\", rtt = \"20ms\", queue = {queue} }}\n[[flows]]\n{flows}\n"
    );
    let records = run(&text, 0);
    records.checks.into_iter().find(|check| check.name == name).expect("the question is asked")
}

fn answer(name: &str, algorithm: &str, queue: &str) -> Option<bool> {
    check(name, &format!("algorithm = \"{algorithm}\""), queue).ok
}

fn level(name: &str, flows: &str) -> Option<Level> {
    check(name, flows, r#"{ kind = "droptail", limit = "100pkt" }"#).level
}

#[test]
fn a_request_that_no_router_answers_is_reported() {
    let ask = |algorithm, queue| answer("routers answer requests", algorithm, queue);
    assert_eq!(ask("cubic", r#"{ kind = "droptail" }"#), None);
    assert_eq!(ask("xcp", r#"{ kind = "droptail" }"#), Some(false));
    assert_eq!(ask("xcp", r#"{ kind = "rcp" }"#), Some(false));
    assert_eq!(ask("xcp", r#"{ kind = "xcp" }"#), Some(true));
    assert_eq!(ask("bmcc", r#"{ kind = "vcp" }"#), Some(false));
    assert_eq!(ask("bmcc", r#"{ kind = "adpm" }"#), Some(true));
}

#[test]
fn a_bottleneck_that_is_none_is_reported() {
    assert_eq!(answer("bottleneck saturated", "cubic", r#"{ kind = "droptail" }"#), Some(true));
    assert_eq!(
        answer("bottleneck saturated", "constant(rate=2Mbps)", r#"{ kind = "droptail" }"#),
        Some(false)
    );
}

#[test]
fn a_buffer_without_a_limit_cannot_fill() {
    assert_eq!(answer("buffer ever full", "cubic", r#"{ kind = "droptail", limit = "infinite" }"#), None);
    assert_eq!(answer("buffer ever full", "cubic", r#"{ kind = "droptail", limit = "10pkt" }"#), Some(true));
    assert_eq!(
        answer("buffer ever full", "vegas", r#"{ kind = "droptail", limit = "100pkt" }"#),
        Some(false)
    );
}

/// Effects that the scenario explains are not faults: a delay-based algorithm that fills no buffer, a line that users
/// leave idle, a source that sends less than the line carries.
#[test]
fn what_the_scenario_explains_is_a_note() {
    let users = r#"algorithm = "cubic"
size = "20kB"
source = { kind = "users", think = "2s" }"#;
    let rate = r#"source = { kind = "cbr", rate = "1Mbps" }"#;
    for (name, flows) in [
        ("buffer ever full", r#"algorithm = "vegas""#),
        ("long enough to measure", "algorithm = \"newreno\"\nreceive_window = \"4pkt\""),
        ("bottleneck saturated", r#"algorithm = "constant(rate=2Mbps)""#),
        ("bottleneck saturated", users),
        ("bottleneck saturated", rate),
    ] {
        assert_eq!(level(name, flows), Some(Level::Note), "{name}: {flows}");
    }
}

#[test]
fn what_the_scenario_does_not_explain_is_a_caution() {
    let window = "algorithm = \"cubic\"\n[transport]\nreceive_window = \"4pkt\"";
    for name in ["bottleneck saturated", "senders limited by congestion control"] {
        assert_eq!(level(name, window), Some(Level::Caution), "{name}");
    }
    assert_eq!(level("routers answer requests", r#"algorithm = "xcp""#), Some(Level::Broken));
}
