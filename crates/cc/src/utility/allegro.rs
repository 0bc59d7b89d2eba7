// SPDX-License-Identifier: Apache-2.0
//! PCC Allegro (Dong, Li, Zarchy, Godfrey and Schapira, "PCC: re-architecting congestion control for consistent high performance",
//! NSDI 2015): the rate follows a utility that rewards throughput and punishes losses, above all those of more than 5 %.
//!
//! * `U = T S(L − 0.05) − r L` with `T = r (1 − L)` and `S(y) = 1 / (1 + exp(α y))`, `α` = 100.
//! * Probing departs from the rate by `ε` = 0.01, and by 0.01 more, up to 0.05, each time that its pairs disagree.
//! * The `n`th step changes the rate by `0.01 n` of it.

use super::pcc::{Measured, Pcc, Rule};
use super::vivace::{NEEDS, VARIABLES};
use crate::{CongestionControl, Dash, Entry, Hue, Setup, Style};
use alloc::boxed::Box;
use narrows_card::{Card, Parameter, Values};

/// The utility and the steps of Allegro (Dong et al. 2015).
#[derive(Clone, Debug)]
pub struct Allegro {
    /// `α`.
    steepness: f64,
    /// Loss rate above which the utility collapses.
    tolerance: f64,
    /// `ε`.
    probing_step: f64,
    /// Steps of this movement.
    steps: u32,
}

impl Rule for Allegro {
    fn utility(&self, measured: &Measured) -> f64 {
        let Measured { rate, loss, .. } = *measured;
        let sigmoid = 1.0 / (1.0 + libm::exp(self.steepness * (loss - self.tolerance)));
        rate * (1.0 - loss) * sigmoid - rate * loss
    }

    fn probing_step(&self) -> f64 {
        self.probing_step
    }

    fn on_disagreement(&mut self) {
        self.probing_step = (self.probing_step + STEP).min(PROBING_STEP_MOST);
    }

    fn on_moving(&mut self) {
        (self.probing_step, self.steps) = (STEP, 0);
    }

    fn change(&mut self, rate: f64, _gradient: f64) -> f64 {
        self.steps = self.steps.saturating_add(1);
        // A step downwards leaves at least half.
        rate * (STEP * f64::from(self.steps)).min(0.5)
    }

    fn length(&self, draw: f64) -> f64 {
        LENGTH_LEAST + (LENGTH_MOST - LENGTH_LEAST) * draw
    }
}

/// The smallest `ε`, what it grows by, and what the steps of a movement grow by.
const STEP: f64 = 0.01;
/// The largest `ε`.
const PROBING_STEP_MOST: f64 = 0.05;
/// Shortest and longest interval, round trips.
const LENGTH_LEAST: f64 = 1.7;
const LENGTH_MOST: f64 = 2.2;

/// The card of `allegro`.
pub(crate) const ALLEGRO: Entry = Entry {
    card: Card {
        name: "allegro",
        family: "utility",
        summary: "PCC Allegro: its rate follows a utility of throughput and loss, which collapses above a loss rate of 5 %",
        source: "Dong, Li, Zarchy, Godfrey and Schapira, NSDI 2015",
        equations: &[
            "interval of 1.7 to 2.2 round trips at rate r: U = r (1 - L) / (1 + exp(alpha (L - tolerance))) - r L",
            "starting: r doubles with each interval until U falls",
            "probing: r (1 + e), r (1 - e) twice, in an order that is drawn, e = 0.01, then 0.01 more up to 0.05; moving if both pairs say the same",
            "moving: the n-th step is 0.01 n of r, until U falls",
        ],
        parameters: &[
            Parameter::number("alpha", "steepness of the collapse", 100.0, 0.0..=10_000.0)
                .source("Dong et al. 2015 §2.2"),
            Parameter::number("tolerance", "loss rate at which the utility collapses", 0.05, 0.0..=1.0)
                .source("Dong et al. 2015 §2.2"),
        ],
        variables: VARIABLES,
        deviations: &[
            "two pairs in a probing, as in the paper; an interval that sent less than four fifths of the data that its rate allows, limited by application, receiver or window, is void: the rate returns to the last rate in use, and probing restarts",
            "the steps go on while results are on their way, one for each interval, and a fall of the utility takes the rate back to the last that is known to be better",
            "a step downwards is at most half of the rate",
            "an interval has at least ten packets, and packets of which nothing is known four round trips after it are lost",
            "the window is twice what the rate fills a smoothed round trip with, so that a sender without acknowledgements stops; the paper has no window",
            "the first rate is the initial window in the first round-trip time (the paper: two packets)",
            "marks are ignored",
            "the fate of every packet must be known: with a recovery that does not detect lost retransmissions, as in preset sack-2012, timeouts hide it, and a third of the packets may be lost before the rate falls",
        ],
    },
    style: Some(Style(Hue::Purple, Dash::Sparse)),
    needs: |_| NEEDS,
    build,
};

fn build(values: &Values, setup: &Setup) -> Box<dyn CongestionControl> {
    let rule = Allegro {
        steepness: values.number("alpha"),
        tolerance: values.number("tolerance"),
        probing_step: STEP,
        steps: 0,
    };
    Box::new(Pcc::new(rule, setup))
}

#[cfg(test)]
mod tests {
    use super::{Allegro, Rule};
    use crate::utility::pcc::Measured;

    const RULE: Allegro = Allegro { steepness: 100.0, tolerance: 0.05, probing_step: 0.01, steps: 0 };

    #[test]
    fn the_utility_grows_with_the_rate_below_the_tolerance_and_falls_above() {
        let utility = |rate, loss| RULE.utility(&Measured { rate, loss, rtt_slope: 0.0 });
        assert!(utility(11.0, 0.04) > utility(10.0, 0.04));
        assert!(utility(11.0, 0.1) < utility(10.0, 0.1));
        // At the tolerance the sigmoid is a half.
        assert!((utility(10.0, 0.05) - (10.0 * 0.95 * 0.5 - 0.5)).abs() < 1e-12);
    }

    #[test]
    fn the_nth_step_is_n_hundredths_and_probing_widens_up_to_five() {
        let mut rule = RULE;
        let steps: Vec<f64> = (0..3).map(|_| rule.change(100.0, 0.0)).collect();
        assert!(
            steps.iter().zip([1.0, 2.0, 3.0]).all(|(step, known)| (step - known).abs() < 1e-9),
            "{steps:?}"
        );
        (0..9).for_each(|_| rule.on_disagreement());
        assert!((rule.probing_step() - 0.05).abs() < 1e-12);
        rule.on_moving();
        assert!((rule.probing_step() - 0.01).abs() < 1e-12);
    }
}
