//! Truth: rule. The sanity section answers what it asks, and only where the question arises.

mod support;

use support::run;

fn answer(name: &str, algorithm: &str, queue: &str) -> Option<bool> {
    let text = format!(
        "duration = \"4s\"\npath = {{ rate = \"10Mbps\", rtt = \"20ms\", queue = {queue} }}\n[[flows]]\nalgorithm = \"{algorithm}\"\n"
    );
    let records = run(&text, 0);
    records.checks.iter().find(|check| check.name == name).expect("the question is asked").ok
}

#[test]
fn a_request_that_no_router_answers_is_reported() {
    let ask = |algorithm, queue| answer("routers answer requests", algorithm, queue);
    assert_eq!(ask("cubic", r#"{ kind = "droptail" }"#), None);
    assert_eq!(ask("xcp", r#"{ kind = "droptail" }"#), Some(false));
    assert_eq!(ask("xcp", r#"{ kind = "rcp" }"#), Some(false));
    assert_eq!(ask("xcp", r#"{ kind = "xcp" }"#), Some(true));
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
