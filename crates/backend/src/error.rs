//! Why a run has no records.

use narrows_cc::Failure;
use std::fmt;

/// The reason why a run has no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The run was cancelled.
    Interrupted,
    /// Packets were not conserved, which is an error of the simulator: its records would be worthless. The message
    /// gives the counts.
    NotConserved(String),
    /// An external algorithm failed.
    Algorithm(Box<AlgorithmFailure>),
}

/// The failure of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmFailure {
    /// The algorithm with parameters, as in records.
    pub algorithm: String,
    /// Number of the flow's connection slot.
    pub flow: usize,
    /// Name of the flow's group.
    pub group: String,
    /// Time and description of the failure.
    pub failure: Failure,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => write!(f, "interrupted"),
            Self::NotConserved(detail) => write!(f, "packets are not conserved: {detail}"),
            Self::Algorithm(failure) => write!(f, "{failure}"),
        }
    }
}

impl std::error::Error for RunError {}

impl fmt::Display for AlgorithmFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, flow, group, failure } = self;
        let at = failure.at.as_secs_f64();
        write!(
            f,
            "{algorithm} failed at {at} s of simulated time, in flow {flow} of group {group}:\n{}",
            failure.reason
        )
    }
}
