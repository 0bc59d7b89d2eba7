// SPDX-License-Identifier: Apache-2.0
//! NADA (RFC 8698).

use super::media::{acked, flow, lost, target};
use super::{Flow, same};
use narrows_units::Span;

/// For `steps` times 10 ms, a packet each that waits for `queue`.
fn stream(flow: &mut Flow, steps: u64, queue: Span) {
    for _ in 0..steps {
        acked(flow, Span::from_ms(10), queue, 0);
    }
}

/// §4.3, equations 3 and 4: `γ` is 50 ms over 100 ms and 220 ms.
#[test]
fn without_a_queue_the_rate_ramps_up_to_more_than_what_arrives() {
    let mut flow = flow("nada");
    stream(&mut flow, 200, Span::ZERO);
    assert_eq!(flow.algorithm.state(), "accelerated-ramp-up");
    let arrives = 8.0 * 1448.0 * 51.0 / 0.5;
    same(flow.inner("r_ref_bps"), (1.0 + 50.0 / 320.0) * arrives);
    same(target(&flow), flow.inner("r_ref_bps").round());
    let pacing = flow.algorithm.limits().pacing.expect("it has a rate").as_bps() as f64;
    assert!((pacing / target(&flow) - 1.05).abs() < 1e-6);
}

/// §4.3, equations 5 to 7.
#[test]
fn with_a_queue_the_rate_follows_the_offset_and_the_change_of_the_signal() {
    let mut flow = flow("nada");
    stream(&mut flow, 200, Span::ZERO);
    // A sample above 10 ms ends the ramp-up; the least of 15 counts.
    stream(&mut flow, 100, Span::from_ms(20));
    same(flow.inner("x_curr_ms"), 20.0);
    let mut before = flow.inner("r_ref_bps");
    for _ in 0..5 {
        stream(&mut flow, 10, Span::from_ms(20));
        assert_eq!(flow.algorithm.state(), "gradual-update");
        let offset = 20.0 - 10.0 * 1.5e6 / before;
        let expected = before - 0.5 * (100.0 / 500.0) * (offset / 500.0) * before;
        assert!((flow.inner("r_ref_bps") - expected).abs() < 1e-3, "{before}");
        before = flow.inner("r_ref_bps");
    }
    // One step of 5 ms more: 0.5 * 2 * 5 / 500 of the rate, beside the offset of three updates.
    stream(&mut flow, 30, Span::from_ms(25));
    let lowered = before - flow.inner("r_ref_bps");
    assert!(lowered > 0.01 * before && lowered < 0.02 * before, "{lowered} of {before}");
}

/// §4.3: at rest `x = PRIO XREF RMAX / r`.
#[test]
fn the_rate_rests_where_the_signal_is_ten_milliseconds_of_the_maximum_over_it() {
    for (queue, priority) in [(20.0, 1.0), (30.0, 1.0), (40.0, 2.0)] {
        let mut flow = flow(&format!("nada(prio={priority})"));
        stream(&mut flow, 60_000, Span::from_secs_f64(queue / 1000.0));
        // The base is the first delay: here no later delay is smaller.
        same(flow.inner("x_curr_ms"), 0.0);
        let mut flow = super::media::flow(&format!("nada(prio={priority})"));
        stream(&mut flow, 1, Span::ZERO);
        stream(&mut flow, 50_000, Span::from_secs_f64(queue / 1000.0));
        let rest = priority * 10.0 * 1.5e6 / queue;
        assert!((flow.inner("r_ref_bps") / rest - 1.0).abs() < 0.01, "{queue}: {}", flow.inner("r_ref_bps"));
    }
}

/// §4.2, equation 2: 10 ms for each square of a per cent that is lost, 2 ms for each that is marked.
#[test]
fn losses_and_marks_are_worth_delay_by_the_square_of_their_share() {
    let mut flow = flow("nada");
    stream(&mut flow, 101, Span::ZERO);
    lost(&mut flow, true);
    stream(&mut flow, 10, Span::ZERO);
    let ratio = flow.inner("p_loss");
    same(ratio, 0.1 / 11.0);
    same(flow.inner("x_curr_ms"), 10.0 * (ratio / 0.01) * (ratio / 0.01));
    assert_eq!(flow.algorithm.state(), "gradual-update");
    let mut flow = super::media::flow("nada");
    stream(&mut flow, 101, Span::ZERO);
    acked(&mut flow, Span::from_ms(10), Span::ZERO, 1);
    stream(&mut flow, 9, Span::ZERO);
    same(flow.inner("p_mark"), 0.01);
    same(flow.inner("x_curr_ms"), 2.0);
}

/// §4.2, equation 1: above 50 ms the delay counts less the longer it is, where losses are recent.
#[test]
fn a_long_delay_counts_less_where_losses_are_recent() {
    let mut flow = flow("nada");
    stream(&mut flow, 100, Span::ZERO);
    stream(&mut flow, 200, Span::from_ms(100));
    same(flow.inner("x_curr_ms"), 100.0);
    lost(&mut flow, true);
    stream(&mut flow, 20, Span::from_ms(100));
    lost(&mut flow, true);
    // Recent for 7 intervals of 20 packets.
    stream(&mut flow, 100, Span::from_ms(100));
    let of_losses = 1000.0 * 100.0 * flow.inner("p_loss") * flow.inner("p_loss");
    same(flow.inner("x_curr_ms") - of_losses, 50.0 * libm::exp(-0.5));
    stream(&mut flow, 60, Span::from_ms(100));
    let of_losses = 1000.0 * 100.0 * flow.inner("p_loss") * flow.inner("p_loss");
    same(flow.inner("x_curr_ms") - of_losses, 100.0);
}

/// `NADA_PARAM_XMAX` of ns3-rmcat.
#[test]
fn the_signal_is_bounded() {
    let mut flow = flow("nada");
    stream(&mut flow, 100, Span::ZERO);
    for _ in 0..20 {
        (0..10).for_each(|_| lost(&mut flow, false));
        stream(&mut flow, 10, Span::ZERO);
    }
    assert!(flow.inner("p_loss") > 0.3);
    same(flow.inner("x_curr_ms"), 500.0);
}
