//! Puts packets on a link of constant rate one after the other, exactly.
//!
//! Work is counted in bits × 10¹², of which a rate of R bit/s does R in a picosecond. What remains of a packet when its
//! departure is rounded down to a picosecond is done before the next one if that follows at once, so nothing drifts.

use narrows_units::{Bytes, Rate, Span, Time};

/// A link whose rate never changes, and which takes its packets in the order in which they come.
#[derive(Clone, Debug)]
pub struct Steady {
    rate: Rate,
    /// When the last packet leaves, or left, rounded down.
    departure: Time,
    /// Work still to do then.
    remainder: u64,
    last: Last,
}

/// The last packet: one like it takes as long, and leaves as much.
#[derive(Clone, Debug)]
struct Last {
    size: Bytes,
    /// Work that had remained before it.
    before: u64,
    span: Span,
}

impl Steady {
    /// A free link.
    pub fn new(rate: Rate) -> Self {
        let last = Last { size: Bytes::ZERO, before: 0, span: Span::ZERO };
        Self { rate, departure: Time::ZERO, remainder: 0, last }
    }

    /// When the last bit of a packet of `size` that comes at `at`, after all others, leaves.
    pub fn pass(&mut self, size: Bytes, at: Time) -> Time {
        let before = if at <= self.departure { self.remainder } else { 0 };
        if size != self.last.size || before != self.last.before {
            self.reckon(size, before);
        }
        self.departure = at.max(self.departure) + self.last.span;
        self.departure
    }

    /// How long a packet takes that is not like the last.
    #[cold]
    fn reckon(&mut self, size: Bytes, before: u64) {
        let (span, remainder) = divide(work(size, before), self.rate);
        self.last = Last { size, before, span };
        self.remainder = remainder;
    }
}

/// The work of a packet of `size`, and what remained `before` it.
pub(super) fn work(size: Bytes, before: u64) -> u128 {
    u128::from(size.bits()) * PICOSECONDS + u128::from(before)
}

/// How long `work` takes at `rate`, rounded down, and what remains to do then.
pub(super) fn divide(work: u128, rate: Rate) -> (Span, u64) {
    let rate = rate.as_bps();
    if rate == 0 {
        return (Span::MAX, 0);
    }
    if let Ok(work) = u64::try_from(work) {
        return (Span::from_ps(work / rate), work % rate);
    }
    let (quotient, rest) = (work / u128::from(rate), work % u128::from(rate));
    // A span that does not fit is longer than every run.
    (Span::from_ps(u64::try_from(quotient).unwrap_or(u64::MAX)), rest as u64)
}

const PICOSECONDS: u128 = 1_000_000_000_000;

#[cfg(test)]
mod tests {
    //! Truth: exact arithmetic on whole numbers.

    use super::{Bytes, PICOSECONDS, Rate, Steady, Time};
    use proptest::prelude::proptest;

    proptest! {
        /// Against the exact end of each busy period's work, rounded down.
        #[test]
        fn every_departure_is_the_exact_one_rounded_down(
            rate in 1..10_000_000_000_u64,
            packets in proptest::collection::vec((40..42_u64, 0..3_u64, 0..3_000_000_000_u64), 1..100),
        ) {
            let mut link = Steady::new(Rate::from_bps(rate));
            let (mut origin, mut work, mut departure, mut at) = (0, 0_u128, 0_u64, 0_u64);
            for (size, idle, gap) in packets {
                // Packets come to the busy link, at its very departure, or later.
                at = if idle == 0 { at.max(departure / 2) } else { departure + (idle - 1) * gap };
                if at > departure {
                    (origin, work) = (at, 0);
                }
                work += u128::from(size) * 8 * PICOSECONDS;
                departure = origin + (work / u128::from(rate)) as u64;
                assert_eq!(link.pass(Bytes::new(size), Time::from_ps(at)).as_ps(), departure);
            }
        }
    }
}
