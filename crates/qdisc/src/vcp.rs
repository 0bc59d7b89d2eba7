// SPDX-License-Identifier: Apache-2.0
//! VCP's router (Xia, Subramanian, Stoica and Kalyanaraman, "One more bit is enough", SIGCOMM 2005): two bits report to the sender in
//! which of three regions the load of the link is. The load is measured by `LoadLaw`; packets wait as in another discipline.

use crate::load::{self, LoadLaw, LoadRouter};
use crate::parameters::{DISCIPLINE, LIMIT};
use crate::router::{self, Router};
use crate::{Entry, Order};
use alloc::boxed::Box;
use narrows_card::Card;
use narrows_wire::Request;

/// Writes the code of the load: 1 low, 2 high, 3 overload; the highest of the path stays.
fn answer(load: f64, request: &mut Request) {
    if let Request::Level(level) = request {
        *level = (*level).max(level_of(load));
    }
}

fn level_of(load: f64) -> u8 {
    match load {
        load if load < HIGH => 1,
        load if load < 1.0 => 2,
        _ => 3,
    }
}

/// The catalogue entry of `vcp`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "vcp",
        family: "explicit",
        summary: "VCP router: writes into packets whether the load of the link is low, high or above its rate",
        source: "Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005; vcp-queue.cc of the authors' ns-2 code",
        equations: &[
            "every interval T: Q = Q + (q - Q) / 4, f = ceil(100 (arrived + kappa Q) / (C T target)) / 100",
            "code: f < 0.8 low, f < 1 high, else overload; a departure: code = max(code, own)",
        ],
        parameters: &[
            LIMIT,
            DISCIPLINE,
            load::INTERVAL,
            load::SAMPLING,
            load::KAPPA,
            load::target(0.98, "Xia et al. 2005; the authors' ns-2 code has 0.95"),
        ],
        variables: &[load::LOAD],
        deviations: &[
            "the code has a field of its own, where the source uses the two bits of ECN",
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

/// The load from which the code is high.
const HIGH: f64 = 0.8;

#[cfg(test)]
mod tests {
    use super::level_of;
    use crate::load::{Config, LoadLaw};
    use narrows_card::Catalogue;
    use narrows_units::{Bytes, Rate, Span, Time};

    fn vcp(target: f64) -> LoadLaw {
        let interval = Span::from_ms(200);
        LoadLaw::new(Config { interval, sampling: Span::from_ms(10), kappa: 0.5, target })
    }

    /// An interval of 200 ms at 10 Mbps, 250 000 bytes, in which `arrived` bytes come and `waiting` wait.
    fn interval(vcp: &mut LoadLaw, arrived: u64, waiting: u64, begin: Time) -> Time {
        vcp.on_arrival(Bytes::new(arrived), begin);
        let end = vcp.update_due().expect("the timer runs");
        while let Some(due) = vcp.next_timer().filter(|due| *due <= end) {
            vcp.on_timer(Bytes::new(waiting), Rate::from_bps(10_000_000), due);
        }
        end
    }

    #[test]
    fn the_code_is_low_below_four_fifths_high_below_the_rate_and_overload_from_it_on() {
        for (arrived, level) in [(197_500, 1), (197_501, 2), (247_500, 2), (247_501, 3), (250_000, 3)] {
            let mut router = vcp(1.0);
            assert_eq!(level_of(router.load()), 1);
            interval(&mut router, arrived, 0, Time::ZERO);
            assert_eq!(level_of(router.load()), level, "{arrived} bytes");
        }
    }

    #[test]
    fn half_of_the_queue_counts_and_it_moves_by_a_quarter() {
        let mut router = vcp(1.0);
        let now = interval(&mut router, 100_000, 50_000, Time::ZERO);
        let row = "load of 100,000 bytes in 200 ms at 10 Mbps with a queue of 50,000, against (100,000 + 0.5 12,500) / 250,000";
        Catalogue::Queues.assert_near("vcp", row, router.load(), 0.425, 0.02);
        // Q = 12,500: 0.425.
        assert!((router.load() - 0.43).abs() < 1e-12, "{}", router.load());
        interval(&mut router, 100_000, 50_000, now);
        // Q = 21,875: 0.44375.
        assert!((router.load() - 0.45).abs() < 1e-12, "{}", router.load());
    }

    #[test]
    fn the_load_is_relative_to_the_target() {
        let mut router = vcp(0.5);
        interval(&mut router, 100_000, 0, Time::ZERO);
        assert!((router.load() - 0.8).abs() < 1e-12, "{}", router.load());
    }
}
