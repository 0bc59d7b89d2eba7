// SPDX-License-Identifier: Apache-2.0
//! PCC Vivace (Dong, Meng, Zarchy, Arslan, Gilad, Godfrey and Schapira, "PCC Vivace: online-learning congestion control", NSDI
//! 2018): the rate follows the gradient of a utility that rewards rate and punishes losses and growing delay.
//!
//! * `U = r^0.9 − b r max(0, dRTT/dt) − c r L`, `r` in Mbps, `b` = 900, `c` = 11.35; a slope below 0.01 counts as 0. Where a share `L`
//!   is lost at every rate, it is greatest at `r = (0.9 / (c L))^10`.
//! * Each step is `θ m U'`: `m` is 1, 2, 3 at the first steps in a direction and `2 k − 3` at the `k`th; at most
//!   `ω = 0.05 + 0.1 j` of the rate, where `j` steps before were cut to it.

use super::pcc::{Measured, Pcc, Rule};
use crate::{CongestionControl, Dash, Entry, Hue, Needs, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values, Variable};

/// The utility and the steps of Vivace (Dong et al. 2018).
#[derive(Clone, Debug)]
pub struct Vivace {
    /// `b`.
    latency: f64,
    /// `c`.
    loss: f64,
    /// `θ`.
    conversion: f64,
    /// Steps in this direction, and how many of the last were cut to the bound.
    steps: u32,
    bounded: u32,
}

impl Rule for Vivace {
    fn utility(&self, measured: &Measured) -> f64 {
        let Measured { rate, loss, rtt_slope } = *measured;
        let slope = if rtt_slope < SLOPE_LEAST { 0.0 } else { rtt_slope };
        libm::pow(rate, EXPONENT) - self.latency * rate * slope - self.loss * rate * loss
    }

    fn probing_step(&self) -> f64 {
        PROBING_STEP
    }

    fn on_moving(&mut self) {
        (self.steps, self.bounded) = (0, 0);
    }

    fn change(&mut self, rate: f64, gradient: f64) -> f64 {
        self.steps = self.steps.saturating_add(1);
        let steps = f64::from(self.steps);
        let amplifier = if steps <= 3.0 { steps } else { 2.0 * steps - 3.0 };
        let wanted = self.conversion * amplifier * gradient.abs();
        let most = (BOUND + BOUND_STEP * f64::from(self.bounded)) * rate;
        self.bounded = if wanted > most { self.bounded.saturating_add(1) } else { 0 };
        wanted.min(most).max(CHANGE_LEAST * rate)
    }

    fn length(&self, _draw: f64) -> f64 {
        1.0
    }
}

/// Exponent of the rate.
const EXPONENT: f64 = 0.9;
/// Slope of the round-trip time below which it counts as constant.
const SLOPE_LEAST: f64 = 0.01;
/// `ε`.
const PROBING_STEP: f64 = 0.05;
/// `ω`: the largest share of the rate by which a step changes it, and what it grows by.
const BOUND: f64 = 0.05;
const BOUND_STEP: f64 = 0.1;
/// The smallest share of the rate by which a step changes it (the authors' code).
const CHANGE_LEAST: f64 = 0.01;

