// SPDX-License-Identifier: Apache-2.0
//! Truth: contract. A kernel's TCP either meets a requirement of a scenario, or the requirement is refused at its
//! line.

use crate::support::values::others;
use narrows_lab::backend::{Endpoints, Support};
use narrows_lab::linux::{KERNEL_NAMES, Kernel, Queues};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load, presets};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const PLAIN: &str = r#"duration = "2s"
warmup = "1s"
path = { rate = "10Mbps", rtt = "40ms" }
[transport]
preset = "linux"
[[flows]]
algorithm = "cubic"
"#;

/// A kernel with every algorithm, which is not started here.
fn kernel() -> Kernel {
    Kernel {
        algorithms: KERNEL_NAMES.iter().map(|(_, theirs)| (*theirs).to_owned()).collect(),
        disciplines: vec!["pfifo".to_owned(), "bfifo".to_owned()],
        queues: Queues::Ours,
    }
}

fn on_kernel(text: &str, sets: &[&str], subject: Option<&str>) -> Result<Scenario, Vec<Diagnostic>> {
    let backend = Some(Arc::new(kernel()) as _);
    let options = LoadOptions { backend, subject: subject.map(str::to_owned), ..LoadOptions::default() };
    let sets: Vec<String> = sets.iter().map(|&each| each.to_owned()).collect();
    load(text, "plain.toml", Path::new("."), &sets, &options)
}

/// The endpoints that the kernel has for the only group of `scenario`.
fn endpoints(scenario: &Scenario) -> Endpoints {
    let model = &scenario.model;
    kernel().endpoints(model, &model.workloads[0]).expect("a kernel has endpoints of its own")
}

/// Fails unless the resolved file of `scenario` has the options of the kernel's endpoints.
#[track_caller]
fn says_what_the_kernel_does(scenario: &Scenario, what: &str) {
    let again = on_kernel(&scenario.resolved, &[], None).expect("the kernel honours what it does");
    assert_eq!(*again.model.workloads[0].transport, endpoints(scenario).options, "{what}");
}

#[test]
fn every_value_of_a_key_of_the_transport_is_what_the_kernel_does_or_is_refused_where_it_is_written() {
    let linux = presets().into_iter().find(|preset| preset.name == "linux").expect("it is a preset");
    let mut refused = BTreeSet::new();
    for value in &linux.values {
        let path = format!("transport.{}", value.key);
        // The preset has no segmentation offload, and a kernel has it unless its hosts are configured otherwise.
        for other in others(value).into_iter().chain([value.value.clone()]) {
            let set = format!("{path}={other}");
            match on_kernel(PLAIN, &[&set], None) {
                Ok(scenario) => says_what_the_kernel_does(&scenario, &set),
                Err(faults) if faults[0].refused => {
                    let [fault] = &faults[..] else { panic!("{set}: {faults:?}") };
                    assert_eq!(fault.path, path, "{fault:?}");
                    assert!(fault.message.contains("the kernel's TCP decides this"), "{fault:?}");
                    assert!(!fault.allowed.is_empty() && fault.allowed != other, "{fault:?}");
                    refused.insert(value.key);
                }
                // No value of the key.
                Err(_) => {}
            }
        }
    }
    // Keys that do not concern the endpoints alone, or have no effect without another key that is refused.
    let honoured: Vec<&str> =
        linux.values.iter().map(|value| value.key).filter(|key| !refused.contains(key)).collect();
    let without_effect = ["quick_start_ssthresh", "saved_rtt", "read_rate", "read_pause", "abe"];
    let honoured: Vec<&str> = honoured.into_iter().filter(|key| !without_effect.contains(key)).collect();
    assert_eq!(honoured, ["ecn", "receive_offload_timeout", "send_delay"]);
}

#[test]
fn what_a_kernel_leaves_to_another_part_of_the_scenario_is_a_key() {
    let scenario = on_kernel(PLAIN, &[], None).expect("nothing is refused");
    let keys: Vec<&str> = presets()[0].values.iter().map(|value| value.key).collect();
    for (key, _) in endpoints(&scenario).elsewhere {
        assert!(keys.contains(key), "{key}");
    }
    let faults = on_kernel(PLAIN, &["transport.retries=3"], None).expect_err("the kernel has 15");
    assert_eq!(faults[0].allowed, "15, and net.ipv4.tcp_retries2 in linux.sysctl");
}

