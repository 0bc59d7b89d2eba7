// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Flows that QUIC stacks carry: the same bits from the same seed, a filled link, the workloads that they
//! support beside flows of Narrows, and the refusal of all else.

use crate::support::compiled::compiled;
use crate::support::libraries::Libraries;
use narrows_lab::backend::{Progress, RunError};
use narrows_lab::records::Column;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, executed, load};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn options() -> LoadOptions {
    let loader = Some(Arc::new(Libraries) as _);
    LoadOptions { stacks: narrows_quic::stacks(), loader, ..LoadOptions::default() }
}

fn read(text: &str, overrides: &[&str]) -> Result<Scenario, Vec<Diagnostic>> {
    let overrides: Vec<String> = overrides.iter().map(|&each| each.to_owned()).collect();
    load(text, "stacks.toml", Path::new(""), &overrides, &options())
}

fn result(text: &str, overrides: &[&str]) -> Replication {
    let scenario = read(text, overrides).unwrap_or_else(|faults| panic!("{faults:?}"));
    run(&scenario.model, 0, &Progress::new()).expect("the run ends")
}

/// One flow on a link that it fills: 20 Mbps, 40 ms, a queue of one bandwidth-delay product.
fn bulk(stack: &str, controller: &str) -> String {
    format!(
        r#"
        duration = "12s"
        warmup = "2s"
        path = {{ rate = "20Mbps", rtt = "40ms", queue = {{ kind = "droptail", limit = "1bdp" }} }}
        [[flows]]
        stack = "{stack}"
        algorithm = "{controller}"
        "#
    )
}

/// Stacks with their controllers.
fn controllers() -> Vec<(&'static str, &'static str)> {
    let all = narrows_quic::stacks();
    all.iter().flat_map(|stack| stack.controllers().iter().map(|name| (stack.name(), *name))).collect()
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    for (stack, controller) in controllers() {
        let text = bulk(stack, controller);
        let shorter = ["duration = 4s", "warmup = 1s", "path.loss = {kind = 'bernoulli', rate = '1%'}"];
        let first = result(&text, &shorter).digest();
        assert_eq!(first, result(&text, &shorter).digest(), "{stack} {controller}");
        let other =
            ["duration = 4s", "warmup = 1s", "path.loss = {kind = 'bernoulli', rate = '1%'}", "seed = 2"];
        assert_ne!(first, result(&text, &other).digest(), "{stack} {controller}");
    }
}

#[test]
fn every_controller_fills_a_link_of_its_own() {
    for (stack, controller) in controllers() {
        let found = result(&bulk(stack, controller), &[]);
        let value = |name: &str| found.groups[0].value(name);
        // Of 1480 bytes, 52 are headers of IP, UDP and QUIC, and the tag: 19.3 Mbps of payload fill the link.
        let goodput = value("goodput_bps") / 1e6;
        assert!((14.0..19.4).contains(&goodput), "{stack} {controller}: {goodput} Mbps");
        let rtt = value("rtt_mean_s") * 1e3;
        assert!((40.0..82.0).contains(&rtt), "{stack} {controller}: {rtt} ms");
    }
}

#[test]
fn a_connection_outlasts_thousands_of_losses_at_the_end_of_slow_start() {
    for stack in narrows_quic::stacks() {
        let text = bulk(stack.name(), "cubic");
        let deep = [
            "duration = 6s",
            "warmup = 0s",
            "path = {rate = '100Mbps', rtt = '100ms', queue = {kind = 'droptail', limit = '4bdp'}}",
        ];
        let found = result(&text, &deep);
        let lost = found.links[0].value("dropped_packets");
        assert!(lost > 1_024.0, "{}: {lost} packets lost", stack.name());
        assert_eq!(found.groups[0].value("failed_flows").to_bits(), 0.0_f64.to_bits(), "{}", stack.name());
        let goodput = found.groups[0].value("goodput_bps") / 1e6;
        assert!(goodput > 75.0, "{}: {goodput} Mbps", stack.name());
    }
}

#[test]
fn a_controller_that_the_stack_does_not_have_is_refused() {
    for algorithm in ["msquic:cubic", "msquic:narrows:cubic", "msquic:./libmine.so:mine"] {
        let text = bulk("X", algorithm).replace("stack = \"X\"", "");
        let faults = read(&text, &[]).expect_err("there is no such stack");
        assert_eq!(faults[0].message, "no stack msquic is part of this build of Narrows");
        assert!(faults[0].allowed.starts_with("quinn:NAME and noq:NAME"), "{faults:?}");
        assert!(faults[0].hint.as_deref().is_some_and(|hint| hint.contains("narrows.h")), "{faults:?}");
    }
    for stack in narrows_quic::stacks() {
        for algorithm in ["vegas", "cubic(beta=0.5)", "linux:cubic"] {
            let faults = read(&bulk(stack.name(), algorithm), &[]).expect_err("it is refused");
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert_eq!(faults[0].path, "flows.0.algorithm");
            assert!(faults[0].allowed.contains("cubic"), "{faults:?}");
        }
    }
}

