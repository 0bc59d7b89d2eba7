// SPDX-License-Identifier: Apache-2.0
//! When flows arrive.
//!
//! Source: for a Poisson process whose rate changes, the time change of Cox and Lewis, "The Statistical Analysis of
//! Series of Events", 1966, §2.3: the integral of the rate between arrivals is exponential of mean one, so a draw is
//! used up at whatever rate holds, exactly, however often the rate changes in between.

use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};
use std::sync::Arc;

/// A schedule of arrivals.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Independent arrivals at a rate that is constant between the given times: `(from, arrivals per second)`, times
    /// ascending. Before the first time there are none.
    Poisson(Arc<[(Time, f64)]>),
    /// Arrivals at `first`, and at every `interval` thereafter.
    Periodic {
        /// Time of the first arrival.
        first: Time,
        /// Time between two arrivals, above zero.
        interval: Span,
    },
    /// Arrivals as in a recording (Harpoon: Sommers and Barford, IMC 2004): the time to the next and the size of each
    /// are drawn with replacement, independently, from those recorded.
    Resampled {
        /// Start of the process.
        from: Time,
        /// No transfer starts at or after this time.
        until: Time,
        /// Times between two recorded arrivals, at least one of them above zero.
        gaps: Arc<[Span]>,
        /// Recorded sizes, at least one.
        sizes: Arc<[Bytes]>,
    },
    /// Recorded arrivals: time and size of each transfer, times ascending.
    Trace(Arc<[(Time, Bytes)]>),
}

/// A schedule of arrivals and the position in it.
#[derive(Clone, Debug)]
pub struct ArrivalProcess {
    schedule: Arrivals,
    /// For a trace, the next record; for a Poisson process, the first step after the last arrival.
    next: usize,
}

/// The arrival of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Time of the arrival.
    pub at: Time,
    /// Size of the transfer; `None` if the schedule gives none.
    pub size: Option<Bytes>,
}

impl ArrivalProcess {
    /// Creates the process at the start of `schedule`.
    pub fn new(schedule: Arrivals) -> Self {
        Self { schedule, next: 0 }
    }

    /// Returns the next arrival after the one at `after` (or after the start of the process, for the first); `None` if
    /// there are no more. Calls must be in order of time. A Poisson arrival uses one draw of `stream`, a resampled one two, others none.
    pub fn next(&mut self, after: Time, stream: &mut Stream) -> Option<Arrival> {
        match &self.schedule {
            Arrivals::Poisson(steps) => {
                let steps = steps.clone();
                self.poisson(&steps, after, stream).map(|at| Arrival { at, size: None })
            }
            Arrivals::Periodic { first, interval } => {
                let at = if self.next == 0 { *first } else { after + *interval };
                self.next = 1;
                Some(Arrival { at, size: None })
            }
            Arrivals::Resampled { from, until, gaps, sizes } => {
                let at = after.max(*from) + one_of(gaps, stream);
                let size = Some(one_of(sizes, stream));
                Some(Arrival { at, size }).filter(|arrival| arrival.at < *until)
            }
            Arrivals::Trace(records) => {
                let (at, size) = *records.get(self.next)?;
                self.next += 1;
                Some(Arrival { at, size: Some(size) })
            }
        }
    }

    fn poisson(&mut self, steps: &[(Time, f64)], after: Time, stream: &mut Stream) -> Option<Time> {
        // The remainder of the exponential draw; 1 − u is never zero.
        let mut left = -libm::log(1.0 - stream.uniform());
        let mut at = after;
        loop {
            while steps.get(self.next).is_some_and(|(from, _)| *from <= at) {
                self.next += 1;
            }
            let rate = self.next.checked_sub(1).map_or(0.0, |step| steps[step].1);
            let until = steps.get(self.next).map(|(from, _)| *from);
            let here = until.map_or(f64::INFINITY, |until| rate * until.since(at).as_secs_f64());
            if rate > 0.0 && left < here {
                return Some(at + Span::from_secs_f64(left / rate)).filter(|at| *at < Time::NEVER);
            }
            left -= rate * until?.since(at).as_secs_f64();
            at = until?;
        }
    }
}

/// One of `all`, each with the same probability.
fn one_of<T: Copy>(all: &[T], stream: &mut Stream) -> T {
    all[stream.up_to(all.len() as u64 - 1) as usize]
}

#[cfg(test)]
mod tests {
    //! Truth: closed forms of the Poisson process within four standard errors; the schedules themselves.

    use super::{Arrival, ArrivalProcess, Arrivals, Bytes, Span, Stream, Time};

    fn at(secs: u64) -> Time {
        Time::ZERO + Span::from_ms(1000 * secs)
    }

