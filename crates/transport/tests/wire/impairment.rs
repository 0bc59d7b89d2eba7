// SPDX-License-Identifier: Apache-2.0
//! Random networks and senders.

use super::{Fate, POLICIES, at, options};
use narrows_transport::{ForwardRtoKind, RtoRestart, TransportOptions, UndoKind};
use narrows_units::{Span, Time};
use narrows_wire::{Body, Packet};
use proptest::prelude::*;

/// What the network does to packets.
#[derive(Clone, Debug)]
pub struct Impairment {
    /// One data packet of so many is lost; 0 for none.
    pub lost: u64,
    /// One data packet of so many is late; 0 for none.
    pub late: u64,
    /// By how much it is late, ms.
    pub lateness: u64,
    /// One acknowledgement of so many is lost; 0 for none.
    pub acks_lost: u64,
    /// When an outage of data begins, and how long it lasts, ms.
    pub outage: (u64, u64),
    /// When the delay of data rises, for how long, and by how much, ms. Nothing is reordered when it rises or falls.
    pub step: (u64, u64, u64),
}

impl Impairment {
    /// Decides the fate of each packet.
    pub fn script(self) -> impl FnMut(&Packet, usize) -> Fate + 'static {
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

/// Networks that lose, delay and reorder packets.
pub fn impairment() -> impl Strategy<Value = Impairment> {
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

/// Senders with any recovery.
pub fn transport() -> impl Strategy<Value = TransportOptions> {
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
