// SPDX-License-Identifier: Apache-2.0
//! Truth: theory. Flows and clients that start a given time apart, and that stop before the run does.

use crate::support::{assert_near, scenario};
use narrows_lab::backend::Progress;
use narrows_lab::records::Records;
use narrows_lab::sim::{RunOptions, simulate};
use narrows_units::Time;

/// A path of 10 Mbps and 40 ms, with a group that has `keys`.
fn with(duration: &str, keys: &str) -> Records {
    let text = format!(
        r#"
        duration = "{duration}"
        path = {{ rate = "10Mbps", rtt = "40ms" }}
        [[flows]]
        name = "a"
        {keys}
        "#
    );
    run(&text)
}

fn run(text: &str) -> Records {
    simulate(&scenario(text).model, 0, &Progress::new(), RunOptions::default())
        .expect("the run ends by itself")
}

/// What the group received, bytes.
fn received(records: &Records) -> f64 {
    records.groups[0].at_end.bytes_received as f64
}

/// What the bottleneck carries of payload in `seconds`, bytes.
fn carried(seconds: f64) -> f64 {
    10e6 / 8.0 * 1460.0 / 1500.0 * seconds
}

/// From its start at 1 s to its end at 4 s, or after 3 s, it has the path to itself; what waits then is delivered.
#[test]
fn an_endless_flow_fills_the_path_until_it_stops_and_then_sends_nothing() {
    for end in ["stop = \"4s\"", "lasts = \"3s\""] {
        let keys = format!("algorithm = \"cubic\"\nstart = \"1s\"\n{end}");
        let (short, long) = (with("6s", &keys), with("30s", &keys));
        assert_near(end, received(&short), carried(3.0), 0.03);
        assert_near("and nothing after", received(&long), received(&short), 1e-9);
    }
}

/// Lost packets are repaired after the end of the application's writing.
#[test]
fn what_was_sent_before_the_end_is_delivered_in_full() {
    let keys = "algorithm = \"newreno\"\nstop = \"3s\"";
    let text = |loss: &str| {
        format!(
            "duration = \"30s\"\n[path]\nrate = \"10Mbps\"\nrtt = \"40ms\"\n{loss}\n[[flows]]\nname = \"a\"\n{keys}"
        )
    };
    let lossy = run(&text("loss = { kind = \"bernoulli\", rate = \"5%\" }"));
    let counts = &lossy.groups[0].at_end;
    assert!(counts.retransmissions * 30 > counts.packets_sent, "{counts:?}");
    // Every byte that was sent for the first time has been received.
    let sent = counts.packets_sent - counts.retransmissions;
    assert_near("received", received(&lossy), sent as f64 * 1460.0, 0.0);
}

/// Each of three flows has the path alone for two of every five seconds.
#[test]
fn flows_of_a_group_start_exactly_as_far_apart_as_stated() {
    let keys = "algorithm = \"cubic\"\ncount = 3\nstart = \"1s\"\nstagger = \"5s\"\nlasts = \"2s\"";
    let records = with("20s", keys);
    assert_near("three times two seconds", received(&records), carried(6.0), 0.04);
    let transfers =
        with("20s", "algorithm = \"cubic\"\ncount = 4\nstart = \"1s\"\nstagger = \"3s\"\nsize = \"10kB\"");
    let starts: Vec<f64> =
        transfers.transfers.iter().map(|each| each.started.since(Time::ZERO).as_secs_f64()).collect();
    assert_eq!(starts, [1.0, 4.0, 7.0, 10.0]);
}

#[test]
fn a_transfer_that_is_not_complete_when_it_stops_is_abandoned() {
    let keys = "algorithm = \"cubic\"\nsize = \"5MB\"\nstop = \"2s\"";
    let ends = |keys: &str| {
        let counts = with("10s", keys).groups[0].at_end;
        (counts.completed, counts.abandoned)
    };
    assert_eq!(ends(keys), (0, 1));
    let keys = "algorithm = \"cubic\"\nsize = \"1MB\"\nstop = \"2s\"";
    assert_eq!(ends(keys), (1, 0));
}

/// 2 Mbps on the wire for three seconds, in packets of 1500 bytes.
#[test]
fn a_source_with_a_rate_of_its_own_stops() {
    let keys = "source = { kind = \"cbr\", rate = \"2Mbps\" }\nstart = \"1s\"\nlasts = \"3s\"";
    let records = with("10s", keys);
    let sent = records.groups[0].at_end.packets_sent as f64;
    assert_near("packets", sent, 2e6 * 3.0 / 12_000.0, 0.003);
    let keys = "algorithm = \"rap\"\nlasts = \"3s\"";
    let (short, long) = (with("5s", keys), with("20s", keys));
    assert_near("rap", received(&long), received(&short), 1e-9);
}

/// 30 frames a second for four seconds.
#[test]
fn a_client_closes_its_connections_when_it_stops() {
    let call = "algorithm = \"cubic\"\nsource = { kind = \"call\" }\nstart = \"1s\"\nlasts = \"4s\"";
    let frames = |duration: &str| {
        let records = with(duration, call);
        let application = records.groups[0].application.clone().expect("frames are counted");
        application.frames.known() as f64
    };
    assert_near("frames", frames("10s"), 120.0, 0.02);
    assert_near("nothing after", frames("20s"), frames("10s"), 1e-9);
    for source in
        ["\"video\"", "\"web\", think = \"500ms\", levels = [{ size = \"2MB\" }]", "\"responsiveness\""]
    {
        let keys = format!("algorithm = \"cubic\"\nsource = {{ kind = {source} }}\nstop = \"5s\"");
        let (short, long) = (with("8s", &keys), with("30s", &keys));
        assert!(received(&short) > 1e4, "{source}");
        assert_near(source, received(&long), received(&short), 1e-9);
    }
}
