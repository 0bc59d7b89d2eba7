// SPDX-License-Identifier: Apache-2.0
//! Scenarios as Python sees them: checked and resolved.

use crate::external::Files;
use crate::metrics::PythonMetrics;
use narrows_lab::backend::{Backend, Support};
use narrows_lab::linux::{self, Linux, Queues};
use narrows_lab::model::Model;
use narrows_lab::model::stack::ProtocolStack;
use narrows_lab::scenario::{
    self, Diagnostic, ExecutedKind, Expectation, InputFile, LoadOptions, Scenario, Trust,
};
use narrows_lab::sim::Simulator;
#[cfg(target_os = "linux")]
use narrows_lab::units::Span;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pyo3::create_exception!(
    narrows,
    ScenarioError,
    PyException,
    "A scenario has faults. `diagnostics` lists them as dicts, in the order of the file; as text it shows their places."
);

/// A scenario that is ready to run.
#[pyclass(name = "Scenario", module = "narrows._core", frozen)]
pub struct PyScenario {
    model: Arc<Model>,
    #[pyo3(get)]
    replications: u32,
    #[pyo3(get)]
    replications_written: Option<u32>,
    #[pyo3(get)]
    resolved: String,
    #[pyo3(get)]
    description: Vec<(String, String)>,
    #[pyo3(get)]
    expectations: Vec<Py<PyDict>>,
    #[pyo3(get)]
    portable: String,
    #[pyo3(get)]
    inputs: Vec<Input>,
    #[pyo3(get)]
    files: Vec<(String, String, String)>,
    #[pyo3(get)]
    digest: String,
    #[pyo3(get)]
    external: Vec<(String, String)>,
    #[pyo3(get)]
    given: Given,
    #[pyo3(get)]
    linux: Option<Kernel>,
    backend: Arc<dyn Backend>,
}

/// A place where the scenario names a file.
#[derive(Clone, IntoPyObject)]
struct Input {
    /// The name as written.
    written: String,
    /// Where a folder of results keeps the file.
    kept: String,
    /// Path of the file.
    path: String,
    /// SHA-256 of its content, in hexadecimal.
    digest: String,
    /// The bytes of the text that hold the name, if the text does.
    span: Option<(usize, usize)>,
}

#[pymethods]
impl PyScenario {
    /// Title of the run.
    #[getter]
    fn title(&self) -> &str {
        &self.model.title
    }

    /// Master seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.model.seed
    }

    /// Simulated time of one replication, seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.model.duration.as_secs_f64()
    }

    /// Name of each flow group, and whether it is under test.
    #[getter]
    fn groups(&self) -> Vec<(&str, bool)> {
        self.model.groups.iter().map(|group| (group.name.as_str(), group.subject)).collect()
    }

    /// When measures start, seconds.
    #[getter]
    fn warmup_s(&self) -> Option<f64> {
        (!self.model.finds_warmup).then(|| self.model.warmup.as_secs_f64())
    }

    /// Length of an interval of the series, seconds.
    #[getter]
    fn interval_s(&self) -> f64 {
        self.model.record.interval.as_secs_f64()
    }

    /// The path of each flow group: its name, the link that is its bottleneck (empty where its packets share none), two-way propagation delay in seconds.
    #[getter]
    fn paths(&self) -> Vec<(&str, &str, f64)> {
        let link = |index: Option<usize>| index.map_or("", |index| self.model.links[index].name.as_str());
        let groups = self.model.groups.iter();
        groups.map(|group| (group.name.as_str(), link(group.bottleneck), group.rtt.as_secs_f64())).collect()
    }

    /// The links that are measured: all but access links.
    #[getter]
    fn links(&self) -> Vec<&str> {
        self.model.links.iter().map(|link| link.name.as_str()).collect()
    }
}

impl PyScenario {
    /// Returns the resolved model.
    pub fn model(&self) -> Arc<Model> {
        Arc::clone(&self.model)
    }

    /// Returns the backend that runs it.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    fn new(py: Python<'_>, scenario: Scenario, backend: Arc<dyn Backend>, given: Given) -> PyResult<Self> {
        let external = scenario.model.groups.iter().filter_map(|group| {
            let file = &group.algorithm.external()?.file;
            Some((file.to_string_lossy().into_owned(), group.algorithm.to_string()))
        });
        let external = external.collect();
        let expectations =
            scenario.expectations.iter().map(|each| expectation(py, each)).collect::<PyResult<_>>()?;
        let files = scenario
            .files
            .into_iter()
            .map(|(path, digest)| {
                let kept = scenario::kept(&path, &digest);
                (path.to_string_lossy().into_owned(), digest, kept)
            })
            .collect();
        Ok(Self {
            model: Arc::new(scenario.model),
            replications: scenario.replications,
            replications_written: scenario.replications_written,
            resolved: scenario.resolved,
            portable: scenario.portable,
            inputs: scenario.inputs.into_iter().map(input).collect(),
            description: scenario.description,
            expectations,
            files,
            digest: scenario.digest,
            external,
            linux: given.linux.clone(),
            given,
            backend,
        })
    }
}

