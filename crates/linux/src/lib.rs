//! The backend *linux*: the senders and receivers of a scenario are those of a Linux kernel in simulated time.
//!
//! A replication is one process: a kernel built as User-Mode Linux, in which time stands still while it computes. The links,
//! queues, workloads and records are those of the simulator, in a library that the kernel loads (`crates/guest`); between
//! them the kernel's own TCP carries the connections. The kernel is built by `narrows linux build`.

pub mod job;
mod machine;
mod programs;
pub mod queues;
mod refusals;
mod watch;

pub use programs::commands as program_commands;
pub use queues::Queues;
pub use refusals::{KERNEL_NAMES, kernel_name, setting};

use narrows_backend::{Backend, Progress, RunError};
use narrows_model::{Model, Refusal};
use narrows_records::Records;
use narrows_units::Rate;
use queues::{KernelQueue, Lack};
use std::path::PathBuf;

/// A kernel, and the scenario that it runs.
#[derive(Clone, Debug)]
pub struct Linux {
    /// The kernel: an executable file. Empty in a virtual machine, which starts none.
    pub kernel: PathBuf,
    /// The library of the network.
    pub library: PathBuf,
    /// Names of the kernel's congestion controls.
    pub algorithms: Vec<String>,
    /// What identifies the build of the kernel.
    pub key: String,
    /// Which queue disciplines links have.
    pub queues: Queues,
    /// The resolved scenario.
    pub scenario: String,
    /// Folder to which paths in the scenario are relative.
    pub directory: PathBuf,
    /// Folder in which commands of programs start.
    pub commands: PathBuf,
}

impl Linux {
    /// The kernel's queue discipline for link `number` of `model`; `None` if ours stays.
    ///
    /// # Errors
    ///
    /// If the kernel cannot do what the queue does, or if there are too many queues.
    pub fn queue(&self, model: &Model, number: usize) -> Result<Option<KernelQueue>, Lack> {
        let link = &model.links[number];
        let bottleneck = model.groups.iter().any(|group| group.bottleneck == Some(number));
        let rate = Rate::from_bps(link.rate.mean_bps(model.duration) as u64);
        let found = self.queues.of(&link.queue, rate, bottleneck)?;
        if found.is_some() && number >= MOST_QUEUES {
            return Err(("", format!("a virtual machine has queues for {MOST_QUEUES} links")));
        }
        Ok(found)
    }
}

/// As `QUEUES` in the driver.
const MOST_QUEUES: usize = 64;

impl Backend for Linux {
    fn name(&self) -> &'static str {
        "linux"
    }

    fn identity(&self) -> Option<String> {
        Some(format!("{} {}", self.key, self.queues.text()))
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        refusals::refusals(self, model)
    }

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
