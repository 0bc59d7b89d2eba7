// SPDX-License-Identifier: Apache-2.0
//! Truth: theory with tolerance, and contract. Connections of noq over several paths: the sum of disjoint paths, shares of one
//! bottleneck (RFC 6356 §1), the end and the return of a path; keys and their refusals.

use narrows_lab::backend::Progress;
use narrows_lab::records::Records;
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load};
use narrows_lab::sim::{RunOptions, simulate};
use std::path::Path;

/// Wi-Fi of 20 Mbps and 40 ms, cellular of 10 Mbps and 80 ms.
const APART: &str = r#"
duration = "12s"
warmup = "2s"
network.rtt = "40ms"
[[network.links]]
from = "phone"
to = "wifi"
rate = "20Mbps"
delay = "10ms"
queue = { kind = "droptail", limit = "1bdp" }
[[network.links]]
from = "wifi"
to = "server"
rate = "1Gbps"
delay = "10ms"
[[network.links]]
from = "phone"
to = "cellular"
rate = "10Mbps"
delay = "20ms"
queue = { kind = "droptail", limit = "1bdp" }
[[network.links]]
from = "cellular"
to = "server"
rate = "1Gbps"
delay = "20ms"
[[flows]]
name = "both"
algorithm = "noq:newreno"
from = "phone"
to = "server"
"#;

/// Two routes from the phone to one bottleneck of 20 Mbps and 40 ms, with another flow beside.
const SHARED: &str = r#"
duration = "100s"
warmup = "20s"
network.rtt = "40ms"
[[network.links]]
from = "phone"
to = "a"
rate = "1Gbps"
delay = "5ms"
[[network.links]]
from = "a"
to = "m"
rate = "1Gbps"
delay = "5ms"
[[network.links]]
from = "phone"
to = "b"
rate = "1Gbps"
delay = "5ms"
[[network.links]]
from = "b"
to = "m"
rate = "1Gbps"
delay = "5ms"
[[network.links]]
from = "m"
to = "server"
rate = "20Mbps"
delay = "10ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flows]]
name = "both"
algorithm = "noq:newreno"
from = "phone"
to = "server"
paths = [{ via = ["a"] }, { via = ["b"] }]
[[flows]]
name = "single"
algorithm = "noq:newreno"
from = "phone"
to = "server"
via = ["a"]
start = "0s..1s"
"#;

const BOTH: &str = "flows.0.paths=[{via=[\"wifi\"]},{via=[\"cellular\"]}]";

fn read(text: &str, changes: &[&str]) -> Result<Scenario, Vec<Diagnostic>> {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    let options = LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() };
    load(text, "paths.toml", Path::new(""), &changes, &options)
}

fn ran(text: &str, changes: &[&str], replication: u32) -> Records {
    let scenario = read(text, changes).unwrap_or_else(|faults| panic!("{changes:?}: {faults:?}"));
    simulate(&scenario.model, replication, &Progress::new(), RunOptions::default()).expect("the run ends")
}

/// Payload that the first flow of a group delivers after the warm-up, bytes.
fn delivered(records: &Records, group: usize) -> f64 {
    let flow = records.connections.iter().find(|flow| flow.group == group).expect("the group has a flow");
    (flow.received - flow.received_at_warmup) as f64
}

/// Bytes sent after the warm-up on the link `name`.
fn sent(records: &Records, name: &str) -> u64 {
    let number = records.run.links.iter().position(|link| link.name == name).expect("there is such a link");
    let link = &records.links[number];
    link.at_end.sent_bytes.count() - link.at_warmup.sent_bytes.count()
}

fn algorithm(name: &str) -> String {
    format!("flows.0.algorithm=noq:{name}")
}

#[test]
fn disjoint_idle_paths_carry_the_sum_of_both() {
    for name in ["cubic", "newreno", "lia", "bbr3"] {
        let with = |paths: &str| delivered(&ran(APART, &[&algorithm(name), paths], 0), 0);
        let alone = with("flows.0.via=[\"wifi\"]") + with("flows.0.via=[\"cellular\"]");
        let ratio = with(BOTH) / alone;
        assert!((ratio - 1.0).abs() < 0.03, "{name}: {ratio}");
    }
}

#[test]
fn over_one_bottleneck_uncoupled_paths_take_two_shares_and_coupled_paths_one() {
    for (name, expected) in [("newreno", 2.0 / 3.0), ("lia", 0.5)] {
        let shares = [0, 1].map(|replication| {
            let records = ran(SHARED, &[&algorithm(name)], replication);
            let (both, single) = (delivered(&records, 0), delivered(&records, 1));
            both / (both + single)
        });
        let share = f64::midpoint(shares[0], shares[1]);
        assert!((share - expected).abs() < 0.05, "{name}: {shares:?}");
    }
}

