// SPDX-License-Identifier: Apache-2.0
//! Limits of the host resources of started WebAssembly modules: one memory and one table for each, and a bound on their total
//! memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wasmi::{StoreLimits, StoreLimitsBuilder};

/// Returns the limits of a started module.
pub fn limits() -> StoreLimits {
    let limits = StoreLimitsBuilder::new().memory_size(MEMORY).table_elements(MOST_ELEMENTS);
    limits.instances(1).memories(1).tables(1).build()
}

/// The memory of a started module, which is released when the module is dropped.
#[derive(Debug)]
pub struct Room {
    taken: usize,
    /// Bytes of memory of all started modules.
    all: Arc<AtomicUsize>,
}

impl Room {
    /// Creates the count of a further module, which adds to the `all` bytes of the others.
    pub fn new(all: &Arc<AtomicUsize>) -> Self {
        Self { taken: 0, all: Arc::clone(all) }
    }

    /// Counts the memory of the module, which has `bytes` now.
    ///
    /// # Errors
    ///
    /// If all modules together exceed their limit.
    pub fn count(&mut self, bytes: usize) -> Result<(), String> {
        // A memory never shrinks.
        let more = bytes.saturating_sub(self.taken);
        self.taken += more;
        if more > 0 && self.all.fetch_add(more, Ordering::Relaxed).saturating_add(more) > MEMORY_OF_ALL {
            return Err(format!(
                "the flows of the module have more than {MEMORY_OF_ALL} bytes of memory together"
            ));
        }
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.all.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

/// Bytes of memory that a flow may have in a module.
const MEMORY: usize = 16 << 20;

/// Bytes of memory that all flows of a module may have together, in all runs of a process. Whether runs exceed it depends on how
/// many of them run side by side; it ends a run with an error, and changes no result.
const MEMORY_OF_ALL: usize = 2 << 30;

/// Functions that the table of a module may have.
const MOST_ELEMENTS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::{MEMORY, MEMORY_OF_ALL, Room};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_flows_of_a_module_have_bounded_memory_together_and_give_it_back() {
        let all = Arc::new(AtomicUsize::new(0));
        let mut rooms = Vec::new();
        loop {
            let mut room = Room::new(&all);
            if room.count(1000).and_then(|()| room.count(MEMORY)).is_err() {
                break;
            }
            rooms.push(room);
        }
        assert_eq!(rooms.len(), MEMORY_OF_ALL / MEMORY);
        drop(rooms);
        assert_eq!(all.load(Ordering::Relaxed), 0);
    }
}
