// SPDX-License-Identifier: Apache-2.0
//! The normal distribution and its inverse.
//!
//! Source: Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37(3),
//! 1988, routine PPND16: rational approximations of a relative accuracy of about 10⁻¹⁶.

#![expect(clippy::excessive_precision, reason = "the coefficients stand as they are published")]

/// Returns Φ(z): the probability that a standard normal variable is below `z`.
pub(crate) fn share_below(z: f64) -> f64 {
    0.5 * libm::erfc(-z * core::f64::consts::FRAC_1_SQRT_2)
}

/// Returns the density of the standard normal distribution at `z`.
pub(crate) fn density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / libm::sqrt(2.0 * core::f64::consts::PI)
}

/// Returns Φ⁻¹(share): the quantile of the standard normal distribution, for a share in (0, 1).
pub(crate) fn quantile(share: f64) -> f64 {
    let centred = share - 0.5;
    if centred.abs() <= 0.425 {
        let r = 0.180_625 - centred * centred;
        return centred * polynomial(&CENTRE.0, r) / polynomial(&CENTRE.1, r);
    }
    let tail = if centred < 0.0 { share } else { 1.0 - share };
    let r = libm::sqrt(-libm::log(tail));
    let ((above, below), r) = if r <= 5.0 { (&NEAR, r - 1.6) } else { (&FAR, r - 5.0) };
    let distance = polynomial(above, r) / polynomial(below, r);
    if centred < 0.0 { -distance } else { distance }
}

/// The polynomial with these coefficients, the highest power's first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// A rational function: the polynomials above and below its line.
type Rational = ([f64; 8], [f64; 8]);

/// Shares within 0.425 of one half.
const CENTRE: Rational = (
    [
        2.509_080_928_730_122_672_7e3,
        3.343_057_558_358_812_810_5e4,
        6.726_577_092_700_870_085_3e4,
        4.592_195_393_154_987_145_7e4,
        1.373_169_376_550_946_112_5e4,
        1.971_590_950_306_551_442_7e3,
        1.331_416_678_917_843_774_5e2,
        3.387_132_872_796_366_608,
    ],
    [
        5.226_495_278_852_545_925e3,
        2.872_908_573_572_194_267_4e4,
        3.930_789_580_009_271_061e4,
        2.121_379_430_158_659_586_7e4,
        5.394_196_021_424_751_107_7e3,
        6.871_870_074_920_579_083e2,
        4.231_333_070_160_091_125_2e1,
        1.0,
    ],
);

/// Tails down to e⁻²⁵.
const NEAR: Rational = (
    [
        7.745_450_142_783_414_076_4e-4,
        2.272_384_498_926_918_458_33e-2,
        2.417_807_251_774_506_117_7e-1,
        1.270_458_252_452_368_382_58,
        3.647_848_324_763_204_605_04,
        5.769_497_221_460_691_405_5,
        4.630_337_846_156_545_295_9,
        1.423_437_110_749_683_577_34,
    ],
    [
        1.050_750_071_644_416_843_24e-9,
        5.475_938_084_995_344_946e-4,
        1.519_866_656_361_645_719_66e-2,
        1.481_039_764_274_800_745_9e-1,
        6.897_673_349_851_000_045_5e-1,
        1.676_384_830_183_803_849_4,
        2.053_191_626_637_758_821_87,
        1.0,
    ],
);

/// Tails beyond.
const FAR: Rational = (
    [
        2.010_334_399_292_288_132_65e-7,
        2.711_555_568_743_487_578_15e-5,
        1.242_660_947_388_078_438_6e-3,
        2.653_218_952_657_612_309_3e-2,
        2.965_605_718_285_048_912_3e-1,
        1.784_826_539_917_291_335_8,
        5.463_784_911_164_114_369_9,
        6.657_904_643_501_103_777_2,
    ],
    [
        2.044_263_103_389_939_785_64e-15,
        1.421_511_758_316_445_888_7e-7,
        1.846_318_317_510_054_681_8e-5,
        7.868_691_311_456_132_591e-4,
        1.487_536_129_085_061_485_25e-2,
        1.369_298_809_227_358_053_1e-1,
        5.998_322_065_558_879_376_9e-1,
        1.0,
    ],
);

#[cfg(test)]
mod tests {
    //! Truth: tabulated quantiles, and that the two functions undo each other.

    use super::{quantile, share_below};

    #[test]
    fn quantiles_are_those_of_the_tables() {
        // Abramowitz and Stegun, table 26.5; the last two are the check values of AS 241.
        let known = [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196_081_7),
            (0.975, 1.959_963_984_540_054),
            (0.999, 3.090_232_306_167_813_5),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_408),
        ];
        for (share, z) in known {
            assert!((quantile(share) - z).abs() < 1e-13, "{share}: {}", quantile(share));
        }
    }

    #[test]
    fn the_share_below_a_quantile_is_the_share() {
        for exponent in 1..50 {
            let share = 1.0 / (1_u64 << exponent) as f64;
            assert!((share_below(quantile(share)) / share - 1.0).abs() < 1e-12, "2^-{exponent}");
        }
    }
}
