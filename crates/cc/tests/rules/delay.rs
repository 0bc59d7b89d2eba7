// SPDX-License-Identifier: Apache-2.0
//! Vegas, Compound TCP, FAST and FAST-AT.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::{Span, Time};

/// A flow with a minimum round-trip time of 100 ms, at the start of a round.
fn flow(name: &str, window: f64) -> Flow {
    started(Flow::avoiding(name, window))
}

fn started(mut flow: Flow) -> Flow {
    flow.acked(0);
    flow.path.round += 1;
    flow.acked(0);
    flow
}

/// A round of `packets` packets with a round-trip time of `rtt`, acknowledged in four parts, the last of which ends the
/// round.
fn round(flow: &mut Flow, packets: u64, rtt: Span) {
    for part in 0..4 {
        if part == 3 {
            flow.path.round += 1;
        }
        let now = packets / 4 + if part == 3 { packets % 4 } else { 0 };
        flow.acked_after(now, rtt);
    }
}

/// The change of Vegas's window of 100 packets after a round with `queued` packets in the queue.
fn vegas_step(queued: f64) -> f64 {
    let mut flow = flow("vegas", 100.0);
    let before = flow.window();
    round(&mut flow, 100, Span::from_ms(100).scaled(100.0 / (100.0 - queued)));
    flow.window() - before
}

#[test]
fn vegas_keeps_two_to_four_packets_in_the_queue() {
    same(vegas_step(0.0), 1.0);
    same(vegas_step(1.9), 1.0);
    same(vegas_step(2.1), 0.0);
    same(vegas_step(3.9), 0.0);
    same(vegas_step(4.1), -1.0);
}

/// As in ns-2, the packet of an increase is spread over the round after the estimate, so the second of two equal rounds shows it.
#[test]
fn vegas_of_ns_2_rounds_to_whole_packets_and_reduces_by_a_quarter() {
    let name = "vegas(alpha=1, beta=3, ns2=true)";
    let second = |rtt: f64| {
        let mut flow = flow(name, 100.0);
        round(&mut flow, 100, Span::from_ms(100).scaled(rtt));
        let before = flow.window();
        round(&mut flow, 100, Span::from_ms(100).scaled(rtt));
        flow.window() - before
    };
    assert!((0.95..1.05).contains(&second(1.002)));
    same(second(1.016), 0.0);
    same(second(1.034), 0.0);
    same(second(1.038), -1.0);
    let mut lossy = flow(name, 100.0);
    lossy.lost(Cause::Detected);
    same(lossy.window(), 75.0);
}

/// The minimum of the round says that nothing waits, and the mean that 9 of 100 packets do.
#[test]
fn vegas_of_ns_2_uses_the_mean_of_the_round() {
    let mut flow = flow("vegas(alpha=1, beta=3, ns2=true)", 100.0);
    for rtt in [100, 100, 100] {
        flow.acked_after(25, Span::from_ms(rtt));
    }
    let before = flow.window();
    flow.path.round += 1;
    flow.acked_after(25, Span::from_ms(140));
    same(flow.window(), before - 1.0);
}

#[test]
fn a_decrease_of_vegas_stays_in_congestion_avoidance() {
    let setup = SETUP.initial_window(100.0).initial_ssthresh(100.0);
    let mut flow = started(Flow::new("vegas", setup));
    round(&mut flow, 100, Span::from_ms(120));
    same(flow.window(), 99.0);
    same(flow.ssthresh(), 99.0);
    round(&mut flow, 99, Span::from_ms(120));
    same(flow.window(), 98.0);
}

#[test]
fn vegas_with_two_samples_in_a_round_grows_as_reno() {
    let mut flow = flow("vegas", 10.0);
    flow.acked(1);
    flow.path.round += 1;
    flow.acked(2);
    same(flow.window(), 10.2);
}

