// SPDX-License-Identifier: Apache-2.0
//! GCC.

use super::media::{acked, flow, lost, target};
use super::{Flow, same};
use narrows_units::Span;

/// For `steps` times 10 ms, a packet each, of which each waits `growth` longer than the one before, from `queue` on. Returns the last
/// delay.
fn stream(flow: &mut Flow, steps: u64, queue: Span, growth: Span) -> Span {
    let mut queue = queue;
    for _ in 0..steps {
        queue += growth;
        // Packets sent every 10 ms arrive later by this much.
        acked(flow, Span::from_ms(10) + growth, queue, 0);
    }
    queue
}

#[test]
fn without_over_use_the_rate_grows_by_8_percent_in_a_second() {
    let mut flow = flow("gcc(start=1Mbps)");
    stream(&mut flow, 100, Span::ZERO, Span::ZERO);
    let before = flow.inner("a_bps");
    stream(&mut flow, 100, Span::ZERO, Span::ZERO);
    assert!((flow.inner("a_bps") / before - 1.08).abs() < 1e-3, "{}", flow.inner("a_bps") / before);
    // Half a second has 50 packets or 1.16 Mbps: at most 1.5 times that.
    stream(&mut flow, 2000, Span::ZERO, Span::ZERO);
    let most = 1.5 * 8.0 * 1448.0 * 51.0 / 0.5;
    assert!(
        flow.inner("a_bps") <= most + 1e3 && flow.inner("a_bps") > 0.95 * most,
        "{}",
        flow.inner("a_bps")
    );
}

#[test]
fn growing_delay_is_over_use_and_lowers_the_rate_to_85_percent_of_what_arrives() {
    let mut flow = flow("gcc(start=2Mbps)");
    stream(&mut flow, 200, Span::ZERO, Span::ZERO);
    assert_eq!(flow.algorithm.state(), "increase");
    // 10 % more than the path carries.
    let mut queue = Span::ZERO;
    for _ in 0..100 {
        queue = stream(&mut flow, 1, queue, Span::from_ms(1));
        if flow.algorithm.state() == "decrease" {
            break;
        }
    }
    assert_eq!(flow.algorithm.state(), "decrease");
    let arrives = 1448.0 * 8.0 / 0.0105;
    assert!((flow.inner("a_bps") / (0.85 * arrives) - 1.0).abs() < 0.06, "{}", flow.inner("a_bps"));
    assert!(queue < Span::from_ms(50), "{queue:?}");
    // As the queue is emptied the rate is held, then it grows again.
    while queue > Span::from_ms(2) {
        flow.wait(Span::from_ms(9));
        queue = queue - Span::from_ms(1);
        acked(&mut flow, Span::ZERO, queue, 0);
    }
    stream(&mut flow, 300, queue, Span::ZERO);
    assert_eq!(flow.algorithm.state(), "increase");
}

#[test]
fn near_the_rate_of_the_last_over_use_growth_is_additive() {
    let mut flow = flow("gcc(start=1Mbps)");
    // Until the filter knows that the delay is steady.
    stream(&mut flow, 1500, Span::ZERO, Span::ZERO);
    let mut queue = Span::ZERO;
    for _ in 0..100 {
        queue = stream(&mut flow, 1, queue, Span::from_us(400));
        if flow.algorithm.state() == "decrease" {
            break;
        }
    }
    assert_eq!(flow.algorithm.state(), "decrease");
    // The delay stays, and as much arrives as when the rate was lowered.
    stream(&mut flow, 300, queue, Span::from_us(10));
    assert_eq!(flow.algorithm.state(), "increase");
    let before = flow.inner("a_bps");
    stream(&mut flow, 100, queue, Span::ZERO);
    let grown = flow.inner("a_bps") - before;
    // Half a packet of at most 9600 bits for each 0.2 s of a response, in ten steps.
    assert!(grown > 10_000.0 - 1.0 && grown < 25_000.0, "{grown}");
}

#[test]
fn losses_above_10_percent_lower_the_rate_by_half_of_their_share_and_below_2_raise_it() {
    for (losses, factor) in [(0_u64, 1.05), (1, 1.0), (2, 1.0 - 1.0 / 12.0), (5, 1.0 - 2.5 / 15.0)] {
        let mut flow = flow("gcc(start=1Mbps)");
        stream(&mut flow, 101, Span::ZERO, Span::ZERO);
        let before = flow.inner("as_bps");
        (0..losses).for_each(|_| lost(&mut flow, false));
        stream(&mut flow, 10, Span::ZERO, Span::ZERO);
        assert!(
            (flow.inner("as_bps") / before - factor).abs() < 1e-9,
            "{losses}: {}",
            flow.inner("as_bps") / before
        );
    }
}

#[test]
fn the_target_is_the_lesser_of_both_rates_and_packets_are_paced_at_it() {
    let mut flow = flow("gcc(start=1Mbps,maximum=1200kbps)");
    stream(&mut flow, 300, Span::ZERO, Span::ZERO);
    let rate = target(&flow);
    same(rate, flow.inner("a_bps").min(flow.inner("as_bps")).round());
    assert!(rate <= 1.2e6);
    assert_eq!(flow.algorithm.limits().pacing.map(|pacing| pacing.as_bps() as f64), Some(rate));
}

/// §5.4 with §5.6, and the constants of WebRTC.
#[test]
fn the_threshold_follows_the_gradient_up_and_down() {
    // 1980 ms without a gradient, to no less than 6 ms.
    for (detector, down) in [("draft", 0.00018_f64), ("webrtc", 0.039)] {
        let mut flow = flow(&format!("gcc(detector={detector})"));
        same(flow.inner("threshold_ms"), 12.5);
        stream(&mut flow, 200, Span::ZERO, Span::ZERO);
        let expected = (12.5 * libm::pow(1.0 - 10.0 * down, 198.0)).max(6.0);
        same(flow.inner("threshold_ms"), expected);
    }
    let mut flow = flow("gcc");
    stream(&mut flow, 1500, Span::ZERO, Span::ZERO);
    stream(&mut flow, 100, Span::ZERO, Span::from_us(300));
    assert!(flow.inner("threshold_ms") > 6.0, "{}", flow.inner("threshold_ms"));
}

/// The detector of the draft sees a rate far above the capacity alone.
#[test]
fn as_the_draft_has_it_a_tenth_more_than_the_path_carries_is_no_over_use() {
    let seen = |detector: &str, growth: Span| {
        let mut flow = flow(&format!("gcc(detector={detector},start=1Mbps)"));
        stream(&mut flow, 1500, Span::ZERO, Span::ZERO);
        stream(&mut flow, 100, Span::ZERO, growth);
        flow.algorithm.state() == "decrease"
    };
    assert!(seen("webrtc", Span::from_ms(1)));
    assert!(!seen("draft", Span::from_ms(1)));
    assert!(seen("draft", Span::from_ms(20)));
}
