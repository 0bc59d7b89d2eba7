//! Running a model: a pure function of model and replication, the same bits with any number of partitions.

mod application;
mod build;
mod drive;
mod endpoints;
mod entrance;
mod fifo;
mod gather;
mod layout;
mod link;
mod net;
mod partition;
mod progress;
mod rendezvous;
mod seats;
mod slots;
mod worthwhile;

pub use progress::Progress;

use crate::model::Model;
use crate::network::with_round_trips;
use crate::records::Recorded;
use layout::Layout;
use narrows_cc::Failure;
use narrows_units::{Span, Time};
use partition::Partition;
use std::fmt;
use std::sync::Arc;

/// How a run is carried out. None of it changes a single bit of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Into how many parts the network is cut at most; each has a thread of its own.
    pub partitions: usize,
    /// Cross access links by computing when a packet will be through, and let other links lag behind by their delay,
    /// instead of doing everything in the order of time.
    pub compute_hops: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { partitions: 1, compute_hops: true }
    }
}

/// Why a run has no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// Somebody asked to stop.
    Interrupted,
    /// Packets were lost or made up by the simulator itself: its records would be worthless.
    NotConserved(String),
    /// An algorithm that is not compiled in made a mistake.
    Algorithm(Box<AlgorithmFailure>),
}

/// What an algorithm did wrong, when, and in which flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmFailure {
    /// The algorithm, as in records.
    pub algorithm: String,
    /// The flow: its number in the run.
    pub flow: usize,
    /// The flow's group.
    pub group: String,
    /// When, and what happened.
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

/// Runs replication `replication` of `model` as `options` say, telling `progress` as it goes.
pub fn simulate(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Recorded, RunError> {
    let model = &*with_round_trips(model, replication);
    let mut layout = Layout::new(model, options.partitions);
    if layout.lookahead == Span::ZERO {
        layout = Layout::new(model, 1);
    }
    let layout = Arc::new(layout);
    // What happens at an endpoint is logged when it happens, not when it is computed.
    let compute_hops = options.compute_hops && model.record.packets.is_none();
    let mut partitions: Vec<_> = (0..layout.partitions)
        .map(|number| Partition::new(model, &layout, number, replication, compute_hops))
        .collect();
    let cpu_s = drive::drive(model, &mut partitions, layout.lookahead, progress)?;
    let end = Time::ZERO + model.duration;
    match gather::imbalance(model, &partitions) {
        Some(detail) => Err(RunError::NotConserved(detail)),
        None => Ok(gather::gather(model, &partitions, end, cpu_s)),
    }
}
