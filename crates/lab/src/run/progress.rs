//! How far a run has come, and the wish to stop it: the only things shared with the outside while it runs.

use narrows_units::Time;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by all runs of one command and whoever watches them.
#[derive(Debug, Default)]
pub struct Progress {
    simulated_ps: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// Nothing done yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Simulated time done so far, summed over runs, in picoseconds.
    pub fn simulated_ps(&self) -> u64 {
        self.simulated_ps.load(Ordering::Relaxed)
    }

    /// Asks all runs to stop at their next convenience.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// A run went from `from` to `to`.
    pub(super) fn advance(&self, from: Time, to: Time) {
        self.simulated_ps.fetch_add(to.since(from).as_ps(), Ordering::Relaxed);
    }
}