#[test]
fn a_name_with_a_colon_stands_for_stack_and_controller() {
    for (stack, controller) in controllers() {
        let apart = bulk(stack, controller);
        let group = format!("stack = \"{stack}\"\n        algorithm = \"{controller}\"");
        let together = apart.replace(&group, &format!("algorithm = \"{stack}:{controller}\""));
        assert_ne!(apart, together);
        let shorter = ["duration = 3s", "warmup = 1s"];
        assert_eq!(result(&apart, &shorter).digest(), result(&together, &shorter).digest(), "{together}");
    }
    let faults = read(&bulk("quinn", "noq:cubic"), &[]).expect_err("two stacks");
    assert_eq!(faults[0].message, "the stack quinn has no such controller");
}

#[test]
fn flows_without_end_take_little_memory() {
    for (stack, controller) in [("quinn", "cubic"), ("noq", "bbr3")] {
        let text = bulk(stack, controller);
        let many = ["duration = 3s", "warmup = 1s", "flows.0.count = 30"];
        let taken = allocation_counter::measure(|| drop(result(&text, &many)));
        assert!(taken.bytes_max < 50_000_000, "{} bytes at once", taken.bytes_max);
    }
}

/// Algorithms of Narrows in stacks.
const HOSTED: [(&str, &str); 5] = [
    ("quinn", "narrows:newreno"),
    ("quinn", "narrows:cubic(beta=0.8)"),
    ("noq", "narrows:newreno"),
    ("noq", "narrows:bbr3"),
    ("noq", "narrows:copa"),
];

#[test]
fn algorithms_of_narrows_in_stacks_repeat_their_bits_and_fill_a_link() {
    for (stack, algorithm) in HOSTED {
        let text = bulk(stack, algorithm);
        let found = result(&text, &[]);
        assert_eq!(found.digest(), result(&text, &[]).digest(), "{stack} {algorithm}");
        let goodput = found.groups[0].value("goodput_bps") / 1e6;
        assert!((14.0..19.4).contains(&goodput), "{stack} {algorithm}: {goodput} Mbps");
        let loss = "path.loss = {kind = 'bernoulli', rate = '1%'}";
        let lossy = |seed| result(&text, &["duration = 4s", "warmup = 1s", loss, seed]).digest();
        assert_eq!(lossy("seed = 1"), lossy("seed = 1"), "{stack} {algorithm}");
        assert_ne!(lossy("seed = 1"), lossy("seed = 2"), "{stack} {algorithm}");
    }
}

#[test]
fn a_resolved_scenario_names_the_algorithm_in_the_stack_with_its_parameters() {
    let table = bulk("quinn", "X").replace("\"X\"", "{ name = \"narrows:cubic\", beta = 0.8 }");
    let line = bulk("quinn", "narrows:cubic(beta=0.8)");
    let [table, line] = [table, line].map(|text| read(&text, &[]).expect("it is read"));
    assert_eq!(table.resolved, line.resolved);
    assert!(line.resolved.contains("quinn:narrows:cubic"), "{}", line.resolved);
    assert_eq!(
        line.model.groups[0].algorithm.to_string(),
        "quinn:narrows:cubic(c=0.4,beta=0.8,fast_convergence=true)"
    );
    let again = read(&line.resolved, &[]).expect("it is read");
    assert_eq!(again.resolved, line.resolved);
}

#[test]
fn what_a_stack_does_not_give_to_an_algorithm_is_refused_by_name_and_reason() {
    for (stack, algorithm, reason) in [
        ("quinn", "dctcp", "the number of marked packets"),
        ("noq", "dctcp", "the number of marked packets"),
        ("quinn", "xcp", "routers with the queue xcp"),
        ("noq", "xcp", "routers with the queue xcp"),
        ("quinn", "bbr3", "it sets a pacing rate, which the stack ignores"),
    ] {
        let faults = read(&bulk(stack, &format!("narrows:{algorithm}")), &[]).expect_err("it is refused");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, "flows.0.algorithm");
        assert_eq!(faults[0].given.as_deref(), Some(format!("\"narrows:{algorithm}\"").as_str()));
        assert!(faults[0].message.contains(reason), "{faults:?}");
    }
    let unknown = read(&bulk("quinn", "narrows:cubik"), &[]).expect_err("there is none");
    assert!(unknown[0].hint.as_deref().is_some_and(|hint| hint.contains("cubic")), "{unknown:?}");
}

