//! Where the rules that read delay or marks come to rest.

use super::binomial::mean;
use super::host::{Host, Link};
use super::{build, mean_from, near};
use narrows_units::{Span, Time};

const RTT: Span = Span::from_ms(100);
/// 1000 packets a second; the path holds 101 without a queue.
const LINK: Link = Link { service: Span::from_ms(1), delay: RTT, buffer: 1_000_000, per_ack: 1, quick: 0 };

/// Wei et al. 2006 §III: a flow keeps `α` packets in the queue and loses nothing.
#[test]
fn fast_rests_with_alpha_packets_in_the_queue() {
    for (name, alpha) in
        [("fast", 200.0), ("fast(update=round)", 200.0), ("fast(alpha=50,update=round)", 50.0)]
    {
        let mut host = Host::new(build(name, 10.0, 20.0), LINK, |_| false);
        host.run(Time::ZERO + RTT * 500);
        near(host.window() - 101.0, alpha, 0.01);
        assert!(host.cuts.is_empty());
    }
}

/// NIST SP 500-282 §10.1.2.4: below the thresholds `α` falls by a level every 200 s, and the queue with it.
#[test]
fn the_queue_of_a_slow_fast_at_flow_falls_from_200_to_20_to_8_packets() {
    let mut host = Host::new(build("fast-at(update=round)", 10.0, 20.0), LINK, |_| false);
    for (seconds, queued) in [(190, 200.0), (390, 20.0), (590, 8.0)] {
        host.run(Time::ZERO + Span::from_ms(1_000) * seconds);
        near(host.window() - 101.0, queued, 0.01);
    }
}

/// Five updates see the effect of none of them: where the queue is short against the path, the loop is unstable.
#[test]
fn fast_with_five_updates_in_a_round_trip_and_a_short_queue_swings_for_ever() {
    let mut host = Host::new(build("fast(alpha=50)", 10.0, 20.0), LINK, |_| false);
    host.run(Time::ZERO + RTT * 500);
    let (mut least, mut most) = (f64::MAX, 0.0f64);
    while host.now < Time::ZERO + RTT * 600 {
        host.step();
        least = least.min(host.window());
        most = most.max(host.window());
    }
    assert!(least < 101.0 && most > 200.0 && host.cuts.is_empty(), "from {least} to {most}");
}

/// Brakmo and Peterson 1995: between `α` and `β` packets in the queue.
#[test]
fn vegas_rests_with_two_to_four_packets_in_the_queue() {
    let mut host = Host::new(build("vegas", 10.0, f64::INFINITY), LINK, |_| false);
    host.run(Time::ZERO + RTT * 500);
    let queued = host.window() - 101.0;
    assert!((2.0..=4.0).contains(&queued) && host.cuts.is_empty(), "{queued}");
    let later = host.run(Time::ZERO + RTT * 600);
    near(later, host.window(), 1e-9);
}

/// Tan et al. 2006 §III: without queue the window grows by `α W^k` in a round trip, but not in the two that repair a loss
/// and measure the first round after it.
#[test]
fn the_mean_window_of_compound_without_queue_is_that_of_its_cycle() {
    for loss_interval in [20_000, 200_000] {
        let expected = mean((-0.75, 1.0), (0.125, 0.5), loss_interval);
        near(mean_from("ctcp", expected, loss_interval, 500, 2_500), expected, 0.08);
    }
}

/// Alizadeh et al. 2010 §3.3: alpha = sqrt(2 / W) with W the window at which marking begins, `C · RTT + K`; the queue
/// swings by half of `sqrt(2 W)` packets for one flow and never empties.
#[test]
fn dctcp_rests_with_alpha_of_the_root_of_two_over_the_window() {
    let mut host = Host::new(build("dctcp", 10.0, f64::INFINITY), LINK, |_| false);
    host.mark_above = 40;
    host.run(Time::ZERO + RTT * 1_000);
    let (mut sum, mut samples, mut least, mut most) = (0.0, 0.0, f64::MAX, 0.0f64);
    while host.now < Time::ZERO + RTT * 2_000 {
        host.step();
        host.algorithm.observe(&mut |_, alpha| sum += alpha);
        samples += 1.0;
        least = least.min(host.window());
        most = most.max(host.window());
    }
    let full = 101.0 + 40.0;
    near(sum / samples, libm::sqrt(2.0 / full), 0.2);
    assert!(least > 101.0 && most < full + 3.0, "from {least} to {most}");
}
