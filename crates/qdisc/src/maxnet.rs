// SPDX-License-Identifier: Apache-2.0
//! MaxNet's router (Wydrowski, Andrew and Mareels, "MaxNet: a congestion control architecture for scalable networks", IEEE
//! Communications Letters 7, 2003): the price of a link is the integral of what arrives beyond a target, and a packet carries the
//! largest price of its path, not the sum.
//!
//! Every `T`: `p = max(0, p + g T (y − μ C) / C)`, where `y` arrived in it. Senders with the same bottleneck have the same price, so
//! that rates are max-min fair.

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::periodic::UpdateTimer;
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order, Settings};
use alloc::boxed::Box;
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Packet, Request};

/// The computation of a MaxNet router.
#[derive(Clone, Debug)]
struct MaxNet {
    /// `g`, 1/s.
    gain: f64,
    /// `μ`.
    target: f64,
    interval: Span,
    update: UpdateTimer,
    arrived: Bytes,
    price: f64,
}

impl Computation for MaxNet {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        self.update.start(context.now);
        self.arrived += packet.size();
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, _waiting: Backlog, _context: &Context<'_>) {
        if let Some(Request::Price(price)) = packet.and_then(Packet::request_mut) {
            *price = price.max(self.price as f32);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.update.next()
    }

    fn on_timer(&mut self, _waiting: Backlog, context: &Context<'_>) {
        if self.update.next().is_none_or(|due| due > context.now) {
            return;
        }
        let seconds = self.interval.as_secs_f64();
        let share = 8.0 * self.arrived.count() as f64 / (context.rate.as_bps() as f64 * seconds);
        self.price = (self.price + self.gain * seconds * (share - self.target)).max(0.0);
        self.arrived = Bytes::ZERO;
        self.update.restart(context.now);
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("price", self.price);
    }
}

/// The catalogue entry of `maxnet`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "maxnet",
        family: "explicit",
        summary: "MaxNet router: raises a price while more than its target arrives; packets carry the largest of their path",
        source: "Wydrowski, Andrew and Mareels, IEEE Communications Letters 7(10), 2003",
        equations: &[
            "every interval T: p = max(0, p + gain T (y - target C) / C), y arrived in it",
            "a departure: price = max(price, p)",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "gain",
                meaning: "increase of the price for each second in which twice the target's excess of one link rate arrives",
                unit: "1/s",
                source: "ours; stable below pi / 2 over the round-trip time",
                domain: Domain::Number { default: 2.0, minimum: 0.0, maximum: 1000.0 },
            },
            Parameter {
                name: "target",
                meaning: "mu: utilization at which the price stays",
                unit: "",
                source: "Wydrowski et al. 2003: below one; this one is ours",
                domain: Domain::Fraction { default: 0.95, zero: false },
            },
            Parameter {
                name: "interval",
                meaning: "T: interval between updates of the price",
                unit: "",
                source: "ours",
                domain: Domain::Span { default: "10ms", zero: false },
            },
        ],
        variables: &[Variable { name: "price", unit: "", meaning: "p, the price of the link" }],
        deviations: &[
            "a reconstruction: that the price integrates the excess over a target and that the largest counts is known, gain, target and interval are ours",
            "the timer starts with the first arrival",
        ],
    },
    marks: false,
    order: Order::All,
    timer: Some("interval"),
    complete: router::waiting,
    build: |settings| Box::new(Router::new(maxnet(settings), settings.queue("discipline"))),
};

fn maxnet(settings: &Settings) -> MaxNet {
    let interval = settings.span("interval");
    MaxNet {
        gain: settings.number("gain"),
        target: settings.number("target"),
        interval,
        update: UpdateTimer::new(interval),
        arrived: Bytes::ZERO,
        price: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::MaxNet;
    use crate::droptail::{self, DropTail};
    use crate::router::Router;
    use crate::testing::{Bench, packet};
    use crate::{Limit, QueueDiscipline};
    use narrows_units::Span;
    use narrows_wire::{Body, Packet, Request};

    /// A router over an unlimited queue, before a link of 8 Mbps.
    fn bench(computation: MaxNet) -> Bench<Router<MaxNet>> {
        let waiting = DropTail::new(&droptail::Config { limit: Limit::Unlimited, ack_filter: false });
        Bench::new(Router::new(computation, Box::new(waiting)))
    }

    fn asking(size: u16, request: Request) -> Packet {
        Packet { body: Body::syn(Some(request)), ..packet(0, 1, size) }
    }

    /// The price in a packet after `count` intervals of 10 ms, in each of which `bytes` arrive; the link carries 10,000.
    fn price(count: u32, bytes: u16) -> f32 {
        let interval = Span::from_ms(10);
        let update = crate::periodic::UpdateTimer::new(interval);
        let arrived = narrows_units::Bytes::ZERO;
        let mut bench = bench(MaxNet { gain: 2.0, target: 0.95, interval, update, arrived, price: 0.0 });
        for _ in 0..count {
            bench.arrive(asking(bytes, Request::Price(-1.0)));
            bench.depart();
            bench.now = bench.queue.next_wake().expect("the timer runs");
            bench.with(QueueDiscipline::on_wake);
        }
        bench.arrive(asking(0, Request::Price(-1.0)));
        match bench.depart().and_then(|mut packet| packet.request_mut().copied()) {
            Some(Request::Price(price)) => price,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_price_is_the_integral_of_what_arrives_beyond_the_target() {
        // 2 · 0.01 (1.5 − 0.95) in each interval.
        for (count, bytes, expected) in
            [(1, 15_000, 0.011), (10, 15_000, 0.11), (10, 9_500, 0.0), (10, 1_000, 0.0)]
        {
            let found = price(count, bytes);
            assert!((found - expected).abs() < 1e-6, "{count} times {bytes} bytes: {found}");
        }
    }

    #[test]
    fn a_packet_keeps_the_largest_price_of_its_path() {
        let update = crate::periodic::UpdateTimer::new(Span::from_ms(10));
        let arrived = narrows_units::Bytes::ZERO;
        let router =
            MaxNet { gain: 2.0, target: 0.95, interval: Span::from_ms(10), update, arrived, price: 3.0 };
        for (before, after) in [(-1.0, 3.0), (2.0, 3.0), (4.0, 4.0)] {
            let mut bench = bench(router.clone());
            bench.arrive(asking(1000, Request::Price(before)));
            let request = bench.depart().and_then(|mut packet| packet.request_mut().copied());
            assert_eq!(request, Some(Request::Price(after)));
        }
    }
}
