// SPDX-License-Identifier: Apache-2.0
//! The algorithms that Linux 6.12 computes in another way than their papers.

use super::{ACK, Flow, SETUP, same};
use narrows_cc::{Cause, Setup};
use narrows_units::Span;

/// A flow in congestion avoidance after a loss that left it `window` packets.
fn after_a_loss_to(name: &str, before: f64) -> Flow {
    let mut flow = Flow::avoiding(name, before);
    flow.lost(Cause::Detected);
    flow.recovered();
    flow
}

/// Acknowledgements of `packets` packets each until the window is one packet larger.
fn acks_to_grow(flow: &mut Flow, packets: u64) -> u32 {
    let before = flow.window();
    let mut count = 0;
    while flow.window() < before + 1.0 {
        flow.acked(packets);
        count += 1;
    }
    same(flow.window(), before + 1.0);
    count
}

#[test]
fn a_loss_rounds_down() {
    for (name, before, after) in [
        ("bic-linux", 1000.0, 799.0),
        ("bic-linux", 15.0, 11.0),
        ("bic-linux", 14.0, 7.0),
        ("bic-linux", 3.0, 2.0),
        ("scalable-linux", 135.0, 119.0),
        ("scalable-linux", 2.0, 2.0),
        ("htcp-linux", 135.0, 67.0),
        ("highspeed-linux", 30.0, 15.0),
        ("vegas-linux", 85.0, 42.0),
    ] {
        same(after_a_loss_to(name, before).ssthresh(), after);
    }
}

#[test]
fn bic_divides_the_packets_of_an_increase_by_those_of_an_acknowledgement() {
    // At 799 of 1000 packets: one packet for each floor(799 / 16) = 49, over packets per acknowledgement.
    for (each, ratio, cnt) in [(1, 31.0 / 16.0, 25.0), (2, 2.0, 24.0), (4, 4.0, 12.0), (16, 16.0, 3.0)] {
        let mut flow = after_a_loss_to("bic-linux", 1000.0);
        flow.path.window_limited = false;
        for _ in 0..200 {
            flow.acked(each);
        }
        flow.path.window_limited = true;
        flow.acked(each);
        // Whole numbers: a mean that has started at two packets does not fall below 31/16 with one for each.
        same(flow.inner("packets_per_ack"), ratio);
        same(flow.inner("cnt"), cnt);
    }
}

#[test]
fn bic_searches_in_whole_packets() {
    for (window, cnt) in [(812.0, 50.0), (936.0, 58.0), (993.0, 993.0 * 5.0), (997.0, 997.0 * 5.0)] {
        let mut flow = after_a_loss_to("bic-linux", 1000.0);
        flow.algorithm.set_window(window, true);
        flow.wait(Span::from_ms(40));
        flow.acked(1);
        let expected = f64::floor(cnt * 16.0 / f64::floor(flow.inner("packets_per_ack") * 16.0));
        same(flow.inner("cnt"), expected);
    }
}

#[test]
fn bic_has_no_mean_of_recoveries() {
    let mut flow = Flow::avoiding("bic-linux", 100.0);
    let before = flow.inner("packets_per_ack");
    flow.lost(Cause::Detected);
    flow.acked(50);
    flow.recovered();
    // The acknowledgement that ends the recovery belongs to it.
    flow.acked(50);
    same(flow.inner("packets_per_ack"), before);
    flow.acked(18);
    assert!(flow.inner("packets_per_ack") > before);
}

#[test]
fn a_timeout_resets_the_search_of_bic() {
    let mut flow = after_a_loss_to("bic-linux", 100.0);
    flow.lost(Cause::Timeout);
    same(flow.ssthresh(), 63.0);
    same(flow.inner("w_max"), 0.0);
    same(flow.inner("packets_per_ack"), 2.0);
}

#[test]
fn highspeed_adds_its_row_of_the_table_for_each_acknowledgement() {
    // RFC 3649, appendix B: a = 2 above 38 packets, up to 118.
    for each in [1, 2, 8] {
        let mut flow = Flow::avoiding("highspeed-linux", 100.0);
        assert_eq!(acks_to_grow(&mut flow, each), 50);
        same(flow.inner("a"), 2.0);
    }
    for (window, row) in [(38.0, 1.0), (39.0, 2.0), (118.0, 2.0), (119.0, 3.0), (90_000.0, 72.0)] {
        let mut flow = Flow::avoiding("highspeed-linux", window);
        flow.acked(1);
        same(flow.inner("a"), row);
    }
}

#[test]
fn a_loss_in_highspeed_decreases_by_its_row() {
    // Rows 2 and 10 of the table: 112 and 78 of 256.
    for (window, after) in [(100.0, 100.0 - 43.0), (1500.0, 1500.0 - 457.0)] {
        let mut flow = Flow::avoiding("highspeed-linux", window);
        flow.acked(1);
        flow.lost(Cause::Detected);
        same(flow.window(), after);
    }
}

