//! The job of a guest: a file of five lines.

use std::fs;
use std::path::PathBuf;

/// What the guest runs.
#[derive(Clone, Debug)]
pub struct Job {
    /// The resolved scenario.
    pub scenario: PathBuf,
    /// Folder to which paths in the scenario are relative.
    pub directory: PathBuf,
    /// Replication.
    pub replication: u32,
    /// End of the warm-up in picoseconds, in place of the scenario's.
    pub warmup_ps: u64,
    /// File of the records.
    pub output: PathBuf,
}

/// Reads the job file at `path`: scenario, directory, replication, warm-up, output, a line each.
pub fn read(path: &str) -> Result<Job, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut lines = text.lines();
    let mut line = || lines.next().ok_or_else(|| format!("{path}: a line is missing"));
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{path}: {text}: {error}"));
    Ok(Job {
        scenario: line()?.into(),
        directory: line()?.into(),
        replication: number(line()?)? as u32,
        warmup_ps: number(line()?)?,
        output: line()?.into(),
    })
}
