// SPDX-License-Identifier: Apache-2.0
//! Rule: a lost retransmission is another indication of congestion (RFC 5681 §4.3), except in Linux.

use crate::wire::{Fate, Wire, options};
use narrows_cc::{Algorithm, Cause, Transport, catalogue};
use narrows_transport::{RecoveryKind, TransportEvent, TransportOptions};
use narrows_units::Span;
use narrows_wire::{Body, Packet};

/// Loses each of `numbers` the given number of times.
fn lose(numbers: &[u64], times: usize) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    let numbers = numbers.to_vec();
    move |packet, count| match packet.body {
        Body::Data { .. } if numbers.contains(&packet.number) && count < times => Fate::Drop,
        _ => Fate::Deliver,
    }
}

/// The window before and after each reduction of a transfer by `algorithm`, with the cause.
fn reductions(
    algorithm: &Algorithm,
    options: &TransportOptions,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> Vec<(Cause, f64, f64)> {
    let setup = options.setup(1).initial_window(40.0).initial_ssthresh(40.0);
    let (needs, built) = (algorithm.needs(), algorithm.build(&setup));
    let size = crate::wire::MSS * 600;
    let mut wire = Wire::needing_boxed(needs, options.clone(), built, Some(size), script);
    assert!(wire.complete(Span::from_ms(600_000)), "{algorithm:?}");
    let reduction = |(_, event): &(_, TransportEvent)| match event {
        TransportEvent::Reduction { cause, window_before, window_after, .. } => {
            Some((*cause, *window_before, *window_after))
        }
        _ => None,
    };
    wire.events.iter().filter_map(reduction).collect()
}

fn rack(lost_retransmission_reduces: bool) -> TransportOptions {
    TransportOptions { lost_retransmission_reduces, ..options(RecoveryKind::Rack) }
}

#[test]
fn every_algorithm_that_responds_to_a_loss_responds_to_the_loss_of_its_retransmission() {
    let mut responsive = 0;
    for entry in catalogue::entries() {
        let algorithm = Algorithm::parse(entry.card.name).expect("a known algorithm");
        if algorithm.needs().transport != Transport::Reliable {
            continue;
        }
        let once = reductions(&algorithm, &rack(true), lose(&[120], 1));
        // An algorithm that does not reduce its window by a factor may have a reason of its own not to respond again.
        if once.first().is_none_or(|&(_, before, after)| after > 0.9 * before) {
            continue;
        }
        responsive += 1;
        let name = entry.card.name;
        assert_eq!(once.len(), 1, "{name}");
        let twice = reductions(&algorithm, &rack(true), lose(&[120], 2));
        assert_eq!(twice.len(), 2, "{name}: {twice:?}");
        assert!(twice[1].2 < twice[0].2, "{name}: {twice:?}");
        let linux = reductions(&algorithm, &rack(false), lose(&[120], 2));
        assert_eq!(linux.len(), 1, "{name}: {linux:?}");
    }
    assert!(responsive > 30, "{responsive}");
}

#[test]
fn all_retransmissions_of_a_round_trip_are_one_indication() {
    let newreno = Algorithm::parse("newreno").expect("a known algorithm");
    for times in [2, 3] {
        let found = reductions(&newreno, &rack(true), lose(&[120, 123, 126, 129], times));
        let after: Vec<f64> = found.iter().map(|&(.., after)| after).collect();
        assert_eq!(after.len(), times, "{found:?}");
        for pair in after.windows(2) {
            assert!((pair[1] / pair[0] - 0.5).abs() < 0.01, "{found:?}");
        }
    }
}

/// Loses all data that is sent within `ms` milliseconds of the first for which `begins` holds, and later what `after` says.
fn outage(
    ms: u64,
    mut begins: impl FnMut(&Packet, usize) -> bool + 'static,
    mut after: impl FnMut(&Packet) -> bool + 'static,
) -> impl FnMut(&Packet, usize) -> Fate + 'static {
    let mut from = None;
    move |packet, count| {
        let Body::Data { .. } = packet.body else { return Fate::Deliver };
        if from.is_none() && begins(packet, count) {
            from = Some(packet.sent_at);
        }
        let Some(from) = from else { return Fate::Deliver };
        let over = packet.sent_at > from + Span::from_ms(ms);
        if !over || after(packet) { Fate::Drop } else { Fate::Deliver }
    }
}

fn causes(reduces: bool, script: impl FnMut(&Packet, usize) -> Fate + 'static) -> Vec<Cause> {
    let newreno = Algorithm::parse("newreno").expect("a known algorithm");
    reductions(&newreno, &rack(reduces), script).iter().map(|&(cause, ..)| cause).collect()
}

#[test]
fn a_timeout_in_fast_recovery_is_another_indication() {
    // One packet is lost, and nothing arrives from its retransmission on: RACK learns nothing of that.
    let script = || {
        let mut lost = lose(&[120], 1);
        let begins = |packet: &Packet, _| matches!(packet.body, Body::Data { retransmission: true, .. });
        let mut dead = outage(700, begins, |_| false);
        move |packet: &Packet, count| {
            if lost(packet, count) == Fate::Drop { Fate::Drop } else { dead(packet, count) }
        }
    };
    assert_eq!(causes(true, script()), [Cause::Detected, Cause::Timeout]);
    assert_eq!(causes(false, script()), [Cause::Detected]);
}

#[test]
fn a_retransmission_that_is_lost_after_a_timeout_is_another_indication() {
    // A flight is lost, and the timeout declares all of it lost; one segment is lost again in the slow start that follows.
    let script = || {
        let mut again = Some(130);
        outage(
            300,
            |packet, _| packet.number == 120,
            move |packet| again.take_if(|number| *number == packet.number).is_some(),
        )
    };
    assert_eq!(causes(true, script()), [Cause::Timeout, Cause::Detected]);
    assert_eq!(causes(false, script()), [Cause::Timeout]);
}
