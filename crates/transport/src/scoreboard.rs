//! What the sender knows of every segment from the cumulative point on: a ring of compact states.
//!
//! All counts are kept incrementally and every question costs amortised O(1) per acknowledgement, at any window:
//! * a selectively acknowledged segment remembers a segment from which to look on for one that is not, and the paths are
//!   compressed as they are walked, so that a block reported again costs one step;
//! * the three highest selectively acknowledged segments are kept: below the third, RFC 6675 §4 deems segments lost;
//!   a cursor remembers how far that rule has been applied;
//! * lost segments wait in two queues, for the first time and again; each is ascending for all practical purposes, and
//!   the smaller front goes next. Entries that are no longer lost are skipped where they are met.

mod delivery;
mod lost;

pub(crate) use delivery::{Delivery, Newest};

use crate::transfer::Transfer;
use lost::LostQueue;
use narrows_cc::SentPacket;
use narrows_units::Time;
use narrows_wire::Block;

/// The ring and its counts. Stands in memory as written here: first what every
/// acknowledgement touches.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    /// Segment `n` is at `n & mask`; always a power of two long.
    ring: Vec<Segment>,
    mask: u64,
    una: u64,
    next: u64,
    in_flight: u64,
    sacked: u64,
    lost: u64,
    resent: u64,
    lost_ever: u64,
    /// The three highest selectively acknowledged segments, highest first, each plus one; 0 for none.
    highest: [u64; 3],
    /// Packets as the algorithm is told of them, if it wants to be.
    packets: Option<PacketLists>,
    /// What algorithms and rate samples want to know, in step with `ring`; empty unless they do.
    details: Vec<Detail>,
    /// Below this the three-above rule has been applied.
    examined: u64,
    lost_queue: LostQueue,
    transfer: Transfer,
    #[cfg(test)]
    steps: u64,
}

/// Packets since the algorithm was last told.
#[derive(Clone, Debug, Default)]
struct PacketLists {
    acked: Vec<SentPacket>,
    lost: Vec<SentPacket>,
}

/// One segment. 16 bytes, so that four share a cache line.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// When it last left.
    sent_at: Time,
    /// Once selectively acknowledged: how far ahead to look for a segment that is not.
    skip: u32,
    state: State,
    /// It has left more than once.
    ever_resent: bool,
}

/// Where a segment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On its way.
    InFlight,
    /// Arrived out of order.
    Sacked,
    /// Declared lost, not yet sent again.
    Lost,
    /// Sent again after it was declared lost, on its way.
    Resent,
    /// Sent again though not declared lost: both on their way.
    Doubled,
}

/// What was true when a segment last left.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Detail {
    /// Segments delivered on the connection by then.
    pub(crate) delivered: u64,
    /// When the newest of them was reported.
    pub(crate) delivered_at: Time,
    /// When the packet left that began the sending side of the sample.
    pub(crate) first_sent_at: Time,
    /// Packets declared lost by then.
    pub(crate) lost_before: u64,
    /// Packets in flight, itself included.
    pub(crate) in_flight: u64,
    /// There was nothing more to send.
    pub(crate) app_limited: bool,
}

impl Scoreboard {
    /// `detailed` keeps a [`Detail`] per segment; `packets` collects the packets declared lost.
    pub(crate) fn new(transfer: Transfer, detailed: bool, packets: bool) -> Self {
        Self {
            transfer,
            ring: vec![Segment::NONE; INITIAL_RING],
            mask: INITIAL_RING as u64 - 1,
            details: if detailed { vec![Detail::default(); INITIAL_RING] } else { Vec::new() },
            packets: packets.then(PacketLists::default),
            una: 0,
            next: 0,
            in_flight: 0,
            resent: 0,
            sacked: 0,
            lost: 0,
            lost_ever: 0,
            highest: [0; 3],
            examined: 0,
            lost_queue: LostQueue::default(),
            #[cfg(test)]
            steps: 0,
        }
    }

    /// How the transfer falls into segments is known only now; nothing has been sent.
    pub(crate) fn set_transfer(&mut self, transfer: Transfer) {
        self.transfer = transfer;
    }

    /// First segment not cumulatively acknowledged.
    pub(crate) fn una(&self) -> u64 {
        self.una
    }

    /// First segment never sent.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Segments sent and not cumulatively acknowledged.
    pub(crate) fn outstanding(&self) -> u64 {
        self.next - self.una
    }

    /// Segments on their way: RFC 6675's `pipe`.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Segments that arrived out of order.
    pub(crate) fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Segments declared lost and not acknowledged, sent again or not.
    pub(crate) fn unrepaired(&self) -> u64 {
        self.lost + self.resent
    }

    /// Packets declared lost on this connection.
    pub(crate) fn lost_ever(&self) -> u64 {
        self.lost_ever
    }

    /// Of the three highest segments that arrived out of order the lowest: all below it have three above.
    pub(crate) fn third_highest_sacked(&self) -> Option<u64> {
        self.highest[2].checked_sub(1)
    }

    /// The highest segment that arrived out of order.
    pub(crate) fn highest_sacked(&self) -> Option<u64> {
        self.highest[0].checked_sub(1)
    }