#[test]
fn vegas_ends_slow_start_with_more_than_one_packet_in_the_queue() {
    let mut flow = started(Flow::new("vegas", SETUP.initial_window(20.0)));
    for _ in 0..3 {
        flow.acked_after(1, Span::from_ms(125));
    }
    same(flow.window(), 23.0);
    flow.path.round += 1;
    flow.acked_after(1, Span::from_ms(125));
    same(flow.ssthresh(), 23.0 * 0.8 + 1.0);
}

#[test]
fn compound_adds_renos_increase_and_an_eighth_of_w_to_the_power_0_75_less_one() {
    let mut flow = flow("ctcp", 100.0);
    round(&mut flow, 100, Span::from_ms(100));
    // The last quarter of the round closes it, and then Reno's part has grown by three quarters of a packet.
    let reno = flow.window() - flow.inner("dwnd");
    let dwnd = libm::pow(reno - 0.25, 0.75) / 8.0 - 1.0;
    assert!(
        (flow.inner("dwnd") - dwnd).abs() < 0.001
            && (dwnd - 2.97).abs() < 0.02
            && (reno - 101.0).abs() < 0.02
    );
}

#[test]
fn compound_subtracts_the_packets_in_the_queue_if_they_are_30_or_more() {
    let mut flow = flow("ctcp", 100.0);
    (0..30).for_each(|_| round(&mut flow, 100, Span::from_ms(100)));
    let (window, before) = (flow.window(), flow.inner("dwnd"));
    round(&mut flow, 100, Span::from_ms(150));
    assert!((flow.inner("dwnd") - (before - window / 3.0)).abs() < 0.5, "{}", flow.inner("dwnd"));
    (0..10).for_each(|_| round(&mut flow, 100, Span::from_ms(200)));
    same(flow.inner("dwnd"), 0.0);
}

#[test]
fn compound_takes_the_packets_acknowledged_for_w_on_request() {
    let mut flow = flow("ctcp(acked=true)", 100.0);
    round(&mut flow, 60, Span::from_ms(100));
    same(flow.inner("dwnd"), libm::pow(60.0, 0.75) / 8.0 - 1.0);
    (0..30).for_each(|_| round(&mut flow, 60, Span::from_ms(100)));
    let before = flow.inner("dwnd");
    round(&mut flow, 60, Span::from_ms(200));
    same(flow.inner("dwnd"), before - 30.0);
}

#[test]
fn compound_below_41_packets_is_reno() {
    let mut flow = flow("ctcp", 39.0);
    round(&mut flow, 40, Span::from_ms(100));
    same(flow.inner("dwnd"), 0.0);
}

#[test]
fn compound_halves_sum_and_loss_window_and_resets_the_delay_window_at_a_timeout() {
    let mut flow = flow("ctcp", 100.0);
    (0..10).for_each(|_| round(&mut flow, 100, Span::from_ms(100)));
    let (window, dwnd) = (flow.window(), flow.inner("dwnd"));
    flow.lost(Cause::Detected);
    same(flow.window(), window / 2.0);
    same(flow.inner("dwnd"), window / 2.0 - (window - dwnd) / 2.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), window / 4.0);
    same(flow.inner("dwnd"), 0.0);
}

#[test]
fn a_bound_on_compounds_delay_window_holds() {
    for (name, bound) in [("ctcp(dwnd_max=7)", 7.0), ("ctcp(dwnd_ratio=0.05)", 5.0)] {
        let mut flow = flow(name, 100.0);
        (0..5).for_each(|_| round(&mut flow, 100, Span::from_ms(100)));
        assert!((flow.inner("dwnd") - bound).abs() < 0.5, "{}", flow.inner("dwnd"));
    }
}

