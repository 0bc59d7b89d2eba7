// SPDX-License-Identifier: Apache-2.0
//! Adaptive Deterministic Packet Marking (Andrew, Hanly, Chan and Cui, IEEE Communications Letters 10, 2006): each packet asks
//! whether the load of its path is above a threshold of its own, so that one bit of each reports the largest load ever more
//! exactly. The load is measured by `LoadLaw`; packets wait as in another discipline.

use crate::load::{self, LoadLaw, LoadRouter};
use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Router};
use crate::{Entry, Order};
use alloc::boxed::Box;
use narrows_card::Card;
use narrows_wire::Request;

/// Marks a packet if the load is above its threshold, and again if it is one or more.
fn answer(load: f64, request: &mut Request) {
    if let Request::Load { threshold, above, overload } = request {
        *above |= load > f64::from(*threshold);
        *overload |= load >= 1.0;
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
        let computation = LoadRouter { law: LoadLaw::new(load::config(settings)), answer };
        Box::new(Router::new(computation, settings.queue("discipline")))
    },
};

#[cfg(test)]
mod tests {
    use super::{LoadLaw, LoadRouter, answer, load};
    use crate::droptail::{self, DropTail};
    use crate::router::Router;
    use crate::testing::{Bench, packet};
    use crate::{Limit, QueueDiscipline};
    use narrows_card::Catalogue;
    use narrows_units::Span;
    use narrows_wire::{Body, Packet, Request};

    /// A router over an unlimited queue, before a link of 8 Mbps.
    fn bench(computation: LoadRouter) -> Bench<Router<LoadRouter>> {
        let waiting = DropTail::new(&droptail::Config { limit: Limit::Unlimited, ack_filter: false });
        Bench::new(Router::new(computation, Box::new(waiting)))
    }

    fn asking(size: u16, request: Request) -> Packet {
        Packet { body: Body::syn(Some(request)), ..packet(0, 1, size) }
    }

    /// The result of a packet that asks for `threshold`, on a link that carries 200,000 bytes in an interval.
    fn asked(arrived: u16, threshold: f32) -> (bool, bool) {
        let interval = Span::from_ms(200);
        let config = load::Config { interval, sampling: Span::from_ms(10), kappa: 0.5, target: 1.0 };
        let mut bench = bench(LoadRouter { law: LoadLaw::new(config), answer });
        for _ in 0..10 {
            bench.arrive(packet(0, 1, arrived));
            bench.depart();
        }
        let end = bench.now + interval;
        while let Some(due) = bench.queue.next_wake().filter(|due| *due <= end) {
            bench.now = due;
            bench.with(QueueDiscipline::on_wake);
        }
        bench.arrive(asking(1000, Request::Load { threshold, above: false, overload: false }));
        match bench.depart().and_then(|mut packet| packet.request_mut().copied()) {
            Some(Request::Load { above, overload, .. }) => (above, overload),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_packet_is_marked_where_the_load_is_above_its_threshold_and_again_from_one_on() {
        // Ten packets: loads of 0.5, 1 and 1.2.
        for (arrived, threshold, found) in [
            (10_000, 0.49, (true, false)),
            (10_000, 0.51, (false, false)),
            (20_000, 0.9, (true, true)),
            (20_000, 1.1, (false, true)),
            (24_000, 1.1, (true, true)),
        ] {
            assert_eq!(asked(arrived, threshold), found, "{arrived} {threshold}");
        }
        let marked = (0..120).filter(|hundredth| asked(15_000, *hundredth as f32 / 100.0).0).count();
        let row = "part of thresholds from 0 to 1.2 that are marked, against a load of 0.75 over 1.2";
        Catalogue::Queues.assert_near("adpm", row, marked as f64 / 120.0, 0.75 / 1.2, 0.02);
    }
}
