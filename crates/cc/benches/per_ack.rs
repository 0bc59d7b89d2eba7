// SPDX-License-Identifier: Apache-2.0
//! Cost of one acknowledgement for each algorithm alone: all get the same facts, packets sent and acknowledged in turn, with
//! one loss in 5000 packets.
//!
//! `per_ack` prints, for each algorithm of the catalogue and for one that does nothing (`-`), the smallest time of several
//! passes in nanoseconds. `per_ack NAME COUNT` passes COUNT packets to one algorithm and prints nothing: the difference
//! between two counts, measured by a tool that counts instructions, is the cost of a packet.

use narrows_cc::catalogue;
use narrows_cc::{
    Ack, Algorithm, Cause, CongestionControl, Limits, Loss, Path, RateSample, Report, Reports, RttView,
    SentPacket, Setup, Transport,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Feedback, Request};
use std::hint::black_box;
use std::time::Instant;

const PASSES: usize = 9;
const PACKETS: u64 = 200_000;
const ROUND: u64 = 1_000;
const BETWEEN_LOSSES: u64 = 5_000;
const MSS: Bytes = Bytes::new(1448);

fn main() {
    // Cargo adds the flag `--bench`.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    match words.as_slice() {
        [] => print_all(),
        [name, count] => run(name, count.parse().expect("COUNT is a whole number")),
        _ => panic!("give nothing, or NAME COUNT"),
    }
}

/// Passes over all algorithms alternate, so that a disturbance affects all of them.
#[expect(clippy::disallowed_methods, reason = "time is what a bench measures")]
fn print_all() {
    let names: Vec<&str> =
        std::iter::once("-").chain(catalogue::entries().iter().map(|entry| entry.card.name)).collect();
    let mut least = vec![f64::INFINITY; names.len()];
    for _ in 0..PASSES {
        for (name, least) in names.iter().zip(&mut least) {
            let begin = Instant::now();
            run(name, PACKETS);
            *least = least.min(begin.elapsed().as_secs_f64() * 1e9 / PACKETS as f64);
        }
    }
    for (name, least) in names.iter().zip(least) {
        println!("{name} {least:.2}");
    }
}

/// Builds the algorithm `name`, or one that does nothing for `-`, and acknowledges `count` packets.
fn run(name: &str, count: u64) {
    if name == "-" {
        return acknowledge(&mut Idle, Transport::Reliable, count);
    }
    let algorithm = Algorithm::parse(name).expect("a name of the catalogue");
    let mut instance = algorithm.build(&Setup::new(MSS, 1).packet(Bytes::new(1500)).initial_ssthresh(500.0));
    acknowledge(&mut *instance, algorithm.needs().transport, count);
}

/// Sends `count` packets and acknowledges them at 10 packets in a millisecond, 100 to 103 ms later.
fn acknowledge(algorithm: &mut dyn CongestionControl, transport: Transport, count: u64) {
    let mut now = Time::ZERO + Span::from_ms(1_000);
    for number in 0..count {
        now += Span::from_us(100);
        let latest = Span::from_us(100_000 + 50 * (number % 61));
        let rtt = RttView::new(latest).min(Span::from_ms(100)).variation(Span::from_ms(1));
        let path = Path::new(now, MSS).in_flight(ROUND).rtt(Some(rtt)).round(number / ROUND);
        while algorithm.next_timer().is_some_and(|at| at <= now) {
            algorithm.on_timer(&path);
        }
        let feedback = algorithm.request(&path).and_then(answer);
        algorithm.on_sent(&sent(number + ROUND, now), &path);
        match number % BETWEEN_LOSSES {
            0 if number > 0 => {
                let loss = Loss::new(Cause::Detected, 1);
                algorithm.on_loss(&loss, &path);
            }
            ROUND => algorithm.on_recovered(&path),
            _ => {}
        }
        match transport {
            Transport::Datagram(Reports::LossEvents(_)) if number % ROUND == 0 => algorithm.on_report(
                &Report::new(1.0 / BETWEEN_LOSSES as f64, Rate::from_bps(115_840_000), latest),
                &path,
            ),
            // These algorithms need no such calls, but their cost is subtracted from all alike.
            Transport::Datagram(Reports::LossEvents(_) | Reports::Nothing) => {
                black_box(acknowledgement(number, latest, feedback, now));
            }
            _ => algorithm.on_ack(&acknowledgement(number, latest, feedback, now), &path),
        }
        black_box(algorithm.limits());
    }
}

fn sent(number: u64, now: Time) -> SentPacket {
    SentPacket::new(number, MSS, now).in_flight(ROUND)
}

fn acknowledgement(number: u64, latest: Span, feedback: Option<Feedback>, now: Time) -> Ack<'static> {
    black_box(now);
    Ack::new(1)
        .rtt(Some(latest))
        .one_way(Some(latest / 2))
        .rate(Some(
            RateSample::new(ROUND, latest, Rate::from_bps(115_840_000))
                .prior_delivered(number)
                .prior_in_flight(ROUND),
        ))
        .feedback(feedback)
}

/// The answer of routers that allow the current state.
fn answer(request: Request) -> Option<Feedback> {
    match request {
        Request::Xcp { .. } => Some(Feedback::Delta(0.0)),
        Request::Rate { .. } => Some(Feedback::Rate(1e8)),
        Request::Level(level) => Some(Feedback::Level(level)),
        Request::Price(_) => Some(Feedback::Price(1.0)),
        Request::Load { threshold, .. } => Some(Feedback::Load { threshold, above: false, overload: false }),
        Request::QuickStart { .. } => None,
    }
}

/// An algorithm that does nothing: the cost of the calls.
#[derive(Clone, Debug)]
struct Idle;

impl CongestionControl for Idle {
    fn limits(&self) -> Limits {
        Limits::new(Some(1), None, Bytes::ZERO)
    }

    fn window(&self) -> Option<f64> {
        None
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        black_box((ack.newly_acked, path.now));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        black_box((loss.lost, path.now));
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}