    /// From `number` on, below the highest that arrived out of order, the first segment on its way that was not doubled
    /// and not declared lost (RFC 6675 §4, `NextSeg` rule 3).
    pub(crate) fn first_doubtful(&mut self, number: u64) -> Option<u64> {
        let end = self.highest_sacked()?;
        let mut number = self.first_unsacked(number.max(self.una));
        while number < end && self.at(number).state != State::InFlight {
            self.step();
            number = self.first_unsacked(number + 1);
        }
        (number < end).then_some(number)
    }

    /// The highest outstanding segment that has not arrived; `None` if nothing is outstanding. Walks over what arrived
    /// above it.
    pub(crate) fn highest_missing(&self) -> Option<u64> {
        (self.una..self.next).rev().find(|&number| self.at(number).state != State::Sacked)
    }

    /// What was true when segment `number` last left; it may have been acknowledged by the call before.
    pub(crate) fn detail(&self, number: u64) -> Option<&Detail> {
        self.details.get((number & self.mask) as usize)
    }

    /// The segment is outstanding, on its way, and left at `sent_at`.
    pub(crate) fn is_in_flight_since(&self, number: u64, sent_at: Time) -> bool {
        let segment = self.at(number);
        (self.una..self.next).contains(&number) && segment.sent_at == sent_at && segment.state.is_in_flight()
    }

