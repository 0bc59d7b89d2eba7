// SPDX-License-Identifier: Apache-2.0
//! Arbitrary histories of a flow: any fact may follow any other, but time, rounds and the minimum round-trip time are
//! consistent.

use narrows_cc::{Ack, Cause, Fact, Idle, Loss, Path, RateSample, Report, RttView, SentPacket};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Feedback;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Payload of a full segment in all histories.
pub const MSS: Bytes = Bytes::new(1448);

/// Up to `length` facts in the order of their times.
pub fn histories(length: usize) -> impl Strategy<Value = Vec<Fact>> {
    vec(steps(), 0..length).prop_map(|steps| {
        let mut history = History::default();
        steps.into_iter().map(|step| history.fact(step)).collect()
    })
}

/// Up to `length` facts and then at least one acknowledgement that would let a window grow, up to `more` of them.
pub fn histories_then_growth(length: usize, more: usize) -> impl Strategy<Value = (Vec<Fact>, Vec<Fact>)> {
    (vec(steps(), 0..length), vec(steps(), 1..more)).prop_map(|(steps, acks)| {
        let mut history = History::default();
        let facts = steps.into_iter().map(|step| history.fact(step)).collect();
        let grows = |step| Step { kind: Kind::Acked, window_limited: true, ..step };
        let acks = acks.into_iter().map(|step| history.fact(grows(step))).collect();
        (facts, acks)
    })
}

