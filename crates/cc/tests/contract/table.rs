// SPDX-License-Identifier: Apache-2.0
//! The page `docs/stages.md`: what events do to each field of each algorithm. `NARROWS_STAGES=write` writes it.

use super::promises::observed;
use narrows_cc::catalogue::entries;
use narrows_cc::{
    Ack, Algorithm, Cause, CongestionControl, EcnUse, Entry, Idle, Loss, Path, RateSample, Reports, RttView,
    SentPacket, Setup, SlowStartKind, Transport,
};
use narrows_units::{Bytes, Rate, Span, Time};
use std::fmt::Write;

/// A flow with one algorithm, whose packets are acknowledged in pairs.
#[derive(Clone)]
struct Flow {
    path: Path,
    /// Number of the next packet; packets acknowledged so far and at the start of the round.
    next: u64,
    acked: u64,
    round_start: u64,
}

/// An algorithm and its flow.
struct Hosted(Box<dyn CongestionControl>, Flow);

impl Clone for Hosted {
    fn clone(&self) -> Self {
        Self(self.0.boxed_clone(), self.1.clone())
    }
}

/// An event of the table.
type Event = fn(&mut Hosted);

/// The events, in the order of the columns.
const EVENTS: &[(&str, Event)] = &[
    ("loss", |hosted| hosted.lost(Cause::Detected)),
    ("timeout", |hosted| hosted.lost(Cause::Timeout)),
    ("idle time", Hosted::idle),
    ("limited by the application", Hosted::application_limited),
    ("loss undone", |hosted| {
        hosted.lost(Cause::Detected);
        let path = hosted.1.path;
        hosted.0.on_spurious_loss(&path);
    }),
    ("second slow start", |hosted| {
        hosted.idle();
        for _ in 0..400 {
            hosted.acked(true);
        }
    }),
];

impl Hosted {
    /// In congestion avoidance, 600 acknowledgements after the first loss.
    fn new(entry: &'static Entry) -> Self {
        let setup = Setup::new(Bytes::new(1448), 1)
            .packet(Bytes::new(1500))
            .slow_start(SlowStartKind::HyStartPlusPlus);
        let algorithm = Algorithm::among([entry], entry.card.name, Vec::new()).expect("the defaults");
        let path = Path::new(Time::ZERO + Span::from_ms(1_000), setup.mss).in_flight(10);
        let mut hosted = Self(algorithm.build(&setup), Flow { path, next: 1, acked: 0, round_start: 0 });
        for _ in 0..45 {
            hosted.acked(true);
        }
        hosted.lost(Cause::Detected);
        for _ in 0..20 {
            hosted.acked(true);
        }
        let path = hosted.1.path;
        hosted.0.on_recovered(&path);
        for _ in 0..600 {
            hosted.acked(true);
        }
        hosted
    }

    /// Two packets are acknowledged after 100 to 109 ms.
    fn acked(&mut self, window_limited: bool) {
        let Self(algorithm, flow) = self;
        let window = algorithm.window().unwrap_or(10.0);
        let gap = if window_limited {
            Span::from_ms(100).scaled(2.0 / window.max(2.0))
        } else {
            Span::from_ms(1_000)
        };
        flow.path.now += gap;
        flow.acked += 2;
        flow.path.in_flight = if window_limited { window as u64 } else { 2 };
        flow.path.window_limited = window_limited;
        if flow.acked - flow.round_start > flow.path.in_flight {
            (flow.path.round, flow.round_start) = (flow.path.round + 1, flow.acked);
        }
        let latest = Span::from_ms(100 + flow.path.round % 10);
        let min = flow.path.rtt.map_or(latest, |rtt| rtt.min.min(latest));
        flow.path.rtt = Some(RttView::new(latest).min(min).variation(Span::from_ms(5)));
        let in_flight = flow.path.in_flight;
        let sent = |number| {
            SentPacket::new(number, flow.path.mss, flow.path.now)
                .in_flight(in_flight)
                .app_limited(!window_limited)
        };
        let packets = [sent(flow.next), sent(flow.next + 1)];
        flow.next += 2;
        let rate = Rate::from_bps_f64(in_flight as f64 * 14_480.0 * 8.0);
        let ack = Ack::new(2)
            .ce_packets(u64::from(algorithm.ecn() != EcnUse::Classic && flow.acked % 100 == 0))
            .rtt(Some(latest))
            .rate(Some(
                RateSample::new(in_flight, latest, rate)
                    .prior_delivered(flow.round_start)
                    .prior_in_flight(in_flight)
                    .app_limited(!window_limited),
            ))
            .packets(&packets);
        algorithm.on_ack(&ack, &flow.path);
        for packet in &packets {
            algorithm.on_sent(packet, &flow.path);
        }
    }

