//! Rules: what recovery by selective acknowledgements sends when nothing lost waits and nothing new can go (RFC 6675 §4,
//! `NextSeg` rules 3 and 4).

mod wire;

use narrows_transport::RecoveryKind::Sack;
use narrows_transport::TransportOptions;
use narrows_units::Span;
use narrows_wire::{Body, Packet};
use wire::{Fate, Halving, Wire, lose_once, options};

/// Twenty segments that leave together, and perhaps no more behind them.
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

fn again(wire: &Wire) -> Vec<u64> {
    wire.retransmissions().iter().map(|&(_, number)| number).collect()
}

#[test]
fn what_lies_below_the_highest_arrival_goes_again_where_nothing_new_can() {
    // Above 18 only one segment arrives, so it is never known to be lost (rule 3).
    let wire = run(20, None, lose_once(&[2, 18]));
    assert_eq!(again(&wire), [2, 19, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}

#[test]
fn the_highest_missing_segment_is_rescued_once_and_saves_a_lost_tail_from_the_timer() {
    // Of the tail nothing arrives until the rescue does (rule 4); then rule 3 sends the rest.
    let wire = run(20, None, lose_once(&[2, 16, 17, 18, 19]));
    assert_eq!(again(&wire), [2, 19, 16, 17, 18]);
    assert_eq!((wire.sender.counters().timeouts, wire.sender.counters().reductions), (0, 1));
}

#[test]
fn only_one_segment_is_rescued_in_an_episode() {
    let script = |packet: &Packet, count: usize| match packet.body {
        Body::Data { .. } if packet.number == 2 && count == 0 => Fate::Drop,
        Body::Data { .. } if packet.number == 19 && count < 2 => Fate::Drop,
        _ => Fate::Deliver,
    };
    let wire = run(20, None, script);
    assert_eq!(again(&wire), [2, 19, 19]);
    assert_eq!(wire.sender.counters().timeouts, 1);
}

#[test]
fn new_data_goes_before_what_is_only_doubtful() {
    let wire = run(60, None, lose_once(&[2, 18]));
    assert_eq!(again(&wire), [2, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}

#[test]
fn a_full_receive_window_leaves_nothing_new_to_send_either() {
    let wire = run(60, Some(20), lose_once(&[2, 18]));
    // The first two acknowledgements let 20 and 21 go.
    assert_eq!(again(&wire), [2, 21, 18]);
    assert_eq!(wire.sender.counters().timeouts, 0);
}
