// SPDX-License-Identifier: Apache-2.0
//! Property: no text makes loading panic, and a scenario that loads can be resolved.

use super::{EXAMPLE, read, read_with};
use proptest::prelude::*;

/// A piece of the example, or of typical errors in the wrong place.
fn piece() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "\"10Mbps\"",
        "\"-1s\"",
        "\"1e300bps\"",
        "\"0.1pkt\"",
        "\"1000000bdp\"",
        "\"infinite\"",
        "\"unlimited\"",
        "\"1%\"",
        "\"0s..5s\"",
        "\"5s..0s\"",
        "true",
        "-1",
        "1e400",
        "nan",
        "9223372036854775808",
        "[]",
        "{}",
        "[[flows]]",
        "[path]",
        "[path.reverse]",
        "kind = \"red\"",
        "kind = \"walk\"",
        "algorithm",
        "=",
        "\"",
        "\n",
        "\u{fc}",
        "\u{0}",
        "#",
        "preset = \"linux\"",
        "trace",
        "\"Cargo.toml\"",
        "1979-05-27",
        "0x7fffffffffffffffffffffffffffffffffff",
    ];
    prop_oneof![
        prop::sample::select(WORDS).prop_map(str::to_owned),
        prop::sample::select(EXAMPLE.lines().collect::<Vec<_>>()).prop_map(|line| format!("\n{line}\n")),
        "[ -~]{0,12}",
    ]
}

/// The example with pieces put over parts of it.
fn mutated() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0_usize..12, piece());
    prop::collection::vec(edit, 1..5).prop_map(|edits| {
        let mut text: Vec<char> = EXAMPLE.chars().collect();
        for (at, length, piece) in edits {
            let start = at.index(text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_makes_loading_panic(text in mutated()) {
        match read(&text) {
            Ok(scenario) => {
                let again = read(&scenario.resolved);
                prop_assert!(again.is_ok(), "{}\n{:?}", scenario.resolved, again.err());
                prop_assert_eq!(again.map(|again| again.resolved).unwrap_or_default(), scenario.resolved);
            }
            Err(faults) => {
                prop_assert!(!faults.is_empty(), "a refusal gives its reason");
                for fault in faults {
                    prop_assert!(!fault.render().is_empty());
                }
            }
        }
    }

    #[test]
    fn no_argument_makes_loading_panic(path in "[a-z_.0-9]{0,20}", known in any::<prop::sample::Index>(), value in piece()) {
        let paths = ["path.rate", "path.rate.kind", "path.queue.min", "flows.0.algorithm", "flows.cubic.start", "expect"];
        let paths = [path.as_str(), paths[known.index(paths.len())]];
        for path in paths {
            if let Err(faults) = read_with(EXAMPLE, &[&format!("{path}={value}"), &format!("{path}.{value}=1")]) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
