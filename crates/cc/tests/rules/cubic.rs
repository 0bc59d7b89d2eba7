// SPDX-License-Identifier: Apache-2.0
//! The versions of CUBIC.

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

#[test]
fn a_loss_multiplies_the_window_by_each_versions_factor() {
    for (name, kept) in [("cubic", 700.0), ("cubic-2008", 800.0), ("cubic-linux", 700.0)] {
        let mut flow = Flow::avoiding(name, 1000.0);
        flow.lost(Cause::Detected);
        same(flow.window(), kept);
    }
}

#[test]
fn linux_rounds_717_of_1024_down() {
    for (from, to) in [(134.0, 93.0), (140.0, 98.0)] {
        let mut flow = Flow::avoiding("cubic-linux", from);
        flow.lost(Cause::Detected);
        same(flow.window(), to);
    }
}

#[test]
fn a_loss_below_w_max_lowers_it_further() {
    for (name, w_max) in [("cubic", 595.0), ("cubic-2008", 720.0), ("cubic-linux", 595.0)] {
        let mut flow = Flow::avoiding(name, 1000.0);
        flow.lost(Cause::Detected);
        flow.lost(Cause::Detected);
        same(flow.inner("w_max"), w_max);
    }
}

#[test]
fn without_fast_convergence_w_max_is_the_last_window() {
    for name in ["cubic(fast_convergence=false)", "cubic-linux(fast_convergence=false)"] {
        let mut flow = Flow::avoiding(name, 1000.0);
        flow.lost(Cause::Detected);
        flow.lost(Cause::Detected);
        same(flow.inner("w_max"), 700.0);
    }
}

#[test]
fn rfc_9438_after_a_timeout_the_cubic_starts_at_its_plateau() {
    let mut flow = Flow::avoiding("cubic", 1000.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 700.0);
    flow.acked(699);
    flow.acked(1);
    same(flow.inner("k"), 0.0);
    same(flow.inner("w_max"), 700.0);
}

#[test]
fn rfc_9438_the_target_is_at_most_one_and_a_half_windows() {
    let mut flow = Flow::avoiding("cubic(c=1000)", 10.0);
    flow.acked(1);
    flow.wait(Span::from_ms(10_000));
    let before = flow.window();
    flow.acked(1);
    same(flow.window(), before + 0.5);
}

#[test]
fn rfc_9438_w_est_grows_by_alpha_up_to_cwnd_prior_and_then_by_one() {
    let mut flow = Flow::avoiding("cubic(c=0.001)", 20.0);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked(1);
    flow.wait(Span::from_ms(1));
    let alpha = 3.0 * 0.3 / 1.7;
    let (window, w_est) = (flow.window(), flow.inner("w_est"));
    flow.acked(1);
    same(flow.inner("w_est"), w_est + alpha / window);
    while flow.inner("w_est") < 20.0 {
        flow.acked(1);
    }
    let (window, w_est) = (flow.window(), flow.inner("w_est"));
    flow.acked(1);
    same(flow.inner("w_est"), w_est + 1.0 / window);
}

#[test]
fn rfc_9438_time_in_which_the_window_did_not_limit_the_sender_does_not_count() {
    let after_a_pause = |pause: Span| {
        let mut flow = Flow::avoiding("cubic", 1000.0);
        flow.lost(Cause::Detected);
        flow.recovered();
        flow.acked(1);
        flow.path.window_limited = false;
        flow.wait(pause);
        flow.acked(1);
        flow.path.window_limited = true;
        flow.acked(1);
        flow.wait(Span::from_ms(100));
        flow.acked(100);
        flow.window()
    };
    same(after_a_pause(Span::from_ms(30_000)), after_a_pause(Span::ZERO));
}

#[test]
fn rfc_9438_a_mark_may_leave_one_packet_and_a_loss_leaves_two() {
    for (cause, left) in [(Cause::Mark, 1.4), (Cause::Detected, 2.0)] {
        let mut flow = Flow::avoiding("cubic", 2.0);
        flow.lost(cause);
        same(flow.window(), left);
    }
}

