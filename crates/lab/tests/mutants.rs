// SPDX-License-Identifier: Apache-2.0
//! Property: whatever a scenario file says, it is loaded or refused in bounded time, and what is loaded runs soundly.
//!
//! A mutant is a scenario of the library with some keys changed, by values generated from the declarations of all keys, or
//! with parts of its text overwritten. Every mutant is refused with a message and a place, or
//!
//! * its resolved text loads to the same model and the same text,
//! * a short run of it, with debug assertions, ends or can be cancelled, conserves packets, and its shares lie within 0 and 1,
//! * the run has the same bits with two partitions, and with packets logged.
//!
//! `cargo test -p narrows-lab --test mutants -- --seconds 600 --seed 7` tries mutants for ten minutes. A failure prints the
//! number of its mutant: `--only N` with the same seed runs that alone.

use narrows_engine::Stream;
use narrows_lab::backend::{Progress, RunError};
use narrows_lab::card::MetricUnit;
use narrows_lab::metrics::{MetricValues, catalogue};
use narrows_lab::replication::{Replication, run_with};
use narrows_lab::scenario::{Diagnostic, LoadOptions, Scenario, load, samples};
use narrows_lab::sim::RunOptions;
use narrows_lab::units::Span;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

#[expect(
    clippy::disallowed_methods,
    reason = "a search goes on as long as the caller asks, and no result depends on it"
)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1)?.parse::<u64>().ok()
    };
    let seed = option("--seed").unwrap_or(1);
    let bases = Arc::new(bases());
    if let Some(number) = option("--only") {
        return attempt(&bases, seed, number).map_or(ExitCode::FAILURE, |_| ExitCode::SUCCESS);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let seconds = option("--seconds");
    let (mut tried, mut counts, mut failed) = (0, [0_u64; 4], false);
    while seconds.map_or(tried < USUAL, |seconds| start.elapsed().as_secs() < seconds) {
        match attempt(&bases, seed, tried) {
            Some(outcome) => counts[outcome as usize] += 1,
            None => failed = true,
        }
        tried += 1;
    }
    let [refused, skipped, ended, cancelled] = counts;
    println!(
        "{tried} mutants: {refused} refused, {ended} run, {cancelled} cancelled, {skipped} too large to run"
    );
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A scenario of the library.
struct Base {
    file: PathBuf,
    text: String,
}

fn bases() -> Vec<Base> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut files = Vec::new();
    let mut folders = vec![library];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the library is part of the sources") {
            let path = entry.expect("a folder entry is readable").path();
            // Only a kernel runs programs.
            if path.is_dir() && !path.ends_with("programs") {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "toml") {
                files.push(path);
            }
        }
    }
    files.sort();
    let base =
        |file: PathBuf| Base { text: std::fs::read_to_string(&file).expect("a scenario is text"), file };
    files.into_iter().map(base).collect()
}

/// What became of a mutant.
#[derive(Clone, Copy)]
enum Outcome {
    Refused,
    Skipped,
    Ended,
    Cancelled,
}

/// Tries one mutant under a watch; `None` if a property fails, which is printed.
fn attempt(bases: &Arc<Vec<Base>>, seed: u64, number: u64) -> Option<Outcome> {
    let progress = Arc::new(Progress::new());
    let (sender, receiver) = channel();
    let (watched, all) = (Arc::clone(&progress), Arc::clone(bases));
    std::thread::spawn(move || {
        let mutant = Mutant::new(&all, seed, number);
        let result = catch_unwind(AssertUnwindSafe(|| mutant.check(&watched)));
        let result = result.unwrap_or_else(|panic| Err(format!("a panic: {}", words(panic.as_ref()))));
        let result = result.map_err(|problem| format!("{problem}\n{}", mutant.describe()));
        // The receiver is gone after a timeout.
        let _ = sender.send(result);
    });
    let result = match receiver.recv_timeout(LONG_ENOUGH) {
        Err(RecvTimeoutError::Timeout) => {
            progress.cancel();
            receiver.recv_timeout(TOO_LONG)
        }
        other => other,
    };
    let problem = match result {
        Ok(Ok(outcome)) => return Some(outcome),
        Ok(Err(problem)) => problem,
        Err(_) => {
            format!("it neither ends nor stops\n{}", Mutant::new(bases, seed, number).describe())
        }
    };
    println!("seed {seed}, mutant {number}: {problem}\n");
    None
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

/// A changed scenario.
struct Mutant<'a> {
    base: &'a Base,
    text: String,
    sets: Vec<String>,
}

