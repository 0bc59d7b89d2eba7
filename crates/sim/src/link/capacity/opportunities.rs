// SPDX-License-Identifier: Apache-2.0
//! A recorded link: a sequence of opportunities to send 1500 bytes.
//!
//! Source: Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", 2015, and the accounting of its link
//! queue: an unused opportunity is lost; the bytes of an opportunity that a packet leaves are used by waiting packets;
//! a packet that exceeds the remaining bytes continues at the next opportunity. After its last timestamp the recording
//! is repeated. A run starts at a place of the recording, so that replications differ in the capacity of the link.
//!
//! Deviations: mahimahi's clock counts milliseconds, so a packet misses the opportunities of the millisecond in
//! which it arrives; here a packet can use an opportunity at the time of its arrival.

use narrows_model::Trace;
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// A position in a recording.
#[derive(Clone, Debug)]
pub(super) struct Opportunities {
    trace: Arc<Trace>,
    /// Mean rate of the whole recording.
    mean_rate: Rate,
    /// Place in the recording at which the run starts.
    start: Span,
    /// Number of the first opportunity of the run.
    first: u64,
    /// Number of the next opportunity, counted through all repetitions from the start of the recording.
    next: u64,
    /// Time of the last used opportunity.
    last: Time,
    /// Unused bytes of that opportunity.
    left: Bytes,
}

impl Opportunities {
    /// Creates the delivery opportunities of `trace`, from its start on; from a whole millisecond at the part `place`
    /// of its length, from 0 to 1, if its start is random.
    pub fn new(trace: Arc<Trace>, place: impl FnOnce() -> f64) -> Self {
        let bits = OPPORTUNITY.bits() as f64 * trace.opportunities.len() as f64;
        let mean_rate = Rate::from_bps_f64(bits / trace.period.as_secs_f64());
        let drawn = || Span::from_ms((place() * (trace.period.as_ps() / MILLISECOND.as_ps()) as f64) as u64);
        let start = trace.start.unwrap_or_else(drawn);
        let mut this =
            Self { trace, mean_rate, start, first: 0, next: 0, last: Time::ZERO, left: Bytes::ZERO };
        this.first = this.first_from(Time::ZERO);
        this.next = this.first;
        this
    }

    /// Returns the place in the recording at which the run starts.
    pub fn start_of_run(&self) -> Span {
        self.start
    }

    /// Starts the transmission of a packet of `size` at `now` on the idle link, and returns the departure time of its
    /// last byte.
    pub fn start(&mut self, size: Bytes, now: Time) -> Time {
        if self.last < now {
            self.left = Bytes::ZERO;
            self.next = self.first_from(now);
        }
        let mut missing = size;
        while self.left < missing {
            missing -= self.left;
            self.last = self.time_of(self.next);
            self.left = OPPORTUNITY;
            self.next += 1;
        }
        self.left -= missing;
        self.last
    }

    /// Aborts the transmission in progress; the opportunities that it used are lost.
    pub fn abort(&mut self) {
        self.last = Time::ZERO;
        self.left = Bytes::ZERO;
    }

    /// Returns the time of the first opportunity with free bytes for a packet given to the idle link at `now`.
    pub fn ready(&self, now: Time) -> Time {
        if self.last < now {
            self.time_of(self.first_from(now))
        } else if self.left > Bytes::ZERO {
            self.last
        } else {
            self.time_of(self.next)
        }
    }

    /// Returns the mean rate of the whole trace.
    pub fn mean_rate(&self) -> Rate {
        self.mean_rate
    }

    /// Returns the bits of all opportunities from the start of the run up to and including `now`.
    pub fn offered_bits(&self, now: Time) -> u64 {
        (self.passed(now + self.start) - self.first) * OPPORTUNITY.bits()
    }

    /// Number of the first opportunity at `now` or later.
    fn first_from(&self, now: Time) -> u64 {
        (now + self.start).as_ps().checked_sub(1).map_or(0, |before| self.passed(Time::from_ps(before)))
    }

    /// Number of opportunities from the start of the recording up to and including its time `at`.
    fn passed(&self, at: Time) -> u64 {
        let period = self.trace.period.as_ps();
        let (repetitions, within) = (at.as_ps() / period, Span::from_ps(at.as_ps() % period));
        let begun = self.trace.opportunities.partition_point(|&at| at <= within);
        repetitions * self.trace.opportunities.len() as u64 + begun as u64
    }

