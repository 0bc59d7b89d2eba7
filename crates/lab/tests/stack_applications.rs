// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Applications over QUIC stacks: the same metrics as over Narrows' own endpoints, the same bits from the same seed, an end
//! where their keys say so, and sound runs whatever they request.

use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{LoadOptions, load};
use std::path::Path;

const STACKS: [&str; 2] = ["quinn", "noq"];

const BASE: &str = r#"
duration = "12s"
warmup = "0s"
path = { rate = "10Mbps", rtt = "40ms", queue = { kind = "droptail", limit = "1bdp" } }
[[flows]]
name = "clients"
algorithm = "cubic"
"#;

fn ran(algorithm: &str, source: &str, changes: &[&str]) -> Replication {
    let algorithm = format!("flows.0.algorithm={algorithm}");
    let source = format!("flows.0.source={source}");
    let changes = [&[algorithm.as_str(), source.as_str()], changes].concat();
    let changes: Vec<String> = changes.into_iter().map(str::to_owned).collect();
    let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
    let scenario = load(BASE, "media.toml", Path::new(""), &changes, &options);
    let scenario = scenario.unwrap_or_else(|faults| panic!("{algorithm} {source}: {faults:?}"));
    run(&scenario.model, 0, &Progress::new()).expect("the run ends")
}

/// Each source with metrics, and the factor within which they equal the metrics of Narrows' own endpoints.
const SOURCES: [(&str, &[(&str, f64)]); 5] = [
    ("{kind='call'}", &[("frame_bitrate_bps", 1.1), ("frame_delay_s", 1.2)]),
    ("{kind='game',minimum='1Mbps',maximum='5Mbps'}", &[("frame_bitrate_bps", 1.2), ("frame_delay_s", 1.5)]),
    ("{kind='video',segment='1s',buffer='4s'}", &[("video_bitrate_bps", 1.2), ("startup_delay_s", 1.6)]),
    (
        "{kind='web',levels=[{size='30kB'},{count=10,size='20kB'}],think='500ms'}",
        &[("page_load_time_s", 1.6)],
    ),
    ("{kind='responsiveness',connections=1}", &[("responsiveness_rpm", 2.5)]),
];

/// Sources that only stacks carry.
const OBJECTS: [&str; 2] = ["{kind='objects'}", "{kind='objects',delivery='datagrams'}"];

