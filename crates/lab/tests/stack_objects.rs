// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance. Groups of frames over QUIC stacks: delays on an idle path, frames given up on a path that is too slow,
//! and what random loss costs over streams and in datagrams.

use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;

const STACKS: [&str; 2] = ["quinn", "noq"];

const BASE: &str = r#"
duration = "32s"
warmup = "2s"
path = { rate = "20Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "50ms" } }
transport = { send_delay = "0s" }
[[flows]]
name = "viewer"
algorithm = "quinn:cubic"
"#;

fn ran(stack: &str, source: &str, changes: &[&str]) -> Replication {
    let algorithm = format!("flows.0.algorithm={stack}:cubic");
    let source = format!("flows.0.source={{kind='objects',{source}}}");
    let changes = [&[algorithm.as_str(), source.as_str()], changes].concat();
    let changes: Vec<String> = changes.into_iter().map(str::to_owned).collect();
    let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
    let scenario = load(BASE, "objects.toml", Path::new(""), &changes, &options);
    let scenario = scenario.unwrap_or_else(|faults| panic!("{stack} {source}: {faults:?}"));
    run(&scenario.model, 0, &Progress::new()).expect("the run ends")
}

fn of(found: &Replication, metric: &str) -> f64 {
    found.groups[0].value(metric)
}

const DELIVERIES: [&str; 2] = ["streams", "datagrams"];

/// Frames of `size` bytes, 30 in a second, all of the same size.
fn frames_of(size: u32, delivery: &str) -> String {
    format!("delivery='{delivery}',key_frame=1,bitrate='{}kbps'", f64::from(size) * 8.0 * 30.0 / 1000.0)
}

/// The frames of a stack that it sends at once: within 10 packets of quinn, and within 10 ms of its rate of noq, 5/4 of the initial
/// window of 12 kB in a round trip of 40 ms.
const AT_ONCE: [(&str, u32); 2] = [("quinn", 10_000), ("noq", 3_000)];

/// A packet has 28 bytes of IP and UDP, 9 + 16 of a short header with a connection identifier and of the tag, and 1 to 29 bytes of its
/// number and headers of frames. Access links at ten times the rate of the path add a tenth of the first packet and of the last.
#[test]
fn every_frame_of_an_idle_path_takes_half_a_round_trip_and_its_serialization() {
    for (stack, size) in AT_ONCE {
        for delivery in DELIVERIES {
            let packets = f64::from(size.div_ceil(1_400));
            let delay = |bytes: f64| 0.020 + (f64::from(size) + bytes) * 8.0 / 20e6;
            let (least, most) = (delay(packets * 54.0), delay(packets * 82.0 + 0.2 * 1_480.0));
            let with = |deadline: f64| {
                let source = format!("{},deadline='{:.0}us'", frames_of(size, delivery), deadline * 1e6);
                ran(stack, &source, &[])
            };
            // No frame is early, and none is late.
            let (early, late) = (with(least), with(most));
            let share = |found: &Replication| of(found, "late_frame_share");
            assert!(share(&early) > 1.0 - 1e-12, "{stack} {delivery}: {}", share(&early));
            assert!(share(&late) < 1e-12, "{stack} {delivery}: {}", share(&late));
            let mean = of(&late, "frame_delay_s");
            assert!((least..most).contains(&mean), "{stack} {delivery}: {least} to {most}, {mean}");
        }
    }
}

/// A frame of 16.7 kB is captured every 33.3 ms, and takes 69.6 ms with its headers. Frame i of a group, from 1, arrives
/// 69.6 i - 33.3 (i - 1) + 20 ms after its capture, which is less than the deadline of 300 ms for the first 6 of 30; the rest of the group
/// is given up when a frame has not been sent at its deadline.
#[test]
fn a_path_that_is_too_slow_carries_the_start_of_each_group_within_the_deadline() {
    for stack in STACKS {
        let source = "key_frame=1,bitrate='4Mbps',deadline='300ms'";
        let found = ran(stack, source, &["path.rate=2Mbps"]);
        let late = of(&found, "late_frame_share");
        assert!((1.0 - 7.1 / 30.0..1.0 - 4.9 / 30.0).contains(&late), "{stack}: {late}");
        // A frame that is sent at its deadline has half a round trip, the queue of 50 ms and a packet before it.
        let most = of(&found, "frame_delay_p95_s");
        assert!((0.2..0.300 + 0.020 + 0.056).contains(&most), "{stack}: {most}");
        let reset = of(&found, "reset_stream_bytes");
        // What is sent of the 30 groups, all of which are reset.
        let sent = of(&found, "goodput_bps") * 30.0 / 8.0;
        assert!((reset / sent - 1.0).abs() < 0.15, "{stack}: {reset} of {sent}");
    }
}

/// Groups of 10 frames overlap, since their deadline of a second is three times their duration. The newest is sent first: it has the path
/// until the next one begins, so its frames arrive within its duration of 333 ms, or not at all. In datagrams the oldest frames
/// are sent first, and arrive about a second after their capture.
#[test]
fn the_newest_group_is_sent_first() {
    for stack in STACKS {
        let source = "key_frame=1,bitrate='4Mbps',deadline='1s',group=10";
        let streams = ran(stack, source, &["path.rate=2Mbps"]);
        let (late, delay) = (of(&streams, "late_frame_share"), of(&streams, "frame_delay_p95_s"));
        assert!((0.5..0.7).contains(&late), "{stack}: {late}");
        assert!(delay < 0.333 + 0.020 + 0.056, "{stack}: {delay}");
        let datagrams = ran(stack, &format!("{source},delivery='datagrams'"), &["path.rate=2Mbps"]);
        let (late, delay) = (of(&datagrams, "late_frame_share"), of(&datagrams, "frame_delay_s"));
        assert!(late > 0.95 && (1.0..1.2).contains(&delay), "{stack}: {late}, {delay}");
    }
}

#[test]
fn a_frame_in_datagrams_is_lost_with_a_packet_and_a_frame_on_a_stream_is_not() {
    let lossy = ["path.loss={kind='bernoulli',rate='2%'}", "duration=62s"];
    for stack in STACKS {
        // One packet a frame: a lost packet is a lost frame. At the ends of the measurement one may be counted without the other.
        let source = format!("{},deadline='200ms'", frames_of(1_000, "datagrams"));
        let found = ran(stack, &source, &lossy);
        let (late, lost) = (of(&found, "late_frame_share") * 1_800.0, of(&found, "loss_rate") * 1_800.0);
        assert!(lost > 20.0 && (late - lost).abs() < 1.5, "{stack}: {late} frames, {lost} packets");
        // Three packets a frame: three standard deviations of a binomial distribution.
        let found = ran(stack, &format!("{},deadline='400ms'", frames_of(3_000, "datagrams")), &lossy);
        let (late, expected) = (of(&found, "late_frame_share"), 1.0 - 0.98_f64 * 0.98 * 0.98);
        let deviation = (expected * (1.0 - expected) / 1_800.0).sqrt();
        assert!((late - expected).abs() < 3.0 * deviation, "{stack}: {late}, expected {expected}");
        let found = ran(stack, &format!("{},deadline='2s'", frames_of(3_000, "streams")), &lossy);
        for metric in ["late_frame_share", "reset_stream_bytes"] {
            assert!(of(&found, metric).abs() < 1e-12, "{stack} {metric}: {}", of(&found, metric));
        }
    }
}

/// Of an outage nothing arrives, and each of its frames is late: those whose streams are reset, those that are lost, and those that are not
/// written any more. A sender notices the end of the outage of 5 s by its next probe, whose timeout doubles: within 5 s.
#[test]
fn frames_that_never_arrive_are_late() {
    let outage = ["path.rate={kind='steps',rates=['20Mbps','0Mbps','20Mbps'],times=['0s','12s','17s']}"];
    for stack in STACKS {
        for delivery in DELIVERIES {
            let found = ran(stack, &format!("{},deadline='200ms'", frames_of(3_000, delivery)), &outage);
            let late = of(&found, "late_frame_share") * 900.0;
            assert!((145.0..300.0).contains(&late), "{stack} {delivery}: {late}");
            let known = found.groups[0].value("frame_delay_s");
            assert!(known > 0.02, "{stack} {delivery}: {known}");
        }
    }
}

#[test]
fn without_a_stack_the_source_is_refused() {
    for algorithm in ["cubic", "linux:cubic"] {
        let changes =
            [format!("flows.0.algorithm={algorithm}"), "flows.0.source={kind='objects'}".to_owned()];
        let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
        let faults = load(BASE, "objects.toml", Path::new(""), &changes, &options).map(|_| ());
        let text = format!("{:?}", faults.expect_err("it is refused"));
        assert!(text.contains("several streams") && text.contains("quinn"), "{text}");
    }
}

#[test]
fn every_key_has_an_effect_and_values_out_of_range_are_refused() {
    for stack in STACKS {
        let digest = |source: &str| ran(stack, source, &["duration=4s", "path.rate=5Mbps"]).digest();
        let usual = digest("bitrate='6Mbps'");
        for key in ["fps=25", "group=10", "key_frame=2", "deadline='100ms'", "delivery='datagrams'"] {
            assert_ne!(digest(&format!("bitrate='6Mbps',{key}")), usual, "{stack} {key}");
        }
        assert_ne!(digest("bitrate='5Mbps'"), usual, "{stack}");
    }
    for (key, allowed) in [
        ("fps=0", "from 1 to 1000"),
        ("bitrate='0bps'", "positive"),
        ("group=0", "from 1 to 100000"),
        ("key_frame=0.5", "from 1 to 1000"),
        ("deadline='2min'", "at most 60s"),
        ("delivery='packets'", "datagrams"),
    ] {
        let changes = [format!("flows.0.source={{kind='objects',{key}}}")];
        let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
        let faults = load(BASE, "objects.toml", Path::new(""), &changes, &options).map(|_| ());
        let faults = faults.expect_err("it is refused");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].render().contains(allowed), "{}", faults[0].render());
    }
}