    /// Time of opportunity `number`, which is one of the run.
    fn time_of(&self, number: u64) -> Time {
        let count = self.trace.opportunities.len() as u64;
        let within = self.trace.opportunities[(number % count) as usize];
        Time::ZERO + (self.trace.period * (number / count) + within - self.start)
    }
}

/// The unit of the times of a recording.
const MILLISECOND: Span = Span::from_ms(1);

/// Bytes per opportunity; `PACKET_SIZE` in mahimahi.
const OPPORTUNITY: Bytes = Bytes::new(1500);

#[cfg(test)]
mod tests {
    //! Truth: mahimahi's accounting, worked by hand and held against a byte-by-byte replay of its loop.

    use super::{Arc, Bytes, Opportunities, Rate, Span, Time, Trace};
    use proptest::prelude::proptest;

    fn ms(count: u64) -> Time {
        Time::ZERO + Span::from_ms(count)
    }

    fn recording(at_ms: &[u64]) -> Opportunities {
        from(at_ms, Some(Span::ZERO), 0.0)
    }

    fn from(at_ms: &[u64], start: Option<Span>, place: f64) -> Opportunities {
        let opportunities: Vec<_> = at_ms.iter().map(|&ms| Span::from_ms(ms)).collect();
        let period = *opportunities.last().expect("a trace has an opportunity");
        let origin = narrows_model::Origin::Recorded;
        let trace =
            Trace { name: "by hand".into(), digest: String::new(), opportunities, period, start, origin };
        Opportunities::new(Arc::new(trace), || place)
    }

    #[test]
    fn a_packet_leaves_at_the_opportunity_at_or_after_it_and_those_before_are_lost() {
        let mut link = recording(&[1, 2, 3, 10]);
        assert_eq!(link.start(Bytes::new(1500), ms(2)), ms(2));
        assert_eq!(link.start(Bytes::new(1500), ms(4)), ms(10));
    }

    #[test]
    fn the_recording_begins_again_after_its_last_time_stamp() {
        let mut link = recording(&[0, 4, 10]);
        let departures: Vec<_> = (0..7)
            .scan(Time::ZERO, |now, _| {
                *now = link.start(Bytes::new(1500), *now);
                Some(*now)
            })
            .collect();
        assert_eq!(departures, [0, 4, 10, 10, 14, 20, 20].map(ms));
        assert_eq!(link.start(Bytes::new(1500), ms(1001)), ms(1004));
    }

    #[test]
    fn an_opportunity_carries_several_small_packets_and_part_of_the_next() {
        let mut link = recording(&[5, 6, 9]);
        assert_eq!(link.start(Bytes::new(600), ms(0)), ms(5));
        assert_eq!(link.start(Bytes::new(600), ms(5)), ms(5));
        // 300 bytes of it now and 300 at the next, which has 1200 left for two more.
        assert_eq!(link.start(Bytes::new(600), ms(5)), ms(6));
        assert_eq!(link.start(Bytes::new(1200), ms(6)), ms(6));
        assert_eq!(link.start(Bytes::new(1), ms(6)), ms(9));
    }

    #[test]
    fn what_is_left_of_an_opportunity_is_lost_with_it() {
        let mut link = recording(&[5, 6, 9]);
        assert_eq!(link.start(Bytes::new(600), ms(0)), ms(5));
        assert_eq!(link.start(Bytes::new(1500), Time::from_ps(5_000_000_001)), ms(6));
    }

    #[test]
    fn a_packet_larger_than_an_opportunity_takes_several() {
        let mut link = recording(&[1, 2, 3, 4]);
        assert_eq!(link.start(Bytes::new(4000), ms(0)), ms(3));
        assert_eq!(link.start(Bytes::new(500), ms(3)), ms(3));
        assert_eq!(link.start(Bytes::new(1), ms(3)), ms(4));
    }

