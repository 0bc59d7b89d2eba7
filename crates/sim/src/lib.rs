// SPDX-License-Identifier: Apache-2.0
//! The simulator: runs a model as a pure function of model and replication, with the same bits for any number of
//! partitions.

mod carried;
mod connections;
mod cpu_clock;
mod drive;
mod emulation;
mod events;
mod gather;
mod host;
mod layout;
mod link;
mod net;
mod notice;
mod options;
mod partition;
mod plan;
mod recorder;
mod rendezvous;
mod transfer;
mod workload;
mod worthwhile;

pub use drive::Work;
pub use emulation::Emulation;
pub use gather::describe;
pub use narrows_transport::{StackPacket, StackRequest, StackState, rtt_view};
pub use options::RunOptions;

use layout::Layout;
use narrows_backend::{
    Backend, Endpoints, Progress, RunError, Support, simulator_endpoints, simulator_refusals,
};
use narrows_model::{Model, Refusal, Workload};
use narrows_records::Records;
use narrows_units::{Span, Time};
use partition::Partition;
use std::sync::Arc;

/// The simulator as a [`Backend`]. It supports every model whose algorithms it has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Support for Simulator {
    fn name(&self) -> &'static str {
        "simulator"
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        simulator_refusals(model)
    }

    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        simulator_endpoints(model, workload)
    }
}

impl Backend for Simulator {
    fn run(
        &self,
        model: &Model,
        replication: u32,
        threads: usize,
        progress: &Progress,
    ) -> Result<Records, RunError> {
        simulate(model, replication, progress, RunOptions::with_threads(model, threads))
    }
}

/// Runs replication `replication` of `model` with `options`, and reports its state to `progress`.
///
/// # Errors
///
/// As [`Backend::run`].
pub fn simulate(
    model: &Model,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Result<Records, RunError> {
    model.check().map_err(RunError::Backend)?;
    if carried::has_stacks(model) {
        return carried::run(model, replication, progress, options);
    }
    let layout = layout(model, options.partitions);
    let mut partitions = partitions(model, &layout, replication, progress, options);
    let cpu_s = drive::drive(model, &mut partitions, layout.lookahead, progress)?;
    let end = Time::ZERO + model.duration;
    match gather::imbalance(model, &partitions) {
        Some(detail) => Err(RunError::NotConserved(detail)),
        None => Ok(gather::gather(model, &mut partitions, end, cpu_s)),
    }
}

/// Returns the work of each partition in each window of a run that is cut into at most `count` partitions, as an account of
/// how well any number of processors could share it: all partitions run in this thread.
///
/// # Errors
///
/// As [`Backend::run`].
pub fn shares(model: &Model, replication: u32, count: usize) -> Result<Vec<Vec<Work>>, RunError> {
    model.check().map_err(RunError::Backend)?;
    let layout = layout(model, count);
    let mut partitions = partitions(model, &layout, replication, &Progress::new(), RunOptions::default());
    drive::drive_in_turn(model, &mut partitions, layout.lookahead)
}

/// The network in at most `count` partitions; in one if packets cross between them at once.
fn layout(model: &Model, count: usize) -> Arc<Layout> {
    let layout = Layout::new(model, count);
    Arc::new(if layout.lookahead == Span::ZERO { Layout::new(model, 1) } else { layout })
}

/// The partitions of `layout` at the start of the run.
fn partitions<'m>(
    model: &'m Model,
    layout: &Arc<Layout>,
    replication: u32,
    progress: &Progress,
    options: RunOptions,
) -> Vec<Partition<'m>> {
    // Events at a host must be logged in order of time, so they cannot be computed ahead.
    let lookahead = options.lookahead && model.record.packets.is_none();
    let options = RunOptions { lookahead, ..options };
    let create = |number| {
        let queue = |link: usize| model.links[link].queue.build();
        Partition::new(model, layout, number, replication, options, progress.cancellation(), queue)
    };
    (0..layout.partitions).map(create).collect()
}
