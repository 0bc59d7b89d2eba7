// SPDX-License-Identifier: Apache-2.0
//! Contract: which spellings are accepted, their values, and why others are rejected.

use super::{Dimension, Problem, Quantity, UNITS, UnitError};
use crate::{Bytes, Rate, Span};
use proptest::prelude::*;

const ALL: &[Dimension] = &[
    Dimension::Rate,
    Dimension::Time,
    Dimension::Size,
    Dimension::Packets,
    Dimension::Bdp,
    Dimension::Fraction,
];

fn read(text: &str) -> Quantity {
    Quantity::parse(text, ALL).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn problem(text: &str) -> Problem {
    Quantity::parse(text, ALL).expect_err(text).problem
}

#[test]
fn rates_are_accepted_in_the_spellings_of_tc_and_ns3() {
    for text in
        ["10Mbps", "10 Mbps", "10Mbit", "10mbit", "10Mbit/s", "10Mb/s", "10000kbps", "0.01Gbps", "1e7bps"]
    {
        assert_eq!(read(text), Quantity::Rate(Rate::from_bps(10_000_000)), "{text}");
    }
    assert_eq!(read("1.5Kibit"), Quantity::Rate(Rate::from_bps(1536)));
}

#[test]
fn times_and_sizes_are_exact() {
    assert_eq!(read("40ms"), Quantity::Time(Span::from_ms(40)));
    assert_eq!(read("0.1us"), Quantity::Time(Span::from_ps(100_000)));
    assert_eq!(read("15.625\u{b5}s"), Quantity::Time(Span::from_ps(15_625_000)));
    assert_eq!(read("1.5min"), Quantity::Time(Span::from_ms(90_000)));
    assert_eq!(read("0.0000000000010s"), Quantity::Time(Span::from_ps(1)));
    assert_eq!(read("64KiB"), Quantity::Size(Bytes::new(65_536)));
    assert_eq!(read("1.5KiB"), Quantity::Size(Bytes::new(1536)));
    assert_eq!(read("1MB"), Quantity::Size(Bytes::new(1_000_000)));
}

#[test]
fn packets_products_and_percentages_may_be_fractional() {
    assert_eq!(read("15.62pkt"), Quantity::Packets(15.62));
    assert_eq!(read("1.5bdp"), Quantity::Bdp(1.5));
    // The nearest floating-point numbers, not quotients that were rounded twice.
    assert_eq!(read("0.1%"), Quantity::Fraction(0.001));
    assert_eq!(read("33.3%"), Quantity::Fraction(0.333));
}

#[test]
fn numbers_that_would_have_to_be_rounded_are_rejected() {
    assert_eq!(problem("0.1ps"), Problem::NotWhole { unit: "ps" });
    assert_eq!(problem("1.5B"), Problem::NotWhole { unit: "B" });
    assert_eq!(problem("0.3bps"), Problem::NotWhole { unit: "bps" });
    assert_eq!(problem("1e-99999s"), Problem::NotWhole { unit: "ps" });
}

#[test]
fn numbers_out_of_range_are_rejected() {
    assert_eq!(problem("1e30s"), Problem::TooLarge);
    assert_eq!(problem("20000000000000000000bps"), Problem::TooLarge);
    assert_eq!(problem("4000000000000000000B"), Problem::TooLarge);
    assert_eq!(problem("1e999pkt"), Problem::TooLarge);
    let long = format!("{}s", "9".repeat(60));
    assert_eq!(problem(&long), Problem::TooLarge);
}

#[test]
fn ambiguous_units_are_rejected_with_the_reason() {
    for unit in ["mbps", "MB/s", "MBps", "KiB/s", "Mb", "kb", "b", "M", "k"] {
        assert!(matches!(problem(&format!("10{unit}")), Problem::Ambiguous { .. }), "{unit}");
        assert!(UNITS.iter().all(|(known, ..)| *known != unit), "{unit}");
    }
}

#[test]
fn missing_numbers_missing_units_and_negative_numbers_have_errors_of_their_own() {
    for text in ["", "Mbps", ".", "..5s", "1.s", "+5s", "nan", "inf", "--1s", "\u{664}ms"] {
        assert_eq!(problem(text), Problem::NoNumber, "{text}");
    }
    for text in ["10", " 0.5 ", "-1", "1e3"] {
        assert_eq!(problem(text), Problem::NoUnit, "{text}");
    }
    assert_eq!(problem("-1ms"), Problem::Negative);
    assert_eq!(problem("5 potatoes"), Problem::UnknownUnit { unit: "potatoes".into() });
}

#[test]
fn an_error_describes_the_problem_the_permitted_units_and_a_remedy() {
    let error: UnitError = "20".parse::<Rate>().expect_err("no unit");
    assert_eq!(error.to_string(), "a number without a unit");
    assert!(error.allowed().starts_with("a rate (bps, kbps, Mbps, "));
    assert_eq!(error.hint().as_deref(), Some("write \"20Mbps\""));
    let error = "20".parse::<Span>().expect_err("no unit");
    assert_eq!(error.hint().as_deref(), Some("write \"20s\" or \"20ms\""));
    let error = "-3".parse::<Span>().expect_err("negative");
    assert_eq!(error.hint(), None, "a unit would not make it valid");
    let error = "20Mbps".parse::<Span>().expect_err("a rate");
    assert_eq!(error.to_string(), "wrong unit: this is a rate");
    let error = "20MS".parse::<Span>().expect_err("capitals");
    assert_eq!(error.hint().as_deref(), Some("did you mean `ms`?"));
    let error = "20ms".parse::<Bytes>().expect_err("a time");
    assert!(error.allowed().starts_with("a size"));
}

#[test]
fn values_are_printed_in_the_largest_unit_for_which_they_are_whole() {
    let shown = [
        (Rate::from_bps(20_000_000).to_string(), "20Mbps"),
        (Rate::from_bps(1_500_000).to_string(), "1500kbps"),
        (Rate::from_bps(1_234_567).to_string(), "1234567bps"),
        (Rate::ZERO.to_string(), "0bps"),
        (Span::from_ms(40).to_string(), "40ms"),
        (Span::from_ms(90_000).to_string(), "90s"),
        (Span::from_ps(1).to_string(), "1ps"),
        (Span::ZERO.to_string(), "0s"),
        (Bytes::new(1500).to_string(), "1500B"),
        (Bytes::new(2_000_000).to_string(), "2MB"),
    ];
    for (shown, expected) in shown {
        assert_eq!(shown, expected);
    }
}

proptest! {
    #[test]
    fn every_printed_quantity_parses_to_itself(value in 0..=u64::MAX / 8, real in 0.0..1e12) {
        let all = [
            Quantity::Rate(Rate::from_bps(value)),
            Quantity::Time(Span::from_ps(value)),
            Quantity::Size(Bytes::new(value)),
            Quantity::Packets(real),
            Quantity::Bdp(real),
        ];
        for quantity in all {
            prop_assert_eq!(Quantity::parse(&quantity.to_string(), ALL), Ok(quantity));
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,20}", number in "-?[0-9.]{0,30}([eE][-+]?[0-9]{1,12})?", unit in 0..UNITS.len()) {
        let _ = Quantity::parse(&text, ALL);
        let _ = Quantity::parse(&format!("{number}{}", UNITS[unit].0), ALL);
    }
}
