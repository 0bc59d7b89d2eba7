// SPDX-License-Identifier: Apache-2.0
//! Runs the partitions of a run, each in its own thread if there are several.
//!
//! Each partition advances by less than the shortest delay between any two, so that none receives a packet after the
//! packet's arrival time. Between windows they exchange the packets that crossed; each partition takes them in the order of the
//! sending partitions, so that the result does not depend on the threads.

use crate::connections::{Failed, Message};
use crate::cpu_clock::CpuClock;
use crate::net::Crossing;
use crate::partition::Partition;
use crate::rendezvous::{Membership, Rendezvous};
use narrows_backend::{AlgorithmFailure, Overfull, Progress, RunError};
use narrows_model::Model;
use narrows_units::{Span, Time};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Packets and messages from one partition to another after a window.
#[derive(Debug, Default)]
struct Mail {
    messages: Vec<Message>,
    crossings: Vec<Crossing>,
}

/// The time windows of a run.
#[derive(Clone, Copy, Debug)]
struct Windows {
    step: Span,
    end: Time,
    report_every: Span,
}

impl Windows {
    /// No window is longer than `lookahead`.
    fn new(model: &Model, lookahead: Span) -> Self {
        let instant = Span::from_ps(1);
        Self {
            step: lookahead.saturating_sub(instant).min(model.duration / REPORTS).max(instant),
            end: Time::ZERO + model.duration,
            report_every: model.duration / REPORTS,
        }
    }
}

/// The work of one partition between two rendezvous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Packet-hops.
    pub hops: u64,
    /// Packets that crossed to other partitions.
    pub sent: u64,
    /// Packets that came from other partitions.
    pub received: u64,
}

