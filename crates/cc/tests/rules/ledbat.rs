// SPDX-License-Identifier: Apache-2.0
//! LEDBAT (RFC 6817) and LEDBAT++ (draft-irtf-iccrg-ledbat-plus-plus-01).

use super::{Flow, SETUP, same};
use narrows_cc::Cause;
use narrows_units::Span;

const MINUTE: Span = Span::from_ms(60_000);

/// A flow with a base delay of 100 ms, in congestion avoidance.
fn flow(name: &str, window: f64) -> Flow {
    let mut flow = Flow::avoiding(name, window);
    flow.acked(0);
    flow
}

/// The filter gives the least of four samples: the fourth of a new delay counts.
fn delayed(flow: &mut Flow, queueing: u64) {
    (0..4).for_each(|_| flow.acked_after(0, Span::from_ms(100 + queueing)));
}

/// The change of a window of 20 packets by an acknowledgement of 10 at this queueing delay, ms.
fn ledbat_step(name: &str, queueing: u64) -> f64 {
    let mut flow = flow(name, 20.0);
    delayed(&mut flow, queueing);
    flow.acked_after(10, Span::from_ms(100 + queueing));
    flow.window() - 20.0
}

/// RFC 6817 §2.4.2: `cwnd += GAIN * off_target * bytes_newly_acked * MSS / cwnd`.
#[test]
fn ledbat_changes_its_window_in_proportion_to_what_lacks_of_the_target() {
    same(ledbat_step("ledbat", 0), 0.5);
    same(ledbat_step("ledbat", 50), 0.25);
    same(ledbat_step("ledbat", 100), 0.0);
    same(ledbat_step("ledbat", 150), -0.25);
    same(ledbat_step("ledbat(target=0.05,gain=0.5)", 25), 0.125);
}

/// RFC 6817 §2.4.2 and §2.5: `MIN_CWND` is 2.
#[test]
fn ledbat_keeps_two_packets() {
    let mut flow = flow("ledbat", 2.5);
    delayed(&mut flow, 2_000);
    (0..10).for_each(|_| flow.acked_after(10, Span::from_ms(2_100)));
    same(flow.window(), 2.0);
}

/// RFC 6817 §2.4.2 has no slow start.
#[test]
fn ledbat_starts_linearly() {
    let mut flow = Flow::new("ledbat", SETUP.initial_window(2.0));
    flow.acked(2);
    same(flow.window(), 3.0);
    flow.acked(3);
    same(flow.window(), 4.0);
}

#[test]
fn ledbat_halves_its_window_after_a_loss() {
    let mut flow = flow("ledbat", 20.0);
    flow.lost(Cause::Detected);
    same(flow.window(), 10.0);
}

/// RFC 6817 §4.2: a list of minima, each of a minute; ten of them count.
#[test]
fn the_base_delay_is_the_least_of_ten_minutes() {
    let mut flow = flow("ledbat", 20.0);
    for minute in 1..=10 {
        flow.wait(MINUTE);
        delayed(&mut flow, 30);
        let base = flow.inner("base_delay_s");
        same(base, if minute < 10 { 0.1 } else { 0.13 });
    }
    flow.wait(MINUTE * 100);
    delayed(&mut flow, 70);
    same(flow.inner("base_delay_s"), 0.17);
}

/// §4.2: GAIN = 1 / min(16, CEIL(2 * TARGET / base)); 120 / 100 is above 1.
#[test]
fn the_gain_of_ledbat_plus_plus_falls_with_the_base_delay() {
    same(ledbat_step("ledbat-pp", 0), 0.25);
    same(ledbat_step("ledbat-pp(target=0.05)", 0), 0.5);
    same(ledbat_step("ledbat-pp(target=1)", 0), 0.5 / 16.0);
    // Below the target the growth does not depend on the delay.
    same(ledbat_step("ledbat-pp", 59), 0.25);
}

/// §4.3: once per round trip, W += max(GAIN - W * (delay / target - 1), -W / 2).
#[test]
fn ledbat_plus_plus_decreases_once_per_round_trip_by_the_excess_over_its_target() {
    let step = |queueing: u64| {
        let mut flow = flow("ledbat-pp", 20.0);
        delayed(&mut flow, queueing);
        let before = flow.window();
        flow.path.round += 1;
        flow.acked_after(5, Span::from_ms(100 + queueing));
        let change = flow.window() - before;
        flow.acked_after(5, Span::from_ms(100 + queueing));
        same(flow.window() - before, change);
        change
    };
    same(step(66), 0.5 - 20.0 * 0.1);
    same(step(120), -10.0);
    // 20 (60.6 / 60 - 1) is less than the gain.
    let mut flow = flow("ledbat-pp", 20.0);
    (0..4).for_each(|_| flow.acked_after(0, Span::from_us(160_600)));
    flow.path.round += 1;
    flow.acked_after(5, Span::from_us(160_600));
    same(flow.window(), 20.0 + 0.5 - 0.2);
}

/// §4.1 and §4.4: the first slow start grows by GAIN and ends at 3/4 of the target; after two round trips the window is two
/// packets for two more, and slow start leads back.
#[test]
fn ledbat_plus_plus_slows_down_after_its_first_slow_start() {
    let mut flow = Flow::new("ledbat-pp", SETUP);
    flow.acked(10);
    same(flow.window(), 15.0);
    delayed(&mut flow, 44);
    assert!(flow.ssthresh().is_infinite());
    delayed(&mut flow, 46);
    same(flow.ssthresh(), 15.0);
    for _ in 0..2 {
        same(flow.window(), 15.0);
        flow.path.round += 1;
        flow.acked_after(0, Span::from_ms(100));
    }
    for _ in 0..2 {
        same(flow.window(), 2.0);
        same(flow.ssthresh(), 15.0);
        flow.acked(2);
        flow.path.round += 1;
    }
    flow.acked(2);
    same(flow.window(), 3.0);
    flow.acked(100);
    assert!(flow.window() > 15.0);
}

/// §4.4: slowdowns take a tenth of the time.
#[test]
fn the_next_slowdown_follows_after_nine_times_the_duration_of_the_last() {
    let mut flow = Flow::new("ledbat-pp", SETUP);
    flow.acked(0);
    delayed(&mut flow, 46);
    flow.path.round += 2;
    flow.acked(0);
    same(flow.window(), 2.0);
    flow.wait(Span::from_ms(300));
    flow.path.round += 2;
    flow.acked(0);
    flow.acked(100);
    flow.acked(0);
    assert!(flow.window() >= 10.0);
    flow.wait(Span::from_ms(2_699));
    flow.acked(1);
    assert!(flow.window() >= 10.0);
    flow.wait(Span::from_ms(1));
    flow.acked(1);
    same(flow.window(), 2.0);
}