fn input(file: InputFile) -> Input {
    let kept = scenario::kept(&file.path, &file.digest);
    let span = file.span.map(|span| (span.start, span.end));
    let path = file.path.to_string_lossy().into_owned();
    Input { written: file.written, kept, path, digest: file.digest, span }
}

/// Returns the names of the controllers of each protocol stack of this build, by its name.
#[pyfunction(name = "stacks")]
pub fn stack_controllers() -> BTreeMap<&'static str, Vec<&'static str>> {
    stacks().iter().map(|stack| (stack.name(), stack.controllers().to_vec())).collect()
}

/// The protocol stacks of this build.
#[cfg(feature = "stacks")]
fn stacks() -> Vec<Arc<dyn ProtocolStack>> {
    narrows_quic::stacks()
}

/// The protocol stacks of this build: none.
#[cfg(not(feature = "stacks"))]
fn stacks() -> Vec<Arc<dyn ProtocolStack>> {
    Vec::new()
}

/// A kernel.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct Kernel {
    /// Path of the kernel's program.
    image: PathBuf,
    /// The library of its network.
    library: PathBuf,
    /// Identifier of the kernel's build.
    key: String,
    /// Congestion controls of the kernel.
    algorithms: Vec<String>,
    /// Names of the kernel's queue disciplines.
    disciplines: Vec<String>,
    /// Queue disciplines of the kernel that links have, as `--queue` gives them.
    queues: String,
    /// The folder in which commands of programs start; the scenario's if it is empty.
    commands: String,
}

/// Hosts for programs of this machine, in real time.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct RealTime {
    /// The interpreter of the program that sets a host up.
    interpreter: PathBuf,
    /// That program.
    program: PathBuf,
    /// Congestion control algorithms that users of this machine's kernel may use.
    algorithms: Vec<String>,
    /// Congestion control algorithms that this machine's kernel has.
    installed: Vec<String>,
    /// Greatest 99th percentile of lateness with which a run counts as punctual, seconds.
    limit_s: f64,
    /// Time before each event that is waited for without sleep, seconds.
    spin_s: f64,
    /// Whether the output of clients is printed, too.
    echo: bool,
}

/// The trust in a scenario: the files and commands that may be executed and read.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
struct Trusted {
    /// Files, and folders of files, of external algorithms that may be executed.
    files: Vec<String>,
    /// Whether commands in the text may be.
    text: bool,
    /// The first of the overrides whose commands may be, and the one behind the last.
    changes: (usize, usize),
    /// The folder that no file leaves; any file may be named if it is empty.
    within: String,
    /// Whether overrides and subject are the user's own, which may name any file.
    typed: bool,
}

impl Trusted {
    fn trust(&self) -> Trust {
        let within = Some(PathBuf::from(&self.within)).filter(|folder| !folder.as_os_str().is_empty());
        Trust { text: self.text, overrides: self.changes.0..self.changes.1, within, typed: self.typed }
    }
}

/// A scenario as it is given.
#[derive(Clone, FromPyObject, IntoPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    /// Text of the scenario.
    text: String,
    /// Name of the scenario in messages.
    file: String,
    /// Folder to which its paths are relative.
    directory: String,
    /// The arguments of `--set`.
    overrides: Vec<String>,
    /// Algorithm of the groups that are under test, in place of their own.
    subject: Option<String>,
    /// Master seed in place of the scenario's.
    seed: Option<u64>,
    /// Number of replications in place of the scenario's.
    replications: Option<u32>,
    /// Folder to which paths in overrides are relative; the working directory if it is empty.
    overrides_directory: String,
    /// What may be executed and read.
    trusted: Trusted,
    /// A kernel if its TCP is to run the scenario.
    linux: Option<Kernel>,
    /// Hosts in real time if programs of this machine are to carry flows.
    real_time: Option<RealTime>,
}

impl Given {
    fn options(&self) -> LoadOptions {
        LoadOptions {
            subject: self.subject.clone(),
            seed: self.seed,
            replications: self.replications,
            overrides_directory: PathBuf::from(&self.overrides_directory),
            series: Some(Arc::new(PythonMetrics)),
            trust: self.trusted.trust(),
            stacks: stacks(),
            ..LoadOptions::default()
        }
    }

    /// The hosts of programs of this machine that are to run the scenario.
    #[cfg(target_os = "linux")]
    fn hosts(&self) -> Option<Arc<dyn Backend>> {
        let RealTime { interpreter, program, algorithms, installed, limit_s, spin_s, echo } =
            self.real_time.clone()?;
        let commands = absolute(&self.directory);
        let launcher = narrows_realtime::Launcher { interpreter, program, commands };
        let time = |seconds: f64| Span::from_ps((seconds * 1e12) as u64);
        let (limit, spin) = (time(limit_s), time(spin_s));
        Some(Arc::new(narrows_realtime::RealTime { launcher, algorithms, installed, limit, spin, echo }))
    }

    /// Other systems have no such hosts.
    #[cfg(not(target_os = "linux"))]
    fn hosts(&self) -> Option<Arc<dyn Backend>> {
        None
    }

