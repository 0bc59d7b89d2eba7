// SPDX-License-Identifier: Apache-2.0
//! Backends: implementations that can carry out a run.
//!
//! A backend turns a model and a replication into records. Tables, metrics, checks, statistics and reports follow from the
//! records alone, so whatever can fill them is a backend.

mod error;
mod progress;
mod stacks;

pub use error::{AlgorithmFailure, Overfull, RunError};
pub use progress::{Cancellation, Progress};
pub use stacks::{simulator_endpoints, simulator_refusals};

use narrows_model::{Model, Refusal, Workload};
use narrows_records::Records;
use narrows_transport::TransportOptions;
use std::fmt::Debug;

/// The features that a backend supports.
pub trait Support: Debug + Send + Sync {
    /// Returns its name on the command line.
    fn name(&self) -> &str;

    /// Returns what of the backend determines records besides model, replication and version of Narrows, such as the
    /// build of a kernel; `None` if nothing does.
    fn identity(&self) -> Option<String> {
        None
    }

    /// Returns the parts of `model` that it does not support; empty if it can run the model. A refused model must not
    /// be run.
    fn refusals(&self, model: &Model) -> Vec<Refusal>;

    /// Returns the endpoints that the connections of `workload` have, whatever their options in `model`; `None` for the
    /// endpoints of the model. A key of the transport that differs is refused at its line if it was written, and
    /// replaced by the behaviour of these endpoints if it is a default.
    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        let _ = (model, workload);
        None
    }
}

/// The endpoints that a backend has for the connections of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoints {
    /// Their options.
    pub options: TransportOptions,
    /// Whether their algorithm determines their slow start, so that no default of the scenario stands for it.
    pub own_slow_start: bool,
    /// Reason why they have no others.
    pub reason: &'static str,
    /// Options of which another part of the scenario decides, by the names of their keys, each with that part.
    pub elsewhere: &'static [(&'static str, &'static str)],
}

/// A backend: carries out runs of a model and returns their records.
pub trait Backend: Support {
    /// Runs replication `replication` of `model` with at most `threads` threads, and reports to `progress`. The records
    /// depend on the model and the replication alone, not on the number of threads.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the run is cancelled, an external algorithm fails, more packets are waiting or in flight than
    /// memory should hold, or packets are not conserved.
    fn run(
        &self,
        model: &Model,
        replication: u32,
        threads: usize,
        progress: &Progress,
    ) -> Result<Records, RunError>;
}
