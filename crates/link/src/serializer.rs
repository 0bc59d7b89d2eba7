// SPDX-License-Identifier: Apache-2.0
//! Exact serialisation of packets on a link.
//!
//! Work is counted in bits × 10¹², and a rate of R bit/s does R units per picosecond: a packet in transmission satisfies
//! *work = rate × span + remainder* in integers. The remainder is done before the next packet if that follows without a
//! gap, so every departure time is exact, rounded down to a picosecond, after any number of packets and rate changes.

use narrows_units::{Bytes, Rate, Span, Time};

/// A link's serialiser: the packet in transmission, if any.
#[derive(Clone, Debug)]
pub struct Serializer {
    rate: Rate,
    /// Departure time of the last packet, rounded down.
    departure: Time,
    /// Remaining work at `departure`, less than a picosecond at the rate at that time.
    remainder: u64,
    last: Last,
    /// Work of a packet that never leaves at the current rate; zero otherwise.
    stalled: u128,
}

/// The last packet that started at the current rate, to avoid a division for a packet of the same size.
#[derive(Clone, Debug)]
struct Last {
    size: Bytes,
    /// Remaining work before it.
    before: u64,
    span: Span,
}

impl Last {
    /// No packet: every packet has at least one byte.
    const NONE: Self = Self { size: Bytes::ZERO, before: 0, span: Span::ZERO };
}

impl Serializer {
    /// Creates an idle serialiser with `rate`.
    pub fn new(rate: Rate) -> Self {
        Self { rate, departure: Time::ZERO, remainder: 0, last: Last::NONE, stalled: 0 }
    }

    /// Returns the current rate.
    #[inline]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the departure time of the last packet; the start of the run before the first.
    #[inline]
    pub fn departure(&self) -> Time {
        self.departure
    }

    /// Transmits a packet of `size` that is available at `at`, after all earlier packets, and returns the departure
    /// time of its last bit.
    #[inline]
    pub fn pass(&mut self, size: Bytes, at: Time) -> Time {
        let start = at.max(self.departure);
        self.start(size, start)
    }

    /// Starts the transmission of a packet of `size` at `now`, when no other packet is in transmission, and returns the
    /// departure time of its last bit; [`Time::NEVER`] at rate 0, until the rate changes.
    #[inline]
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        debug_assert!(self.departure <= now, "one packet at a time");
        let before = if now == self.departure { self.remainder } else { 0 };
        if size != self.last.size || before != self.last.before {
            self.divide_work(size, before);
        }
        self.departure = now + self.last.span;
        self.departure
    }

    /// Returns the bits of the packet in transmission that are left at `now`, which the packet leaves at `departure`.
    pub fn bits_left(&self, departure: Time, now: Time) -> f64 {
        if self.stalled > 0 {
            return self.stalled as f64 / PICOSECONDS as f64;
        }
        self.rate.as_bps() as f64 * departure.since(now).as_secs_f64()
    }

    /// Changes the rate at `now`. Returns the new departure time of the packet in transmission; `None` if there is
    /// none.
    pub fn change(&mut self, rate: Rate, now: Time) -> Option<Time> {
        let left = if self.stalled > 0 { self.stalled } else { self.work_left(now) };
        let busy = now < self.departure;
        self.rate = rate;
        self.last = Last::NONE;
        if !busy {
            return None;
        }
        let span = self.take_up(left);
        self.departure = now + span;
        Some(self.departure)
    }

    /// Aborts the transmission in progress at `now`.
    pub fn abort(&mut self, now: Time) {
        self.departure = self.departure.min(now);
        (self.remainder, self.stalled) = (0, 0);
    }

    /// Remaining work of the packet in transmission at `now`, before its departure.
    fn work_left(&self, now: Time) -> u128 {
        let span = self.departure.since(now).as_ps();
        u128::from(self.rate.as_bps()) * u128::from(span) + u128::from(self.remainder)
    }

    /// Computes the transmission time of a packet that differs from the last.
    #[cold]
    fn divide_work(&mut self, size: Bytes, before: u64) {
        let work = u128::from(size.bits()) * PICOSECONDS + u128::from(before);
        let span = self.take_up(work);
        self.last = Last { size, before, span };
    }

    /// Time that `work` takes at the current rate, rounded down; stores the remainder.
    fn take_up(&mut self, work: u128) -> Span {
        let (span, remainder) = divide(work, self.rate);
        self.remainder = remainder;
        self.stalled = if span == Span::MAX { work } else { 0 };
        span
    }
}

/// Time that `work` takes at `rate`, rounded down, and the remaining work.
fn divide(work: u128, rate: Rate) -> (Span, u64) {
    let rate = rate.as_bps();
    if rate == 0 {
        return (Span::MAX, 0);
    }
    if let Ok(work) = u64::try_from(work) {
        return (Span::from_ps(work / rate), work % rate);
    }
    let (quotient, rest) = (work / u128::from(rate), work % u128::from(rate));
    // A span that does not fit exceeds every run.
    (Span::from_ps(u64::try_from(quotient).unwrap_or(u64::MAX)), rest as u64)
}

const PICOSECONDS: u128 = 1_000_000_000_000;

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
                        // The link has just become free: the rest is less than a picosecond of work.
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

        /// Against the exact end of each busy period's work, rounded down.
        #[test]
        fn packets_given_early_leave_one_after_the_other(
            rate in 1..10_000_000_000_u64,
            packets in proptest::collection::vec((40..42_u64, 0..3_u64, 0..3_000_000_000_u64), 1..100),
        ) {
            let mut link = Serializer::new(Rate::from_bps(rate));
            let (mut origin, mut work, mut departure, mut at) = (0, 0_u128, 0_u64, 0_u64);
            for (size, idle, gap) in packets {
                // Packets arrive at the busy link, exactly at its departure, or later.
                at = if idle == 0 { at.max(departure / 2) } else { departure + (idle - 1) * gap };
                if at > departure {
                    (origin, work) = (at, 0);
                }
                work += u128::from(size) * 8 * PICOSECONDS;
                departure = origin + (work / u128::from(rate)) as u64;
                assert_eq!(link.pass(Bytes::new(size), Time::from_ps(at)).as_ps(), departure);
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