#[test]
fn highspeed_and_htcp_drop_what_is_left_of_the_acknowledgement_that_ends_slow_start() {
    for (name, after) in [("highspeed-linux", 40.0), ("htcp-linux", 40.0), ("scalable-linux", 42.0)] {
        let mut flow = Flow::new(name, SETUP.initial_window(38.0).initial_ssthresh(40.0));
        flow.acked(2 + 80);
        same(flow.window(), after);
    }
}

#[test]
fn scalable_adds_a_packet_for_each_hundred_or_for_each_window_below() {
    for (window, packets) in [(50.0, 50), (99.0, 99), (150.0, 100), (1000.0, 100)] {
        assert_eq!(acks_to_grow(&mut Flow::avoiding("scalable-linux", window), 1), packets);
    }
}

#[test]
fn westwood_halves_its_window_and_continues_after_the_recovery_with_bandwidth_times_minimum_round_trip_time()
{
    let mut flow = Flow::avoiding("westwood-linux", 80.0);
    flow.path.window_limited = false;
    // 500 packets per second in round trips of 100 ms, which are 25 jiffies.
    for _ in 0..3000 {
        flow.wait(Span::from_ms(10));
        flow.acked(5);
    }
    flow.lost(Cause::Detected);
    same(flow.window(), 40.0);
    flow.recovered();
    // Bytes per jiffy are rounded down: less than 50 packets.
    assert!((48.0..50.0).contains(&flow.window()), "{}", flow.window());
    same(flow.ssthresh(), flow.window());
    flow.lost(Cause::Timeout);
    same(flow.window(), 1.0);
    let product = flow.ssthresh();
    assert!((48.0..50.0).contains(&product), "{product}");
    // The minimum is taken anew: 160 ms are 40 jiffies.
    flow.acked_after(5, Span::from_ms(160));
    flow.lost(Cause::Detected);
    flow.recovered();
    assert!((flow.window() / product - 1.6).abs() < 0.05, "{}", flow.window());
}

#[test]
fn the_recovery_of_westwood_can_raise_the_window() {
    let mut flow = Flow::avoiding("westwood-linux", 20.0);
    flow.path.window_limited = false;
    for _ in 0..3000 {
        flow.wait(Span::from_ms(10));
        flow.acked(5);
    }
    flow.lost(Cause::Detected);
    same(flow.window(), 10.0);
    flow.recovered();
    assert!(flow.window() > 47.0);
}

#[test]
fn htcp_adds_a_packet_when_alpha_times_the_count_reaches_the_window_and_drops_the_rest() {
    // α is 1 before the first loss and f = 1 without scaling: 10 packets are counted by the 5th ACK, the 6th adds.
    let mut flow = Flow::avoiding("htcp-linux(rtt_scaling=false)", 10.0);
    assert_eq!(acks_to_grow(&mut flow, 2), 6);
    same(flow.inner("alpha"), 1.0);
    assert_eq!(acks_to_grow(&mut flow, 2), 7);
}

#[test]
fn the_alpha_of_a_loss_in_htcp_adds_the_first_packet_after_it() {
    let mut flow = Flow::avoiding("htcp-linux(rtt_scaling=false)", 100.0);
    flow.wait(Span::from_ms(200));
    flow.acked(1);
    flow.wait(Span::from_ms(3000));
    flow.lost(Cause::Detected);
    // D = 3.1 s, counted from the establishment: f = 1 + floor(21 + 1.1) = 23, with β = 1/2.
    same(flow.inner("alpha"), 23.0);
    flow.wait(Span::from_ms(100));
    flow.recovered();
    same(flow.inner("alpha"), 23.0);
    let _ = acks_to_grow(&mut flow, 1);
    same(flow.inner("alpha"), 1.0);
}

#[test]
fn the_beta_of_htcp_is_the_ratio_of_round_trip_times_in_jiffies_once_the_throughput_is_steady() {
    let mut flow = Flow::avoiding("htcp-linux(bandwidth_switch=false)", 100.0);
    let sample = |flow: &mut Flow, ms: u64| {
        flow.algorithm.on_ack(&ACK.newly_acked(1).rtt(Some(Span::from_ms(ms))), &flow.path);
    };
    sample(&mut flow, 80);
    sample(&mut flow, 99);
    // More than 20 ms above the maximum.
    sample(&mut flow, 150);
    flow.lost(Cause::Detected);
    same(flow.inner("beta"), 0.5);
    flow.recovered();
    flow.acked(1);
    flow.lost(Cause::Detected);
    // 20 over 25 jiffies, of which the first loss left 20 + floor(5 * 0.95) = 24.
    same(flow.inner("beta"), f64::floor(128.0 * 20.0 / 24.0).min(102.0) / 128.0);
}

