// SPDX-License-Identifier: Apache-2.0
//! What a virtual machine is given and what it returns, in files of its folder, which is its current one.

use narrows_records::Records;
use serde::{Deserialize, Serialize};

/// What a virtual machine runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The resolved scenario.
    pub scenario: String,
    /// Folder to which paths in the scenario are relative, as the bytes of its name, which need not be UTF-8.
    pub directory: Vec<u8>,
    /// Folder in which commands of programs start.
    pub commands: Vec<u8>,
    /// Replication.
    pub replication: u32,
    /// End of the warm-up in picoseconds, in place of the scenario's.
    pub warmup_ps: u64,
    /// Which queue disciplines links have, as text.
    pub queues: String,
    /// Names of the kernel's congestion controls.
    pub algorithms: Vec<String>,
    /// Names of the kernel's queue disciplines.
    pub disciplines: Vec<String>,
}

/// What a virtual machine writes at its end: the records of the run, or what of the scenario it could not honour.
pub type Outcome = Result<Records, String>;

/// File of the [`Job`].
pub const JOB: &str = "job";
/// File of the [`Outcome`].
pub const OUTCOME: &str = "outcome";
/// File of the simulated time that has passed: picoseconds as eight bytes of the machine.
pub const PROGRESS: &str = "progress";
/// Bytes that are kept of a program's output.
pub const KEPT: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::Job;

    #[test]
    fn a_job_arrives_whatever_folders_are_called() {
        for name in [&b"/a\nb"[..], b"/a,b c", b"/\xff\xfe", b"/'\"$(x)`"] {
            let job = Job { directory: name.to_vec(), commands: name.to_vec(), ..Job::default() };
            let bytes = postcard::to_stdvec(&job).expect("a job");
            assert_eq!(postcard::from_bytes::<Job>(&bytes).expect("the same"), job);
        }
    }
}
