//! DCTCP.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Ack, Cause, EcnUse};
use narrows_units::Span;

impl Flow {
    fn marked(&mut self, newly_acked: u64, ce_packets: u64) {
        let ack = Ack { newly_acked, ce_packets, rtt: Some(Span::from_ms(100)), ..ACK };
        self.algorithm.on_ack(&ack, &self.path);
    }
}

#[test]
fn marks_are_counted_one_by_one() {
    assert_eq!(Flow::new("dctcp", SETUP).algorithm.ecn(), EcnUse::Counted);
}

#[test]
fn alpha_moves_by_a_sixteenth_towards_the_part_marked_in_each_round() {
    let mut flow = Flow::avoiding("dctcp", 100.0);
    flow.marked(1, 0);
    flow.marked(60, 30);
    flow.path.round += 1;
    flow.marked(40, 0);
    same(flow.inner("alpha"), 1.0 + (0.3 - 1.0) / 16.0);
    flow.path.round += 1;
    flow.marked(50, 0);
    same(flow.inner("alpha"), (1.0 - 0.7 / 16.0) * 15.0 / 16.0);
}

#[test]
fn the_first_mark_cuts_by_half_of_alpha_and_later_ones_of_the_same_window_of_data_do_not() {
    let mut flow = Flow::avoiding("dctcp(alpha=0.5)", 100.0);
    flow.marked(10, 1);
    same(flow.window(), 75.0);
    flow.wait(Span::from_ms(99));
    flow.path.round += 1;
    flow.marked(10, 10);
    same(flow.window(), 75.0);
    flow.wait(Span::from_ms(1));
    flow.marked(10, 0);
    same(flow.window(), 75.0 + 10.0 / 75.0);
    flow.marked(10, 1);
    assert!(flow.window() < 60.0);
}

#[test]
fn a_mark_ends_slow_start() {
    let mut flow = Flow::new("dctcp(alpha=0.5)", SETUP);
    flow.marked(2, 1);
    same(flow.window(), 7.5);
    same(flow.ssthresh(), 7.5);
}

#[test]
fn a_loss_halves_whatever_alpha_says() {
    let mut flow = Flow::avoiding("dctcp(alpha=0)", 100.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 50.0);
}
