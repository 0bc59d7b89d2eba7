// SPDX-License-Identifier: Apache-2.0
//! Rules 3 and 4 of `NextSeg` (RFC 6675 §4): the segment that is sent when none is lost and no new one can be
//! sent.

use crate::wire::{Fate, Halving, Wire, lose_once, options};
use narrows_transport::RecoveryKind::Sack;
use narrows_transport::TransportOptions;
use narrows_units::Span;
use narrows_wire::{Body, Packet};

/// A transfer of `segments` segments, the first twenty of which are sent at once.
fn run(
    segments: u64,
    receive_window: Option<u64>,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> Wire {
    let options = TransportOptions { receive_window, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(20.0), Some(segments), script);
    assert!(wire.complete(Span::from_ms(60_000)), "{:?}", wire.sender);
    wire
}

fn retransmitted(wire: &Wire) -> Vec<u64> {
    wire.retransmissions().iter().map(|&(_, number)| number).collect()
}

#[test]
fn segments_below_the_highest_sacked_are_retransmitted_where_no_new_one_can_be_sent() {
    // Only one segment above 18 arrives, so that 18 is never declared lost (rule 3).
    let wire = run(20, None, lose_once(&[2, 18]));
    assert_eq!(retransmitted(&wire), [2, 19, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}

#[test]
fn the_rescue_retransmission_avoids_a_timeout_for_a_lost_tail() {
    // Nothing of the tail arrives before the rescue retransmission (rule 4); then rule 3 sends the others.
    let wire = run(20, None, lose_once(&[2, 16, 17, 18, 19]));
    assert_eq!(retransmitted(&wire), [2, 19, 16, 17, 18]);
    assert_eq!((wire.sender.counters().timeouts, wire.sender.counters().reductions), (0, 1));
}

#[test]
fn there_is_one_rescue_retransmission_per_episode() {
    let script = |packet: &Packet, count: usize| match packet.body {
        Body::Data { .. } if packet.number == 2 && count == 0 => Fate::Drop,
        Body::Data { .. } if packet.number == 19 && count < 2 => Fate::Drop,
        _ => Fate::Deliver,
    };
    let wire = run(20, None, script);
    assert_eq!(retransmitted(&wire), [2, 19, 19]);
    assert_eq!(wire.sender.counters().timeouts, 1);
}

#[test]
fn new_data_precedes_segments_that_are_not_declared_lost() {
    let wire = run(60, None, lose_once(&[2, 18]));
    assert_eq!(retransmitted(&wire), [2, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}

#[test]
fn with_a_full_receive_window_no_new_segment_can_be_sent() {
    let wire = run(60, Some(20), lose_once(&[2, 18]));
    // The first two acknowledgements permit 20 and 21.
    assert_eq!(retransmitted(&wire), [2, 21, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}
