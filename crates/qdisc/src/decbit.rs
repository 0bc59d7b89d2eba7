// SPDX-License-Identifier: Apache-2.0
//! DECbit's router (Ramakrishnan and Jain, "A binary feedback scheme for congestion avoidance in computer networks with a
//! connectionless network layer", SIGCOMM 1988): sets a bit in packets that arrive while the mean queue is one packet or more.
//!
//! The mean is over time, from the beginning of the last regeneration cycle, a busy and the idle time after it, to the present; the
//! packet in transmission counts.

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order, Settings};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::Time;
use narrows_wire::{Packet, Request};

/// The computation of a DECbit router.
#[derive(Clone, Debug)]
struct DecBit {
    /// Mean queue from which the bit is set, packets.
    threshold: f64,
    /// Packets that wait.
    waiting: u64,
    /// A packet is in transmission.
    sending: bool,
    /// Time at which the link became idle, of the last time that it did.
    idle_since: Time,
    /// Time to which the integrals reach.
    now: Time,
    /// Integral of the queue and length of the last cycle and of this one, packet-seconds and seconds.
    cycles: [(f64, f64); 2],
}

impl DecBit {
    /// Continues the integrals to `now`.
    fn advance(&mut self, now: Time) {
        let span = now.since(self.now).as_secs_f64();
        let packets = self.waiting as f64 + f64::from(u8::from(self.sending));
        self.cycles[1].0 += packets * span;
        self.cycles[1].1 += span;
        self.now = now;
    }

    /// The mean queue since the last cycle began, packets.
    fn mean(&self) -> f64 {
        let (area, span) = (self.cycles[0].0 + self.cycles[1].0, self.cycles[0].1 + self.cycles[1].1);
        if span > 0.0 { area / span } else { 0.0 }
    }
}

impl Computation for DecBit {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        self.advance(context.now);
        // A departure and an arrival at one instant, in whichever order they come, have no idle time between them.
        if self.waiting == 0 && !self.sending && self.idle_since < context.now {
            self.cycles = [self.cycles[1], (0.0, 0.0)];
        }
        self.waiting += 1;
        if self.mean() >= self.threshold
            && let Some(Request::Level(level)) = packet.request_mut()
        {
            *level = (*level).max(1);
        }
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, waiting: Backlog, context: &Context<'_>) {
        self.advance(context.now);
        if self.sending && packet.is_none() {
            self.idle_since = context.now;
        }
        (self.waiting, self.sending) = (waiting.packets, packet.is_some());
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("mean_queue", self.mean());
    }
}

/// The catalogue entry of `decbit`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "decbit",
        family: "explicit",
        summary: "DECbit router: sets a bit in packets that arrive while the mean queue is one packet or more",
        source: "Ramakrishnan and Jain, SIGCOMM 1988",
        equations: &[
            "mean queue from the beginning of the last busy and idle cycle to now, the packet in transmission included",
            "an arrival: bit = 1 if the mean is threshold or more",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "threshold",
                meaning: "mean queue from which the bit is set",
                unit: "packets",
                source: "Ramakrishnan and Jain 1988",
                domain: Domain::Number { default: 1.0, minimum: 0.0, maximum: 1e9 },
            },
        ],
        variables: &[Variable {
            name: "mean_queue",
            unit: "packets",
            meaning: "mean queue since the beginning of the last cycle",
        }],
        deviations: &["a packet that the queue drops counts until the next departure"],
    },
    marks: false,
    order: Order::All,
    timer: None,
    complete: router::waiting,
    build: |settings| Box::new(Router::new(decbit(settings), settings.queue("discipline"))),
};

fn decbit(settings: &Settings) -> DecBit {
    DecBit {
        threshold: settings.number("threshold"),
        waiting: 0,
        sending: false,
        idle_since: Time::ZERO,
        now: Time::ZERO,
        cycles: [(0.0, 0.0); 2],
    }
}

