// SPDX-License-Identifier: Apache-2.0
//! XCP's router (Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03): signals to every flow by how much to change
//! its throughput. The computation is in [`XcpLaw`], free of any queue; under it packets wait as in another discipline.

mod law;

use alloc::boxed::Box;
pub use law::XcpLaw;

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::{Span, Time};
use narrows_wire::{Packet, Request};

/// Settings of an XCP router (Katabi, Handley and Rohrs, SIGCOMM 2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// `α`: fraction of the spare capacity that is allocated per control interval.
    pub alpha: f64,
    /// `β`: fraction of the persistent queue that is drained per control interval.
    pub beta: f64,
    /// `γ`: fraction of the traffic that is reallocated between flows per control interval.
    pub gamma: f64,
    /// Shortest control interval.
    pub min_interval: Span,
    /// Upper bound of the round-trip times used.
    pub max_interval: Span,
    /// Control interval before the first round-trip time is known.
    pub initial_interval: Span,
}

impl Computation for XcpLaw {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        let request = match packet.request_mut() {
            Some(Request::Xcp { rtt, spacing, .. }) => Some((*rtt, *spacing)),
            _ => None,
        };
        self.on_arrival(packet.size(), request, context.now);
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, waiting: Backlog, _context: &Context<'_>) {
        self.on_queue(waiting.bytes);
        let Some(packet) = packet else { return };
        let size = packet.size();
        if let Some(Request::Xcp { rtt, spacing, delta }) = packet.request_mut() {
            *delta = self.feedback(size, (*rtt, *spacing), *delta);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_wake()
    }

    fn on_timer(&mut self, waiting: Backlog, context: &Context<'_>) {
        self.on_wake(context.now, context.rate, waiting.bytes);
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        self.observe(record);
    }
}

/// The catalogue entry of `xcp`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "xcp",
        family: "explicit",
        summary: "XCP router: feeds back a throughput change to every XCP flow; with DropTail or RED as queue",
        source: "Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03; as in ns-2.35",
        equations: &[
            "every d = sum(rtt X) / sum(X): phi = alpha (C - y) - beta Q / d, h = max(0, gamma y - |phi|)",
            "P = max(0, phi) + h, N = max(0, -phi) + h, in bytes per second",
            "a departure of s bytes and spacing X: feedback = X P / sum(X) - s N / sum(s), or less if less is asked",
            "Q: least bytes waiting in the last max(2 ms, (d - q / C) / 2)",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "alpha",
                meaning: "fraction of the spare bandwidth that is allocated in each control interval",
                unit: "",
                source: "Katabi, Handley and Rohrs 2002; stable below pi / (4 sqrt 2)",
                domain: Domain::Fraction { default: 0.4, zero: true },
            },
            Parameter {
                name: "beta",
                meaning: "fraction of the persistent queue that is drained in each control interval",
                unit: "",
                source: "Katabi, Handley and Rohrs 2002: alpha^2 sqrt 2",
                domain: Domain::Fraction { default: 0.226, zero: true },
            },
            Parameter {
                name: "gamma",
                meaning: "fraction of the traffic that is shuffled between flows in each control interval",
                unit: "",
                source: "Katabi, Handley and Rohrs 2002",
                domain: Domain::Fraction { default: 0.1, zero: true },
            },
            Parameter {
                name: "min_interval",
                meaning: "minimum control interval",
                unit: "",
                source: "XCP_MIN_INTERVAL in ns-2.35",
                domain: Domain::Span { default: "1ms", zero: false },
            },
            Parameter {
                name: "max_interval",
                meaning: "maximum round-trip time in the mean",
                unit: "",
                source: "XCP_MAX_INTERVAL in ns-2.35",
                domain: Domain::Span { default: "1s", zero: false },
            },
            Parameter {
                name: "initial_interval",
                meaning: "initial control interval, before the first round-trip time sample",
                unit: "",
                source: "INITIAL_Te_VALUE in ns-2.35",
                domain: Domain::Span { default: "50ms", zero: false },
            },
        ],
        variables: &[
            Variable {
                name: "mean_rtt_s",
                unit: "s",
                meaning: "mean round-trip time of the packets of the last control interval",
            },
            Variable {
                name: "persistent_queue_bytes",
                unit: "B",
                meaning: "persistent queue: minimum of the last round trip",
            },
        ],
        deviations: &[
            "both timers start with the first arrival; ns-2 draws their phase when the link is made",
            "the least queue is taken after a packet has left, in ns-2 before, where it is rarely less than one packet",
            "flows without XCP share the queue and count as traffic; the draft gives them a queue of their own",
        ],
    },
    marks: false,
    order: Order::All,
    timer: Some("min_interval"),
    complete: router::waiting,
    build: |settings| Box::new(Router::new(XcpLaw::new(&config(settings)), settings.queue("discipline"))),
};

fn config(settings: &Settings) -> Config {
    Config {
        alpha: settings.number("alpha"),
        beta: settings.number("beta"),
        gamma: settings.number("gamma"),
        min_interval: settings.span("min_interval"),
        max_interval: settings.span("max_interval"),
        initial_interval: settings.span("initial_interval"),
    }
}
