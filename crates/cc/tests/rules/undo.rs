// SPDX-License-Identifier: Apache-2.0
//! Rules: the state that the undo of a spurious episode restores.

use super::{Flow, SETUP, same};
use narrows_cc::{Cause, UndoRestores, catalogue};
use narrows_units::Span;

/// A flow of algorithm `name` that has been in congestion avoidance for a while, with a window of about 319 packets.
fn grown(name: &str, undo_restores: UndoRestores) -> Flow {
    let setup = SETUP.initial_window(319.0).initial_ssthresh(2.0).undo_restores(undo_restores);
    let mut flow = Flow::new(name, setup);
    for _ in 0..60 {
        round(&mut flow);
    }
    flow
}

fn round(flow: &mut Flow) {
    let window = flow.window();
    for _ in 0..(window as u64 / 2) {
        flow.wait(Span::from_secs_f64(0.2 / window));
        flow.acked(2);
    }
    flow.path.round += 1;
}

/// A loss that proves spurious 25 ms later.
fn spurious_loss(flow: &mut Flow) {
    flow.lost(Cause::Detected);
    flow.wait(Span::from_ms(25));
    flow.algorithm.on_spurious_loss(&flow.path);
    flow.recovered();
}

/// `tcp_undo_cwnd_reduction`: the window is the larger one, ssthresh at least as before, and the flow goes on.
#[test]
fn every_window_algorithm_has_its_window_back() {
    let mut tried = 0;
    for entry in catalogue::entries() {
        for undo_restores in [UndoRestores::State, UndoRestores::Window] {
            let setup = SETUP.initial_window(100.0).initial_ssthresh(60.0).undo_restores(undo_restores);
            let mut flow = Flow::new(entry.card.name, setup);
            if flow.algorithm.ssthresh() != Some(60.0) {
                continue;
            }
            for cause in [Cause::Detected, Cause::Timeout] {
                let (window, ssthresh) = (flow.window(), flow.ssthresh());
                flow.lost(cause);
                flow.algorithm.on_spurious_loss(&flow.path);
                flow.recovered();
                same(flow.window(), window);
                assert!(flow.ssthresh() >= ssthresh, "{}", entry.card.name);
                round(&mut flow);
                assert!(flow.window() > 0.9 * window, "{} {}", entry.card.name, flow.window());
            }
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// `cubictcp_recalc_ssthresh` and `bictcp_recalc_ssthresh` have ended the epoch and noted the maximum, and `tcp_reno_undo_cwnd`
/// restores neither, so that the window has its plateau again.
#[test]
fn in_linux_cubic_and_bic_begin_a_new_epoch() {
    for name in ["cubic", "cubic-linux", "bic", "bic-linux"] {
        let after = |undo_restores, spurious: bool| {
            let mut flow = grown(name, undo_restores);
            if spurious {
                spurious_loss(&mut flow);
            }
            let window = flow.window();
            for _ in 0..40 {
                round(&mut flow);
            }
            flow.window() - window
        };
        let never = after(UndoRestores::State, false);
        same(after(UndoRestores::Window, false), never);
        let (state, window) = (after(UndoRestores::State, true), after(UndoRestores::Window, true));
        assert!((state / never - 1.0).abs() < 0.05, "{name}: {state} of {never}");
        assert!(window < 0.8 * never, "{name}: {window} of {never}");
    }
}

/// `htcp_cwnd_undo` restores the time of the last loss, on which the increase depends.
#[test]
fn in_linux_h_tcp_goes_on_as_if_there_had_been_no_loss() {
    for name in ["htcp", "htcp-linux"] {
        let mut flow = grown(name, UndoRestores::Window);
        let growth = |flow: &mut Flow| {
            let window = flow.window();
            (0..10).for_each(|_| round(flow));
            flow.window() - window
        };
        let before = growth(&mut flow);
        spurious_loss(&mut flow);
        let after = growth(&mut flow);
        assert!(after > 0.9 * before, "{name}: {after} after {before}");
        flow.lost(Cause::Detected);
        flow.recovered();
        let reduced = growth(&mut flow);
        assert!(reduced < 0.5 * before, "{name}: {reduced} after {before}");
    }
}
