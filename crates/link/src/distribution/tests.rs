// SPDX-License-Identifier: Apache-2.0
//! Truth: pinned draws; moments and quantiles within four standard errors of their closed forms.

use super::{Component, Distribution, Sizes, Spans};
use narrows_engine::Stream;
use narrows_units::{Bytes, Span};

const DRAWS: u32 = 200_000;

fn stream() -> Stream {
    Stream::new(1, 0, "test")
}

fn draws(distribution: &Distribution) -> Vec<f64> {
    let mut stream = stream();
    (0..DRAWS).map(|_| distribution.sample(&mut stream)).collect()
}

/// One of every form with finite variance.
fn tame() -> Vec<Distribution> {
    let part = |class: &str, share, distribution| Component { class: class.into(), share, distribution };
    vec![
        Distribution::Uniform { minimum: 2.0, maximum: 5.0 },
        Distribution::Exponential { mean: 3.0 },
        Distribution::Pareto { minimum: 1.0, shape: 4.0, maximum: None },
        Distribution::Pareto { minimum: 1.0, shape: 1.2, maximum: Some(50.0) },
        Distribution::Pareto { minimum: 1.0, shape: 1.0, maximum: Some(50.0) },
        Distribution::LogNormal { median: 2.0, sigma: 0.7 },
        Distribution::BodyAndTail {
            median: 2.0,
            sigma: 1.0,
            tail: 0.1,
            minimum: 8.0,
            shape: 4.0,
            maximum: None,
        },
        Distribution::Empirical([(1.0, 0.25), (3.0, 0.75), (3.0, 0.9), (10.0, 1.0)].into()),
        Distribution::Mixture(
            [
                part("mice", 0.9, Distribution::Exponential { mean: 1.0 }),
                part("elephants", 0.1, Distribution::Uniform { minimum: 50.0, maximum: 150.0 }),
            ]
            .into(),
        ),
        Distribution::Normal { mean: 3.0, deviation: 1.0 },
        Distribution::Normal { mean: 1.0, deviation: 2.0 },
    ]
}

#[test]
fn draws_are_pinned() {
    let mut stream = stream();
    let found: Vec<f64> = tame().iter().map(|distribution| distribution.sample(&mut stream)).collect();
    assert_eq!(found, PINNED);
}

#[test]
fn the_mean_of_draws_is_the_mean() {
    for distribution in tame() {
        let draws = draws(&distribution);
        let n = f64::from(DRAWS);
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let error = (variance / n).sqrt();
        let expected = distribution.mean();
        assert!(
            (mean - expected).abs() < 4.0 * error,
            "{distribution:?}: {mean}, expected {expected} ± {error}"
        );
    }
}

#[test]
fn the_share_of_draws_below_a_quantile_is_its_share() {
    for distribution in tame() {
        if matches!(distribution, Distribution::Mixture(_)) {
            continue;
        }
        let draws = draws(&distribution);
        for share in [0.1, 0.5, 0.95, 0.99] {
            let quantile = distribution.quantile(share);
            let below = draws.iter().filter(|&&x| x < quantile).count() as f64 / f64::from(DRAWS);
            let upto = draws.iter().filter(|&&x| x <= quantile).count() as f64 / f64::from(DRAWS);
            // A step of the distribution holds more than one share.
            let error = 4.0 * (share * (1.0 - share) / f64::from(DRAWS)).sqrt();
            assert!(
                below - error < share && share < upto + error,
                "{distribution:?} at {share}: {below}..{upto}"
            );
        }
    }
}

