// SPDX-License-Identifier: Apache-2.0
//! AILD.

use super::{Flow, same};
use narrows_cc::{Cause, Loss};

fn lost(flow: &mut Flow, lost: u64, new_episode: bool) {
    flow.algorithm.on_loss(&Loss::new(Cause::Detected, lost).new_episode(new_episode), &flow.path);
}

#[test]
fn the_window_grows_by_a_packet_in_a_round_trip() {
    let mut flow = Flow::avoiding("aild", 50.0);
    flow.acked(25);
    same(flow.window(), 50.5);
}

#[test]
fn the_decrease_is_beta_times_the_fraction_of_the_window_that_was_lost() {
    for beta in [100.0, 20.0] {
        let mut flow = Flow::avoiding(&format!("aild(beta={beta})"), 200.0);
        lost(&mut flow, 3, true);
        same(flow.window(), 200.0 - beta * 3.0 / 200.0);
        lost(&mut flow, 5, false);
        same(flow.window(), 200.0 - beta * 8.0 / 200.0);
        same(flow.ssthresh(), flow.window());
        same(flow.inner("f"), 0.04);
    }
}

#[test]
fn each_episode_has_its_own_losses_and_leaves_two_packets() {
    let mut flow = Flow::avoiding("aild", 10.0);
    lost(&mut flow, 10, true);
    same(flow.window(), 2.0);
    flow.recovered();
    lost(&mut flow, 1, true);
    same(flow.inner("f"), 0.5);
}

#[test]
fn a_timeout_halves_ssthresh() {
    let mut flow = Flow::avoiding("aild", 50.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 25.0);
    same(flow.window(), 1.0);
}
