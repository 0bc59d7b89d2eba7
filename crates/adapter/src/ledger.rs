// SPDX-License-Identifier: Apache-2.0
//! The packets that are outstanding, with the state when they were sent, and samples of the delivery rate
//! (draft-ietf-ccwg-bbr §4.1).

use narrows_cc::SentPacket;
use narrows_units::{Rate, Span, Time};
use std::collections::VecDeque;

/// Data delivered on a path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delivered {
    /// Packets, as the algorithm has been notified of them.
    pub(crate) packets: u64,
    /// Bytes.
    pub(crate) bytes: u64,
    /// Time of the last delivery.
    pub(crate) at: Time,
}

/// A packet that is outstanding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// The packet as reported to the algorithm; its number counts the packets of the path.
    pub(crate) packet: SentPacket,
    /// The packet number of the stack; `None` if it is not known.
    number: Option<u64>,
    /// Bytes of it that are neither acknowledged nor lost. Packets of several spaces may share a datagram.
    left: u64,
    /// Data delivered when it was sent.
    pub(crate) before: Delivered,
    /// When the packet was sent that the last sample before was of.
    pub(crate) first_sent_at: Time,
}

/// The records of outstanding packets, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    records: VecDeque<Record>,
    /// Bytes outstanding in all records.
    outstanding: u64,
    /// When the packet of the last sample was sent.
    first_sent_at: Time,
}

impl Ledger {
    /// Enters a packet; `idle` if nothing was outstanding before.
    pub(crate) fn enter(&mut self, packet: SentPacket, number: Option<u64>, before: Delivered, idle: bool) {
        if idle {
            self.first_sent_at = packet.sent_at;
        }
        let left = packet.size.count();
        self.outstanding += left;
        self.records.push_back(Record { packet, number, left, before, first_sent_at: self.first_sent_at });
    }

    /// Takes `bytes` that were sent at `sent` out, by the packet number if it is known, and appends to `complete` the packets that have
    /// no other bytes left. Returns the first record of theirs; `None` if there is none, as of a probe of the path MTU.
    pub(crate) fn take(
        &mut self,
        sent: Time,
        bytes: u64,
        number: Option<u64>,
        complete: &mut Vec<SentPacket>,
    ) -> Option<Record> {
        let start = self.records.partition_point(|record| record.packet.sent_at < sent);
        let mut unaccounted = bytes;
        let mut first = None;
        for record in self.records.iter_mut().skip(start).take_while(|record| record.packet.sent_at == sent) {
            if unaccounted == 0 {
                break;
            }
            if record.left == 0 || number.is_some() && record.number != number {
                continue;
            }
            first.get_or_insert(*record);
            let taken = record.left.min(unaccounted);
            record.left -= taken;
            if record.left == 0 {
                complete.push(record.packet);
            }
            unaccounted -= taken;
            self.outstanding -= taken;
        }
        self.trim();
        first
    }

    /// Takes out all that was sent before `sent`, and of what was sent at that time the packets up to `number`, or all of them if it is
    /// not known, but no more than `bytes` of these. Appends the packets to `lost`.
    pub(crate) fn lose(&mut self, sent: Time, bytes: u64, number: Option<u64>, lost: &mut Vec<SentPacket>) {
        let mut unaccounted = bytes;
        while let Some(record) = self.records.front() {
            let Record { packet, left, .. } = *record;
            let beyond = number.is_some_and(|last| record.number.is_some_and(|number| number > last));
            if packet.sent_at > sent || packet.sent_at == sent && (beyond || left > 0 && unaccounted == 0) {
                break;
            }
            if left > 0 && unaccounted > 0 {
                lost.push(packet);
            }
            unaccounted = unaccounted.saturating_sub(left);
            self.outstanding -= left;
            self.records.pop_front();
        }
        self.trim();
    }

    /// Forgets the oldest records while they have more bytes than the stack has in flight: packets that carry nothing but
    /// acknowledgements are never acknowledged.
    pub(crate) fn agree(&mut self, in_flight: u64) {
        while self.outstanding > in_flight {
            let Some(record) = self.records.pop_front() else { break };
            self.outstanding -= record.left;
        }
        self.trim();
    }

    /// Returns the interval in which what `delivered` has beyond the record's was delivered, and its rate: the longer of the times
    /// in which it was sent and acknowledged. `None` if it is shorter than `min_rtt`.
    pub(crate) fn sample(
        &mut self,
        newest: &Record,
        delivered: Delivered,
        min_rtt: Option<Span>,
    ) -> Option<(Span, Rate)> {
        let sent_at = newest.packet.sent_at;
        self.first_sent_at = sent_at;
        let interval = sent_at.since(newest.first_sent_at).max(delivered.at.since(newest.before.at));
        if interval == Span::ZERO || min_rtt.is_some_and(|min| interval < min) {
            return None;
        }
        let bits = u128::from(delivered.bytes - newest.before.bytes) * 8 * 1_000_000_000_000;
        Some((interval, Rate::from_bps((bits / u128::from(interval.as_ps())) as u64)))
    }

    /// Removes the oldest records that have no bytes left.
    fn trim(&mut self) {
        while self.records.front().is_some_and(|record| record.left == 0) {
            self.records.pop_front();
        }
    }
}