#[test]
fn the_rule_of_newreno_in_c_sends_the_packets_of_that_of_the_catalogue_in_a_stack() {
    let library = compiled("newreno.c", &[]);
    for stack in ["quinn", "noq"] {
        // The rule in C counts in packets of the size at the start, so they stay as they are.
        for path in ["path.packet = 1228B", "path.loss = {kind = 'bernoulli', rate = '0.3%'}"] {
            let ran = |algorithm: &str| result(&bulk(stack, algorithm), &["path.packet = 1228B", path]);
            let (inside, outside) = (ran("narrows:newreno"), ran(&format!("{}:newreno", library.display())));
            for measure in ["goodput_bps", "loss_rate", "retransmission_rate", "rtt_mean_s", "reductions"] {
                let [inside, outside] = [&inside, &outside].map(|ran| ran.groups[0].value(measure).to_bits());
                assert_eq!(inside, outside, "{measure} in {stack}, {path}");
            }
        }
    }
}

#[test]
fn a_window_in_bytes_is_what_is_in_flight_in_every_host() {
    // Below the bandwidth-delay product, at which nothing is lost; the stacks find out that packets of 1200 bytes may be larger.
    let library = compiled("window.c", &["WINDOW=60000"]);
    for (stack, payload) in [("", 1460.0), ("quinn:", 1452.0), ("noq:", 1452.0)] {
        let text = bulk("X", "X").replace("stack = \"X\"", "");
        let text = text.replace("\"X\"", &format!("\"{stack}{}:constant\"", library.display()));
        let found = result(&text, &["duration = 4s", "warmup = 1s"]);
        let goodput = found.groups[0].value("goodput_bps") / 1e6;
        assert!((11.0..12.0).contains(&goodput), "{stack}: {goodput} Mbps");
        let window = found.groups[0].value("cwnd_mean_packets") * payload;
        assert!((window - 60_000.0).abs() < 0.01, "{stack}: the record has {window} bytes");
    }
}

#[test]
fn inner_variables_of_an_algorithm_are_recorded_in_a_stack_as_outside_of_it() {
    let library = compiled("newreno.c", &[]).display().to_string();
    let variables = |stack: &str, algorithm: &str| -> BTreeSet<String> {
        let text =
            bulk("X", "X").replace("stack = \"X\"", "").replace("\"X\"", &format!("\"{stack}{algorithm}\""));
        let found = result(&text, &["duration = 3s", "warmup = 1s", "record.internals = true"]);
        let Some(Column::Label { labels, .. }) = found.tables["internals"].column("variable") else {
            return BTreeSet::new();
        };
        labels.iter().cloned().collect()
    };
    for (algorithm, stacks) in
        [("bbr3", &["noq"][..]), ("cubic", &["quinn", "noq"]), (&library, &["quinn", "noq"])]
    {
        let (prefix, name) = if algorithm == library {
            ("", format!("{library}:newreno"))
        } else {
            ("narrows:", algorithm.to_owned())
        };
        let outside = variables("", &name);
        assert!(!outside.is_empty(), "{name} shows none");
        for stack in stacks {
            assert_eq!(variables(&format!("{stack}:{prefix}"), &name), outside, "{name} in {stack}");
        }
    }
}

#[test]
fn a_library_that_fails_in_a_stack_ends_the_run_with_flow_group_and_time() {
    for (define, words) in [
        ("ZERO_WINDOW", "after acked, window is 0"),
        ("NO_LIMIT", "after acked, neither window nor pacing_rate is set"),
        ("ECN=1", "it needs the number of marked packets"),
    ] {
        let library = compiled("misbehaving.c", &[define]);
        for stack in ["quinn", "noq"] {
            let text = bulk(stack, &format!("{}:mine", library.display()));
            let scenario = read(&text, &["flows.0.start = 3s", "flows.0.name = judged"]);
            let scenario = scenario.unwrap_or_else(|faults| panic!("{faults:?}"));
            let ended = run(&scenario.model, 0, &Progress::new()).map(|_| ());
            let Err(RunError::Algorithm(failure)) = ended else { panic!("{define} in {stack}: {ended:?}") };
            assert_eq!((failure.flow, failure.group.as_str()), (0, "judged"));
            let file = library.file_name().expect("it is a file").display();
            assert!(failure.algorithm.starts_with(&format!("{stack}:{file}")), "{}", failure.algorithm);
            assert!(
                failure.failure.reason.contains(words),
                "{define} in {stack}: {}",
                failure.failure.reason
            );
            let at = failure.failure.at.as_secs_f64();
            assert!((3.0..3.5).contains(&at), "{define} in {stack}: the time of the run, not {at}");
        }
    }
}

