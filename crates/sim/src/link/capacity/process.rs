// SPDX-License-Identifier: Apache-2.0
//! Rates that change over time: steps, square waves, random walks, uniform draws.

use narrows_engine::Stream;
use narrows_model::traffic::Spans;
use narrows_model::{RateModel, Recording, Step};
use narrows_units::{Rate, Span, Time};
use std::sync::Arc;

/// A rate process: the time and the value of the next change.
#[derive(Clone, Debug)]
pub(super) struct Process {
    law: Law,
    next: Time,
    /// The rate of the law, if the result is derived from it.
    own: Rate,
    made: Made,
    draws: Stream,
}

/// The derivation of the rate from the rate of the law.
#[derive(Clone, Copy, Debug)]
enum Made {
    /// The rate of the law itself.
    Itself,
    /// The rest of this rate.
    Rest(Rate),
    /// The law is the rate of other flows; this flow is one of several that take the rest.
    Share(Share),
}

/// A flow of a group that together leaves a given rate to other flows with equal shares.
///
/// Source: A. Akella, S. Seshan, S. Shenker and I. Stoica, CMU-CS-02-139 (2002), §3.3: n (C − B) / B flows leave B of C
/// to n others. Each sends 5 % more than its share, so that it always uses it; this excess is our choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Rate of the whole link.
    pub whole: Rate,
    /// Number of other flows with which the link is shared.
    pub others: u32,
    /// Number of flows in the group.
    pub count: u32,
    /// Number of this flow within its group.
    pub place: u32,
}

impl Share {
    /// Rate of the flow if `left` is left to the others.
    fn of(self, left: Rate) -> Rate {
        let (whole, left) = (u128::from(self.whole.as_bps()), u128::from(left.as_bps()));
        let (others, count) = (u128::from(self.others), u128::from(self.count));
        let taken = others * whole.saturating_sub(left);
        let senders = if left == 0 { count } else { ((2 * taken + left) / (2 * left)).min(count) };
        if u128::from(self.place) >= senders {
            return Rate::ZERO;
        }
        Rate::from_bps((whole * 21 / (20 * (others + senders))) as u64)
    }
}

impl Made {
    fn of(self, rate: Rate) -> Rate {
        match self {
            Self::Itself => rate,
            Self::Rest(whole) => Rate::from_bps(whole.as_bps().saturating_sub(rate.as_bps())),
            Self::Share(share) => share.of(rate),
        }
    }
}

#[derive(Clone, Debug)]
enum Law {
    Constant,
    /// Remaining changes in reverse order.
    Steps(Vec<(Time, Rate)>),
    /// A recording, and the number of changes so far.
    Recording(Arc<Recording>, u64),
    Square {
        high: Rate,
        low: Rate,
        high_for: Span,
        low_for: Span,
        /// Whether the current part is the high one.
        is_high: bool,
    },
    Walk {
        step: Step,
        minimum: u64,
        maximum: u64,
        interval: Span,
    },
    OnOff(Box<OnOff>),
    Uniform {
        minimum: u64,
        maximum: u64,
        interval: Span,
    },
}

/// A rate that is on and off.
#[derive(Clone, Debug)]
struct OnOff {
    rate: Rate,
    on: Spans,
    off: Spans,
    is_on: bool,
}

impl Process {
    /// Creates the process that `model` describes, and its rate at the start of the run.
    pub fn new(model: &RateModel, mut draws: Stream) -> (Self, Rate) {
        let (law, rate, next) = match *model {
            RateModel::Constant(rate) => (Law::Constant, rate, Time::NEVER),
            RateModel::Steps(ref steps) => {
                let mut to_come: Vec<_> =
                    steps.iter().rev().map(|&(from, rate)| (Time::ZERO + from, rate)).collect();
                let (_, first) = to_come.pop().expect("a resolved rate has a first step");
                let next = to_come.last().map_or(Time::NEVER, |&(from, _)| from);
                (Law::Steps(to_come), first, next)
            }
            RateModel::Recording(ref recording) => {
                let next = time_of_change(recording, 1);
                (Law::Recording(recording.clone(), 0), recording.steps[0].1, next)
            }
            RateModel::Square { high, low, period, duty } => {
                let high_for = period.scaled(duty);
                let low_for = period.saturating_sub(high_for);
                if high_for == Span::ZERO {
                    (Law::Constant, low, Time::NEVER)
                } else if low_for == Span::ZERO {
                    (Law::Constant, high, Time::NEVER)
                } else {
                    let law = Law::Square { high, low, high_for, low_for, is_high: true };
                    (law, high, Time::ZERO + high_for)
                }
            }
            RateModel::Walk { start, step, minimum, maximum, interval } => {
                let (minimum, maximum) = (minimum.as_bps(), maximum.as_bps());
                let law = Law::Walk { step, minimum, maximum, interval };
                (law, start, Time::ZERO + interval)
            }
            RateModel::Uniform { minimum, maximum, interval } => {
                let (minimum, maximum) = (minimum.as_bps(), maximum.as_bps());
                let first = drawn_between(minimum, maximum, &mut draws);
                (Law::Uniform { minimum, maximum, interval }, first, Time::ZERO + interval)
            }
            RateModel::TokenBucket { .. } | RateModel::Trace(_) => unreachable!("no process of a rate"),
        };
        (Self { law, next, own: rate, made: Made::Itself, draws }, rate)
    }

