//! DropTail: packets leave in the order of arrival, and an arrival that finds no room is dropped.
//!
//! Deviations: a limit of L packets holds L waiting packets; in ns-2 it holds L − 1.

use crate::discipline::independent;
use crate::parameters::LIMIT;
use crate::{
    Backlog, Context, Discipline, DropReason, Entry, Fifo, Given, Limit, QueueDiscipline, Scale, Setting,
    Settings,
};
use narrows_card::Card;
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::Packet;

/// Settings of a DropTail queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Buffer limit.
    pub limit: Limit,
}

/// A FIFO queue that drops arrivals for which it has no room.
#[derive(Clone, Debug)]
pub struct DropTail {
    limit: Limit,
    waiting: Fifo,
}

impl DropTail {
    /// An empty queue.
    pub fn new(config: &Config) -> Self {
        Self { limit: config.limit, waiting: Fifo::default() }
    }
}

impl QueueDiscipline for DropTail {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        if self.limit.admits(self.waiting.backlog(), packet.size()) {
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

/// The catalogue entry of `droptail`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "droptail",
        family: "passive",
        summary: "first in, first out; an arrival that finds no room is dropped",
        source: "the Internet's default; its costs: RFC 7567 §2",
        equations: &["drop the arrival if waiting + arrival > limit"],
        parameters: &[LIMIT],
        variables: &[],
        deviations: &["a limit of L packets holds L waiting packets; ns-2 holds L - 1"],
    },
    marks: false,
    timer: None,
    complete: independent,
    build: |settings| Box::new(DropTail::new(&config(settings))),
};

fn config(settings: &Settings) -> Config {
    Config { limit: settings.limit("limit") }
}

/// The discipline DropTail with buffer limit `limit`.
#[expect(clippy::missing_panics_doc, reason = "DropTail has no other parameter")]
pub fn with_limit(limit: Limit) -> Discipline {
    let given = Given { parameter: "limit", setting: Setting::Limit(limit), written: limit.to_string() };
    Discipline::new(&ENTRY, NO_SCALE, vec![given]).expect("a limit is all that DropTail has")
}

/// Buffer limit of `discipline`; `None` if it is not DropTail.
pub fn limit_of(discipline: &Discipline) -> Option<Limit> {
    (discipline.name() == ENTRY.card.name).then(|| discipline.limit())
}

/// Measures no length: every one is given.
const NO_SCALE: Scale = Scale { rate: Rate::ZERO, rtt: Span::ZERO, packet: Bytes::ZERO };

#[cfg(test)]
mod tests {
    use super::{Config, DropTail};
    use crate::{Context, DropReason, Limit, QueueDiscipline, Tap};
    use narrows_units::{Rate, Time};
    use narrows_wire::{Body, Ecn, FlowId, Packet};

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
        let mut queue = DropTail::new(&Config { limit: Limit::Packets(2) });
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
                body: Body::Syn { request: None },
            };
            queue.enqueue(packet, &mut context);
        }
        let left: Vec<_> =
            std::iter::from_fn(|| queue.dequeue(&mut context)).map(|packet| packet.number).collect();
        assert_eq!(left, [0, 1]);
        assert_eq!(dropped.0, [(2, DropReason::Overflow), (3, DropReason::Overflow)]);
    }
}
