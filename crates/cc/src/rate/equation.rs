// SPDX-License-Identifier: Apache-2.0
//! The TCP throughput equation, which gives TFRC's rate (RFC 5348 §3.1; Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998).
//!
//! `X = 1 / (R sqrt(2 p/3) + 4 R min(1, 3 sqrt(3 p/8)) p (1 + 32 p²))` packets per second, for one packet per
//! acknowledgement and a timeout of four round trips (RFC 5348 §3.1). RFC 5348 omits `min(1, ·)`, which makes a difference
//! for `p > 8/27`.

#[cfg(not(feature = "std"))]
use narrows_units::Float;

/// A published form of the throughput equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With the factor `min(1, ·)` (Padhye et al. 1998, eq. 30).
    Bounded,
    /// Without that factor (RFC 5348 §3.1).
    Simple,
}

/// Returns the throughput of a TCP flow in packets per second, at a loss event rate of `p` (above 0, at most 1) and a
/// round-trip time of `rtt` seconds.
pub fn throughput(p: f64, rtt: f64, form: Form) -> f64 {
    let timeouts = 3.0 * (3.0 * p / 8.0).sqrt();
    let timeouts = if form == Form::Bounded { timeouts.min(1.0) } else { timeouts };
    1.0 / (rtt * ((2.0 * p / 3.0).sqrt() + TIMEOUT_ROUNDS * timeouts * p * (1.0 + 32.0 * p * p)))
}

/// Returns the inverse of [`throughput`]: the loss event rate, from 10⁻¹² to 1, at which the throughput is `target`
/// packets per second at a round-trip time of `rtt` seconds.
pub fn loss_event_rate(target: f64, rtt: f64, form: Form) -> f64 {
    // The throughput falls with the loss event rate. Bisection on a logarithmic scale needs square roots only.
    let (mut low, mut high) = (LOSS_EVENT_RATE_MIN, 1.0_f64);
    for _ in 0..BISECTIONS {
        let middle = (low * high).sqrt();
        if throughput(middle, rtt, form) > target {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// `t_RTO / R`.
const TIMEOUT_ROUNDS: f64 = 4.0;
/// Smallest result of [`loss_event_rate`].
const LOSS_EVENT_RATE_MIN: f64 = 1e-12;
/// Bisections of twelve decades, for a relative error below 2⁻⁴⁰.
const BISECTIONS: u32 = 45;

#[cfg(test)]
mod tests {
    use super::{Form, loss_event_rate, throughput};

    /// Theory: for small `p` the equation approaches the square-root law, `R X = sqrt(1.5 / p)`, within 1 %.
    #[test]
    fn for_rare_losses_the_equation_is_the_square_root_law() {
        let window = throughput(1e-5, 0.2, Form::Simple) * 0.2;
        assert!((window / (1.5e5_f64).sqrt() - 1.0).abs() < 0.01, "{window}");
    }

    /// Rule: computed by hand from the formula, 1/(0.081650 + 0.0073714) packets per round trip at p = 0.01.
    #[test]
    fn a_loss_event_rate_of_one_percent_gives_eleven_packets_per_round_trip() {
        for form in [Form::Bounded, Form::Simple] {
            assert!((throughput(0.01, 0.1, form) * 0.1 - 11.233).abs() < 1e-3);
        }
    }

    /// Rule: above 8/27 the bound of the timeout term gives a higher throughput.
    #[test]
    fn the_two_forms_differ_above_a_loss_event_rate_of_8_27() {
        let both = |p| (throughput(p, 0.1, Form::Bounded), throughput(p, 0.1, Form::Simple));
        let (bounded, simple) = both(8.0 / 27.0 - 1e-6);
        assert!((bounded - simple).abs() < 1e-9);
        let (bounded, simple) = both(0.5);
        assert!(bounded > 1.2 * simple);
    }

    /// Property: `loss_event_rate` is the inverse of `throughput`.
    #[test]
    fn the_loss_event_rate_of_a_throughput_gives_that_throughput() {
        for p in [1e-9, 1e-4, 0.01, 0.3, 0.9] {
            let back = loss_event_rate(throughput(p, 0.05, Form::Simple), 0.05, Form::Simple);
            assert!((back / p - 1.0).abs() < 1e-9, "{p}: {back}");
        }
    }
}