    fn lost(&mut self, cause: Cause) {
        let loss = Loss::new(cause, 1);
        self.0.on_loss(&loss, &self.1.path);
    }

    /// 30 s, of which 100 retransmission timeouts.
    fn idle(&mut self) {
        let since = self.1.path.now;
        self.1.path.now += Span::from_ms(30_000);
        self.1.path.in_flight = 0;
        self.0.on_idle(&Idle::new(since, 100), &self.1.path);
    }

    /// 30 s, with a pair of packets in each.
    fn application_limited(&mut self) {
        for _ in 0..30 {
            self.acked(false);
        }
    }

    /// Name and value of each field.
    fn fields(&self) -> Vec<(String, f64)> {
        let outer = [("cwnd", self.0.window()), ("ssthresh", self.0.ssthresh())];
        let outer = outer.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let pacing =
            self.0.limits().pacing.map(|rate| ("pacing rate".to_owned(), rate.as_bps() as f64 / 1e6));
        outer.chain(pacing).chain(observed(&*self.0)).collect()
    }
}

/// A number with four significant digits.
fn number(value: f64) -> String {
    if value.is_infinite() {
        return "∞".to_owned();
    }
    let digits = if value == 0.0 { 0.0 } else { 3.0 - libm::floor(libm::log10(value.abs())) };
    let text = format!("{value:.*}", digits.clamp(0.0, 6.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn page() -> String {
    let mut page = PREFACE.to_owned();
    let names = EVENTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | ");
    let _ = writeln!(page, "| algorithm | field | before | {names} |");
    let _ = writeln!(page, "|---|---|{}", "---:|".repeat(EVENTS.len() + 1));
    for entry in entries() {
        let needs = (entry.needs)(&entry.card.defaults());
        if matches!(needs.transport, Transport::Datagram(reports) if reports != Reports::EachPacket) {
            continue;
        }
        let before = Hosted::new(entry);
        let after: Vec<_> = EVENTS
            .iter()
            .map(|(_, event)| {
                let mut hosted = before.clone();
                event(&mut hosted);
                hosted.fields()
            })
            .collect();
        for (field, value) in before.fields() {
            let _ = write!(page, "| `{}` | {field} | {} |", entry.card.name, number(value));
            for fields in &after {
                let found = fields.iter().find(|(name, _)| *name == field).map(|(_, after)| *after);
                let cell = match found {
                    None => "–".to_owned(),
                    Some(after) if number(after) == number(value) => "·".to_owned(),
                    Some(after) => number(after),
                };
                let _ = write!(page, " {cell} |");
            }
            page.push('\n');
        }
    }
    page
}

#[test]
fn the_page_of_stages_is_what_the_algorithms_do() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/stages.md");
    let page = page();
    if std::env::var("NARROWS_STAGES").is_ok_and(|word| word == "write") {
        std::fs::write(path, page).expect("the page can be written");
        return;
    }
    let written = std::fs::read_to_string(path).expect("the page exists");
    for (now, then) in page.lines().zip(written.lines()) {
        assert_eq!(now, then, "docs/stages.md is not current: run `make generate`");
    }
    assert_eq!(page.lines().count(), written.lines().count());
}

const PREFACE: &str = "\
# What events do to the state of an algorithm

Each row is a field of an algorithm with its default parameters, for a flow in congestion avoidance, 600 acknowledgements of
two packets after its first loss, with a minimum round-trip time of 100 ms and HyStart++. The column *before* has its value; the others
have the value after one event, and a point where the event leaves it as it is. A dash stands for a field without a value.

* *loss*: an episode starts, detected by acknowledgements. *timeout*: the retransmission timer expires. *loss undone*: an episode
  starts, and proves spurious.
* *idle time*: 30 s without packets, of which the window restarts (RFC 5681 §4.1); under preset `linux` it is halved for each timeout
  (`restart_window`).
* *limited by the application*: 30 s with two packets in each.
* *second slow start*: the idle time, and then 400 acknowledgements of two packets.

Windows are in packets, the pacing rate in Mbps; the units of other fields are on the card of the algorithm (`narrows show NAME`). Algorithms whose receiver reports losses
or nothing (`tfrc`, `constant`) are left out. The table is written from what the algorithms do, and a test compares it.

";
