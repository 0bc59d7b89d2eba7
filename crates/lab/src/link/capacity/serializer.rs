//! Puts packets on a link bit by bit, exactly.
//!
//! Work is counted in bits × 10¹², of which a rate of R bit/s does R in a picosecond: a packet in transmission satisfies
//! *work = rate × span + remainder* in whole numbers. The remainder is done before the next packet if that follows at
//! once, so every departure is the exact one rounded down to a picosecond, however many packets or changes of rate
//! came before it.

use crate::link::steady::{divide, work};
use narrows_units::{Bytes, Rate, Span, Time};

/// A link's near end: the packet in transmission, if any.
#[derive(Clone, Debug)]
pub(super) struct Serializer {
    rate: Rate,
    /// When the present packet began, or the rate changed under it.
    since: Time,
    /// Work that was left then.
    work: u128,
    /// When it will be done, or was, rounded down.
    departure: Time,
    /// From `since` to `departure`.
    span: Span,
    /// Of the last packet the size, and the work that had remained before it, if the rate was the same all the while.
    last: Option<(Bytes, u64)>,
    /// Work still to do at `departure`, less than a picosecond of it at the rate of then.
    remainder: u64,
}

impl Serializer {
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            since: Time::ZERO,
            work: 0,
            departure: Time::ZERO,
            span: Span::ZERO,
            last: None,
            remainder: 0,
        }
    }

    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Begins a packet. When it will have left.
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        debug_assert!(self.departure <= now, "one packet at a time");
        let before = if now == self.departure { self.remainder } else { 0 };
        if self.last == Some((size, before)) {
            // The packet before was as long and the rate is the same: no division.
            self.since = now;
            self.departure = now + self.span;
            return self.departure;
        }
        let departure = self.proceed(work(size, before), now);
        self.last = Some((size, before));
        departure
    }

    /// Changes the rate. The new departure of the packet in transmission.
    pub fn change(&mut self, rate: Rate, now: Time) -> Option<Time> {
        let done = u128::from(self.rate.as_bps()) * u128::from(now.since(self.since).as_ps());
        self.rate = rate;
        self.last = None;
        (now < self.departure).then(|| self.proceed(self.work - done, now))
    }

    /// Gives up the packet in transmission.
    pub fn abort(&mut self, now: Time) {
        self.departure = self.departure.min(now);
        self.remainder = 0;
    }

    fn proceed(&mut self, work: u128, now: Time) -> Time {
        self.since = now;
        self.work = work;
        (self.span, self.remainder) = divide(work, self.rate);
        self.departure = now + self.span;
        self.departure
    }
}

#[cfg(test)]
mod tests {
    //! Truth: exact arithmetic on whole numbers, and cases worked by hand.

    use super::{Bytes, Rate, Serializer, Time};
    use proptest::prelude::{any, proptest};

    const PICOSECONDS: u128 = 1_000_000_000_000;

    fn ms(count: u64) -> Time {
        Time::from_ps(count * 1_000_000_000)
    }

    #[test]
    fn ten_million_packets_at_an_odd_rate_do_not_drift() {
        let rate = 2_999_999;
        let mut serializer = Serializer::new(Rate::from_bps(rate));
        let mut now = Time::ZERO;
        let mut bits = 0_u128;
        for index in 0..10_000_000_u64 {
            let size = Bytes::new(40 + index % 2);
            now = serializer.start(size, now);
            bits += u128::from(size.bits());
            assert_eq!(u128::from(now.as_ps()), bits * PICOSECONDS / u128::from(rate));
        }
    }