/// A steady flow of `rounds` round trips that loses every other packet of twenty, and has the rest acknowledged.
pub fn rounds_with_losses(rounds: u64) -> Vec<Fact> {
    let of_round = |round: u64| {
        let step = |kind, gap, rtt, packets| Step {
            kind,
            gap,
            rtt,
            packets,
            marked: 0,
            in_flight: 20,
            new_round: kind == Kind::Acked,
            window_limited: true,
            rate: Some(10_000_000),
            feedback: None,
        };
        let rtt = Some(Span::from_ms(40));
        let acked = step(Kind::Acked, Span::from_ms(40), rtt, 1);
        let losses = (0..10).flat_map(move |loss| {
            let new_episode = round.is_multiple_of(2) && loss == 0;
            let sent = step(Kind::Sent, Span::ZERO, rtt, 1);
            [sent, step(Kind::Detected { new_episode }, Span::from_us(10), rtt, 1), sent]
        });
        losses.chain([acked, step(Kind::Recovered, Span::ZERO, rtt, 1)])
    };
    let mut history = History::default();
    (0..rounds).flat_map(of_round).map(|step| history.fact(step)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Acked,
    Reported,
    Requested,
    Answered,
    Sent,
    Detected { new_episode: bool },
    Mark,
    Timeout { new_episode: bool },
    Recovered,
    Spurious,
    Idle,
    Timer,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    kind: Kind,
    gap: Span,
    rtt: Option<Span>,
    packets: u64,
    marked: u64,
    in_flight: u64,
    new_round: bool,
    window_limited: bool,
    rate: Option<u64>,
    feedback: Option<Feedback>,
}

/// The past of a flow, as far as it restricts the next fact.
#[derive(Default)]
struct History {
    now: Time,
    round: u64,
    sent: u64,
    rtt: Option<RttView>,
}

impl History {
    fn fact(&mut self, step: Step) -> Fact {
        let since = self.now;
        self.now += step.gap;
        self.round += u64::from(step.new_round);
        if let Some(latest) = step.rtt {
            let min = self.rtt.map_or(latest, |rtt| rtt.min.min(latest));
            self.rtt = Some(RttView::new(latest).min(min));
        }
        let path = Path::new(self.now, MSS)
            .in_flight(step.in_flight)
            .rtt(self.rtt)
            .round(self.round)
            .window_limited(step.window_limited);
        let packets: Vec<_> = (0..step.packets.min(4)).map(|_| self.packet(&step)).collect();
        let lost = |cause, new_episode, lost| Fact::Lost {
            loss: Loss::new(cause, lost).new_episode(new_episode),
            packets: packets.clone(),
            path,
        };
        match step.kind {
            Kind::Acked => Fact::Acked {
                ack: Ack::new(step.packets)
                    .advanced(!step.packets.is_multiple_of(5))
                    .ce_packets(step.marked.min(step.packets))
                    .rtt(step.rtt)
                    .one_way(step.rtt.map(|rtt| rtt / 2))
                    .rate(step.rate.map(|bps| self.rate_sample(bps, &step)))
                    .feedback(step.feedback),
                packets,
                path,
            },
            Kind::Reported => Fact::Reported(
                Report::new(
                    step.marked.min(step.packets) as f64 / step.packets as f64,
                    Rate::from_bps(step.rate.unwrap_or(0)),
                    step.rtt.unwrap_or(Span::from_ms(1)),
                )
                .lost(step.marked.min(step.packets)),
                path,
            ),
            Kind::Requested => Fact::Requested(path),
            Kind::Answered => Fact::Answered(step.feedback.unwrap_or(Feedback::Rate(0.0)), path),
            Kind::Sent => Fact::Sent(self.packet(&step), path),
            Kind::Detected { new_episode } => lost(Cause::Detected, new_episode, step.packets),
            Kind::Mark => lost(Cause::Mark, true, 0),
            Kind::Timeout { new_episode } => lost(Cause::Timeout, new_episode, step.packets),
            Kind::Recovered => Fact::Recovered(path),
            Kind::Spurious => Fact::SpuriousLoss(path),
            Kind::Idle => {
                let idle = Idle::new(since, step.packets % 4);
                Fact::Idle(idle, path.in_flight(0))
            }
            Kind::Timer => Fact::Timer(path),
        }
    }

    fn packet(&mut self, step: &Step) -> SentPacket {
        self.sent += 1;
        SentPacket::new(
            self.sent,
            MSS,
            Time::ZERO + self.now.since(Time::ZERO + step.rtt.unwrap_or(Span::ZERO)),
        )
        .in_flight(step.in_flight + 1)
        .app_limited(!step.window_limited)
    }

    fn rate_sample(&self, bps: u64, step: &Step) -> RateSample {
        RateSample::new(step.packets, step.rtt.unwrap_or(Span::from_ms(1)), Rate::from_bps(bps))
            .prior_delivered(self.sent)
            .prior_in_flight(step.in_flight)
            .app_limited(!step.window_limited)
    }
}

fn steps() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        12 => Just(Kind::Acked),
        4 => Just(Kind::Reported),
        2 => Just(Kind::Requested),
        2 => Just(Kind::Answered),
        2 => Just(Kind::Sent),
        2 => any::<bool>().prop_map(|new_episode| Kind::Detected { new_episode }),
        1 => Just(Kind::Mark),
        1 => any::<bool>().prop_map(|new_episode| Kind::Timeout { new_episode }),
        2 => Just(Kind::Recovered),
        1 => Just(Kind::Spurious),
        1 => Just(Kind::Idle),
        1 => Just(Kind::Timer),
    ];
    let gap = prop_oneof![Just(Span::ZERO), (0..5_000u64).prop_map(Span::from_us), spans(100_000)];
    let feedback =
        prop_oneof![
            (-1e9f32..1e9).prop_map(Feedback::Delta),
            (0f32..1e10).prop_map(Feedback::Rate),
            (0..4u8).prop_map(Feedback::Level),
            (-1f32..100.0).prop_map(Feedback::Price),
            (0f32..1.2, any::<bool>(), any::<bool>())
                .prop_map(|(threshold, above, overload)| Feedback::Load { threshold, above, overload }),
        ];
    let sizes = (1..300u64, 0..300u64, 0..100_000u64);
    let flags = (any::<bool>(), prop::bool::weighted(0.8));
    let samples = (option::of(spans(2_000)), option::of(0..100_000_000_000u64), option::of(feedback));
    (kind, gap, sizes, flags, samples).prop_map(
        |(kind, gap, (packets, marked, in_flight), (new_round, window_limited), (rtt, rate, feedback))| {
            Step { kind, gap, rtt, packets, marked, in_flight, new_round, window_limited, rate, feedback }
        },
    )
}

/// From one microsecond to `longest` milliseconds.
fn spans(longest: u64) -> impl Strategy<Value = Span> {
    (1..longest * 1_000).prop_map(Span::from_us)
}
