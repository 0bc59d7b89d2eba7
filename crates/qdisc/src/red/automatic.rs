//! What ns-2.35 chooses for a link whose RED is left to itself.
//!
//! Source: Floyd, Gummadi and Shenker, "Adaptive RED", 2001, §4; the bounds and the round-trip time as in ns-2.35.

use narrows_units::{Bytes, Rate, Span};

/// Settings that follow from a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Automatic {
    /// `min_th`, packets: half of what a wait of 5 ms holds, 5 at least.
    pub min: f64,
    /// `max_th`, packets: three times `min`.
    pub max: f64,
    /// `w_q`: the average forgets within ten round trips, taken as three times the link's delay, 100 ms at least.
    pub weight: f64,
}

impl Automatic {
    /// For a link of `rate` and propagation delay `delay` whose packets have the size `packet`.
    pub fn of_link(rate: Rate, delay: Span, packet: Bytes) -> Self {
        let per_second = rate.as_bytes_per_sec() / packet.count() as f64;
        let min = f64::max(5.0, TARGET_DELAY_S * per_second / 2.0);
        let round_trip_s = f64::max(0.1, 3.0 * (delay.as_secs_f64() + 1.0 / per_second));
        Self { min, max: 3.0 * min, weight: -libm::expm1(-1.0 / (10.0 * round_trip_s * per_second)) }
    }
}

const TARGET_DELAY_S: f64 = 0.005;

#[cfg(test)]
mod tests {
    //! Truth: rule, worked by hand.

    use super::Automatic;
    use narrows_units::{Bytes, Rate, Span};

    #[test]
    fn thresholds_and_weight_follow_from_the_link() {
        let of = |mbps: u64, ms: u64| {
            let rate = Rate::from_bps(mbps * 1_000_000);
            let found = Automatic::of_link(rate, Span::from_ms(ms), Bytes::new(1000));
            (found.min, found.max, found.weight)
        };
        // 12500 packets a second: 62.5 in 5 ms, 12500 in ten times 100 ms.
        let (min, max, weight) = of(100, 20);
        assert_eq!((min, max), (31.25, 93.75));
        assert!((weight - (1.0 - libm::exp(-8e-5))).abs() < 1e-15, "{weight}");
        // 125 packets a second: 3 × (92 + 8) ms.
        let (min, max, weight) = of(1, 92);
        assert_eq!((min, max), (5.0, 15.0));
        assert!((weight - (1.0 - libm::exp(-1.0 / 375.0))).abs() < 1e-12, "{weight}");
    }
}
