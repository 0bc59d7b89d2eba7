// SPDX-License-Identifier: Apache-2.0
//! Controllers behind the C interface. Truth: contract, and the same rule inside.

use crate::support::compiled::{compiled, compiled_for, rust_compiler};
use crate::support::libraries::Libraries;
use narrows_lab::backend::Progress;
use narrows_lab::replication::{Replication, run};
use narrows_lab::scenario::{LoadOptions, load};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn scenario(algorithm: &str, path: &str) -> Result<narrows_lab::scenario::Scenario, String> {
    let text = format!(
        r#"
        duration = "60s"
        warmup = "5s"
        path = {{ {path} }}
        transport = {{ preset = "ns2" }}
        [[flows]]
        name = "judged"
        algorithm = {algorithm:?}
        [[flows]]
        name = "other"
        algorithm = "newreno"
        start = "3s"
        "#
    );
    let options = LoadOptions { loader: Some(Arc::new(Libraries)), ..LoadOptions::default() };
    load(&text, "abi.toml", Path::new("."), &[], &options)
        .map_err(|faults| faults.iter().map(narrows_lab::scenario::Diagnostic::render).collect::<String>())
}

fn ran(algorithm: &str, path: &str) -> Result<Replication, String> {
    run(&scenario(algorithm, path)?.model, 0, &Progress::new()).map_err(|error| format!("{error:?}"))
}

const PATHS: [&str; 3] = [
    r#"rate = "20Mbps", rtt = "40ms""#,
    r#"rate = "20Mbps", rtt = "40ms", loss = { kind = "bernoulli", rate = 0.01 }"#,
    r#"rate = "5Mbps", rtt = "100ms", queue = { kind = "droptail", limit = "8pkt" }"#,
];

/// Compiles a Rust file of the crate's tests to a native library, or to WebAssembly; `None` if no compiler has the target.
fn compiled_rust(source: &str, target: Option<&str>, broken: &str) -> Option<PathBuf> {
    let ending = if target.is_some() { "wasm" } else { "so" };
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{source}-{broken}.{ending}"));
    let mut command = Command::new(rust_compiler(target)?);
    command.args(["--edition", "2024", "-O", "--crate-type", "cdylib", "--cfg", broken, "-o"]);
    command.arg(&library).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../abi/tests").join(source));
    if let Some(target) = target {
        command.args(["--target", target, "-C", "link-arg=--export-table"]);
    }
    let ended = command.output().expect("a Rust compiler");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    Some(library)
}

const WASM: Option<&str> = Some("wasm32-unknown-unknown");

/// Digests of the runs of NewReno in `library`, each of which has the packets of the rule inside. Windows are whole bytes there, so
/// recorded windows differ from those inside by less than a byte.
fn digests_of_newreno(library: &Path) -> Vec<String> {
    let of_path = |path: &&str| {
        let inside = ran("newreno", path).expect("it runs");
        let outside = ran(&format!("{}:newreno", library.display()), path).expect("it runs");
        for (one, other) in inside.groups.iter().zip(&outside.groups) {
            for measure in ["goodput_bps", "loss_rate", "retransmission_rate", "rtt_mean_s", "timeouts"] {
                let [inside, outside] = [one, other].map(|group| group.value(measure).to_bits());
                assert_eq!(inside, outside, "{measure} of {} over {path}", one.name);
            }
        }
        outside.digest()
    };
    PATHS.iter().map(of_path).collect()
}

#[test]
fn the_rule_of_newreno_in_every_language_sends_the_packets_of_that_inside() {
    let in_c = digests_of_newreno(&compiled("newreno.c", &[]));
    for target in [None, WASM] {
        if let Some(library) = compiled_rust("newreno.rs", target, "whole") {
            assert_eq!(digests_of_newreno(&library), in_c, "records of {target:?} and of C");
        }
    }
}

#[test]
fn a_module_of_webassembly_has_neither_the_host_nor_time_without_end() {
    for (broken, words) in [
        ("imports", "the module imports host.clock: a controller has nothing but its arguments"),
        ("endless", "in acked: it took more than 100000000 instructions, and was stopped"),
        ("hungry", "in acked: it ended with a trap"),
        ("panics", "in acked: it ended with a trap"),
    ] {
        let Some(module) = compiled_rust("misbehaving.rs", WASM, broken) else { return };
        let error = ran(&format!("{}:mine", module.display()), PATHS[0]).map(|_| ()).expect_err(broken);
        assert!(error.contains(words), "{broken}: {error}");
        let at_run = broken != "imports";
        assert!(!at_run || error.contains("flow: 0"), "{broken} names the flow: {error}");
    }
}

