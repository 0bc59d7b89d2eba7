// SPDX-License-Identifier: Apache-2.0
//! Truth: theory and contract. Applications on an empty path, by the arithmetic of slow start; and their users'
//! experience if the path is too slow.

use crate::support::{assert_near, run, value};

/// A path so fast that only round trips of 100 ms count, with windows that double in each of them.
fn fast(source: &str, more: &str) -> String {
    format!(
        r#"
        duration = "40s"
        path = {{ rate = "10Gbps", rtt = "100ms", queue = {{ kind = "droptail", limit = "infinite" }} }}
        transport = {{ delayed_ack = 1, send_delay = "0s" }}
        [[flows]]
        name = "users"
        algorithm = "newreno"
        source = {{ {source} }}
        {more}
        "#
    )
}

fn page_load_time(levels: &str, more: &str) -> f64 {
    let source = format!(r#"kind = "web", think = "3s", levels = [{levels}]{more}"#);
    let records = run(&fast(&source, ""), 0);
    assert!(value(&records, "users", "loaded_pages") > 5.0);
    let (mean, last) = ("page_load_time_s", "page_load_time_p95_s");
    assert_near("every page", value(&records, "users", last), value(&records, "users", mean), 0.01);
    value(&records, "users", mean)
}

/// One round trip for TCP, one for TLS, and four for 100 segments in windows of 10, 20, 40 and 80.
#[test]
fn a_page_of_one_object_takes_the_rounds_of_slow_start() {
    let object = "{ size = \"146000B\" }";
    assert_near("with TLS", page_load_time(object, ""), 0.6, 0.01);
    assert_near("without", page_load_time(object, ", handshakes = 0"), 0.5, 0.01);
    assert_near("with TLS 1.2", page_load_time(object, ", handshakes = 2"), 0.7, 0.01);
}

/// RFC 1122 §4.2.3.2, RFC 9293 §3.8.6.3: the request acknowledges the last segment of the handshake, whose acknowledgement its host
/// would otherwise delay for 40 ms, so that its sender has the whole window of ten for the page.
#[test]
fn a_request_carries_the_acknowledgement_that_is_delayed() {
    let text = fast(r#"kind = "web", think = "1s", levels = [{ size = "14600B" }]"#, "");
    let delayed = text.replace("delayed_ack = 1", "delayed_ack = 2").replace("10Gbps", "10Mbps");
    let records = run(&delayed.replace("rtt =", "access_rate = \"1Gbps\", rtt ="), 0);
    // TCP, TLS and the request take a round trip each, ten packets 12 ms.
    assert_near("a page", value(&records, "users", "page_load_time_s"), 0.3125, 0.01);
}

/// The first object is there after three round trips. Over one connection its window is then 20, and 60 segments take two
/// more; over six each has one request, and five open first.
#[test]
fn objects_of_a_page_share_a_connection_or_open_others() {
    let levels = "{ size = \"14600B\" }, { count = 6, size = \"14600B\" }";
    assert_near("one connection", page_load_time(levels, ""), 0.5, 0.01);
    assert_near("six connections", page_load_time(levels, ", connections = 6"), 0.6, 0.01);
    // One request after the other over one connection.
    assert_near("no multiplexing", page_load_time(levels, ", streams = 1"), 0.9, 0.01);
}

#[test]
fn an_object_waits_for_the_one_on_which_it_depends() {
    let levels = "{ size = \"1kB\" }, { size = \"1kB\" }, { count = 3, size = \"1kB\" }, { size = \"1kB\" }";
    assert_near("four levels", page_load_time(levels, ""), 0.6, 0.01);
}

/// A segment of 1.46 MB is 1000 segments of TCP: windows of 10 to 640 carry 1270 of them in seven round trips, and TCP's
/// handshake takes one.
#[test]
fn a_player_begins_when_its_first_segment_is_there_and_then_plays_at_the_highest_rate() {
    let source = r#"kind = "video", ladder = ["2920kbps", "5840kbps"], segment = "4s""#;
    let records = run(&fast(source, ""), 0);
    let of = |metric| value(&records, "users", metric);
    assert_near("start-up", of("startup_delay_s"), 0.8, 0.01);
    assert_eq!((of("stalls"), of("stall_share"), of("bitrate_switches")), (0.0, 0.0, 1.0));
    // The buffer holds seven segments, and one is added for each that is played.
    let segments = 7.0 + ((40.0_f64 - 0.8) / 4.0).floor();
    let mean = (2.92e6 + (segments - 1.0) * 5.84e6) / segments;
    assert_near("bit rate", of("video_bitrate_bps"), mean, 0.02);
}

/// If the path carries a share g of the lowest bit rate, the player plays for that share of the time.
#[test]
fn a_player_stalls_for_the_share_of_the_bit_rate_that_the_path_lacks() {
    let text = r#"
        duration = "400s"
        warmup = "40s"
        path = { rate = "1Mbps", rtt = "20ms" }
        [[flows]]
        name = "player"
        algorithm = "newreno"
        source = { kind = "video", ladder = ["2Mbps"] }
        "#;
    let records = run(text, 0);
    let of = |metric| value(&records, "player", metric);
    let share = of("goodput_bps") / 2e6;
    assert!(share < 0.5);
    assert_near("share of time stalled", of("stall_share"), 1.0 - share, 0.02);
    assert_near("a stall per segment", of("stalls"), 360.0 * share / 4.0, 0.05);
}

fn adapted(adaptation: &str, rate: &str) -> f64 {
    let text = format!(
        r#"
        duration = "400s"
        warmup = "200s"
        path = {{ rate = "{rate}", rtt = "20ms" }}
        [[flows]]
        name = "player"
        algorithm = "newreno"
        source = {{ kind = "video", adaptation = {adaptation} }}
        "#
    );
    let records = run(&text, 0);
    assert!(value(&records, "player", "stalls") < 1.0, "{adaptation} on {rate}");
    value(&records, "player", "video_bitrate_bps")
}

/// On a constant rate every rule plays at that rate in the mean or at the highest bit rate below.
#[test]
fn every_rule_of_adaptation_uses_what_the_path_carries() {
    for adaptation in [r#"{ kind = "throughput" }"#, r#"{ kind = "buffer" }"#, r#"{ kind = "bola" }"#] {
        assert_near(adaptation, adapted(adaptation, "50Mbps"), 3e6, 0.001);
        let slow = adapted(adaptation, "1.5Mbps");
        assert!((0.99e6..1.46e6).contains(&slow), "{adaptation}: {slow}");
    }
}

fn responsiveness(queue: &str, source: &str) -> f64 {
    let text = format!(
        r#"
        duration = "20s"
        warmup = "5s"
        path = {{ rate = "20Mbps", rtt = "50ms", queue = {queue} }}
        [[flows]]
        name = "probe"
        algorithm = "cubic"
        source = {{ kind = "responsiveness"{source} }}
        "#
    );
    value(&run(&text, 0), "probe", "responsiveness_rpm")
}

/// Round trips per minute are 60 s over the round trip with its queue; 1200 of 50 ms.
#[test]
fn responsiveness_is_what_the_queue_leaves_of_it() {
    let long = r#"{ kind = "droptail", limit = "500ms" }"#;
    let bloated = responsiveness(long, "");
    assert!((60.0 / 0.58..60.0 / 0.35).contains(&bloated), "{bloated} of at most {}", 60.0 / 0.35);
    let managed = responsiveness(r#"{ kind = "fq-codel" }"#, "");
    assert!((700.0..1200.0).contains(&managed), "{managed}");
    let plain = responsiveness(long, ", tls = false");
    assert_near("the same in other words", plain, bloated, 0.15);
}

/// A call of constant bit rate, whose frames have 10,000 bytes in seven packets.
fn call(rate: &str, source: &str) -> narrows_lab::replication::Replication {
    let text = format!(
        r#"
        duration = "60s"
        warmup = "10s"
        path = {{ rate = "{rate}", rtt = "80ms", queue = {{ kind = "droptail", limit = "50pkt" }} }}
        transport = {{ send_delay = "0s" }}
        [[flows]]
        name = "call"
        algorithm = "cubic"
        source = {{ kind = "call", {source} }}
        "#
    );
    run(&text, 0)
}

const CONSTANT: &str = r#"minimum = "2400kbps", maximum = "2400kbps""#;

/// Half a round trip, the frame on the bottleneck, its first packet on the access link before and its last on the one
/// behind, both ten times as fast.
#[test]
fn a_frame_takes_half_a_round_trip_and_its_transmission_on_an_idle_path() {
    let records = call("20Mbps", CONSTANT);
    let of = |metric| value(&records, "call", metric);
    let expected = 0.04 + (10_280.0 + 0.1 * (1500.0 + 1280.0)) * 8.0 / 20e6;
    assert_near("mean", of("frame_delay_s"), expected, 1e-4);
    assert_near("95th percentile", of("frame_delay_p95_s"), expected, 0.008);
    assert_near("bit rate", of("frame_bitrate_bps"), 2.4e6, 1e-6);
    assert_near("goodput", of("goodput_bps"), 2.4e6, 0.002);
    assert_eq!((of("late_frame_share"), of("skipped_frame_share")), (0.0, 0.0));
    // Requests are no flow beside the one that they ask for.
    assert_near("Jain", of("jain"), 1.0, 1e-12);
}

#[test]
fn every_frame_is_late_where_the_deadline_is_shorter_than_the_path() {
    let records = call("20Mbps", &format!(r#"{CONSTANT}, deadline = "40ms""#));
    assert_near("all", value(&records, "call", "late_frame_share"), 1.0, 1e-12);
    let records = call("20Mbps", &format!(r#"{CONSTANT}, deadline = "45ms""#));
    assert!(value(&records, "call", "late_frame_share") < 1e-12);
}

/// Frames that the path cannot carry are skipped, and frames that it carries have waited for longer than the deadline.
#[test]
fn a_path_that_is_too_slow_carries_its_share_of_the_frames_and_all_of_them_late() {
    let records = call("1200kbps", CONSTANT);
    let of = |metric| value(&records, "call", metric);
    let carried = of("goodput_bps") / 2.4e6;
    assert!((0.4..0.5).contains(&carried), "{carried}");
    assert_near("skipped", of("skipped_frame_share"), 1.0 - carried, 0.02);
    assert_near("late or skipped", of("late_frame_share") + of("skipped_frame_share"), 1.0, 1e-9);
    assert!(of("frame_delay_s") > 0.15);
}

/// The encoder follows the controller: to its maximum if there is room, and otherwise to about the rate that the path
/// carries. Frames beyond that are skipped.
#[test]
fn the_bit_rate_of_a_call_follows_the_path() {
    assert_near("room", value(&call("20Mbps", ""), "call", "frame_bitrate_bps"), 2.5e6, 0.001);
    let slow = call("1Mbps", "");
    let of = |metric| value(&slow, "call", metric);
    assert!((0.8e6..1.25e6).contains(&of("frame_bitrate_bps")), "{}", of("frame_bitrate_bps"));
    let encoded = of("frame_bitrate_bps") * (1.0 - of("skipped_frame_share"));
    assert_near("encoded and not skipped", encoded, of("goodput_bps"), 0.03);
}

/// A path of 3333 packets whose load-generating connection may have 3300 in flight carries it without a queue: each part of a
/// probe takes a round trip of 40 ms, and 60 s hold 1500 of them.
#[test]
fn responsiveness_of_an_idle_path_is_a_minute_over_its_round_trip() {
    let text = r#"
        duration = "20s"
        warmup = "2s"
        path = { rate = "1Gbps", rtt = "40ms" }
        transport = { send_delay = "0s", receive_window = "3300pkt" }
        [[flows]]
        name = "probe"
        algorithm = "newreno"
        source = { kind = "responsiveness", connections = 1 }
        "#;
    assert_near("RPM", value(&run(text, 0), "probe", "responsiveness_rpm"), 60.0 / 0.04, 0.002);
}
