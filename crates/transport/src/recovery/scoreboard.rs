// SPDX-License-Identifier: Apache-2.0
//! The scoreboard (RFC 6675 §3): the state of every segment from the cumulative acknowledgement on, in a ring.
//!
//! All counts are kept incrementally, and every operation costs amortised O(1) per acknowledgement for any window:
//! * A SACKed segment stores how far ahead to look for one that is not SACKed. These paths are compressed as they are
//!   followed, so that a block that is reported again costs one step.
//! * The three highest SACKed segments are stored: all segments below the third are lost (RFC 6675 §4, `IsLost`). A
//!   cursor stores how far this rule has been applied.
//! * Lost segments wait in two queues, one for first losses and one for lost retransmissions. Each is in ascending order
//!   except after reordering, and the lower front is retransmitted next. Entries that are no longer lost are skipped.

mod delivery;
mod losses;
mod lost_queue;

pub(crate) use delivery::{Delivery, Newest};

use super::timestamps::Transmission;
use crate::transfer::Transfer;
use lost_queue::LostQueue;
use narrows_cc::SentPacket;
use narrows_units::{Bytes, Time};
use narrows_wire::Block;

/// The scoreboard of one sender. The order of the fields is that in memory: those first that every acknowledgement
/// reads.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    /// Segment `n` is at `n & mask`; the length is a power of two.
    ring: Vec<Segment>,
    mask: u64,
    /// The first segment that is not cumulatively acknowledged.
    una: u64,
    /// The first segment that has not been sent.
    next: u64,
    in_flight: u64,
    sacked: u64,
    /// Segments in [`State::Lost`].
    lost: u64,
    /// Segments in [`State::Retransmitted`].
    retransmitted: u64,
    total_lost: u64,
    /// The three highest SACKed segments, highest first, each plus one; 0 for none.
    highest: [u64; 3],
    /// Packets acknowledged and lost, if the algorithm needs them.
    packets: Option<PacketLists>,
    /// Numbers of the segments declared lost since they were last taken, if they are reported.
    declared: Option<Vec<u64>>,
    /// For each segment the data that the algorithm and rate samples need, at the same index as in `ring`; empty if
    /// they need nothing.
    details: Vec<Detail>,
    /// `IsLost` has been applied to all segments below this one.
    examined: u64,
    lost_queue: LostQueue,
    transfer: Transfer,
    #[cfg(test)]
    steps: u64,
}

/// Packets acknowledged and lost since they were last reported to the algorithm.
#[derive(Clone, Debug, Default)]
struct PacketLists {
    acked: Vec<SentPacket>,
    lost: Vec<SentPacket>,
}

/// One segment. 16 bytes, so that a cache line holds four.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Time at which it was last sent.
    sent_at: Time,
    /// For a SACKed segment, how many segments ahead to look for one that is not SACKed.
    skip: u32,
    state: State,
    /// Whether the segment has been sent more than once.
    ever_retransmitted: bool,
    /// The timestamp with which it was last sent (TSval, RFC 7323).
    timestamp: u8,
}

/// The state of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In flight.
    InFlight,
    /// Selectively acknowledged.
    Sacked,
    /// Declared lost, and not yet retransmitted.
    Lost,
    /// Retransmitted after it was declared lost, and in flight.
    Retransmitted,
    /// Retransmitted without having been declared lost: both transmissions are in flight.
    InFlightTwice,
}

/// The state of the connection when a segment was last sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// Packets sent until then.
    pub(crate) packet: u64,
    /// The same when the segment was sent before; `None` if it had not been sent.
    pub(crate) packet_before: Option<u64>,
    /// Segments delivered until then.
    pub(crate) delivered: u64,
    /// Time at which the last of them was acknowledged.
    pub(crate) delivered_at: Time,
    /// Time at which the packet was sent with which the sending interval of the rate sample starts.
    pub(crate) first_sent_at: Time,
    /// Packets declared lost until then.
    pub(crate) lost_before: u64,
    /// Packets in flight, this one included.
    pub(crate) in_flight: u64,
    /// The application limited the sending rate.
    pub(crate) app_limited: bool,
}