impl<'a> Mutant<'a> {
    fn new(bases: &'a [Base], seed: u64, number: u64) -> Self {
        let mut stream = Stream::new(seed, 0, &format!("mutant {number}"));
        let mut draw = |below: usize| stream.up_to(below as u64 - 1) as usize;
        let base = &bases[draw(bases.len())];
        let mut text = base.text.clone();
        if draw(4) == 0 {
            for _ in 0..=draw(3) {
                overwrite(&mut text, &mut draw);
            }
        }
        let files = files();
        let sets = (0..draw(5)).map(|_| samples::assignment(&files, &mut draw)).collect();
        Self { base, text, sets }
    }

    fn describe(&self) -> String {
        let sets: Vec<String> = self.sets.iter().map(|set| format!("--set '{set}'")).collect();
        let text = if self.text == self.base.text { String::new() } else { format!("\n{}", self.text) };
        format!("{} {}{text}", self.base.file.display(), sets.join(" "))
    }

    /// Loads the mutant; refused or not, it holds what it must.
    fn check(&self, progress: &Progress) -> Result<Outcome, String> {
        let folder = self.base.file.parent().expect("a file is in a folder");
        let options = LoadOptions { subject: Some("cubic".to_owned()), ..LoadOptions::default() };
        let scenario = match load(&self.text, FILE, folder, &self.sets, &options) {
            Ok(scenario) => scenario,
            Err(faults) => return check_faults(&faults).map(|()| Outcome::Refused),
        };
        check_resolved(&scenario)?;
        check_run(&scenario, progress)
    }
}

fn check_faults(faults: &[Diagnostic]) -> Result<(), String> {
    let placed = |fault: &Diagnostic| fault.line.is_some() || fault.file != FILE;
    match faults.iter().find(|fault| fault.message.is_empty() || !placed(fault)) {
        _ if faults.is_empty() => Err("it is refused without a word".to_owned()),
        Some(fault) => Err(format!("a message without a text or a place: {fault:?}")),
        None => Ok(()),
    }
}

/// The resolved text loads to the same model and the same text.
fn check_resolved(scenario: &Scenario) -> Result<(), String> {
    let again = load(&scenario.resolved, "resolved.toml", Path::new("."), &[], &LoadOptions::default());
    let again = again.map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(Diagnostic::render).collect();
        format!("the resolved text is refused: {}", faults.concat())
    })?;
    if again.resolved != scenario.resolved {
        let (one, other) = (scenario.resolved.lines(), again.resolved.lines());
        let different = one.zip(other).find(|(one, other)| one != other);
        return Err(format!("the resolved text resolves to another: {different:?}"));
    }
    let model = |scenario: &Scenario| format!("{:?}", scenario.model);
    if model(&again) == model(scenario) {
        Ok(())
    } else {
        Err("the resolved text loads to another model".to_owned())
    }
}

