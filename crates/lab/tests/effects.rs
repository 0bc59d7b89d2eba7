// SPDX-License-Identifier: Apache-2.0
//! Contract: every parameter of every algorithm and queue, and every key of the transport, changes a measurement in
//! some scenario. A parameter without an effect would be a setting that misleads.
//!
//! The parameters come from the cards, the keys from the resolved file, so a new one is tried too.

use crate::support::values::others;
use narrows_lab::backend::Progress;
use narrows_lab::card::Domain;
use narrows_lab::congestion_control::Algorithm;
use narrows_lab::replication::run;
use narrows_lab::scenario::{LoadOptions, load, presets};
use narrows_lab::{algorithm, queues};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The measurements of `text` changed by `sets`, as text without the names of algorithms; `None` if it is refused.
fn measured(text: &str, sets: &[String]) -> Option<String> {
    let scenario = load(text, "test.toml", Path::new("."), sets, &LoadOptions::default()).ok()?;
    let replication = run(&scenario.model, 0, &Progress::new()).expect("the run ends by itself");
    let values = replication.groups.iter().chain(&replication.links).map(|each| &each.values);
    Some(format!("{:?}", values.collect::<Vec<_>>()))
}

/// Whether some value of `candidates`, written by `set`, changes a measurement in some scenario of `texts`.
fn has_effect(
    texts: &[(String, Option<String>)],
    candidates: &[String],
    set: impl Fn(&str) -> Vec<String>,
) -> bool {
    texts.iter().any(|(text, plain)| {
        candidates.iter().any(|candidate| {
            let changed = measured(text, &set(candidate));
            changed.is_some() && plain.is_some() && changed != *plain
        })
    })
}

/// Other values than the default, as they are written; those that do not suit are refused and do not count.
fn candidates(domain: &Domain) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(|word| format!("\"{word}\"")).collect();
    match *domain {
        Domain::Number { default, minimum, maximum } => {
            let all = [default * 2.0, default / 2.0, default + 1.0, default * 0.9, minimum, maximum, 0.5];
            let fitting = all.iter().filter(|value| value.is_finite());
            fitting.filter(|value| (minimum..=maximum).contains(*value)).map(f64::to_string).collect()
        }
        Domain::Integer { default, minimum, maximum } => {
            let all = [default * 2, default / 2, default + 1, minimum];
            let fitting =
                all.iter().filter(|value| **value != default && (minimum..=maximum).contains(*value));
            fitting.map(u64::to_string).collect()
        }
        Domain::Fraction { default, .. } => [default / 2.0, default * 2.0, 0.9]
            .iter()
            .filter(|value| **value <= 1.0)
            .map(f64::to_string)
            .collect(),
        Domain::Flag { default } => vec![(!default).to_string()],
        Domain::Choice { allowed, .. } => words(allowed),
        Domain::Rate { .. } => words(&["500kbps", "50Mbps"]),
        Domain::Span { .. } => words(&["700us", "7ms", "300ms", "2s"]),
        Domain::Size { .. } => words(&["500B", "3000B"]),
        Domain::Length { .. } => words(&["2pkt", "12pkt", "40pkt"]),
        Domain::Limit { .. } => words(&["4pkt", "30pkt", "infinite"]),
        Domain::Limits => vec!["[\"3pkt\"]".into()],
        Domain::Groups => vec!["[\"b\"]".into()],
        Domain::Classes { .. } => vec!["{ b = 0 }".into()],
        Domain::Discipline { .. } => vec!["{ kind = \"red\", min = \"3pkt\", max = \"9pkt\" }".into()],
    }
}

