//! Scenarios as Python sees them: checked and resolved.

use crate::external::Files;
use crate::metrics::PythonMetrics;
use narrows_lab::algorithm::Control;
use narrows_lab::backend::{Backend, Support};
use narrows_lab::linux::{self, Linux, Queues};
use narrows_lab::model::Model;
use narrows_lab::scenario::{
    self, Diagnostic, ExecutedKind, Expectation, InputFile, LoadOptions, Scenario, Trust,
};
use narrows_lab::sim::Simulator;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
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
    arguments: Py<PyTuple>,
    #[pyo3(get)]
    linux: Option<Kernel>,
    backend: Arc<dyn Backend>,
}

/// A place where the scenario names a file: the name as written, where a folder of results keeps the file, its path and
/// digest, and the bytes of the text that hold the name, if the text does.
type Input = (String, String, String, String, Option<(usize, usize)>);

#[pymethods]
impl PyScenario {
    /// What the run is about.
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
    /// The resolved model.
    pub fn model(&self) -> Arc<Model> {
        Arc::clone(&self.model)
    }

    /// The backend that runs it.
    pub fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }

    fn new(
        py: Python<'_>,
        scenario: Scenario,
        (backend, linux): (Arc<dyn Backend>, Option<Kernel>),
        arguments: Py<PyTuple>,
    ) -> PyResult<Self> {
        let external = scenario.model.groups.iter().filter_map(|group| match &group.algorithm {
            Control::External(external) => {
                Some((external.file.to_string_lossy().into_owned(), group.algorithm.to_string()))
            }
            Control::Listed(_) | Control::Kernel { .. } => None,
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
            arguments,
            linux,
            backend,
        })
    }
}

fn input(file: InputFile) -> Input {
    let kept = scenario::kept(&file.path, &file.digest);
    let span = file.span.map(|span| (span.start, span.end));
    (file.written, kept, file.path.to_string_lossy().into_owned(), file.digest, span)
}

/// A kernel: its program, the library of its network, its key, its congestion controls, which queues it provides, and the folder in
/// which commands of programs start, that of the scenario if it is empty.
type Kernel = (PathBuf, PathBuf, String, Vec<String>, String, String);

/// What may be executed and read: the files, and folders of files, of external algorithms that may be executed; whether commands in
/// the text may be; the first of the overrides whose commands may be, and the one behind the last; the folder that no file leaves,
/// if it is not empty; and whether overrides and subject are the user's own, which may name any file.
type Trusted = (Vec<String>, bool, (usize, usize), String, bool);

fn trust(trusted: &Trusted) -> Trust {
    let (_, text, (first, end), within, typed) = trusted;
    let within = Some(PathBuf::from(within)).filter(|folder| !folder.as_os_str().is_empty());
    Trust { text: *text, overrides: *first..*end, within, typed: *typed }
}

/// What a run of the scenario `text` would execute: of each file or command `class`, `client` or `server`, a class as
/// `FILE:NAME` or the command, and the number of the override that gives a command. No file of an algorithm is read;
/// arguments are those of `load`.
///
/// # Errors
///
/// `ScenarioError` with all errors of the scenario, which then is not run either.
#[pyfunction]
#[pyo3(signature = (text, file, directory, overrides, subject, overrides_directory, trusted))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's list is converted, so there is nothing to borrow"
)]
#[expect(
    clippy::too_many_arguments,
    reason = "what crosses the border is flat; Python's side has the objects"
)]
pub fn executed(
    py: Python<'_>,
    text: &str,
    file: &str,
    directory: &str,
    overrides: Vec<String>,
    subject: Option<String>,
    overrides_directory: &str,
    trusted: Trusted,
) -> PyResult<Vec<(&'static str, String, Option<usize>)>> {
    let series = Some(Arc::new(PythonMetrics) as _);
    let overrides_directory = PathBuf::from(overrides_directory);
    let trust = trust(&trusted);
    let options = LoadOptions { subject, overrides_directory, series, trust, ..LoadOptions::default() };
    let found = scenario::executed(text, file, Path::new(directory), &overrides, &options);
    let entries = found.map_err(|diagnostics| error(py, &diagnostics).unwrap_or_else(|other| other))?;
    let word = |kind| match kind {
        ExecutedKind::Class => "class",
        ExecutedKind::Client => "client",
        ExecutedKind::Server => "server",
    };
    Ok(entries.into_iter().map(|each| (word(each.kind), each.what, each.given)).collect())
}

