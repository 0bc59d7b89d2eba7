// SPDX-License-Identifier: Apache-2.0
//! The datagrams in flight: sent, neither acknowledged nor declared lost.

use super::highest::HighestArrivals;
use narrows_cc::SentPacket;
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// The datagrams of one flow in ascending order, from the oldest one in flight.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    /// Each packet, and whether it is known to have arrived.
    packets: VecDeque<(SentPacket, bool)>,
    /// The number of the first packet in the queue, or of the next to be sent if the queue is empty.
    base: u64,
    /// The number of packets in flight.
    count: u64,
    highest: HighestArrivals,
}

impl Flight {
    /// `packet` is sent. Numbers must be consecutive.
    pub(super) fn push(&mut self, packet: SentPacket) {
        debug_assert_eq!(packet.number, self.base + self.packets.len() as u64, "numbers are consecutive");
        self.packets.push_back((packet, false));
        self.count += 1;
    }

    /// Returns the number of packets in flight.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Number `number` has arrived. Returns the packet if it was in flight.
    pub(super) fn on_arrival(&mut self, number: u64) -> Option<SentPacket> {
        let (packet, arrived) = self.packets.get_mut(number.checked_sub(self.base)? as usize)?;
        if std::mem::replace(arrived, true) {
            return None;
        }
        self.count -= 1;
        self.highest.add(number);
        Some(*packet)
    }

    /// Removes the next packet that later arrivals prove lost, and returns it.
    pub(super) fn next_lost(&mut self) -> Option<SentPacket> {
        let below = self.highest.lost_below();
        self.remove_next(|packet| packet.number < below)
    }

    /// Removes the next packet in flight that was sent at least `timeout` ago, and returns it.
    pub(super) fn next_overdue(&mut self, timeout: Span, now: Time) -> Option<SentPacket> {
        self.remove_next(|packet| packet.sent_at + timeout <= now)
    }

    /// Removes all packets up to `number`. Returns packet `number` if it was in the queue.
    pub(super) fn remove_up_to(&mut self, number: u64) -> Option<SentPacket> {
        let mut last = None;
        while self.base <= number
            && let Some((packet, _)) = self.packets.pop_front()
        {
            self.base += 1;
            self.count -= 1;
            last = Some(packet);
        }
        last.filter(|packet| packet.number == number)
    }

    /// Returns when the oldest packet in flight was sent.
    pub(super) fn oldest_sent_at(&self) -> Option<Time> {
        self.packets.front().map(|(packet, _)| packet.sent_at)
    }

    /// Removes packets that have arrived from the front, then the first packet in flight if it is `lost`. Returns the
    /// latter.
    fn remove_next(&mut self, lost: impl Fn(&SentPacket) -> bool) -> Option<SentPacket> {
        while let Some((packet, arrived)) = self.packets.front()
            && (*arrived || lost(packet))
        {
            let (packet, arrived) = (*packet, *arrived);
            self.packets.pop_front();
            self.base += 1;
            if !arrived {
                self.count -= 1;
                return Some(packet);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Flight;
    use narrows_cc::SentPacket;
    use narrows_units::{Bytes, Span, Time};

    fn flight(count: u64) -> Flight {
        let mut flight = Flight::default();
        for number in 0..count {
            flight.push(
                SentPacket::new(number, Bytes::new(1000), Time::ZERO + Span::from_ms(number))
                    .in_flight(number + 1),
            );
        }
        flight
    }

    #[test]
    fn three_later_arrivals_prove_a_loss_once() {
        let mut flight = flight(10);
        for number in [0, 2, 3] {
            assert!(flight.on_arrival(number).is_some());
            assert!(flight.on_arrival(number).is_none(), "a packet arrives once");
            assert_eq!(flight.next_lost(), None);
        }
        assert!(flight.on_arrival(4).is_some());
        assert_eq!(flight.next_lost().map(|packet| packet.number), Some(1));
        assert_eq!(flight.next_lost(), None);
        assert_eq!(flight.count(), 5);
        assert!(flight.on_arrival(1).is_none(), "a packet that was declared lost stays lost");
    }

    #[test]
    fn packets_in_flight_for_longer_than_the_timeout_are_lost() {
        let mut flight = flight(4);
        flight.on_arrival(1);
        let now = Time::ZERO + Span::from_ms(12);
        let lost: Vec<_> = std::iter::from_fn(|| flight.next_overdue(Span::from_ms(10), now)).collect();
        assert_eq!(lost.iter().map(|packet| packet.number).collect::<Vec<_>>(), [0, 2]);
        assert_eq!((flight.count(), flight.oldest_sent_at()), (1, Some(Time::ZERO + Span::from_ms(3))));
    }

    #[test]
    fn a_report_removes_all_packets_up_to_its_number() {
        let mut flight = flight(6);
        assert_eq!(flight.remove_up_to(3).map(|packet| packet.number), Some(3));
        assert_eq!(flight.count(), 2);
        assert_eq!(flight.remove_up_to(3), None, "a second report of the same number has no effect");
    }
}
