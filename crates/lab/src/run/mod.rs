//! Running a model: a pure function of model and replication, the same bits with any number of partitions.

mod endpoints;
mod layout;
mod link;
mod net;
mod partition;
mod progress;
mod raw;
mod slots;

pub use progress::Progress;
pub(crate) use raw::{FlowRaw, LinkRaw, Raw};

use crate::metrics;
use crate::model::Model;
use crate::records::{Performance, Records};
use cpu_time::ThreadTime;
use layout::Layout;
use narrows_units::{Span, Time};
use partition::Partition;
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
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => write!(f, "interrupted"),
            Self::NotConserved(detail) => write!(f, "packets are not conserved: {detail}"),
        }
    }
}

impl std::error::Error for RunError {}

/// Runs replication `replication` of `model`, telling `progress` as it goes.
pub fn run(model: &Model, replication: u32, progress: &Progress) -> Result<Records, RunError> {
    run_with(model, replication, progress, RunOptions::default())
}

/// As [`run`], carried out as `options` say.
pub fn run_with(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Records, RunError> {
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
        }
    }
    for partition in &mut partitions {
        partition.finish(end);
    }
    let cpu_s = clock.elapsed().as_secs_f64();
    let raw = raw::gather(model, &partitions, end);
    if let Some(detail) = &raw.unbalanced {
        return Err(RunError::NotConserved(detail.clone()));
    }
    let performance = Performance { events: raw.events, packet_hops: raw.hops, cpu_s };
    Ok(metrics::records(model, &raw, performance))
}

fn exchange(partitions: &mut [Partition]) {
    for from in 0..partitions.len() {
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