/// The card of `vivace`.
pub(crate) const VIVACE: Entry = Entry {
    card: Card {
        name: "vivace",
        family: "utility",
        summary: "PCC Vivace: its rate follows the gradient of a utility of rate, loss and growing delay",
        source: "Dong, Meng, Zarchy, Arslan, Gilad, Godfrey and Schapira, NSDI 2018",
        equations: &[
            "interval of a round trip at rate r, Mbps: U = r^0.9 - b r max(0, dRTT/dt) - c r L; a slope below 0.01 counts as 0",
            "starting: r doubles with each interval until U falls",
            "probing: r (1 + 0.05), r (1 - 0.05) twice, in an order that is drawn; moving if both pairs say the same",
            "moving: r = r + theta m dU/dr each interval until U falls, m = 1, 2, 3, 5, 7 ...; at most 0.05 + 0.1 j of r, at least 0.01",
        ],
        parameters: &[
            Parameter::number("b", "weight of the slope of the round-trip time", 900.0, 0.0..=1e6)
                .source("Dong et al. 2018 §3; 0 for Vivace-loss"),
            Parameter::number("c", "weight of the loss rate", 11.35, 0.0..=1e6).source("Dong et al. 2018 §3"),
            Parameter::number("theta", "step for a gradient of 1 per Mbps", 1.0, 0.001..=1_000.0)
                .unit("Mbps")
                .source("Dong et al. 2018 §4"),
        ],
        variables: VARIABLES,
        deviations: &[
            "probing and moving are the states of the authors' code (PCC-Uspace): pairs until two say the same, then one step for each interval until the utility falls",
            "the utility is computed from the target rate of an interval; an interval that sent less than four fifths of it, limited by application, receiver or window, is void: the rate returns to the last rate in use, and probing restarts",
            "an interval has at least ten packets, and packets of which nothing is known four round trips after it are lost",
            "the window is twice what the rate fills a smoothed round trip with, so that a sender without acknowledgements stops; the paper has no window",
            "the first rate is the initial window in the first round-trip time (the authors' code: 5 Mbps)",
            "marks are ignored",
            "the fate of every packet must be known: with a recovery that does not detect lost retransmissions, as in preset sack-2012, timeouts hide it",
            "where an interval has few packets, one loss more or less changes its utility by more than probing does: at random losses of some per cent the rate wanders, in place of the sharp limit of the closed form",
        ],
    },
    style: Some(Style(Hue::Green, Dash::Sparse)),
    needs: |_| NEEDS,
    build,
};

/// What algorithms that try rates need.
pub(super) const NEEDS: Needs = Needs { packets: true, ..Needs::RELIABLE };

/// Inner variables of algorithms that try rates.
pub(super) const VARIABLES: &[Variable] = &[
    Variable { name: "rate", unit: "Mbps", meaning: "the rate that is probed from, or that moves" },
    Variable { name: "utility", unit: "", meaning: "utility of the last interval whose result is known" },
];

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Vivace {
        latency: values.number("b"),
        loss: values.number("c"),
        conversion: values.number("theta"),
        steps: 0,
        bounded: 0,
    };
    Box::new(Pcc::new(rule, setup))
}

#[cfg(test)]
mod tests {
    use super::{Rule, Vivace};
    use crate::utility::pcc::Measured;

    const RULE: Vivace = Vivace { latency: 900.0, loss: 11.35, conversion: 1.0, steps: 0, bounded: 0 };

    fn utility(rate: f64, loss: f64, rtt_slope: f64) -> f64 {
        RULE.utility(&Measured { rate, loss, rtt_slope })
    }

    #[test]
    fn the_utility_is_greatest_at_the_rate_of_its_closed_form() {
        for loss in [0.05, 0.06, 0.08] {
            let best = libm::pow(0.9 / (11.35 * loss), 10.0);
            assert!(utility(best, loss, 0.0) > utility(0.97 * best, loss, 0.0));
            assert!(utility(best, loss, 0.0) > utility(1.03 * best, loss, 0.0));
        }
    }

    #[test]
    fn slopes_below_a_hundredth_count_as_none() {
        let plain = utility(10.0, 0.0, 0.0);
        for slope in [0.009, -1.0] {
            assert!((utility(10.0, 0.0, slope) - plain).abs() < 1e-12);
        }
        assert!((plain - utility(10.0, 0.0, 0.01) - 90.0).abs() < 1e-9);
    }

    #[test]
    fn steps_are_amplified_by_1_2_3_5_7_and_bounded() {
        let mut rule = RULE;
        rule.on_moving();
        let steps: Vec<f64> = (0..5).map(|_| rule.change(1e3, 10.0)).collect();
        assert_eq!(steps, [10.0, 20.0, 30.0, 50.0, 70.0_f64.min(50.0)]);
        let bounded: Vec<f64> = (0..3).map(|_| rule.change(100.0, 1e6)).collect();
        assert!(
            bounded.iter().zip([15.0, 25.0, 35.0]).all(|(step, known)| (step - known).abs() < 1e-9),
            "{bounded:?}"
        );
    }

    #[test]
    fn a_step_is_at_least_a_hundredth_of_the_rate() {
        assert!((RULE.clone().change(50.0, 1e-6) - 0.5).abs() < 1e-12);
    }
}
