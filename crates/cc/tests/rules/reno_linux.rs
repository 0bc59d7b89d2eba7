// SPDX-License-Identifier: Apache-2.0
//! Reno as in Linux.

use super::{Flow, same};
use narrows_cc::Cause;

#[test]
fn the_window_grows_by_whole_packets_once_a_window_is_acknowledged() {
    let mut flow = Flow::avoiding("reno-linux", 20.0);
    flow.acked(19);
    same(flow.window(), 20.0);
    flow.acked(1);
    same(flow.window(), 21.0);
}

#[test]
fn a_loss_rounds_down_and_resets_the_count() {
    let mut flow = Flow::avoiding("reno-linux", 135.0);
    flow.acked(134);
    flow.lost(Cause::Detected);
    same(flow.window(), 67.0);
    flow.recovered();
    flow.acked(66);
    same(flow.window(), 67.0);
    flow.acked(1);
    same(flow.window(), 68.0);
}