impl Scoreboard {
    /// Creates an empty scoreboard. `detailed`: stores a [`Detail`] for each segment. `packets`: collects acknowledged
    /// and lost packets for the algorithm.
    pub(crate) fn new(transfer: Transfer, detailed: bool, packets: bool) -> Self {
        Self {
            transfer,
            ring: vec![Segment::NONE; INITIAL_RING],
            mask: INITIAL_RING as u64 - 1,
            details: if detailed { vec![Detail::default(); INITIAL_RING] } else { Vec::new() },
            packets: packets.then(PacketLists::default),
            declared: None,
            una: 0,
            next: 0,
            in_flight: 0,
            retransmitted: 0,
            sacked: 0,
            lost: 0,
            total_lost: 0,
            highest: [0; 3],
            examined: 0,
            lost_queue: LostQueue::default(),
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Replaces the transfer, before anything has been sent.
    pub(crate) fn set_transfer(&mut self, transfer: Transfer) {
        self.transfer = transfer;
    }

    /// The application adds a part of `size` to an open transfer.
    pub(crate) fn add_write(&mut self, size: Bytes) {
        self.transfer.write(size);
    }

    /// Returns the first segment that is not cumulatively acknowledged: `SND.UNA`.
    pub(crate) fn una(&self) -> u64 {
        self.una
    }

    /// Returns the first segment that has not been sent: `SND.NXT`.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of segments sent and not cumulatively acknowledged.
    pub(crate) fn outstanding(&self) -> u64 {
        self.next - self.una
    }

    /// Returns the number of segments in flight: `pipe` in RFC 6675.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Returns the number of SACKed segments.
    pub(crate) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Whether no outstanding segment is SACKed, lost, or retransmitted after it was lost.
    #[inline]
    pub(crate) fn is_quiet(&self) -> bool {
        (self.sacked | self.lost | self.retransmitted) == 0
    }

    /// Returns the number of segments declared lost and not acknowledged since, retransmitted or not.
    pub(crate) fn unrepaired(&self) -> u64 {
        self.lost + self.retransmitted
    }

    /// Returns the number of packets declared lost on this connection.
    pub(crate) fn total_lost(&self) -> u64 {
        self.total_lost
    }

    /// Returns the third highest SACKed segment. All segments below it have three SACKed ones above.
    pub(crate) fn third_highest_sacked(&self) -> Option<u64> {
        self.highest[2].checked_sub(1)
    }

    /// Returns the highest SACKed segment.
    pub(crate) fn highest_sacked(&self) -> Option<u64> {
        self.highest[0].checked_sub(1)
    }

    /// Returns the first segment from `number` on that is below the highest SACKed one, in flight, never declared lost
    /// and not yet counted twice (RFC 6675 §4, `NextSeg` rule 3).
    pub(crate) fn first_hole_in_flight(&mut self, number: u64) -> Option<u64> {
        let end = self.highest_sacked()?;
        let mut number = self.first_unsacked(number.max(self.una));
        while number < end && self.at(number).state != State::InFlight {
            self.step();
            number = self.first_unsacked(number + 1);
        }
        (number < end).then_some(number)
    }

    /// Returns the highest outstanding segment that is not SACKed; `None` if nothing is outstanding. Takes as many
    /// steps as there are SACKed segments above it.
    pub(crate) fn highest_unsacked(&self) -> Option<u64> {
        (self.una..self.next).rev().find(|&number| self.at(number).state != State::Sacked)
    }

    /// Whether segment `number` has been sent more than once.
    pub(crate) fn was_retransmitted(&self, number: u64) -> bool {
        self.at(number).ever_retransmitted
    }

    /// Whether segment `number` was declared lost, sent again, and is in flight.
    pub(crate) fn repairs(&self, number: u64) -> bool {
        self.at(number).state == State::Retransmitted
    }

    /// Returns the detail of segment `number`, which may have been acknowledged just now.
    pub(crate) fn detail(&self, number: u64) -> Option<&Detail> {
        self.details.get((number & self.mask) as usize)
    }

    /// Whether segment `number` is outstanding and in flight, and was last sent at `sent_at`.
    pub(crate) fn is_in_flight_since(&self, number: u64, sent_at: Time) -> bool {
        let segment = self.at(number);
        (self.una..self.next).contains(&number) && segment.sent_at == sent_at && segment.state.is_in_flight()
    }

    /// Returns the last transmission of segment `number`, which may have been acknowledged just now.
    pub(crate) fn transmission(&self, number: u64) -> Transmission {
        let segment = self.at(number);
        Transmission { number, sent_at: segment.sent_at, timestamp: segment.timestamp }
    }

    /// A new segment is sent with `timestamp`. Returns its number.
    #[inline]
    pub(crate) fn on_sent(&mut self, timestamp: u8, now: Time) -> u64 {
        if self.outstanding() > self.mask {
            self.grow();
        }
        let number = self.next;
        self.next += 1;
        self.in_flight += 1;
        *self.at_mut(number) =
            Segment { sent_at: now, skip: 1, state: State::InFlight, ever_retransmitted: false, timestamp };
        number
    }

    /// Segment `number`, outstanding and not SACKed, is retransmitted with `timestamp`. A segment that was not declared lost, such as a
    /// probe's, keeps its state.
    pub(crate) fn on_retransmitted(&mut self, number: u64, timestamp: u8, now: Time) {
        if self.at(number).state == State::Lost {
            self.mark_retransmitted(number);
        }
        let segment = self.at_mut(number);
        segment.sent_at = now;
        segment.timestamp = timestamp;
        segment.ever_retransmitted = true;
    }

    /// Segment `number`, in flight and not declared lost, is about to be retransmitted: counts it twice in `pipe` from
    /// now on (RFC 6675 §4, `SetPipe`).
    pub(crate) fn count_twice(&mut self, number: u64) {
        debug_assert!(
            self.at(number).state == State::InFlight,
            "a segment must be in flight once to be counted twice"
        );
        self.in_flight += 1;
        self.at_mut(number).state = State::InFlightTwice;
    }

    /// Stores the detail of segment `number`, if details are stored.
    pub(crate) fn set_detail(&mut self, number: u64, detail: Detail) {
        if let Some(slot) = self.details.get_mut((number & self.mask) as usize) {
            *slot = detail;
        }
    }

    /// The cumulative acknowledgement advances to `to`, on a scoreboard that [is quiet](Self::is_quiet), over segments that
    /// were sent once. Returns their number, and when the last of them was sent. `None`, and nothing has changed, if that is not
    /// so. Acknowledged segments are not listed.
    #[inline]
    pub(crate) fn advance(&mut self, to: u64) -> Option<(u64, Time)> {
        if to <= self.una || to > self.next {
            return None;
        }
        let mut last = Time::ZERO;
        for number in self.una..to {
            self.step();
            let segment = self.at(number);
            if segment.state != State::InFlight || segment.ever_retransmitted {
                return None;
            }
            last = segment.sent_at;
        }
        let advanced = to - self.una;
        self.una = to;
        self.in_flight -= advanced;
        Some((advanced, last))
    }

    /// The cumulative acknowledgement advances to `to`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub(crate) fn acknowledge(&mut self, to: u64, delivery: &mut Delivery) {
        delivery.advanced = to - self.una;
        while self.una < to {
            self.step();
            let (number, segment) = (self.una, *self.at(self.una));
            if segment.state != State::Sacked {
                self.deliver(number, segment, delivery);
            }
            self.uncount(segment.state);
            self.una += 1;
        }
    }

    /// The segments of `block` are selectively acknowledged.
    pub(crate) fn sack(&mut self, block: Block, delivery: &mut Delivery) {
        let start = block.start.max(self.una);
        let end = block.end.min(self.next);
        let mut number = self.first_unsacked(start);
        if number >= end {
            return;
        }
        while number < end {
            self.step();
            let segment = *self.at(number);
            self.deliver(number, segment, delivery);
            delivery.newly_sacked += 1;
            self.uncount(segment.state);
            self.sacked += 1;
            let segment = self.at_mut(number);
            segment.state = State::Sacked;
            segment.skip = 1;
            self.note_sacked(number);
            number = self.first_unsacked(number + 1);
        }
        // The block will be reported again: its first segment now skips all of it.
        self.at_mut(start).skip = (number - start) as u32;
    }

    /// Returns the segments in flight in ascending order, each with the time at which it was last sent.
    pub(crate) fn in_flight_segments(&self) -> impl Iterator<Item = (u64, Time)> + '_ {
        let segments = (self.una..self.next).map(|number| (number, self.at(number)));
        segments
            .filter(|(_, segment)| segment.state.is_in_flight())
            .map(|(number, segment)| (number, segment.sent_at))
    }