    #[test]
    fn a_packet_goes_on_with_its_remaining_bits_when_the_rate_changes() {
        let mut serializer = Serializer::new(Rate::from_bps(1_000_000));
        assert_eq!(serializer.start(Bytes::new(1000), ms(2)), ms(10));
        // 6 of its 8 ms are left at ms 4: 6000 bits, 3 ms at twice the rate.
        assert_eq!(serializer.change(Rate::from_bps(2_000_000), ms(4)), Some(ms(7)));
        // 2000 of them are left at ms 6, and wait for a rate.
        assert_eq!(serializer.change(Rate::ZERO, ms(6)), Some(Time::NEVER));
        assert_eq!(serializer.change(Rate::ZERO, ms(8)), Some(Time::NEVER));
        assert_eq!(serializer.change(Rate::from_bps(500_000), ms(9)), Some(ms(13)));
        assert_eq!(serializer.change(Rate::from_bps(1), ms(13)), None, "it has left");
    }

    #[test]
    fn a_packet_that_starts_at_rate_zero_waits_for_the_next_change() {
        let mut serializer = Serializer::new(Rate::ZERO);
        assert_eq!(serializer.start(Bytes::new(125), ms(1)), Time::NEVER);
        assert_eq!(serializer.change(Rate::from_bps(1_000_000), ms(5)), Some(ms(6)));
    }

    #[test]
    fn a_packet_of_gigabytes_is_as_exact_as_a_small_one() {
        let mut serializer = Serializer::new(Rate::from_bps(3_000_000_000));
        let departure = serializer.start(Bytes::new(u64::from(u32::MAX)), Time::ZERO);
        assert_eq!(departure.as_ps(), 11_453_246_120_000, "2³² − 1 bytes × 8 bits / 3 Gbit/s");
    }

    #[derive(Clone, Debug)]
    enum Step {
        Packet(u16),
        Rate(u64),
        Idle(u64),
    }

    proptest! {
        /// The exact time of the end of the work is a fraction `whole + part / rate`; an independent account of it, by
        /// integrating the rate from change to change, agrees with every departure.
        #[test]
        fn every_departure_is_the_exact_one_rounded_down(
            rates in proptest::collection::vec(1..10_000_000_000_u64, 1..20),
            sizes in proptest::collection::vec(40..9000_u64, 1..40),
            gaps in proptest::collection::vec(0..3_000_000_000_u64, 20),
            cut in any::<u8>(),
        ) {
            let mut serializer = Serializer::new(Rate::from_bps(rates[0]));
            let steps = sizes.iter().enumerate().map(|(index, &size)| match (index + usize::from(cut)) % 5 {
                3 => Step::Rate(rates[index % rates.len()]),
                4 => Step::Idle(gaps[index % gaps.len()]),
                _ => Step::Packet(size as u16),
            });
            let (mut now, mut rate) = (0_u64, rates[0]);
            // Work of an exact busy period since `origin`, at the present rate.
            let (mut origin, mut work) = (0_u64, 0_u128);
            for step in steps {
                match step {
                    Step::Packet(size) => {
                        work += u128::from(size) * 8 * PICOSECONDS;
                        let departure = serializer.start(Bytes::new(u64::from(size)), Time::from_ps(now)).as_ps();
                        let exact = u128::from(origin) + work / u128::from(rate);
                        assert_eq!(u128::from(departure), exact);
                        now = departure;
                    }
                    Step::Rate(next) => {
                        // The link has just become free: what is left is less than a picosecond of work.
                        work = work.saturating_sub(u128::from(now - origin) * u128::from(rate));
                        origin = now;
                        rate = next;
                        assert_eq!(serializer.change(Rate::from_bps(rate), Time::from_ps(now)), None);
                    }
                    Step::Idle(gap) if gap > 0 => {
                        now += gap;
                        (origin, work) = (now, 0);
                    }
                    Step::Idle(_) => {}
                }
            }
        }

        #[test]
        fn cutting_a_packet_by_changes_to_the_same_rate_changes_nothing(
            rate in 1..10_000_000_000_u64, size in 40..9000_u64, parts in 1..50_u64,
        ) {
            let rate = Rate::from_bps(rate);
            let mut serializer = Serializer::new(rate);
            let whole = serializer.start(Bytes::new(size), Time::ZERO);
            for part in 1..parts {
                let now = Time::from_ps(whole.as_ps() / parts * part);
                assert_eq!(serializer.change(rate, now), Some(whole));
            }
        }
    }
}
