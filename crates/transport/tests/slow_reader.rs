// SPDX-License-Identifier: Apache-2.0
//! Rule: flow control by the receiver's window (RFC 9293 §3.8.6), whose application does not read all data at once.

use crate::wire::{Fate, Halving, MSS, Wire, at, lossless, options};
use narrows_transport::RecoveryKind::{NewReno, Reno, Sack};
use narrows_transport::{ConnectionState, Limit, TransportEvent, TransportOptions};
use narrows_units::{Rate, Span, Time};
use narrows_wire::{Body, Packet};

/// A buffer of `segments`, of which the application reads 1 Mbit/s: a segment in 8 ms.
fn slow(segments: u64) -> TransportOptions {
    TransportOptions {
        receive_window: Some(segments),
        read_rate: Some(Rate::from_bps(1_000_000)),
        ..options(Sack)
    }
}

/// A buffer of four segments, of which the application reads nothing before `ms`, and all at once then.
fn paused_until(ms: u64) -> TransportOptions {
    TransportOptions { receive_window: Some(4), read_pause: (Span::ZERO, Span::from_ms(ms)), ..options(Sack) }
}

/// The windows of the acknowledgements that the sender received, with their times.
fn windows(wire: &Wire) -> Vec<(Time, u64, u32)> {
    let window = |(at, packet): &(Time, Packet)| match packet.body {
        Body::AckWithWindow { window, .. } => Some((*at, packet.number, window)),
        _ => None,
    };
    wire.acks.iter().filter_map(window).collect()
}

fn times(wire: &Wire, wanted: TransportEvent) -> Vec<Time> {
    wire.events.iter().filter(|(_, event)| *event == wanted).map(|(at, _)| *at).collect()
}

/// Drops the acknowledgements that carry a window above zero of segment `number`, the first `count` of them.
fn lose_updates(number: u64, count: usize) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    let mut lost = 0;
    move |packet, _| match packet.body {
        Body::AckWithWindow { window: 1.., .. } if packet.number == number && lost < count => {
            lost += 1;
            Fate::Drop
        }
        _ => Fate::Deliver,
    }
}

#[test]
fn the_window_closes_when_the_buffer_is_full_and_nothing_is_sent() {
    let mut wire = Wire::new(paused_until(10_000), Halving::fixed(20.0), Some(40), lossless);
    wire.run(at(200));
    assert_eq!(wire.numbers(), [0, 1, 2, 3]);
    assert_eq!(wire.sender.limited_by(), Limit::ReceiveWindow);
    assert_eq!(
        windows(&wire).iter().map(|(_, _, window)| *window).collect::<Vec<_>>(),
        [3_000, 2_000, 1_000, 0]
    );
    assert_eq!(times(&wire, TransportEvent::WindowClosed), [windows(&wire)[3].0]);
}

/// §3.8.6.1: the first probe after the retransmission timeout, then at intervals that double up to `max_rto`.
#[test]
fn a_closed_window_is_probed_at_intervals_that_double() {
    let options = TransportOptions { max_rto: Span::from_ms(2_000), ..paused_until(60_000) };
    let rto = options.min_rto;
    let mut wire = Wire::new(options, Halving::fixed(20.0), Some(40), lossless);
    wire.run(at(10_000));
    let closed = times(&wire, TransportEvent::WindowClosed)[0];
    let probes = times(&wire, TransportEvent::WindowProbe);
    let mut expected = vec![closed + rto];
    for multiple in [2, 4, 8, 10, 10, 10] {
        expected.push(*expected.last().expect("there is one") + rto * multiple);
    }
    assert_eq!(probes[..], expected[..]);
    // Each is answered with a window of zero.
    assert_eq!(windows(&wire).iter().filter(|(_, _, window)| *window == 0).count(), 1 + probes.len());
    assert_eq!(wire.sender.counters().timeouts, 0);
    assert_eq!(wire.numbers(), [0, 1, 2, 3]);
}

