// SPDX-License-Identifier: Apache-2.0
//! Timers that expire with the ticks of a clock, as in Linux.
//!
//! Source: Linux 6.12 kernel/time/timer.c, `calc_wheel_index`. A timeout is a whole number of ticks, and its timer expires
//! with a tick that is later than the one at which it is due: the next one for timeouts below 63 ticks, the next multiple of
//! 8 ticks below 504, of 64 below 4032, and so on.

use narrows_units::{Span, Time};

/// Ticks of the shortest timeout of the second level.
const FIRST_LEVEL: u64 = 63;
/// A level is coarser than the one before by this power of two.
const SHIFT: u32 = 3;
/// Levels of the wheel: at 4 ms per tick the last holds timeouts of days.
const LEVELS: u32 = 9;

/// Returns the least whole number of ticks that is `timeout` or longer; `timeout` itself if `tick` is zero.
pub(crate) fn whole_ticks(timeout: Span, tick: Span) -> Span {
    if tick == Span::ZERO { timeout } else { tick * timeout.as_ps().div_ceil(tick.as_ps()) }
}

/// Returns when a timer expires that is set at `now` for `timeout`; exactly then if `tick` is zero.
pub(crate) fn expiry(now: Time, timeout: Span, tick: Span) -> Time {
    if tick == Span::ZERO {
        return now + timeout;
    }
    let ticks = timeout.as_ps().div_ceil(tick.as_ps());
    let due = now.as_ps() / tick.as_ps() + ticks;
    let level = (0..LEVELS - 1).find(|level| ticks < FIRST_LEVEL << (SHIFT * level)).unwrap_or(LEVELS - 1);
    let shift = SHIFT * level;
    Time::ZERO + tick * (((due >> shift) + 1) << shift)
}

#[cfg(test)]
mod tests {
    //! Truth: rule, with times of a kernel at 250 Hz.

    use super::{expiry, whole_ticks};
    use narrows_units::{Span, Time};

    const TICK: Span = Span::from_ms(4);

    fn us(count: u64) -> Time {
        Time::ZERO + Span::from_us(count)
    }

    #[test]
    fn a_timeout_ends_with_a_tick_of_its_level() {
        // 63 ticks from tick 12: the second level, multiples of 8 ticks; measured, a timeout of 250 ms at 50.4 ms.
        assert_eq!(expiry(us(50_400), Span::from_ms(250), TICK), us(320_000));
        // Below 63 ticks: the tick behind the one at which it is due.
        assert_eq!(expiry(us(50_400), Span::from_ms(200), TICK), us(252_000));
        assert_eq!(expiry(us(0), Span::from_ms(1), TICK), us(8_000));
        // Above 504 ticks: multiples of 64 ticks.
        assert_eq!(expiry(us(0), Span::from_ms(2_016), TICK), us(2_048_000));
    }

    #[test]
    fn without_ticks_a_timeout_is_exact() {
        assert_eq!(expiry(us(50_400), Span::from_us(7), Span::ZERO), us(50_407));
        assert_eq!(whole_ticks(Span::from_us(7), Span::ZERO), Span::from_us(7));
        assert_eq!(whole_ticks(Span::from_us(7), TICK), TICK);
        assert_eq!(whole_ticks(TICK, TICK), TICK);
    }
}