/// A module of one function with this body, which is called when the module is started, and with these sections before it.
fn started_module(name: &str, sections: &[u8], body: &[u8]) -> PathBuf {
    let mut bytes = b"\0asm\x01\0\0\0".to_vec();
    // A type without arguments and results, and a function of it.
    bytes.extend([1, 4, 1, 0x60, 0, 0]);
    bytes.extend(sections);
    bytes.extend([3, 2, 1, 0]);
    bytes.extend([8, 1, 0]);
    bytes.extend([10, body.len() as u8 + 4, 1, body.len() as u8 + 2, 0]);
    bytes.extend(body);
    bytes.push(0x0b);
    let module = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.wasm"));
    std::fs::write(&module, bytes).expect("the folder is there");
    module
}

#[test]
fn a_module_of_webassembly_that_cannot_be_started_is_refused_with_the_reason() {
    let imported: Vec<u8> =
        [&[2, 35, 1, 22][..], b"wasi_snapshot_preview1", &[8], b"fd_write", &[0, 0]].concat();
    for (name, sections, body, words) in [
        ("loops", &[][..], &[0x03, 0x40, 0x0c, 0, 0x0b][..], "it took more than 100000000 instructions"),
        ("traps", &[], &[0x00], "cannot be started: it ended with a trap"),
        ("recurses", &[], &[0x10, 0], "cannot be started: it ended with a trap"),
        ("nothing", &[], &[], "the module exports no memory"),
        (
            "wasi",
            &imported,
            &[],
            "the module imports wasi_snapshot_preview1.fd_write: a controller has nothing",
        ),
    ] {
        let module = started_module(name, sections, body);
        let error = ran(&format!("{}:mine", module.display()), PATHS[0]).map(|_| ()).expect_err(name);
        assert!(error.contains(words), "{name}: {error}");
    }
}

/// The error of a run with `misbehaving.c` as it is compiled with `define`; empty if it runs.
fn misbehaving(define: &str) -> String {
    let library = compiled("misbehaving.c", &[define]);
    let ended = ran(&format!("{}:mine", library.display()), PATHS[0]);
    ended.map_or_else(|error| error, |_| String::new())
}

#[test]
fn what_a_controller_answers_is_checked_with_its_call_and_time() {
    for (define, words) in [
        ("NO_LIMIT", "after acked, neither window nor pacing_rate is set: nothing limits the flow"),
        ("ZERO_WINDOW", "after acked, window is 0: it must be a number of bytes, 1 or more, or NARROWS_NONE"),
        (
            "ZERO_RATE",
            "after acked, pacing_rate is 0: it must be from 1 to 1000000000000000 bit/s, or NARROWS_NONE",
        ),
        ("ZERO_BURST", "after acked, burst is 0: it must be a number of bytes, 1 or more, or NARROWS_NONE"),
        (
            "NAN_WINDOW",
            "after acked, window is 9223372036854775808: a negative number, or one that is not a number,",
        ),
        ("NEGATIVE_WINDOW", "after acked, window is 18446744073709521616: a negative number,"),
        ("PAST_TIMER", "ns: it must be later than now,"),
        ("WRITES_PAST", "after acked, in limits: it has written behind the end of struct narrows_limits"),
        ("TIMER_STORM", "its timer has expired more than 100000 times within 100 ms"),
        ("REFUSES", "create returned NULL: it refuses this setup, or these parameters"),
    ] {
        let error = misbehaving(define);
        assert!(error.contains(words), "{define}: {error}");
    }
    assert_eq!(misbehaving("HUGE"), "", "values that are too large are bounded");
}

#[test]
fn a_controller_gets_the_facts_that_it_does_not_decline() {
    for declines in ["0", "NARROWS_PACKETS", "NARROWS_RATE", "(NARROWS_PACKETS|NARROWS_RATE)"] {
        let library = compiled("facts.c", &[&format!("DECLINES={declines}"), "STARTS=0"]);
        let ended = ran(&format!("{}:mine", library.display()), PATHS[1]).map(|_| ());
        assert_eq!(ended, Ok(()), "declines {declines}");
    }
}

