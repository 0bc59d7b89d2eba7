// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. Flows that QUIC stacks carry: the same bits from the same seed, a filled link, the workloads that they
//! support beside flows of Narrows, and the refusal of all else.

use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load};
use std::path::Path;

fn options() -> LoadOptions {
    LoadOptions { stacks: narrows_quic::stacks(), ..LoadOptions::default() }
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
fn a_controller_that_the_stack_does_not_have_is_refused() {
    for stack in narrows_quic::stacks() {
        for algorithm in ["vegas", "cubic(beta=0.5)", "linux:cubic", "./mine.py:Mine"] {
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
