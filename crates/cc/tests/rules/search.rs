// SPDX-License-Identifier: Apache-2.0
//! SEARCH.

use super::{Flow, SETUP, same};
use narrows_cc::SlowStartKind;
use narrows_units::Span;

/// A bin of a flow with a first round-trip time of 100 ms.
const BIN: Span = Span::from_ms(35);

fn flow() -> Flow {
    let mut flow = Flow::new("reno", SETUP.slow_start(SlowStartKind::Search));
    flow.path.in_flight = 1_000;
    flow.acked(1);
    flow
}

/// A bin with `acked` packets acknowledged at its end, after which `in_flight` are in flight.
fn bin(flow: &mut Flow, acked: u64, in_flight: u64) {
    flow.wait(BIN + Span::from_us(1));
    flow.path.in_flight = in_flight;
    flow.acked(acked);
}

#[test]
fn what_is_delivered_as_it_was_sent_ends_nothing() {
    let mut flow = flow();
    for _ in 0..60 {
        bin(&mut flow, 100, 1_000);
    }
    assert!(flow.ssthresh().is_infinite());
}

#[test]
fn slow_start_ends_where_26_percent_less_are_delivered_than_were_sent_a_round_trip_before() {
    // Each bin 100 packets are sent, and from the twentieth on fewer are delivered.
    for (delivered, ends) in [(80, false), (70, true)] {
        let mut flow = flow();
        let mut in_flight = 1_000;
        (0..20).for_each(|_| bin(&mut flow, 100, 1_000));
        for _ in 0..10 {
            in_flight += 100 - delivered;
            bin(&mut flow, delivered, in_flight);
        }
        assert_eq!(flow.ssthresh().is_finite(), ends, "{delivered} delivered");
        assert_eq!(flow.algorithm.state_rule(), if ends { "search" } else { "" });
    }
}

#[test]
fn nothing_is_compared_before_a_window_and_a_round_trip_are_known() {
    let mut flow = flow();
    for number in 0..12 {
        bin(&mut flow, 1, 1_000 + 100 * number);
        assert!(flow.ssthresh().is_infinite(), "bin {number}");
    }
    (0..10).for_each(|number| bin(&mut flow, 1, 2_300 + 100 * number));
    assert!(flow.ssthresh().is_finite());
}

#[test]
fn an_idle_time_and_a_window_without_acknowledgements_begin_anew() {
    for idle in [true, false] {
        let mut flow = flow();
        (0..12).for_each(|number| bin(&mut flow, 1, 1_000 + 100 * number));
        if idle {
            flow.idle(Span::from_ms(2_000), 1);
        } else {
            flow.wait(BIN * 11);
        }
        (0..12).for_each(|number| bin(&mut flow, 1, 1_000 + 100 * number));
        assert!(flow.ssthresh().is_infinite(), "idle: {idle}");
    }
}

#[test]
fn a_known_ssthresh_is_kept() {
    let setup = SETUP.slow_start(SlowStartKind::Search).initial_ssthresh(900.0);
    let mut flow = Flow::new("reno", setup);
    flow.acked(1);
    (0..40).for_each(|number| bin(&mut flow, 1, 1_000 + 100 * number));
    same(flow.ssthresh(), 900.0);
}
