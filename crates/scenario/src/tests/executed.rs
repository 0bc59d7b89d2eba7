// SPDX-License-Identifier: Apache-2.0
//! Contract: the code that a scenario is reported to execute is the code that its loading executes,
//! however it is written.

use super::super::{Executed, executed};
use super::{Diagnostic, LEAST, LoadOptions, load};
use narrows_card::Value;
use narrows_cc::{Algorithm, CongestionControl, Needs, Setup};
use narrows_model::algorithm::{AlgorithmLoader, ExternalAlgorithm, FlowStart, LoadFault, listed};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A loader that notes the file and the name of what it is asked for.
#[derive(Debug, Default)]
struct Noting(Mutex<Vec<(PathBuf, String)>>);

impl AlgorithmLoader for Noting {
    fn load(
        &self,
        file: &Path,
        name: &str,
        _parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        self.0.lock().expect("no test panics here").push((file.to_owned(), name.to_owned()));
        Ok(Arc::new(Stand))
    }
}

/// What stands for an algorithm of a file.
#[derive(Debug)]
struct Stand;

impl Stand {
    fn algorithm() -> Algorithm {
        Algorithm::among(listed(), "reno", Vec::new()).expect("the catalogue has it")
    }
}

impl ExternalAlgorithm for Stand {
    fn needs(&self) -> Needs {
        Self::algorithm().needs()
    }

    fn digest(&self) -> &'static str {
        ""
    }

    fn build(&self, setup: &Setup, _start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        Self::algorithm().build(setup)
    }
}

/// Folder of the scenarios, which need not exist: no file of an algorithm is read.
const FOLDER: &str = "/lab";

fn options(subject: Option<&str>) -> LoadOptions {
    let subject = subject.map(str::to_owned);
    LoadOptions { subject, overrides_directory: "/typed".into(), ..LoadOptions::default() }
}

/// What `text` executes, as `kind what`, with `(argument n)` behind a command that one gives.
fn said(text: &str, sets: &[&str], subject: Option<&str>) -> Result<Vec<String>, Vec<Diagnostic>> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let found = executed(text, "test.toml", Path::new(FOLDER), &sets, &options(subject))?;
    let line = |Executed { kind, what, given }: &Executed| {
        let given = given.map_or_else(String::new, |argument| format!(" (argument {argument})"));
        format!("{kind:?} {what}{given}")
    };
    Ok(found.iter().map(line).collect())
}

