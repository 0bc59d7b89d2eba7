//! Running a model: a pure function of model and replication, the same bits with any number of partitions.

mod endpoints;
mod gather;
mod layout;
mod link;
mod net;
mod partition;
mod progress;
mod seats;
mod slots;

pub use progress::Progress;

use crate::model::Model;
use crate::records::Recorded;
use cpu_time::ThreadTime;
use layout::Layout;
use narrows_cc::Failure;
use narrows_units::{Span, Time};
use partition::{Failed, Partition};
use std::fmt;
use std::sync::Arc;

/// How a run is carried out. None of it changes a single bit of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Into how many parts the network is cut at most.
    pub partitions: usize,
    /// Cross access links by computing when a packet will be through, instead of by events.
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
    let mut layout = Layout::new(model, options.partitions);
    if layout.lookahead == Span::ZERO {
        layout = Layout::new(model, 1);
    }
    let layout = Arc::new(layout);
    let mut partitions: Vec<_> = (0..layout.partitions)
        .map(|number| Partition::new(model, &layout, number, replication, options.compute_hops))
        .collect();
    let end = Time::ZERO + model.duration;
    let clock = ThreadTime::now();
    // Each partition goes ahead by less than the shortest delay between any two, so that none hears of a packet after
    // the packet's arrival.
    let instant = Span::from_ps(1);
    let step = layout.lookahead.saturating_sub(instant).min(model.duration / REPORTS).max(instant);
    let report_every = model.duration / REPORTS;
    let (mut now, mut reported) = (Time::ZERO, Time::ZERO);
    while now < end {
        let until = end.min(now + step);
        for partition in &mut partitions {
            partition.run_until(until);
        }
        exchange(&mut partitions);
        now = until;
        if now.since(reported) >= report_every || now == end {
            progress.advance(reported, now);
            reported = now;
            if progress.is_cancelled() {
                return Err(RunError::Interrupted);
            }
            if let Some(failure) = first_failure(model, &partitions) {
                return Err(RunError::Algorithm(Box::new(failure)));
            }
        }
    }
    for partition in &mut partitions {
        partition.finish(end);
    }
    let cpu_s = clock.elapsed().as_secs_f64();
    match gather::imbalance(model, &partitions) {
        Some(detail) => Err(RunError::NotConserved(detail)),
        None => Ok(gather::gather(model, &partitions, end, cpu_s)),
    }
}

/// The earliest mistake of an algorithm so far.
fn first_failure(model: &Model, partitions: &[Partition<'_>]) -> Option<AlgorithmFailure> {
    let failed = partitions.iter().flat_map(Partition::failures);
    let Failed { failure, flow, group } = failed.min_by_key(|failed| (failed.failure.at, failed.flow))?;
    let group = &model.groups[group];
    Some(AlgorithmFailure {
        algorithm: group.algorithm.to_string(),
        flow,
        group: group.name.clone(),
        failure: failure.clone(),
    })
}

fn exchange(partitions: &mut [Partition<'_>]) {
    for from in 0..partitions.len() {
        for (there, notice) in std::mem::take(&mut partitions[from].seats.notices) {
            partitions[usize::from(there)].hear(notice);
        }
        let mut crossings = std::mem::take(&mut partitions[from].net.outbox);
        for crossing in &crossings {
            partitions[usize::from(crossing.partition)].take(crossing);
        }
        crossings.clear();
        partitions[from].net.outbox = crossings;
    }
}

/// How often a run reports its progress and looks whether it should stop.
const REPORTS: u64 = 200;
