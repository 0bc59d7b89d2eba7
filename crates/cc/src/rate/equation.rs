//! The throughput equation of TCP, by which TFRC sends (RFC 5348 §3.1; Padhye, Firoiu, Towsley and Kurose, SIGCOMM 1998).
//!
//! `X = 1 / (R sqrt(2 p/3) + 4 R min(1, 3 sqrt(3 p/8)) p (1 + 32 p²))` packets each second, with a packet for each
//! acknowledgement and a timeout of four round trips (RFC 5348 §3.1). Of the two published forms, RFC 5348 leaves out the
//! `min(1, ·)`, which matters where `p` exceeds 8/27.

/// The two published forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With `min(1, ·)` (Padhye et al. 1998, eq. 30).
    Bounded,
    /// Without (RFC 5348 §3.1).
    Simple,
}

/// Packets a second of a TCP flow that meets loss events at rate `p` (more than 0, at most 1) and whose round trip takes
/// `rtt` seconds.
pub fn throughput(p: f64, rtt: f64, form: Form) -> f64 {
    let timeouts = 3.0 * (3.0 * p / 8.0).sqrt();
    let timeouts = if form == Form::Bounded { timeouts.min(1.0) } else { timeouts };
    1.0 / (rtt * ((2.0 * p / 3.0).sqrt() + TIMEOUT_ROUNDS * timeouts * p * (1.0 + 32.0 * p * p)))
}

/// The rate of loss events at which [`throughput`] is `throughput` packets a second, from 10⁻¹² to 1.
pub fn loss_event_rate(throughput_wanted: f64, rtt: f64, form: Form) -> f64 {
    // The throughput falls as the loss rate rises: bisection over its logarithm, by square roots alone.
    let (mut low, mut high) = (RAREST, 1.0_f64);
    for _ in 0..STEPS {
        let middle = (low * high).sqrt();
        if throughput(middle, rtt, form) > throughput_wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// `t_RTO / R`.
const TIMEOUT_ROUNDS: f64 = 4.0;
/// Smallest rate of loss events that is told apart.
const RAREST: f64 = 1e-12;
/// Halvings of twelve decades: a relative error of 2⁻⁴⁰ and less.
const STEPS: u32 = 45;

#[cfg(test)]
mod tests {
    use super::{Form, loss_event_rate, throughput};

    /// Theory: where losses are rare the equation is the square-root law, `R X = sqrt(1.5 / p)`, within 1 %.
    #[test]
    fn rare_losses_leave_the_square_root_law() {
        let window = throughput(1e-5, 0.2, Form::Simple) * 0.2;
        assert!((window / (1.5e5_f64).sqrt() - 1.0).abs() < 0.01, "{window}");
    }

    /// Rule: the figures follow from the formula by hand. At p = 0.01 a round trip carries 1/(0.081650 + 0.0073714).
    #[test]
    fn a_loss_event_in_a_hundred_packets_gives_eleven_packets_a_round_trip() {
        for form in [Form::Bounded, Form::Simple] {
            assert!((throughput(0.01, 0.1, form) * 0.1 - 11.233).abs() < 1e-3);
        }
    }

    /// Rule: the bound on the timeout term matters beyond 8/27 and makes the flow faster.
    #[test]
    fn the_two_forms_part_at_eight_loss_events_in_twenty_seven_packets() {
        let both = |p| (throughput(p, 0.1, Form::Bounded), throughput(p, 0.1, Form::Simple));
        let (bounded, simple) = both(8.0 / 27.0 - 1e-6);
        assert!((bounded - simple).abs() < 1e-9);
        let (bounded, simple) = both(0.5);
        assert!(bounded > 1.2 * simple);
    }

    /// Property: the inverse is one.
    #[test]
    fn the_loss_rate_of_a_throughput_gives_that_throughput() {
        for p in [1e-9, 1e-4, 0.01, 0.3, 0.9] {
            let back = loss_event_rate(throughput(p, 0.05, Form::Simple), 0.05, Form::Simple);
            assert!((back / p - 1.0).abs() < 1e-9, "{p}: {back}");
        }
    }
}
