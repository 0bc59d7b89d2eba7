// SPDX-License-Identifier: Apache-2.0
//! COBALT: CoDel and BLUE in parallel, for the packets of one flow.
//!
//! ```text
//! over        sojourn > target and > 4 times the time for a full packet
//! first       over for an interval
//! CoDel       while over: a signal, count += 1, the next interval / √count later;
//!             while not: count falls by one at the times at which signals would have been
//! BLUE        p += 1/256 when the buffer overflows, −= 1/4096 when the queue is found empty, each at most once in a target;
//!             every packet is dropped with probability p
//! ```
//!
//! In a flow that does not respond signals come, as CoDel's, n within about 2 √n intervals, and BLUE's drops at a share that
//! grows until the buffer overflows no longer.

#[cfg(not(feature = "std"))]
use narrows_units::Float;
use narrows_units::{Span, Time};

/// Settings of the law on a link as fast as it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Acceptable standing queueing delay, and the shortest time between two changes of BLUE's probability.
    pub target: Span,
    /// Time for which the queueing delay may exceed the target before the first signal. Not zero.
    pub interval: Span,
    /// Time for which the queueing delay must be exceeded, too: four full packets.
    pub four_packets: Span,
}

/// The decisions of the law about a departing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signals {
    /// CoDel signals: a mark, or a drop of a packet that cannot be marked.
    pub codel: bool,
    /// BLUE drops it.
    pub blue: bool,
}

/// The state of the law for one flow.
#[derive(Clone, Debug, Default)]
pub struct Cobalt {
    /// Number of signals, which falls again while there are none.
    count: u32,
    /// Time at which the next signal is due; when the state has come to rest if `count` is 0.
    next: Time,
    dropping: bool,
    /// BLUE's probability.
    probability: f64,
    /// Time at which that last changed.
    changed: Time,
}

impl Cobalt {
    /// Returns BLUE's drop probability, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Whether a flow without packets keeps its state: it has not come to rest at `now`.
    pub fn is_active(&self, now: Time) -> bool {
        self.probability > 0.0 || self.count > 0 || now < self.next
    }

    /// Decides about a packet that leaves at `now` after a queueing delay of `sojourn`. Calls `uniform` at most once, for a
    /// draw from [0, 1).
    pub fn judge(
        &mut self,
        control: &Control,
        sojourn: Span,
        now: Time,
        uniform: &mut dyn FnMut() -> f64,
    ) -> Signals {
        let over = sojourn > control.target && sojourn > control.four_packets;
        let due = self.count > 0 && now >= self.next;
        let mut late = now > self.next;
        if over {
            if !self.dropping {
                self.dropping = true;
                self.next = now + spacing(control, self.count);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        let codel = due && self.dropping;
        if codel {
            self.count = self.count.saturating_add(1);
            self.next += spacing(control, self.count);
            late = now > self.next;
        } else if due {
            while self.count > 0 && now >= self.next {
                self.count -= 1;
                self.next += spacing(control, self.count);
            }
            late = now > self.next;
        }
        let blue = self.probability > 0.0 && uniform() < self.probability;
        if self.count == 0 {
            self.next = now + control.interval;
        } else if late && !codel && !blue {
            self.next = now;
        }
        Signals { codel, blue }
    }

    /// Records that a packet of the flow was dropped because the buffer was full.
    pub fn overflowed(&mut self, control: &Control, now: Time) {
        if now.since(self.changed) > control.target {
            self.probability = (self.probability + UP).min(1.0);
            self.changed = now;
        }
        self.dropping = true;
        self.next = now;
        self.count = self.count.max(1);
    }

    /// Records that the flow's turn came and no packet of it waited.
    pub fn emptied(&mut self, control: &Control, now: Time) {
        if self.probability > 0.0 && now.since(self.changed) > control.target {
            self.probability = (self.probability - DOWN).max(0.0);
            self.changed = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.next {
            self.count -= 1;
            self.next += spacing(control, self.count);
        }
    }
}

/// The time from a signal, the `count`-th, to the next.
fn spacing(control: &Control, count: u32) -> Span {
    control.interval.scaled(1.0 / f64::from(count.max(1)).sqrt())
}

// Høiland-Jørgensen, Täht and Morton 2018 §III-C; sch_cake.c.
const UP: f64 = 1.0 / 256.0;
const DOWN: f64 = 1.0 / 4096.0;

#[cfg(test)]
mod tests {
    //! Truth: the law's closed form, and its rules worked by hand.

    use super::{Cobalt, Control, DOWN, Signals, UP};
    use narrows_units::{Span, Time};

    const CONTROL: Control =
        Control { target: Span::from_ms(5), interval: Span::from_ms(100), four_packets: Span::from_ms(4) };

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    /// The times of the signals in `duration` for a flow whose packets leave every millisecond after `sojourn`.
    fn signals(law: &mut Cobalt, from: u64, to: u64, sojourn: Span) -> Vec<u64> {
        let mut judge = |ms: &u64| law.judge(&CONTROL, sojourn, at(*ms), &mut || 0.5).codel;
        (from..to).filter(|ms| judge(ms)).collect()
    }

    #[test]
    fn the_first_signal_comes_after_an_interval_and_their_number_grows_with_the_square_of_time() {
        let mut law = Cobalt::default();
        let found = signals(&mut law, 0, 5000, Span::from_ms(20));
        assert_eq!(found[0], 100);
        // Signal n comes at the sum of 1/√k: about 2 √n − 0.54 intervals after the first with k from 2 on.
        let expected = |n: usize| 100.0 + (2..=n).map(|k| 100.0 / (k as f64).sqrt()).sum::<f64>();
        for (n, ms) in (1..).zip(&found) {
            assert!((*ms as f64 - expected(n)).abs() <= 1.0, "signal {n} at {ms} ms, not {}", expected(n));
        }
        assert!(found.len() > 600, "{}", found.len());
    }

    #[test]
    fn a_flow_that_stays_below_the_target_is_never_signalled_and_its_count_falls() {
        let mut law = Cobalt::default();
        assert!(signals(&mut law, 0, 1000, Span::from_ms(5)).is_empty());
        signals(&mut law, 1000, 2000, Span::from_ms(20));
        let count = law.count;
        assert!(signals(&mut law, 2000, 4000, Span::from_ms(5)).is_empty());
        assert!(count > 10 && law.count == 0, "{count} {}", law.count);
        // The packets must wait longer than four take to be sent, too.
        let slow = Control { four_packets: Span::from_ms(50), ..CONTROL };
        for ms in 4000..6000 {
            let signal = law.judge(&slow, Span::from_ms(40), at(ms), &mut || 0.5);
            assert_eq!(signal, Signals { codel: false, blue: false });
        }
    }

    #[test]
    fn blue_rises_with_overflow_and_falls_when_the_queue_is_empty_at_most_once_in_a_target() {
        let mut law = Cobalt::default();
        for ms in 10..=30 {
            law.overflowed(&CONTROL, at(ms));
        }
        // At 10, 16, 22 and 28 ms.
        assert!((law.probability() - 4.0 * UP).abs() < 1e-12, "{}", law.probability());
        assert!(law.judge(&CONTROL, Span::ZERO, at(40), &mut || 3.9 * UP).blue);
        assert!(!law.judge(&CONTROL, Span::ZERO, at(40), &mut || 4.1 * UP).blue);
        (100..112).for_each(|ms| law.emptied(&CONTROL, at(ms)));
        assert!((law.probability() - 4.0 * UP + 2.0 * DOWN).abs() < 1e-12, "{}", law.probability());
    }
}
