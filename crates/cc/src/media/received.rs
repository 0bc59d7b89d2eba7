// SPDX-License-Identifier: Apache-2.0
//! The rate at which payload has arrived in the last half second.

use crate::Ack;
use alloc::collections::VecDeque;
use narrows_units::{Span, Time};

#[derive(Clone, Debug, Default)]
pub(super) struct Received {
    /// Time of each acknowledgement, and the bytes of its packets.
    arrivals: VecDeque<(Time, u64)>,
    bytes: u64,
    first: Option<Time>,
}

impl Received {
    pub(super) fn add(&mut self, ack: &Ack<'_>, now: Time) {
        let bytes = ack.packets.iter().map(|packet| packet.size.count()).sum();
        self.first.get_or_insert(now);
        self.arrivals.push_back((now, bytes));
        self.bytes += bytes;
        while let Some((at, old)) = self.arrivals.front().copied()
            && now.since(at) > WINDOW
        {
            self.arrivals.pop_front();
            self.bytes -= old;
        }
    }

    /// Returns the rate, bit/s; `None` in the first half second.
    pub(super) fn rate(&self, now: Time) -> Option<f64> {
        self.first.filter(|first| now.since(*first) >= WINDOW)?;
        Some(8.0 * self.bytes as f64 / WINDOW.as_secs_f64())
    }
}

/// `T` of draft-ietf-rmcat-gcc-02 §5.6, `LOGWIN` of RFC 8698.
pub(super) const WINDOW: Span = Span::from_ms(500);
