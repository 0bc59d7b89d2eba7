// SPDX-License-Identifier: Apache-2.0
//! RCP's controller against its equation.

use super::{super::Config, RcpLaw};
use narrows_units::{Bytes, Rate, Span, Time};

const LINK: Rate = Rate::from_bps(8_000_000);

fn law() -> RcpLaw {
    RcpLaw::new(&Config {
        alpha: 0.1,
        beta: 1.0,
        gain: 0.02,
        interval: Span::from_ms(10),
        initial: 0.05,
        packet: Bytes::new(1000),
    })
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() <= 1e-6, "{got} is not {expected}");
}

#[test]
fn the_first_offer_is_a_twentieth_of_the_link() {
    let mut law = law();
    assert!(law.next_wake().is_none());
    law.on_arrival(Bytes::new(1000), 0.1, LINK, at(0));
    near(law.offer(), 400_000.0);
    assert_eq!(law.next_wake(), Some(at(10)));
}

#[test]
fn the_offer_rises_by_alpha_of_the_spare_rate_and_falls_by_beta_of_the_queue() {
    let mut law = law();
    // 4,000 bytes in 10 ms are 3.2 Mbps; T / d is a tenth.
    law.on_arrival(Bytes::new(4000), 0.1, LINK, at(0));
    law.on_wake(at(10), LINK, Bytes::ZERO);
    let first = 400_000.0 * (1.0 + 0.1 * 0.1 * (8.0 - 3.2) / 8.0);
    near(law.offer(), first);
    law.on_wake(at(20), LINK, Bytes::new(10_000));
    near(law.offer(), first * (1.0 + 0.1 * (0.1 * 8.0 - 0.8) / 8.0));
    law.on_wake(at(30), LINK, Bytes::new(20_000));
    near(law.offer(), first * (1.0 + 0.1 * (0.1 * 8.0 - 1.6) / 8.0));
}

#[test]
fn the_offer_stays_between_a_packet_a_round_trip_and_the_link() {
    let mut law = law();
    law.on_arrival(Bytes::new(1000), 0.1, LINK, at(0));
    for tick in 1..10_000 {
        law.on_wake(at(10 * tick), LINK, Bytes::ZERO);
    }
    near(law.offer(), 8e6);
    for tick in 10_000..11_000 {
        law.on_wake(at(10 * tick), LINK, Bytes::new(1_000_000));
    }
    near(law.offer(), 80_000.0);
}

#[test]
fn the_mean_round_trip_moves_by_the_gain() {
    let mut law = law();
    law.on_arrival(Bytes::new(40), 0.1, LINK, at(0));
    law.on_arrival(Bytes::new(40), 0.2, LINK, at(0));
    law.on_arrival(Bytes::new(40), 0.0, LINK, at(0));
    near(law.mean_rtt.expect("two were reported"), 0.102);
}
