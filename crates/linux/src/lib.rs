//! The backend *linux*: the senders and receivers of a scenario are those of a Linux kernel in simulated time.
//!
//! A replication is one process: a kernel built as User-Mode Linux, in which time stands still while it computes. The links,
//! queues, workloads and records are those of the simulator, in a library that the kernel loads (`crates/guest`); between
//! them the kernel's own TCP carries the connections. The kernel is built by `narrows linux build`.

mod guest;
mod refusals;

pub use refusals::{KERNEL_NAMES, kernel_name};

use narrows_backend::{Backend, Progress, RunError};
use narrows_model::{Model, Refusal};
use narrows_records::Records;
use std::path::PathBuf;

/// A kernel, and the scenario that it runs.
#[derive(Clone, Debug)]
pub struct Linux {
    /// The kernel: an executable file.
    pub kernel: PathBuf,
    /// The library of the network.
    pub library: PathBuf,
    /// The resolved scenario.
    pub scenario: String,
    /// Folder to which paths in the scenario are relative.
    pub directory: PathBuf,
}

impl Backend for Linux {
    fn name(&self) -> &'static str {
        "linux"
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        refusals::refusals(model)
    }

    fn run(
        &self,
        model: &Model,
        replication: u32,
        _threads: usize,
        progress: &Progress,
    ) -> Result<Records, RunError> {
        let mut records = guest::run(self, model, replication, progress)?;
        records.run = narrows_sim::describe(model);
        Ok(records)
    }
}