#[test]
fn a_pareto_distribution_has_the_mean_it_was_asked_for() {
    for maximum in [None, Some(1e6), Some(1e12)] {
        let pareto = Distribution::pareto_of_mean(30e3, 1.2, maximum).expect("there is one");
        assert!((pareto.mean() / 30e3 - 1.0).abs() < 1e-9, "{pareto:?}");
    }
    let heavy = Distribution::pareto_of_mean(30e3, 0.8, Some(1e6)).expect("its maximum makes it finite");
    assert!((heavy.mean() / 30e3 - 1.0).abs() < 1e-9);
    assert_eq!(Distribution::pareto_of_mean(30e3, 1.0, None), None);
    assert_eq!(Distribution::pareto_of_mean(30e3, 1.2, Some(20e3)), None);
    let lognormal = Distribution::log_normal_of_mean(30e3, 1.5);
    assert!((lognormal.mean() / 30e3 - 1.0).abs() < 1e-12);
}

#[test]
fn bounds_hold() {
    let bounded = Distribution::Pareto { minimum: 1.0, shape: 0.5, maximum: Some(2.0) };
    assert!(draws(&bounded).iter().all(|x| (1.0..=2.0).contains(x)));
    let uniform = Distribution::Uniform { minimum: 1.0, maximum: 2.0 };
    assert!(draws(&uniform).iter().all(|x| (1.0..=2.0).contains(x)));
    let empirical = Distribution::Empirical([(1.0, 0.5), (2.0, 1.0)].into());
    let draws = draws(&empirical);
    assert!(draws.iter().all(|x| (1.0..=2.0).contains(x)));
    let first = draws.iter().filter(|&&x| x <= 1.0).count() as f64 / f64::from(DRAWS);
    assert!((first - 0.5).abs() < 4.0 * (0.25 / f64::from(DRAWS)).sqrt(), "{first}");
}

#[test]
fn the_tail_of_web_objects_holds_its_share_and_its_index() {
    // Barford and Crovella 1998, file sizes: body of mu 9.357 and sigma 1.318, 7% beyond 133 KB with index 1.1.
    let (minimum, shape) = (133_000.0, 1.1);
    let median = libm::exp(9.357);
    let web = Distribution::BodyAndTail { median, sigma: 1.318, tail: 0.07, minimum, shape, maximum: None };
    let draws = draws(&web);
    let beyond = |from: f64| draws.iter().filter(|&&x| x >= from).count() as f64 / f64::from(DRAWS);
    for factor in [1.0, 10.0] {
        let expected = 0.07 * libm::pow(factor, -shape);
        let error = (expected / f64::from(DRAWS)).sqrt();
        assert!((beyond(minimum * factor) - expected).abs() < 4.0 * error, "{factor}");
    }
}

#[test]
fn a_mixture_says_which_component_a_draw_is_of() {
    let is_mixture = |each: &Distribution| matches!(each, Distribution::Mixture(_));
    let mixture = tame().into_iter().find(is_mixture).expect("the list has a mixture");
    let (mut plain, mut labelled) = (stream(), stream());
    let mut elephants = 0;
    for _ in 0..DRAWS {
        let (class, value) = mixture.sample_class(&mut labelled);
        assert_eq!(value.to_bits(), mixture.sample(&mut plain).to_bits());
        assert!(class == 0 || value >= 50.0);
        elephants += class;
    }
    let share = elephants as f64 / f64::from(DRAWS);
    assert!((share - 0.1).abs() < 4.0 * (0.09 / f64::from(DRAWS)).sqrt(), "{share}");
}

#[test]
fn sizes_are_whole_bytes_and_spans_whole_picoseconds() {
    assert_eq!(Sizes(Distribution::Constant(1499.6)).sample(&mut stream()), Bytes::new(1500));
    assert_eq!(Sizes(Distribution::Constant(0.0)).sample(&mut stream()), Bytes::new(1));
    assert_eq!(Spans(Distribution::Constant(0.04)).sample(&mut stream()), Span::from_ms(40));
}

const PINNED: [f64; 11] = [
    4.214_721_920_008_145,
    0.079_104_732_910_965_13,
    1.360_316_685_462_950_5,
    1.320_619_931_045_899_3,
    2.660_152_007_552_824,
    6.778_285_831_519_951,
    2.232_967_906_800_118,
    1.299_826_418_696_203,
    3.644_595_813_797_503,
    2.082_838_656_966_300_7,
    0.0,
];
