// SPDX-License-Identifier: Apache-2.0
//! Exchanges: the writes of two applications to each other over one connection.
//!
//! Source: the a-b-t model of Weigle, Adurthi, Hernández-Campos, Jeffay, Smith, "Tmix: A Tool for Generating Realistic TCP
//! Application Workloads in ns-2", ACM CCR 36(3), 2006.

use narrows_units::{Bytes, Span, Time};
use std::sync::Arc;

/// A recorded connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Start of the connection, from the start of the recording.
    pub start: Span,
    /// Minimum round-trip time of the connection; `None` if it is not reproduced.
    pub rtt: Option<Span>,
    /// The two sides: initiator, then acceptor.
    pub sides: [Side; 2],
}

/// One side of a connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// Writes of the side, in order.
    pub writes: Arc<[Write]>,
    /// Receive window; `None` if it is not reproduced.
    pub window: Option<Bytes>,
}

/// A write: an application data unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Payload, at least one byte.
    pub size: Bytes,
    /// Event that the write waits for.
    pub after: After,
    /// Time from that event to the write.
    pub wait: Span,
}

/// The event that a write waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    /// The start of the connection.
    Start,
    /// The previous write of the same side.
    Written,
    /// The delivery of this many bytes of the other side, counted from its first write.
    Received(Bytes),
}

impl Side {
    /// Returns the sum of the sizes of all writes.
    pub fn size(&self) -> Bytes {
        self.writes.iter().fold(Bytes::ZERO, |sum, write| sum + write.size)
    }

    /// Whether its first write does not wait for data from the other side, so that it opens the connection.
    pub fn opens(&self) -> bool {
        self.writes.first().is_some_and(|write| write.after == After::Start)
    }
}

/// A side of a connection and its position in the sequence of writes.
#[derive(Clone, Debug)]
pub struct Script {
    writes: Arc<[Write]>,
    next: usize,
    /// Time of the next write; `NEVER` while it waits for the other side, or if there is none.
    due: Time,
    received: Bytes,
    /// Time at which the last of the received data arrived.
    received_at: Time,
}

impl Script {
    /// Creates the start of the script of `side`, for a connection that starts at `start`.
    pub fn new(side: &Side, start: Time) -> Self {
        let mut script = Self {
            writes: Arc::clone(&side.writes),
            next: 0,
            due: Time::NEVER,
            received: Bytes::ZERO,
            received_at: start,
        };
        script.wait(start);
        script
    }

    /// Returns the time of the next write; `NEVER` if it waits for data or if there is none.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Handles the delivery of data: `received` bytes in total of the other side's data by `now`. Returns whether the
    /// next write waited for them.
    pub fn on_delivered(&mut self, received: Bytes, now: Time) -> bool {
        if received > self.received {
            (self.received, self.received_at) = (received, now);
        }
        let waited = self.due == Time::NEVER;
        if waited {
            self.wait(now);
        }
        waited && self.due < Time::NEVER
    }

    /// Removes and returns the write that is due at `now`; `None` if there is none.
    pub fn write(&mut self, now: Time) -> Option<Bytes> {
        if self.due > now {
            return None;
        }
        let size = self.writes[self.next].size;
        self.next += 1;
        self.due = Time::NEVER;
        self.wait(now);
        Some(size)
    }

    /// Cancels all further writes.
    pub fn close(&mut self) {
        self.next = self.writes.len();
        self.due = Time::NEVER;
    }

    fn wait(&mut self, now: Time) {
        let Some(write) = self.writes.get(self.next) else { return };
        self.due = match write.after {
            After::Start | After::Written => now + write.wait,
            After::Received(bytes) if bytes <= self.received => now.max(self.received_at + write.wait),
            After::Received(_) => Time::NEVER,
        };
    }
}

#[cfg(test)]
mod tests {
    //! Truth: contract. When each side writes, by hand.

    use super::{After, Bytes, Script, Side, Span, Time, Write};

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn side(writes: &[(u64, After, u64)]) -> Side {
        let write = |&(size, after, ms): &(u64, After, u64)| Write {
            size: Bytes::new(size),
            after,
            wait: Span::from_ms(ms),
        };
        Side { writes: writes.iter().map(write).collect(), window: None }
    }

    #[test]
    fn an_acceptor_answers_a_whole_request_after_its_think_time() {
        let mut script = Script::new(&side(&[(510, After::Received(Bytes::new(245)), 51)]), at(7));
        assert_eq!(script.due(), Time::NEVER);
        assert!(!script.on_delivered(Bytes::new(244), at(20)));
        assert!(script.on_delivered(Bytes::new(245), at(30)));
        assert_eq!(script.due(), at(81));
        assert!(!script.on_delivered(Bytes::new(245), at(40)), "it is reported once");
        assert_eq!(script.write(at(80)), None);
        assert_eq!(script.write(at(81)), Some(Bytes::new(510)));
        assert_eq!((script.write(at(90)), script.due()), (None, Time::NEVER));
    }

    #[test]
    fn a_side_that_receives_nothing_counts_from_its_own_writes() {
        let mut script = Script::new(&side(&[(222, After::Start, 0), (16, After::Written, 62)]), at(1429));
        assert_eq!(script.due(), at(1429));
        assert_eq!(script.write(at(1429)), Some(Bytes::new(222)));
        assert_eq!(script.due(), at(1491));
    }

    #[test]
    fn what_came_before_the_own_write_is_counted_from_when_it_came() {
        let after = After::Received(Bytes::new(9));
        let mut script = Script::new(&side(&[(1, After::Start, 10), (2, after, 30), (3, after, 5)]), at(0));
        script.on_delivered(Bytes::new(9), at(4));
        assert_eq!(script.write(at(10)), Some(Bytes::new(1)));
        assert_eq!(script.due(), at(34));
        assert_eq!(script.write(at(34)), Some(Bytes::new(2)));
        assert_eq!(script.due(), at(34), "the wait is long over");
    }

    #[test]
    fn a_closed_side_stays_silent() {
        let mut script = Script::new(&side(&[(1, After::Received(Bytes::new(1)), 0)]), at(0));
        script.close();
        assert!(!script.on_delivered(Bytes::new(1), at(1)));
    }
}