/// The classes that loading `text` asks for, each once.
fn loaded(text: &str, sets: &[&str], subject: Option<&str>) -> Vec<String> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    let noting = Arc::new(Noting::default());
    let loader = Some(Arc::clone(&noting) as Arc<dyn AlgorithmLoader>);
    // Programs are refused behind the algorithms: the simulator does not run them.
    let _ = load(text, "test.toml", Path::new(FOLDER), &sets, &LoadOptions { loader, ..options(subject) });
    let asked = noting.0.lock().expect("no test panics here").clone();
    let mut lines: Vec<String> = Vec::new();
    for (path, name) in asked {
        let line = format!("Class {}:{name}", path.strip_prefix(FOLDER).unwrap_or(&path).display());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The least scenario with other lines in place of its algorithm.
fn with(flow: &str) -> String {
    LEAST.replace("algorithm = \"cubic\"", flow)
}

/// A scenario, arguments of `--set`, what is put to the test, and what is executed.
type Case = (String, &'static [&'static str], Option<&'static str>, &'static [&'static str]);

fn cases() -> Vec<Case> {
    let mine: &[&str] = &["Class mine.py:Mine"];
    let program = r#"program = { client = "iperf3 -c $SERVER", server = "iperf3 -s" }"#;
    let programs: &[&str] = &["Client iperf3 -c $SERVER", "Server iperf3 -s"];
    vec![
        (LEAST.to_owned(), &[], None, &[]),
        (with(r#"algorithm = "./mine.py:Mine""#), &[], None, mine),
        (with(r#"algorithm = "mine.py:Mine""#), &[], None, mine),
        (with(r#"algorithm = " mine.py:Mine ""#), &[], None, mine),
        (with("algorithm = '''\nmine.py:Mine'''"), &[], None, mine),
        (with(r#"algorithm = "mine.py:M\u0069ne""#), &[], None, mine),
        (with(r#""algorithm" = "mine.py:Mine""#), &[], None, mine),
        (with(r#"algorithm = "mine.py:Mine(gain=2,mode=fast)""#), &[], None, mine),
        (with(r#"algorithm = "mine:Mine""#), &[], None, &["Class mine:Mine"]),
        (with(r#"algorithm = "code/mine.so:Mine""#), &[], None, &["Class code/mine.so:Mine"]),
        (with(r#"algorithm = "../mine.py:Mine""#), &[], None, &["Class ../mine.py:Mine"]),
        (with(r#"algorithm = "/else/mine.py:Mine""#), &[], None, &["Class /else/mine.py:Mine"]),
        (with(r#"algorithm = { name = "mine.py:Mine", gain = 2 }"#), &[], None, mine),
        (with("algorithm = {\n  # two lines\n  name = \"mine.py:Mine\",\n  gain = 2,\n}"), &[], None, mine),
        (with("algorithm.name = \"mine.py:Mine\"\nalgorithm.gain = 2"), &[], None, mine),
        (with("[flows.algorithm]\nname = \"mine.py:Mine\""), &[], None, mine),
        (format!("\u{feff}{}", with(r#"algorithm = "mine.py:Mine""#)), &[], None, mine),
        (with(r#"algorithm = "mine.py:Mine""#).replace('\n', "\r\n"), &[], None, mine),
        (with("# algorithm = \"mine.py:Mine\"\nalgorithm = \"cubic\""), &[], None, &[]),
        (format!("title = \"mine.py:Mine\"\n{LEAST}"), &[], None, &[]),
        // Groups.
        (
            with("algorithm = \"mine.py:Mine\"\n[[flows]]\nname = \"b\"\nalgorithm = \"mine.py:Mine\""),
            &[],
            None,
            mine,
        ),
        (
            with("algorithm = \"mine.py:Mine\"\n[[flows]]\nalgorithm = \"mine.py:Other\""),
            &[],
            None,
            &["Class mine.py:Mine", "Class mine.py:Other"],
        ),
        (
            with(
                "size = \"9kB\"\nalgorithm = \"mine.py:Mine\"\nsource = { kind = \"users\", think = \"1s\" }",
            ),
            &[],
            None,
            mine,
        ),
        // What is typed is relative to where it is typed.
        (LEAST.to_owned(), &["flows.0.algorithm=mine.py:Mine"], None, &["Class /typed/mine.py:Mine"]),
        (
            LEAST.to_owned(),
            &["flows.0.algorithm={name=\"mine.py:Mine\"}"],
            None,
            &["Class /typed/mine.py:Mine"],
        ),
        (with(r#"algorithm = "mine.py:Mine""#), &["flows.0.algorithm=cubic"], None, &[]),
        (
            with("name = \"a\"\nalgorithm = { name = \"cubic\" }"),
            &["flows.a.algorithm.name=mine.py:Mine"],
            None,
            &["Class /typed/mine.py:Mine"],
        ),
        (with(r#"algorithm = { name = "mine.py:Mine" }"#), &["flows.0.algorithm.gain=2"], None, mine),
        // What is put to the test.
        (with(r#"algorithm = "subject""#), &[], Some("mine.py:Mine"), &["Class /typed/mine.py:Mine"]),
        (LEAST.to_owned(), &[], Some("mine.py:Mine(gain=2)"), &["Class /typed/mine.py:Mine"]),
        (
            with("algorithm = \"subject\"\n[[flows]]\nalgorithm = \"mine.py:Mine\""),
            &[],
            Some("other.py:Other"),
            &["Class /typed/other.py:Other", "Class mine.py:Mine"],
        ),
        // Programs.
        (with(program), &[], None, programs),
        (
            with(program),
            &["flows.0.program.client=nc $SERVER 9"],
            None,
            &["Client nc $SERVER 9 (argument 0)", "Server iperf3 -s"],
        ),
        (
            LEAST.to_owned(),
            &["seed=2", "flows.0.program={client=\"a\",server=\"b\"}"],
            None,
            &["Client a (argument 1)", "Server b (argument 1)"],
        ),
        (
            with("[flows.program]\nclient = \"\"\"\na; b\"\"\"\nserver = 'c'"),
            &[],
            None,
            &["Client a; b", "Server c"],
        ),
        (
            with(&format!("algorithm = \"mine.py:Mine\"\n[[flows]]\n{program}")),
            &[],
            None,
            &["Class mine.py:Mine", "Client iperf3 -c $SERVER", "Server iperf3 -s"],
        ),
    ]
}

#[test]
fn what_is_said_to_be_executed_is_what_is() {
    for (text, sets, subject, expected) in cases() {
        let what = format!("{text}\n{sets:?} {subject:?}");
        match said(&text, sets, subject) {
            Ok(found) => {
                assert_eq!(found, expected, "{what}");
                let classes: Vec<_> = found.into_iter().filter(|line| line.starts_with("Class")).collect();
                assert_eq!(loaded(&text, sets, subject), classes, "{what}");
            }
            Err(faults) => panic!("{what}\n{faults:?}"),
        }
    }
}

/// A scenario that cannot run has errors, and no list.
#[test]
fn what_has_errors_says_nothing() {
    for flow in [
        "algorithm = \"mine.py\"",
        "algorithm = \":Mine\"",
        "algorithm = \"subject\"",
        "algorithm = 3",
        "program = { client = \"a\\nb\", server = \"c\" }",
    ] {
        assert!(said(&with(flow), &[], None).is_err(), "{flow}");
    }
}
