// SPDX-License-Identifier: Apache-2.0
//! Contract: alone on a clean path every algorithm returns from a disturbance to its steady cycle, or a row on its card states
//! the cycle in which it stays. No window grows without bound while the application or the receiver is the limit.
//!
//! The catalogue's algorithms fill 10 Mbps, 40 ms and one bandwidth-delay product of buffer for 18 s; the last 6 s count.

use crate::support::{run, value};
use narrows_card::Catalogue;
use narrows_cc::{Entry, Transport, catalogue};

/// What happens in the first third of the run.
#[derive(Clone, Copy)]
struct Disturbance {
    what: &'static str,
    /// How long before the measurement it ended, seconds; `None` if it lasts.
    ended_s: Option<u32>,
    /// Keys of the link, of the network and of the flow.
    link: &'static str,
    network: &'static str,
    flow: &'static str,
    /// The path stays longer: the reference is a flow with the longer path from its start.
    lengthens: bool,
}

const NOTHING: Disturbance =
    Disturbance { what: "", ended_s: None, link: "", network: "", flow: "", lengthens: false };

const DISTURBANCES: &[Disturbance] = &[
    Disturbance {
        what: "one lost packet",
        ended_s: Some(8),
        link: "loss = { kind = \"list\", packets = [3000], of = \"data\" }",
        ..NOTHING
    },
    Disturbance { what: "no jitter", flow: "send_delay = \"0s\"", ..NOTHING },
    Disturbance { what: "half of the rate for 2 s", ended_s: Some(6), link: HALF, ..NOTHING },
    Disturbance {
        what: "a receiver that does not read for 2 s",
        ended_s: Some(6),
        flow: "read_pause = \"4s..6s\"\nreceive_window = \"200pkt\"",
        ..NOTHING
    },
    Disturbance {
        what: "a round trip longer by 100 ms",
        ended_s: Some(8),
        network: "events = [{ at = \"4s\", set = \"A-B\", delay = \"60ms\" }]",
        lengthens: true,
        ..NOTHING
    },
];

const HALF: &str = "rate = { kind = \"steps\", rates = [\"10Mbps\", \"5Mbps\", \"10Mbps\"], times = [\"0s\", \"4s\", \"6s\"] }";

fn scenario(entry: &Entry, disturbance: Disturbance) -> String {
    let Disturbance { link, network, flow, lengthens, .. } = disturbance;
    let delay = if lengthens && network.is_empty() { "60ms" } else { "10ms" };
    let name = entry.card.name;
    let needs = (entry.needs)(&entry.card.defaults());
    let queue = needs.router.unwrap_or("droptail");
    let rate = if link.contains("rate = {") { "" } else { "rate = \"10Mbps\"" };
    let media = entry.card.family == "media";
    let source = if media { "source = { kind = \"call\", maximum = \"8Mbps\" }" } else { "" };
    // Neither datagrams nor calls have a receiver that stops reading.
    let reads_all = media || needs.transport != Transport::Reliable;
    let flow = if reads_all && flow.contains("read_pause") { "" } else { flow };
    format!(
        r#"
        duration = "18s"
        warmup = "12s"
        [network]
        rtt = "20ms"
        {network}
        [[network.links]]
        from = "A"
        to = "B"
        delay = "{delay}"
        {rate}
        {link}
        queue = {{ kind = "{queue}", limit = "34pkt" }}
        [[flows]]
        name = "flow"
        algorithm = "{name}"
        from = "A"
        to = "B"
        {source}
        {flow}
        "#
    )
}

/// Utilization, mean queue in packets, and share of losses in the last third.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    utilization: f64,
    queue: f64,
    loss: f64,
}

impl Cycle {
    fn of(text: &str) -> Self {
        let records = run(text, 0);
        let link = |measure| value(&records, "A-B", measure);
        Self { utilization: link("utilization"), queue: link("queue_mean_packets"), loss: link("loss_rate") }
    }

    /// Whether this is the cycle `steady`, except for the phase at which the measurement begins.
    fn is(self, steady: Self) -> bool {
        self.utilization > steady.utilization - 0.1
            && self.queue < 2.0 * steady.queue + 10.0
            && self.loss < 2.0 * steady.loss + 0.01
    }
}

/// All but the one whose rate is a parameter.
fn algorithms() -> impl Iterator<Item = &'static Entry> {
    catalogue::entries().iter().filter(|entry| entry.card.name != "constant")
}

#[test]
fn every_algorithm_returns_to_its_cycle_or_its_card_says_that_it_does_not() {
    let mut wrong = Vec::new();
    for entry in algorithms() {
        let name = entry.card.name;
        let [short, long] =
            [false, true].map(|lengthens| Cycle::of(&scenario(entry, Disturbance { lengthens, ..NOTHING })));
        for disturbance in DISTURBANCES {
            let Disturbance { what, lengthens, .. } = disturbance;
            let steady = if *lengthens { long } else { short };
            let cycle = Cycle::of(&scenario(entry, *disturbance));
            let when = disturbance.ended_s.map_or(format!("does not return with {what}"), |s| {
                format!("has not returned {s} to {} s after {what}", s + 6)
            });
            let row = format!(
                "a flow alone, 10 Mbps, 40 ms, {when}: utilization, packets in the queue and losses, and without it"
            );
            let figures = |cycle: Cycle| {
                format!("{:.2}, {:.0}, {:.1} %", cycle.utilization, cycle.queue, 100.0 * cycle.loss)
            };
            if !cycle.is(steady) {
                let result = format!("{}; {}", figures(cycle), figures(steady));
                Catalogue::Algorithms.assert_result(name, &row, &result);
            } else if Catalogue::Algorithms.comparisons(name).any(|known| known.what == row) {
                wrong.push(format!("{name} returns after {what}, and its card says that it does not"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A window that the application or the receiver does not fill stays near their limit: its later value must not depend on how
/// long they were the limit.
#[test]
fn no_window_grows_without_bound_while_something_else_is_the_limit() {
    let mut wrong = Vec::new();
    let reliable = |entry: &&Entry| {
        matches!((entry.needs)(&entry.card.defaults()).transport, Transport::Reliable)
            && entry.card.family != "media"
    };
    for entry in algorithms().filter(reliable) {
        for (what, flow) in [
            ("a receive window of 20 packets", "receive_window = \"20pkt\""),
            (
                "writes of 15 kB each 100 ms",
                "source = { kind = \"writes\", size = \"15kB\", interval = \"100ms\" }",
            ),
        ] {
            let records = run(&scenario(entry, Disturbance { flow, ..NOTHING }), 0);
            let window = value(&records, "flow", "cwnd_peak_packets");
            // Four times the path and its buffer: a model doubles its data in flight, in a doubled round trip.
            if window.is_finite() && window > 4.0 * 68.0 {
                wrong.push(format!("{} with {what}: {window} packets", entry.card.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