#[test]
fn lia_on_one_path_is_newreno() {
    let [lia, newreno] = ["lia", "newreno"]
        .map(|name| delivered(&ran(APART, &[&algorithm(name), "flows.0.via=[\"wifi\"]"], 0), 0));
    assert!((lia - newreno).abs() < 0.5, "{lia} and {newreno} bytes");
}

/// The longest time without a byte that is delivered in order, seconds, from 2 s on.
fn longest_gap(records: &Records) -> f64 {
    let mut longest = 0.0_f64;
    let mut last = 2.0;
    for (end, sample) in records.interval_ends.iter().zip(&records.connections[0].series) {
        let end = end.as_secs_f64();
        if sample.goodput_bps > 0.0 {
            longest = longest.max(end - last);
            last = end;
        }
    }
    longest
}

const FAILS: &str = "network.events=[{at=\"5s\",fail=\"phone-wifi\"},{at=\"8s\",restore=\"phone-wifi\"}]";

/// The stack declares the packets of a closed path lost three probe timeouts after the other end has abandoned it, too, so the gap is
/// that, a round trip of the other path and the repair.
#[test]
fn a_path_that_fails_and_is_closed_loses_no_byte_and_is_opened_again() {
    let paths =
        "flows.0.paths=[{via=[\"wifi\"],stop=\"5s\"},{via=[\"cellular\"]},{via=[\"wifi\"],start=\"8s\"}]";
    for name in ["newreno", "lia", "cubic"] {
        let changes = [algorithm(name), paths.into(), FAILS.into(), "record.interval=10ms".into()];
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let records = ran(APART, &changes, 0);
        let gap = longest_gap(&records);
        let before = records.interval_ends.iter().position(|end| end.as_secs_f64() >= 5.0).expect("it is");
        let srtt = records.connections[0].series[before].srtt_s;
        // RFC 9002 §6.2.1 with the variation of a first sample, which is the greatest here, and the usual delay of acknowledgements.
        let timeout = srtt + 4.0 * srtt / 2.0 + 0.025;
        assert!(gap < 3.0 * timeout + 0.16, "{name}: {gap} s with a round trip of {srtt} s");
        let goodput = |from: f64, to: f64| {
            let times = records.interval_ends.iter().map(|end| end.as_secs_f64());
            let within =
                times.zip(&records.connections[0].series).filter(|(end, _)| (from..to).contains(end));
            let rates: Vec<f64> = within.map(|(_, sample)| sample.goodput_bps).collect();
            rates.iter().sum::<f64>() / rates.len() as f64
        };
        assert!((8e6..10e6).contains(&goodput(6.5, 8.0)), "{name}: {}", goodput(6.5, 8.0));
        assert!(goodput(10.0, 12.0) > 24e6, "{name}: {}", goodput(10.0, 12.0));
        // A transfer arrives in full.
        let records = ran(APART, &[changes.as_slice(), &["flows.0.size=20MB"]].concat(), 0);
        let flow = &records.connections[0];
        assert!(flow.completed.is_some_and(|at| at.as_secs_f64() > 6.0), "{name}: {:?}", flow.completed);
        assert_eq!(flow.received, 20_000_000, "{name}");
    }
}

/// The library has no timeout of a path unless one is set: what was sent on the failed path is repaired when the link is back.
#[test]
fn a_path_that_fails_without_being_closed_stalls_the_connection_until_it_is_back() {
    let records = ran(APART, &[BOTH, FAILS, "record.interval=10ms"], 0);
    let gap = longest_gap(&records);
    assert!((2.9..6.5).contains(&gap), "{gap} s");
}

#[test]
fn a_backup_path_carries_data_while_no_other_is_open() {
    let paths = |stop: &str| {
        format!("flows.0.paths=[{{via=[\"wifi\"]{stop}}},{{via=[\"cellular\"],status=\"backup\"}}]")
    };
    let unused = ran(APART, &[&paths("")], 0);
    assert!(sent(&unused, "phone-cellular") < 20_000, "{} B", sent(&unused, "phone-cellular"));
    let used = ran(APART, &[&paths(",stop=\"6s\"")], 0);
    // From 6 s to 12 s at 10 Mbps.
    assert!(
        (6_000_000..7_600_000).contains(&sent(&used, "phone-cellular")),
        "{} B",
        sent(&used, "phone-cellular")
    );
}