    /// Returns the lost segment to be retransmitted next: the lowest.
    #[inline]
    pub(crate) fn next_lost(&mut self) -> Option<u64> {
        if self.lost == 0 {
            return None;
        }
        let Self { ring, mask, una, lost_queue, .. } = self;
        lost_queue.front(|number| number >= *una && ring[(number & *mask) as usize].state == State::Lost)
    }

    /// Returns the packets acknowledged since the list was last cleared, in the order of sending; empty unless
    /// collected.
    pub(crate) fn acked_packets(&mut self) -> &[SentPacket] {
        let Some(lists) = &mut self.packets else { return &[] };
        lists.acked.sort_unstable_by_key(|packet| (packet.sent_at, packet.number));
        &lists.acked
    }

    /// Returns the packets declared lost since the list was last cleared, in the order of sending; empty unless
    /// collected.
    pub(crate) fn lost_packets(&mut self) -> &[SentPacket] {
        let Some(lists) = &mut self.packets else { return &[] };
        lists.lost.sort_unstable_by_key(|packet| (packet.sent_at, packet.number));
        &lists.lost
    }

    /// Clears the list of acknowledged packets.
    pub(crate) fn clear_acked_packets(&mut self) {
        if let Some(lists) = &mut self.packets {
            lists.acked.clear();
        }
    }

