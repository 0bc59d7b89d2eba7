// SPDX-License-Identifier: Apache-2.0
//! Truth: closed forms. What framing costs, packets of different sizes, and segmentation and receive offload.

use crate::support::{assert_near, run, value};

fn path(path: &str, flows: &str) -> String {
    format!(
        r#"
        duration = "20s"
        warmup = "5s"
        [path]
        rate = "10Mbps"
        rtt = "40ms"
        {path}
        [transport]
        header = "40B"
        [[flows]]
        name = "a"
        algorithm = "cubic"
        {flows}
        "#
    )
}

#[test]
fn framing_takes_its_part_of_the_rate() {
    let goodput = |overhead: &str| value(&run(&path(overhead, ""), 0), "a", "goodput_bps");
    for (overhead, share) in [
        ("", 1460.0 / 1500.0),
        (r#"overhead = { kind = "frame" }"#, 1460.0 / 1538.0),
        (r#"overhead = "26B""#, 1460.0 / 1526.0),
        (r#"overhead = { kind = "atm" }"#, 1460.0 / (32.0 * 53.0)),
        (r#"overhead = { kind = "atm", bytes = "42B" }"#, 1460.0 / (33.0 * 53.0)),
    ] {
        assert_near(overhead, goodput(overhead), share * 10e6, 2e-3);
    }
    let records = run(&path(r#"overhead = { kind = "atm" }"#, ""), 0);
    // Packets of 44 bytes are padded to the shortest frame, with a size alone, too.
    for overhead in [r#"overhead = "38B""#, r#"overhead = { kind = "frame" }"#] {
        let records = run(&path(overhead, "packet = \"44B\""), 0);
        assert_near(overhead, value(&records, "a", "goodput_bps"), 4.0 / 84.0 * 10e6, 2e-3);
    }
    assert_near("the link is busy", value(&records, "bottleneck", "utilization"), 1.0, 1e-3);
}

/// A packet of 576 bytes has a payload of 536.
#[test]
fn a_group_has_packets_of_its_own_size() {
    let records = run(&path("", "packet = \"576B\""), 0);
    assert_near("goodput", value(&records, "a", "goodput_bps"), 536.0 / 576.0 * 10e6, 1e-3);
    // Reno's share follows from windows in packets: a flow with small packets gets less than one with large ones.
    let beside = "packet = \"576B\"\n[[flows]]\nname = \"b\"\nalgorithm = \"cubic\"";
    let records = run(&path("", beside), 0);
    assert!(value(&records, "b", "goodput_bps") > 1.5 * value(&records, "a", "goodput_bps"));
}

/// The last of the N packets of an aggregate waits for N − 1 others, the first for none: (N − 1)/2 on average, if the
/// link is faster than the sender.
#[test]
fn segmentation_offload_sends_aggregates() {
    let delay = |segments: u32| {
        let text = format!(
            r#"
            duration = "20s"
            warmup = "2s"
            [path]
            rate = "20Mbps"
            rtt = "40ms"
            access_rate = "100Gbps"
            queue = {{ kind = "droptail", limit = "infinite" }}
            [transport]
            pacing = true
            receive_window = "40pkt"
            segmentation_offload = {segments}
            send_delay = "0s"
            [[flows]]
            name = "a"
            algorithm = "newreno"
            "#
        );
        value(&run(&text, 0), "bottleneck", "queue_delay_mean_s")
    };
    let packet = 1500.0 * 8.0 / 20e6;
    // A pacer sends two packets at a time without offload, too.
    assert_near("two at a time", delay(1), 0.5 * packet, 0.05);
    assert_near("eight at a time", delay(8), 3.5 * packet, 0.05);
}

/// One acknowledgement for every aggregate that arrives within the time of receive offload.
#[test]
fn receive_offload_acknowledges_aggregates() {
    let acks = |segments: u32| {
        let text = path(
            "",
            &format!(
                "receive_window = \"30pkt\"\nreceive_offload = {segments}\nreceive_offload_timeout = \"100ms\""
            ),
        );
        let records = run(&text, 0);
        let packets = |link: &str, size: f64| value(&records, link, "rate_bps") / size;
        packets("bottleneck reverse", 40.0) / packets("bottleneck", 1500.0)
    };
    assert_near("delayed acknowledgements", acks(1), 0.5, 0.02);
    assert_near("aggregates of eight", acks(8), 0.125, 0.02);
}

/// At 100 Mbps acknowledgements of two packets arrive every 0.24 ms, and an aggregate of a millisecond is nine segments: as they
/// return, 2, 4, 6 and 8 wait until a millisecond is over, four on average, less what ends a buffer. At 5 Mbps acknowledgements
/// are further apart than a millisecond, and nothing waits.
#[test]
fn tso_autosizing_waits_for_a_millisecond_at_most() {
    let waiting = |mbps: u32| {
        let delay = |autosizing: bool| {
            let text = format!(
                r#"
                duration = "12s"
                warmup = "2s"
                [path]
                rate = "{mbps}Mbps"
                rtt = "10ms"
                access_rate = "100Gbps"
                queue = {{ kind = "droptail", limit = "infinite" }}
                [transport]
                preset = "linux"
                receive_window = "150pkt"
                tso_autosizing = {autosizing}
                [[flows]]
                name = "a"
                algorithm = "newreno"
                "#
            );
            value(&run(&text, 0), "bottleneck", "queue_delay_mean_s")
        };
        let packet = 1500.0 * 8.0 / (f64::from(mbps) * 1e6);
        (delay(false) - delay(true)) / packet
    };
    let fast = waiting(100);
    assert!((3.0..4.5).contains(&fast), "{fast} packets wait");
    let slow = waiting(5);
    assert!(slow.abs() < 0.01, "{slow} packets wait");
}