#[cfg(test)]
mod tests {
    use super::DecBit;
    use crate::droptail::{self, DropTail};
    use crate::router::Router;
    use crate::testing::{Bench, packet};
    use crate::{Limit, QueueDiscipline};
    use narrows_card::Catalogue;
    use narrows_units::Span;
    use narrows_wire::{Body, Packet, Request};

    /// A router over an unlimited queue, before a link of 8 Mbps.
    fn bench(computation: DecBit) -> Bench<Router<DecBit>> {
        let waiting = DropTail::new(&droptail::Config { limit: Limit::Unlimited, ack_filter: false });
        Bench::new(Router::new(computation, Box::new(waiting)))
    }

    fn asking(size: u16, request: Request) -> Packet {
        Packet { body: Body::syn(Some(request)), ..packet(0, 1, size) }
    }

    fn decbit() -> Bench<Router<DecBit>> {
        let cycles = [(0.0, 0.0); 2];
        let zero = narrows_units::Time::ZERO;
        bench(DecBit { threshold: 1.0, waiting: 0, sending: false, idle_since: zero, now: zero, cycles })
    }

    /// Sends `count` packets of 1 ms, one each `gap_us`, and returns which of them have the bit.
    fn bits(count: u64, gap_us: u64) -> Vec<bool> {
        let (mut bench, mut found) = (decbit(), Vec::new());
        for _ in 0..count {
            bench.arrive(asking(1000, Request::Level(0)));
            let mut sent = bench.depart().expect("a packet waits");
            found.push(sent.request_mut() == Some(&mut Request::Level(1)));
            bench.now += Span::from_ms(1);
            assert!(bench.depart().is_none(), "the link is idle");
            bench.now += Span::from_us(gap_us - 1000);
        }
        found
    }

    #[test]
    fn a_link_that_is_used_for_less_than_all_of_the_time_sets_no_bit() {
        assert!(bits(20, 1_100).iter().all(|set| !set));
    }

    #[test]
    fn packets_that_arrive_as_fast_as_they_leave_are_a_queue_of_one() {
        assert!(bits(20, 1_000)[1..].iter().all(|set| *set));
    }

    /// The departure of each comes at the instant of the arrival of the next: the link is not idle between them, so that they are one
    /// busy time, and what counts is the idle time before it.
    #[test]
    fn a_train_spaced_by_its_service_time_after_an_idle_time_sets_no_bit() {
        let mut bench = decbit();
        let mut marked = 0;
        for packet in 0..20 {
            if packet % 10 == 0 {
                bench.now += Span::from_ms(5);
            }
            bench.arrive(asking(1000, Request::Level(0)));
            let mut sent = bench.depart().expect("a packet waits");
            marked += u32::from(packet >= 10 && sent.request_mut() == Some(&mut Request::Level(1)));
            bench.now += Span::from_ms(1);
            assert!(bench.depart().is_none(), "the link is idle");
        }
        assert_eq!(marked, 0);
    }

    /// A burst of five waits for 0, 1, 2, 3 and 4 ms: 15 packet-milliseconds in a cycle of 15 ms are one packet.
    #[test]
    fn the_mean_is_over_the_last_busy_time_and_the_idle_time_after_it() {
        for (idle_ms, marked) in [(9, true), (11, false)] {
            let mut bench = decbit();
            for _ in 0..5 {
                bench.arrive(asking(1000, Request::Level(0)));
            }
            while bench.depart().is_some() {
                bench.now += Span::from_ms(1);
            }
            bench.now += Span::from_ms(idle_ms);
            bench.arrive(asking(1000, Request::Level(0)));
            if marked {
                let mut mean = f64::NAN;
                bench.queue.observe(&mut |name, value| {
                    if name == "mean_queue" {
                        mean = value;
                    }
                });
                let row = "mean queue of a cycle of 14 ms with five packets of 1 ms at once, against 15 / 14";
                Catalogue::Queues.assert_near("decbit", row, mean, 15.0 / 14.0, 0.001);
            }
            let level = bench.depart().and_then(|mut packet| packet.request_mut().copied());
            assert_eq!(level, Some(Request::Level(u8::from(marked))), "{idle_ms} ms");
        }
    }
}