#[test]
fn after_a_timeout_htcp_counts_the_time_from_the_end_of_its_recovery() {
    let mut flow = Flow::avoiding("htcp-linux(rtt_scaling=false)", 10.0);
    flow.acked(1);
    flow.lost(Cause::Timeout);
    flow.wait(Span::from_ms(3000));
    flow.recovered();
    flow.algorithm.set_window(10.0, true);
    flow.acked(1);
    let _ = acks_to_grow(&mut flow, 1);
    same(flow.inner("alpha"), 1.0);
}

/// `vegas-linux` at `window` packets, all of which are in flight, with a `base` of 100 ms.
fn vegas(setup: Setup) -> Flow {
    let mut flow = Flow::new("vegas-linux", setup);
    flow.path.in_flight = setup.initial_window as u64;
    // The first packets are acknowledged in a round of their own, with one sample.
    flow.acked(1);
    flow
}

fn avoiding(window: f64) -> Flow {
    vegas(SETUP.initial_window(window).initial_ssthresh(2.0))
}

/// The packets of a window, a sample of `rtt` for every two, and the sample of the packet after them, which ends the
/// round.
fn vegas_round(flow: &mut Flow, rtt: Span) {
    let window = flow.path.in_flight;
    for _ in 0..window / 2 {
        flow.acked_after(2, rtt);
    }
    flow.acked_after(2, rtt);
    flow.path.in_flight = flow.window() as u64;
}

#[test]
fn vegas_counts_the_queue_as_a_part_of_the_minimum_round_trip_time() {
    // 100 packets in 102, 105 and 125 ms: the paper, which divides by the present time, has 1.9, 4.8 and 20.
    for (rtt, queued, step) in [
        (100, 0.0, 1.0),
        (101, 1.0, 1.0),
        (102, 2.0, 0.0),
        (104, 4.0, 0.0),
        (105, 5.0, -1.0),
        (125, 25.0, -1.0),
    ] {
        let mut flow = avoiding(100.0);
        let before = flow.window();
        vegas_round(&mut flow, Span::from_ms(rtt) + Span::from_us(1));
        same(flow.inner("queued"), queued);
        same(flow.window() - before, step);
    }
}

#[test]
fn vegas_decides_once_for_each_window_of_packets() {
    let mut flow = avoiding(100.0);
    let before = flow.window();
    for _ in 0..100 {
        flow.acked(1);
    }
    same(flow.window(), before);
    flow.acked(1);
    same(flow.window(), before + 1.0);
}

#[test]
fn vegas_lowers_a_window_that_does_not_limit_the_sender_and_raises_none() {
    for (rtt, step) in [(150, -1.0), (100, 0.0)] {
        let mut flow = avoiding(100.0);
        flow.path.window_limited = false;
        let before = flow.window();
        vegas_round(&mut flow, Span::from_ms(rtt));
        same(flow.window() - before, step);
    }
}

#[test]
fn vegas_ends_slow_start_at_the_window_of_an_empty_queue_and_one_more() {
    let mut flow = vegas(SETUP.initial_window(20.0));
    for _ in 0..20 {
        flow.acked_after(1, Span::from_ms(125));
    }
    same(flow.window(), 41.0);
    flow.acked_after(1, Span::from_ms(125));
    // floor(41 * 0.8) + 1.
    same(flow.window(), 33.0);
    same(flow.ssthresh(), 33.0);
}

#[test]
fn after_a_recovery_vegas_begins_a_round() {
    let mut flow = avoiding(100.0);
    for _ in 0..60 {
        flow.acked_after(1, Span::from_ms(150));
    }
    flow.lost(Cause::Detected);
    flow.path.in_flight = 50;
    flow.recovered();
    flow.acked(1);
    // The round before would end here, and its samples would lower the window.
    for _ in 0..50 {
        flow.acked_after(1, Span::from_ms(100));
    }
    same(flow.window(), 50.0);
    flow.acked_after(1, Span::from_ms(100));
    same(flow.window(), 51.0);
}

#[test]
fn vegas_measures_its_base_anew_after_a_timeout_and_after_it_ran_out_of_data() {
    for timeout in [true, false] {
        let mut flow = avoiding(100.0);
        if timeout {
            flow.lost(Cause::Timeout);
            flow.recovered();
            flow.algorithm.set_window(100.0, true);
        } else {
            flow.path.in_flight = 0;
        }
        flow.acked_after(1, Span::from_ms(150));
        flow.path.in_flight = 100;
        flow.acked_after(1, Span::from_ms(150));
        let before = flow.window();
        vegas_round(&mut flow, Span::from_ms(150));
        same(flow.inner("queued"), 0.0);
        same(flow.window(), before + 1.0);
    }
}