/// A flow after the recovery from a loss at `window` packets.
fn after_a_loss_at(name: &str, window: f64) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow
}

#[test]
fn the_cubic_is_evaluated_one_round_trip_ahead() {
    for (name, kept) in [("cubic", 700.0), ("cubic-2008", 800.0)] {
        let mut flow = after_a_loss_at(name, 1000.0);
        flow.acked(1);
        flow.wait(Span::from_ms(50));
        let before = flow.window();
        flow.acked(1);
        let after_k = 0.15 - libm::cbrt((1000.0 - kept) / 0.4);
        let target = 1000.0 + 0.4 * after_k * after_k * after_k;
        same(flow.window(), before + (target - before) / before);
    }
}

#[test]
fn the_increase_of_2008_is_at_least_that_of_reno_with_its_decrease() {
    let mut flow = after_a_loss_at("cubic-2008(c=0.001)", 20.0);
    flow.acked(8);
    same(flow.window(), 16.0 + 8.0 / 16.0 * 0.6 / 1.8);
}

#[test]
fn the_rule_of_2008_resets_w_max_at_a_timeout() {
    let mut flow = after_a_loss_at("cubic-2008", 1000.0);
    flow.lost(Cause::Timeout);
    flow.acked(639);
    same(flow.window(), 640.0);
    flow.acked(10);
    same(flow.window(), 640.2);
}

#[test]
fn the_rule_of_2005_has_its_limit_below_w_max_too() {
    let grown = |name: &str| {
        let mut flow = after_a_loss_at(name, 10_000.0);
        flow.acked(100);
        flow.window() - 8_000.0
    };
    same(grown("cubic-2008(limit=always)"), 100.0 / 8_000.0 * 16.0);
    same(grown("cubic-2005"), 100.0 / 8_000.0 * 16.0);
    assert!(grown("cubic-2008") > 2.0 * grown("cubic-2008(limit=always)"));
}

#[test]
fn the_rule_of_2008_adds_at_most_one_packet_for_each_packet_acknowledged() {
    let mut flow = after_a_loss_at("cubic-2008(s_max=1000000)", 10.0);
    flow.acked(1);
    flow.wait(Span::from_ms(30_000));
    let before = flow.window();
    flow.acked(3);
    same(flow.window(), before + 3.0);
}

#[test]
fn the_rule_of_2008_grows_by_a_fiftieth_before_any_loss() {
    let mut flow = Flow::avoiding("cubic-2008", 1000.0);
    flow.acked(10);
    same(flow.window(), 1000.2);
}

#[test]
fn the_rule_of_2008_grows_by_at_most_16_packets_in_100_ms() {
    let mut flow = Flow::avoiding("cubic-2008", 1000.0);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked(1);
    flow.wait(Span::from_ms(30_000));
    let before = flow.window();
    flow.acked(100);
    same(flow.window(), before + 100.0 / before * 16.0);
}

#[test]
fn linux_windows_are_whole_packets() {
    let mut flow = Flow::avoiding("cubic-linux", 100.0);
    flow.lost(Cause::Detected);
    flow.recovered();
    for _ in 0..1000 {
        flow.wait(Span::from_us(700));
        flow.acked(2);
        same(flow.window().fract(), 0.0);
    }
    assert!(flow.window() > 70.0);
}

/// In whole numbers: K = 25241; 96.1 ms are 25 jiffies, so t = 102, target = 14076, cnt = ⌊14003 / 73⌋ = 191. With 24
/// jiffies the count would be 200.
#[test]
fn linux_rounds_the_minimum_round_trip_time_up_to_a_jiffy() {
    let mut flow = Flow::avoiding("cubic-linux", 20_000.0);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked_after(1, Span::from_us(96_100));
    same(flow.inner("k"), 25241.0 / 1024.0);
    same(flow.inner("cnt"), 191.0);
}

