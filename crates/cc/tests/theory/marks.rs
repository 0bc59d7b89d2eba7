// SPDX-License-Identifier: Apache-2.0
//! DCTCP and Prague with packets marked at random.

use super::host::{Host, Link};
use super::{build, compared};
use narrows_units::{Span, Time};

/// Mean number of marked packets per round trip of `ms` milliseconds of a flow with algorithm `name`, long after slow start, if
/// a fraction `share` of all packets is marked.
fn marks(name: &str, share: f64, ms: u64) -> f64 {
    let rtt = Span::from_ms(ms);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build(name, 10.0, f64::INFINITY), link, |_| false);
    host.mark_share = share;
    host.run(Time::ZERO + rtt * 5_000);
    share * host.run(Time::ZERO + rtt * 25_000)
}

/// The expected number, if the window is sent in one flight and `round_trips` of them take 25 ms.
///
/// A flight has a mark with probability q = 1 - exp(-m). The first that has one after 25 ms without a cut brings the next,
/// ceil(k) - 1 + 1 / q flights after the last; it takes m / 2 packets, and a flight adds (1 - p) / k^2.
fn expected(share: f64, round_trips: f64) -> f64 {
    (0..100).fold(2.0, |marks: f64, _| {
        let flights = round_trips.ceil() - 1.0 + 1.0 / (1.0 - libm::exp(-marks));
        marks.midpoint(2.0 * flights * (1.0 - share) / (round_trips * round_trips))
    })
}

#[test]
fn the_number_of_marks_per_round_trip_does_not_depend_on_the_window() {
    for share in [0.05, 0.01, 0.002] {
        let what = format!(
            "marked packets per round trip of 50 ms, a part {share} of all packets marked, against m = 2 (1 - p) / (1 - exp(-m))"
        );
        compared("prague", &what, marks("prague", share, 50), expected(share, 1.0), 0.05);
    }
}

/// §2.4.4: below 25 ms a flow grows and decreases as with a round-trip time of 25 ms.
#[test]
fn a_flow_with_a_short_round_trip_time_behaves_as_one_with_25_ms() {
    for ms in [5, 10, 25] {
        let what = format!(
            "marked packets per round trip of {ms} ms, one packet in 100 marked, against growth and reductions as with 25 ms"
        );
        compared("prague", &what, marks("prague", 0.01, ms), expected(0.01, 25.0 / ms as f64), 0.06);
    }
}

/// A packet more and `w p / 2` fewer in each round trip: `w = 2 / p`, where marks are spread over all packets.
#[test]
fn dctcp_has_two_marks_per_round_trip() {
    for share in [0.1, 0.05, 0.01] {
        let what = format!(
            "marked packets per round trip of 50 ms, a part {share} of all packets marked, against 2"
        );
        compared("dctcp", &what, marks("dctcp", share, 50), 2.0, 0.03);
    }
}