    /// A new segment leaves; its number.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time) -> u64 {
        if self.outstanding() > self.mask {
            self.grow();
        }
        let number = self.next;
        self.next += 1;
        self.in_flight += 1;
        *self.at_mut(number) = Segment { sent_at: now, skip: 1, state: State::InFlight, ever_resent: false };
        number
    }

    /// An outstanding segment that has not arrived leaves once more. A probe of one that was not declared lost leaves it
    /// where it stands.
    pub(crate) fn on_resent(&mut self, number: u64, now: Time) {
        if self.at(number).state == State::Lost {
            self.replace_lost(number);
        }
        let segment = self.at_mut(number);
        segment.sent_at = now;
        segment.ever_resent = true;
    }

    /// A segment that is on its way and not declared lost is about to leave once more; from now on it counts twice
    /// (RFC 6675 §4, `SetPipe`).
    pub(crate) fn double(&mut self, number: u64) {
        debug_assert!(
            self.at(number).state == State::InFlight,
            "only what is on its way once can be doubled"
        );
        self.in_flight += 1;
        self.at_mut(number).state = State::Doubled;
    }

    /// Remembers what is true as segment `number` leaves, if anybody wants to know later.
    pub(crate) fn set_detail(&mut self, number: u64, detail: Detail) {
        if let Some(slot) = self.details.get_mut((number & self.mask) as usize) {
            *slot = detail;
        }
    }

    /// All segments below `to` have arrived.
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
            self.leave(segment.state);
            self.una += 1;
        }
    }

    /// The segments of `block` have arrived.
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
            self.leave(segment.state);
            self.sacked += 1;
            let segment = self.at_mut(number);
            segment.state = State::Sacked;
            segment.skip = 1;
            self.note_sacked(number);
            number = self.first_unsacked(number + 1);
        }
        // The block will be reported again: its first segment leads past all of it.
        self.at_mut(start).skip = (number - start) as u32;
    }

    /// Declares lost what has three segments above that arrived (RFC 6675 §4, `IsLost`), each once. A segment sent
    /// again stays on its way. Returns how many.
    pub(crate) fn declare_lost_below_third(&mut self) -> u64 {
        let Some(boundary) = self.third_highest_sacked() else { return 0 };
        let mut lost = 0;
        for number in self.examined.max(self.una)..boundary {
            self.step();
            match self.at(number).state {
                State::InFlight => self.declare_lost(number),
                State::Doubled => {
                    // What was sent again in doubt is now the retransmission.
                    self.lose(number);
                    self.replace_lost(number);
                }
                State::Sacked | State::Lost | State::Resent => continue,
            }
            lost += 1;
        }
        self.examined = self.examined.max(boundary);
        lost
    }

    /// Declares lost one segment that is on its way.
    pub(crate) fn declare_lost(&mut self, number: u64) {
        debug_assert!(self.at(number).state.is_in_flight(), "only what is on its way can be lost");
        let again = self.at(number).state == State::Resent;
        self.lose(number);
        self.lost_queue.push(number, again);
    }

    /// The retransmission timer ran out: whatever has not arrived is lost. Returns how many were not known to be.
    pub(crate) fn declare_all_lost(&mut self) -> u64 {
        let known = self.lost;
        self.lost_queue.clear();
        for number in self.una..self.next {
            self.step();
            let state = self.at(number).state;
            if state.is_in_flight() {
                self.lose(number);
            }
            if state != State::Sacked {
                self.lost_queue.push(number, false);
            }
        }
        self.examined = self.next;
        self.lost - known
    }

    /// Nothing was lost after all: what was declared lost and has not gone again is on its way.
    pub(crate) fn take_back_losses(&mut self) {
        self.lost_queue.clear();
        // What selective acknowledgements say against a segment counts anew.
        self.examined = self.una;
        for number in self.una..self.next {
            self.step();
            if self.at(number).state == State::Lost {
                self.leave(self.at(number).state);
                self.in_flight += 1;
                self.at_mut(number).state = State::InFlight;
            }
        }
    }

    /// The segments on their way, lowest first, and when each last left.
    pub(crate) fn on_their_way(&self) -> impl Iterator<Item = (u64, Time)> + '_ {
        let on_their_way = (self.una..self.next).filter(|&number| self.at(number).state.is_in_flight());
        on_their_way.map(|number| (number, self.at(number).sent_at))
    }

    /// The lost segment to send next: the lowest.
    #[inline]
    pub(crate) fn next_lost(&mut self) -> Option<u64> {
        if self.lost == 0 {
            return None;
        }
        let Self { ring, mask, una, lost_queue, .. } = self;
        lost_queue.front(|number| number >= *una && ring[(number & *mask) as usize].state == State::Lost)
    }

    /// Packets acknowledged since the list was cleared, oldest first; empty unless wanted.
    pub(crate) fn acked_packets(&mut self) -> &[SentPacket] {
        let Some(lists) = &mut self.packets else { return &[] };
        lists.acked.sort_unstable_by_key(|packet| (packet.sent_at, packet.number));
        &lists.acked
    }

    /// Packets declared lost since the list was cleared, oldest first; empty unless wanted.
    pub(crate) fn lost_packets(&mut self) -> &[SentPacket] {
        let Some(lists) = &mut self.packets else { return &[] };
        lists.lost.sort_unstable_by_key(|packet| (packet.sent_at, packet.number));
        &lists.lost
    }

    /// The algorithm has been told of the packets acknowledged.
    pub(crate) fn clear_acked_packets(&mut self) {
        if let Some(lists) = &mut self.packets {
            lists.acked.clear();
        }
    }

    /// The algorithm has been told of the packets lost.
    pub(crate) fn clear_lost_packets(&mut self) {
        if let Some(lists) = &mut self.packets {
            lists.lost.clear();
        }
    }

    /// The first segment from `number` on that has not been selectively acknowledged; compresses the path.
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

    /// Keeps the three highest.
    fn note_sacked(&mut self, number: u64) {
        let mut candidate = number + 1;
        for slot in &mut self.highest {
            if candidate > *slot {
                std::mem::swap(slot, &mut candidate);
            }
        }
    }

    /// Segment `number` is reported to have arrived for the first time.
    #[inline]
    fn deliver(&mut self, number: u64, segment: Segment, delivery: &mut Delivery) {
        let newest = Newest { sent_at: segment.sent_at, number, resent: segment.ever_resent };
        delivery.newly_acked += 1;
        delivery.any_resent |= segment.ever_resent;
        delivery.reordered |= !segment.ever_resent && number + 1 < self.highest[0];
        if delivery.newest.is_none_or(|known| newest.is_newer_than(known)) {
            delivery.newest = Some(newest);
        }
        if self.packets.is_some() {
            let packet = self.packet(number);
            self.packets.get_or_insert_default().acked.push(packet);
        }
    }

    /// What algorithms are told of segment `number`.
    fn packet(&self, number: u64) -> SentPacket {
        let detail = self.detail(number).copied().unwrap_or_default();
        SentPacket {
            number,
            size: self.transfer.payload(number),
            sent_at: self.at(number).sent_at,
            in_flight: detail.in_flight,
            lost_before: detail.lost_before,
            app_limited: detail.app_limited,
        }
    }

    /// A segment that is on its way is no longer expected.
    fn lose(&mut self, number: u64) {
        self.leave(self.at(number).state);
        self.lost += 1;
        self.lost_ever += 1;
        self.at_mut(number).state = State::Lost;
        if self.packets.is_some() {
            let packet = self.packet(number);
            self.packets.get_or_insert_default().lost.push(packet);
        }
    }

    /// A retransmission of a lost segment is on its way.
    fn replace_lost(&mut self, number: u64) {
        self.leave(self.at(number).state);
        self.in_flight += 1;
        self.resent += 1;
        self.at_mut(number).state = State::Resent;
    }

    /// Takes a segment out of the count of its `state`.
    #[inline]
    fn leave(&mut self, state: State) {
        match state {
            State::InFlight => self.in_flight -= 1,
            State::Resent => {
                self.in_flight -= 1;
                self.resent -= 1;
            }
            State::Doubled => self.in_flight -= 2,
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

    /// Counts an elementary step, for the test that bounds them.
    #[cfg_attr(
        not(test),
        expect(clippy::unused_self, clippy::needless_pass_by_ref_mut, reason = "counts in tests only")
    )]
    fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }
}

impl Segment {
    const NONE: Self = Self { sent_at: Time::ZERO, skip: 1, state: State::InFlight, ever_resent: false };
}

impl State {
    fn is_in_flight(self) -> bool {
        matches!(self, Self::InFlight | Self::Resent | Self::Doubled)
    }
}

/// Segments the ring holds at first.
const INITIAL_RING: usize = 16;

#[cfg(test)]
mod tests;
