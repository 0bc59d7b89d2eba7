//! The door between Python and the laboratory: converts, never computes.
//!
//! Everything that crosses is plain: numbers, words, lists, dicts, and numpy arrays that are moved. `_core.pyi` on the
//! Python side says what it looks like from there, and a test holds the two against each other.

mod catalogue;
mod document;
mod guest;
mod jobs;
mod records;
mod run;
mod scenario;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::catalogue::{algorithm_cards, metric_cards, queue_cards, requested};
    #[pymodule_export]
    use super::document::{complaint, read_toml};
    #[pymodule_export]
    use super::fingerprint;
    #[pymodule_export]
    use super::guest::{PyAck, PyLoss, PyMoment, PySent, PySetup};
    #[pymodule_export]
    use super::records::PyRecords;
    #[pymodule_export]
    use super::run::{AlgorithmError, PyProgress, RunError, run_jobs};
    #[pymodule_export]
    use super::scenario::{PyScenario, ScenarioError, load, schema};
}

/// The build fingerprint: SHA-256 of all sources compiled in, hexadecimal.
#[pyfunction]
fn fingerprint() -> &'static str {
    env!("NARROWS_FINGERPRINT")
}