#[test]
fn compounds_gamma_moves_half_way_to_three_quarters_of_renos_queue_once_per_sample() {
    let mut flow = flow("ctcp(tuning=true)", 100.0);
    round(&mut flow, 100, Span::from_ms(125));
    let loss_window = flow.window() - flow.inner("dwnd");
    flow.lost(Cause::Detected);
    // The round before added almost a packet to cwnd after it was measured.
    let expected = 30.0 + (0.75 * loss_window * 0.2 - 30.0) / 2.0;
    assert!((flow.inner("gamma") - expected).abs() < 0.2, "{} {expected}", flow.inner("gamma"));
    let tuned = flow.inner("gamma");
    flow.lost(Cause::Detected);
    same(flow.inner("gamma"), tuned);
}

#[test]
fn fast_moves_half_way_to_its_target_every_20_ms() {
    let mut flow = flow("fast", 1000.0);
    assert_eq!(flow.algorithm.next_timer(), Some(Time::ZERO + Span::from_ms(20)));
    flow.wait(Span::from_ms(20));
    flow.algorithm.on_timer(&flow.path);
    same(flow.window(), 1100.0);
    assert_eq!(flow.algorithm.next_timer(), Some(Time::ZERO + Span::from_ms(40)));
    flow.acked(1000);
    same(flow.window(), 1100.0);
}

#[test]
fn fast_at_most_doubles_and_decreases_with_too_many_packets_in_the_queue() {
    let mut small = flow("fast", 10.0);
    small.wait(Span::from_ms(20));
    small.algorithm.on_timer(&small.path);
    same(small.window(), 20.0);

    let mut large = flow("fast(update=round)", 1000.0);
    large.acked(1);
    let window = large.window();
    for _ in 0..10_000 {
        large.acked_after(0, Span::from_ms(200));
    }
    large.path.round += 1;
    large.acked_after(1, Span::from_ms(200));
    let expected = 0.5 * window + 0.5 * (window / 2.0 + 200.0);
    assert!((large.window() - expected).abs() < 1e-3, "{} {expected}", large.window());
    same(large.ssthresh(), 2.0);
}

#[test]
fn fast_by_rounds_has_no_timer_and_one_update_in_a_round() {
    let mut flow = Flow::avoiding("fast(update=round)", 1000.0);
    flow.acked(1);
    same(flow.window(), 1100.0);
    flow.acked(1000);
    same(flow.window(), 1100.0);
    assert_eq!(flow.algorithm.next_timer(), None);
    flow.path.round += 1;
    flow.acked(1);
    same(flow.window(), 1200.0);
}

#[test]
fn fast_does_not_update_in_slow_start_and_recovery() {
    let mut flow = Flow::new("fast", SETUP);
    flow.acked(10);
    flow.wait(Span::from_ms(20));
    flow.algorithm.on_timer(&flow.path);
    same(flow.window(), 20.0);
    flow.lost(Cause::Detected);
    flow.wait(Span::from_ms(20));
    flow.algorithm.on_timer(&flow.path);
    same(flow.window(), 10.0);
    flow.recovered();
    flow.wait(Span::from_ms(20));
    flow.algorithm.on_timer(&flow.path);
    same(flow.window(), 20.0);
}

/// `seconds` with `rate` packets acknowledged per second.
fn send(flow: &mut Flow, seconds: u64, rate: u64) {
    for _ in 0..seconds * 10 {
        flow.wait(Span::from_ms(100));
        flow.path.round += 1;
        flow.acked(rate / 10);
    }
}

#[test]
fn fast_at_changes_alpha_by_one_level_every_200_seconds() {
    let mut flow = flow("fast-at", 1000.0);
    same(flow.inner("alpha"), 200.0);
    for (seconds, rate, alpha) in [
        (199, 1_000, 200.0),
        (2, 1_000, 20.0),
        (198, 1_000, 20.0),
        (2, 1_000, 8.0),
        (200, 1_400, 8.0),
        (200, 1_600, 20.0),
        (200, 1_300, 20.0),
        (200, 14_000, 20.0),
        (200, 16_000, 200.0),
        (200, 13_000, 200.0),
        (200, 12_000, 20.0),
    ] {
        send(&mut flow, seconds, rate);
        same(flow.inner("alpha"), alpha);
    }
}
