// SPDX-License-Identifier: Apache-2.0
//! Segmentation offload: how many new segments are passed on at once, and when they wait until more may be sent.

use super::Sender;
use crate::pacer::default_rate;
use narrows_units::{Bytes, Span, Time};

impl Sender {
    /// Whether a new segment waits, where `usable` packets may be in flight.
    #[inline]
    pub(super) fn is_deferred(&mut self, usable: u64, now: Time) -> bool {
        let options = &self.core.options;
        if self.aggregate > 0 || (options.segmentation_offload == 1 && !options.tso_autosizing) {
            return false;
        }
        self.aggregate = self.begin_aggregate(usable, now);
        self.aggregate == 0
    }

    /// The number of new segments that may be sent before this is asked again; zero if they wait.
    #[cold]
    fn begin_aggregate(&self, usable: u64, now: Time) -> u64 {
        let (board, options) = (self.recovery.board(), &self.core.options);
        let room_of =
            |window: u64, used: u64| if window < u64::MAX { window.saturating_sub(used) } else { window };
        let receive_window = options.receive_window.unwrap_or(u64::MAX);
        let room = room_of(usable, board.in_flight()).min(room_of(receive_window, board.outstanding()));
        let third = usable.min(receive_window) / 3;
        let most =
            if options.tso_autosizing { self.autosized() } else { u64::from(options.segmentation_offload) };
        let more_would_fit = room < most.min(third) && room < self.core.data.available() - board.next();
        let waits = board.in_flight() > 0
            && more_would_fit
            && (!options.tso_autosizing || self.linux_defers(room, now));
        match (waits, options.tso_autosizing) {
            (true, _) => 0,
            (false, true) => room.min(most).max(1),
            (false, false) => u64::MAX,
        }
    }

    /// Most segments of an aggregate in Linux 6.12: the segments of a millisecond at the pacing rate, more at a short
    /// round trip, at least two (`tcp_tso_autosize`).
    fn autosized(&self) -> u64 {
        let Some(rtt) = self.core.timer.rtt() else { return LEAST_SEGMENTS };
        let limits = self.core.algorithm.limits();
        let mss = self.core.options.mss;
        let rate = limits.pacing.or_else(|| {
            let window = self.core.algorithm.window()?;
            Some(default_rate(window, self.core.algorithm.ssthresh(), mss, rtt.smoothed))
        });
        let paced = rate.map_or(0, |rate| (rate.as_bps() / 8) >> PACING_SHIFT);
        let halvings = (rtt.min.as_ps() / MICROSECOND.as_ps()) >> RTT_SHIFT;
        let near = if halvings < 32 { GREATEST_AGGREGATE.count() >> halvings } else { 0 };
        ((paced + near).min(GREATEST_AGGREGATE.count()) / mss.count()).max(LEAST_SEGMENTS)
    }

    /// Whether Linux 6.12 defers an aggregate of `room` segments that could be larger: outside of recovery, if the last one was
    /// sent within a millisecond, `room` does not hold the rest of a buffer that the application has filled, and the
    /// acknowledgement of the first segment is expected within the smaller of a millisecond and half a round trip
    /// (`tcp_tso_should_defer`).
    fn linux_defers(&self, room: u64, now: Time) -> bool {
        if self.recovery.is_recovering() || now.since(self.last_sent_at.max(self.pacer.due())) > MILLISECOND {
            return false;
        }
        let buffer = (GREATEST_AGGREGATE.count() / self.core.options.mss.count()).max(1);
        if room >= buffer - self.recovery.board().next() % buffer {
            return false;
        }
        let head = self.recovery.board().in_flight_segments().next();
        let (Some((_, sent_at)), Some(rtt)) = (head, self.core.timer.rtt()) else { return false };
        (sent_at + rtt.smoothed).since(now) <= MILLISECOND.min(rtt.smoothed / 2)
    }
}

const MICROSECOND: Span = Span::from_us(1);
const MILLISECOND: Span = Span::from_ms(1);
/// `net.ipv4.tcp_min_tso_segs`.
const LEAST_SEGMENTS: u64 = 2;
/// `sk_pacing_shift`: an aggregate is the data sent at the pacing rate in 2^-10 seconds.
const PACING_SHIFT: u32 = 10;
/// `net.ipv4.tcp_tso_rtt_log`: the share of the largest aggregate that is added halves with every 2^9 microseconds of the minimum
/// round-trip time.
const RTT_SHIFT: u32 = 9;
/// `sk_gso_max_size`: 64 KiB less the headers.
const GREATEST_AGGREGATE: Bytes = Bytes::new(65_536 - 320);
