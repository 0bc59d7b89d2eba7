//! How evenly something is shared.

/// Jain's index `(Σx)² / (n Σx²)`: 1 when all are equal, 1/n when one has everything (Jain, Chiu, Hawe, DEC-TR-301,
/// 1984). Not a number where there is nothing to share.
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    sum * sum / (shares.len() as f64 * squares)
}

/// The range measure `(max − min) / mean`: 0 when all are equal (Akella et al., CMU-CS-02-139, §3.1). Not a number
/// where there is nothing to share.
pub fn range(shares: &[f64]) -> f64 {
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    (most - least) / mean
}

/// Smallest over largest share: at least 1 − ε where the shares are ε-fair (RFC 5166 §2.3.1). Not a number where there is
/// nothing to share.
pub fn min_max(shares: &[f64]) -> f64 {
    let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    shares.iter().copied().fold(f64::INFINITY, f64::min) / most
}

/// The product of the shares, each over their mean: 1 when all are equal, 0 when one has nothing (RFC 5166 §2.3.1). Not a
/// number where there is nothing to share.
pub fn product(shares: &[f64]) -> f64 {
    if shares.is_empty() {
        return f64::NAN;
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    shares.iter().map(|share| share / mean).product()
}

#[cfg(test)]
mod tests {
    use super::{jain, min_max, product, range};
    use proptest::prelude::*;

    #[test]
    fn equal_shares_are_fair_and_a_single_winner_is_not() {
        assert!((jain(&[3.0, 3.0, 3.0]) - 1.0).abs() < 1e-12);
        assert!((jain(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
        assert!(range(&[3.0, 3.0]).abs() < 1e-12);
        assert!((range(&[1.0, 3.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_smallest_share_and_the_product_tell_who_is_left_with_little() {
        // Means 2: (1/2)(3/2) = 3/4.
        assert!(
            (min_max(&[1.0, 3.0]) - 1.0 / 3.0).abs() < 1e-12 && (product(&[1.0, 3.0]) - 0.75).abs() < 1e-12
        );
        assert!(min_max(&[0.0, 3.0]).abs() < 1e-12 && product(&[0.0, 3.0]).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn no_index_knows_the_unit_or_the_order_of_the_shares(
            mut shares in prop::collection::vec(0.001..1e3, 1..20),
            unit in 1e-3..1e6,
        ) {
            for index in [jain, range, min_max, product] {
                let (before, scaled) =
                    (index(&shares), index(&shares.iter().map(|share| share * unit).collect::<Vec<f64>>()));
                prop_assert!((before - scaled).abs() <= 1e-9 * before.abs().max(1.0));
                shares.reverse();
                prop_assert!((before - index(&shares)).abs() <= 1e-9 * before.abs().max(1.0));
            }
            let index = jain(&shares);
            prop_assert!(index <= 1.0 + 1e-12 && index >= 1.0 / shares.len() as f64 - 1e-12);
            prop_assert!(product(&shares) <= 1.0 + 1e-9 && min_max(&shares) <= 1.0);
        }
    }

    #[test]
    fn nothing_to_share_has_no_fairness() {
        assert!(
            jain(&[]).is_nan()
                && product(&[]).is_nan()
                && min_max(&[0.0]).is_nan()
                && jain(&[0.0, 0.0]).is_nan()
                && range(&[0.0]).is_nan()
        );
    }
}
