//! Progress and cancellation of runs: the only state that is shared with their environment.

use narrows_units::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Progress of the runs of one command, shared between them and the display.
#[derive(Debug, Default)]
pub struct Progress {
    simulated_ps: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// Progress at the start.
    pub fn new() -> Self {
        Self::default()
    }

    /// Simulated time so far, summed over runs, picoseconds.
    pub fn simulated_ps(&self) -> u64 {
        self.simulated_ps.load(Ordering::Relaxed)
    }

    /// Cancels all runs, which end soon afterwards.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the runs were cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Adds the simulated time from `from` to `to` of one run.
    pub fn advance(&self, from: Time, to: Time) {
        self.simulated_ps.fetch_add(to.since(from).as_ps(), Ordering::Relaxed);
    }
}
