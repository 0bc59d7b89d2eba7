//! Truth: theory and contract. Applications on an empty path, by the arithmetic of slow start; what their users perceive where
//! the path is too slow.

mod support;

use support::{assert_near, run, value};

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

/// Where the path carries a share g of the lowest bit rate, the player plays for that share of the time.
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
