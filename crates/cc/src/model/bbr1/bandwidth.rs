// SPDX-License-Identifier: Apache-2.0
//! Bandwidths and gains in Linux's units: whole numbers with the fraction in the low bits.

#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Bytes, Rate, Span};

/// Packets per microsecond, in units of 2⁻²⁴: about 715 bit/s with packets of 1500 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bandwidth(pub(super) u64);

/// A factor in units of 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gain(pub(super) u64);

impl Bandwidth {
    /// Returns `packets` per `span`; `None` if `span` is below a microsecond.
    pub(super) fn over(packets: u64, span: Span) -> Option<Self> {
        let micros = micros(span);
        if packets >> (u64::BITS - SCALE) == 0 {
            return (packets << SCALE).checked_div(micros).map(Self);
        }
        let scaled = u128::from(packets) << SCALE;
        scaled.checked_div(u128::from(micros)).map(|units| Self(units as u64))
    }

    /// Returns the packets in `span`, rounded down.
    pub(super) fn packets_in(self, span: Span) -> u64 {
        ((u128::from(self.0) * u128::from(micros(span))) >> SCALE) as u64
    }

    /// Returns the packets that fill a path of round-trip time `rtt`, times `gain`, rounded up, since rounding down
    /// would feed back into the estimate (`bbr_bdp`).
    pub(super) fn bdp(self, rtt: Span, gain: Gain) -> u64 {
        let units = gain.of(u128::from(self.0) * u128::from(micros(rtt)));
        units.div_ceil(1 << SCALE) as u64
    }

    /// Returns the rate at which to pace packets of `mss` payload, times `gain`, less `bbr_pacing_margin_percent`; at
    /// least 1 bit/s (`bbr_bw_to_pacing_rate`).
    pub(super) fn pacing_rate(self, gain: Gain, mss: Bytes) -> Rate {
        let per_microsecond = gain.of(u128::from(self.0) * u128::from(mss.bits()));
        let bps = (per_microsecond * (MICROS_PER_SECOND / 100 * (100 - MARGIN_PERCENT))) >> SCALE;
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
    }

    /// Returns the bits of payload per second, with packets of `mss` payload.
    pub(super) fn rate(self, mss: Bytes) -> f64 {
        self.0 as f64 * mss.bits() as f64 * MICROS_PER_SECOND as f64 / (1u64 << SCALE) as f64
    }
}

impl Gain {
    /// A gain of 1.
    pub(super) const UNIT: Self = Self(256);

    /// Returns its inverse, rounded down.
    pub(super) fn inverse(self) -> Self {
        Self(Self::UNIT.0 * Self::UNIT.0 / self.0)
    }

    /// Returns the gain nearest to `factor`.
    pub(super) fn nearest(factor: f64) -> Self {
        Self((factor * Self::UNIT.0 as f64).round() as u64)
    }

    /// Returns the value as a real number.
    pub(super) fn as_f64(self) -> f64 {
        self.0 as f64 / Self::UNIT.0 as f64
    }

    /// Returns `value` times this gain, rounded down.
    pub(super) fn of(self, value: u128) -> u128 {
        value * u128::from(self.0) / u128::from(Self::UNIT.0)
    }
}

fn micros(span: Span) -> u64 {
    span.as_ps() / 1_000_000
}

/// `BW_SCALE`.
const SCALE: u32 = 24;
/// `bbr_pacing_margin_percent`.
const MARGIN_PERCENT: u128 = 1;
const MICROS_PER_SECOND: u128 = 1_000_000;
