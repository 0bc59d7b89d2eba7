// SPDX-License-Identifier: Apache-2.0
//! A path with one bottleneck: 20 Mbps, 40 ms, a drop-tail queue of one bandwidth-delay product, a sender that always has data, and
//! a receiver that acknowledges every packet at once.

use crate::fact::{Controller, Fact, PACKET};
use std::collections::VecDeque;

/// Rate of the bottleneck, bits per second.
const RATE: u64 = 20_000_000;
/// Round-trip time of the empty path, nanoseconds.
const RTT: u64 = 40_000_000;
/// Headers of UDP and IPv4, bytes.
const HEADERS: u64 = 28;
/// Time in which the bottleneck sends a packet, nanoseconds.
const SERVICE: u64 = (PACKET as u64 + HEADERS) * 8 * 1_000_000_000 / RATE;
/// Packets of which a later one is acknowledged before one is lost (RFC 9002 §6.1.1).
const REORDERING: u64 = 3;

/// Runs `controller` on the path up to `end` in nanoseconds. Returns what it was given.
pub fn run(controller: &mut dyn Controller, end: u64) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut apply = |controller: &mut dyn Controller, fact: Fact| {
        facts.push(fact);
        controller.apply(fact);
    };
    // Number and time of what is outstanding, and number, time and arrival of what will be acknowledged, oldest first.
    let mut outstanding: VecDeque<(u64, u64)> = VecDeque::new();
    let mut coming: VecDeque<(u64, u64, u64)> = VecDeque::new();
    let (mut now, mut number, mut idle_from, mut departure, mut last_lost) = (0, 0, 0, 0, None);
    while now < end {
        let in_flight = outstanding.len() as u64 * u64::from(PACKET);
        let may_send = in_flight + u64::from(PACKET) <= controller.window();
        let send_at = may_send.then(|| now.max(departure));
        let arrival = coming.front().map(|&(_, _, at)| at);
        match (send_at, arrival) {
            (Some(at), arrival) if arrival.is_none_or(|arrival| at < arrival) => {
                now = at;
                apply(controller, Fact::Sent { number, now });
                outstanding.push_back((number, now));
                // A packet waits for what is before it, at most for a round-trip time.
                let start = idle_from.max(now);
                if start - now <= RTT {
                    idle_from = start + SERVICE;
                    coming.push_back((number, now, idle_from + RTT));
                }
                number += 1;
                if let Some(rate) = controller.rate() {
                    departure = departure.max(now) + u64::from(PACKET) * 8 * 1_000_000_000 / rate.max(1);
                }
            }
            (_, Some(at)) => {
                now = at;
                let (acked, sent, _) = coming.pop_front().expect("an acknowledgement is coming");
                let place = outstanding.iter().position(|&(number, _)| number == acked);
                outstanding.remove(place.expect("what is acknowledged is outstanding"));
                apply(controller, Fact::Acked { number: acked, sent, now });
                while let Some(&(number, sent)) =
                    outstanding.front().filter(|&&(lost, _)| lost + REORDERING <= acked)
                {
                    outstanding.pop_front();
                    let first = last_lost != number.checked_sub(1);
                    last_lost = Some(number);
                    apply(controller, Fact::Lost { number, sent, now, first });
                }
                apply(controller, Fact::Acknowledged { now, in_flight: outstanding.len() as u64 });
            }
            _ => panic!("nothing can be sent, and nothing will be acknowledged, at {now} ns"),
        }
    }
    facts
}
