// SPDX-License-Identifier: Apache-2.0
//! The frame: slow start, loss episodes, timeouts, undo, lower bounds.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{AckCounting, Cause, FirstCut, Loss, RestartWindow, catalogue};
use narrows_units::Span;

#[test]
fn slow_start_adds_the_packets_acknowledged() {
    let mut flow = Flow::new("reno", SETUP);
    flow.acked(2);
    same(flow.window(), 12.0);
}

/// RFC 5681 §3.1: at most one segment for each acknowledgement in slow start; equation 3 in congestion avoidance.
#[test]
fn an_acknowledgement_of_several_packets_counts_for_one_where_acknowledgements_are_counted() {
    let setup = SETUP.ack_counting(AckCounting::Acks).initial_ssthresh(12.0);
    let mut flow = Flow::new("reno", setup);
    flow.acked(2);
    same(flow.window(), 11.0);
    flow.acked(5);
    flow.acked(2);
    same(flow.window(), 12.0 + 1.0 / 12.0);
}

/// RFC 3465 §2.3: after a timeout at most one segment for each acknowledgement, until the losses are repaired.
#[test]
fn while_the_losses_of_a_timeout_are_repaired_an_acknowledgement_counts_for_one_if_counting_is_mixed() {
    for (ack_counting, repairing, repaired) in
        [(AckCounting::Segments, 45.0, 47.0), (AckCounting::Mixed, 2.0, 4.0), (AckCounting::Acks, 2.0, 3.0)]
    {
        let mut flow = Flow::new("reno", SETUP.ack_counting(ack_counting).initial_window(400.0));
        flow.lost(Cause::Timeout);
        flow.acked(44);
        same(flow.window(), repairing);
        flow.recovered();
        flow.acked(2);
        same(flow.window(), repaired);
    }
}

#[test]
fn packets_acknowledged_beyond_ssthresh_count_for_congestion_avoidance() {
    let mut flow = Flow::new("reno", SETUP.initial_ssthresh(12.0));
    flow.acked(5);
    same(flow.window(), 12.0 + 3.0 / 12.0);
}

#[test]
fn a_window_that_does_not_limit_the_sender_does_not_grow() {
    let mut flow = Flow::new("reno", SETUP);
    flow.path.window_limited = false;
    flow.acked(10);
    same(flow.window(), 10.0);
}

#[test]
fn a_duplicate_acknowledgement_does_not_grow_the_window() {
    let mut flow = Flow::new("reno", SETUP);
    let ack = ACK.newly_acked(1).advanced(false);
    flow.algorithm.on_ack(&ack, &flow.path);
    same(flow.window(), 10.0);
}

#[test]
fn an_episode_decreases_the_window_once_and_stops_its_growth_until_it_is_over() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Detected);
    flow.declared(Cause::Detected, false);
    flow.acked(20);
    same(flow.window(), 20.0);
    flow.recovered();
    flow.acked(20);
    same(flow.window(), 21.0);
}

#[test]
fn a_second_episode_declared_before_the_first_is_over_decreases_the_window_again() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Detected);
    flow.lost(Cause::Detected);
    same(flow.window(), 10.0);
}

#[test]
fn after_a_timeout_slow_start_runs_from_one_packet_to_half_the_window() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Timeout);
    same(flow.window(), 1.0);
    same(flow.ssthresh(), 20.0);
    flow.acked(3);
    same(flow.window(), 4.0);
}

#[test]
fn a_second_timeout_of_the_same_segment_leaves_ssthresh() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Timeout);
    flow.acked(3);
    flow.declared(Cause::Timeout, false);
    same(flow.window(), 1.0);
    same(flow.ssthresh(), 20.0);
}

#[test]
fn a_spurious_timeout_restores_window_and_ssthresh() {
    let mut flow = Flow::avoiding("cubic", 40.0);
    flow.lost(Cause::Timeout);
    flow.declared(Cause::Timeout, false);
    flow.algorithm.on_spurious_loss(&flow.path);
    same(flow.window(), 40.0);
    same(flow.ssthresh(), 2.0);
}

#[test]
fn after_an_idle_period_the_window_is_at_most_the_initial_window() {
    let mut flow = Flow::new("reno", SETUP);
    flow.acked(30);
    flow.idle(Span::from_ms(300), 1);
    same(flow.window(), 10.0);
    assert!(flow.ssthresh().is_infinite());
}

#[test]
fn ssthresh_is_never_below_two_packets() {
    let mut flow = Flow::avoiding("reno", 3.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 2.0);
}

#[test]
fn first_cut_half_halves_the_window_first_in_slow_start_and_after_a_timeout() {
    let half = SETUP.initial_window(40.0).initial_ssthresh(2.0).first_cut(FirstCut::Half);
    let mut flow = Flow::new("aimd(a=1,b=0.8)", half);
    flow.lost(Cause::Detected);
    same(flow.window(), 20.0);
    flow.recovered();
    flow.lost(Cause::Detected);
    same(flow.window(), 16.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 8.0);
    flow.acked(3);
    flow.lost(Cause::Detected);
    same(flow.window(), 2.0);
}

#[test]
fn after_a_spurious_first_episode_the_next_one_is_the_first() {
    let half = SETUP.initial_window(40.0).initial_ssthresh(2.0).first_cut(FirstCut::Half);
    let mut flow = Flow::new("aimd(a=1,b=0.8)", half);
    flow.lost(Cause::Detected);
    flow.algorithm.on_spurious_loss(&flow.path);
    flow.lost(Cause::Detected);
    same(flow.window(), 20.0);
}