#[test]
fn a_library_for_an_earlier_version_of_the_header_runs_as_one_for_the_present_one() {
    let ran = |header: &str| {
        let library = compiled_for(header, "facts.c", &["DECLINES=0", "STARTS=0"]);
        let found = ran(&format!("{}:mine", library.display()), PATHS[1]).expect(header);
        ["goodput_bps", "loss_rate", "rtt_mean_s"].map(|measure| found.groups[0].value(measure).to_bits())
    };
    let present = ran("include");
    let mut earlier: Vec<_> =
        (1..narrows_abi::layout::VERSION).map(|n| format!("tests/versions/{n}")).collect();
    earlier.retain(|header| ran(header) != present);
    assert!(earlier.is_empty(), "{earlier:?}");
}

#[test]
fn a_library_that_is_no_controller_is_refused_with_what_it_lacks() {
    for (define, words) in [
        ("VERSION=0", "mine is no struct narrows_controller: it begins with 0,"),
        ("VERSION=5000", "mine is no struct narrows_controller: it begins with 5000,"),
        (
            "VERSION=9",
            "mine is of version 9 of narrows.h, and this Narrows has version 3, which knows those before it",
        ),
        ("ECN=7", "mine has ecn = 7"),
        ("DECLINES=6", "mine has declines = 6"),
        ("NO_ACKED", "mine has no function acked"),
    ] {
        let error = misbehaving(define);
        assert!(error.contains(words), "{define}: {error}");
    }
    let library = compiled("newreno.c", &[]);
    let library = library.display();
    for (algorithm, words) in [
        (format!("{library}:other"), "the library exports no controller other; it exports newreno"),
        (format!("{library}:newreno(beta=0.5)"), "newreno has no parameter `beta`"),
        (format!("{library}:newreno(factor=2)"), "create returned NULL"),
        ("./missing.so:mine".to_owned(), "cannot be read"),
        ("./Cargo.toml:mine".to_owned(), "is no library for this system: it begins with \"[package\""),
    ] {
        let error = ran(&algorithm, PATHS[0]).map(|_| ()).expect_err("it is no controller");
        assert!(error.contains(words), "{algorithm}: {error}");
    }
}

/// One flow of the congestion avoidance of Reno in C, or of an algorithm inside, with the host's slow start and undo.
fn avoiding(algorithm: &str, impairments: &str) -> Replication {
    starting(algorithm, impairments, "hystart++")
}

fn starting(algorithm: &str, impairments: &str, slow_start: &str) -> Replication {
    let text = format!(
        r#"
        duration = "12s"
        warmup = "1s"
        path = {{ rate = "10Mbps", rtt = "40ms", loss = {{ kind = "periodic", every = "997pkt" }}, impairments = [{impairments}] }}
        [[flows]]
        name = "judged"
        algorithm = {algorithm:?}
        slow_start = {slow_start:?}
        source = {{ kind = "writes", interval = "3s", size = "2MB" }}
        "#
    );
    let options = LoadOptions { loader: Some(Arc::new(Libraries)), ..LoadOptions::default() };
    let scenario = load(&text, "abi.toml", Path::new("."), &[], &options);
    let scenario = scenario.unwrap_or_else(|faults| panic!("{faults:?}"));
    run(&scenario.model, 0, &Progress::new()).expect("it runs")
}

