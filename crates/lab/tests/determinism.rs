// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. The records of a run depend on the scenario, the seed and the replication, and on nothing else.

use crate::support::{VARIED, run, run_as, scenario, value};
use narrows_lab::sim::RunOptions;

#[test]
fn the_records_do_not_depend_on_how_the_run_is_carried_out() {
    for (what, text) in VARIED {
        let plain = run_as(text, 0, RunOptions { lookahead: false, ..RunOptions::default() }).digest();
        for partitions in [1, 2, 3] {
            for lookahead in [true, false] {
                let other =
                    run_as(text, 0, RunOptions { partitions, lookahead, ..RunOptions::default() }).digest();
                assert_eq!(other, plain, "{what}: {partitions} partitions, computed hops: {lookahead}");
            }
        }
    }
}

#[test]
fn the_same_run_in_another_thread_has_the_same_records() {
    let (_, text) = VARIED[0];
    let here = run(text, 0).digest();
    let there = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| run(text, 0).digest())).collect();
        runs.into_iter().map(|run| run.join().expect("the run ends")).collect::<Vec<_>>()
    });
    assert_eq!(there, vec![here; 3]);
}

#[test]
fn another_replication_and_another_seed_have_other_records() {
    for (what, text) in VARIED {
        let first = run(text, 0).digest();
        assert_ne!(run(text, 1).digest(), first, "{what}: replication 1");
        assert_ne!(run(&format!("seed = 2\n{text}"), 0).digest(), first, "{what}: seed 2");
    }
}

#[test]
fn the_resolved_scenario_has_the_same_records() {
    for (what, text) in VARIED {
        assert_eq!(run(&scenario(text).resolved, 0).digest(), run(text, 0).digest(), "{what}");
    }
}

/// Named streams: the starts of the first group are the same draws whether or not a second group is there.
#[test]
fn another_flow_does_not_shift_the_draws_of_the_first() {
    let alone = r#"
        duration = "3s"
        path = { rate = "20Mbps", rtt = "40ms" }
        [[flows]]
        algorithm = "cubic"
        count = 3
        start = "0s..2s"
    "#;
    let accompanied = format!(
        "{alone}\n[[flows]]\nname = \"more\"\nalgorithm = \"newreno\"\ncount = 4\nstart = \"0s..2s\""
    );
    let starts = |text: &str| run(text, 0).tables["flows"].real("start_s").expect("a column")[..3].to_vec();
    assert_eq!(starts(alone), starts(&accompanied));
}

/// A longer warm-up only moves the start of measuring; what happened before and after it is the same.
#[test]
fn the_warm_up_changes_no_event() {
    let text = |warmup: &str| {
        format!(
            "duration = \"8s\"\nwarmup = \"{warmup}\"\npath = {{ rate = \"10Mbps\", rtt = \"40ms\" }}\n[[flows]]\nalgorithm = \"cubic\"\ncount = 2"
        )
    };
    let (early, late) = (run(&text("0s"), 0), run(&text("4s"), 0));
    assert_eq!(
        early.tables["series"].real("cwnd_packets").map(bits),
        late.tables["series"].real("cwnd_packets").map(bits)
    );
    assert!(value(&late, "cubic", "goodput_bps") > value(&early, "cubic", "goodput_bps"));
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}
