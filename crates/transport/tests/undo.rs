// SPDX-License-Identifier: Apache-2.0
//! Rules: spurious loss episodes are detected and undone (RFC 2883, RFC 3522, RFC 3708), and widen the reordering
//! window (RFC 8985 §6.2).

use crate::wire::{Fate, Halving, POLICIES, Wire, at, options};
use narrows_transport::RecoveryKind::{self, NewReno, Rack, Reno, Sack};
use narrows_transport::UndoKind::{self, Duplicates, DuplicatesAndTimestamps, None as Nothing};
use narrows_transport::{SenderCounters, TransportEvent, TransportOptions};
use narrows_units::Span;
use narrows_wire::{Body, Packet};

fn wire(
    recovery: RecoveryKind,
    undo: UndoKind,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> Wire {
    let options = TransportOptions { undo, ..options(recovery) };
    Wire::new(options, Halving::fixed(20.0), Some(300), script)
}

fn run(
    recovery: RecoveryKind,
    undo: UndoKind,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> (SenderCounters, f64) {
    let mut wire = wire(recovery, undo, script);
    assert!(wire.complete(Span::from_ms(60_000)), "{:?}", wire.sender);
    (*wire.sender.counters(), wire.sender.window().expect("a window"))
}

/// Delays the first transmission of each of `late` by 5 ms, so that more than three others overtake it, and drops the
/// first transmission of each of `lost`.
fn late_and_lost(late: &'static [u64], lost: &'static [u64]) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    move |packet, count| match packet.body {
        Body::Data { .. } if count == 0 && late.contains(&packet.number) => Fate::Delay(Span::from_ms(5)),
        Body::Data { .. } if count == 0 && lost.contains(&packet.number) => Fate::Drop,
        _ => Fate::Deliver,
    }
}

/// Delays all data sent from 100 ms on until 500 ms, without loss or reordering.
fn delay_spike(packet: &Packet, _: usize) -> Fate {
    match packet.body {
        Body::Data { .. } if packet.sent_at > at(100) && packet.sent_at < at(500) => {
            Fate::Delay(at(500) - packet.sent_at)
        }
        _ => Fate::Deliver,
    }
}

#[test]
fn a_segment_that_arrives_twice_is_reported_in_the_first_block() {
    for (undo, reports) in [(Nothing, 0), (Duplicates, 1)] {
        let mut wire = wire(Sack, undo, late_and_lost(&[45], &[]));
        assert!(wire.complete(Span::from_ms(60_000)));
        let reported = wire.acks.iter().filter(|(_, ack)| match ack.body {
            Body::Ack { blocks, .. } => blocks.duplicate(ack.number) == Some(45),
            _ => false,
        });
        assert_eq!(reported.count(), reports, "{undo:?}");
    }
}

#[test]
fn a_reduction_is_undone_once_every_retransmission_is_reported_by_dsack() {
    for recovery in [Sack, Rack] {
        for late in [&[45][..], &[45, 48]] {
            let late: &'static [u64] = Box::leak(late.to_vec().into());
            let (counters, window) = run(recovery, Duplicates, late_and_lost(late, &[]));
            assert_eq!((counters.reductions, counters.undone), (1, 1), "{recovery:?} {late:?}");
            assert!((window - 20.0).abs() < f64::EPSILON, "{recovery:?}: {window}");
            let (counters, window) = run(recovery, Nothing, late_and_lost(late, &[]));
            assert_eq!(counters.undone, 0);
            assert!((window - 10.0).abs() < f64::EPSILON, "{recovery:?}: {window}");
        }
    }
}

#[test]
fn a_reduction_for_a_loss_is_not_undone_even_if_other_retransmissions_were_unnecessary() {
    for recovery in POLICIES {
        for late in [&[][..], &[45]] {
            let late: &'static [u64] = Box::leak(late.to_vec().into());
            let (counters, _) = run(recovery, Duplicates, late_and_lost(late, &[48]));
            assert_eq!(counters.undone, 0, "{recovery:?} {late:?}");
        }
        let (counters, _) = run(recovery, DuplicatesAndTimestamps, late_and_lost(&[], &[48]));
        assert_eq!(counters.undone, 0, "{recovery:?}");
    }
}

#[test]
fn the_time_stamp_of_the_original_undoes_a_reduction_before_the_dsack() {
    for recovery in POLICIES {
        let mut wire = wire(recovery, DuplicatesAndTimestamps, late_and_lost(&[45], &[]));
        wire.run(at(60_000));
        assert_eq!(wire.sender.counters().undone, 1, "{recovery:?}");
        assert_eq!(wire.sender.window(), Some(20.0), "{recovery:?}");
    }
    // The original is delayed by 5 ms, the retransmission by a round trip.
    let undone = |undo| {
        let mut wire = wire(Sack, undo, late_and_lost(&[45], &[]));
        wire.run(at(130));
        let original =
            wire.transmissions.iter().find(|transmission| transmission.number == 45).expect("sent").at;
        wire.run(original + Span::from_ms(48));
        wire.sender.counters().undone
    };
    assert_eq!((undone(Duplicates), undone(DuplicatesAndTimestamps)), (0, 1));
}

#[test]
fn without_selective_acknowledgements_only_time_stamps_detect_a_spurious_episode() {
    for recovery in [Reno, NewReno] {
        assert_eq!(run(recovery, Duplicates, late_and_lost(&[45], &[])).0.undone, 0, "{recovery:?}");
    }
}

#[test]
fn a_spurious_timeout_is_undone_and_with_time_stamps_costs_one_retransmission() {
    for recovery in POLICIES {
        let (counters, _) = run(recovery, Nothing, delay_spike);
        assert_eq!((counters.timeouts, counters.undone), (1, 0), "{recovery:?}");
        assert!(counters.retransmissions >= 15, "{recovery:?}: {}", counters.retransmissions);
        let (counters, window) = run(recovery, DuplicatesAndTimestamps, delay_spike);
        assert_eq!((counters.timeouts, counters.undone), (1, 1), "{recovery:?}");
        assert!(counters.retransmissions <= 2, "{recovery:?}: {}", counters.retransmissions);
        assert!((window - 20.0).abs() < f64::EPSILON, "{recovery:?}: {window}");
    }
    for recovery in [Sack, Rack] {
        let (counters, window) = run(recovery, Duplicates, delay_spike);
        assert_eq!((counters.timeouts, counters.undone), (1, 1), "{recovery:?}");
        assert!((window - 20.0).abs() < f64::EPSILON, "{recovery:?}: {window}");
    }
}

/// RFC 8985 §6.2: once an episode has proved spurious, by whatever proof, reordering within a quarter of the round trip costs
/// nothing more.
#[test]
fn after_the_first_undo_reordering_within_the_window_of_rack_costs_nothing() {
    for undo in [Duplicates, DuplicatesAndTimestamps] {
        for late in [1, 2, 4, 8] {
            for every in [20, 45, 90] {
                let script = move |packet: &Packet, count: usize| match packet.body {
                    Body::Data { .. } if count == 0 && packet.number % every == 10 => {
                        Fate::Delay(Span::from_ms(late))
                    }
                    _ => Fate::Deliver,
                };
                let options = TransportOptions { undo, ..options(Rack) };
                let mut wire = Wire::new(options, Halving::fixed(100.0), Some(4_000), script);
                assert!(wire.complete(Span::from_ms(60_000)));
                let first = wire.events.iter().find(|(_, event)| matches!(event, TransportEvent::Undone(_)));
                let undone_at = first.map_or(at(60_000), |(when, _)| *when);
                let later = wire.reductions().iter().filter(|(when, _)| *when > undone_at).count();
                assert_eq!(later, 0, "{undo:?}: {late} ms, one of {every}: {:?}", wire.reductions());
            }
        }
    }
}

#[test]
fn the_reordering_window_widens_after_a_dsack() {
    // Delayed by 15 ms, more than a quarter of the round-trip time of 40 ms and less than half.
    let script = |packet: &Packet, count: usize| match packet.body {
        Body::Data { .. } if count == 0 && packet.number % 70 == 30 => Fate::Delay(Span::from_ms(15)),
        _ => Fate::Deliver,
    };
    let unnecessary = |undo| {
        let options = TransportOptions { undo, ..options(Rack) };
        let mut wire = Wire::new(options, Halving::fixed(200.0), Some(2_000), script);
        assert!(wire.complete(Span::from_ms(60_000)));
        wire.sender.counters().retransmissions
    };
    assert!(unnecessary(Nothing) > 10, "{}", unnecessary(Nothing));
    assert!(unnecessary(Duplicates) <= 4, "{}", unnecessary(Duplicates));
}

/// RFC 7323 §5.3, R2: a segment that the receiver has already acknowledged does not change the timestamp that it echoes.
#[test]
fn the_echo_for_a_duplicate_shows_that_the_original_had_arrived() {
    // All data arrives, and all acknowledgements of an interval are lost.
    let script = |packet: &Packet, _: usize| match packet.body {
        Body::Ack { .. } if packet.sent_at > at(100) && packet.sent_at < at(320) => Fate::Drop,
        _ => Fate::Deliver,
    };
    for recovery in POLICIES {
        let (counters, window) = run(recovery, DuplicatesAndTimestamps, script);
        assert_eq!(counters.undone, 1, "{recovery:?}");
        assert!(counters.retransmissions <= 3, "{recovery:?}: {}", counters.retransmissions);
        assert!((window - 20.0).abs() < f64::EPSILON, "{recovery:?}: {window}");
    }
}
