// SPDX-License-Identifier: Apache-2.0
//! The four quantities, and the arithmetic that is meaningful between them.

#[cfg(not(feature = "std"))]
use crate::Float;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

/// A point in simulated time: picoseconds since the start of the run, up to 213 days. Addition saturates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Time(u64);

/// A duration in picoseconds, up to 213 days. Addition and multiplication saturate.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Span(u64);

/// A number of bytes.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Bytes(u64);

/// A rate in bits per second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Rate(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// A time later than every event, for a timer which is not set.
    pub const NEVER: Self = Self(u64::MAX);

    /// Creates the time `ps` picoseconds after the start of the run.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Picoseconds since the start of the run.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the start of the run.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// Returns the time from `earlier` to this, zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// A duration longer than every run.
    pub const MAX: Self = Self(u64::MAX);

    /// Creates a duration of `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// Creates a duration of `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// Creates a duration of `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// Creates a duration of `secs` seconds, rounded to picoseconds; zero for a negative number or NaN.
    pub fn from_secs_f64(secs: f64) -> Self {
        Self((secs * 1e12).round() as u64)
    }

    /// Returns the duration in picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Returns the duration in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 * 1e-12
    }

    /// Returns the duration times `factor`, rounded to picoseconds; zero for a negative factor or NaN.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }

    /// Returns the difference, zero if `other` is longer.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// Creates `count` bytes.
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// Returns the number of bytes.
    pub const fn count(self) -> u64 {
        self.0
    }

    /// Returns the number of bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }

    /// Returns the difference, zero if `other` is larger.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Rate {
    /// No bits per second, as on a link that is down.
    pub const ZERO: Self = Self(0);

    /// Creates `bps` bits per second.
    pub const fn from_bps(bps: u64) -> Self {
        Self(bps)
    }

    /// Creates `bps` bits per second, rounded to an integer; zero for a negative number or NaN.
    pub fn from_bps_f64(bps: f64) -> Self {
        Self(bps.round() as u64)
    }

    /// Returns the rate in bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Returns the rate in bytes per second.
    pub fn as_bytes_per_sec(self) -> f64 {
        self.0 as f64 / 8.0
    }

    /// Returns the transmission time of `size` at this rate, rounded up to picoseconds; `Span::MAX` at rate zero. The
    /// rounding errors of consecutive packets add up; a serialiser that carries the remainder avoids this.
    pub fn time_for(self, size: Bytes) -> Span {
        if self.0 == 0 {
            return Span::MAX;
        }
        let ps = (u128::from(size.bits()) * 1_000_000_000_000).div_ceil(u128::from(self.0));
        Span(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// Returns the bytes transmitted in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> Bytes {
        Bytes((u128::from(self.0) * u128::from(span.0) / 8_000_000_000_000) as u64)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Span;
    fn sub(self, earlier: Self) -> Span {
        debug_assert!(earlier <= self, "time increases");
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Div<u64> for Span {
    type Output = Self;
    fn div(self, parts: u64) -> Self {
        Self(self.0 / parts)
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Bytes {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, times: u64) -> Self {
        Self(self.0 * times)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        Self(parts.map(|part| part.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Rate, Span, Time};

    #[test]
    fn a_1500_byte_packet_takes_120_us_at_100_mbps() {
        assert_eq!(Rate::from_bps(100_000_000).time_for(Bytes::new(1500)), Span::from_us(120));
    }

    #[test]
    fn at_rate_zero_transmission_never_ends() {
        assert_eq!(Rate::ZERO.time_for(Bytes::new(1)), Span::MAX);
        assert_eq!(Time::ZERO + Span::MAX, Time::NEVER);
    }

    #[test]
    fn a_rate_times_a_duration_is_a_number_of_bytes() {
        let rate = Rate::from_bps(20_000_000);
        assert_eq!(rate.bytes_in(Span::from_ms(40)), Bytes::new(100_000));
    }

    #[test]
    fn durations_in_seconds_are_rounded_to_picoseconds() {
        assert_eq!(Span::from_secs_f64(60.0), Span::from_ms(60_000));
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
    }
}
