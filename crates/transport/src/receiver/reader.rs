// SPDX-License-Identifier: Apache-2.0
//! An application that reads what was received at a rate of its own, and the window that follows from it (RFC 9293 §3.8.6).
//!
//! What has arrived in order and is not read occupies the buffer; the rest of the buffer is the window. The right edge of
//! the window never moves back. It moves on only by at least a segment or half of the buffer (receiver's silly window
//! avoidance, §3.8.6.2.2), with the acknowledgements of data, or with one of its own: a *window update*, which is sent once
//! reading has at least doubled the window that the sender knows (`__tcp_cleanup_rbuf` in Linux).

use crate::TransportOptions;
use narrows_units::{Bytes, Rate, Span, Time};

/// The reading application of one receiver. All amounts are bytes of payload from the start of the connection.
#[derive(Debug)]
pub(super) struct Reader {
    /// `None` for an application that reads all at once.
    rate: Option<Rate>,
    /// Time from which to which it does not read.
    pause: (Time, Time),
    /// Size of the buffer.
    buffer: u64,
    /// The least step of the edge.
    step: u64,
    /// Data read at `since`.
    read: u64,
    /// Time from which on it has always had something to read.
    since: Time,
    /// What has arrived in order.
    delivered: u64,
    /// The right edge of the window that was last advertised, `RCV.NXT + RCV.WND`.
    edge: u64,
    /// Time at which a window update is sent; `Time::NEVER` if reading what there is does not suffice.
    due: Time,
}

impl Reader {
    /// Creates the application that `options` describe; `None` if it reads everything at once.
    pub(super) fn new(options: &TransportOptions) -> Option<Box<Self>> {
        let buffer = options.read_buffer()?.count();
        let (from, to) = options.read_pause;
        Some(Box::new(Self {
            rate: options.read_rate,
            pause: (Time::ZERO + from, Time::ZERO + to),
            buffer,
            step: options.mss.count().min(buffer / 2),
            read: 0,
            since: Time::ZERO,
            delivered: 0,
            edge: buffer,
            due: Time::NEVER,
        }))
    }

    /// In total `delivered` has arrived in order at `now`.
    pub(super) fn on_delivered(&mut self, delivered: u64, now: Time) {
        if self.read_by(now) == self.delivered {
            (self.read, self.since) = (self.delivered, now);
        }
        self.delivered = delivered;
        self.schedule();
    }

    /// An acknowledgement of the data that has arrived in order is sent at `now`. Returns its window, bytes.
    pub(super) fn advertise(&mut self, now: Time) -> u32 {
        let edge = self.read_by(now) + self.buffer;
        if edge >= self.edge + self.step {
            self.edge = edge;
        }
        self.schedule();
        (self.edge - self.delivered) as u32
    }

    /// Returns when a window update is sent; `Time::NEVER` if none is.
    pub(super) fn due(&self) -> Time {
        self.due
    }

    fn schedule(&mut self) {
        let known = self.edge - self.delivered;
        let needed = (self.edge + self.step).max(self.delivered + 2 * known).saturating_sub(self.buffer);
        self.due = if needed > self.delivered { Time::NEVER } else { self.time_of(needed) };
    }

    /// What has been read by `now`.
    fn read_by(&self, now: Time) -> u64 {
        let reading = now.since(self.since).saturating_sub(self.paused_by(now));
        match self.rate {
            Some(rate) => self.delivered.min(self.read + rate.bytes_in(reading).count()),
            None if reading > Span::ZERO || !self.pauses_at(now) => self.delivered,
            None => self.read,
        }
    }

    /// Time at which `amount` of the arrived data has been read.
    fn time_of(&self, amount: u64) -> Time {
        let missing = Bytes::new(amount.saturating_sub(self.read));
        if missing == Bytes::ZERO {
            return self.since;
        }
        let needed = self.rate.map_or(Span::ZERO, |rate| rate.time_for(missing));
        let (from, to) = self.pause;
        let before = from.since(self.since);
        if self.since >= to || (needed <= before && !self.pauses_at(self.since)) {
            return self.since + needed;
        }
        to + needed.saturating_sub(before)
    }

