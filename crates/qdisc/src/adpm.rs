// SPDX-License-Identifier: Apache-2.0
//! Adaptive Deterministic Packet Marking (Andrew, Hanly, Chan and Cui, IEEE Communications Letters 10, 2006): each packet asks
//! whether the load of its path is above a threshold of its own, so that one bit of each tells the largest load ever more
//! exactly. The load is measured by [`LoadLaw`]; packets wait as in another discipline.

use crate::load::{self, LoadLaw};
use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Computation, Router};
use crate::{Backlog, Context, Entry, Order};
use narrows_card::Card;
use narrows_units::Time;
use narrows_wire::{Packet, Request};

/// The computation of a router with ADPM.
#[derive(Clone, Debug)]
struct Adpm(LoadLaw);

impl Computation for Adpm {
    fn on_enqueue(&mut self, packet: &mut Packet, context: &Context<'_>) {
        self.0.on_arrival(packet.size(), context.now);
    }

    fn on_dequeue(&mut self, packet: Option<&mut Packet>, _waiting: Backlog, _context: &Context<'_>) {
        if let Some(Request::Load { threshold, above, overload }) = packet.and_then(Packet::request_mut) {
            *above |= self.0.load() > f64::from(*threshold);
            *overload |= self.0.load() >= 1.0;
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.0.next_timer()
    }

    fn on_timer(&mut self, waiting: Backlog, context: &Context<'_>) {
        self.0.on_timer(waiting.bytes, context.rate, context.now);
    }

    fn variables(&self, record: &mut dyn FnMut(&str, f64)) {
        record("load", self.0.load());
    }
}

/// The catalogue entry of `adpm`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "adpm",
        family: "explicit",
        summary: "ADPM router: marks a packet if the load of the link is above the packet's own threshold",
        source: "Andrew, Hanly, Chan and Cui, IEEE Communications Letters 10(11), 2006; load: Xia et al., SIGCOMM 2005",
        equations: &[
            "every interval T: Q = Q + (q - Q) / 4, f = ceil(100 (arrived + kappa Q) / (C T target)) / 100",
            "a departure: mark if f > threshold of the packet; second mark if f >= 1",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            load::INTERVAL,
            load::SAMPLING,
            load::KAPPA,
            load::target(1.0, "Qazi, Andrew and Znati, INFOCOM 2009, recalled"),
        ],
        variables: &[load::LOAD],
        deviations: &[
            "a reconstruction from the abstract: the packet carries its threshold, where the source derives it from the identification of IP",
            "the price of the source is the load of VCP's router here, for which BMCC uses it",
            "both timers start with the first arrival",
        ],
    },
    marks: false,
    order: Order::All,
    timer: Some("sampling"),
    complete: router::waiting,
    build: |settings| {
        let computation = Adpm(LoadLaw::new(load::config(settings)));
        Box::new(Router::new(computation, settings.queue("discipline")))
    },
};
