// SPDX-License-Identifier: Apache-2.0
//! Why a run has no records.

use narrows_cc::Failure;
use narrows_units::Time;
use std::fmt;

/// The reason why a run has no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The run was cancelled.
    Interrupted,
    /// More packets are waiting or in flight than memory should hold.
    Overfull(Overfull),
    /// Packets were not conserved, which is an error of the simulator: its records would be worthless. The message
    /// gives the counts.
    NotConserved(String),
    /// The backend could not carry out the run; the message gives the reason.
    Backend(String),
    /// The backend cannot honour something in the scenario, as only the run has shown: a program that does not run, a setting that
    /// is missing. The message names it.
    Refused(String),
    /// An external algorithm failed.
    Algorithm(Box<AlgorithmFailure>),
}

/// Too many packets waiting or in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overfull {
    /// Simulated time at which this was noticed.
    pub at: Time,
    /// The most packets that one run may hold.
    pub most: u64,
    /// Algorithm with parameters, and name of the group, of the sender that has sent most; `None` if there is none.
    pub busiest: Option<(String, String)>,
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
            Self::Overfull(overfull) => write!(f, "{overfull}"),
            Self::NotConserved(detail) => write!(f, "packets are not conserved: {detail}"),
            Self::Backend(detail) | Self::Refused(detail) => write!(f, "{detail}"),
            Self::Algorithm(failure) => write!(f, "{failure}"),
        }
    }
}

impl std::error::Error for RunError {}

impl fmt::Display for Overfull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, most, busiest } = self;
        write!(
            f,
            "at {} s of simulated time more than {most} packets wait or are in flight: senders send more than their \
             access links carry, or a queue without a limit grows without end",
            at.as_secs_f64()
        )?;
        if let Some((algorithm, group)) = busiest {
            write!(
                f,
                "; {algorithm} of group {group} has sent most, and initial_ssthresh or receive_window of its transport \
                 would limit its window"
            )?;
        }
        Ok(())
    }
}

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