    /// The part of a pause between `since` and `now`.
    fn paused_by(&self, now: Time) -> Span {
        now.min(self.pause.1).since(self.since.max(self.pause.0))
    }

    fn pauses_at(&self, now: Time) -> bool {
        self.pause.0 <= now && now < self.pause.1
    }
}

#[cfg(test)]
mod tests {
    //! Truth: rule, worked by hand.

    use super::Reader;
    use crate::TransportOptions;
    use narrows_units::{Bytes, Rate, Span, Time};

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// Segments of 1000 bytes, of which the application reads one in a millisecond.
    fn reader(buffer: u64, pause: (u64, u64)) -> Reader {
        let options = TransportOptions {
            mss: Bytes::new(1_000),
            receive_window: Some(buffer),
            read_rate: Some(Rate::from_bps(8_000_000)),
            read_pause: (Span::from_ms(pause.0), Span::from_ms(pause.1)),
            ..TransportOptions::default()
        };
        *Reader::new(&options).expect("it reads at a rate")
    }

    #[test]
    fn what_is_not_read_closes_the_window_and_a_segment_read_opens_it() {
        let mut reader = reader(4, (0, 0));
        reader.on_delivered(4_000, at(10));
        assert_eq!(reader.advertise(at(10)), 0);
        // RFC 9293 §3.8.6.2.2: not before a whole segment fits.
        assert_eq!(reader.due(), at(11));
        assert_eq!(reader.advertise(Time::from_ps(at(11).as_ps() - 1)), 0);
        assert_eq!(reader.advertise(at(11)), 1_000);
        // The window that the sender knows doubles with the next segment.
        assert_eq!(reader.due(), at(12));
        assert_eq!(reader.advertise(at(12)), 2_000);
        assert_eq!(reader.due(), at(14));
    }

    #[test]
    fn the_edge_moves_by_a_segment_at_least_and_never_back() {
        let mut reader = reader(4, (0, 0));
        let mut edge = 4_000;
        for (delivered, us) in [(1_000, 300), (2_000, 600), (3_000, 900), (4_000, 1_400), (4_100, 2_700)] {
            reader.on_delivered(delivered, Time::ZERO + Span::from_us(us));
            let now = delivered + u64::from(reader.advertise(Time::ZERO + Span::from_us(us)));
            assert!(now == edge || now >= edge + 1_000, "{edge} to {now}");
            edge = now;
        }
        assert!(edge > 4_000);
    }

    #[test]
    fn an_application_that_had_nothing_to_read_does_not_read_faster_later() {
        let mut reader = reader(4, (0, 0));
        reader.on_delivered(1_000, at(10));
        reader.on_delivered(2_000, at(50));
        assert_eq!(reader.read_by(at(50)), 1_000);
        assert_eq!(reader.read_by(at(51)), 2_000);
    }

    #[test]
    fn nothing_is_read_in_a_pause() {
        let mut reader = reader(4, (11, 21));
        reader.on_delivered(4_000, at(10));
        assert_eq!([11, 15, 21, 22].map(|ms| reader.read_by(at(ms))), [1_000, 1_000, 1_000, 2_000]);
        assert_eq!(
            [1_000, 1_500].map(|amount| reader.time_of(amount)),
            [at(11), Time::ZERO + Span::from_us(21_500)]
        );
        reader.rate = None;
        reader.advertise(at(10));
        reader.on_delivered(5_000, at(12));
        assert_eq!([12, 20, 21].map(|ms| reader.read_by(at(ms))), [4_000, 4_000, 5_000]);
        assert_eq!(reader.time_of(5_000), at(21));
    }
}