    /// Clears the list of lost packets.
    pub(crate) fn clear_lost_packets(&mut self) {
        if let Some(lists) = &mut self.packets {
            lists.lost.clear();
        }
    }

    /// Collects the numbers of the segments declared lost from now on.
    pub(crate) fn collect_declared(&mut self) {
        self.declared = Some(Vec::new());
    }

    /// Returns the numbers of the segments declared lost since the list was last cleared; empty unless collected.
    pub(crate) fn declared(&self) -> &[u64] {
        self.declared.as_deref().unwrap_or_default()
    }

    /// Clears the list of [`declared`](Self::declared).
    pub(crate) fn clear_declared(&mut self) {
        if let Some(declared) = &mut self.declared {
            declared.clear();
        }
    }

    /// The first segment from `number` on that is not SACKed. Compresses the path to it.
    fn first_unsacked(&mut self, mut number: u64) -> u64 {
        while number < self.next && self.at(number).state == State::Sacked {
            self.step();
            let skip = self.at(number).skip;
            let hop = number + u64::from(skip);
            if hop < self.next && self.at(hop).state == State::Sacked {
                self.at_mut(number).skip = skip + self.at(hop).skip;
            }
            number = hop;
        }
        number
    }

    /// Updates the three highest SACKed segments.
    fn note_sacked(&mut self, number: u64) {
        let mut candidate = number + 1;
        for slot in &mut self.highest {
            if candidate > *slot {
                std::mem::swap(slot, &mut candidate);
            }
        }
    }

