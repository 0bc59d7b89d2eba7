//! The frame: phases, episodes, timeouts, undo, floors.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::catalogue::{FirstCut, Setup};
use narrows_cc::{Ack, Cause};

#[test]
fn slow_start_adds_what_was_acknowledged() {
    let mut flow = Flow::new("reno", SETUP);
    flow.acked(2);
    same(flow.window(), 12.0);
}

#[test]
fn what_an_acknowledgement_brings_beyond_ssthresh_counts_for_congestion_avoidance() {
    let mut flow = Flow::new("reno", Setup { initial_ssthresh: 12.0, ..SETUP });
    flow.acked(5);
    same(flow.window(), 12.0 + 3.0 / 12.0);
}

#[test]
fn a_window_that_is_not_the_limit_does_not_grow() {
    let mut flow = Flow::new("reno", SETUP);
    flow.path.window_limited = false;
    flow.acked(10);
    same(flow.window(), 10.0);
}

#[test]
fn a_duplicate_acknowledgement_does_not_grow_the_window() {
    let mut flow = Flow::new("reno", SETUP);
    let ack = Ack { newly_acked: 1, advanced: false, ..ACK };
    flow.algorithm.on_ack(&ack, &flow.path);
    same(flow.window(), 10.0);
}

#[test]
fn a_declared_episode_cuts_once_and_freezes_the_window_until_it_is_over() {
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
fn a_second_episode_declared_before_the_first_is_over_cuts_again() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Detected);
    flow.lost(Cause::Detected);
    same(flow.window(), 10.0);
}

#[test]
fn after_a_timeout_slow_start_goes_on_from_one_packet_to_half_the_window() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Timeout);
    same(flow.window(), 1.0);
    same(flow.ssthresh(), 20.0);
    flow.acked(3);
    same(flow.window(), 4.0);
}

#[test]
fn the_same_segment_timing_out_again_leaves_ssthresh_alone() {
    let mut flow = Flow::avoiding("reno", 40.0);
    flow.lost(Cause::Timeout);
    flow.acked(3);
    flow.declared(Cause::Timeout, false);
    same(flow.window(), 1.0);
    same(flow.ssthresh(), 20.0);
}

#[test]
fn a_false_timeout_gives_the_window_and_ssthresh_back() {
    let mut flow = Flow::avoiding("cubic", 40.0);
    flow.lost(Cause::Timeout);
    flow.declared(Cause::Timeout, false);
    flow.algorithm.on_spurious_loss(&flow.path);
    same(flow.window(), 40.0);
    same(flow.ssthresh(), 2.0);
}

#[test]
fn after_silence_the_window_is_at_most_the_initial_one() {
    let mut flow = Flow::new("reno", SETUP);
    flow.acked(30);
    flow.algorithm.on_idle_restart(&flow.path);
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
fn ns2_halves_at_the_first_cut_in_slow_start_and_after_a_timeout() {
    let half = Setup { initial_window: 40.0, initial_ssthresh: 2.0, first_cut: FirstCut::Half, ..SETUP };
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
fn a_first_cut_that_proves_false_was_not_the_first() {
    let half = Setup { initial_window: 40.0, initial_ssthresh: 2.0, first_cut: FirstCut::Half, ..SETUP };
    let mut flow = Flow::new("aimd(a=1,b=0.8)", half);
    flow.lost(Cause::Detected);
    flow.algorithm.on_spurious_loss(&flow.path);
    flow.lost(Cause::Detected);
    same(flow.window(), 20.0);
}
