// SPDX-License-Identifier: Apache-2.0
//! Contract: the facts recorded in a simulated run, replayed into a fresh instance, lead to the same limits after each
//! fact. The runs have losses, marks, timeouts (spurious ones among them), idle times and requests to routers.

use narrows_cc::card::{Domain, Value};
use narrows_cc::{
    Ack, Algorithm, Cause, CongestionControl, EcnUse, Entry, Fact, Failure, FirstCut, Idle, Limits, Loss,
    Needs, Path, QuickStartRequest, Report, SentPacket, Setup, SlowStartKind, Transport,
};
use narrows_lab::algorithm::{AlgorithmLoader, ExternalAlgorithm, FlowStart, LoadFault, listed};
use narrows_lab::backend::Progress;
use narrows_lab::replication::run;
use narrows_lab::scenario::{LoadOptions, load};
use narrows_lab::units::{Rate, Time};
use narrows_wire::{Feedback, Request};
use std::sync::{Arc, Mutex};

/// An algorithm and the parts of its setup that a test chooses.
#[derive(Clone, Debug)]
struct Subject {
    algorithm: Algorithm,
    slow_start: SlowStartKind,
    first_cut: FirstCut,
    quick_start: Option<QuickStartRequest>,
}

impl Subject {
    fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            slow_start: SlowStartKind::default(),
            first_cut: FirstCut::default(),
            quick_start: None,
        }
    }

    fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        let (slow_start, first_cut, quick_start) = (self.slow_start, self.first_cut, self.quick_start);
        self.algorithm.build(&setup.slow_start(slow_start).first_cut(first_cut).quick_start(quick_start))
    }
}

/// The state of an algorithm visible to the host after a fact.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    limits: Limits,
    window: Option<f64>,
    ssthresh: Option<f64>,
    next_timer: Option<Time>,
    /// The answer, if the fact was a request.
    request: Option<Request>,
}

impl Seen {
    fn of(algorithm: &dyn CongestionControl, request: Option<Request>) -> Self {
        Self {
            limits: algorithm.limits(),
            window: algorithm.window(),
            ssthresh: algorithm.ssthresh(),
            next_timer: algorithm.next_timer(),
            request,
        }
    }
}

/// One flow of a run: its setup, and what followed each fact.
#[derive(Clone, Debug)]
struct Recording {
    setup: Setup,
    facts: Vec<(Fact, Seen)>,
}

/// Builds instances of the subject that record their facts.
#[derive(Clone, Debug)]
struct Recorder {
    subject: Subject,
    recordings: Arc<Mutex<Vec<Recording>>>,
}

impl AlgorithmLoader for Recorder {
    fn load(
        &self,
        _: &std::path::Path,
        _: &str,
        _: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        Ok(Arc::new(self.clone()))
    }
}

impl ExternalAlgorithm for Recorder {
    fn needs(&self) -> Needs {
        self.subject.algorithm.needs()
    }

    fn digest(&self) -> &'static str {
        ""
    }

    fn build(&self, setup: &Setup, _start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        let mut recordings = self.recordings.lock().expect("no test panics with the lock held");
        recordings.push(Recording { setup: *setup, facts: Vec::new() });
        Box::new(Recorded {
            algorithm: self.subject.build(setup),
            flow: recordings.len() - 1,
            recordings: Arc::clone(&self.recordings),
        })
    }
}

/// An algorithm whose facts are recorded.
#[derive(Debug)]
struct Recorded {
    algorithm: Box<dyn CongestionControl>,
    flow: usize,
    recordings: Arc<Mutex<Vec<Recording>>>,
}

impl Recorded {
    /// Passes `fact` on, as a replay does, and records it.
    fn on(&mut self, fact: Fact) -> Option<Request> {
        let request = fact.apply_to(&mut *self.algorithm);
        let seen = Seen::of(&*self.algorithm, request);
        let mut recordings = self.recordings.lock().expect("no test panics with the lock held");
        recordings[self.flow].facts.push((fact, seen));
        request
    }
}

impl CongestionControl for Recorded {
    fn limits(&self) -> Limits {
        self.algorithm.limits()
    }

    fn window(&self) -> Option<f64> {
        self.algorithm.window()
    }

    fn ssthresh(&self) -> Option<f64> {
        self.algorithm.ssthresh()
    }

    fn target(&self) -> Option<Rate> {
        self.algorithm.target()
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.on(Fact::acked(ack, path));
    }

