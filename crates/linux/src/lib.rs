// SPDX-License-Identifier: Apache-2.0
//! The backend *linux*: a Linux kernel in simulated time provides the senders and receivers of a scenario.
//!
//! A replication is one process: a kernel built as User-Mode Linux, in which time stands still while it computes. The
//! links, queues, workloads and records belong to the simulator, in a library that the kernel loads (`crates/linux-network`);
//! between them the kernel's own TCP carries the connections. The kernel is built by `narrows linux build`.

pub mod job;
mod kernel;
mod machine;
mod programs;
pub mod queues;
mod support;
pub mod traffic;
mod watch;

pub use kernel::{KERNEL_NAMES, Kernel, kernel_name, setting};
pub use programs::{CLIENT, SERVER, commands as program_commands, not_executed};
pub use queues::Queues;
pub use support::lacks as lacks_algorithm;

use narrows_backend::{Backend, Endpoints, Progress, RunError, Support};
use narrows_model::{Model, Refusal, Workload};
use narrows_records::Records;
use std::path::PathBuf;

/// A kernel, and the scenario that it runs.
#[derive(Clone, Debug)]
pub struct Linux {
    /// What it can do.
    pub kernel: Kernel,
    /// The kernel: an executable file.
    pub image: PathBuf,
    /// The library of the network.
    pub library: PathBuf,
    /// What identifies the build of the kernel.
    pub key: String,
    /// The resolved scenario.
    pub scenario: String,
    /// Folder to which paths in the scenario are relative.
    pub directory: PathBuf,
    /// Folder in which commands of programs start.
    pub commands: PathBuf,
}

/// What its kernel supports, and programs that its virtual machines find.
impl Support for Linux {
    fn name(&self) -> &str {
        self.kernel.name()
    }

    fn identity(&self) -> Option<String> {
        Some(format!("{} {}", self.key, self.kernel.queues.text()))
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        let mut found = self.kernel.refusals(model);
        found.extend(programs::refusals(model, &self.commands));
        found
    }

    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        self.kernel.endpoints(model, workload)
    }
}

impl Backend for Linux {
    fn run(
        &self,
        model: &Model,
        replication: u32,
        _threads: usize,
        progress: &Progress,
    ) -> Result<Records, RunError> {
        let mut records = machine::run(self, model, replication, progress)?;
        records.run = narrows_sim::describe(model);
        Ok(records)
    }
}