    /// The kernel that is to run the scenario.
    fn kernel(&self) -> Option<Linux> {
        let Kernel { image, library, key, algorithms, disciplines, queues, commands } = self.linux.clone()?;
        Some(Linux {
            kernel: linux::Kernel {
                algorithms,
                disciplines,
                queues: Queues::parse(&queues).unwrap_or_default(),
            },
            image,
            library,
            key,
            scenario: String::new(),
            // The kernel's process has another working directory.
            directory: absolute(&self.directory),
            commands: absolute(if commands.is_empty() { &self.directory } else { &commands }),
        })
    }
}

/// The code that a run of the scenario `given` would execute: of each file or command `class`, `client` or `server`, a
/// class as `FILE:NAME` or the command, and the number of the override that gives a command. No file of an algorithm is
/// read.
///
/// # Errors
///
/// `ScenarioError` with all errors of the scenario, which then is not run either.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is converted from a dict, so there is nothing to borrow"
)]
pub fn executed(py: Python<'_>, given: Given) -> PyResult<Vec<(&'static str, String, Option<usize>)>> {
    let options = LoadOptions { seed: None, replications: None, ..given.options() };
    let directory = Path::new(&given.directory);
    let found = scenario::executed(&given.text, &given.file, directory, &given.overrides, &options);
    let entries = found.map_err(|diagnostics| error(py, &diagnostics).unwrap_or_else(|other| other))?;
    let word = |kind| match kind {
        ExecutedKind::Class => "class",
        ExecutedKind::Client => "client",
        ExecutedKind::Server => "server",
    };
    Ok(entries.into_iter().map(|each| (word(each.kind), each.what, each.given)).collect())
}

/// Reads and resolves the scenario `given`; `execute` says whether the files of external algorithms are executed, without
/// which they cannot run.
///
/// # Errors
///
/// `ScenarioError` with all errors of the scenario.
#[pyfunction]
#[pyo3(signature = (given, *, execute = false))]
pub fn load(py: Python<'_>, given: Given, execute: bool) -> PyResult<PyScenario> {
    let files = Arc::new(Files::new(given.trusted.files.clone(), execute));
    let (linux, hosts) = (given.kernel(), given.hosts());
    let support = linux.clone().map(|linux| Arc::new(linux) as Arc<dyn Support>);
    let options = LoadOptions {
        loader: Some(Arc::clone(&files) as _),
        backend: support.or_else(|| hosts.clone().map(|hosts| hosts as Arc<dyn Support>)),
        ..given.options()
    };
    let directory = Path::new(&given.directory);
    let result = scenario::load(&given.text, &given.file, directory, &given.overrides, &options);
    if let Some(interrupt) = files.interrupt() {
        return Err(interrupt);
    }
    let scenario = match result {
        Ok(scenario) => scenario,
        Err(diagnostics) => return Err(error(py, &diagnostics)?),
    };
    let backend: Arc<dyn Backend> = match (linux, hosts) {
        (Some(linux), _) => Arc::new(Linux { scenario: scenario.resolved.clone(), ..linux }),
        (None, Some(hosts)) => hosts,
        (None, None) => Arc::new(Simulator),
    };
    PyScenario::new(py, scenario, backend, given)
}

/// `folder` from the root; that in which the process works if it is empty.
fn absolute(folder: &str) -> PathBuf {
    std::path::absolute(if folder.is_empty() { "." } else { folder })
        .unwrap_or_else(|_| PathBuf::from(folder))
}

/// Returns the JSON Schema of the scenario file, as text.
#[pyfunction]
pub fn schema() -> String {
    scenario::schema()
}

/// Returns a `ScenarioError` with `diagnostics`.
///
/// # Errors
///
/// If Python cannot allocate an object.
pub fn error(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyResult<PyErr> {
    let text: Vec<String> = diagnostics.iter().map(Diagnostic::render).collect();
    let error = ScenarioError::new_err(text.join("\n"));
    let entries: Vec<_> = diagnostics.iter().map(|each| diagnostic(py, each)).collect::<PyResult<_>>()?;
    error.value(py).setattr("diagnostics", entries)?;
    Ok(error)
}

fn diagnostic<'py>(py: Python<'py>, diagnostic: &Diagnostic) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("file", &diagnostic.file)?;
    entry.set_item("line", diagnostic.line)?;
    entry.set_item("column", diagnostic.column)?;
    entry.set_item("path", &diagnostic.path)?;
    entry.set_item("message", &diagnostic.message)?;
    entry.set_item("given", &diagnostic.given)?;
    entry.set_item("allowed", &diagnostic.allowed)?;
    entry.set_item("hint", &diagnostic.hint)?;
    entry.set_item("refused", diagnostic.refused)?;
    Ok(entry)
}

fn expectation(py: Python<'_>, expectation: &Expectation) -> PyResult<Py<PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("measure", &expectation.measure)?;
    entry.set_item("group", &expectation.group)?;
    entry.set_item("link", &expectation.link)?;
    entry.set_item("at_least", expectation.at_least)?;
    entry.set_item("at_most", expectation.at_most)?;
    Ok(entry.unbind())
}
