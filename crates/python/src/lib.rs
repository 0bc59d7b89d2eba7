// SPDX-License-Identifier: Apache-2.0
//! The bindings between Python and the laboratory: they convert, and never compute.
//!
//! Everything that crosses is plain: numbers, words, lists, dicts, and numpy arrays that are moved. `_core.pyi` on the
//! Python side says what it looks like from there, and a test holds the two against each other.

mod catalogue;
mod document;
mod external;
mod jobs;
mod metrics;
mod records;
mod run;
mod scenario;
mod statistics;
mod text;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    #[pymodule_export]
    use super::catalogue::{algorithm_cards, link_cards, metric_cards, preset_cards, queue_cards};
    #[pymodule_export]
    use super::document::{complaint, read_toml};
    #[pymodule_export]
    use super::external::{
        PyAck, PyLoss, PyMoment, PySent, PySetup, c_header, last_call, library_leaves, note_calls,
        running_call,
    };
    #[pymodule_export]
    use super::fingerprint;
    #[pymodule_export]
    use super::records::{PyRecords, combined_digest, digest_schema, table_schemas};
    #[pymodule_export]
    use super::run::{AlgorithmError, PyProgress, RunError, run_jobs};
    #[pymodule_export]
    use super::scenario::{PyScenario, ScenarioError, executed, load, schema, stack_controllers};
    #[pymodule_export]
    use super::statistics::{jain, stationary_after};
    #[pymodule_export]
    use super::text::{nearest, quantity};
}

/// The build fingerprint: SHA-256 of all sources compiled in, hexadecimal.
#[pyfunction]
fn fingerprint() -> &'static str {
    env!("NARROWS_FINGERPRINT")
}