    fn on_report(&mut self, report: &Report, path: &Path) {
        self.on(Fact::Reported(*report, *path));
    }

    fn on_answer(&mut self, feedback: Feedback, path: &Path) {
        self.on(Fact::Answered(feedback, *path));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.on(Fact::lost(loss, path));
    }

    fn on_recovered(&mut self, path: &Path) {
        self.on(Fact::Recovered(*path));
    }

    fn reduces_gradually(&self) -> bool {
        self.algorithm.reduces_gradually()
    }

    fn needs_sent_events(&self) -> bool {
        self.algorithm.needs_sent_events()
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.on(Fact::Sent(*packet, *path));
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.on(Fact::SpuriousLoss(*path));
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.on(Fact::Idle(*idle, *path));
    }

    fn next_timer(&self) -> Option<Time> {
        self.algorithm.next_timer()
    }

    fn on_timer(&mut self, path: &Path) {
        self.on(Fact::Timer(*path));
    }

    fn request(&mut self, path: &Path) -> Option<Request> {
        self.on(Fact::Requested(*path))
    }

    fn set_window(&mut self, _: f64, _: bool) {
        unreachable!("no host sets a window");
    }

    fn ecn(&self) -> EcnUse {
        self.algorithm.ecn()
    }

    fn failure(&self) -> Option<&Failure> {
        self.algorithm.failure()
    }

    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.algorithm.observe(record);
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        let recordings = self.recordings.lock().expect("no test panics with the lock held").clone();
        Box::new(Self {
            algorithm: self.algorithm.clone(),
            flow: self.flow,
            recordings: Arc::new(Mutex::new(recordings)),
        })
    }
}

/// Records two flows of `subject`, one with data at all times and one with pauses, over a link that stands still for a
/// while, loses and marks packets, and answers requests.
fn record(subject: &Subject) -> Vec<Recording> {
    let router = match subject.algorithm.entry.card.name {
        "xcp" => r#"kind = "xcp""#,
        "rcp" => r#"kind = "rcp""#,
        "vcp" => r#"kind = "vcp""#,
        "bmcc" => r#"kind = "adpm""#,
        "maxnet" => r#"kind = "maxnet""#,
        "decbit" => r#"kind = "decbit""#,
        "source-quench" => r#"kind = "source-quench""#,
        _ => r#"kind = "quick-start", encoding = "exact""#,
    };
    let reliable = subject.algorithm.needs().transport == Transport::Reliable;
    let pauses = if reliable {
        r#"source = { kind = "onoff", rate = "3Mbps", on = "500ms", off = "1s" }"#
    } else {
        r#"start = "1s""#
    };
    let text = format!(
        r#"
        duration = "12s"
        [path]
        rate = {{ kind = "steps", rates = ["8Mbps", "0Mbps", "8Mbps"], times = ["0s", "4s", "5500ms"] }}
        rtt = "40ms"
        loss = {{ kind = "bernoulli", rate = "0.3%" }}
        queue = {{ {router}, discipline = {{ kind = "red", ecn = true, min = "10pkt", max = "30pkt", weight = 0.02, limit = "40pkt" }} }}
        [transport]
        ecn = true
        [[flows]]
        name = "all the time"
        algorithm = "recorded:it"
        [[flows]]
        name = "with pauses"
        algorithm = "recorded:it"
        {pauses}
        "#
    );
    let recorder = Recorder { subject: subject.clone(), recordings: Arc::default() };
    let options = LoadOptions { loader: Some(Arc::new(recorder.clone())), ..LoadOptions::default() };
    let scenario = load(&text, "replay.toml", std::path::Path::new("."), &[], &options);
    let scenario = scenario.unwrap_or_else(|faults| panic!("{}", faults[0].render()));
    run(&scenario.model, 0, &Progress::new()).expect("the run ends by itself");
    drop(scenario);
    std::mem::take(&mut *recorder.recordings.lock().expect("no test panics with the lock held"))
}

/// Replays each recording into a fresh instance and compares the visible state after each fact. Returns the
/// recordings.
#[track_caller]
fn replays_faithfully(subject: &Subject) -> Vec<(Fact, Seen)> {
    let recordings = record(subject);
    for Recording { setup, facts } in &recordings {
        let mut fresh = subject.build(setup);
        for (place, (fact, seen)) in facts.iter().enumerate() {
            let request = fact.apply_to(&mut *fresh);
            let (name, quick_start) = (&subject.algorithm, subject.quick_start);
            assert_eq!(Seen::of(&*fresh, request), *seen, "{name}, {quick_start:?}: fact {place}, {fact:?}");
        }
    }
    recordings.into_iter().flat_map(|recording| recording.facts).collect()
}

