// SPDX-License-Identifier: Apache-2.0
//! A log with a limit, in one partition during a run.

use super::place::Place;
use narrows_units::Time;

/// An entry of a log.
pub(crate) trait Entry: Copy {
    /// Time of the event.
    fn at(&self) -> Time;
    /// Host or link of the event.
    fn place(&self) -> Place;
}

/// The earliest entries up to a limit, and one more if the limit is exceeded. Each place adds its entries in the order of
/// time; one place may be ahead of another.
#[derive(Clone, Debug)]
pub(crate) struct Log<E> {
    rows: Vec<E>,
    /// Entries to be kept; zero if nothing is logged.
    room: usize,
    /// Later entries exceed the limit.
    horizon: Time,
}

impl<E: Entry> Log<E> {
    /// Creates a log with at most `limit` entries; `None` logs nothing.
    pub fn new(limit: Option<u64>) -> Self {
        let room = limit.map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1));
        Self { rows: Vec::new(), room, horizon: Time::NEVER }
    }

    /// Whether anything is logged.
    pub fn is_on(&self) -> bool {
        self.room > 0
    }

    /// Logs `entry`.
    pub fn add(&mut self, entry: E) {
        if self.room == 0 || entry.at() > self.horizon {
            return;
        }
        self.rows.push(entry);
        if self.rows.len() >= self.room.saturating_add(self.room / PART).saturating_add(LEAST) {
            self.shrink();
        }
    }

    /// Removes the entries that exceed the limit.
    #[cold]
    fn shrink(&mut self) {
        sort(&mut self.rows);
        self.rows.truncate(self.room);
        self.horizon = self.rows.last().map_or(Time::NEVER, Entry::at);
    }

    /// Merges the logs of all partitions in order of time and place. Also returns the time at which the log was full,
    /// if it was; the result has no entries from that instant on. The result does not depend on the partitions: each
    /// log has its own first `limit + 1` entries, so together they contain the first `limit + 1` entries of all.
    pub fn merge(logs: impl Iterator<Item = Self>, limit: u64) -> (Vec<E>, Option<Time>) {
        // The only log of a run that has one partition is not copied.
        let mut rows = logs.map(|log| log.rows).reduce(|all, rows| [all, rows].concat()).unwrap_or_default();
        sort(&mut rows);
        let full = usize::try_from(limit).ok().and_then(|limit| rows.get(limit)).map(Entry::at);
        if let Some(full) = full {
            rows.truncate(rows.partition_point(|row| row.at() < full));
        }
        (rows, full)
    }
}

impl<E: Entry> Default for Log<E> {
    fn default() -> Self {
        Self::new(None)
    }
}

/// By time and place. Stable: simultaneous events at one place keep their order.
fn sort<E: Entry>(rows: &mut [E]) {
    rows.sort_by_key(|row| (row.at(), row.place()));
}

/// A log exceeds its limit by a quarter of it and by these entries before it is cut.
const PART: usize = 4;
const LEAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::{Entry, Log, Place};
    use narrows_units::Time;
    use proptest::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Event(u64, Place, usize);

    impl Entry for Event {
        fn at(&self) -> Time {
            Time::from_ps(self.0)
        }

        fn place(&self) -> Place {
            self.1
        }
    }

    fn log(limit: u64, entries: &[(u64, Place)]) -> Log<Event> {
        let mut log = Log::new(Some(limit));
        entries.iter().enumerate().for_each(|(number, (at, place))| log.add(Event(*at, *place, number)));
        log
    }

    #[test]
    fn a_full_log_holds_whole_moments_however_it_is_cut() {
        let (near, far) = (Place::Sender(0), Place::Receiver(0));
        let whole = log(3, &[(1, near), (2, far), (3, near), (3, far), (4, near)]);
        let (left, right) = (log(3, &[(1, near), (3, near), (4, near)]), log(3, &[(2, far), (3, far)]));
        let times = |logs: &[Log<Event>]| {
            let (rows, full) = Log::merge(logs.iter().cloned(), 3);
            (rows.iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(), full)
        };
        assert_eq!(times(&[whole]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
        assert_eq!(times(&[left, right]), (vec![(1, near), (2, far)], Some(Time::from_ps(3))));
    }

    #[test]
    fn a_log_that_is_not_asked_for_stays_empty() {
        let mut log = Log::new(None);
        log.add(Event(1, Place::Link(0), 0));
        assert!(!log.is_on() && log.rows.is_empty());
    }

    proptest! {
        /// Against the list of all entries, sorted.
        #[test]
        fn places_may_be_ahead_of_each_other(
            steps in prop::collection::vec((0u32..3, 0u64..4), 0..200), limit in 1u64..50,
        ) {
            let mut clocks = [0; 3];
            let mut log = Log::new(Some(limit));
            let mut all = Vec::new();
            for (number, (place, step)) in steps.into_iter().enumerate() {
                clocks[place as usize] += step;
                let event = Event(clocks[place as usize], Place::Link(place), number);
                log.add(event);
                all.push(event);
            }
            prop_assert!(log.rows.len() <= 2 * limit as usize + 5);
            all.sort_by_key(|event| (event.0, event.1));
            let full = all.get(limit as usize).map(|event| event.0);
            all.retain(|event| full.is_none_or(|full| event.0 < full));
            prop_assert_eq!(Log::merge([log].into_iter(), limit), (all, full.map(Time::from_ps)));
        }
    }
}