#[test]
fn applications_have_the_metrics_that_they_have_over_our_own_endpoints() {
    for (source, metrics) in SOURCES {
        let own = ran("cubic", source, &[]);
        for stack in STACKS {
            let found = ran(&format!("{stack}:cubic"), source, &[]);
            for (metric, factor) in metrics {
                let (own, found) = (own.groups[0].value(metric), found.groups[0].value(metric));
                let ratio = found / own;
                assert!(
                    ratio < *factor && ratio > factor.recip(),
                    "{stack} {source} {metric}: {found}, own {own}"
                );
            }
            assert_eq!(
                found.groups[0].value("failed_flows").to_bits(),
                0.0_f64.to_bits(),
                "{stack} {source}"
            );
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_over_loss() {
    let lossy = ["duration=4s", "path.loss={kind='bernoulli',rate='2%'}", "flows.0.count=2"];
    let sources = SOURCES.iter().map(|(source, _)| *source).chain(OBJECTS);
    for source in sources {
        for algorithm in ["quinn:newreno", "noq:bbr3", "noq:narrows:newreno"] {
            let digest = |seed| ran(algorithm, source, &[&lossy[..], &[seed]].concat()).digest();
            let first = digest("seed=1");
            assert_eq!(digest("seed=1"), first, "{algorithm} {source}");
            assert_ne!(digest("seed=2"), first, "{algorithm} {source}");
        }
    }
}

/// Bits that the link has sent in a run of so many seconds.
fn sent(found: &Replication, seconds: f64) -> f64 {
    found.links[0].value("rate_bps") * seconds
}

#[test]
fn what_stops_sends_nothing_more() {
    for stack in STACKS {
        let algorithm = format!("{stack}:cubic");
        let sources = SOURCES.iter().map(|(source, _)| *source).chain(OBJECTS).chain(["{kind='bulk'}"]);
        for source in sources {
            // Packets in flight at a stop, and their acknowledgements, arrive within a second.
            let at = sent(&ran(&algorithm, source, &["flows.0.stop=2s"]), 12.0);
            let to = sent(&ran(&algorithm, source, &["flows.0.stop=2s", "duration=3s"]), 3.0);
            assert!(at > 0.0 && (at - to).abs() < 1.0, "{stack} {source}: {at} and {to} bits");
            let shorter = ["flows.0.lasts=1s", "flows.0.start=1s", "duration=3s"];
            let lasts = sent(&ran(&algorithm, source, &shorter), 3.0);
            assert!(lasts > 0.0 && lasts < to, "{stack} {source}: {lasts} of {to} bits");
        }
        let endless = ran(&algorithm, "{kind='bulk'}", &["flows.0.stop=2s"]);
        assert_eq!(endless.groups[0].value("failed_flows").to_bits(), 0.0_f64.to_bits(), "{stack}");
        // A transfer that is not complete is aborted.
        let size = ["flows.0.size=100MB", "flows.0.stop=2s"];
        let aborted = sent(&ran(&algorithm, "{kind='bulk'}", &size), 12.0);
        assert!((15e6..22e6).contains(&aborted), "{stack}: {aborted} bits");
    }
}

#[test]
fn a_lost_packet_delays_one_object_and_not_those_behind_it() {
    // Small objects that are all requested at once: of one stream, each waits for those before it.
    let source = "{kind='web',levels=[{count=60,size='8kB'}],think='200ms'}";
    let lossy = ["path.loss={kind='bernoulli',rate='2%'}", "duration=30s"];
    let pages = |algorithm: &str| ran(algorithm, source, &lossy).groups[0].value("loaded_pages");
    for stack in STACKS {
        let found = pages(&format!("{stack}:cubic"));
        assert!(found > 5.0, "{stack}: {found} pages");
    }
}

/// A source with values at the ends of what keys allow, drawn from `draws`.
fn hostile(draws: &mut narrows_engine::Stream) -> (String, Vec<String>) {
    let mut of = |choices: &[&'static str]| choices[draws.up_to(choices.len() as u64 - 1) as usize];
    let size = of(&["1B", "1200B", "1GB", "{kind='pareto',mean='20kB',shape=1.1}"]);
    let kinds =
        ["call", "game", "video", "web", "web", "responsiveness", "responsiveness", "objects", "objects"];
    let source = match of(&kinds) {
        "objects" => format!(
            "{{kind='objects',fps={},bitrate='{}',group={},key_frame={},deadline='{}',delivery='{}'}}",
            of(&["1", "1000"]),
            of(&["1bps", "2Mbps", "100Gbps"]),
            of(&["1", "7", "100000"]),
            of(&["1", "1000"]),
            of(&["1us", "100ms", "60s"]),
            of(&["streams", "datagrams"])
        ),
        "video" => format!(
            "{{kind='video',ladder=['1bps','{}'],segment='{}',buffer='2s'}}",
            of(&["2bps", "1Tbps"]),
            of(&["1ms", "2s"])
        ),
        "web" => format!(
            "{{kind='web',levels=[{{count={},size={}}},{{count={},size='1B'}}],connections={},streams={},think='{}'}}",
            of(&["1", "300", "10000"]),
            if size.starts_with('{') { size.to_owned() } else { format!("'{size}'") },
            of(&["1", "999"]),
            of(&["1", "6"]),
            of(&["1", "100", "1000"]),
            of(&["1ms", "100ms"])
        ),
        "responsiveness" => {
            format!(
                "{{kind='responsiveness',connections={},interval='{}'}}",
                of(&["1", "5"]),
                of(&["1ms", "50ms"])
            )
        }
        kind => format!(
            "{{kind='{kind}',fps={},minimum='1bps',maximum='{}',skip='{}'}}",
            of(&["1", "1000"]),
            of(&["2bps", "100Gbps"]),
            of(&["1us", "9s"])
        ),
    };
    let changes = [
        format!("path.loss={{kind='bernoulli',rate='{}'}}", of(&["0%", "5%", "40%"])),
        format!("path.rate={}", of(&["100kbps", "5Mbps", "50Mbps"])),
        format!("path.rtt={}", of(&["1ms", "50ms", "600ms"])),
        format!("flows.0.stop={}", of(&["1ms", "200ms", "700ms", "2s"])),
        format!("flows.0.count={}", of(&["1", "3"])),
        format!("flows.0.stream_receive_window={}", of(&["1B", "20kB", "1GB"])),
        format!("flows.0.send_window={}", of(&["1B", "20kB", "1GB"])),
        "path.queue.limit=30pkt".to_owned(),
        "duration=1s".to_owned(),
    ];
    (source, changes.into())
}

#[test]
fn hostile_sources_neither_panic_nor_take_memory_without_bound() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(24_u32);
    for case in 0..cases {
        let mut draws = narrows_engine::Stream::new(case.into(), 0, "hostile");
        let (source, changes) = hostile(&mut draws);
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        for stack in STACKS {
            let algorithm = format!("{stack}:{}", ["cubic", "newreno"][case as usize % 2]);
            let mut digest = String::new();
            let taken = allocation_counter::measure(|| digest = ran(&algorithm, &source, &changes).digest());
            let most = taken.bytes_max;
            assert!(
                most < 200_000_000,
                "case {case}, {algorithm} {source} {changes:?}: {most} bytes at once"
            );
            if case % 8 == 0 {
                let again = ran(&algorithm, &source, &changes).digest();
                assert_eq!(again, digest, "case {case}, {algorithm} {source} {changes:?}");
            }
        }
    }
}