#[test]
fn preset_linux_is_what_the_kernel_does() {
    for (ours, _) in KERNEL_NAMES {
        let text = PLAIN.replace("cubic", ours);
        // DCTCP needs it.
        let scenario = on_kernel(&text, &["transport.ecn=true"], None).expect("nothing is refused");
        says_what_the_kernel_does(&scenario, ours);
    }
}

#[test]
fn a_key_is_refused_where_it_holds_and_not_where_another_takes_its_place() {
    let twice = |shared: &str, own: &str| {
        on_kernel(PLAIN, &[&format!("transport.recovery={shared}"), &format!("flows.0.recovery={own}")], None)
    };
    assert!(twice("sack", "rack").is_ok(), "no flow has the first");
    let faults = twice("rack", "sack").expect_err("the flow has the second");
    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["flows.0.recovery"]);
}

#[test]
fn a_queue_is_refused_where_it_is_written() {
    let kernel = Kernel { queues: Queues::Same, ..kernel() };
    let options = LoadOptions { backend: Some(Arc::new(kernel)), ..LoadOptions::default() };
    let faults = |text: &str| {
        let faults = load(text, "queue.toml", Path::new("."), &[], &options).expect_err("no kernel has it");
        faults.into_iter().map(|fault| (fault.line, fault.path)).collect::<Vec<_>>()
    };
    let path =
        PLAIN.replace("rtt = \"40ms\" }", "rtt = \"40ms\", reverse = { queue = { kind = \"step\" } } }");
    assert_eq!(faults(&path), [(Some(3), "path.reverse.queue".to_owned())]);
    // Whatever a link is called.
    let network = r#"duration = "2s"
warmup = "1s"
[network]
rtt = "40ms"
[[network.links]]
from = "a"
to = "b"
name = "bottleneck-2"
rate = "10Mbps"
delay = "10ms"
one_way = true
queue = { kind = "step" }
[[network.links]]
from = "b"
to = "a"
rate = "10Mbps"
delay = "10ms"
one_way = true
[transport]
preset = "linux"
[[flows]]
algorithm = "cubic"
from = "a"
to = "b"
"#;
    assert_eq!(faults(network), [(Some(12), "network.links.0.queue".to_owned())]);
    let burst = network.replace("{ kind = \"step\" }", "{ kind = \"pie\", burst = \"1s\" }");
    assert_eq!(faults(&burst), [(Some(12), "network.links.0.queue.burst".to_owned())]);
}

#[test]
fn the_resolved_file_says_what_the_kernel_does_in_place_of_a_default() {
    for preset in ["modern", "sack-2012", "ns2", "linux"] {
        for ours in ["newreno", "cubic"] {
            let text = PLAIN.replace("\"linux\"", &format!("{preset:?}")).replace("cubic", ours);
            let scenario = on_kernel(&text, &[], None).expect("defaults are not refused");
            assert!(scenario.resolved.contains("header = \"52B\"\n"), "{preset}: {}", scenario.resolved);
            let again = on_kernel(&scenario.resolved, &[], None).expect("the kernel honours what it does");
            assert_eq!((again.resolved, again.digest), (scenario.resolved, scenario.digest));
        }
    }
}

#[test]
fn an_algorithm_that_is_another_without_ecn_is_refused_without_it() {
    for algorithm in ["dctcp", "linux:dctcp"] {
        let text = PLAIN.replace("cubic", algorithm);
        assert!(on_kernel(&text, &["transport.ecn=true"], None).is_ok());
        assert!(on_kernel(&text, &["flows.0.ecn=true"], None).is_ok());
        for sets in [&[][..], &["transport.ecn=true", "flows.0.ecn=false"]] {
            let faults = on_kernel(&text, sets, None).expect_err("it would be reno");
            let [fault] = &faults[..] else { panic!("one fault: {faults:?}") };
            assert_eq!((fault.line, fault.path.as_str()), (Some(7), "flows.0.algorithm"));
            assert!(fault.message.contains("the kernel's dctcp asks for ECN itself"), "{fault:?}");
        }
    }
    assert!(on_kernel(PLAIN, &[], None).is_ok(), "others do without");
}

