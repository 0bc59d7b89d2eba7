// SPDX-License-Identifier: Apache-2.0
//! DropTail: packets leave in the order of arrival, and an arrival that finds no room is dropped. With `ack_filter` an
//! acknowledgement without data replaces earlier ones of its flow that wait (ACK filtering, RFC 3449 §5.2.1).

use crate::discipline::independent;
use crate::parameters::LIMIT;
use crate::{
    Backlog, Context, Discipline, DropReason, Entry, Fifo, Given, Limit, Order, QueueDiscipline, Scale,
    Setting, Settings,
};
use alloc::{boxed::Box, string::ToString, vec};
use narrows_card::{Card, Domain, Parameter};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::{Body, Packet, SackBlocks};

/// Settings of a DropTail queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Buffer limit.
    pub limit: Limit,
    /// Whether an acknowledgement replaces earlier ones of its flow.
    pub ack_filter: bool,
}

/// A FIFO queue that drops arrivals for which it has no room.
#[derive(Clone, Debug)]
pub struct DropTail {
    config: Config,
    waiting: Fifo,
}

impl DropTail {
    /// Creates an empty queue.
    pub fn new(config: &Config) -> Self {
        Self { config: *config, waiting: Fifo::default() }
    }

    /// Drops the acknowledgements that `packet` makes redundant.
    #[cold]
    fn filter(&mut self, packet: &Packet, context: &mut Context<'_>) {
        let replaced = |waiting: &Packet| is_redundant(waiting, packet);
        while let Some(replaced) = self.waiting.remove(replaced) {
            context.drop(&replaced, DropReason::Early);
        }
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        if self.config.ack_filter {
            self.filter(&packet, context);
        }
        if self.config.limit.admits(self.waiting.backlog(), packet.size()) {
            self.waiting.push(packet);
        } else {
            context.drop(&packet, DropReason::Overflow);
        }
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        self.waiting.pop()
    }

    fn backlog(&self) -> Backlog {
        self.waiting.backlog()
    }
}

/// Whether `waiting` is an acknowledgement that `arrival` makes redundant (RFC 3449 §5.2.1).
pub(crate) fn is_redundant(waiting: &Packet, arrival: &Packet) -> bool {
    waiting.flow == arrival.flow
        && waiting.number < arrival.number
        && is_plain_ack(waiting)
        && is_plain_ack(arrival)
}

/// Whether `packet` is an acknowledgement without information besides its number.
fn is_plain_ack(packet: &Packet) -> bool {
    matches!(packet.body, Body::Ack { blocks: SackBlocks::NONE, .. }) && !packet.ecn_echo
}

/// The catalogue entry of `droptail`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "droptail",
        family: "passive",
        summary: "first in, first out; an arrival that exceeds the limit is dropped (tail drop)",
        source: "the Internet's default; its costs: RFC 7567 §2",
        equations: &["drop the arrival if waiting + arrival > limit"],
        parameters: &[
            LIMIT,
            Parameter {
                name: "ack_filter",
                meaning: "ACK filtering: a pure acknowledgement replaces earlier ones of its flow in the queue",
                unit: "",
                source: "RFC 3449 §5.2.1",
                domain: Domain::Flag { default: false },
            },
        ],
        variables: &[],
        deviations: &[
            "a limit of L packets holds L waiting packets; ns-2 holds L - 1",
            "acknowledgements with SACK blocks, ECE or responses of routers, or that advance nothing, are not filtered, as RFC 3449 recommends for those that are not redundant",
        ],
    },
    marks: false,
    order: Order::All,
    timer: None,
    complete: independent,
    build: |settings| Box::new(DropTail::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config { limit: settings.limit("limit"), ack_filter: settings.flag("ack_filter") }
}

/// Returns the discipline DropTail with buffer limit `limit`.
#[expect(clippy::missing_panics_doc, reason = "DropTail has no other parameter")]
pub fn with_limit(limit: Limit) -> Discipline {
    let given = Given { parameter: "limit", setting: Setting::Limit(limit), written: limit.to_string() };
    Discipline::new(&ENTRY, NO_SCALE, vec![given]).expect("a limit is all that DropTail has")
}

/// Returns the buffer limit of `discipline`; `None` if it is not DropTail, or filters acknowledgements.
pub fn limit_of(discipline: &Discipline) -> Option<Limit> {
    let plain = discipline.name() == ENTRY.card.name && !discipline.settings().flag("ack_filter");
    plain.then(|| discipline.limit())
}

/// Measures no length: every one is given.
const NO_SCALE: Scale = Scale { rate: Rate::ZERO, rtt: Span::ZERO, packet: Bytes::ZERO };

#[cfg(test)]
mod tests {
    use super::{Config, DropTail};
    use crate::testing::{Bench, packet};
    use crate::{Context, DropReason, Limit, QueueDiscipline, Tap};
    use narrows_units::{Rate, Time};
    use narrows_wire::{Block, Body, Ecn, FlowId, Packet, SackBlocks};

    struct Dropped(Vec<(u64, DropReason)>);

    impl Tap for Dropped {
        fn dropped(&mut self, packet: &Packet, reason: DropReason) {
            self.0.push((packet.number, reason));
        }

        fn marked(&mut self, _packet: &Packet) {
            unreachable!("DropTail marks nothing");
        }
    }

    #[test]
    fn the_arrival_that_finds_no_room_is_dropped_and_the_others_leave_in_order() {
        let mut queue = DropTail::new(&Config { limit: Limit::Packets(2), ack_filter: false });
        let mut dropped = Dropped(Vec::new());
        let mut context = Context {
            now: Time::ZERO,
            rate: Rate::from_bps(1),
            uniform: &mut || unreachable!("DropTail draws nothing"),
            tap: &mut dropped,
        };
        for number in 0..4 {
            let packet = Packet {
                arrival: Time::ZERO,
                sent_at: Time::ZERO,
                number,
                flow: FlowId::new(number as u32, 0),
                size: 1500,
                next: 0,
                ecn: Ecn::NotCapable,
                ecn_echo: false,
                body: Body::syn(None),
            };
            queue.enqueue(packet, &mut context);
        }
        let left: Vec<_> =
            core::iter::from_fn(|| queue.dequeue(&mut context)).map(|packet| packet.number).collect();
        assert_eq!(left, [0, 1]);
        assert_eq!(dropped.0, [(2, DropReason::Overflow), (3, DropReason::Overflow)]);
    }

    #[test]
    fn of_the_acknowledgements_of_a_flow_only_the_last_waits_with_the_filter() {
        let mut bench = Bench::new(DropTail::new(&Config { limit: Limit::Unlimited, ack_filter: true }));
        let ack = |number, flow, blocks| {
            let body = Body::Ack { blocks, ce_packets: 0, timestamp_echo: 0 };
            Packet { body, ..packet(number, flow, 40) }
        };
        let sack = SackBlocks::new(5, None, [Block { start: 7, end: 9 }]);
        let echo = Packet { ecn_echo: true, ..ack(4, 0, SackBlocks::NONE) };
        for arrival in [
            ack(1, 0, SackBlocks::NONE),
            ack(1, 1, SackBlocks::NONE),
            ack(5, 0, sack),
            echo,
            ack(6, 0, SackBlocks::NONE),
            ack(6, 0, SackBlocks::NONE),
        ] {
            bench.arrive(arrival);
        }
        // A duplicate acknowledgement, one with blocks and one with ECE are information of their own.
        assert_eq!(bench.drain(), [1, 5, 4, 6, 6]);
        assert_eq!(bench.account.dropped, [(1, DropReason::Early)]);
    }
}
