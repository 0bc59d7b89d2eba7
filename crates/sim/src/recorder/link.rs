// SPDX-License-Identifier: Apache-2.0
//! The recorder of a link.

use super::Place;
use super::episodes::LossEpisodes;
use narrows_qdisc::{Backlog, DropReason};
use narrows_records::{Histogram, LinkCounts};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{FlowId, Packet};

/// Counts and histograms of one link.
#[derive(Clone, Debug)]
pub(crate) struct LinkRecorder {
    /// Counts since the start of the run.
    pub counts: LinkCounts,
    /// Counts at the end of the warm-up.
    pub at_measure: LinkCounts,
    /// Histogram of queueing delays after the warm-up.
    pub waits: Histogram,
    /// Maximum number of waiting packets after the warm-up.
    pub peak_packets: u64,
    /// Product of waiting bytes and picoseconds after the warm-up, over transmitted packets, by group.
    pub shares: Vec<u128>,
    /// Loss episodes after the warm-up.
    pub episodes: LossEpisodes,
    /// Place of this link in logs.
    pub place: Place,
    /// Place of the link in the packet log; `None` if packets are not logged.
    pub logged: Option<Place>,
    waiting_packets: u64,
    waiting_bytes: u64,
    areas: Areas,
    /// The clock of the link; never decreases.
    now: Time,
    measuring: bool,
}

/// Time integral of the queue. An arrival subtracts its time and the end of the wait adds it, so that only these two events
/// need work.
#[derive(Clone, Copy, Debug, Default)]
struct Areas {
    /// Sum of the times at which packets ceased to wait, minus the sum of their arrival times, picoseconds.
    packets: i128,
    /// The same sum, weighted by the sizes of the packets, byte-picoseconds.
    bytes: i128,
}

impl Areas {
    fn add(&mut self, size: u16, now: Time) {
        self.packets -= i128::from(now.as_ps());
        self.bytes -= i128::from(now.as_ps()) * i128::from(size);
    }

    fn remove(&mut self, size: u16, now: Time) {
        self.packets += i128::from(now.as_ps());
        self.bytes += i128::from(now.as_ps()) * i128::from(size);
    }
}

impl LinkRecorder {
    /// Creates a recorder at the start of the run.
    pub fn new() -> Self {
        Self {
            place: Place::Link(0),
            counts: LinkCounts::default(),
            at_measure: LinkCounts::default(),
            waits: Histogram::new(),
            peak_packets: 0,
            shares: Vec::new(),
            episodes: LossEpisodes::default(),
            logged: None,
            waiting_packets: 0,
            waiting_bytes: 0,
            areas: Areas::default(),
            now: Time::ZERO,
            measuring: false,
        }
    }

    /// Returns the time up to which the recorder has advanced.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Advances the recorder to `now`. Must be called before every change of the queue.
    pub fn advance(&mut self, now: Time) {
        debug_assert!(self.now <= now, "the clock of a link never runs back");
        self.now = now;
    }

