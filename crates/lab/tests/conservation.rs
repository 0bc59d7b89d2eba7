// SPDX-License-Identifier: Apache-2.0
//! Truth: property. Whatever the scenario, every packet is accounted for and every measure keeps its bounds.

use crate::support::{measures, run};
use proptest::prelude::*;

const ALGORITHMS: &[&str] = &["newreno", "cubic", "cubic-2008", "aiad", "mimd", "miad", "aimd(a=2,b=0.65)"];
const RECOVERIES: &[&str] = &["reno", "newreno", "sack", "rack"];
const QUEUES: &[&str] = &[
    r#"{ kind = "droptail", limit = "3pkt" }"#,
    r#"{ kind = "droptail", limit = "1bdp" }"#,
    r#"{ kind = "droptail", limit = "infinite" }"#,
    r#"{ kind = "red", min = "3pkt", max = "9pkt", limit = "20pkt", ecn = true }"#,
];
const RATES: &[&str] = &[
    r#""3Mbps""#,
    r#"{ kind = "square", high = "9Mbps", low = "0bps", period = "700ms", duty = 0.5 }"#,
    r#"{ kind = "uniform", minimum = "1Mbps", maximum = "9Mbps", interval = "50ms" }"#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A run that loses or makes up a packet ends with an error, which `run` turns into a failure.
    #[test]
    fn every_packet_is_accounted_for(
        algorithms in prop::collection::vec(prop::sample::select(ALGORITHMS), 1..4),
        recovery in prop::sample::select(RECOVERIES),
        queue in prop::sample::select(QUEUES),
        rate in prop::sample::select(RATES),
        loss in prop::sample::select(&[0.0, 0.01, 0.2][..]),
        ecn in any::<bool>(),
        delayed_ack in 1u32..4,
        size in prop::sample::select(&["unlimited", "10kB", "300kB"][..]),
        seed in 0u64..1000,
    ) {
        let shared = format!(
            "duration = \"4s\"\nseed = {seed}\npath = {{ rate = {rate}, rtt = \"30ms\", queue = {queue}, loss = {{ kind = \"bernoulli\", rate = {loss} }} }}\n\
             transport = {{ recovery = \"{recovery}\", ecn = {ecn}, delayed_ack = {delayed_ack} }}\n"
        );
        let groups = algorithms.iter().enumerate().map(|(index, algorithm)| {
            format!(
                "[[flows]]\nname = \"g{index}\"\nalgorithm = \"{algorithm}\"\ncount = 2\nstart = \"0s..1s\"\nsize = \"{size}\"\n"
            )
        });
        let text = shared + &groups.collect::<String>();
        let records = run(&text, 0);
        let bounded = |value: f64, most: f64| value.is_nan() || (0.0..=most).contains(&value);
        for link in &records.links {
            prop_assert!(bounded(link.value("utilization"), 1.0 + 1e-9), "{link:?}");
            prop_assert!(bounded(link.value("loss_rate"), 1.0) && bounded(link.value("mark_rate"), 1.0), "{link:?}");
        }
        for index in 0..algorithms.len() {
            let group = measures(&records, &format!("g{index}"));
            prop_assert!(bounded(group.value("jain"), 1.0 + 1e-9), "{group:?}");
            prop_assert!(bounded(group.value("goodput_fraction"), 1.01), "{group:?}");
            prop_assert!(bounded(group.value("loss_rate"), 1.0), "{group:?}");
            prop_assert!(group.value("goodput_bps") <= group.value("throughput_bps") + 1e6, "{group:?}");
        }
    }
}