    /// Segment `number` is acknowledged for the first time.
    #[inline]
    fn deliver(&mut self, number: u64, segment: Segment, delivery: &mut Delivery) {
        let newest = Newest { sent_at: segment.sent_at, number, retransmitted: segment.ever_retransmitted };
        delivery.newly_acked += 1;
        if segment.ever_retransmitted {
            delivery.any_retransmitted = true;
        } else {
            if delivery.first_original.is_none_or(|first| number < first) {
                delivery.first_original = Some(number);
            }
            if number + 1 < self.highest[0] {
                delivery.reordered = true;
            }
        }
        if delivery.newest.is_none_or(|known| newest.is_newer_than(known)) {
            delivery.newest = Some(newest);
        }
        if self.packets.is_some() {
            let packet = self.packet(number);
            self.packets.get_or_insert_default().acked.push(packet);
        }
    }

    /// Segment `number` as it is reported to the algorithm.
    fn packet(&self, number: u64) -> SentPacket {
        let detail = self.detail(number).copied().unwrap_or_default();
        SentPacket::new(detail.packet, self.transfer.payload(number), self.at(number).sent_at)
            .retransmits(detail.packet_before)
            .segment(number)
            .in_flight(detail.in_flight)
            .lost_before(detail.lost_before)
            .app_limited(detail.app_limited)
    }

    /// Moves a lost segment to [`State::Retransmitted`].
    fn mark_retransmitted(&mut self, number: u64) {
        self.uncount(self.at(number).state);
        self.in_flight += 1;
        self.retransmitted += 1;
        self.at_mut(number).state = State::Retransmitted;
    }

    /// Removes a segment from the counts of its `state`.
    #[inline]
    fn uncount(&mut self, state: State) {
        match state {
            State::InFlight => self.in_flight -= 1,
            State::Retransmitted => {
                self.in_flight -= 1;
                self.retransmitted -= 1;
            }
            State::InFlightTwice => self.in_flight -= 2,
            State::Sacked => self.sacked -= 1,
            State::Lost => self.lost -= 1,
        }
    }

    fn grow(&mut self) {
        let length = self.ring.len() * 2;
        let mask = length as u64 - 1;
        let mut ring = vec![Segment::NONE; length];
        let mut details = vec![Detail::default(); if self.details.is_empty() { 0 } else { length }];
        for number in self.una..self.next {
            ring[(number & mask) as usize] = *self.at(number);
            if let (Some(slot), Some(detail)) =
                (details.get_mut((number & mask) as usize), self.detail(number))
            {
                *slot = *detail;
            }
        }
        (self.ring, self.details, self.mask) = (ring, details, mask);
    }

    #[inline]
    fn at(&self, number: u64) -> &Segment {
        &self.ring[(number & self.mask) as usize]
    }

    #[inline]
    fn at_mut(&mut self, number: u64) -> &mut Segment {
        &mut self.ring[(number & self.mask) as usize]
    }

    /// Counts an elementary step, for the test that bounds their number.
    #[cfg_attr(
        not(test),
        expect(
            clippy::unused_self,
            clippy::needless_pass_by_ref_mut,
            reason = "does something in tests only"
        )
    )]
    fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }
}

impl Segment {
    const NONE: Self = Self {
        sent_at: Time::ZERO,
        skip: 1,
        state: State::InFlight,
        ever_retransmitted: false,
        timestamp: 0,
    };
}

impl State {
    fn is_in_flight(self) -> bool {
        matches!(self, Self::InFlight | Self::Retransmitted | Self::InFlightTwice)
    }
}

/// The initial length of the ring, segments.
const INITIAL_RING: usize = 16;

#[cfg(test)]
mod tests;
