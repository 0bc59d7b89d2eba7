// SPDX-License-Identifier: Apache-2.0
//! Contract: what loss recovery must satisfy under every policy, whatever the network does to packets: losses, reordering,
//! steps of the delay and outages.

use crate::wire::impairment::{Impairment, impairment, transport};
use crate::wire::{DELAY, Halving, Wire, options};
use narrows_transport::{RecoveryKind, Rule, TransportEvent, TransportOptions, UndoKind};
use narrows_units::{Span, Time};
use proptest::prelude::*;

/// When the timer expired: retransmissions that follow need no other reason.
fn timeouts(wire: &Wire) -> Vec<Time> {
    let expired = |(at, event): &(Time, TransportEvent)| {
        matches!(event, TransportEvent::Expired(Rule::Timeout)).then_some(*at)
    };
    wire.events.iter().filter_map(expired).collect()
}

/// Only a timeout, or a probe, can show within less than a round trip that a retransmission is lost, too.
fn assert_no_repetition_within_a_round_trip(options: TransportOptions, impairment: Impairment) {
    let mut wire = Wire::new(options, Halving::fixed(40.0), Some(1_500), impairment.script());
    assert!(wire.complete(Span::from_ms(600_000)), "{:?}", wire.sender);
    let mut expiries = timeouts(&wire);
    expiries.extend(
        wire.events
            .iter()
            .filter_map(|(at, event)| matches!(event, TransportEvent::Expired(Rule::Probe)).then_some(*at)),
    );
    let mut last = std::collections::BTreeMap::new();
    for (when, number) in wire.retransmissions() {
        if let Some(before) = last.insert(number, when) {
            let excused = expiries.iter().any(|&at| at >= before && at <= when);
            assert!(excused || when - before >= DELAY * 2, "{number} at {before:?} and {when:?}");
        }
    }
}

/// Two episodes at the end of a transfer, the first one undone, share one rescue retransmission (RFC 6675 §4, rule 4).
#[test]
fn an_undone_episode_does_not_repeat_the_rescue_retransmission() {
    let late = |late, lateness| Impairment {
        lost: 0,
        late,
        lateness,
        acks_lost: 0,
        outage: (0, 0),
        step: (0, 0, 0),
    };
    for (one_of, by) in (4..40).flat_map(|one_of| [(one_of, 4), (one_of, 20), (one_of, 35)]) {
        let options =
            TransportOptions { undo: UndoKind::DuplicatesAndTimestamps, ..options(RecoveryKind::Sack) };
        assert_no_repetition_within_a_round_trip(options, late(one_of, by));
    }
}

proptest! {
    #[test]
    fn no_segment_is_retransmitted_twice_within_a_round_trip(options in transport(), impairment in impairment()) {
        assert_no_repetition_within_a_round_trip(options, impairment);
    }

    /// RFC 6298 §5.5: while nothing arrives each timeout is twice as long as the one before; and once the path works again, all
    /// data arrives.
    #[test]
    fn timeouts_back_off_while_nothing_arrives(options in transport(), impairment in impairment()) {
        let mut wire = Wire::new(options, Halving::fixed(20.0), Some(600), impairment.script());
        prop_assert!(wire.complete(Span::from_ms(600_000)), "{:?}", wire.sender);
        prop_assert_eq!(wire.receiver.counters().bytes_delivered, 600_000);
        for three in timeouts(&wire).windows(3) {
            let quiet = !wire.acks.iter().any(|(when, _)| *when >= three[0] && *when <= three[2]);
            if quiet {
                prop_assert_eq!(three[2] - three[1], (three[1] - three[0]) * 2);
            }
        }
    }
}
