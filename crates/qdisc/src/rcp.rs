// SPDX-License-Identifier: Apache-2.0
//! RCP's router (Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005): one rate for every flow of the link, as if
//! it were shared by a processor. The rate is kept by [`RcpLaw`]; under it packets wait as in another discipline.

mod law;

use alloc::boxed::Box;
pub use law::RcpLaw;

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of an RCP router (Dukkipati et al., IWQoS 2005).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// `α`: fraction of the spare capacity that is added to the offered rate per round trip.
    pub alpha: f64,
    /// `β`: fraction of the queue that is drained per round trip.
    pub beta: f64,
    /// Weight of the newest sample in the mean round-trip time, above 0 to 1.
    pub gain: f64,
    /// Longest time between updates of the offered rate.
    pub interval: Span,
    /// Initial rate, as a fraction of the link's rate.
    pub initial: f64,
    /// Size of a full packet: the offered rate is at least one such packet per round trip.
    pub packet: Bytes,
}

impl Computation for RcpLaw {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        let rtt = match packet.request_mut() {
            Some(Request::Rate { rtt, .. }) => *rtt,
            _ => 0.0,
        };
        self.on_arrival(packet.size(), rtt, context.rate, context.now);
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, _waiting: Backlog, _context: &Context<'_>) {
        if let Some(Request::Rate { rate, .. }) = packet.and_then(Packet::request_mut) {
            *rate = rate.min(self.offer() as f32);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_wake()
    }

    fn on_timer(&mut self, waiting: Backlog, context: &Context<'_>) {
        self.on_wake(context.now, context.rate, waiting.bytes);
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("offer_bps", self.offer());
    }
}

/// The catalogue entry of `rcp`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "rcp",
        family: "explicit",
        summary: "RCP router: assigns the same rate to every RCP flow; with DropTail or RED as queue",
        source: "Dukkipati, Kobayashi, Zhang-Shen and McKeown, IWQoS 2005",
        equations: &[
            "every T = min(d, interval): R = R (1 + T / d (alpha (C - y) - beta Q / d) / C), packet / d <= R <= C",
            "d = d + gain (rtt - d) for each packet",
            "a departure: rate = min(rate, R)",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "alpha",
                meaning: "gain of the spare capacity in the rate update",
                unit: "",
                source: "Dukkipati et al. 2005",
                domain: Domain::Fraction { default: 0.1, zero: true },
            },
            Parameter {
                name: "beta",
                meaning: "gain of the queue in the rate update",
                unit: "",
                source: "Dukkipati et al. 2005",
                domain: Domain::Fraction { default: 1.0, zero: true },
            },
            Parameter {
                name: "gain",
                meaning: "weight of the newest sample in the moving average of the round-trip time",
                unit: "",
                source: "RTT_GAIN in the authors' ns-2 code",
                domain: Domain::Fraction { default: 0.02, zero: false },
            },
            Parameter {
                name: "interval",
                meaning: "maximum interval between rate updates",
                unit: "",
                source: "TIMESLOT in the authors' ns-2 code",
                domain: Domain::Span { default: "10ms", zero: false },
            },
            Parameter {
                name: "initial",
                meaning: "initial rate, as a fraction of the rate of the link",
                unit: "",
                source: "init_rate_fact_ in the authors' ns-2 code",
                domain: Domain::Fraction { default: 0.05, zero: false },
            },
        ],
        variables: &[Variable {
            name: "offer_bps",
            unit: "bps",
            meaning: "rate assigned to every flow; infinite before the first arrival",
        }],
        deviations: &[
            "the timer starts with the first arrival",
            "the mean round-trip time moves by a fixed gain, as in the paper; the authors' ns-2 code weighs by bytes",
        ],
    },
    marks: false,
    order: Order::All,
    timer: Some("interval"),
    complete: router::waiting,
    build: |settings| Box::new(Router::new(RcpLaw::new(&config(settings)), settings.queue("discipline"))),
};

fn config(settings: &Settings) -> Config {
    Config {
        alpha: settings.number("alpha"),
        beta: settings.number("beta"),
        gain: settings.number("gain"),
        interval: settings.span("interval"),
        initial: settings.number("initial"),
        packet: settings.packet(),
    }
}
