// SPDX-License-Identifier: Apache-2.0
//! Quick-Start's router (RFC 4782 §3.3; as QSAgent's algorithm 3 in ns-2.35): approves a start-up rate as long as the
//! link has room for it. The account is kept by [`Approvals`]; under it packets wait as in another discipline.

mod approvals;

use alloc::boxed::Box;
pub use approvals::{Approvals, Encoding};

use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order, Settings};
use narrows_card::{Card, Domain, Parameter, Variable};
use narrows_units::Span;
use narrows_wire::{Packet, Request};

/// Settings of a Quick-Start router.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Utilization of the link, as a fraction of its rate, from which no request is approved.
    pub threshold: f64,
    /// Upper bound of utilization and approved rates together, as a fraction of the link's rate.
    pub share: f64,
    /// Length of the intervals over which utilization is measured and approvals are summed.
    pub interval: Span,
    /// Representation of rates in packets.
    pub encoding: Encoding,
}

impl Computation for Approvals {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        if let Some(Request::QuickStart { rate, ttl_difference }) = packet.request_mut() {
            *rate = self.answer(f64::from(*rate), context.rate, context.now) as f32;
            *ttl_difference = ttl_difference.wrapping_sub(1);
        }
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, _waiting: Backlog, context: &Context<'_>) {
        if let Some(packet) = packet {
            self.on_sent(context.rate.time_for(packet.size()), context.now);
        }
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("peak_utilization", self.peak());
    }
}

/// The catalogue entry of `quick-start`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "quick-start",
        family: "explicit",
        summary: "Quick-Start router: approves requested rates while the link is underutilized; with DropTail or RED as queue",
        source: "RFC 4782 §3.3; algorithm 3 of QSAgent in ns-2.35",
        equations: &[
            "u = C max(busy fraction of the last 5 intervals) + approvals of this interval and the last",
            "u < threshold C: grant = min(asked, share C - u), rounded down; else 0",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            Parameter {
                name: "threshold",
                meaning: "utilization of the link from which no request is approved",
                unit: "",
                source: "threshold_ in ns-2.35; Welzl, Abfalterer and Gjessing, \"XCP vs. CUBIC with Quick-Start\"",
                domain: Domain::Fraction { default: 0.85, zero: false },
            },
            Parameter {
                name: "share",
                meaning: "maximum sum of utilization and approved rates, as a fraction of the rate of the link",
                unit: "",
                source: "alloc_rate_ in ns-2.35; Welzl, Abfalterer and Gjessing, \"XCP vs. CUBIC with Quick-Start\"",
                domain: Domain::Fraction { default: 0.85, zero: false },
            },
            Parameter {
                name: "interval",
                meaning: "interval over which utilization is measured and approved rates are added up",
                unit: "",
                source: "state_delay_ and util_check_interval_ in ns-2.35",
                domain: Domain::Span { default: "200ms", zero: false },
            },
            Parameter {
                name: "encoding",
                meaning: "encoding of rates: \"rfc4782\", 40 kbps 2^N up to 1.31 Gbps; \"linear\", multiples of 10 kB/s; \
                          or \"exact\"",
                unit: "",
                source: "RFC 4782 §3.1",
                domain: Domain::Choice { default: "rfc4782", allowed: &["rfc4782", "linear", "exact"] },
            },
        ],
        variables: &[Variable {
            name: "peak_utilization",
            unit: "share",
            meaning: "maximum utilization in the recent intervals",
        }],
        deviations: &[
            "use and approvals share one interval, which ns-2 sets apart with the same default; the present interval does not count for the peak, as in ns-2",
            "requests are answered as they arrive and are rounded here, not by the sender, with the same result",
            "ns-2's SYN carries data, and it counts 40 bytes more for each packet of the window",
            "an access link is its end host's own and no router that must take part",
            "neither the nonce nor the report of the approved rate is sent: no host cheats",
        ],
    },
    marks: false,
    order: Order::All,
    timer: None,
    complete: router::waiting,
    build: |settings| Box::new(Router::new(Approvals::new(&config(settings)), settings.queue("discipline"))),
};

fn config(settings: &Settings) -> Config {
    Config {
        threshold: settings.number("threshold"),
        share: settings.number("share"),
        interval: settings.span("interval"),
        encoding: match settings.word("encoding") {
            "linear" => Encoding::Linear,
            "exact" => Encoding::Exact,
            _ => Encoding::Rfc4782,
        },
    }
}

#[cfg(test)]
mod tests;