/// `entry` with every parameter at its default, and with each other value of every flag and choice.
fn variants(entry: &'static Entry) -> Vec<Algorithm> {
    let algorithm =
        |given| Algorithm::among([entry], entry.card.name, given).expect("the values are allowed");
    let others = entry.card.parameters.iter().flat_map(|parameter| {
        let values = match parameter.domain {
            Domain::Flag { default } => vec![Value::Flag(!default)],
            Domain::Choice { default, allowed } => allowed
                .iter()
                .filter(|word| **word != default)
                .map(|word| Value::Word((*word).into()))
                .collect(),
            _ => Vec::new(),
        };
        values.into_iter().map(|value| vec![(parameter.name.to_owned(), value)])
    });
    std::iter::once(Vec::new()).chain(others).map(algorithm).collect()
}

#[test]
fn every_algorithm_replays_faithfully() {
    for entry in listed() {
        for algorithm in variants(entry) {
            let facts = replays_faithfully(&Subject::new(algorithm));
            assert!(facts.len() > 100, "{}: {} facts", entry.card.name, facts.len());
        }
    }
}

#[test]
fn quick_start_replays_faithfully() {
    for (name, ends_slow_start) in [("newreno", true), ("cubic-2008", false), ("aimd", false), ("fast", true)]
    {
        let algorithm = Algorithm::parse(name).expect("the name is in the catalogue");
        let quick_start = Some(QuickStartRequest::new(Rate::from_bps(6_000_000), ends_slow_start));
        let facts = replays_faithfully(&Subject { quick_start, ..Subject::new(algorithm) });
        // 6 Mbps for 40 ms are 20 packets; the initial window is 10.
        let approved = facts.iter().any(|(fact, seen)| {
            matches!(fact, Fact::Answered(..)) && seen.window.is_some_and(|window| window > 10.0)
        });
        assert!(approved, "{name}: no window is approved");
    }
}

#[test]
fn every_slow_start_replays_faithfully() {
    for slow_start in [
        SlowStartKind::HyStart,
        SlowStartKind::Limited,
        SlowStartKind::HyStartPlusPlus,
        SlowStartKind::Search,
        SlowStartKind::Rapid,
    ] {
        let algorithm = Algorithm::parse("cubic").expect("the name is in the catalogue");
        let first_cut = FirstCut::Half;
        replays_faithfully(&Subject { slow_start, first_cut, ..Subject::new(algorithm) });
    }
}

/// Whether a fact is of some kind.
type IsKind = fn(&Fact) -> bool;

/// The kinds of facts in the runs above.
#[test]
fn every_kind_of_fact_is_recorded() {
    let mut facts = Vec::new();
    for name in ["newreno", "bbr3", "fast", "xcp", "rcp", "tfrc"] {
        facts.extend(replays_faithfully(&Subject::new(Algorithm::parse(name).expect("the name is known"))));
    }
    let kinds: [(&str, IsKind); 12] = [
        ("sent", |fact| matches!(fact, Fact::Sent(..))),
        (
            "acknowledged with feedback",
            |fact| matches!(fact, Fact::Acked { ack, .. } if ack.feedback.is_some()),
        ),
        (
            "acknowledged with packets",
            |fact| matches!(fact, Fact::Acked { packets, .. } if !packets.is_empty()),
        ),
        ("detected", |fact| matches!(fact, Fact::Lost { loss, .. } if loss.cause == Cause::Detected)),
        ("timeout", |fact| matches!(fact, Fact::Lost { loss, .. } if loss.cause == Cause::Timeout)),
        ("mark", |fact| matches!(fact, Fact::Lost { loss, .. } if loss.cause == Cause::Mark)),
        ("report", |fact| matches!(fact, Fact::Reported(..))),
        ("request", |fact| matches!(fact, Fact::Requested(..))),
        ("recovered", |fact| matches!(fact, Fact::Recovered(..))),
        ("spurious", |fact| matches!(fact, Fact::SpuriousLoss(..))),
        ("idle", |fact| matches!(fact, Fact::Idle(..))),
        ("timer", |fact| matches!(fact, Fact::Timer(..))),
    ];
    for (kind, is) in kinds {
        assert!(facts.iter().any(|(fact, _)| is(fact)), "no fact is of kind {kind}");
    }
}
