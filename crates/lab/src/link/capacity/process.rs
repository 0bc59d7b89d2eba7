//! A rate that changes: steps, a square wave, a random walk, uniform draws.

use crate::model::{RateModel, Step};
use crate::traffic::Spans;
use narrows_engine::Stream;
use narrows_units::{Rate, Span, Time};

/// When the rate changes next, and to what.
#[derive(Clone, Debug)]
pub(super) struct Process {
    law: Law,
    next: Time,
    /// The law's own rate, where another is made of it.
    own: Rate,
    made: Made,
    draws: Stream,
}

/// What becomes of the law's rate.
#[derive(Clone, Copy, Debug)]
enum Made {
    /// Nothing.
    Itself,
    /// What it leaves of this is the rate.
    Rest(Rate),
    /// It is left to others, of whom a flow among many of a kind is one more.
    Share(Share),
}

/// A flow of a group that takes its share of a whole, so that others have left what they are to have.
///
/// Source: A. Akella, S. Seshan, S. Shenker and I. Stoica, CMU-CS-02-139 (2002), §3.3: n (C − B) / B flows leave B of C
/// to n others. That each sends 5 % more than its share, so that it always takes it, is ours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub whole: Rate,
    /// How many others there are.
    pub others: u32,
    /// How many flows the group has.
    pub count: u32,
    /// Place of this one.
    pub place: u32,
}

impl Share {
    /// Its rate where `left` is left to the others.
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
    /// What is still to come, the next last.
    Steps(Vec<(Time, Rate)>),
    Square {
        high: Rate,
        low: Rate,
        high_for: Span,
        low_for: Span,
        /// The present part is the high one.
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

/// A rate that comes and goes.
#[derive(Clone, Debug)]
struct OnOff {
    rate: Rate,
    on: Spans,
    off: Spans,
    is_on: bool,
}

impl Process {
    /// The process that `model` describes, and its rate at the start of the run.
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
            RateModel::Trace(_) => unreachable!("a trace has opportunities, not a rate"),
        };
        (Self { law, next, own: rate, made: Made::Itself, draws }, rate)
    }

    /// The process that `left` leaves of `whole`.
    pub fn leaving(whole: Rate, left: &RateModel, draws: Stream) -> (Self, Rate) {
        Self::made(Made::Rest(whole), left, draws)
    }

    /// The process of a flow that leaves `left` to others together with its group.
    pub fn sharing(share: Share, left: &RateModel, draws: Stream) -> (Self, Rate) {
        Self::made(Made::Share(share), left, draws)
    }

    fn made(made: Made, of: &RateModel, draws: Stream) -> (Self, Rate) {
        let (process, rate) = Self::new(of, draws);
        (Self { made, ..process }, made.of(rate))
    }

    /// A rate that comes and goes, on from the start of the run.
    pub fn on_off(rate: Rate, on: &Spans, off: &Spans, mut draws: Stream) -> (Self, Rate) {
        let next = Time::ZERO + on.sample(&mut draws);
        let law = Law::OnOff(Box::new(OnOff { rate, on: on.clone(), off: off.clone(), is_on: true }));
        (Self { law, next, own: rate, made: Made::Itself, draws }, rate)
    }

    /// When the rate changes next.
    pub fn next_change(&self) -> Time {
        self.next
    }

    /// Makes the next change. What `rate` becomes.
    pub fn advance(&mut self, rate: Rate) -> Rate {
        let before = if matches!(self.made, Made::Itself) { rate } else { self.own };
        self.own = self.follow(before);
        self.made.of(self.own)
    }

    /// What the law makes of its `rate`.
    fn follow(&mut self, rate: Rate) -> Rate {
        let now = self.next;
        match &mut self.law {
            Law::Constant => rate,
            Law::Steps(to_come) => {
                let (_, rate) = to_come.pop().expect("a step was announced");
                self.next = to_come.last().map_or(Time::NEVER, |&(from, _)| from);
                rate
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

/// A whole number of bits per second from `minimum` to `maximum`, each as likely.
fn drawn_between(minimum: u64, maximum: u64, draws: &mut Stream) -> Rate {
    Rate::from_bps(minimum + draws.up_to(maximum - minimum))
}

/// One step of a walk; it takes one draw.
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

/// A step up or down. One that would cross a bound is taken the other way; where neither fits, none is taken.
fn fixed(rate: u64, step: u64, up: bool, minimum: u64, maximum: u64) -> Rate {
    let above = rate.checked_add(step).filter(|&above| above <= maximum);
    let below = rate.checked_sub(step).filter(|&below| below >= minimum);
    let next = if up { above.or(below) } else { below.or(above) };
    Rate::from_bps(next.unwrap_or(rate))
}
