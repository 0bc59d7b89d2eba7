// SPDX-License-Identifier: Apache-2.0
//! Rules: when the retransmission timer expires, what follows, and when a timeout is spurious (RFC 5682, RFC 6298).

use crate::wire::{self, DELAY, Fate, Halving, POLICIES, Wire, at, lossless, options};
use narrows_transport::ForwardRtoKind::{self, Linux, None as Nothing, Rfc5682};
use narrows_transport::RecoveryKind::{Rack, Sack};
use narrows_transport::UndoKind;
use narrows_transport::{RtoRestart, RtoRule, TransportEvent, TransportOptions};
use narrows_units::{Span, Time};
use narrows_wire::{Body, Packet};

/// Delays all data sent from 100 ms on until 500 ms, without loss or reordering.
fn delay_spike(packet: &Packet, _: usize) -> Fate {
    match packet.body {
        Body::Data { .. } if packet.sent_at > at(100) && packet.sent_at < at(500) => {
            Fate::Delay(at(500) - packet.sent_at)
        }
        _ => Fate::Deliver,
    }
}

/// Drops all data that is sent from 100 ms on until `end`.
fn outage(end: Time) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    move |packet, _| match packet.body {
        Body::Data { .. } if packet.sent_at > at(100) && packet.sent_at < end => Fate::Drop,
        _ => Fate::Deliver,
    }
}

/// The longest time without an acknowledgement that the first slow start may last, over its round-trip time.
const LONGEST_ROUNDS: u64 = 30;

/// A path of 40 ms with a bandwidth-delay product of `40 ms / gap` packets and a queue of `quarters` quarters of it.
fn overshoot(options: TransportOptions, gap: Span, quarters: u64) -> Wire {
    let mut wire = Wire::new(options, Halving::growing(10.0), None, lossless);
    let product = (DELAY * 2).as_ps() / gap.as_ps();
    wire.gap = gap;
    wire.queue = (product * quarters / 4).max(2);
    wire.run(Time::ZERO + DELAY * 2 * LONGEST_ROUNDS);
    wire
}

