//! Prague where packets are marked at random.

use super::host::{Host, Link};
use super::{build, near};
use narrows_units::{Span, Time};

/// Marked packets in a round trip of `ms`, on average long after slow start, where a `share` of the packets is marked.
fn marks(share: f64, ms: u64) -> f64 {
    let rtt = Span::from_ms(ms);
    let link = Link { service: Span::ZERO, delay: rtt, buffer: 0, per_ack: 1, quick: 0 };
    let mut host = Host::new(build("prague", 10.0, f64::INFINITY), link, |_| false);
    host.mark_share = share;
    host.run(Time::ZERO + rtt * 5_000);
    share * host.run(Time::ZERO + rtt * 25_000)
}

/// What they should be, where the window travels in one flight and `round_trips` of it make 25 ms.
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
fn as_many_packets_are_marked_in_a_round_trip_whatever_the_window() {
    for share in [0.05, 0.01, 0.002] {
        near(marks(share, 50), expected(share, 1.0), 0.05);
    }
}

/// §2.4.4: below 25 ms a flow grows and is cut as if its round trip took 25 ms.
#[test]
fn a_short_round_trip_behaves_like_one_of_25_ms() {
    for ms in [5, 10, 25] {
        near(marks(0.01, ms), expected(0.01, 25.0 / ms as f64), 0.06);
    }
}
