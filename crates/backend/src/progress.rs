// SPDX-License-Identifier: Apache-2.0
//! Progress and cancellation of runs: the only state that is shared with their environment.

use narrows_units::Time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Progress of the runs of one command, shared between them and the display.
#[derive(Debug, Default)]
pub struct Progress {
    simulated_ps: AtomicU64,
    cancellation: Cancellation,
    observer: Option<fn(u64)>,
}

/// A request to stop, shared by whoever makes it and everything that it stops. It cannot be taken back.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<AtomicBool>);

impl Cancellation {
    /// Makes the request.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the request was made. Cheap enough to ask for every packet.
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Progress {
    /// Progress at the start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Progress at the start, of which `observer` is notified: it is called with [`simulated_ps`](Self::simulated_ps) some
    /// two hundred times in a run.
    pub fn observed_by(observer: fn(u64)) -> Self {
        Self { observer: Some(observer), ..Self::default() }
    }

    /// Returns the simulated time so far, summed over runs, picoseconds.
    pub fn simulated_ps(&self) -> u64 {
        self.simulated_ps.load(Ordering::Relaxed)
    }

    /// Cancels all runs, which end soon afterwards.
    pub fn cancel(&self) {
        self.cancellation.request();
    }

    /// Whether the runs were cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_requested()
    }

    /// Returns the request by which the runs are cancelled.
    pub fn cancellation(&self) -> Cancellation {
        self.cancellation.clone()
    }

    /// Adds the simulated time from `from` to `to` of one run.
    pub fn advance(&self, from: Time, to: Time) {
        let step = to.since(from).as_ps();
        let before = self.simulated_ps.fetch_add(step, Ordering::Relaxed);
        if let Some(observer) = self.observer {
            observer(before + step);
        }
    }
}
