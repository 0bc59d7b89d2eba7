// SPDX-License-Identifier: Apache-2.0
//! What the page asks of the module, as Rust functions.

use narrows_lab::algorithm::AlgorithmLoader;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_playground::modules::Modules;
use narrows_playground::{describe, edit, run};
use serde_json::json;
use std::path::Path;

const TEXT: &str = "\
# One flow.
title    = \"One\"   # the title
duration = \"2s\"

[path]
rate = \"10Mbps\"    # the bottleneck
rtt  = \"40ms\"

[[flows]]
algorithm = \"newreno\"
";

fn edited(text: &str, changes: &[(&str, &str)]) -> Result<String, String> {
    edit::edit(text, changes).map(|answer| answer["text"].as_str().expect("it has a text").to_owned())
}

#[test]
fn a_change_keeps_everything_else_as_it_is_written() {
    let changed = edited(TEXT, &[("path.rate", "\"5Mbps\"")]);
    assert_eq!(changed, Ok(TEXT.replace("10Mbps", "5Mbps")));
    assert_eq!(edited(TEXT, &[]), Ok(TEXT.to_owned()));
}

#[test]
fn absent_tables_and_groups_are_added_and_removed() {
    let changed =
        edited(TEXT, &[("transport.ecn", "true"), ("flows.1.algorithm", "\"cubic\"")]).expect("it is TOML");
    assert!(changed.contains("[transport]\necn = true\n"), "{changed}");
    assert!(changed.contains("[[flows]]\nalgorithm = \"cubic\"\n"), "{changed}");
    let back = edited(&changed, &[("flows.1", ""), ("transport", "")]).expect("it is TOML");
    assert_eq!(back, TEXT);
}

#[test]
fn what_is_no_table_is_replaced_by_one() {
    let text = TEXT.replace("rtt ", "queue = \"codel\"\nrtt ");
    let changed = edited(&text, &[("path.queue.limit", "\"2bdp\"")]).expect("it is TOML");
    assert!(changed.contains("queue = { limit = \"2bdp\" }"), "{changed}");
}

/// The resolved file of a scenario, or its errors without their places.
fn resolved(text: &str, set: &[String]) -> Result<String, Vec<(String, String)>> {
    let loaded = load(text, "scenario.toml", Path::new(""), set, &LoadOptions::default());
    loaded.map(|scenario| scenario.resolved).map_err(|faults| {
        let mut words: Vec<_> = faults.into_iter().map(|fault| (fault.path, fault.message)).collect();
        // They are in the order of the file.
        words.sort();
        words
    })
}

/// The kinds that a table may have.
fn kinds(path: &str) -> Vec<String> {
    let set = [format!("{path}.kind=?")];
    let faults = load(TEXT, "scenario.toml", Path::new(""), &set, &LoadOptions::default());
    let fault = faults.expect_err("it is no kind").into_iter().find(|fault| fault.path.ends_with("kind"));
    fault.expect("the kind is at fault").allowed.split(", ").map(str::to_owned).collect()
}

#[test]
fn a_new_kind_keeps_the_keys_that_it_keeps_on_the_command_line() {
    let queue = |lines: &str| TEXT.replace("[path]\n", lines);
    let inline =
        |kind| format!("[path]\nqueue = {{ kind = \"{kind}\", limit = \"70pkt\", target = \"3ms\" }}\n");
    let table = queue("[path.queue]\nkind = \"droptail\"\nlimit = \"70pkt\" # kept\n[path]\n");
    let walk =
        "{ kind = \"walk\", step = \"1Mbps\", minimum = \"1Mbps\", maximum = \"9Mbps\", interval = \"1s\" }";
    let source = "\nsource = { kind = \"poisson\", size = { kind = \"fixed\", value = \"9kB\" }, interval = \"1s\", until = \"2s\" }";
    let mut texts = vec![("path.queue", TEXT.to_owned()), ("path.queue", table)];
    texts.extend(kinds("path.queue").into_iter().map(|kind| ("path.queue", queue(&inline(kind)))));
    texts.push(("path.rate", TEXT.replace("\"10Mbps\" ", walk)));
    texts.push(("flows.0.source", TEXT.replace("\"newreno\"", &format!("\"newreno\"{source}"))));
    let mut kept = 0;
    for (path, text) in texts {
        for after in kinds(path) {
            let changed =
                edited(&text, &[(&format!("{path}.kind"), &format!("\"{after}\""))]).expect("it is TOML");
            let set = [format!("{path}.kind={after}")];
            assert_eq!(resolved(&changed, &[]), resolved(&text, &set), "{text}{after}: {changed}");
            kept += usize::from(changed.contains("70pkt"));
        }
    }
    assert!(kept > 100, "{kept} changes kept the limit");
    let codel = edited(TEXT, &[("path.queue.kind", "\"codel\"")]).expect("it is TOML");
    assert!(codel.contains("\nqueue = { kind = \"codel\" }\n"), "{codel}");
}

