// SPDX-License-Identifier: Apache-2.0
//! A barrier between the time windows of the threads of a run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A barrier that can break: if one of the threads panics, the others do not wait for it forever.
#[derive(Debug)]
pub(super) struct Rendezvous {
    members: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// A thread has panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// Breaks the rendezvous when its thread unwinds.
pub(super) struct Membership<'a>(pub &'a Rendezvous);

impl Rendezvous {
    /// Creates a barrier for `members` threads.
    pub fn new(members: usize) -> Self {
        Self {
            members,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits until all threads have called this method equally often. Writes before the call are visible to all threads
    /// after it.
    ///
    /// # Errors
    ///
    /// [`Broken`] if a thread has panicked.
    pub fn wait(&self) -> Result<(), Broken> {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut spins = SPINS;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return Err(Broken);
            }
            if spins > 0 {
                spins -= 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

/// Number of spins before a thread yields; windows are short, so the other threads usually arrive soon.
const SPINS: u32 = 2_000;

#[cfg(test)]
mod tests {
    use super::{Broken, Membership, Rendezvous};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn no_thread_is_a_round_ahead() {
        let (rendezvous, count) = (Rendezvous::new(3), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=200 {
                        count.fetch_add(1, Ordering::Relaxed);
                        rendezvous.wait().expect("no thread panics");
                        assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                        rendezvous.wait().expect("no thread panics");
                    }
                });
            }
        });
    }

    #[test]
    fn no_thread_waits_for_one_that_panicked() {
        let rendezvous = Rendezvous::new(2);
        std::thread::scope(|scope| {
            let dead = scope.spawn(|| {
                let _membership = Membership(&rendezvous);
                panic!("one thread dies");
            });
            assert_eq!(rendezvous.wait(), Err(Broken));
            assert!(dead.join().is_err());
        });
    }
}
