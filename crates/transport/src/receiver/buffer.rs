// SPDX-License-Identifier: Apache-2.0
//! The growth of Linux's receive buffer, as far as the timing of acknowledgements depends on it.
//!
//! Once per round trip the receiver compares the segments received in it, `c`, with the previous maximum, `s`. If
//! `c > s`, the buffer grows to `w + 2w(c − s)/s` segments with `w = 2c + 16` (`tcp_rcv_space_adjust`). While the
//! advertised window is smaller than the buffer, each segment raises it by two segments and is acknowledged at once
//! (`tcp_grow_window` sets the low bit of the count of quick ACKs). In slow start most segments are therefore
//! acknowledged one by one, in congestion avoidance one or two per round trip.
//!
//! Deviations: counts are in segments. The round trip is measured in the handshake, not an estimate from timestamps.
//! The window itself never limits the sender: the options `receive_window` and `receive_autotuning` do.

use narrows_units::{Span, Time};

/// The receive buffer of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferGrowth {
    /// The largest window that may be advertised, segments: Linux's `window_clamp`.
    clamp: u64,
    /// The advertised window, segments.
    advertised: u64,
    /// The maximum number of segments received in a round trip.
    max_received: u64,
    /// Segments received since `since`.
    received: u64,
    since: Time,
    round_trip: Span,
}

impl BufferGrowth {
    /// Creates the buffer of a connection accepted at `now`, `round_trip` after the SYN-ACK was sent.
    pub(super) fn new(now: Time, round_trip: Span) -> Self {
        Self {
            clamp: INITIAL_CLAMP,
            advertised: INITIAL_ADVERTISED,
            max_received: INITIAL_MAX_RECEIVED,
            received: 0,
            since: now,
            round_trip,
        }
    }

    /// A segment arrived in order. Returns true if it raises the advertised window.
    pub(super) fn on_segment(&mut self, now: Time) -> bool {
        let room = self.clamp.saturating_sub(self.advertised);
        self.advertised += room.min(2);
        self.received += 1;
        if now.since(self.since) >= self.round_trip {
            self.measure(now);
        }
        room > 0
    }

    fn measure(&mut self, now: Time) {
        if self.received > self.max_received {
            let wanted = 2 * self.received + 16;
            let wanted = wanted + 2 * (wanted * (self.received - self.max_received) / self.max_received);
            self.clamp = self.clamp.max(wanted);
            self.max_received = self.received;
        }
        self.received = 0;
        self.since = now;
    }
}

/// `tcp_rmem[1]`, 131,072 bytes, times the share of payload in the memory of a packet, in segments of 1,448 bytes. The
/// share is chosen so that 22 segments are acknowledged one by one, as recorded from Linux 6.18.
const INITIAL_CLAMP: u64 = 56;
/// 64,240 bytes, the window of a SYN-ACK at an MSS of 1,460.
pub(crate) const INITIAL_ADVERTISED: u64 = 44;
/// `TCP_INIT_CWND`.
const INITIAL_MAX_RECEIVED: u64 = 10;

#[cfg(test)]
mod tests {
    use super::BufferGrowth;
    use narrows_units::{Span, Time};

    fn raised(growth: &mut BufferGrowth, segments: u64, at: Time) -> u64 {
        (0..segments).map(|_| u64::from(growth.on_segment(at))).sum()
    }

    #[test]
    fn the_buffer_grows_with_flights_that_double_and_not_with_equal_flights() {
        let mut growth = BufferGrowth::new(Time::ZERO, Span::from_ms(40));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(raised(&mut growth, 10, at(1)), 6);
        assert_eq!(raised(&mut growth, 20, at(41)), 0);
        // 11 segments received against 10: 38 + 2·3, less than the buffer.
        assert_eq!(growth.clamp, 56);
        // The first segment completes a round trip with 20 against 11: 56 + 2·45, room for all that follow.
        assert_eq!(raised(&mut growth, 40, at(81)), 39);
        assert_eq!(growth.clamp, 146);
        // And 40 against 20: 96 + 2·96.
        assert_eq!(raised(&mut growth, 40, at(121)), 40);
        assert_eq!(growth.clamp, 288);
    }
}
