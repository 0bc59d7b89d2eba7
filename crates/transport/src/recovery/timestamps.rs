// SPDX-License-Identifier: Apache-2.0
//! Timestamps (RFC 7323): which transmission an acknowledgement acknowledges.
//!
//! The timestamp is a logical clock, since only the order of transmissions matters. It advances with each episode, so
//! that the echo in the first acknowledgement that advances shows whether that acknowledges a segment sent before the
//! episode (Eifel, RFC 3522 §3.2); and if a segment is sent again by the time at which it was sent before, so that each
//! of its transmissions has a timestamp of its own. The time of the transmission with the echoed timestamp is then that
//! which a real clock would have put into the segment.

use narrows_units::Time;
use std::collections::VecDeque;

/// The transmission of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transmission {
    pub(crate) number: u64,
    pub(crate) sent_at: Time,
    pub(crate) timestamp: u8,
}

/// The timestamps of one sender.
#[derive(Clone, Debug)]
pub(super) struct Timestamps {
    used: bool,
    /// The timestamp of the packets sent now.
    clock: u8,
    /// The timestamp of the first packet sent in the last episode.
    episode: u8,
    /// Of the segments that were sent again, all transmissions but the last.
    earlier: VecDeque<Transmission>,
}

impl Timestamps {
    pub(super) fn new(used: bool) -> Self {
        Self { used, clock: 0, episode: 0, earlier: VecDeque::new() }
    }

    /// Returns the timestamp of a packet sent now (TSval).
    pub(super) fn now(&self) -> u8 {
        self.clock
    }

    /// A loss episode starts.
    pub(super) fn on_episode(&mut self) {
        self.clock = self.clock.wrapping_add(1);
        self.episode = self.clock;
    }

    /// The segment of `last`, its last transmission, is sent again; all segments below `una` are acknowledged.
    pub(super) fn before_retransmission(&mut self, last: Transmission, una: u64) {
        if !self.used {
            return;
        }
        if last.timestamp == self.clock {
            self.clock = self.clock.wrapping_add(1);
        }
        while self.earlier.front().is_some_and(|transmission| transmission.number < una) {
            self.earlier.pop_front();
        }
        self.earlier.push_back(last);
    }

    /// Whether an acknowledgement that advances with the timestamp `echo` acknowledges a segment sent before the last
    /// episode. Always false without timestamps.
    pub(super) fn acks_original(&self, echo: u8) -> bool {
        self.used && echo.wrapping_sub(self.episode).cast_signed() < 0
    }

    /// Returns when the segment of `last` was sent with the timestamp `echo`; `None` if it never was, and without
    /// timestamps.
    pub(super) fn sent_at(&self, last: Transmission, echo: u8) -> Option<Time> {
        if !self.used {
            return None;
        }
        let has_echo = |each: &&Transmission| each.number == last.number && each.timestamp == echo;
        Some(&last)
            .filter(has_echo)
            .or_else(|| self.earlier.iter().rev().find(has_echo))
            .map(|each| each.sent_at)
    }
}

#[cfg(test)]
mod tests {
    use super::{Timestamps, Transmission};
    use narrows_units::Time;

    #[test]
    fn the_clock_may_wrap() {
        let mut timestamps = Timestamps::new(true);
        (0..256).for_each(|_| timestamps.on_episode());
        assert_eq!(timestamps.now(), 0);
        assert!(
            timestamps.acks_original(255) && !timestamps.acks_original(0) && !timestamps.acks_original(1)
        );
    }

    #[test]
    fn the_echo_distinguishes_the_transmissions_of_a_segment() {
        let mut timestamps = Timestamps::new(true);
        let sent = |at, timestamp| Transmission { number: 7, sent_at: Time::from_ps(at), timestamp };
        timestamps.on_episode();
        timestamps.before_retransmission(sent(10, 0), 7);
        assert_eq!(timestamps.now(), 1, "the episode has advanced the clock");
        timestamps.before_retransmission(sent(20, 1), 7);
        assert_eq!(timestamps.now(), 2, "a retransmission within the episode advances it");
        let of_echo = |echo| timestamps.sent_at(sent(30, 2), echo);
        assert_eq!(
            [0, 1, 2, 3].map(of_echo),
            [Some(10), Some(20), Some(30), None].map(|at| at.map(Time::from_ps))
        );
        assert!(timestamps.acks_original(0) && !timestamps.acks_original(1));
    }

    #[test]
    fn without_the_option_nothing_is_an_original() {
        let mut timestamps = Timestamps::new(false);
        timestamps.on_episode();
        assert!(!timestamps.acks_original(255) && !timestamps.acks_original(0));
        assert_eq!(
            timestamps.sent_at(Transmission { number: 0, sent_at: Time::ZERO, timestamp: 0 }, 0),
            None
        );
    }
}
