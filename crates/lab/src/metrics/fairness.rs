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

#[cfg(test)]
mod tests {
    use super::{jain, range};

    #[test]
    fn equal_shares_are_fair_and_a_single_winner_is_not() {
        assert!((jain(&[3.0, 3.0, 3.0]) - 1.0).abs() < 1e-12);
        assert!((jain(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
        assert!(range(&[3.0, 3.0]).abs() < 1e-12);
        assert!((range(&[1.0, 3.0]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_share_has_no_fairness() {
        assert!(jain(&[]).is_nan() && jain(&[0.0, 0.0]).is_nan() && range(&[0.0]).is_nan());
    }
}