    /// Advances the recorder to `now` and updates all time averages. Must be called before counts are read.
    pub fn bring_up(&mut self, now: Time) {
        self.advance(now);
        let integral =
            |area: i128, waiting: u64| (area + i128::from(waiting) * i128::from(now.as_ps())).cast_unsigned();
        self.counts.queue_packet_ps = integral(self.areas.packets, self.waiting_packets);
        self.counts.queue_byte_ps = integral(self.areas.bytes, self.waiting_bytes);
    }

    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.bring_up(now);
        self.at_measure = self.counts;
        self.measuring = true;
        self.peak_packets = self.waiting_packets;
    }

    /// Counts `packet` as arrived at the queue.
    pub fn arrived(&mut self, packet: &Packet) {
        self.counts.arrived += 1;
        self.waiting_packets += 1;
        self.waiting_bytes += u64::from(packet.size);
        self.areas.add(packet.size, self.now);
    }

    /// Counts the arrival of a packet at an idle link with an empty queue, and the start of its transmission: the counts of
    /// [`arrived`](Self::arrived), [`settled`](Self::settled) and [`started`](Self::started) at one instant. All fields are
    /// listed, so that a new one does not compile until it is listed here, too.
    pub fn passed(&mut self) {
        let Self {
            counts,
            waits,
            peak_packets,
            measuring,
            // The packet neither waits nor is dropped, and its arrival and the end of its wait cancel out.
            waiting_packets: _,
            waiting_bytes: _,
            areas: _,
            shares: _,
            episodes: _,
            // They change at other times.
            at_measure: _,
            place: _,
            logged: _,
            now: _,
        } = self;
        counts.arrived += 1;
        counts.started += 1;
        *peak_packets = (*peak_packets).max(1);
        if *measuring {
            waits.add(Span::ZERO);
        }
    }

    /// Updates the maximum queue after all arrivals and drops of one instant.
    pub fn settled(&mut self) {
        self.peak_packets = self.peak_packets.max(self.waiting_packets);
    }

    /// Counts the start of the transmission of a packet of `size` bytes of `group`, which arrived at `arrival`.
    #[inline(never)]
    pub fn started(&mut self, arrival: Time, size: u16, group: usize) {
        self.left(size);
        let wait = self.now.since(arrival);
        self.counts.started += 1;
        self.counts.waited_ps += u128::from(wait.as_ps());
        if self.measuring {
            self.waits.add(wait);
            if let Some(share) = self.shares.get_mut(group) {
                *share += u128::from(wait.as_ps()) * u128::from(size);
            }
        }
    }

    /// Counts the end of the transmission of a packet of `size` bytes.
    pub fn sent(&mut self, size: u16) {
        self.counts.sent += 1;
        self.counts.sent_bytes += Bytes::new(u64::from(size));
    }

    /// Counts a packet lost at random behind the queue.
    pub fn lost(&mut self) {
        self.counts.lost += 1;
    }

    /// Counts a packet whose transmission was aborted by a failure of the link.
    pub fn cut_off(&mut self) {
        self.counts.failed += 1;
    }

    /// Returns the number and bytes of waiting packets.
    pub fn backlog(&self) -> Backlog {
        Backlog::new(self.waiting_packets, Bytes::new(self.waiting_bytes))
    }

    /// Counts a packet of `size` bytes dropped for `reason`; `flow` is given if it carried data.
    pub fn dropped(&mut self, size: u16, reason: DropReason, flow: Option<FlowId>) {
        self.left(size);
        match reason {
            DropReason::Overflow => self.counts.overflowed += 1,
            DropReason::Early => self.counts.dropped_early += 1,
            DropReason::Failure => self.counts.failed += 1,
        }
        if let Some(flow) = flow
            && self.measuring
            && reason != DropReason::Failure
        {
            self.episodes.lose(flow, self.now);
        }
    }

    fn left(&mut self, size: u16) {
        self.waiting_packets -= 1;
        self.waiting_bytes -= u64::from(size);
        self.areas.remove(size, self.now);
    }
}

impl Default for LinkRecorder {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::LinkRecorder;
    use narrows_units::{Bytes, Span, Time};
    use narrows_wire::{Body, FlowId, Packet};
    use proptest::prelude::*;

    proptest! {
        /// A packet that passes an idle link is counted as one that waits for no time.
        #[test]
        fn a_packet_that_passes_is_counted_as_one_that_waits_for_no_time(
            steps in prop::collection::vec((1_u64..1_000, prop_oneof![1 => Just(0_u64), 1 => 1_u64..100], 40_u64..9_000, 0_usize..3), 1..60),
            measured in 0_usize..60,
        ) {
            let (mut passing, mut waiting) = (LinkRecorder::new(), LinkRecorder::new());
            let mut now = Time::ZERO;
            for (number, (pause, wait, size, group)) in steps.into_iter().enumerate() {
                now += Span::from_us(pause);
                let packet = Packet::new(FlowId::new(0, 0), 0, Bytes::new(size), Body::HandshakeAck, now);
                for (recorder, passes) in [(&mut passing, true), (&mut waiting, false)] {
                    recorder.shares.resize(3, 0);
                    recorder.advance(now);
                    if number == measured {
                        recorder.measure(now);
                    }
                    if passes && wait == 0 {
                        recorder.passed();
                        continue;
                    }
                    recorder.arrived(&packet);
                    recorder.settled();
                    recorder.advance(now + Span::from_us(wait));
                    recorder.started(now, packet.size, group);
                }
                now += Span::from_us(wait);
            }
            passing.bring_up(now);
            waiting.bring_up(now);
            prop_assert_eq!(format!("{passing:?}"), format!("{waiting:?}"));
        }
    }
}
