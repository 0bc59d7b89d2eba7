//! Prague.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Ack, Cause, EcnUse};
use narrows_units::{Rate, Span};

impl Flow {
    fn told_marks(&mut self, newly_acked: u64, ce_packets: u64) {
        let ack = Ack { newly_acked, ce_packets, rtt: Some(Span::from_ms(100)), ..ACK };
        self.algorithm.on_ack(&ack, &self.path);
    }
}

#[test]
fn packets_ask_for_a_low_latency_queue() {
    assert_eq!(Flow::new("prague", SETUP).algorithm.ecn(), EcnUse::LowLatency);
}

#[test]
fn alpha_stays_one_until_the_first_mark_and_then_follows_the_part_marked() {
    let mut flow = Flow::avoiding("prague", 100.0);
    for _ in 0..3 {
        flow.told_marks(50, 0);
        flow.path.round += 1;
    }
    same(flow.inner("alpha"), 1.0);
    flow.told_marks(10, 0);
    flow.told_marks(20, 10);
    flow.path.round += 1;
    flow.told_marks(10, 0);
    same(flow.inner("alpha"), 1.0 + (10.0 / 30.0 - 1.0) / 16.0);
}

#[test]
fn a_mark_cuts_once_in_a_round_trip_and_packets_without_one_go_on_adding() {
    let mut flow = Flow::avoiding("prague", 100.0);
    flow.told_marks(4, 1);
    // Half of the window, and three of four packets add their share.
    same(flow.window(), 50.0 + 3.0 / 50.0);
    let before = flow.window();
    flow.told_marks(4, 4);
    same(flow.window(), before);
    flow.wait(Span::from_ms(99));
    flow.told_marks(2, 1);
    same(flow.window(), before + 1.0 / before);
    flow.wait(Span::from_ms(1));
    flow.told_marks(1, 1);
    assert!(flow.window() < 26.0);
}

#[test]
fn the_first_mark_ends_slow_start() {
    let mut flow = Flow::new("prague", SETUP);
    flow.told_marks(2, 2);
    same(flow.window(), 5.0);
    same(flow.ssthresh(), 5.0);
}

#[test]
fn a_short_round_trip_grows_by_the_square_of_its_part_of_25_ms_after_500_rounds() {
    let mut flow = Flow::avoiding("prague", 100.0);
    let rtt = Span::from_ms(5);
    let view = flow.path.rtt.as_mut().expect("there is one");
    (view.latest, view.smoothed) = (rtt, rtt);
    flow.acked(1);
    same(flow.window(), 100.01);
    flow.path.round += 500;
    let before = flow.window();
    flow.acked(1);
    same(flow.window(), before + 0.04 / before);
}

#[test]
fn a_window_leaves_in_a_round_trip_and_in_half_of_one_while_it_is_far_from_ssthresh() {
    let pacing = |flow: &Flow| flow.algorithm.limits().pacing;
    let mut flow = Flow::avoiding("prague", 100.0);
    assert_eq!(pacing(&flow), None, "no round-trip time is known");
    flow.told_marks(1, 1);
    // 50 packets of 1448 bytes in 100 ms.
    assert_eq!(pacing(&flow), Some(Rate::from_bps(5_792_000)));
    let mut flow = Flow::new("prague", SETUP);
    flow.acked(10);
    assert_eq!(pacing(&flow), Some(Rate::from_bps(2 * 2_316_800)));
}

#[test]
fn a_loss_halves_whatever_alpha_says() {
    let mut flow = Flow::avoiding("prague", 100.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}
