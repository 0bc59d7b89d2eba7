// SPDX-License-Identifier: Apache-2.0
//! What programs that carried flows have printed.

/// A program of a run.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProgramRecord {
    /// Number of the flow's connection slot.
    pub flow: u32,
    /// `client` or `server`.
    pub role: String,
    /// Exit status; `None` if the program was still running at the end of the run.
    pub status: Option<i32>,
    /// Output of the program, errors included.
    pub output: Vec<u8>,
}