/// RFC 2861 §3, as in Linux (`tcp_cwnd_restart`).
#[test]
fn a_window_that_is_halved_after_idle_timeouts_keeps_three_quarters_of_it_as_ssthresh() {
    let setup = SETUP.initial_window(10.0).initial_ssthresh(20.0).restart_window(RestartWindow::Halved);
    for (timeouts, window) in [(1, 59.0), (2, 29.0), (3, 14.0), (4, 10.0), (u64::MAX, 10.0)] {
        let mut flow = Flow::new("reno", setup);
        flow.algorithm.set_window(118.0, false);
        flow.idle(Span::from_ms(300), timeouts);
        same(flow.window(), window);
        same(flow.ssthresh(), 59.0 + 29.0);
    }
}

#[test]
fn a_short_pause_leaves_the_window() {
    for restart_window in [RestartWindow::Initial, RestartWindow::Halved] {
        let mut flow = Flow::new("reno", SETUP.restart_window(restart_window));
        flow.acked(30);
        flow.idle(Span::from_ms(100), 0);
        same(flow.window(), 40.0);
        assert!(flow.ssthresh().is_infinite());
    }
}

#[test]
fn a_late_sign_of_a_spurious_loss_does_not_undo_an_idle_restart() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.algorithm.set_window(80.0, false);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.idle(Span::from_ms(30_000), 100);
    flow.algorithm.on_spurious_loss(&flow.path);
    same(flow.window(), 40.0);
}

/// RFC 8511 §3.1: 0.8 for Reno, 0.85 for CUBIC, for a mark alone; an algorithm without a factor answers marks as before.
#[test]
fn a_mark_multiplies_the_window_by_the_factor_that_the_catalogue_names() {
    let mut named = Vec::new();
    for entry in catalogue::entries() {
        let factor = (entry.needs)(&entry.card.defaults()).abe_factor;
        let left = |abe: bool, cause: Cause| {
            let setup = SETUP.initial_window(100.0).initial_ssthresh(2.0).abe(abe);
            let mut flow = Flow::new(entry.card.name, setup);
            flow.lost(cause);
            (flow.algorithm.window(), flow.algorithm.ssthresh())
        };
        for cause in [Cause::Detected, Cause::Timeout] {
            assert_eq!(left(true, cause), left(false, cause), "{}", entry.card.name);
        }
        match factor {
            Some(factor) => {
                let kept = Some(100.0 * factor);
                assert_eq!(left(true, Cause::Mark), (kept, kept), "{}", entry.card.name);
                assert!(left(false, Cause::Mark).0 < kept);
                named.push((entry.card.name, factor));
            }
            None => assert_eq!(left(true, Cause::Mark), left(false, Cause::Mark), "{}", entry.card.name),
        }
    }
    let expected =
        [("reno", 0.8), ("newreno", 0.8), ("cubic-2005", 0.85), ("cubic-2008", 0.85), ("cubic", 0.85)];
    assert_eq!(named, expected);
}

#[test]
fn a_mark_leaves_no_less_than_a_loss_would() {
    let mut flow = Flow::new("cubic(beta=0.9)", SETUP.abe(true).initial_window(100.0).initial_ssthresh(2.0));
    flow.lost(Cause::Mark);
    same(flow.window(), 90.0);
}

/// RFC 5681 equation 4: `max(FlightSize / 2, 2)`, and its factor for others (RFC 9438 §4.6, RFC 8511 §3.1).
#[test]
fn a_decrease_is_taken_from_what_is_in_use_where_the_host_says_how_much_that_is() {
    let reduced = |name: &str, flight: Option<u64>, cause: Cause, abe: bool| {
        let setup = SETUP.initial_window(100.7).initial_ssthresh(2.0).abe(abe);
        let mut flow = Flow::new(name, setup);
        let loss = Loss::new(cause, 1).flight(flight);
        flow.algorithm.on_loss(&loss, &flow.path);
        (flow.window(), flow.ssthresh())
    };
    let detected = |name, flight| reduced(name, flight, Cause::Detected, false);
    assert_eq!(detected("newreno", Some(10)), (5.0, 5.0));
    assert_eq!(detected("newreno", Some(3)), (2.0, 2.0));
    assert_eq!(detected("cubic", Some(10)), (7.0, 7.0));
    // A window that is full, or fuller by limited transmit, is reduced as a whole.
    for flight in [None, Some(100), Some(103)] {
        assert_eq!(detected("newreno", flight), (50.35, 50.35));
    }
    assert_eq!(reduced("newreno", Some(10), Cause::Timeout, false), (1.0, 5.0));
    assert_eq!(reduced("newreno", Some(10), Cause::Mark, true), (8.0, 8.0));
    // The first reduction of CUBIC in ns-2 is to a half, too.
    let setup = SETUP.initial_window(100.0).initial_ssthresh(2.0).first_cut(FirstCut::Half);
    let mut flow = Flow::new("cubic", setup);
    let loss = Loss::new(Cause::Detected, 1).flight(Some(10));
    flow.algorithm.on_loss(&loss, &flow.path);
    assert_eq!((flow.window(), flow.ssthresh()), (5.0, 5.0));
}
