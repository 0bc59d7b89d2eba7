// SPDX-License-Identifier: Apache-2.0
//! Source Quench (RFC 792): a router that asks the senders of packets for less while its queue is near its limit.
//!
//! A router may send a quench for each packet that it discards, or when it approaches the limit, and then the packet is delivered
//! (RFC 792); here it does the latter. RFC 1812 §4.3.3.3 advises routers against it, and RFC 6633 deprecates it.

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Limit, Order};
use alloc::boxed::Box;
use narrows_card::{Card, Default, Domain, Parameter};
use narrows_wire::{Packet, Request};

/// The computation of a router that quenches.
#[derive(Clone, Debug)]
struct SourceQuench {
    /// An arrival that finds more than this is answered by a quench.
    threshold: Limit,
    waiting: Backlog,
}

impl Computation for SourceQuench {
    fn on_enqueue(&mut self, packet: &mut Packet, _context: &Context<'_>) {
        if !self.threshold.holds(self.waiting)
            && let Some(Request::Level(level)) = packet.request_mut()
        {
            *level = (*level).max(1);
        }
        self.waiting.add(packet.size());
    }

    fn on_dequeue(&mut self, _packet: Option<&mut Packet>, waiting: Backlog, _context: &Context<'_>) {
        self.waiting = waiting;
    }

    fn variables(&self, _record: &mut dyn FnMut(&str, f64)) {}
}

/// The catalogue entry of `source-quench`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "source-quench",
        family: "explicit",
        summary: "Source Quench router: asks the sender of each packet that arrives behind more than a threshold to send less",
        source: "RFC 792",
        equations: &["quench the sender of the arrival if waiting > threshold"],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "threshold",
                meaning: "backlog above which the senders of arrivals are quenched",
                unit: "",
                source: "ours: RFC 792 says when it approaches its capacity limit, and leaves the place open",
                domain: Domain::Length { default: Default::Value("0.5bdp"), whole: true },
            },
        ],
        variables: &[],
        deviations: &[
            "certain: that a packet which causes a quench may be delivered; chosen: the threshold, and a quench for every packet beyond it, where RFC 1812 §4.3.3.3 limits their rate",
            "the quench is written into the packet and returns with its acknowledgement; a message of the router's own would reach the sender up to a round trip earlier, take room on the way back and could be lost",
            "a packet that is dropped causes no quench, and counts until the next departure",
        ],
    },
    marks: false,
    order: Order::All,
    timer: None,
    complete: router::waiting,
    build: |settings| {
        let computation =
            SourceQuench { threshold: settings.limit("threshold"), waiting: Backlog::default() };
        Box::new(Router::new(computation, settings.queue("discipline")))
    },
};

#[cfg(test)]
mod tests {
    //! Truth: the rule of RFC 792, worked by hand.

    use super::SourceQuench;
    use crate::droptail::{self, DropTail};
    use crate::router::Router;
    use crate::testing::{Bench, packet};
    use crate::{Backlog, Limit};
    use narrows_wire::{Body, Packet, Request};

    #[test]
    fn the_sender_of_a_packet_behind_more_than_the_threshold_is_quenched_and_its_packet_is_delivered() {
        let waiting = DropTail::new(&droptail::Config { limit: Limit::Unlimited, ack_filter: false });
        let computation = SourceQuench { threshold: Limit::Packets(2), waiting: Backlog::default() };
        let mut bench = Bench::new(Router::new(computation, Box::new(waiting)));
        for number in 0..4 {
            let body = Body::syn(Some(Request::Level(0)));
            bench.arrive(Packet { body, ..packet(number, 1, 1000) });
        }
        let mut quenched = Vec::new();
        for _ in 0..4 {
            let mut sent = bench.depart().expect("nothing is dropped");
            quenched.push(sent.request_mut() == Some(&mut Request::Level(1)));
        }
        assert_eq!(quenched, [false, false, false, true]);
    }
}