    fn times(schedule: Arrivals, until: Time) -> Vec<Time> {
        let (mut process, mut stream) = (ArrivalProcess::new(schedule), Stream::new(1, 0, "arrivals"));
        let mut next = |last: &Time| process.next(*last, &mut stream).map(|arrival| arrival.at);
        let mut last = Time::ZERO;
        std::iter::from_fn(|| {
            last = next(&last).filter(|at| *at < until)?;
            Some(last)
        })
        .collect()
    }

    #[test]
    fn poisson_arrivals_come_at_their_rate_and_without_memory() {
        let rate = 50.0;
        let times = times(Arrivals::Poisson([(Time::ZERO, rate)].into()), at(2000));
        let expected = rate * 2000.0;
        assert!((times.len() as f64 - expected).abs() < 4.0 * expected.sqrt(), "{}", times.len());
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
        let long = gaps.iter().filter(|&&gap| gap > 1.0 / rate).count() as f64 / gaps.len() as f64;
        let share = libm::exp(-1.0);
        assert!((long - share).abs() < 4.0 * (share * (1.0 - share) / gaps.len() as f64).sqrt(), "{long}");
    }

    #[test]
    fn poisson_arrivals_follow_every_step_of_their_rate() {
        // Twenty thousand steps of a tenth of a second: far shorter than the mean time between arrivals at the low rate.
        let steps =
            (0..20_000).map(|k| (Time::ZERO + Span::from_ms(100 * k), if k % 2 == 0 { 30.0 } else { 1.0 }));
        let times = times(Arrivals::Poisson(steps.collect()), at(2000));
        let (high, low): (Vec<Time>, Vec<Time>) =
            times.iter().partition(|at| (at.as_ps() / Span::from_ms(100).as_ps()).is_multiple_of(2));
        for (found, expected) in [(high.len(), 30_000.0_f64), (low.len(), 1000.0)] {
            assert!((found as f64 - expected).abs() < 4.0 * expected.sqrt(), "{found} of {expected}");
        }
    }

    #[test]
    fn no_arrival_comes_while_the_rate_is_zero_and_none_after_it_stays_zero() {
        let steps = [(at(1), 100.0), (at(2), 0.0), (at(5), 100.0), (at(6), 0.0)];
        let times = times(Arrivals::Poisson(steps.into()), Time::NEVER);
        let within = |from, to| times.iter().filter(|time| (at(from)..at(to)).contains(time)).count();
        assert_eq!(within(1, 2) + within(5, 6), times.len());
        assert!(within(1, 2) > 0 && within(5, 6) > 0);
    }

    #[test]
    fn periodic_arrivals_keep_their_distance() {
        let schedule = Arrivals::Periodic { first: at(3), interval: Span::from_ms(2000) };
        assert_eq!(times(schedule, at(10)), [3, 5, 7, 9].map(at));
    }

    #[test]
    fn resampled_arrivals_have_the_mean_rate_and_size_of_the_recorded_ones_and_no_others() {
        let gaps = [10, 20, 300].map(Span::from_ms);
        let sizes = [100, 5000, 90_000].map(Bytes::new);
        let schedule =
            Arrivals::Resampled { from: at(5), until: at(3305), gaps: gaps.into(), sizes: sizes.into() };
        let (mut process, mut stream) = (ArrivalProcess::new(schedule), Stream::new(1, 0, "arrivals"));
        let (mut last, mut count, mut bytes) = (Time::ZERO, 0_u32, 0_u64);
        while let Some(Arrival { at: next, size: Some(size) }) = process.next(last, &mut stream) {
            let gap = next - if count == 0 { at(5) } else { last };
            assert!(gaps.contains(&gap) && sizes.contains(&size), "{gap} {size}");
            (last, count, bytes) = (next, count + 1, bytes + size.count());
        }
        // 3300 s with a mean of 110 ms, whose deviation is 134 ms: 30 000, and four standard errors of 212.
        assert!((f64::from(count) - 30_000.0).abs() < 850.0, "{count}");
        // A mean of 31 700 bytes, whose deviation is 41 273 bytes.
        let mean = bytes as f64 / f64::from(count);
        assert!((mean - 31_700.0).abs() < 4.0 * 41_273.0 / 173.0, "{mean}");
    }

    #[test]
    fn recorded_arrivals_come_as_recorded() {
        let records = [(at(1), Bytes::new(10)), (at(1), Bytes::new(20)), (at(4), Bytes::new(30))];
        let mut process = ArrivalProcess::new(Arrivals::Trace(records.into()));
        let mut stream = Stream::new(1, 0, "arrivals");
        for (at, size) in records {
            assert_eq!(process.next(Time::ZERO, &mut stream), Some(Arrival { at, size: Some(size) }));
        }
        assert_eq!(process.next(at(4), &mut stream), None);
    }
}
