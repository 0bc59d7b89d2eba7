// SPDX-License-Identifier: Apache-2.0
//! The example of docs/your-algorithm.md that is not a window rule: it satisfies the contract of all algorithms, and its rule.

#[path = "../../cc/tests/facts/mod.rs"]
mod facts;
#[path = "examples/rate.rs"]
mod paced;
#[path = "../../cc/tests/contract/promises.rs"]
mod promises;

use narrows_cc::units::{Bytes, Span, Time};
use narrows_cc::{Ack, Algorithm, Cause, CongestionControl, Entry, Loss, Path, RttView, Setup};

/// The algorithms under test.
fn subjects() -> impl Iterator<Item = &'static Entry> {
    std::iter::once(&paced::ENTRY)
}

const SETUP: Setup = Setup::new(Bytes::new(1460), 1);

fn algorithm() -> Box<dyn CongestionControl> {
    Algorithm::among([&paced::ENTRY], "paced", Vec::new()).expect("its own name").build(&SETUP)
}

/// The packets per second after an acknowledgement in round trip `round` of `rtt_ms`, 40 ms of which are propagation.
fn rate_after_round(algorithm: &mut dyn CongestionControl, round: u64, rtt_ms: u64) -> f64 {
    let rtt = Span::from_ms(rtt_ms);
    let view = RttView::new(rtt).min(Span::from_ms(40)).variation(Span::ZERO);
    let now = Time::ZERO + rtt * round;
    let path = Path::new(now, SETUP.mss).in_flight(10).rtt(Some(view)).round(round).window_limited(false);
    let ack = Ack::new(1).rtt(Some(rtt));
    algorithm.on_ack(&ack, &path);
    rate(algorithm)
}

fn rate(algorithm: &dyn CongestionControl) -> f64 {
    algorithm.limits().pacing.expect("it paces").as_bps() as f64 / SETUP.mss.bits() as f64
}

#[track_caller]
fn assert_near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-6, "{got} for {expected}");
}

#[test]
fn the_rate_doubles_until_there_is_a_queue_then_grows_by_a_packet_per_round_trip_and_falls_above_the_target()
{
    let mut paced = algorithm();
    assert_near(rate(&*paced), 10.0);
    assert_near(rate_after_round(&mut *paced, 1, 40), 20.0);
    assert_near(rate_after_round(&mut *paced, 1, 40), 20.0);
    assert_near(rate_after_round(&mut *paced, 2, 42), 40.0);
    // 10 ms of queue are twice the target.
    assert_near(rate_after_round(&mut *paced, 3, 50), 40.0 * (1.0 - 0.7 * 0.5));
    assert_near(rate_after_round(&mut *paced, 4, 40), 26.0 + 1.0 / 0.040);
}

#[test]
fn a_loss_episode_takes_its_part_once() {
    let mut paced = algorithm();
    let path = Path::new(Time::ZERO, SETUP.mss).in_flight(9).window_limited(false);
    for new_episode in [true, false] {
        paced.on_loss(&Loss::new(Cause::Detected, 1).new_episode(new_episode), &path);
        assert_near(rate(&*paced), 7.0);
    }
}