#[test]
fn a_value_or_a_path_that_makes_no_sense_is_an_error() {
    for (path, value) in
        [("path.rate", "5Mbps"), ("flows.7.algorithm", "1"), ("flows.x", "1"), ("flows.0", "1")]
    {
        assert!(edited(TEXT, &[(path, value)]).is_err(), "{path}");
    }
    assert!(edited("no TOML", &[]).is_err());
}

#[test]
fn a_description_has_the_resolved_file_or_the_errors() {
    let loaded = |text: &str| load(text, "scenario.toml", Path::new(""), &[], &LoadOptions::default());
    let good = describe::describe(&loaded(TEXT));
    assert_eq!((good["title"].as_str(), good["duration_s"].as_f64()), (Some("One"), Some(2.0)));
    assert_eq!(good["resolved"]["path"]["queue"]["kind"], "droptail");
    let bad = describe::describe(&loaded(&TEXT.replace("10Mbps", "fast")));
    assert_eq!(
        (bad["errors"][0]["line"].as_u64(), bad["errors"][0]["path"].as_str()),
        (Some(6), Some("path.rate"))
    );
}

#[test]
fn a_run_reports_its_progress_and_gives_digest_and_series() {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    let loaded = load(TEXT, "scenario.toml", Path::new(""), &[], &LoadOptions::default());
    let (answer, _series) = run::run(&loaded, |now| LAST.store(now, Ordering::Relaxed)).expect("it runs");
    assert_eq!(LAST.load(Ordering::Relaxed), 2_000_000_000_000);
    assert!(answer["digest"].as_str().is_some_and(|digest| digest.len() == "sha256:".len() + 64));
    let lengths: Vec<_> =
        ["time_s", "name", "cwnd_packets"].map(|each| answer["series"][each]["length"].as_u64()).into();
    assert!(lengths[0] > Some(0) && lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
}

#[test]
fn replications_have_one_digest_and_a_summary_each() {
    let loaded = |replications| {
        let options = LoadOptions { replications: Some(replications), ..LoadOptions::default() };
        let text = TEXT.replace("\"newreno\"", "\"newreno\"\nstart = \"0s..1s\"");
        run::run(&load(&text, "scenario.toml", Path::new(""), &[], &options), |_| ()).expect("it runs").0
    };
    let (one, three) = (loaded(1), loaded(3));
    assert_eq!(one["others"], json!([]));
    assert_eq!(three["others"].as_array().map(Vec::len), Some(2));
    assert_eq!(one["groups"], three["groups"], "of the first");
    assert_ne!(three["others"][0]["groups"], three["others"][1]["groups"]);
    assert_ne!(one["digest"], three["digest"]);
}

#[test]
fn a_controller_is_found_by_the_name_of_its_file_among_those_that_are_open() {
    let modules = Modules::of(&json!({ "modules": { "mine.wasm": "0061736d", "mine.so": "7f" } }));
    let modules = modules.expect("it is in hexadecimal");
    for (file, words) in [
        ("/any/folder/mine.wasm", "is no WebAssembly module"),
        ("other.wasm", "is not open in this page"),
        ("mine.so", "is not open in this page"),
    ] {
        let fault = modules.load(Path::new(file), "mine", &[]).map(|_| ()).expect_err(file);
        assert!(fault.message.contains(words), "{file}: {}", fault.message);
    }
    assert!(Modules::of(&json!({})).is_ok(), "a request may have none");
    for wrong in ["0", "0g", "+1"] {
        assert!(Modules::of(&json!({ "modules": { "mine.wasm": wrong } })).is_err(), "{wrong}");
    }
}
