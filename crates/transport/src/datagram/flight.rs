//! The datagrams that are out: sent, and neither known to have arrived nor taken for lost.

use super::arrivals::Arrivals;
use narrows_cc::SentPacket;
use narrows_units::{Span, Time};
use std::collections::VecDeque;

/// Packets in the order of their numbers, the oldest that is out first.
#[derive(Clone, Debug, Default)]
pub(super) struct Flight {
    packets: VecDeque<(SentPacket, bool)>,
    /// The number of the first, and the next to be sent where there is none.
    base: u64,
    out: u64,
    arrivals: Arrivals,
}

impl Flight {
    /// `packet` leaves; numbers follow each other.
    pub(super) fn push(&mut self, packet: SentPacket) {
        debug_assert_eq!(packet.number, self.base + self.packets.len() as u64, "numbers follow each other");
        self.packets.push_back((packet, false));
        self.out += 1;
    }

    /// Packets that are out.
    pub(super) fn count(&self) -> u64 {
        self.out
    }

    /// Number `number` has arrived; the packet, if that is news.
    pub(super) fn arrive(&mut self, number: u64) -> Option<SentPacket> {
        let (packet, arrived) = self.packets.get_mut(number.checked_sub(self.base)? as usize)?;
        if std::mem::replace(arrived, true) {
            return None;
        }
        self.out -= 1;
        self.arrivals.add(number);
        Some(*packet)
    }

    /// Forgets what need not be remembered and returns, one a call, the packets that later arrivals prove lost.
    pub(super) fn next_lost(&mut self) -> Option<SentPacket> {
        let below = self.arrivals.lost_below();
        self.drop_first_while(|packet| packet.number < below)
    }

    /// Forgets what need not be remembered and returns, one a call, the packets that were sent `patience` ago or earlier.
    pub(super) fn next_overdue(&mut self, patience: Span, now: Time) -> Option<SentPacket> {
        self.drop_first_while(|packet| packet.sent_at + patience <= now)
    }

    /// Number `number` and all before it are no longer out, whatever became of them; the packet, if it was out.
    pub(super) fn settle(&mut self, number: u64) -> Option<SentPacket> {
        let mut last = None;
        while self.base <= number
            && let Some((packet, _)) = self.packets.pop_front()
        {
            self.base += 1;
            self.out -= 1;
            last = Some(packet);
        }
        last.filter(|packet| packet.number == number)
    }

    /// When the oldest packet that is out left.
    pub(super) fn oldest(&self) -> Option<Time> {
        self.packets.front().map(|(packet, _)| packet.sent_at)
    }

    /// Drops arrived packets from the front, and returns the first that has not arrived if `lost` says so.
    fn drop_first_while(&mut self, lost: impl Fn(&SentPacket) -> bool) -> Option<SentPacket> {
        while let Some((packet, arrived)) = self.packets.front()
            && (*arrived || lost(packet))
        {
            let (packet, arrived) = (*packet, *arrived);
            self.packets.pop_front();
            self.base += 1;
            if !arrived {
                self.out -= 1;
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
            flight.push(SentPacket {
                number,
                size: Bytes::new(1000),
                sent_at: Time::ZERO + Span::from_ms(number),
                in_flight: number + 1,
                lost_before: 0,
                app_limited: false,
            });
        }
        flight
    }

    #[test]
    fn three_later_arrivals_prove_a_loss_once() {
        let mut flight = flight(10);
        for number in [0, 2, 3] {
            assert!(flight.arrive(number).is_some());
            assert!(flight.arrive(number).is_none(), "news are told once");
            assert_eq!(flight.next_lost(), None);
        }
        assert!(flight.arrive(4).is_some());
        assert_eq!(flight.next_lost().map(|packet| packet.number), Some(1));
        assert_eq!(flight.next_lost(), None);
        assert_eq!(flight.count(), 5);
        assert!(flight.arrive(1).is_none(), "what was taken for lost stays lost");
    }

    #[test]
    fn packets_out_for_too_long_are_lost() {
        let mut flight = flight(4);
        flight.arrive(1);
        let now = Time::ZERO + Span::from_ms(12);
        let lost: Vec<_> = std::iter::from_fn(|| flight.next_overdue(Span::from_ms(10), now)).collect();
        assert_eq!(lost.iter().map(|packet| packet.number).collect::<Vec<_>>(), [0, 2]);
        assert_eq!((flight.count(), flight.oldest()), (1, Some(Time::ZERO + Span::from_ms(3))));
    }

    #[test]
    fn a_report_settles_all_up_to_its_number() {
        let mut flight = flight(6);
        assert_eq!(flight.settle(3).map(|packet| packet.number), Some(3));
        assert_eq!(flight.count(), 2);
        assert_eq!(flight.settle(3), None, "an old report knows nothing new");
    }
}
