// SPDX-License-Identifier: Apache-2.0
//! Description of a scenario in words, for the head of a report.

use super::resolve::{Resolved, Topology};
use super::sections::flow::ResolvedGroup;

/// Returns the title and text of each paragraph.
pub(super) fn describe(scenario: &Resolved, assumed: &[String]) -> Vec<(String, String)> {
    let mut words = vec![("Run".to_owned(), run(scenario))];
    words.extend(match &scenario.topology {
        Topology::Path { path, dumbbell } => path.describe(dumbbell.delay),
        Topology::Network(network) => network.describe(),
    });
    words.extend(assumed.iter().map(|sentence| ("Assumed".to_owned(), sentence.clone())));
    for ResolvedGroup { group, words: text, .. } in &scenario.groups {
        words.push((format!("Group {}", group.name), text.clone()));
    }
    words.push(("Records".to_owned(), scenario.recording.describe()));
    for expectation in &scenario.expectations {
        let of = expectation.link.as_deref().or(expectation.group.as_deref()).unwrap_or("every group");
        let least = expectation.at_least.map(|bound| format!("at least {bound}"));
        let most = expectation.at_most.map(|bound| format!("at most {bound}"));
        let bounds = [least, most].into_iter().flatten().collect::<Vec<_>>().join(" and ");
        words.push(("Expected".to_owned(), format!("{} of {of} {bounds}", expectation.measure)));
    }
    words
}

fn run(scenario: &Resolved) -> String {
    let measured = match scenario.run.warmup {
        Some(warmup) => format!("from {warmup} on"),
        None => "from where it has settled (MSER-5)".into(),
    };
    let times =
        if scenario.replications == 1 { "once".into() } else { format!("{} times", scenario.replications) };
    format!("{} simulated {times}, measured {measured}, seed {}", scenario.run.duration, scenario.run.seed)
}