/// Runs the partitions in one thread, window after window. Returns the work of each partition between two rendezvous:
/// it takes the packets and messages of the others, with all immediate effects, and advances by a window.
pub(crate) fn drive_in_turn(
    model: &Model,
    partitions: &mut [Partition<'_>],
    lookahead: Span,
) -> Result<Vec<Vec<Work>>, RunError> {
    let windows = Windows::new(model, lookahead);
    let count = partitions.len();
    let boxes: Vec<_> = (0..count * count).map(|_| Mutex::new(Mail::default())).collect();
    let (mut now, mut all) = (Time::ZERO, Vec::new());
    while now < windows.end {
        let until = windows.end.min(now + windows.step);
        let mut work = vec![Work::default(); count];
        for (number, partition) in partitions.iter_mut().enumerate() {
            let before = partition.net.hops;
            work[number].received = collect(partition, number, &boxes, now);
            partition.run_until(until);
            partition.close(until);
            work[number].hops = partition.net.hops - before;
        }
        for (number, partition) in partitions.iter_mut().enumerate() {
            work[number].sent = partition.net.outbox.iter().map(|packets| packets.len() as u64).sum();
            post(partition, number, count, &boxes);
        }
        all.push(work);
        now = until;
        if partitions.iter().any(Partition::is_stopped) {
            return Err(stopped(model, &partitions.iter().collect::<Vec<_>>()));
        }
    }
    let end = |(number, partition): (usize, &mut Partition<'_>)| {
        let before = partition.net.hops;
        let received = collect(partition, number, &boxes, now);
        partition.finish(now);
        Work { hops: partition.net.hops - before, sent: 0, received }
    };
    all.push(partitions.iter_mut().enumerate().map(end).collect());
    match first_failure(model, partitions.iter().flat_map(Partition::failures)) {
        Some(failure) => Err(RunError::Algorithm(Box::new(failure))),
        None => Ok(all),
    }
}

/// Runs all partitions to `end`; no window is longer than `lookahead`. Returns the processor time of all threads, seconds.
pub(crate) fn drive(
    model: &Model,
    partitions: &mut [Partition<'_>],
    lookahead: Span,
    progress: &Progress,
) -> Result<f64, RunError> {
    let windows = Windows::new(model, lookahead);
    match partitions {
        [alone] => drive_alone(model, alone, windows, progress),
        many => drive_together(model, many, windows, progress),
    }
}

fn drive_alone(
    model: &Model,
    partition: &mut Partition<'_>,
    windows: Windows,
    progress: &Progress,
) -> Result<f64, RunError> {
    let clock = CpuClock::start();
    let mut now = Time::ZERO;
    while now < windows.end {
        let until = windows.end.min(now + windows.step);
        partition.run_until(until);
        if let Some(failure) = ended_early(model, partition, until) {
            return Err(failure);
        }
        progress.advance(now, until);
        now = until;
    }
    partition.finish(windows.end);
    match first_failure(model, partition.failures()) {
        Some(failure) => Err(RunError::Algorithm(Box::new(failure))),
        None => Ok(clock.elapsed_s()),
    }
}

fn drive_together(
    model: &Model,
    partitions: &mut [Partition<'_>],
    windows: Windows,
    progress: &Progress,
) -> Result<f64, RunError> {
    let count = partitions.len();
    let rendezvous = Rendezvous::new(count);
    // By receiver and sender, twice: one box is read while the other is written in the next window.
    let boxes = || (0..count * count).map(|_| Mutex::new(Mail::default())).collect::<Vec<_>>();
    let mail = [boxes(), boxes()];
    let stop_after = AtomicU64::new(u64::MAX);
    let one = |number: usize, partition: &mut Partition<'_>| {
        let _membership = Membership(&rendezvous);
        let clock = CpuClock::start();
        let (mut now, mut reported, mut window) = (Time::ZERO, Time::ZERO, 0_u64);
        while now < windows.end {
            let until = windows.end.min(now + windows.step);
            partition.run_until(until);
            partition.close(until);
            let boxes = &mail[window as usize % 2];
            post(partition, number, count, boxes);
            now = until;
            if now.since(reported) >= windows.report_every || now == windows.end {
                if number == 0 {
                    progress.advance(reported, now);
                }
                reported = now;
                if has_failed(partition, now) {
                    stop_after.fetch_min(window, Ordering::AcqRel);
                }
            }
            if partition.is_stopped() {
                stop_after.fetch_min(window, Ordering::AcqRel);
            }
            if rendezvous.wait().is_err() {
                return clock.elapsed_s();
            }
            collect(partition, number, boxes, now);
            if stop_after.load(Ordering::Acquire) <= window {
                return clock.elapsed_s();
            }
            window += 1;
        }
        partition.finish(windows.end);
        clock.elapsed_s()
    };
    let cpu_s = std::thread::scope(|scope| {
        let threads: Vec<_> = partitions
            .iter_mut()
            .enumerate()
            .map(|(number, partition)| scope.spawn(move || one(number, partition)))
            .collect();
        let ends: Vec<_> = threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        ends.into_iter().map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).sum()
    });
    if let Some(failure) = first_failure(model, partitions.iter().flat_map(Partition::failures)) {
        return Err(RunError::Algorithm(Box::new(failure)));
    }
    if stop_after.into_inner() < u64::MAX {
        Err(stopped(model, &partitions.iter().collect::<Vec<_>>()))
    } else {
        Ok(cpu_s)
    }
}

/// Returns why the run of `partition` ends at `now`: it was stopped, or an algorithm has failed; `None` if it goes on.
pub(crate) fn ended_early(model: &Model, partition: &Partition<'_>, now: Time) -> Option<RunError> {
    if partition.is_stopped() {
        return Some(stopped(model, &[partition]));
    }
    let failure = has_failed(partition, now).then(|| first_failure(model, partition.failures())).flatten();
    failure.map(|failure| RunError::Algorithm(Box::new(failure)))
}

/// Why partitions have stopped before the end of the run.
fn stopped(model: &Model, partitions: &[&Partition<'_>]) -> RunError {
    let overfull = partitions.iter().filter_map(|partition| Some((partition.net.overfull?, *partition)));
    let Some((at, Partition { net, .. })) = overfull.min_by_key(|(at, _)| *at) else {
        return RunError::Interrupted;
    };
    let busiest = partitions.iter().filter_map(|partition| partition.workloads.connections.busiest());
    let busiest = busiest.max_by_key(|(sent, _)| *sent).map(|(_, group)| {
        let group = &model.groups[group];
        (group.algorithm.to_string(), group.name.clone())
    });
    RunError::Overfull(Overfull { at, most: net.most_packets, busiest })
}

/// Puts the packets and messages of `partition` for the others into their boxes, which are empty.
fn post(partition: &mut Partition<'_>, number: usize, count: usize, boxes: &[Mutex<Mail>]) {
    let at = |there: usize| boxes[there * count + number].lock().expect("a holder does not panic");
    for (there, message) in partition.workloads.connections.messages.drain(..) {
        at(usize::from(there)).messages.push(message);
    }
    for (there, packets) in
        partition.net.outbox.iter_mut().enumerate().filter(|(_, packets)| !packets.is_empty())
    {
        std::mem::swap(&mut at(there).crossings, packets);
    }
}

/// Reads the packets and messages for `partition`, in the order of the sending partitions. Returns the number of packets.
fn collect(partition: &mut Partition<'_>, number: usize, boxes: &[Mutex<Mail>], now: Time) -> u64 {
    let count = boxes.len().isqrt();
    let mut packets = 0;
    for from in &boxes[number * count..(number + 1) * count] {
        let mut mail = from.lock().expect("a holder does not panic");
        for message in mail.messages.drain(..) {
            partition.on_message(message);
        }
        packets += mail.crossings.len() as u64;
        for mut crossing in mail.crossings.drain(..) {
            partition.take(&mut crossing, now);
        }
    }
    packets
}

/// Whether an algorithm has failed by `now`. A later failure, in a connection that is ahead, may not be the earliest.
fn has_failed(partition: &Partition<'_>, now: Time) -> bool {
    partition.failures().any(|failed| failed.failure.at <= now)
}

/// The earliest failure of an algorithm among `failed`.
fn first_failure<'f>(model: &Model, failed: impl Iterator<Item = Failed<'f>>) -> Option<AlgorithmFailure> {
    let Failed { failure, flow, group } = failed.min_by_key(|failed| (failed.failure.at, failed.flow))?;
    let group = &model.groups[group];
    Some(AlgorithmFailure {
        algorithm: group.algorithm.to_string(),
        flow,
        group: group.name.clone(),
        failure: failure.clone(),
    })
}

/// Number of times that a run reports its progress and looks for failures of its algorithms.
pub(crate) const REPORTS: u64 = 200;