/// A short run, carried out in three manners.
fn check_run(scenario: &Scenario, progress: &Progress) -> Result<Outcome, String> {
    let mut model = scenario.model.clone();
    if model.slots() > MOST_SLOTS || model.links.len() > MOST_LINKS {
        return Ok(Outcome::Skipped);
    }
    model.duration = model.duration.min(LONGEST);
    model.warmup = model.warmup.min(model.duration / 2);
    model.record.interval = model.record.interval.max(model.duration / 50).max(Span::from_ps(1));
    let mut digests = Vec::new();
    for (partitions, log) in [(1, model.record.packets), (2, model.record.packets), (1, Some(1000))] {
        model.record.packets = log;
        let options = RunOptions { partitions, most_packets: MOST_PACKETS, ..RunOptions::default() };
        match run_with(&model, 0, progress, options) {
            Ok(replication) => {
                check_shares(&replication)?;
                digests.push(replication.digest());
            }
            Err(RunError::Interrupted | RunError::Overfull(_)) => return Ok(Outcome::Cancelled),
            Err(error) => return Err(error.to_string()),
        }
    }
    if digests.iter().any(|digest| *digest != digests[0]) {
        return Err(format!("partitions or the packet log change the records: {digests:?}"));
    }
    Ok(Outcome::Ended)
}

fn check_shares(replication: &Replication) -> Result<(), String> {
    let shares = || {
        catalogue()
            .iter()
            .filter(|metric| metric.unit == MetricUnit::Share && metric.name != "goodput_fraction")
    };
    let wrong = |values: &MetricValues| {
        let value = |name| (name, values.value(name));
        let outside = |(_, value): &(&str, f64)| !value.is_nan() && !(0.0..=1.0 + 1e-9).contains(value);
        shares().map(|metric| value(metric.name)).find(outside).map(|found| (values.name.clone(), found))
    };
    match replication.groups.iter().chain(&replication.links).find_map(wrong) {
        Some((of, (name, value))) => Err(format!("{name} of {of} is {value}")),
        None => Ok(()),
    }
}

/// Puts a piece of a scenario, or of what does not belong there, over a part of `text`.
fn overwrite(text: &mut String, draw: &mut impl FnMut(usize) -> usize) {
    let mut letters: Vec<char> = text.chars().collect();
    let start = draw(letters.len() + 1);
    let end = (start + draw(14)).min(letters.len());
    let lines: Vec<&str> = text.lines().collect();
    let piece = match draw(3) {
        0 => format!("\n{}\n", lines.get(draw(lines.len().max(1))).unwrap_or(&"")),
        _ => PIECES[draw(PIECES.len())].to_owned(),
    };
    letters.splice(start..end, piece.chars());
    *text = letters.into_iter().collect();
}

const PIECES: &[&str] = &[
    "",
    "\"",
    "\n",
    "=",
    "#",
    "[",
    "]",
    "{}",
    "[[flows]]\n",
    "\n[path]\n",
    "\"1e300bps\"",
    "\"-1s\"",
    "nan",
    "-1",
    "0",
    "true",
    "\"infinite\"",
    "\u{0}",
    "\u{fc}",
    "kind = \"red\"",
    "kind = \"walk\"",
    "1979-05-27",
    "9223372036854775808",
];

/// Files that keys may name: sound ones of each kind, and others; and a link by its name.
fn files() -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mutants");
    let named = ["trace", "rates", "pattern", "points", "arrivals", "cvec", "graphml"]
        .map(|kind| data.join(format!("one.{kind}")));
    let others = ["no such file", "/dev/zero", "/"].map(PathBuf::from);
    let paths = named.into_iter().chain(others).map(|path| path.display().to_string());
    paths.chain(["lte-driving".to_owned()]).collect()
}

/// The name of a mutant in messages; a fault that is not in it is in an argument, which has no lines.
const FILE: &str = "mutant.toml";

/// Mutants of a usual test, which take some seconds.
const USUAL: u64 = 400;

/// After this long a run is cancelled.
const LONG_ENOUGH: Duration = Duration::from_secs(2);

/// After that much more it hangs, however busy the machine is.
const TOO_LONG: Duration = Duration::from_secs(60);

/// Simulated time of a run.
const LONGEST: Span = Span::from_ms(300);

/// Larger models take long to build.
const MOST_SLOTS: usize = 3000;
const MOST_LINKS: usize = 100;

/// Packets of a run, some megabytes.
const MOST_PACKETS: u64 = 100_000;
