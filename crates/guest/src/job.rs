//! The job of a virtual machine: a file of ten lines.

use narrows_linux::Queues;
use std::fs;
use std::path::PathBuf;

/// What the virtual machine runs.
#[derive(Clone, Debug)]
pub struct Job {
    /// The resolved scenario.
    pub scenario: PathBuf,
    /// Folder to which paths in the scenario are relative.
    pub directory: PathBuf,
    /// Folder in which commands of programs start.
    pub commands: PathBuf,
    /// Replication.
    pub replication: u32,
    /// End of the warm-up in picoseconds, in place of the scenario's.
    pub warmup_ps: u64,
    /// File of the records.
    pub output: PathBuf,
    /// File of the simulated time that has passed.
    pub progress: PathBuf,
    /// Folder of the files of programs.
    pub programs: PathBuf,
    /// Which queue disciplines links have.
    pub queues: Queues,
    /// Names of the kernel's congestion controls.
    pub algorithms: Vec<String>,
}

/// Reads the job file at `path`: a line for each field, in their order.
pub fn read(path: &str) -> Result<Job, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut lines = text.lines();
    let mut line = || lines.next().ok_or_else(|| format!("{path}: a line is missing"));
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{path}: {text}: {error}"));
    Ok(Job {
        scenario: line()?.into(),
        directory: line()?.into(),
        commands: line()?.into(),
        replication: number(line()?)? as u32,
        warmup_ps: number(line()?)?,
        output: line()?.into(),
        progress: line()?.into(),
        programs: line()?.into(),
        queues: Queues::parse(line()?).unwrap_or_default(),
        algorithms: line()?.split(' ').map(str::to_owned).collect(),
    })
}