    #[test]
    fn the_link_is_ready_when_the_first_byte_can_leave() {
        let mut link = recording(&[5, 5, 9]);
        assert_eq!(link.ready(ms(0)), ms(5));
        assert_eq!(link.start(Bytes::new(1000), ms(0)), ms(5));
        assert_eq!(link.ready(ms(5)), ms(5), "500 bytes are left");
        assert_eq!(link.start(Bytes::new(500), ms(5)), ms(5));
        assert_eq!(link.ready(ms(5)), ms(5), "another opportunity at the same time");
        assert_eq!(link.start(Bytes::new(1500), ms(5)), ms(5));
        assert_eq!(link.ready(ms(5)), ms(9));
        assert_eq!(link.ready(ms(7)), ms(9));
    }

    #[test]
    fn a_run_starts_within_the_recording_and_goes_on_from_there() {
        let mut link = from(&[0, 4, 10], Some(Span::from_ms(4)), 0.9);
        assert_eq!(link.start_of_run(), Span::from_ms(4));
        assert_eq!(link.ready(ms(0)), ms(0));
        let departures: Vec<_> = (0..5).map(|_| link.start(Bytes::new(1500), ms(0))).collect();
        // 4, 10, 10 (0 of the first repetition), 14, 20.
        assert_eq!(departures, [0, 6, 6, 10, 16].map(ms));
        for (until, opportunities) in [(0, 1), (5, 1), (6, 3), (10, 4), (16, 6)] {
            assert_eq!(link.offered_bits(ms(until)), opportunities * 12_000, "until {until} ms");
        }
    }

    #[test]
    fn a_random_start_is_a_whole_millisecond_before_the_end() {
        for (place, expected, offered) in
            [(0.0, 0, 4), (0.05, 0, 4), (0.1, 1, 3), (0.55, 5, 3), (0.999_999, 9, 3)]
        {
            let link = from(&[0, 4, 10], None, place);
            assert_eq!(link.start_of_run(), Span::from_ms(expected), "{place}");
            assert_eq!(link.offered_bits(ms(10)), offered * 12_000, "{place}");
        }
    }

    #[test]
    fn every_opportunity_is_offered_whether_used_or_not() {
        let link = recording(&[0, 4, 10]);
        for (until, opportunities) in [(0, 1), (3, 1), (4, 2), (9, 2), (10, 4), (24, 8), (30, 10)] {
            assert_eq!(link.offered_bits(ms(until)), opportunities * 12_000, "until {until} ms");
        }
        assert_eq!(link.mean_rate(), Rate::from_bps(3_600_000));
    }

    proptest! {
        /// Opportunity by opportunity, as mahimahi's queue does it, against the departures computed at once.
        #[test]
        fn departures_are_those_of_a_loop_over_all_opportunities(
            gaps in proptest::collection::vec(0..4_u64, 1..12),
            packets in proptest::collection::vec((0..6_u64, 1..4000_u64), 1..40),
        ) {
            let mut at: Vec<u64> = gaps.iter().scan(0, |sum, gap| { *sum += gap; Some(*sum) }).collect();
            let period = at.last().expect("not empty").max(&1).to_owned();
            at.push(period);
            let mut link = recording(&at);
            // Arrivals fall between the milliseconds of the opportunities.
            let arrivals: Vec<_> = packets
                .iter()
                .scan(0, |sum, &(gap, size)| { *sum += gap; Some((ms(*sum) + Span::from_us(500), size)) })
                .collect();

            let mut free = Time::ZERO;
            let computed: Vec<_> = arrivals
                .iter()
                .map(|&(arrival, size)| {
                    free = link.start(Bytes::new(size), arrival.max(free));
                    free
                })
                .collect();

            let mut replayed = Vec::new();
            let mut missing: std::collections::VecDeque<_> = arrivals.into();
            'recording: for repetition in 0.. {
                for &opportunity in &at {
                    let now = ms(repetition * period + opportunity);
                    let mut left = 1500;
                    while let Some((_, size)) = missing.front_mut().filter(|(arrival, _)| *arrival <= now) {
                        let carried = left.min(*size);
                        *size -= carried;
                        left -= carried;
                        if *size > 0 {
                            break;
                        }
                        replayed.push(now);
                        missing.pop_front();
                    }
                }
                if missing.is_empty() {
                    break 'recording;
                }
            }
            assert_eq!(computed, replayed);
        }
    }
}