#[test]
fn a_rate_without_a_window_is_refused_by_a_stack_that_ignores_rates_before_it_sends_without_end() {
    for (define, latest, words) in [
        ("RATE_ALONE", 0.0, "it has no window, and the stack takes no pacing rate"),
        ("RATE_ALONE_LATER", 0.5, "it sets a pacing rate, which the stack ignores"),
    ] {
        let library = compiled("misbehaving.c", &[define]);
        let scenario = read(&bulk("quinn", &format!("{}:mine", library.display())), &[]).expect("it is read");
        let mut ended = None;
        let taken = allocation_counter::measure(|| ended = run(&scenario.model, 0, &Progress::new()).err());
        let Some(RunError::Algorithm(failure)) = ended else { panic!("{define}: {ended:?}") };
        assert!(failure.failure.reason.contains(words), "{define}: {}", failure.failure.reason);
        assert!(failure.failure.at.as_secs_f64() <= latest, "{define}: {:?}", failure.failure.at);
        assert!(taken.bytes_max < 20_000_000, "{define}: {} bytes at once", taken.bytes_max);
    }
}

#[test]
fn a_file_behind_a_stack_is_among_what_is_executed_and_what_the_digest_covers() {
    let library = compiled("newreno.c", &[]);
    let name = format!("quinn:{}:newreno(factor=0.7)", library.display());
    for (stack, algorithm) in [("quinn", name.as_str()), ("quinn", name.trim_start_matches("quinn:"))] {
        let text = bulk(stack, algorithm);
        let found = executed(&text, "stacks.toml", Path::new(""), &[], &options()).expect("it is read");
        let what: Vec<_> = found.iter().map(|each| each.what.clone()).collect();
        assert_eq!(what, [format!("{}:newreno", library.display())]);
        let scenario = read(&text, &[]).expect("it is read");
        assert_eq!(scenario.files.len(), 1);
        assert_eq!(scenario.inputs.len(), 1);
        assert_eq!(Path::new(&scenario.inputs[0].written), library);
        assert_eq!(scenario.inputs[0].digest, scenario.files[0].1);
        let file = library.file_name().expect("a file").display();
        assert_eq!(
            scenario.model.groups[0].algorithm.to_string(),
            format!("quinn:{file}:newreno(factor=0.7)")
        );
    }
}

/// The metrics of one flow of `algorithm`, a name with a colon for one in a stack, on the link of `bulk`.
fn alone(algorithm: &str) -> Replication {
    let of_group = "stack = \"X\"\n        algorithm = \"X\"";
    let text = bulk("X", "X").replace(of_group, &format!("algorithm = \"{algorithm}\""));
    // Outside of the stacks one of 13 reductions follows a lost retransmission; the stacks have no such reduction here.
    let outside: &[_] =
        if algorithm.contains(':') { &[] } else { &["transport.lost_retransmission_reduces = false"] };
    result(&text, &[&["duration = 60s", "warmup = 10s"], outside].concat())
}

#[test]
fn the_rule_of_newreno_has_one_course_as_the_stacks_own_in_the_stack_and_outside_of_it() {
    let measured = |algorithm: &str| {
        let found = alone(algorithm);
        let of_group = |name: &str| found.groups[0].value(name);
        let delay = found.links[0].value("queue_delay_mean_s");
        [of_group("goodput_bps"), delay, of_group("reduction_interval_s"), of_group("rtt_mean_s")]
    };
    let agree = |one: [f64; 4], other: [f64; 4], tolerances: [f64; 4], what: &str| {
        for ((one, other), tolerance) in one.into_iter().zip(other).zip(tolerances) {
            assert!((one / other - 1.0).abs() < tolerance, "{what}: {one} and {other}");
        }
    };
    let outside = measured("newreno");
    for stack in ["quinn", "noq"] {
        let (ours, theirs) =
            (measured(&format!("{stack}:narrows:newreno")), measured(&format!("{stack}:newreno")));
        // One transport: goodput differs by 0.01 %, the others by 0.4 % at most.
        agree(ours, theirs, [0.001, 0.01, 0.01, 0.01], stack);
        // Two transports: packets of the stack have less payload, and recovery is another. 1.7 %, and 0.8 % at most.
        agree(ours, outside, [0.025, 0.02, 0.02, 0.02], stack);
    }
}

#[test]
fn the_bbr_of_narrows_in_noq_is_that_of_narrows_and_not_that_of_noq() {
    let goodput = |algorithm: &str| alone(algorithm).groups[0].value("goodput_bps") / 1e6;
    let (inside, outside, theirs) = (goodput("noq:narrows:bbr3"), goodput("bbr3"), goodput("noq:bbr3"));
    // 18.73, 18.81 and 16.77 Mbps: the transport does not make the difference between the two BBR 3.
    assert!((inside / outside - 1.0).abs() < 0.01, "{inside} and {outside} Mbps");
    assert!(inside > 1.08 * theirs, "{inside} and {theirs} Mbps");
}