/// §3.8.6.1: the connection stays open as long as probes are acknowledged.
#[test]
fn a_window_may_stay_closed_for_as_long_as_probes_are_answered() {
    let short = TransportOptions { retries: 3, max_rto: Span::from_ms(1_000), ..paused_until(120_000) };
    let mut wire = Wire::new(short.clone(), Halving::fixed(20.0), Some(40), lossless);
    wire.run(at(119_000));
    assert_eq!(wire.sender.state(), ConnectionState::Established);
    assert!(times(&wire, TransportEvent::WindowProbe).len() > 100);
    assert!(wire.complete(Span::from_ms(200_000)));
    let unanswered = |packet: &Packet, _: usize| match packet.body {
        Body::WindowProbe => Fate::Drop,
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(short, Halving::fixed(20.0), Some(40), unanswered);
    wire.run(at(119_000));
    assert_eq!(wire.sender.state(), ConnectionState::GaveUp);
    assert_eq!(times(&wire, TransportEvent::WindowProbe).len(), 3);
}

#[test]
fn an_update_opens_the_window_and_without_it_a_probe_does() {
    for (lost, probed) in [(0, false), (1, true)] {
        // Open from 1 s; the probes are at 0.26, 0.66 and 1.46 s.
        let mut wire = Wire::new(paused_until(1_000), Halving::fixed(20.0), Some(8), lose_updates(4, lost));
        assert!(wire.complete(Span::from_ms(60_000)));
        let opened = times(&wire, TransportEvent::WindowOpened)[0];
        let before =
            times(&wire, TransportEvent::WindowProbe).iter().filter(|probe| **probe > at(1_000)).count();
        assert_eq!(before, usize::from(probed), "{opened:?}");
        let fifth = wire.transmissions.iter().find(|sent| sent.number == 4).expect("it was sent").at;
        assert_eq!(fifth, opened);
        if !probed {
            assert_eq!(opened, at(1_020));
        }
    }
}

/// §3.8.6.2.2: the edge of the window moves by a segment at least, and no segment is cut.
#[test]
fn neither_side_makes_the_window_silly() {
    let mut wire = Wire::new(slow(5), Halving::fixed(20.0), None, lossless);
    wire.run(at(10_000));
    let mut edge = 5_000;
    for (_, number, window) in windows(&wire) {
        let now = number * MSS.count() + u64::from(window);
        assert!(now == edge || now >= edge + MSS.count(), "from {edge} to {now}");
        edge = now;
    }
    assert!(edge > 900_000);
}

#[test]
fn goodput_is_the_rate_of_the_reader_or_the_buffer_in_each_round_trip() {
    // Segments have 8 kbit, and a round trip is 40 ms and the time for which a segment is sent. 1 Mbit/s in 40 ms are five
    // segments, each read for 8 ms, after which there is room for one.
    for (read_bps, buffer, bps) in [
        (1_000_000, 20, 1_000_000.0),
        (1_000_000, 2, 2.0 * 8_000.0 / 0.0481),
        (1_000_000_000, 2, 2.0 * 8_000.0 / 0.0401),
    ] {
        let options = TransportOptions { read_rate: Some(Rate::from_bps(read_bps)), ..slow(buffer) };
        let mut wire = Wire::new(options, Halving::fixed(50.0), None, lossless);
        wire.run(at(2_000));
        let before = wire.receiver.counters().bytes_delivered;
        wire.run(at(12_000));
        let measured = (wire.receiver.counters().bytes_delivered - before) as f64 * 8.0 / 10.0;
        assert!((measured / bps - 1.0).abs() < 0.01, "{measured} of {bps}");
    }
}

/// RFC 5681 §2: an acknowledgement that changes the window is no duplicate.
#[test]
fn window_updates_are_no_duplicate_acknowledgements() {
    for recovery in [Reno, NewReno, Sack] {
        // The sender has always something outstanding while the reader makes room segment by segment.
        let options = TransportOptions { recovery, read_rate: Some(Rate::from_bps(4_000_000)), ..slow(12) };
        let mut wire = Wire::new(options, Halving::growing(4.0), Some(2_000), lossless);
        assert!(wire.complete(Span::from_ms(60_000)));
        assert_eq!(wire.retransmissions(), [], "{recovery:?}");
        assert_eq!(wire.reductions(), [], "{recovery:?}");
    }
}

/// RFC 9293 §3.8.6.1: neither a lost update nor lost probes or answers are waited for without end.
#[test]
fn lost_updates_probes_and_answers_delay_a_transfer_only() {
    for every in [2, 3, 5] {
        let mut arrivals = 0;
        let script = move |packet: &Packet, _: usize| {
            arrivals += usize::from(matches!(packet.body, Body::AckWithWindow { .. } | Body::WindowProbe));
            let lost = matches!(packet.body, Body::AckWithWindow { .. } | Body::WindowProbe)
                && arrivals % every == 0;
            if lost { Fate::Drop } else { Fate::Deliver }
        };
        let mut wire = Wire::new(slow(3), Halving::growing(4.0), Some(200), script);
        assert!(wire.complete(Span::from_ms(600_000)), "{every}");
        assert_eq!(wire.receiver.counters().bytes_delivered, 200_000);
    }
}

#[test]
fn an_application_that_reads_at_once_sends_no_window() {
    let reads_at_once = TransportOptions { receive_window: Some(4), ..options(Sack) };
    let mut wire = Wire::new(reads_at_once, Halving::fixed(20.0), Some(40), lossless);
    assert!(wire.complete(Span::from_ms(60_000)));
    assert_eq!(windows(&wire), []);
}
