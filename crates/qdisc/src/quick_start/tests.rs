// SPDX-License-Identifier: Apache-2.0
//! Quick-Start's approvals against RFC 4782 and ns-2's account.

use super::{Approvals, Config, Encoding};
use narrows_units::{Rate, Span, Time};

const LINK: Rate = Rate::from_bps(1_000_000_000);

fn account(encoding: Encoding) -> Approvals {
    Approvals::new(&Config { threshold: 0.85, share: 0.85, interval: Span::from_ms(200), encoding })
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn same(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-6 * LINK.as_bps() as f64, "{got} is not {expected}");
}

#[test]
fn a_flow_that_asks_an_idle_link_for_all_gets_85_percent_and_the_second_within_two_intervals_nothing() {
    let mut account = account(Encoding::Exact);
    same(account.answer(1e9, LINK, at(100)), 850e6);
    same(account.answer(1e9, LINK, at(110)), 0.0);
    same(account.answer(1e9, LINK, at(399)), 0.0);
    same(account.answer(1e9, LINK, at(401)), 850e6);
}

#[test]
fn a_flow_that_asks_for_less_gets_that_and_leaves_the_rest() {
    let mut account = account(Encoding::Exact);
    same(account.answer(300e6, LINK, at(0)), 300e6);
    same(account.answer(300e6, LINK, at(0)), 300e6);
    same(account.answer(300e6, LINK, at(0)), 250e6);
}

#[test]
fn the_busiest_of_the_last_five_intervals_counts() {
    let mut account = account(Encoding::Exact);
    account.on_sent(Span::from_ms(120), at(50));
    // The present interval does not count yet.
    same(account.peak(), 0.0);
    same(account.answer(1e9, LINK, at(250)), 250e6);
    account.on_sent(Span::from_ms(20), at(450));
    same(account.answer(1e9, LINK, at(1199)), 250e6);
    // The first interval is forgotten, and a tenth is in use.
    same(account.answer(1e9, LINK, at(1600)), 850e6);
}

#[test]
fn nothing_is_approved_on_a_link_in_use_above_the_threshold() {
    let mut account = account(Encoding::Exact);
    account.on_sent(Span::from_ms(180), at(0));
    same(account.answer(1e3, LINK, at(250)), 0.0);
}

/// RFC 4782 §3.1: N from 1 to 15 stands for 80 kbps to 1.31 Gbps.
#[test]
fn four_bits_write_powers_of_two_and_rates_are_rounded_down() {
    let round = |rate| Encoding::Rfc4782.round_down(rate);
    same(round(79_999.0), 0.0);
    same(round(80_000.0), 80_000.0);
    same(round(159_999.0), 80_000.0);
    same(round(850e6), 655_360_000.0);
    same(round(1e12), 1_310_720_000.0);
    same(Encoding::Linear.round_down(850.05e6), 850e6);
    same(Encoding::Exact.round_down(850.05e6), 850.05e6);
}
