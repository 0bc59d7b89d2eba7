// SPDX-License-Identifier: Apache-2.0
//! Measures of equality of shares. Not a number if there are no shares.

use crate::Shares;

/// Returns Jain's index `(Σx)² / (n Σx²)`: 1 when all are equal, 1/n when one has everything (Jain, Chiu, Hawe,
/// DEC-TR-301, 1984).
pub(super) fn jain(shares: &Shares) -> f64 {
    index(shares.sum as f64, shares.squares as f64, shares.count as f64)
}

/// Returns Jain's index of `shares`, which may be in any unit: (Σx)² / (n Σx²).
pub fn jain_of(shares: &[f64]) -> f64 {
    let squares = shares.iter().map(|share| share * share).sum();
    index(shares.iter().sum(), squares, shares.len() as f64)
}

fn index(sum: f64, squares: f64, count: f64) -> f64 {
    sum * sum / (count * squares)
}

/// Returns the range measure `(max − min) / mean`: 0 when all are equal (Akella et al., CMU-CS-02-139, §3.1).
pub(super) fn range(shares: &Shares) -> f64 {
    if shares.sum == 0 {
        return f64::NAN;
    }
    (shares.most - shares.least) as f64 / mean(shares)
}

/// Returns the ratio of the smallest to the largest share: at least 1 − ε if the shares are ε-fair (RFC 5166 §2.3.1).
pub(super) fn min_max(shares: &Shares) -> f64 {
    if shares.sum == 0 {
        return f64::NAN;
    }
    shares.least as f64 / shares.most as f64
}

/// Returns the product of the shares, each over their mean: 1 when all are equal, 0 when one has nothing (RFC 5166
/// §2.3.1).
pub(super) fn product(shares: &Shares) -> f64 {
    if shares.sum == 0 {
        return f64::NAN;
    }
    if shares.least == 0 {
        return 0.0;
    }
    libm::exp(shares.count as f64 * (shares.mean_logarithm() - libm::log(mean(shares))))
}

fn mean(shares: &Shares) -> f64 {
    shares.sum as f64 / shares.count as f64
}

#[cfg(test)]
mod tests {
    //! Truth: theory. Against the formulas of the sources over plain lists, and in cases that can be done by hand.

    use super::{jain, min_max, product, range};
    use crate::Shares;
    use proptest::prelude::*;

    const INDICES: [fn(&Shares) -> f64; 4] = [jain, range, min_max, product];

    fn of(values: &[u64]) -> Shares {
        let mut shares = Shares::default();
        for value in values {
            shares.add(*value);
        }
        shares
    }

    #[test]
    fn equal_shares_are_fair_and_a_single_winner_is_not() {
        assert!((jain(&of(&[3, 3, 3])) - 1.0).abs() < 1e-12);
        assert!((jain(&of(&[1, 0, 0, 0])) - 0.25).abs() < 1e-12);
        assert!(range(&of(&[3, 3])).abs() < 1e-12);
        assert!((range(&of(&[1, 3])) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_smallest_share_and_the_product_show_that_one_is_left_with_little() {
        // Means 2: (1/2)(3/2) = 3/4.
        assert!((min_max(&of(&[1, 3])) - 1.0 / 3.0).abs() < 1e-12);
        assert!((product(&of(&[1, 3])) - 0.75).abs() < 1e-11);
        assert!(min_max(&of(&[0, 3])).abs() < 1e-12 && product(&of(&[0, 3])).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_share_has_no_fairness() {
        for index in INDICES {
            assert!(index(&of(&[])).is_nan() && index(&of(&[0])).is_nan() && index(&of(&[0, 0])).is_nan());
        }
    }

    fn near(got: f64, expected: f64) -> bool {
        (got - expected).abs() <= 1e-9 * expected.abs().max(1.0)
    }

    proptest! {
        #[test]
        fn the_indices_are_those_of_the_formulas(values in prop::collection::vec(1..1_000_000_000_000_u64, 1..20)) {
            let plain: Vec<f64> = values.iter().map(|value| *value as f64).collect();
            let (count, sum) = (plain.len() as f64, plain.iter().sum::<f64>());
            let squares: f64 = plain.iter().map(|value| value * value).sum();
            let least = plain.iter().copied().fold(f64::INFINITY, f64::min);
            let most = plain.iter().copied().fold(0.0, f64::max);
            let shares = of(&values);
            prop_assert!(near(jain(&shares), sum * sum / (count * squares)));
            prop_assert!(near(range(&shares), (most - least) / (sum / count)));
            prop_assert!(near(min_max(&shares), least / most));
            prop_assert!(near(product(&shares), plain.iter().map(|value| value / (sum / count)).product()));
            prop_assert!(jain(&shares) <= 1.0 + 1e-12 && jain(&shares) >= 1.0 / count - 1e-12);
        }

        /// Not only nearly: records have the same bits in whatever order connections end.
        #[test]
        fn neither_the_order_nor_a_partition_of_the_values_matters(
            values in prop::collection::vec(0..1_000_000_000_000_u64, 0..20),
            cut in 0_usize..20,
        ) {
            let (near, far) = values.split_at(cut.min(values.len()));
            let mut merged = of(far);
            merged.merge(&of(near));
            let mut reversed = values.clone();
            reversed.reverse();
            prop_assert_eq!(of(&values), merged);
            prop_assert_eq!(of(&values), of(&reversed));
        }

        #[test]
        fn no_index_depends_on_the_unit(values in prop::collection::vec(1..1_000_000_u64, 1..20), unit in 1..1_000_000_u64) {
            let scaled: Vec<u64> = values.iter().map(|value| value * unit).collect();
            for index in INDICES {
                prop_assert!(near(index(&of(&values)), index(&of(&scaled))));
            }
        }
    }
}