    /// Returns the process of a source that leaves the rate `left` of `whole` to others, and its rate at the start of
    /// the run.
    pub fn leaving(whole: Rate, left: &RateModel, draws: Stream) -> (Self, Rate) {
        Self::made(Made::Rest(whole), left, draws)
    }

    /// Returns the process of one of several flows that together leave the rate `left` to others, and its rate at the
    /// start of the run.
    pub fn sharing(share: Share, left: &RateModel, draws: Stream) -> (Self, Rate) {
        Self::made(Made::Share(share), left, draws)
    }

    fn made(made: Made, of: &RateModel, draws: Stream) -> (Self, Rate) {
        let (process, rate) = Self::new(of, draws);
        (Self { made, ..process }, made.of(rate))
    }

    /// Returns a process that alternates between `rate` and zero, starting with `rate`; `on` and `off` are the
    /// distributions of the durations.
    pub fn on_off(rate: Rate, on: &Spans, off: &Spans, mut draws: Stream) -> (Self, Rate) {
        let next = Time::ZERO + on.sample(&mut draws);
        let law = Law::OnOff(Box::new(OnOff { rate, on: on.clone(), off: off.clone(), is_on: true }));
        (Self { law, next, own: rate, made: Made::Itself, draws }, rate)
    }

    /// Returns the time of the next rate change; `NEVER` if there is none.
    pub fn next_change(&self) -> Time {
        self.next
    }

    /// Performs the next change of the current rate `rate` and returns the new rate.
    pub fn advance(&mut self, rate: Rate) -> Rate {
        let before = if matches!(self.made, Made::Itself) { rate } else { self.own };
        self.own = self.follow(before);
        self.made.of(self.own)
    }

    /// The next rate of the law after `rate`.
    fn follow(&mut self, rate: Rate) -> Rate {
        let now = self.next;
        match &mut self.law {
            Law::Constant => rate,
            Law::Steps(to_come) => {
                let (_, rate) = to_come.pop().expect("a step was announced");
                self.next = to_come.last().map_or(Time::NEVER, |&(from, _)| from);
                rate
            }
            Law::Recording(recording, changes) => {
                *changes += 1;
                self.next = time_of_change(recording, *changes + 1);
                recording.steps[(*changes % recording.steps.len() as u64) as usize].1
            }
            Law::Square { high, low, high_for, low_for, is_high } => {
                *is_high = !*is_high;
                let (rate, length) = if *is_high { (*high, *high_for) } else { (*low, *low_for) };
                self.next = now + length;
                rate
            }
            Law::Walk { step, minimum, maximum, interval } => {
                self.next = now + *interval;
                stepped(rate.as_bps(), *step, *minimum, *maximum, &mut self.draws)
            }
            Law::OnOff(law) => {
                let OnOff { rate, on, off, is_on } = &mut **law;
                *is_on = !*is_on;
                let length = if *is_on { on } else { off };
                self.next = now + length.sample(&mut self.draws);
                if *is_on { *rate } else { Rate::ZERO }
            }
            Law::Uniform { minimum, maximum, interval } => {
                self.next = now + *interval;
                drawn_between(*minimum, *maximum, &mut self.draws)
            }
        }
    }
}

/// The time of change `number` of a recording, from 1; `NEVER` if there is none.
fn time_of_change(recording: &Recording, number: u64) -> Time {
    let steps = &recording.steps;
    let (turn, index) = (number / steps.len() as u64, (number % steps.len() as u64) as usize);
    match recording.period {
        Some(period) if steps.len() > 1 => Time::ZERO + (period * turn + steps[index].0),
        None if turn == 0 => Time::ZERO + steps[index].0,
        _ => Time::NEVER,
    }
}

/// A uniformly distributed integer rate from `minimum` to `maximum` bits per second.
fn drawn_between(minimum: u64, maximum: u64, draws: &mut Stream) -> Rate {
    Rate::from_bps(minimum + draws.up_to(maximum - minimum))
}

/// The rate after one step of a walk; uses one draw.
fn stepped(rate: u64, step: Step, minimum: u64, maximum: u64, draws: &mut Stream) -> Rate {
    let around = |step: Rate, draws: &mut Stream| {
        let step = step.as_bps();
        i128::from(rate) - i128::from(step) + i128::from(draws.up_to(2 * step))
    };
    let (low, high) = (i128::from(minimum), i128::from(maximum));
    let next = match step {
        Step::Fixed(step) => return fixed(rate, step.as_bps(), draws.uniform() < 0.5, minimum, maximum),
        Step::Mirrored(step) => {
            let next = around(step, draws);
            if next < low {
                2 * low - next
            } else if next > high {
                2 * high - next
            } else {
                next
            }
        }
        Step::Clipped(step) => around(step, draws),
        Step::Additive(step) => i128::from(draws.up_to(rate + step.as_bps())),
        Step::Multiplicative(factor) => i128::from(draws.up_to((rate as f64 * factor).round() as u64)),
    };
    Rate::from_bps(next.clamp(low, high) as u64)
}

/// The rate after a step up or down. A step across a bound is taken in the other direction; if neither fits, the rate
/// stays.
fn fixed(rate: u64, step: u64, up: bool, minimum: u64, maximum: u64) -> Rate {
    let above = rate.checked_add(step).filter(|&above| above <= maximum);
    let below = rate.checked_sub(step).filter(|&below| below >= minimum);
    let next = if up { above.or(below) } else { below.or(above) };
    Rate::from_bps(next.unwrap_or(rate))
}
