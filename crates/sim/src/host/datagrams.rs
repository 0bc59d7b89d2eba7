// SPDX-License-Identifier: Apache-2.0
//! The part of a finite transfer of datagrams that has arrived, which no packet acknowledges.
//!
//! The transfer is complete when its last packet arrives. If that is lost, it was complete with the last arrival, which is
//! known once no more is expected: the sender has sent everything, and nothing has arrived for a second and twice the delay of
//! the newest arrival. Of a transfer of which nothing has arrived the delay is not known; it has failed if that stays so.

use super::LINGER;
use crate::transfer::EndedTransfer;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// The arrivals of a finite transfer of datagrams.
#[derive(Debug)]
pub(crate) struct Datagrams {
    /// Number of its last packet.
    last: u64,
    /// Time of the newest arrival, and the delay of that packet.
    newest: Option<(Time, Span)>,
    /// Time at which the transfer was complete; `None` while that is not known.
    pub completed: Option<Time>,
    /// Time at which the last packet arrives if nothing but propagation delays it; `NEVER` until it has been sent.
    due: Time,
    /// Counts of the sender, from its end until the end of the transfer is known, too.
    sent: Option<EndedTransfer>,
}

impl Datagrams {
    /// Creates the of a transfer of `size` in packets of at most `payload`, before its start.
    pub fn new(size: Bytes, payload: Bytes) -> Self {
        let last = size.count().div_ceil(payload.count()).saturating_sub(1);
        Self { last, newest: None, completed: None, due: Time::NEVER, sent: None }
    }

    /// `packet` arrives at `now`.
    pub fn on_arrival(&mut self, packet: &Packet, now: Time) {
        self.newest = Some((now, now - packet.sent_at));
        if packet.number == self.last && self.completed.is_none() {
            self.completed = Some(now);
        }
    }

    /// The sender has ended; without delays other than propagation its last packet arrives at `due`. It has sent everything
    /// if it knows `sent` of the transfer.
    pub fn close(&mut self, due: Time, sent: Option<EndedTransfer>) {
        (self.due, self.sent) = (due, sent);
    }

    /// Returns the time after which no packet is expected; `NEVER` while the sender has not ended.
    pub fn closing(&self) -> Time {
        match self.newest {
            _ if self.due == Time::NEVER => Time::NEVER,
            Some((at, delay)) => self.due.max(at) + LINGER + delay * 2,
            None => self.due + LONGEST_QUEUE,
        }
    }

    /// Whether the end of the transfer is known, and has not been [taken](Self::take_ended); `closed` says whether no
    /// more packets are expected.
    #[inline]
    pub fn has_ended(&self, closed: bool) -> bool {
        self.sent.is_some() && (self.completed.is_some() || closed)
    }

    /// Returns the transfer, of which `payload` has arrived, if it [has ended](Self::has_ended).
    pub fn take_ended(&mut self, payload: u64, closed: bool) -> Option<EndedTransfer> {
        if !self.has_ended(closed) {
            return None;
        }
        let mut ended = self.sent.take()?;
        self.completed = self.completed.or(self.newest.map(|(at, _)| at));
        let record = &mut ended.record;
        record.completed = self.completed.is_some();
        record.ended = self.completed.unwrap_or(self.closing());
        if record.completed {
            record.size = payload.min(record.size);
        }
        Some(ended)
    }
}

/// Time for which the first packet of a transfer can be on its way in addition to propagation: queues of seconds occur.
const LONGEST_QUEUE: Span = Span::from_ms(10_000);
