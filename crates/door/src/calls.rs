// SPDX-License-Identifier: Apache-2.0
//! The call into another's code that has not returned yet, for whoever ends a process in which one never does.
//!
//! A process of one run makes one call at a time. Where several threads make calls, each is noted, and the last one counts.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number of the call in this process.
    pub number: u64,
    /// The file and the controller in it.
    pub controller: String,
    /// Function of the header; `loading` before there is one.
    pub function: &'static str,
    /// Simulated time, nanoseconds.
    pub now: u64,
}

/// Returns the call that has not returned; `None` outside of calls.
pub fn running() -> Option<Call> {
    let number = NUMBER.load(Ordering::Acquire);
    let controllers = CONTROLLERS.lock().unwrap_or_else(PoisonError::into_inner);
    let controller = controllers.get(CONTROLLER.load(Ordering::Relaxed))?.clone();
    let function = FUNCTIONS.get(FUNCTION.load(Ordering::Relaxed)).copied()?;
    let now = NOW.load(Ordering::Relaxed);
    // Even numbers are between calls.
    (number % 2 == 1).then_some(Call { number, controller, function, now })
}

/// Returns the number of a controller, by which its calls are noted.
pub(crate) fn named(controller: String) -> usize {
    let mut controllers = CONTROLLERS.lock().unwrap_or_else(PoisonError::into_inner);
    controllers.iter().position(|known| *known == controller).unwrap_or_else(|| {
        controllers.push(controller);
        controllers.len() - 1
    })
}

/// Returns what `call` returns, and notes until then that `function` of a controller is called at `now`.
pub(crate) fn noted<T>(controller: usize, function: usize, now: u64, call: impl FnOnce() -> T) -> T {
    CONTROLLER.store(controller, Ordering::Relaxed);
    FUNCTION.store(function, Ordering::Relaxed);
    NOW.store(now, Ordering::Relaxed);
    let number = NUMBER.load(Ordering::Relaxed) | 1;
    NUMBER.store(number, Ordering::Release);
    let returned = call();
    NUMBER.store(number + 1, Ordering::Release);
    returned
}

/// Places in [`FUNCTIONS`] of what is no event.
pub(crate) const LOADING: usize = 7;
pub(crate) const CREATE: usize = 8;
pub(crate) const LIMITS: usize = 9;
pub(crate) const OBSERVE: usize = 10;
pub(crate) const DESTROY: usize = 11;

/// Functions of the header: events first, as `Event::place` counts them.
pub(crate) const FUNCTIONS: [&str; 12] = [
    "acked",
    "lost",
    "sent",
    "recovered",
    "spurious",
    "idle_restart",
    "timer",
    "loading",
    "create",
    "limits",
    "observe",
    "destroy",
];

static CONTROLLERS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static CONTROLLER: AtomicUsize = AtomicUsize::new(0);
static FUNCTION: AtomicUsize = AtomicUsize::new(0);
static NOW: AtomicU64 = AtomicU64::new(0);
static NUMBER: AtomicU64 = AtomicU64::new(0);
