// SPDX-License-Identifier: Apache-2.0
//! Runs as Python sees them.

use crate::jobs::{Job, Outcome, execute};
use crate::records::PyRecords;
use crate::scenario::{self, PyScenario};
use narrows_lab::backend::Progress;
use narrows_lab::scenario::Diagnostic;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use std::num::NonZeroUsize;
use std::sync::Arc;

pyo3::create_exception!(
    narrows,
    RunError,
    PyException,
    "A run broke one of the simulator's own rules: its records would be worthless. `job` is its place in the list."
);

pyo3::create_exception!(
    narrows,
    AlgorithmError,
    PyException,
    "An algorithm written in Python failed during a run: simulated time, flow, group and traceback."
);

/// Progress of runs, and a switch to cancel them; usable from any thread while they go on.
#[pyclass(name = "Progress", module = "narrows._core", frozen)]
pub struct PyProgress(Arc<Progress>);

#[pymethods]
impl PyProgress {
    #[new]
    fn new() -> Self {
        Self(Arc::new(Progress::new()))
    }

    /// Simulated time done so far, summed over runs, in seconds.
    fn simulated_s(&self) -> f64 {
        self.0.simulated_ps() as f64 * 1e-12
    }

    /// Asks all runs to stop soon.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// It was cancelled.
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Runs pairs of a scenario and a replication number on `threads` threads, with the interpreter's lock released.
///
/// The records are in the order of the jobs; `None` for each job that was cancelled through `progress`. With `keep_going`, a run that
/// fails gives its error in their place, further runs of the same scenario give `None`, and all others go on.
///
/// # Errors
///
/// `ValueError` without a thread; unless `keep_going`, `ScenarioError` if a run needs too much memory or a program does not run, `RunError` if
/// the simulator fails, `AlgorithmError` if an external algorithm fails.
#[pyfunction(name = "run", signature = (jobs, threads, progress, keep_going = false))]
pub fn run_jobs(
    py: Python<'_>,
    jobs: Vec<(PyRef<'_, PyScenario>, u32)>,
    threads: usize,
    progress: &Bound<'_, PyProgress>,
    keep_going: bool,
) -> PyResult<Vec<Py<PyAny>>> {
    let threads =
        NonZeroUsize::new(threads).ok_or_else(|| PyValueError::new_err("at least one thread is needed"))?;
    let jobs: Vec<Job> = jobs
        .into_iter()
        .map(|(scenario, replication)| Job {
            model: scenario.model(),
            backend: scenario.backend(),
            replication,
        })
        .collect();
    let progress = Arc::clone(&progress.get().0);
    // The records become arrays. Loaded with the first of them, NumPy would panic if it were interrupted.
    py.import("numpy")?;
    let outcomes = py.detach(|| execute(&jobs, threads, keep_going, &progress));
    outcomes
        .into_iter()
        .enumerate()
        .map(|(place, outcome)| match convert(py, place, &jobs[place], outcome) {
            Ok(records) => records.into_py_any(py),
            Err(error) if keep_going => Ok(error.into_value(py).into_any()),
            Err(error) => Err(error),
        })
        .collect()
}

fn convert(py: Python<'_>, place: usize, job: &Job, outcome: Outcome) -> PyResult<Option<PyRecords>> {
    match outcome {
        Outcome::Finished(replication, digest) => PyRecords::new(py, *replication, digest).map(Some),
        Outcome::Cancelled => Ok(None),
        Outcome::AlgorithmFailed(failure) => {
            Err(AlgorithmError::new_err(format!("replication {}: {failure}", job.replication)))
        }
        Outcome::BadInput(problem) => {
            let file =
                format!("\"{}\", seed {}, replication {}", job.model.title, job.model.seed, job.replication);
            let diagnostic = Diagnostic { file, message: problem, ..Diagnostic::default() };
            Err(scenario::error(py, &[diagnostic])?)
        }
        Outcome::Failed(problem) => {
            let error = RunError::new_err(format!(
                "\"{}\", seed {}, replication {}: {problem}",
                job.model.title, job.model.seed, job.replication
            ));
            error.value(py).setattr("job", place)?;
            Err(error)
        }
    }
}
