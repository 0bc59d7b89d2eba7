// SPDX-License-Identifier: Apache-2.0
//! Scalable TCP.

use super::{Flow, same};
use narrows_cc::Cause;

#[test]
fn every_packet_acknowledged_adds_a_hundredth() {
    let mut flow = Flow::avoiding("scalable", 100.0);
    flow.acked(7);
    same(flow.window(), 100.07);
}

#[test]
fn a_loss_decreases_the_window_by_an_eighth() {
    let mut flow = Flow::avoiding("scalable", 100.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 87.5);
}

#[test]
fn at_16_packets_the_rule_is_renos() {
    let mut flow = Flow::avoiding("scalable", 16.0);
    flow.acked(4);
    same(flow.window(), 16.25);
    let mut flow = Flow::avoiding("scalable", 16.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 8.0);
}
