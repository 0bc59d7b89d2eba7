//! HyStart++.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_cc::catalogue::{Setup, SlowStartKind};
use narrows_units::Span;

/// A flow that has had a round of eight samples of 100 ms.
fn flow() -> Flow {
    let mut flow = Flow::new("reno", Setup { slow_start: SlowStartKind::HyStartPlusPlus, ..SETUP });
    round(&mut flow, 100_000);
    flow
}

/// A round of eight acknowledgements of one packet: what the last of them added.
fn round(flow: &mut Flow, rtt_us: u64) -> f64 {
    flow.path.round += 1;
    for _ in 0..7 {
        flow.acked_after(1, Span::from_us(rtt_us));
    }
    let before = flow.window();
    flow.acked_after(1, Span::from_us(rtt_us));
    flow.window() - before
}

#[test]
fn a_round_an_eighth_above_the_one_before_slows_growth_to_a_quarter() {
    same(round(&mut flow(), 112_499), 1.0);
    same(round(&mut flow(), 112_500), 0.25);
}

#[test]
fn the_eighth_is_at_least_4_and_at_most_16_ms() {
    for (before, after, added) in
        [(10_000, 13_999, 1.0), (10_000, 14_000, 0.25), (400_000, 415_999, 1.0), (400_000, 416_000, 0.25)]
    {
        let mut flow = Flow::new("reno", Setup { slow_start: SlowStartKind::HyStartPlusPlus, ..SETUP });
        round(&mut flow, before);
        same(round(&mut flow, after), added);
    }
}

#[test]
fn seven_samples_say_nothing() {
    let mut flow = flow();
    flow.path.round += 1;
    let before = flow.window();
    (0..7).for_each(|_| flow.acked_after(1, Span::from_ms(200)));
    same(flow.window(), before + 7.0);
}

#[test]
fn five_rounds_of_slower_growth_end_slow_start_the_first_included() {
    let mut flow = flow();
    for _ in 0..5 {
        round(&mut flow, 120_000);
        assert!(flow.ssthresh().is_infinite());
    }
    flow.path.round += 1;
    let window = flow.window();
    flow.acked_after(1, Span::from_ms(120));
    same(flow.ssthresh(), window);
}

#[test]
fn a_round_faster_than_the_first_of_the_slower_ones_takes_them_back() {
    let mut flow = flow();
    same(round(&mut flow, 120_000), 0.25);
    same(round(&mut flow, 125_000), 0.25);
    same(round(&mut flow, 119_000), 1.0);
    for _ in 0..5 {
        same(round(&mut flow, 119_000), 1.0);
    }
}

#[test]
fn an_acknowledgement_counts_for_at_most_eight_packets() {
    let mut flow = flow();
    let before = flow.window();
    flow.acked(20);
    same(flow.window(), before + 8.0);
}

/// RFC 9406 §4.2: pacing takes the bursts out, so nothing need be withheld.
#[test]
fn an_acknowledgement_of_a_paced_flow_counts_for_all_its_packets() {
    let kind = SlowStartKind::HyStartPlusPlus;
    let mut flow = Flow::new("reno", Setup { slow_start: kind, paced: true, ..SETUP });
    let before = flow.window();
    flow.acked(20);
    same(flow.window(), before + 20.0);
}

#[test]
fn after_a_timeout_slow_start_is_the_standard_one() {
    let mut flow = flow();
    (0..60).for_each(|_| flow.acked(8));
    flow.lost(Cause::Timeout);
    round(&mut flow, 100_000);
    same(round(&mut flow, 200_000), 1.0);
    flow.acked(20);
    same(flow.window(), 37.0);
}
