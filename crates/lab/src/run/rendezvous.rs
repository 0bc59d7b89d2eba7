//! Where the threads of one run wait for each other between time windows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A barrier that can break: if one of the threads dies, the others do not wait for it for ever.
#[derive(Debug)]
pub(super) struct Rendezvous {
    members: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    broken: AtomicBool,
}

/// One of the threads has died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// Breaks the rendezvous when its thread unwinds.
pub(super) struct Membership<'a>(pub &'a Rendezvous);

impl Rendezvous {
    /// For so many threads.
    pub fn new(members: usize) -> Self {
        Self {
            members,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits until every thread has come here as often as this one. What each did before is seen by all afterwards.
    pub fn wait(&self) -> Result<(), Broken> {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut patience = SPINS;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return Err(Broken);
            }
            if patience > 0 {
                patience -= 1;
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

/// Windows are short, so the others are usually not far behind.
const SPINS: u32 = 2_000;

#[cfg(test)]
mod tests {
    use super::{Broken, Membership, Rendezvous};
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn nobody_is_a_round_ahead() {
        let (rendezvous, count) = (Rendezvous::new(3), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..=200 {
                        count.fetch_add(1, Ordering::Relaxed);
                        rendezvous.wait().expect("nobody dies");
                        assert_eq!(count.load(Ordering::Relaxed), 3 * round);
                        rendezvous.wait().expect("nobody dies");
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_the_dead() {
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
