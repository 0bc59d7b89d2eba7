// SPDX-License-Identifier: Apache-2.0
//! Many runs at once, on threads that touch Python only to call an external algorithm.

use narrows_lab::backend::{Backend, Progress, RunError};
use narrows_lab::model::Model;
use narrows_lab::replication::{Replication, run_on};
use std::any::Any;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// One replication of one model, to be run.
pub struct Job {
    /// The model.
    pub model: Arc<Model>,
    /// The backend that runs it.
    pub backend: Arc<dyn Backend>,
    /// Number of the replication, from 0.
    pub replication: u32,
}

/// The result of a job.
pub enum Outcome {
    /// The results of the replication, and their digest.
    Finished(Box<Replication>, String),
    /// Cancelled during the run or before its start.
    Cancelled,
    /// The simulator failed: packets were not conserved, or it panicked; a message.
    Failed(String),
    /// The scenario is at fault, as only the run shows: it needs more memory than it may have, or a program that it names
    /// does not run; a message.
    BadInput(String),
    /// An external algorithm failed: time, flow, group and traceback.
    AlgorithmFailed(String),
}

/// Runs all jobs in their order on `threads` threads and returns their results in the same order. If there are several
/// threads per job, a large run is partitioned among them. After a failure no further job of its model starts, or none at all
/// unless `keep_going`; if `progress` is cancelled, none does.
pub fn execute(jobs: &[Job], threads: NonZeroUsize, keep_going: bool, progress: &Progress) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    // Of models, by their places in memory.
    let failed = Mutex::new(BTreeSet::new());
    let outcomes: Mutex<Vec<Outcome>> = Mutex::new(jobs.iter().map(|_| Outcome::Cancelled).collect());
    let each = (threads.get() / jobs.len().max(1)).max(1);
    let work = || {
        while !progress.is_cancelled() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { break };
            let model = Arc::as_ptr(&job.model);
            if failed.lock().expect(LOCKED).contains(&(model as usize)) {
                continue;
            }
            let outcome = attempt(job, each, progress);
            if matches!(outcome, Outcome::Failed(_) | Outcome::BadInput(_) | Outcome::AlgorithmFailed(_)) {
                failed.lock().expect(LOCKED).insert(model as usize);
                if !keep_going {
                    progress.cancel();
                }
            }
            outcomes.lock().expect(LOCKED)[place] = outcome;
        }
    };
    let threads = threads.get().min(jobs.len());
    if threads == 1 {
        // On the caller's own thread the interpreter need not make room for another one at each call of an algorithm.
        work();
    } else {
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
    outcomes.into_inner().expect(LOCKED)
}

const LOCKED: &str = "no thread panics while it holds a lock";

fn attempt(job: &Job, threads: usize, progress: &Progress) -> Outcome {
    // Nothing that a run leaves half changed is looked at after a panic: the model is read only, its state is dropped.
    let run = || run_on(job.backend.as_ref(), &job.model, job.replication, threads, progress);
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(replication)) => {
            let digest = replication.digest();
            Outcome::Finished(Box::new(replication), digest)
        }
        Ok(Err(RunError::Interrupted)) => Outcome::Cancelled,
        Ok(Err(RunError::Algorithm(failure))) => Outcome::AlgorithmFailed(failure.to_string()),
        Ok(Err(RunError::Backend(message))) => Outcome::Failed(message),
        Ok(Err(error @ RunError::Overfull(_))) => {
            let groups = job.model.groups.iter().map(|group| format!("{} ({})", group.name, group.algorithm));
            let groups = groups.collect::<Vec<_>>().join(", ");
            Outcome::BadInput(format!(
                "{error}; groups: {groups}; transport.receive_window and transport.initial_ssthresh bound what a sender has in flight"
            ))
        }
        Ok(Err(error @ RunError::Refused(_))) => Outcome::BadInput(error.to_string()),
        Ok(Err(error @ RunError::NotConserved(_))) => Outcome::Failed(error.to_string()),
        Err(panic) => Outcome::Failed(format!("a panic: {}", words(panic.as_ref()))),
    }
}

fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