/// Paths on which algorithms differ: a full buffer, marks, losses, a long pipe, a rate that changes, a long time, routers.
const PATHS: &[&str] = &[
    "duration = \"6s\"\npath = { rate = \"4Mbps\", rtt = \"40ms\" }\n",
    "duration = \"6s\"\ntransport = { preset = \"sack-2012\" }\npath = { rate = \"4Mbps\", rtt = \"40ms\" }\n",
    "duration = \"6s\"\ntransport = { preset = \"sack-2012\" }\npath = { rate = \"40Mbps\", rtt = \"100ms\" }\n",
    "duration = \"6s\"\ntransport = { ecn = true }\npath = { rate = \"8Mbps\", rtt = \"20ms\", queue = { kind = \"step\", threshold = \"5pkt\" } }\n",
    "duration = \"6s\"\npath = { rate = \"8Mbps\", rtt = \"40ms\", loss = { kind = \"bernoulli\", rate = 0.01 } }\n",
    "duration = \"6s\"\npath = { rate = \"40Mbps\", rtt = \"100ms\" }\n",
    "duration = \"6s\"\npath = { rtt = \"40ms\", rate = { kind = \"square\", high = \"9Mbps\", low = \"1Mbps\", period = \"3s\" } }\n",
    "duration = \"6s\"\npath = { rate = \"8Mbps\", rtt = \"40ms\", queue = { kind = \"xcp\" } }\n",
    "duration = \"6s\"\npath = { rate = \"8Mbps\", rtt = \"40ms\", queue = { kind = \"droptail\", limit = \"3bdp\" } }\n",
    "duration = \"40s\"\npath = { rate = \"3Mbps\", rtt = \"40ms\", queue = { kind = \"droptail\", limit = \"2bdp\" } }\n",
    "duration = \"8s\"\ntransport = { preset = \"sack-2012\" }\npath = { rate = \"30Mbps\", rtt = \"200ms\", loss = { kind = \"bernoulli\", rate = 0.0005 } }\n",
    "duration = \"40s\"\ntransport = { preset = \"sack-2012\" }\npath = { rate = \"3Mbps\", rtt = \"40ms\", queue = { kind = \"droptail\", limit = \"2bdp\" } }\n",
    "duration = \"8s\"\npath = { rate = \"30Mbps\", rtt = \"200ms\", loss = { kind = \"bernoulli\", rate = 0.0005 } }\n",
];

/// Parameters that have an effect only beside others, and those.
const BESIDE: &[(&str, &str, &str)] = &[
    ("tcp", "compat", "gamma=8"),
    ("cubic-2008", "limit", "s_max=1"),
    ("cubic-2008", "s_max", "beta=0.05"),
    ("ctcp", "tuning", "low_window=5"),
    ("fast-at", "low", "tuning_period=0.5"),
    ("fast-at", "middle", "tuning_period=0.5"),
    ("fast-at", "low_up", "tuning_period=0.5"),
    ("fast-at", "middle_up", "tuning_period=0.5"),
    ("fast-at", "middle_down", "tuning_period=0.5"),
    ("fast-at", "high_down", "tuning_period=0.5"),
    ("ltcp", "reference", "rtt_scaling=true"),
    ("prague", "target_rtt", "transition=5"),
    ("tfrc", "c", "conservative=true"),
    ("yeah", "zeta", "q_max=8"),
];

#[test]
fn every_parameter_of_every_algorithm_has_an_effect() {
    let mut without = Vec::new();
    for entry in algorithm::listed() {
        let name = entry.card.name;
        let mut plain_by_others = BTreeMap::new();
        // The routers that answer its requests.
        let router = Algorithm::parse(name).expect("a known algorithm").needs().router.unwrap_or("xcp");
        for parameter in entry.card.parameters {
            let found = BESIDE.iter().find(|(of, known, _)| (*of, *known) == (name, parameter.name));
            let others = found.map_or("", |(.., others)| *others);
            let texts = plain_by_others.entry(others).or_insert_with(|| {
                PATHS.iter().map(|path| {
                    let path = path.replace("xcp", router);
                    let text = format!(
                        "{path}[[flows]]\nname = \"a\"\nalgorithm = \"{name}({others})\"\ncount = 2\nstart = \"0s..1s\"\n"
                    );
                    let plain = measured(&text, &[]);
                    (text, plain)
                }).collect::<Vec<_>>()
            });
            let set = |value: &str| {
                let given = format!("{}={}", parameter.name, value.trim_matches('"'));
                let given = if others.is_empty() { given } else { format!("{others},{given}") };
                vec![format!("flows.0.algorithm={name}({given})")]
            };
            if !has_effect(texts, &candidates(&parameter.domain), set) {
                without.push(format!("{name}.{}", parameter.name));
            }
        }
    }
    assert!(without.is_empty(), "parameters without an effect: {without:?}");
}