#[test]
fn a_rule_of_congestion_avoidance_in_c_has_the_slow_start_and_the_undo_of_that_inside() {
    const REORDERING: &str = r#"{ kind = "reorder", share = "3%", delay = "30ms" }"#;
    let library = |parts: &str| {
        let library = compiled("avoidance.c", &[&format!("PARTS={parts}")]);
        format!("{}:avoidance", library.display())
    };
    let (both, alone) = (library("(NARROWS_SLOW_START|NARROWS_UNDO)"), library("NARROWS_SLOW_START"));
    for impairments in ["", REORDERING] {
        let (inside, outside) = (avoiding("newreno", impairments), avoiding(&both, impairments));
        for measure in
            ["goodput_bps", "loss_rate", "retransmission_rate", "rtt_mean_s", "reductions", "timeouts"]
        {
            let [inside, outside] = [&inside, &outside].map(|ran| ran.groups[0].value(measure));
            assert_eq!(
                inside.to_bits(),
                outside.to_bits(),
                "{measure}, {impairments}: {inside} and {outside}"
            );
        }
        // A record of whole bytes.
        let [inside, outside] = [&inside, &outside].map(|ran| ran.groups[0].value("cwnd_mean_packets"));
        assert!((inside - outside).abs() < 1e-3, "{inside} and {outside} packets");
    }
    // Each step of the recovery is rounded to whole bytes.
    let [inside, outside] = ["newreno", both.as_str()].map(|each| starting(each, "", "rapid"));
    for (measure, tolerance) in [("goodput_bps", 2e-3), ("loss_rate", 2e-2), ("reductions", 0.0)] {
        let [inside, outside] = [&inside, &outside].map(|ran| ran.groups[0].value(measure));
        assert!((outside / inside - 1.0).abs() <= tolerance, "{measure}, rapid: {inside} and {outside}");
    }
    for target in [None, WASM] {
        if let Some(library) = compiled_rust("avoidance.rs", target, "whole") {
            let ran = avoiding(&format!("{}:avoidance", library.display()), REORDERING);
            assert_eq!(ran.digest(), avoiding(&both, REORDERING).digest(), "records of {target:?} and of C");
        }
    }
    let window = |algorithm: &str| avoiding(algorithm, REORDERING).groups[0].value("cwnd_mean_packets");
    let (alone, both) = (window(&alone), window(&both));
    assert!(alone < both, "without the undo of the host {alone} packets, with it {both}");
}

#[test]
fn a_controller_that_leaves_parts_to_the_host_has_the_functions_that_they_need() {
    for (defines, words) in [
        (&["NO_SET"][..], "no function set"),
        (&["NO_COPY"], "no function copy"),
        (&["PARTS=16"], "has declines = 19"),
    ] {
        let library = compiled("avoidance.c", defines);
        let error = ran(&format!("{}:avoidance", library.display()), PATHS[0]).map(|_| ()).expect_err(words);
        assert!(error.contains(words), "{error}");
    }
    let library = compiled("avoidance.c", &["NO_COPY", "PARTS=NARROWS_SLOW_START"]);
    ran(&format!("{}:avoidance", library.display()), PATHS[2]).expect("it needs no copy");
}

#[test]
fn the_rounding_that_a_library_sets_is_its_own() {
    let digest = |defines: &[&str]| {
        let library = compiled("misbehaving.c", defines);
        ran(&format!("{}:mine", library.display()), PATHS[1]).expect("it runs").digest()
    };
    assert_eq!(digest(&["ROUNDS"]), digest(&[]));
}

#[test]
fn what_a_library_lacks_is_known_without_executing_it() {
    let check = |library: &Path, name: &str, parameter: &str| {
        let given = [(parameter.to_owned(), narrows_lab::card::Value::Number(0.5))];
        let given = if parameter.is_empty() { &given[..0] } else { &given };
        narrows_abi::Controller::check(library, name, given).map_err(|fault| fault.message + &fault.allowed)
    };
    let crashing = compiled("misbehaving.c", &["LOADING_CRASHES"]);
    assert_eq!(check(&crashing, "mine", ""), Ok(()));
    let library = compiled("newreno.c", &[]);
    assert_eq!(check(&library, "newreno", "factor"), Ok(()));
    for (name, parameter, words) in [
        ("newreno", "fctor", "newreno has no parameter `fctor`factor"),
        ("limits", "", "the library exports no controller limits; it exports newreno"),
    ] {
        let error = check(&library, name, parameter).expect_err("it is refused");
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_library_in_cpp_runs_and_a_constant_that_it_does_not_export_is_explained() {
    if Command::new("c++").arg("--version").output().is_err() {
        eprintln!("skipped: there is no compiler of C++");
        return;
    }
    let abi = Path::new(env!("CARGO_MANIFEST_DIR")).join("../abi");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libcpp.so");
    let mut command = Command::new("c++");
    command.args([
        "-std=c++20",
        "-shared",
        "-fPIC",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror",
        "-I",
    ]);
    command.arg(abi.join("include")).arg(abi.join("tests/constant.cpp")).arg("-o").arg(&library);
    assert!(command.status().expect("a compiler of C++").success());
    ran(&format!("{}:exported", library.display()), PATHS[0]).expect("it runs");
    let error =
        ran(&format!("{}:kept", library.display()), PATHS[0]).map(|_| ()).expect_err("it is not exported");
    let words = "no controller kept: a `const` of C++ is not exported; write `extern \"C\" const struct narrows_controller`; it exports exported";
    assert!(error.replace("\\\"", "\"").contains(words), "{error}");
}