/// The server of this source is at the phone; neither path carries the bit rate alone.
#[test]
fn a_server_sends_on_all_paths() {
    let records = ran(APART, &[BOTH, "flows.0.source={kind='objects',bitrate='25Mbps'}"], 0);
    let rate = |name: &str| sent(&records, name) as f64 * 8.0 / 10.0;
    let (wifi, cellular) = (rate("phone-wifi"), rate("phone-cellular"));
    assert!(wifi > 5e6 && cellular > 2e6, "{wifi} and {cellular} bps");
    assert!((24e6..29e6).contains(&(wifi + cellular)), "{wifi} and {cellular} bps");
}

#[test]
fn each_key_changes_the_run_and_its_resolved_file_repeats_it() {
    let mut seen = Vec::new();
    for path in [
        "{}",
        "{via=[\"cellular\"]}",
        "{via=[\"cellular\"],status=\"backup\"}",
        "{via=[\"cellular\"],start=\"3s\"}",
        "{via=[\"cellular\"],stop=\"3s\"}",
    ] {
        let paths = format!("flows.0.paths=[{{via=[\"wifi\"]}},{path}]");
        let scenario = read(APART, &[&paths, "duration=4s"]).unwrap_or_else(|faults| panic!("{faults:?}"));
        let run = |scenario: &Scenario| {
            let options = RunOptions::default();
            simulate(&scenario.model, 0, &Progress::new(), options).expect("the run ends").digest()
        };
        let digest = run(&scenario);
        assert!(!seen.contains(&digest), "{path}");
        let again = read(&scenario.resolved, &[]).unwrap_or_else(|faults| panic!("{path}: {faults:?}"));
        assert_eq!(again.resolved, scenario.resolved, "{path}");
        assert_eq!(run(&again), digest, "{path}");
        seen.push(digest);
    }
}

#[test]
fn inner_variables_of_each_path_are_recorded() {
    let records = ran(APART, &[BOTH, "record.internals=true", "duration=4s"], 0);
    for path in 0..2 {
        for variable in ["window", "srtt_s", "sent_bytes"] {
            let name = format!("path_{path}_{variable}");
            assert!(records.internals.variables.contains(&name), "{name}: {:?}", records.internals.variables);
        }
    }
}

#[test]
fn what_cannot_have_several_paths_is_refused_with_the_reason() {
    for (changes, key, message, allowed) in [
        (&["flows.0.algorithm=cubic", BOTH][..], "flows.0.paths", "without a stack has one path", "noq"),
        (&["flows.0.algorithm=quinn:cubic", BOTH], "flows.0.paths", "stack quinn has one path", "noq"),
        (&["flows.0.paths=[]"], "flows.0.paths", "an empty list", "at least one"),
        (&["flows.0.paths=[{}]"], "flows.0.paths", "not several", "2 to 8"),
        (&["flows.0.paths=[{},{},{},{},{},{},{},{},{}]"], "flows.0.paths", "not several", "2 to 8"),
        (&["flows.0.paths=[{},{via=[\"wfi\"]}]"], "flows.0.paths.1.via", "unknown router", "wifi"),
        (&["flows.0.paths=[{},{via=[\"phone\"]}]"], "flows.0.paths.1.via", "twice in a row", "route"),
        (&["flows.0.via=[\"wifi\"]", BOTH], "flows.0.via", "beside paths", "each of the paths"),
        (&["flows.0.paths=[{start=\"1s\"},{}]"], "flows.0.paths.0.start", "opens the connection", "no start"),
        (
            &["flows.0.paths=[{},{start=\"2s\",stop=\"1s\"}]"],
            "flows.0.paths.1.stop",
            "before it starts",
            "2s",
        ),
        (&["flows.0.paths=[{},{status=\"idle\"}]"], "flows.0.paths.1.status", "", "backup"),
    ] {
        let faults = read(APART, changes).expect_err(message);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, key, "{faults:?}");
        let text = faults[0].render();
        assert!(text.contains(message) && text.contains(allowed), "{text}");
    }
    let path =
        "duration = \"1s\"\npath = { rate = \"9Mbps\", rtt = \"9ms\" }\n[[flows]]\nalgorithm = \"noq:lia\"";
    let faults = read(path, &["flows.0.paths=[{},{}]"]).expect_err("a path has no routers");
    assert!(faults.iter().all(|fault| fault.path == "flows.0.paths"), "{faults:?}");
    assert!(faults[0].message.contains("does not fit here"), "{faults:?}");
}
