// SPDX-License-Identifier: Apache-2.0
//! The packets of programs by 5-tuple: protocol, and address and port of both ends.

use narrows_records::{Ends, Histogram, TupleRecord};
use narrows_units::{Bytes, Time};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A 5-tuple of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Tuple {
    /// Index of the group, and number of the flow within it.
    pub flow: (u32, u32),
    pub protocol: u8,
    pub source: SocketAddr,
    pub destination: SocketAddr,
}

/// The counts of all 5-tuples, in the order of their first packets.
#[derive(Debug, Default)]
pub(crate) struct Tuples {
    places: BTreeMap<Tuple, usize>,
    counts: Vec<Counts>,
}

#[derive(Debug)]
struct Counts {
    /// The first one, of several.
    tuple: Tuple,
    packets: u64,
    bytes: u64,
    dropped: u64,
    marked: u64,
    sent: (Time, Time),
    delays: Histogram,
}

impl Tuples {
    /// Counts a packet of `size` that is sent at `now`. Returns the place of its counts, which further 5-tuples share once there are
    /// as many as are kept: a program that opens connections without end takes no memory without end.
    pub fn send(&mut self, tuple: Tuple, size: Bytes, now: Time) -> usize {
        let next = self.counts.len();
        let place = match self.places.get(&tuple) {
            Some(place) => *place,
            None if next < MOST => *self.places.entry(tuple).or_insert(next),
            None => MOST,
        };
        if place == next {
            let (sent, delays) = ((now, now), Histogram::new());
            self.counts.push(Counts { tuple, packets: 0, bytes: 0, dropped: 0, marked: 0, sent, delays });
        }
        let counts = &mut self.counts[place];
        counts.packets += 1;
        counts.bytes += size.count();
        counts.sent.1 = now;
        place
    }

    /// A packet with counts at `place` was dropped or lost.
    pub fn discard(&mut self, place: usize) {
        self.counts[place].dropped += 1;
    }

    /// A packet with counts at `place`, sent at `sent`, leaves the network at `now`, `marked` there or not.
    pub fn leave(&mut self, place: usize, sent: Time, now: Time, marked: bool) {
        let counts = &mut self.counts[place];
        counts.delays.add(now.since(sent));
        counts.marked += u64::from(marked);
    }

    /// Returns the records.
    pub fn records(&self) -> Vec<TupleRecord> {
        let record = |(place, counts): (usize, &Counts)| TupleRecord {
            group: counts.tuple.flow.0,
            flow: counts.tuple.flow.1,
            ends: (place < MOST).then(|| ends(&counts.tuple)),
            packets: counts.packets,
            bytes: counts.bytes,
            dropped: counts.dropped,
            marked: counts.marked,
            sent: counts.sent,
            delay_mean_s: counts.delays.mean_s(),
            delay_p95_s: counts.delays.quantile_s(0.95),
        };
        self.counts.iter().enumerate().map(record).collect()
    }
}

fn ends(tuple: &Tuple) -> Ends {
    let has_ports = tuple.source.port() != 0 || tuple.destination.port() != 0;
    let shown = |end: SocketAddr| if has_ports { end.to_string() } else { end.ip().to_string() };
    let protocol = match tuple.protocol {
        1 => "icmp".to_owned(),
        6 => "tcp".to_owned(),
        17 => "udp".to_owned(),
        58 => "icmpv6".to_owned(),
        other => other.to_string(),
    };
    Ends { protocol, source: shown(tuple.source), destination: shown(tuple.destination) }
}

/// 5-tuples with counts of their own, of 58 KiB each.
const MOST: usize = 512;

#[cfg(test)]
mod tests {
    use super::{MOST, Tuple, Tuples};
    use narrows_units::{Bytes, Span, Time};
    use std::net::{Ipv4Addr, SocketAddr};

    fn tuple(port: u16) -> Tuple {
        let end = |last, port| SocketAddr::new(Ipv4Addr::new(10, 0, 0, last).into(), port);
        Tuple { flow: (0, 0), protocol: 6, source: end(1, port), destination: end(2, 80) }
    }

    #[test]
    fn packets_are_counted_by_5_tuple() {
        let mut tuples = Tuples::default();
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let one = tuples.send(tuple(9), Bytes::new(1000), at(1));
        let other = tuples.send(tuple(8), Bytes::new(40), at(2));
        assert_eq!(tuples.send(tuple(9), Bytes::new(500), at(3)), one);
        tuples.discard(one);
        tuples.leave(one, at(1), at(21), true);
        tuples.leave(other, at(2), at(12), false);
        let [first, second] = &tuples.records()[..] else { panic!("two 5-tuples") };
        assert_eq!((first.packets, first.bytes, first.dropped, first.marked), (2, 1500, 1, 1));
        assert_eq!(first.sent, (at(1), at(3)));
        assert!((first.delay_mean_s - 0.02).abs() < 1e-12 && (second.delay_mean_s - 0.01).abs() < 1e-12);
        let ends = first.ends.as_ref().expect("a 5-tuple");
        assert_eq!(
            (&ends.protocol[..], &ends.source[..], &ends.destination[..]),
            ("tcp", "10.0.0.1:9", "10.0.0.2:80")
        );
    }

    #[test]
    fn further_5_tuples_share_their_counts() {
        let mut tuples = Tuples::default();
        for port in 0..=MOST as u16 + 9 {
            tuples.send(tuple(port), Bytes::new(40), Time::ZERO);
        }
        let records = tuples.records();
        assert_eq!(records.len(), MOST + 1);
        let shared = &records[MOST];
        assert_eq!((&shared.ends, shared.packets, shared.bytes), (&None, 10, 400));
    }
}
