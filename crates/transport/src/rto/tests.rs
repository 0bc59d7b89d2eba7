// SPDX-License-Identifier: Apache-2.0
//! Rules of RFC 6298 §2 and §5, one test each.

use super::RetransmissionTimer;
use crate::{RtoRestart, RtoRule, TransportOptions};
use narrows_units::{Span, Time};

/// With a timeout of 1 s before the first sample, of 300 ms after a first sample of 100 ms.
fn timer() -> RetransmissionTimer {
    RetransmissionTimer::new(&TransportOptions::default())
}

/// A timer that has taken one sample of 100 ms, at that time.
fn sampled() -> RetransmissionTimer {
    let mut timer = timer();
    timer.on_rtt_sample(Span::from_ms(100), at(100));
    timer
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

#[test]
fn rule_2_1_without_a_sample_the_timeout_is_the_initial_one() {
    assert_eq!(timer().rto(), Span::from_ms(1_000));
}

#[test]
fn rule_2_3_the_timeout_is_srtt_and_four_rttvar_with_a_granularity_of_10_ms() {
    let mut timer = RetransmissionTimer::new(&TransportOptions { min_rto: Span::ZERO, ..<_>::default() });
    timer.on_rtt_sample(Span::from_ms(100), at(100));
    assert_eq!(timer.rto(), Span::from_ms(300));
    (2..200).for_each(|n| timer.on_rtt_sample(Span::from_ms(100), at(100 * n)));
    assert_eq!(timer.rto(), Span::from_ms(110));
}

#[test]
fn rule_2_4_the_minimum_bounds_the_sum_but_by_the_rule_of_linux_the_variation() {
    for (rto, expected) in [(RtoRule::Rfc6298, 200), (RtoRule::Linux, 240)] {
        let mut timer = RetransmissionTimer::new(&TransportOptions { rto, ..<_>::default() });
        (1..200).for_each(|n| timer.on_rtt_sample(Span::from_ms(40), at(40 * n)));
        assert!((timer.rto().as_secs_f64() - f64::from(expected) * 1e-3).abs() < 1e-9, "{rto:?}: {timer:?}");
    }
}

#[test]
fn rule_2_5_the_maximum_bounds_the_timeout_before_and_after_back_off() {
    let options = TransportOptions { max_rto: Span::from_ms(700), ..<_>::default() };
    let mut timer = RetransmissionTimer::new(&options);
    assert_eq!(timer.rto(), Span::from_ms(700));
    timer.on_rtt_sample(Span::from_ms(100), at(100));
    (0..40).for_each(|n| timer.on_expired(at(1_000 * n)));
    assert_eq!(timer.rto(), Span::from_ms(700));
}

#[test]
fn rule_5_1_sending_starts_the_timer_unless_it_runs() {
    let mut timer = sampled();
    assert_eq!(timer.deadline(), Time::NEVER);
    timer.on_sent(at(150));
    assert_eq!(timer.deadline(), at(450));
    timer.on_sent(at(200));
    assert_eq!(timer.deadline(), at(450));
}

/// RFC 6675 §6.
#[test]
fn sending_the_head_again_restarts_the_timer_only_where_the_option_says_so() {
    for (rto_restart, expected) in [(RtoRestart::Ack, 450), (RtoRestart::Head, 500)] {
        let mut timer = RetransmissionTimer::new(&TransportOptions { rto_restart, ..<_>::default() });
        timer.on_rtt_sample(Span::from_ms(100), at(100));
        timer.on_sent(at(150));
        timer.on_head_sent_again(at(200));
        assert_eq!(timer.deadline(), at(expected), "{rto_restart:?}");
    }
}

/// RFC 6675 §6, as far as Linux takes it.
#[test]
fn a_sack_of_data_sent_before_the_head_restarts_a_running_timer_only_where_the_option_says_so() {
    for (rto_restart, expected) in [(RtoRestart::Ack, 450), (RtoRestart::Head, 550)] {
        let mut timer = RetransmissionTimer::new(&TransportOptions { rto_restart, ..<_>::default() });
        timer.on_rtt_sample(Span::from_ms(100), at(100));
        timer.on_sack_of_earlier(at(120));
        assert_eq!(timer.deadline(), Time::NEVER);
        timer.on_sent(at(150));
        timer.on_sack_of_earlier(at(250));
        assert_eq!(timer.deadline(), at(expected), "{rto_restart:?}");
    }
}

#[test]
fn rule_5_2_the_timer_stops_once_nothing_is_outstanding() {
    let mut timer = sampled();
    timer.on_sent(at(150));
    timer.on_cumulative_ack(0, false, at(250));
    assert_eq!(timer.deadline(), Time::NEVER);
}

#[test]
fn rule_5_3_an_ack_of_new_data_restarts_the_timer() {
    let mut timer = sampled();
    timer.on_sent(at(150));
    timer.on_cumulative_ack(3, false, at(250));
    assert_eq!(timer.deadline(), at(550));
}

/// RFC 6582 §3.2, step 3.
#[test]
fn a_second_partial_ack_leaves_the_timer_running() {
    let mut timer = sampled();
    timer.on_sent(at(150));
    timer.on_cumulative_ack(3, true, at(250));
    assert_eq!(timer.deadline(), at(450));
}

/// §5.4 itself, the retransmission of the earliest segment, is the sender's: `tests/recovery.rs`.
#[test]
fn rule_5_4_each_expiration_counts_until_new_data_is_acknowledged() {
    let mut timer = sampled();
    timer.on_sent(at(150));
    timer.on_expired(at(450));
    timer.on_expired(at(1_050));
    assert_eq!(timer.expirations(), 2);
    timer.on_cumulative_ack(1, false, at(1_100));
    assert_eq!(timer.expirations(), 0);
}

#[test]
fn rule_5_5_each_expiration_doubles_the_timeout() {
    let mut timer = sampled();
    let timeouts = [450, 1_050, 2_250].map(|ms| {
        timer.on_expired(at(ms));
        timer.rto()
    });
    assert_eq!(timeouts, [600, 1_200, 2_400].map(Span::from_ms));
    (0..40).for_each(|_| timer.on_expired(at(5_000)));
    assert_eq!(timer.rto(), Span::from_ms(60_000));
}

/// §5, after rule 5.7.
#[test]
fn a_fresh_sample_ends_the_back_off_even_if_it_does_not_enter_the_averages() {
    let mut timer = sampled();
    timer.on_expired(at(120));
    timer.on_rtt_sample(Span::from_ms(180), at(190));
    assert_eq!(timer.rto(), Span::from_ms(300));
    timer.on_expired(at(400));
    timer.on_rtt_sample(Span::from_ms(100), at(700));
    assert!(timer.rto() < Span::from_ms(300));
}

#[test]
fn rule_5_6_an_expiration_restarts_the_timer_with_the_new_timeout() {
    let mut timer = sampled();
    timer.on_sent(at(150));
    timer.on_expired(at(450));
    assert_eq!(timer.deadline(), at(450 + 600));
}

#[test]
fn rule_5_7_after_a_lost_syn_data_starts_with_a_timeout_of_three_seconds() {
    let mut timer = timer();
    timer.on_sent(at(0));
    timer.on_expired(at(1_000));
    assert_eq!(timer.deadline(), at(3_000));
    timer.on_syn_acknowledged();
    assert_eq!((timer.deadline(), timer.expirations()), (Time::NEVER, 0));
    timer.on_sent(at(1_100));
    assert_eq!(timer.deadline(), at(4_100));
}

#[test]
fn a_syn_that_was_sent_once_leaves_the_initial_timeout() {
    let mut timer = timer();
    timer.on_sent(at(0));
    timer.on_syn_acknowledged();
    assert_eq!((timer.deadline(), timer.rto()), (Time::NEVER, Span::from_ms(1_000)));
}

#[test]
fn a_fast_retransmission_and_a_probe_get_a_full_timeout() {
    for restart in [RetransmissionTimer::on_fast_retransmit, RetransmissionTimer::on_probe_sent] {
        let mut timer = sampled();
        timer.on_sent(at(150));
        restart(&mut timer, at(300));
        assert_eq!(timer.deadline(), at(600));
    }
}