/// Parameters of queues that have an effect only beside another, and that.
const QUEUES_BESIDE: &[(&str, &str, (&str, &str))] = &[("fq-pie", "ecn_prob", ("ecn", "true"))];

#[test]
fn every_parameter_of_every_queue_has_an_effect() {
    let mut without = Vec::new();
    for entry in queues::entries() {
        let name = entry.card.name;
        let (first, second) = match name {
            "xcp" => ("xcp", "xcp"),
            "rcp" => ("rcp", "rcp"),
            // Flows of VCP alone leave no queue to be sampled.
            "vcp" => ("vcp", "newreno"),
            "adpm" => ("bmcc", "bmcc"),
            "maxnet" => ("maxnet", "maxnet"),
            "decbit" => ("decbit", "newreno"),
            "source-quench" => ("source-quench", "newreno"),
            "dualpi2" | "pi2" => ("prague", "cubic"),
            _ => ("newreno", "constant(rate=1Mbps)"),
        };
        let needed: BTreeMap<&str, &str> = entry
            .card
            .parameters
            .iter()
            .filter_map(|parameter| match parameter.domain {
                Domain::Groups => Some((parameter.name, "[\"a\"]")),
                Domain::Classes { required: true, .. } => Some((parameter.name, "{ a = 0 }")),
                _ => None,
            })
            .collect();
        let queue = |changed: &[(&'static str, &str)]| {
            let mut keys = needed.clone();
            keys.extend(changed.iter().copied());
            let keys: Vec<String> = keys.iter().map(|(key, value)| format!(", {key} = {value}")).collect();
            vec![format!("path.queue={{ kind = \"{name}\"{} }}", keys.concat())]
        };
        let mut texts = Vec::new();
        for (ecn, rate, count) in
            [(false, "4Mbps", 3), (true, "4Mbps", 3), (true, "500kbps", 2), (false, "40Mbps", 9)]
        {
            let (ask, back) = if name == "quick-start" {
                (", quick_start = \"30Mbps\"", ", reverse = { queue = { kind = \"quick-start\" } }")
            } else {
                ("", "")
            };
            // Acknowledgements wait beside data.
            let opposite = "[[flows]]\nname = \"c\"\nalgorithm = \"newreno\"\ndirection = \"reverse\"\n";
            let opposite = if ["droptail", "cake"].contains(&name) { opposite } else { "" };
            let text = format!(
                "duration = \"6s\"\npath = {{ rate = \"{rate}\", rtt = \"40ms\"{back} }}\ntransport = {{ ecn = {ecn}{ask} }}\n\
                 [[flows]]\nname = \"a\"\nalgorithm = \"{first}\"\ncount = {count}\nstart = \"0s..2s\"\n\
                 [[flows]]\nname = \"b\"\nalgorithm = \"{second}\"\n{opposite}"
            );
            texts.push(text);
        }
        for parameter in entry.card.parameters {
            let found = QUEUES_BESIDE.iter().find(|(of, known, _)| (*of, *known) == (name, parameter.name));
            let others: Vec<(&'static str, &str)> = found.iter().map(|(.., other)| *other).collect();
            let plain =
                texts.iter().map(|text| (text.clone(), measured(text, &queue(&others)))).collect::<Vec<_>>();
            let set = |value: &str| queue(&[others.as_slice(), &[(parameter.name, value)]].concat());
            if !has_effect(&plain, &candidates(&parameter.domain), set) {
                without.push(format!("{name}.{}", parameter.name));
            }
        }
    }
    assert!(without.is_empty(), "parameters without an effect: {without:?}");
}

/// Routers in both directions that approve requests on an idle path.
const APPROVING: &[&str] =
    &["path.rate=40Mbps", "path.queue={kind=\"quick-start\"}", "path.reverse.queue={kind=\"quick-start\"}"];

const APPROVING_20_MBPS: &[&str] = &[
    "path.rate=40Mbps",
    "path.queue={kind=\"quick-start\"}",
    "path.reverse.queue={kind=\"quick-start\"}",
    "transport.quick_start=20Mbps",
];

/// A delay that for a moment exceeds the retransmission timeout.
const DELAYED: &str =
    "path.impairments=[{kind=\"delay-steps\",delays=[\"0s\",\"1s\",\"0s\"],times=[\"0s\",\"4s\",\"4.5s\"]}]";

/// Keys of the transport that have an effect only beside others, each with another value and the others.
const TRANSPORT_BESIDE: &[(&str, &str, &[&str])] = &[
    ("lost_retransmission_reduces", "false", &["path.loss={kind=\"bernoulli\",rate=0.2}"]),
    (
        "reduction_from",
        "window",
        &[
            "flows.0.source={kind=\"writes\",interval=\"100ms\",size=\"14600B\"}",
            "transport.initial_window=60pkt",
            "path.loss={kind=\"bernoulli\",rate=0.05}",
        ],
    ),
    ("limited_transmit", "false", &["transport.recovery=newreno"]),
    ("window_validation", "false", &["transport.receive_window=9pkt"]),
    (
        "rate_limited_increase",
        "true",
        &[
            "flows.0.source={kind=\"onoff\",rate=\"1Mbps\",on=\"1s\",off=\"1s\"}",
            "transport.initial_window=4pkt",
            "transport.idle_restart=false",
        ],
    ),
    ("slow_start", "standard", &["path.rate=40Mbps", "path.rtt=100ms"]),
    ("quick_start", "20Mbps", APPROVING),
    ("quick_start_ssthresh", "true", APPROVING_20_MBPS),
    ("saved_window", "400pkt", &["path.rate=40Mbps", "path.rtt=100ms"]),
    ("saved_rtt", "2s", &["path.rate=40Mbps", "path.rtt=100ms", "transport.saved_window=400pkt"]),
    ("first_cut", "half", &["flows.0.algorithm=aimd(b=0.8)"]),
    ("receive_autotuning", "true", &["transport.initial_window=200pkt"]),
    ("read_rate", "1Mbps", &["transport.receive_window=9pkt"]),
    ("read_pause", "3s..5s", &["transport.receive_window=9pkt"]),
    ("undo", "none", &["transport.frto=none", DELAYED]),
    ("undo_restores", "window", &["flows.0.algorithm=cubic", DELAYED]),
    ("frto", "none", &[DELAYED]),
    (
        "idle_restart",
        "false",
        &["flows.0.source={kind=\"writes\",interval=\"2s\",size=\"90kB\"}", "path.queue.limit=infinite"],
    ),
    (
        "restart_window",
        "halved",
        &["flows.0.source={kind=\"writes\",interval=\"900ms\",size=\"90kB\"}", "path.queue.limit=infinite"],
    ),
    ("pacing_credit", "true", &["transport.pacing=true"]),
    ("pacing_cap", "500kbps", &[]),
    ("unpaced_packets", "10", &["transport.pacing=true"]),
    ("ecn", "true", &["path.queue={kind=\"step\"}"]),
    (
        "ecn_packets",
        "all",
        &[
            "transport.ecn=true",
            "flows.0.algorithm=dctcp",
            "path.queue={kind=\"step\"}",
            "path.loss={kind=\"bernoulli\",rate=0.02}",
        ],
    ),
    ("abe", "true", &["transport.ecn=true", "path.queue={kind=\"step\"}"]),
    ("delayed_ack_timeout", "1ms", &["transport.delayed_ack=7"]),
    ("nagle", "true", &["flows.0.size=100kB"]),
    ("tso_autosizing", "true", &["path.rate=100Mbps"]),
    ("receive_offload_timeout", "7ms", &["transport.receive_offload=8"]),
    ("ack_division", "3", &["transport.ack_counting=acks"]),
    ("hide_ce", "true", &["transport.ecn=true", "path.queue={kind=\"step\"}"]),
    ("rtt_clock", "10ms", &["path.loss={kind=\"bernoulli\",rate=0.2}"]),
    ("rto", "linux", &["path.loss={kind=\"bernoulli\",rate=0.2}"]),
    (
        "rto_restart",
        "head",
        &["transport.preset=sack-2012", "path.loss={kind=\"bernoulli\",rate=0.2}", "flows.0.size=200kB"],
    ),
    ("initial_rto", "90ms", &["path.loss={kind=\"bernoulli\",rate=0.5}", "flows.0.count=9"]),
    ("min_rto", "900ms", &["path.loss={kind=\"bernoulli\",rate=0.2}"]),
    ("timer_tick", "100ms", &["path.loss={kind=\"bernoulli\",rate=0.2}"]),
    ("max_rto", "1s", &["path.loss={kind=\"bernoulli\",rate=0.5}"]),
    ("syn_retries", "0", &["path.loss={kind=\"bernoulli\",rate=0.6}", "flows.0.count=9"]),
    ("retries", "1", &["path.loss={kind=\"bernoulli\",rate=0.5}"]),
];

#[test]
fn every_slow_start_has_an_effect_on_an_algorithm_with_one_of_its_own() {
    // SEARCH ends a slow start before its first loss only over a deep buffer.
    let text = "duration = \"6s\"\n[path]\nrate = \"40Mbps\"\nrtt = \"100ms\"\nqueue = { kind = \"droptail\", limit = \"8bdp\" }\n[[flows]]\nalgorithm = \"cubic-linux\"\n";
    let kinds = ["standard", "limited", "hystart", "hystart++", "search", "rapid"];
    let found: BTreeSet<_> =
        kinds.iter().map(|kind| measured(text, &[format!("transport.slow_start={kind}")])).collect();
    assert_eq!(found.len(), kinds.len());
    assert!(found.contains(&measured(text, &[])));
}

#[test]
fn every_key_of_the_transport_has_an_effect() {
    let text = "duration = \"12s\"\n[path]\nrate = \"4Mbps\"\nrtt = \"40ms\"\n[[flows]]\nname = \"a\"\nalgorithm = \"newreno\"\ncount = 2\n";
    let mut without = Vec::new();
    for value in &presets()[0].values {
        let beside = TRANSPORT_BESIDE.iter().find(|(known, ..)| *known == value.key);
        let needs: &[&str] = beside.map_or(&[], |(.., needs)| needs);
        let needs: Vec<String> = needs.iter().map(ToString::to_string).collect();
        let plain = measured(text, &needs).unwrap_or_else(|| panic!("{needs:?} is refused"));
        let candidates = beside.map_or_else(|| others(value), |(_, other, _)| vec![(*other).to_owned()]);
        let changed = candidates.iter().any(|candidate| {
            let set = format!("transport.{}={candidate}", value.key);
            measured(text, &[&needs[..], &[set]].concat()).is_some_and(|changed| changed != plain)
        });
        if !changed {
            without.push(value.key);
        }
    }
    assert!(without.is_empty(), "keys without an effect: {without:?}");
}
