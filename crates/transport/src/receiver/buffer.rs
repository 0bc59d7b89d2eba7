//! How Linux's receive buffer grows, as far as the timing of acknowledgements depends on it.
//!
//! Once a round trip the receiver compares what it took in with the most it ever took in, and if that was more, makes
//! room: `w = 2c + 16`, `w ← w + 2w(c − s)/s` segments for `c` taken in and `s` before (`tcp_rcv_space_adjust`). While
//! there is room, each segment raises the window to announce by two segments and asks to be acknowledged at once
//! (`tcp_grow_window` sets the low bit of the count of quick ACKs). So in slow start most segments are acknowledged
//! alone, and in congestion avoidance one or two a round trip.
//!
//! Deviations: counted in segments; the round trip is the handshake's, without the estimate from time stamps; the
//! window never limits the sender, which is what `receive_window` is for.

use narrows_units::{Span, Time};

/// The growth of one receiver's buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct BufferGrowth {
    /// Segments the buffer may announce.
    clamp: u64,
    /// Segments it announces.
    announced: u64,
    /// Most segments taken in within a round trip.
    most: u64,
    /// Segments taken in since `since`.
    taken: u64,
    since: Time,
    round_trip: Span,
}

impl BufferGrowth {
    /// The connection was accepted `now`, a round trip after the SYN-ACK.
    pub(super) fn new(now: Time, round_trip: Span) -> Self {
        Self {
            clamp: INITIAL_CLAMP,
            announced: INITIAL_ANNOUNCED,
            most: INITIAL_MOST,
            taken: 0,
            since: now,
            round_trip,
        }
    }

    /// A segment arrived in order: true if it raised the window to announce.
    pub(super) fn on_segment(&mut self, now: Time) -> bool {
        let room = self.clamp.saturating_sub(self.announced);
        self.announced += room.min(2);
        self.taken += 1;
        if now.since(self.since) >= self.round_trip {
            self.measure(now);
        }
        room > 0
    }

    fn measure(&mut self, now: Time) {
        if self.taken > self.most {
            let wanted = 2 * self.taken + 16;
            let wanted = wanted + 2 * (wanted * (self.taken - self.most) / self.most);
            self.clamp = self.clamp.max(wanted);
            self.most = self.taken;
        }
        self.taken = 0;
        self.since = now;
    }
}

/// `tcp_rmem[1]`, 131,072 bytes, times the share of payload in the memory of a packet, in segments of 1,448 bytes. The
/// share is chosen so that 22 segments are acknowledged alone, as recorded from Linux 6.18.
const INITIAL_CLAMP: u64 = 56;
/// 64,240 bytes, the window of a SYN-ACK at an MSS of 1,460.
const INITIAL_ANNOUNCED: u64 = 44;
/// `TCP_INIT_CWND`.
const INITIAL_MOST: u64 = 10;

#[cfg(test)]
mod tests {
    use super::BufferGrowth;
    use narrows_units::{Span, Time};

    fn raised(growth: &mut BufferGrowth, segments: u64, at: Time) -> u64 {
        (0..segments).map(|_| u64::from(growth.on_segment(at))).sum()
    }

    #[test]
    fn flights_that_double_make_room_and_equal_flights_do_not() {
        let mut growth = BufferGrowth::new(Time::ZERO, Span::from_ms(40));
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        assert_eq!(raised(&mut growth, 10, at(1)), 6);
        assert_eq!(raised(&mut growth, 20, at(41)), 0);
        // 11 segments taken in against 10: 38 + 2·3 wanted, less than there is.
        assert_eq!(growth.clamp, 56);
        // Its first segment closes a round trip with 20 against 11: 56 + 2·45, room for all that follow.
        assert_eq!(raised(&mut growth, 40, at(81)), 39);
        assert_eq!(growth.clamp, 146);
        // And 40 against 20: 96 + 2·96.
        assert_eq!(raised(&mut growth, 40, at(121)), 40);
        assert_eq!(growth.clamp, 288);
    }
}
