// SPDX-License-Identifier: Apache-2.0
//! Truth: closed forms. What impairments of a link do to the flows that cross it.

use crate::support::{VARIED, assert_near, run, run_as, value};
use narrows_lab::sim::RunOptions;

/// A path of 10 Mbit/s and 40 ms with a constant-rate source of 2 Mbit/s, below every limit.
fn constant_rate(forward: &str) -> String {
    format!(
        r#"
        duration = "120s"
        warmup = "2s"
        [path]
        rate = "10Mbps"
        rtt = "40ms"
        access_rate = "10Gbps"
        {forward}
        [[flows]]
        name = "probe"
        algorithm = "constant(rate=2Mbps)"
        "#
    )
}

/// Mean one-way delay of the probe, seconds.
fn delay(forward: &str) -> f64 {
    value(&run(&constant_rate(forward), 0), "probe", "delay_mean_s")
}

#[test]
fn impairments_are_the_same_however_the_run_is_carried_out() {
    let (_, text) = VARIED.iter().find(|(what, _)| *what == "every impairment").expect("it is listed");
    let seen = |partitions, lookahead| {
        let records = run_as(text, 0, RunOptions { partitions, lookahead, ..RunOptions::default() });
        format!("{:?} {:?}", records.groups, records.links)
    };
    let plain = seen(1, true);
    assert_eq!(seen(1, false), plain, "without lookahead");
    assert_eq!(seen(2, true), plain, "in two partitions");
    assert_eq!(seen(3, true), plain, "in three partitions");
}

#[test]
fn additional_delays_have_their_means() {
    let bare = delay("");
    let added = |list: &str| delay(&format!("impairments = [{list}]")) - bare;
    let jitter = r#"{ kind = "jitter", delay = { kind = "exponential", mean = "3ms" }, reorder = true }"#;
    assert_near("jitter", added(jitter), 3e-3, 0.03);
    let steps = r#"{ kind = "delay-steps", delays = ["0s", "20ms"], times = ["0s", "1s"], period = "2s", reorder = true }"#;
    assert_near("steps", added(steps), 10e-3, 0.01);
    let sawtooth =
        r#"{ kind = "delay-sawtooth", minimum = "2ms", maximum = "8ms", period = "1s", reorder = true }"#;
    assert_near("sawtooth", added(sawtooth), 5e-3, 0.01);
    // Those that arrive in an outage of 100 ms wait 50 ms on average: one in ten of each second.
    let handover = r#"{ kind = "handover", interval = "1s", delay = "0.000001ms", outage = "100ms" }"#;
    assert_near("handover", added(handover), 5e-3, 0.02);
    let frames = r#"{ kind = "aggregation", frame = "10ms" }"#;
    assert_near("frames", added(frames), 5e-3, 0.2);
}

#[test]
fn losses_at_fixed_distances_have_their_rate() {
    let records = run(&constant_rate(r#"loss = { kind = "periodic", every = "50pkt" }"#), 0);
    assert_near("loss", value(&records, "probe", "loss_rate"), 0.02, 0.005);
}

#[test]
fn a_policer_lets_its_rate_pass() {
    let policer = r#"impairments = [{ kind = "policer", rate = "1Mbps", burst = "10pkt" }]"#;
    let records = run(&constant_rate(policer), 0);
    // The source counts its 1460 bytes of payload, the policer all 1500.
    let expected = 1.0 - 1.0 / (2.0 * 1500.0 / 1460.0);
    assert_near("what exceeds it is lost", value(&records, "probe", "loss_rate"), expected, 0.002);
}

/// Without marks that arrive, a flow with ECN responds to the losses of a queue that overflows.
#[test]
fn a_hop_that_clears_marks_leaves_only_losses() {
    let text = |impairments: &str| {
        format!(
            r#"
            duration = "20s"
            warmup = "2s"
            [path]
            rate = "10Mbps"
            rtt = "40ms"
            queue = {{ kind = "red", ecn = true, min = "5pkt", max = "15pkt", limit = "100pkt" }}
            {impairments}
            [transport]
            ecn = true
            [[flows]]
            algorithm = "newreno"
            "#
        )
    };
    let reductions = |impairments: &str| {
        let records = run(&text(impairments), 0);
        let lost = value(&records, "bottleneck", "dropped_packets");
        (value(&records, "newreno", "reductions"), lost, value(&records, "bottleneck", "marked_packets"))
    };
    let (reduced, lost, marked) = reductions("");
    assert!(reduced > 10.0 && lost < 1.0 && marked > 10.0, "{reduced} {lost} {marked}");
    let (reduced, lost, marked) = reductions(r#"impairments = [{ kind = "ecn", mode = "clear-ce" }]"#);
    assert!(reduced > 1.0 && lost >= reduced && marked > 100.0, "{reduced} {lost} {marked}");
}

/// RFC 3449 §5.2: fewer acknowledgements cost a flow little on a path whose forward direction is the bottleneck.
#[test]
fn thinned_acknowledgements_still_clock_a_flow() {
    let goodput = |share: &str| {
        let text = format!(
            r#"
            duration = "20s"
            warmup = "5s"
            path = {{ rate = "10Mbps", rtt = "40ms", reverse = {{ {share} }} }}
            [[flows]]
            algorithm = "cubic"
            "#
        );
        let records = run(&text, 0);
        (value(&records, "cubic", "goodput_bps"), value(&records, "bottleneck reverse", "random_loss_rate"))
    };
    let (all, none_lost) = goodput("");
    let (half, lost) = goodput(r#"impairments = [{ kind = "ack-thinning", share = "50%" }]"#);
    assert!(none_lost.abs() < 1e-12);
    assert_near("acknowledgements", lost, 0.5, 0.05);
    assert_near("goodput", half, all, 0.05);
}

/// Every data packet of a flow that uses ECN arrives marked, whichever part of the link marked it.
#[test]
fn the_marks_of_a_hop_count_as_those_of_a_queue() {
    let text = |marks: &str| {
        format!(
            r#"
            duration = "20s"
            warmup = "5s"
            path = {{ rate = "20Mbps", rtt = "40ms", {marks} }}
            flows = [{{ name = "f", algorithm = "newreno", ecn = true }}]
            "#
        )
    };
    let hop = run(&text(r#"impairments = [{ kind = "ecn", mode = "set-ce" }]"#), 0);
    // The hop marks packets on their way, so that packets in flight at the start or the end of the measurement do not matter.
    assert_near("flow", value(&hop, "f", "mark_rate"), 1.0, 0.001);
    assert_near("share of data", value(&hop, "bottleneck", "mark_rate"), 1.0, 0.001);
    let half = run(&text(r#"impairments = [{ kind = "ecn", mode = "set-ce", share = 0.5 }]"#), 0);
    assert_near("half", value(&half, "f", "mark_rate"), 0.5, 0.1);
    let check = hop.checks.iter().find(|check| check.detail.contains("packets were marked"));
    assert!(check.is_some(), "{:?}", hop.checks);
}
