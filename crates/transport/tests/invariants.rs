// SPDX-License-Identifier: Apache-2.0
//! Contract: what loss recovery must satisfy under every policy, whatever the network does to packets: losses, reordering,
//! steps of the delay and outages.

mod wire;

use narrows_transport::{
    ForwardRtoKind, RecoveryKind, RtoRestart, Rule, TransportEvent, TransportOptions, UndoKind,
};
use narrows_units::{Span, Time};
use narrows_wire::{Body, Packet};
use proptest::prelude::*;
use wire::{DELAY, Fate, Halving, POLICIES, Wire, at, options};

/// What the network does to packets.
#[derive(Clone, Debug)]
struct Impairment {
    /// One data packet of so many is lost; 0 for none.
    lost: u64,
    /// One data packet of so many is late; 0 for none.
    late: u64,
    /// By how much it is late, ms.
    lateness: u64,
    /// One acknowledgement of so many is lost; 0 for none.
    acks_lost: u64,
    /// When an outage of data begins, and how long it lasts, ms.
    outage: (u64, u64),
    /// When the delay of data rises, for how long, and by how much, ms. Nothing is reordered when it rises or falls.
    step: (u64, u64, u64),
}

impl Impairment {
    fn script(self) -> impl FnMut(&Packet, usize) -> Fate + 'static {
        let (mut data, mut acks) = (0_u64, 0_u64);
        let mut last_arrival = Time::ZERO;
        move |packet, _| {
            let within =
                |(from, length): (u64, u64)| packet.sent_at >= at(from) && packet.sent_at < at(from + length);
            match packet.body {
                Body::Data { .. } => data += 1,
                Body::Ack { .. } => {
                    acks += 1;
                    let lost = self.acks_lost > 0 && u64::is_multiple_of(acks, self.acks_lost);
                    return if lost { Fate::Drop } else { Fate::Deliver };
                }
                _ => return Fate::Deliver,
            }
            let one_of = |share: u64, offset: u64| share > 0 && (data + offset).is_multiple_of(share);
            if within(self.outage) || one_of(self.lost, 0) {
                return Fate::Drop;
            }
            if one_of(self.late, 3) {
                return Fate::Delay(Span::from_ms(self.lateness));
            }
            let (from, length, by) = self.step;
            let delay = if within((from, length)) { Span::from_ms(by) } else { Span::ZERO };
            last_arrival = last_arrival.max(packet.sent_at + delay);
            Fate::Delay(last_arrival - packet.sent_at)
        }
    }
}

fn impairment() -> impl Strategy<Value = Impairment> {
    let rare = || prop_oneof![2 => Just(0_u64), 1 => 7_u64..300];
    let times = || (80_u64..1_500, prop_oneof![1 => Just(0_u64), 1 => 1_u64..2_500]);
    (rare(), rare(), 1_u64..60, rare(), times(), times(), 1_u64..1_500).prop_map(
        |(lost, late, lateness, acks_lost, outage, step, by)| Impairment {
            lost,
            late,
            lateness,
            acks_lost,
            outage,
            step: (step.0, step.1, by),
        },
    )
}

fn transport() -> impl Strategy<Value = TransportOptions> {
    let undo = prop_oneof![
        Just(UndoKind::None),
        Just(UndoKind::Duplicates),
        Just(UndoKind::DuplicatesAndTimestamps)
    ];
    let frto =
        prop_oneof![Just(ForwardRtoKind::None), Just(ForwardRtoKind::Rfc5682), Just(ForwardRtoKind::Linux)];
    let rto_restart = prop_oneof![Just(RtoRestart::Ack), Just(RtoRestart::Head)];
    (0..POLICIES.len(), undo, frto, rto_restart, any::<bool>(), 1_u32..3).prop_map(
        |(policy, undo, frto, rto_restart, proportional_rate_reduction, delayed_ack)| TransportOptions {
            undo,
            frto,
            rto_restart,
            proportional_rate_reduction,
            delayed_ack,
            ..options(POLICIES[policy])
        },
    )
}

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