#[test]
fn more_connections_than_a_host_has_ports_are_refused_where_they_are_written() {
    let with = |more: &str| format!("{PLAIN}{more}\n");
    let users = |count: u32| {
        with(&format!("count = {count}\nsize = \"1kB\"\nsource = {{ kind = \"users\", think = \"1s\" }}"))
    };
    let flows = |count: u32| with(&format!("count = {count}"));
    let poisson = |count: u32| {
        with(&format!(
            "size = \"1kB\"\nsource = {{ kind = \"poisson\", interval = \"1s\", concurrent = {count} }}"
        ))
    };
    // A second group takes the rest.
    let both =
        |count: u32| with(&format!("count = {}\n[[flows]]\nalgorithm = \"reno\"\ncount = 2", count - 2));
    let cases: [(&dyn Fn(u32) -> String, _, _); 4] = [
        (&flows, "flows.0.count", 8),
        (&users, "flows.0.count", 8),
        (&poisson, "flows.0.source.concurrent", 9),
        (&both, "flows.1.count", 11),
    ];
    for (of, path, line) in cases {
        let faults = on_kernel(&of(64_513), &[], None).expect_err(path);
        assert_eq!((faults[0].path.as_str(), faults[0].line), (path, Some(line)), "{faults:?}");
        assert!(faults[0].message.contains("64513 connections"), "{faults:?}");
        assert!(on_kernel(&of(64_512), &[], None).is_ok(), "{path}");
    }
}

#[test]
fn an_end_of_a_flow_before_that_of_its_data_is_refused() {
    for (key, value) in [("stop", "5s"), ("lasts", "2s")] {
        let faults = on_kernel(&format!("{PLAIN}{key} = \"{value}\"\n"), &[], None).expect_err(key);
        assert_eq!(
            (faults[0].path.as_str(), faults[0].line),
            (&*format!("flows.0.{key}"), Some(8)),
            "{faults:?}"
        );
    }
    assert!(on_kernel(&format!("{PLAIN}count = 2\nstagger = \"1s\"\n"), &[], None).is_ok());
}

#[test]
fn settings_of_the_network_alone_are_accepted() {
    let with = |setting: &str| on_kernel(&format!("{PLAIN}[linux]\nsysctl = [{setting}]\n"), &[], None);
    for setting in
        ["net.ipv4.tcp_sack=0", "net/ipv4/tcp_sack=0", "net.core.rmem_max = 1000", "net.ipv4.tcp_rmem=1 2 3"]
    {
        assert!(with(&format!("{setting:?}")).is_ok(), "{setting}");
    }
    let long = format!("net.{}=1", "a".repeat(100));
    for setting in [
        "kernel.core_pattern=|/tmp/h",
        "kernel/core_pattern=|/tmp/h",
        "/kernel/core_pattern=x",
        "fs.suid_dumpable=2",
        "net=1",
        "net.=1",
        "net..ipv4=1",
        "net/../kernel/core_pattern=x",
        "net.ipv4/../../kernel/core_pattern=x",
        "netx.a=1",
        "NET.a=1",
        "net.ipv4.tcp_sack=0\nkernel/core_pattern=|/tmp/h",
        "net.ipv4.tcp_sack=0\u{0}",
        "net.ipv4.tcp_sack\n=0",
        "net.ipv4.tcp_sack=",
        "net.ipv4.tcp_sack",
        &long,
    ] {
        let written = setting.replace('\n', "\\n").replace('\u{0}', "\\u0000");
        let faults = with(&format!("\"{written}\"")).expect_err(setting);
        assert_eq!((faults[0].line, faults[0].path.as_str()), (Some(9), "linux.sysctl.0"), "{faults:?}");
        // Text has no control characters anywhere.
        assert!(faults[0].allowed.contains("below net.") || setting.contains(char::is_control), "{faults:?}");
    }
}

#[test]
fn without_timestamps_headers_are_shorter() {
    let without = "linux.sysctl=[\"net.ipv4.tcp_timestamps=0\"]";
    assert!(on_kernel(PLAIN, &[without, "transport.header=40B", "transport.ack=40B"], None).is_ok());
    let faults = on_kernel(PLAIN, &[without, "transport.header=52B"], None).expect_err("it is shorter");
    assert_eq!(faults[0].allowed, "40B");
}

#[test]
fn an_algorithm_of_the_command_is_refused_as_it_was_typed() {
    let two = format!("{PLAIN}[[flows]]\nalgorithm = \"reno\"\n");
    let faults = on_kernel(&two, &[], Some("xcp")).expect_err("no kernel has it");
    let [fault] = &faults[..] else { panic!("one algorithm was typed: {faults:?}") };
    assert_eq!((fault.line, fault.given.as_deref()), (None, Some("\"xcp\"")));
    assert!(fault.message.contains("the kernel has no xcp") && fault.allowed.contains("linux:illinois"));
}