#[pyfunction]
#[pyo3(signature = (
    text, file, directory, overrides, subject, seed, replications, overrides_directory, trusted,
    linux = None, *, execute = false
))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "Python's list is converted, so there is nothing to borrow"
)]
/// Reads and resolves the scenario `text`.
///
/// `file` is its name in messages, `directory` the folder to which its paths are relative, `overrides` the arguments of
/// `--set`; `subject`, `seed` and `replications` replace the values of the scenario. Paths in overrides are relative to
/// `overrides_directory`, or to the working directory if that is empty. `trusted` says what may be executed and read; `execute`
/// says whether the files of external algorithms are executed, without which they cannot run. `linux` is a kernel if its TCP
/// is to run the scenario.
///
/// # Errors
///
/// `ScenarioError` with all errors of the scenario.
#[expect(
    clippy::too_many_arguments,
    reason = "what crosses the border is flat; Python's side has the objects"
)]
pub fn load(
    py: Python<'_>,
    text: &str,
    file: &str,
    directory: &str,
    overrides: Vec<String>,
    subject: Option<String>,
    seed: Option<u64>,
    replications: Option<u32>,
    overrides_directory: &str,
    trusted: Trusted,
    linux: Option<Kernel>,
    execute: bool,
) -> PyResult<PyScenario> {
    let place = (&overrides_directory, &trusted, &linux);
    let arguments =
        (text, file, directory, &overrides, &subject, seed, replications, place.0, place.1, place.2)
            .into_pyobject(py)?
            .unbind();
    let trust = trust(&trusted);
    let files = Arc::new(Files::new(trusted.0, execute));
    let loader = Some(Arc::clone(&files) as _);
    let overrides_directory = PathBuf::from(overrides_directory);
    let series = Some(Arc::new(PythonMetrics) as _);
    let given = linux.clone();
    let linux = linux.map(|(image, library, key, algorithms, queues, commands)| Linux {
        kernel: linux::Kernel { algorithms, queues: Queues::parse(&queues).unwrap_or_default() },
        image,
        library,
        key,
        scenario: String::new(),
        // The kernel's process has another working directory.
        directory: absolute(directory),
        commands: absolute(if commands.is_empty() { directory } else { &commands }),
    });
    let backend = linux.clone().map(|linux| Arc::new(linux) as Arc<dyn Support>);
    let options =
        LoadOptions { subject, seed, replications, overrides_directory, loader, series, backend, trust };
    let result = scenario::load(text, file, Path::new(directory), &overrides, &options);
    if let Some(interrupt) = files.interrupt() {
        return Err(interrupt);
    }
    match result {
        Ok(scenario) => {
            let backend: Arc<dyn Backend> = match linux {
                None => Arc::new(Simulator),
                Some(linux) => Arc::new(Linux { scenario: scenario.resolved.clone(), ..linux }),
            };
            PyScenario::new(py, scenario, (backend, given), arguments)
        }
        Err(diagnostics) => Err(error(py, &diagnostics)?),
    }
}

/// `folder` from the root; that in which the process works if it is empty.
fn absolute(folder: &str) -> PathBuf {
    std::path::absolute(if folder.is_empty() { "." } else { folder })
        .unwrap_or_else(|_| PathBuf::from(folder))
}

/// The JSON Schema of the scenario file, as text.
#[pyfunction]
pub fn schema() -> String {
    scenario::schema()
}

/// A `ScenarioError` with `diagnostics`.
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
