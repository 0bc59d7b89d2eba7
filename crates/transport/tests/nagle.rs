// SPDX-License-Identifier: Apache-2.0
//! Rule: Nagle's algorithm (RFC 896, RFC 9293 §3.7.4) and what it makes of delayed acknowledgements.

use crate::wire::{DELAY, Fate, GAP, Halving, Wire, at, lossless, options};
use narrows_transport::RecoveryKind::Sack;
use narrows_transport::{Limit, TransportOptions};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Packet};
use std::cell::RefCell;
use std::rc::Rc;

/// The times, from the first, at which segments are sent of which the application writes the segments of `sizes` at
/// once, on a connection that has been open for a while.
fn sent(sizes: &[u64], nagle: bool, delayed_ack: u32) -> Vec<Span> {
    let options = TransportOptions { nagle, delayed_ack, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(10.0), None, lossless);
    wire.sender.reliable_mut().expect("it is reliable").expect_more_writes();
    wire.receiver.reliable_mut().expect("it is reliable").expect_more_writes();
    wire.run(at(100));
    wire.now = at(100);
    for size in sizes {
        wire.write(*size);
    }
    wire.run(at(1_000));
    wire.transmissions.iter().map(|sent| sent.at - at(100)).collect()
}

/// Time from a transmission to its acknowledgement, if that is not delayed.
fn round_trip() -> Span {
    GAP + DELAY * 2
}

#[test]
fn the_second_of_two_small_writes_waits_for_the_acknowledgement_of_the_first() {
    let timeout = TransportOptions::default().delayed_ack_timeout;
    assert_eq!(sent(&[100, 100], false, 2), [Span::ZERO, Span::ZERO]);
    assert_eq!(sent(&[100, 100], true, 1), [Span::ZERO, round_trip()]);
    // Write, write, read: the receiver waits for a second segment, and the sender for an acknowledgement.
    assert_eq!(sent(&[100, 100], true, 2), [Span::ZERO, round_trip() + timeout]);
}

#[test]
fn a_write_ends_with_a_segment_that_waits_unless_it_is_full() {
    let timeout = TransportOptions::default().delayed_ack_timeout;
    let now = Span::ZERO;
    // An odd number of full segments is acknowledged late, an even one at once.
    assert_eq!(sent(&[1_500], true, 2), [now, round_trip() + timeout]);
    assert_eq!(sent(&[2_500], true, 2), [now, now, round_trip() + GAP]);
    assert_eq!(sent(&[3_000], true, 2), [now, now, now]);
}

#[test]
fn a_segment_that_waits_is_not_held_back_by_the_network() {
    let options = TransportOptions { nagle: true, ..options(Sack) };
    let mut wire = Wire::of_size(options, Halving::fixed(10.0), Some(Bytes::new(2_500)), lossless);
    wire.run(at(50));
    assert_eq!(wire.sender.limited_by(), Limit::Application);
    assert_eq!(wire.numbers(), [0, 1]);
    assert!(wire.complete(Span::from_ms(1_000)));
    assert!(wire.now < Time::ZERO + Span::from_ms(200));
}

/// Writes of 100 bytes, one every 10 ms, over a round trip of 40.1 ms: the sizes of the segments that carry the first `count`,
/// and when they are sent.
fn stream(options: TransportOptions, window: f64, count: u64) -> Vec<(Span, u16)> {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let record = Rc::clone(&seen);
    let script = move |packet: &Packet, _: usize| {
        if let Body::Data { payload, .. } = packet.body {
            record.borrow_mut().push((packet.sent_at - at(100), payload));
        }
        Fate::Deliver
    };
    let mut wire = Wire::new(options, Halving::fixed(window), None, script);
    wire.sender.reliable_mut().expect("it is reliable").expect_more_writes();
    wire.receiver.reliable_mut().expect("it is reliable").expect_stream();
    for number in 0..count {
        let now = 100 + 10 * number;
        wire.run(at(now));
        wire.now = at(now);
        wire.append(100);
    }
    wire.run(at(10_000));
    assert_eq!(wire.receiver.counters().bytes_delivered, 100 * count);
    assert_eq!(wire.receiver.counters().bytes_received, 100 * count);
    assert_eq!(wire.sender.counters().bytes_acked, 100 * count);
    seen.take()
}

fn sizes(sent: &[(Span, u16)]) -> Vec<u16> {
    sent.iter().map(|(_, payload)| *payload).collect()
}

#[test]
fn small_writes_are_sent_at_once_without_it_and_together_once_a_round_trip_with_it() {
    let each = stream(options(Sack), 10.0, 13);
    assert_eq!(sizes(&each), [100; 13]);
    assert!(each.iter().enumerate().all(|(number, (at, _))| *at == Span::from_ms(10) * number as u64));
    let together = stream(TransportOptions { nagle: true, ..options(Sack) }, 10.0, 13);
    assert_eq!(sizes(&together), [100, 400, 400, 400]);
    let acknowledged = |rounds: u64| round_trip() * rounds;
    let times: Vec<Span> = together.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [0, 1, 2, 3].map(acknowledged));
    // Further delayed data accumulates for longer.
    let delayed = stream(TransportOptions { nagle: true, delayed_ack: 2, ..options(Sack) }, 10.0, 13);
    assert_eq!(sizes(&delayed), [100, 800, 400]);
}

#[test]
fn full_segments_do_not_wait_and_what_the_window_holds_back_is_sent_together() {
    for nagle in [false, true] {
        let options = TransportOptions { nagle, mss: Bytes::new(250), ..options(Sack) };
        let sent = stream(options, 1.0, 13);
        assert_eq!(sizes(&sent)[..4], [100, 250, 250, 250], "{nagle}");
    }
    let sent = stream(TransportOptions { nagle: true, mss: Bytes::new(250), ..options(Sack) }, 10.0, 13);
    // 250 bytes are there with the third write after the first, and then with each second or third.
    let milliseconds = |ms: u64| Span::from_ms(ms);
    assert_eq!(
        sent[..4],
        [(0, 100), (30, 250), (50, 250), (80, 250)].map(|(ms, size)| (milliseconds(ms), size))
    );
}
