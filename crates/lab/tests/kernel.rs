//! Truth: contract. What a scenario asks of a kernel's TCP is what the kernel does, or is refused where it is written.

use narrows_lab::linux::{KERNEL_NAMES, Linux, Queues};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load};
use std::path::{Path, PathBuf};
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
fn kernel() -> Linux {
    Linux {
        kernel: PathBuf::new(),
        library: PathBuf::new(),
        algorithms: KERNEL_NAMES.iter().map(|(_, theirs)| (*theirs).to_owned()).collect(),
        key: String::new(),
        queues: Queues::Ours,
        scenario: String::new(),
        directory: PathBuf::from("."),
        commands: PathBuf::from("."),
    }
}

fn on_kernel(text: &str, sets: &[&str], subject: Option<&str>) -> Result<Scenario, Vec<Diagnostic>> {
    let backend = Some(Arc::new(kernel()) as _);
    let options = LoadOptions { backend, subject: subject.map(str::to_owned), ..LoadOptions::default() };
    let sets: Vec<String> = sets.iter().map(|&each| each.to_owned()).collect();
    load(text, "plain.toml", Path::new("."), &sets, &options)
}

/// Keys and values that the kernel's TCP does not have.
const LACKING: &[(&str, &str)] = &[
    ("recovery", "sack"),
    ("proportional_rate_reduction", "false"),
    ("limited_transmit", "false"),
    ("window_validation", "false"),
    ("initial_window", "3pkt"),
    ("initial_ssthresh", "20pkt"),
    ("slow_start", "standard"),
    ("ack_counting", "acks"),
    ("quick_start", "1Mbps"),
    ("first_cut", "half"),
    ("receive_window", "20pkt"),
    ("receive_autotuning", "false"),
    ("undo", "none"),
    ("frto", "none"),
    ("idle_restart", "false"),
    ("restart_window", "initial"),
    ("pacing", "true"),
    ("pacing_credit", "false"),
    ("header", "40B"),
    ("ack", "40B"),
    ("delayed_ack", "1"),
    ("delayed_ack_timeout", "100ms"),
    ("quick_ack", "false"),
    ("segmentation_offload", "8"),
    ("tso_autosizing", "false"),
    ("receive_offload", "8"),
    ("ack_division", "3"),
    ("optimistic_ack", "3"),
    ("hide_ce", "true"),
    ("rtt_clock", "10ms"),
    ("timer_tick", "1ms"),
    ("rto", "rfc6298"),
    ("rto_restart", "ack"),
    ("initial_rto", "3s"),
    ("min_rto", "1s"),
    ("max_rto", "60s"),
    ("syn_retries", "3"),
    ("retries", "3"),
];

/// Keys that a kernel honours, or that have no effect without another that it refuses.
const HONOURED: &[&str] = &["preset", "quick_start_ssthresh", "ecn", "receive_offload_timeout", "send_delay"];

#[test]
fn every_key_of_the_transport_is_honoured_or_refused_where_it_is_written() {
    for (key, value) in LACKING {
        let set = format!("transport.{key}={value}");
        let faults = on_kernel(PLAIN, &[&set], None).expect_err(&set);
        assert_eq!(faults[0].path, format!("transport.{key}"), "{faults:?}");
        assert!(faults[0].message.contains("the kernel's TCP decides this"), "{faults:?}");
        assert!(!faults[0].allowed.is_empty());
        // What is allowed is what the preset has.
        assert!(on_kernel(PLAIN, &[], None).is_ok());
    }
    let known: Vec<&str> = LACKING.iter().map(|(key, _)| *key).chain(HONOURED.iter().copied()).collect();
    for value in &narrows_lab::scenario::presets()[0].values {
        assert!(known.contains(&value.key), "{}: honoured or refused?", value.key);
    }
}

#[test]
fn preset_linux_is_what_the_kernel_does() {
    for (ours, _) in KERNEL_NAMES {
        let text = PLAIN.replace("cubic", ours);
        // DCTCP needs it.
        let scenario = on_kernel(&text, &["transport.ecn=true"], None).expect("nothing is refused");
        for (key, _) in LACKING {
            let written = scenario.resolved.lines().any(|line| line.starts_with(&format!("{key} = ")));
            assert!(
                written || matches!(*key, "initial_ssthresh" | "quick_start" | "receive_window"),
                "{ours}: {key}"
            );
        }
    }
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
            assert_eq!((fault.line, fault.path.as_str()), (Some(7), "flows[0].algorithm"));
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
    // A second group takes what the first has left.
    let both =
        |count: u32| with(&format!("count = {}\n[[flows]]\nalgorithm = \"reno\"\ncount = 2", count - 2));
    let cases: [(&dyn Fn(u32) -> String, _, _); 4] = [
        (&flows, "flows[0].count", 8),
        (&users, "flows[0].count", 8),
        (&poisson, "flows[0].source.concurrent", 9),
        (&both, "flows[1].count", 11),
    ];
    for (of, path, line) in cases {
        let faults = on_kernel(&of(64_513), &[], None).expect_err(path);
        assert_eq!((faults[0].path.as_str(), faults[0].line), (path, Some(line)), "{faults:?}");
        assert!(faults[0].message.contains("64513 connections"), "{faults:?}");
        assert!(on_kernel(&of(64_512), &[], None).is_ok(), "{path}");
    }
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