/// RFC 6298 §3: the timeout follows the delay of the first overshoot, however much longer the round trip becomes, so that it
/// never expires while the last transmission of the first unacknowledged segment is on its way.
#[test]
fn no_timeout_of_the_first_overshoot_is_needless() {
    let mut failures = Vec::new();
    for recovery in [Sack, Rack] {
        for gap in [100, 400, 2_000].map(Span::from_us) {
            for quarters in [1, 2, 4, 8] {
                for min_rto in [1, 100].map(Span::from_ms) {
                    for rto in [RtoRule::Rfc6298, RtoRule::Linux] {
                        // Linux's margin is at least min_rto.
                        if rto == RtoRule::Linux && min_rto < DELAY * 2 {
                            continue;
                        }
                        for (proportional_rate_reduction, rto_restart, delayed_ack) in
                            [(false, RtoRestart::Ack, 2), (true, RtoRestart::Head, 1)]
                        {
                            let options = TransportOptions {
                                min_rto,
                                rto,
                                proportional_rate_reduction,
                                rto_restart,
                                delayed_ack,
                                ..options(recovery)
                            };
                            let wire = overshoot(options, gap, quarters);
                            let needless = wire.needless_timeouts();
                            if !needless.is_empty() {
                                let label = (recovery, gap, quarters, min_rto, rto, rto_restart);
                                failures.push(format!("{label:?}: {needless:?}"));
                            }
                            if recovery == Rack && rto_restart == RtoRestart::Head {
                                let timeouts = wire.sender.counters().timeouts;
                                assert_eq!(timeouts, 0, "{gap:?} {quarters} {min_rto:?} {rto:?}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of the grid:\n{}", failures.len(), failures.join("\n"));
}

fn counters_of(
    frto: ForwardRtoKind,
    recovery: narrows_transport::RecoveryKind,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> (narrows_transport::SenderCounters, f64) {
    let options = TransportOptions { undo: UndoKind::None, frto, ..options(recovery) };
    let mut wire = Wire::new(options, Halving::fixed(20.0), Some(300), script);
    assert!(wire.complete(Span::from_ms(60_000)), "{recovery:?} {:?}", wire.sender);
    (*wire.sender.counters(), wire.sender.window().expect("a window"))
}

#[test]
fn f_rto_finds_a_spurious_timeout_under_every_policy_without_timestamps() {
    for recovery in POLICIES {
        let (counters, _) = counters_of(Nothing, recovery, delay_spike);
        assert!(counters.retransmissions >= 15, "{recovery:?}: {}", counters.retransmissions);
        for frto in [Rfc5682, Linux] {
            let (counters, window) = counters_of(frto, recovery, delay_spike);
            assert_eq!((counters.timeouts, counters.undone), (1, 1), "{recovery:?} {frto:?}");
            assert!(counters.retransmissions <= 2, "{recovery:?} {frto:?}: {}", counters.retransmissions);
            assert!((window - 20.0).abs() < f64::EPSILON, "{recovery:?} {frto:?}: {window}");
        }
    }
}

#[test]
fn f_rto_takes_no_genuine_timeout_for_spurious() {
    for recovery in POLICIES {
        for frto in [Rfc5682, Linux] {
            for end in [at(250), at(600), at(3_000)] {
                let (counters, _) = counters_of(frto, recovery, outage(end));
                assert!(counters.timeouts >= 1, "{recovery:?} {frto:?} {end:?}");
                assert_eq!(counters.undone, 0, "{recovery:?} {frto:?} {end:?}");
            }
        }
    }
}

/// The acknowledgement of the retransmission covers two segments that had arrived before the timeout, out of order.
#[test]
fn what_had_arrived_out_of_order_before_a_timeout_does_not_make_it_spurious() {
    let lost = |packet: &Packet, count: usize| match packet.body {
        Body::Data { .. } if count == 0 && (packet.number == 40 || (43..70).contains(&packet.number)) => {
            Fate::Drop
        }
        _ => Fate::Deliver,
    };
    for recovery in POLICIES {
        for frto in [Rfc5682, Linux] {
            let (counters, _) = counters_of(frto, recovery, lost);
            // RACK repairs the losses before the timer expires.
            assert!(recovery == Rack || counters.timeouts >= 1, "{recovery:?} {frto:?}");
            assert_eq!(counters.undone, 0, "{recovery:?} {frto:?}");
        }
    }
}

/// RFC 5682 §2.1, step 2b.
#[test]
fn after_the_first_acknowledgement_f_rto_sends_two_new_segments_and_no_retransmission() {
    let options = TransportOptions { frto: Rfc5682, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(20.0), None, outage(at(600)));
    wire.run(at(1_500));
    let timeout = wire.events.iter().rfind(|(_, event)| matches!(event, TransportEvent::Expired(_)));
    let expired = timeout.expect("the timer expires").0;
    let answered = wire.acks.iter().find(|(when, _)| *when > expired).expect("it is acknowledged").0;
    let next: Vec<_> = wire.transmissions.iter().filter(|sent| sent.at >= answered).take(3).collect();
    assert!(next[..2].iter().all(|sent| !sent.retransmission && sent.at == answered), "{next:?}");
    assert!(next[2].retransmission && next[2].at >= answered + DELAY * 2, "{next:?}");
}

/// RFC 6298 §3: with timestamps the acknowledgement of a retransmission is a sample, and ends the back-off.
#[test]
fn with_timestamps_the_acknowledgement_of_a_retransmission_ends_the_back_off() {
    // Of the second outage one segment gets through, which is a retransmission.
    let after_answer = |undo| {
        let script = move |packet: &Packet, _: usize| {
            let within = |from, to| packet.sent_at > at(from) && packet.sent_at < at(to);
            if within(100, 1_000) || within(2_000, 20_000) { Fate::Drop } else { Fate::Deliver }
        };
        let options = TransportOptions { undo, ..options(Sack) };
        let mut wire = Wire::new(options, Halving::fixed(1.0), None, script);
        wire.run(at(1_000));
        let second = wire.sender.snapshot().rtt.expect("sampled");
        // The timer has expired at some 0.3 and 0.7 s and expires at some 1.5 s.
        wire.run(at(1_700));
        let last = wire.acks.last().expect("acknowledged").0;
        assert!(last > at(1_000), "{:?}", wire.acks.last());
        (second, wire)
    };
    for (undo, ends) in [(UndoKind::Duplicates, false), (UndoKind::DuplicatesAndTimestamps, true)] {
        let (before, wire) = after_answer(undo);
        let retransmission = wire.retransmissions().last().copied().expect("retransmitted");
        let answered = wire.acks.iter().find(|(when, _)| *when > retransmission.0).expect("acknowledged").0;
        let samples = wire
            .events
            .iter()
            .filter(|(when, event)| *when == answered && matches!(event, TransportEvent::RttSample(_)));
        assert_eq!(samples.count(), usize::from(ends), "{undo:?}: {before:?}");
    }
}

/// A timestamp is a count of milliseconds.
#[test]
fn the_sample_of_a_retransmission_is_in_whole_milliseconds() {
    for undo in [UndoKind::Duplicates, UndoKind::DuplicatesAndTimestamps] {
        let options = TransportOptions { undo, ..options(Rack) };
        let mut wire = Wire::new(options, Halving::fixed(20.0), Some(300), wire::lose_once(&[45]));
        let answered = |wire: &Wire| wire.acks.last().is_some_and(|(_, ack)| ack.number > 45);
        for step in 0..20_000 {
            wire.run(Time::ZERO + Span::from_us(50) * step);
            if answered(&wire) {
                break;
            }
        }
        let (when, _) = wire.retransmissions()[0];
        let latest = wire.sender.snapshot().rtt.expect("sampled").latest;
        let took = wire.acks.last().expect("acknowledged").0 - when;
        if undo == UndoKind::DuplicatesAndTimestamps {
            assert_eq!(latest.as_ps() % Span::from_ms(1).as_ps(), 0, "{latest:?}");
            assert!(
                latest + Span::from_ms(1) > took && latest < took + Span::from_ms(1),
                "{latest:?} {took:?}"
            );
        } else {
            assert_ne!(latest.as_ps() % Span::from_ms(1).as_ps(), 0, "{latest:?}");
        }
    }
}