#[test]
fn linux_computes_cnt_after_more_than_seven_jiffies_or_when_the_window_changed() {
    let mut flow = after_a_loss_at("cubic-linux", 20_000.0);
    flow.acked(1);
    let first = flow.inner("cnt");
    flow.wait(Span::from_ms(28));
    flow.acked(1);
    same(flow.inner("cnt"), first);
    flow.wait(Span::from_ms(4));
    flow.acked(1);
    let second = flow.inner("cnt");
    assert!(second < first, "{second} is not below {first}");
    flow.wait(Span::from_ms(8));
    flow.acked(first as u64);
    flow.acked(1);
    assert!(flow.inner("cnt") < second);
}

#[test]
fn linux_computes_the_target_at_most_once_in_a_jiffy() {
    let mut flow = after_a_loss_at("cubic-linux", 20_000.0);
    flow.acked(1);
    let (count, window) = (flow.inner("cnt"), flow.window());
    flow.acked(10 * count as u64);
    assert!(flow.window() > window);
    flow.acked(1);
    same(flow.inner("cnt"), count);
}

#[test]
fn linux_adds_at_most_one_packet_for_two_packets_acknowledged() {
    let mut flow = after_a_loss_at("cubic-linux", 1000.0);
    flow.acked(1);
    flow.wait(Span::from_ms(60_000));
    flow.acked(1);
    let window = flow.window();
    flow.acked(100);
    same(flow.window(), window + 50.0);
}

/// 19 of the 20 packets for an increase are acknowledged before the loss, and 60 of 70 after it.
#[test]
fn linux_resets_its_count_at_a_loss() {
    let mut flow = Flow::avoiding("cubic-linux", 1000.0);
    flow.acked(19);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow.acked(60);
    same(flow.inner("cnt"), 70.0);
    same(flow.window(), 700.0);
}

/// RFC 9438 §4.2, §4.3: a stage of congestion avoidance has its own `t`, `K` and `W_est`; §4.4: at most half a packet for each
/// packet acknowledged.
#[test]
fn the_stage_after_an_idle_restart_starts_at_its_own_window() {
    let mut flow = Flow::new("cubic", SETUP.initial_ssthresh(100.0));
    flow.acked(90);
    // W_est falls far behind or runs far ahead of the window that the restart leaves.
    for _ in 0..300 {
        flow.wait(Span::from_ms(50));
        flow.acked(60);
    }
    assert!(flow.inner("w_est") > 150.0);
    flow.idle(Span::from_ms(30_000), 100);
    same(flow.window(), 10.0);
    flow.acked(90);
    same(flow.window(), 100.0);
    flow.acked(2);
    let grown = flow.window() - 100.0;
    assert!((0.0..1.0).contains(&grown), "{grown}");
    assert!(flow.inner("w_est") < 101.0);
}

/// RFC 9438 §5.8: the idle time begins with the last acknowledgement, though the window limited the sender until then.
#[test]
fn a_pause_shorter_than_a_timeout_does_not_count() {
    let after_a_pause = |pause: Span| {
        let mut flow = after_a_loss_at("cubic", 1000.0);
        flow.acked(1);
        flow.idle(pause, 0);
        flow.wait(Span::from_ms(100));
        flow.acked(100);
        flow.window()
    };
    same(after_a_pause(Span::from_ms(5_000)), after_a_pause(Span::ZERO));
}

#[test]
fn linux_does_not_count_idle_time() {
    let after_a_pause = |pause: Span| {
        let mut flow = after_a_loss_at("cubic-linux", 1000.0);
        flow.acked(1);
        flow.path.in_flight = 0;
        flow.idle(pause, 1);
        flow.acked(1000);
        flow.inner("cnt")
    };
    same(after_a_pause(Span::from_ms(30_000)), after_a_pause(Span::ZERO));
}

#[test]
fn linux_resets_w_max_at_a_timeout() {
    let mut flow = after_a_loss_at("cubic-linux", 1000.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 490.0);
    same(flow.inner("w_max"), 0.0);
    flow.acked(489);
    flow.acked(20);
    same(flow.window(), 491.0);
}

#[test]
fn linux_grows_by_a_twentieth_before_the_first_loss() {
    let mut flow = Flow::avoiding("cubic-linux", 1000.0);
    flow.acked(20);
    same(flow.window(), 1001.0);
}
