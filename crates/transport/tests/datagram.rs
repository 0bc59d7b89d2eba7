// SPDX-License-Identifier: Apache-2.0
//! Rules: datagrams are sent once, and the receiver responds as the algorithm requires.

use crate::wire::{DELAY, MSS, at, options};
use narrows_cc::{
    Ack, Cause, CongestionControl, Fact, Limits, Loss, LossHistory, Needs, Path, Report, Reports,
};
use narrows_transport::{
    ConnectionState, Host, ReceivingEndpoint, RecoveryKind, SendingEndpoint, TransportEvent, TransportOptions,
};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Body, Direction, Ecn, FlowId, Packet};
use std::sync::{Arc, Mutex};

/// An algorithm with a constant rate that stores all events.
#[derive(Clone, Debug)]
struct Recorder {
    rate: Rate,
    facts: Arc<Mutex<Vec<Fact>>>,
}

impl Recorder {
    fn note(&self, fact: Fact) {
        self.facts.lock().expect("no thread panicked").push(fact);
    }
}

impl CongestionControl for Recorder {
    fn limits(&self) -> Limits {
        Limits::new(None, Some(self.rate), MSS)
    }
    fn window(&self) -> Option<f64> {
        None
    }
    fn ssthresh(&self) -> Option<f64> {
        None
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.note(Fact::acked(ack, path));
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.note(Fact::lost(loss, path));
    }
    fn on_recovered(&mut self, path: &Path) {
        self.note(Fact::Recovered(*path));
    }
    fn on_report(&mut self, report: &Report, path: &Path) {
        self.note(Fact::Reported(*report, *path));
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// What one call to an endpoint sends and reports.
#[derive(Default)]
struct Outbox {
    packets: Vec<Packet>,
    events: Vec<TransportEvent>,
}

impl Host for Outbox {
    fn send(&mut self, packet: Packet) {
        self.packets.push(packet);
    }
    fn notify(&mut self, event: TransportEvent) {
        self.events.push(event);
    }
}

/// The result of a run.
struct Run {
    sender: SendingEndpoint,
    receiver: ReceivingEndpoint,
    facts: Vec<Fact>,
    /// The data packets sent and the responses received, each with its time.
    data: Vec<(Time, Packet)>,
    responses: Vec<(Time, Packet)>,
    events: Vec<TransportEvent>,
}

/// Sends a packet each millisecond over a path with a delay of `DELAY` in each direction, until `end`. `fate` returns
/// whether to deliver a packet, and may mark it.
fn run(
    reports: Reports,
    options: TransportOptions,
    size: Option<Bytes>,
    end: Time,
    mut fate: impl FnMut(&mut Packet) -> bool,
) -> Run {
    let facts = Arc::new(Mutex::new(Vec::new()));
    let algorithm = Recorder { rate: Rate::from_bps(8_000_000), facts: Arc::clone(&facts) };
    let options = Arc::new(options);
    let needs = Needs::datagrams(reports).packets(true);
    let mut sender =
        SendingEndpoint::new(FlowId::new(0, 0), Arc::clone(&options), size, Box::new(algorithm), needs);
    let mut receiver = ReceivingEndpoint::new(FlowId::new(0, 0), options, size, needs.transport);
    let (mut data, mut responses, mut events) = (Vec::new(), Vec::new(), Vec::new());
    let mut in_transit: Vec<(Time, Packet)> = Vec::new();
    let mut now = Time::ZERO;
    let mut outbox = Outbox::default();
    sender.open(now, &mut outbox);
    loop {
        for mut packet in outbox.packets.drain(..) {
            if packet.direction() == Direction::Forward {
                data.push((now, packet));
            }
            if fate(&mut packet) {
                in_transit.push((now + DELAY, packet));
            }
        }
        events.append(&mut outbox.events);
        let arrival = in_transit.first().map_or(Time::NEVER, |(at, _)| *at);
        let next = arrival.min(sender.next_wake()).min(receiver.next_wake());
        assert!(next >= now, "no timer expires in the past");
        if next > end {
            break;
        }
        now = next;
        if now == arrival {
            let (_, packet) = in_transit.remove(0);
            match packet.direction() {
                Direction::Forward => receiver.on_packet(&packet, now, &mut outbox),
                Direction::Reverse => {
                    responses.push((now, packet));
                    sender.on_packet(&packet, now, &mut outbox);
                }
            }
        } else {
            sender.on_wake(now, &mut outbox);
            receiver.on_wake(now, &mut outbox);
        }
    }
    let facts = facts.lock().expect("no thread panicked").clone();
    Run { sender, receiver, facts, data, responses, events }
}

fn default_options() -> TransportOptions {
    options(RecoveryKind::Sack)
}

fn deliver(_: &mut Packet) -> bool {
    true
}

/// Loses the data packets `numbers`.
fn lose(numbers: &'static [u64]) -> impl FnMut(&mut Packet) -> bool {
    |packet| packet.direction() == Direction::Reverse || !numbers.contains(&packet.number)
}

/// The cause of each reported loss, whether it started an episode, and the packets lost.
fn losses(facts: &[Fact]) -> Vec<(Cause, bool, Vec<u64>)> {
    let numbers = |packets: &[narrows_cc::SentPacket]| packets.iter().map(|packet| packet.number).collect();
    facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Lost { loss, packets, .. } => Some((loss.cause, loss.new_episode, numbers(packets))),
            _ => None,
        })
        .collect()
}

const HISTORY: Reports = Reports::LossEvents(LossHistory::new(8, 0.5));

#[test]
fn packets_are_numbered_evenly_spaced_and_sent_once() {
    let run = run(Reports::EachPacket, default_options(), None, at(300), lose(&[10, 11, 50]));
    assert_eq!(run.data.len(), 301);
    for (number, (sent_at, packet)) in run.data.iter().enumerate() {
        assert_eq!((packet.number, *sent_at), (number as u64, at(number as u64)));
    }
    assert_eq!(run.sender.counters().packets_lost, 3);
    assert_eq!(run.receiver.counters().bytes_delivered, (301 - 3 - 20) * MSS.count());
}

#[test]
fn a_receiver_without_reports_sends_nothing_and_the_algorithm_gets_no_events() {
    let run = run(Reports::Nothing, default_options(), None, at(300), deliver);
    assert!(run.responses.is_empty() && run.facts.is_empty());
    assert_eq!((run.sender.snapshot().in_flight, run.sender.window()), (None, None));
}

#[test]
fn a_finite_flow_is_complete_once_its_last_packet_is_sent() {
    let run = run(Reports::EachPacket, default_options(), Some(MSS * 10 + Bytes::new(1)), at(300), deliver);
    assert_eq!(run.data.len(), 11);
    assert_eq!(run.sender.state(), ConnectionState::Completed);
    assert_eq!(run.events.iter().filter(|event| **event == TransportEvent::Completed).count(), 1);
    assert_eq!(run.receiver.counters().bytes_delivered, 10 * MSS.count() + 1);
}

#[test]
fn each_arrival_is_reported_once_with_its_round_trip_time() {
    let run = run(Reports::EachPacket, default_options(), None, at(300), deliver);
    let reported: Vec<_> = run
        .facts
        .iter()
        .map(|fact| match fact {
            Fact::Acked { ack, packets, .. } => {
                assert_eq!((ack.newly_acked, ack.rtt), (1, Some(DELAY * 2)));
                packets[0].number
            }
            other => unreachable!("{other:?} without a loss"),
        })
        .collect();
    assert_eq!(reported, (0..=260).collect::<Vec<_>>());
    assert_eq!(run.sender.snapshot().in_flight, Some(40));
    assert!((run.sender.window().expect("a rate and a round trip") - 40.0).abs() < 1e-9);
}

#[test]
fn losses_of_packets_in_flight_belong_to_one_episode() {
    // The loss of 100 is detected by the echo of 103, at 143 ms: packets up to 142 belong to its episode.
    let run = run(Reports::EachPacket, default_options(), None, at(400), lose(&[100, 110, 142, 143]));
    let expected = [
        (Cause::Detected, true, vec![100]),
        (Cause::Detected, false, vec![110]),
        (Cause::Detected, true, vec![142, 143]),
    ];
    assert_eq!(losses(&run.facts), expected);
    assert_eq!(run.facts.iter().filter(|fact| matches!(fact, Fact::Recovered(_))).count(), 2);
    assert_eq!(run.sender.counters().reductions, 2);
}

#[test]
fn a_lost_echo_is_harmless() {
    let run = run(Reports::EachPacket, default_options(), None, at(400), |packet| {
        packet.direction() == Direction::Forward || !(100..120).contains(&packet.number)
    });
    assert_eq!(losses(&run.facts), []);
    let acked = run.facts.iter().filter_map(|fact| match fact {
        Fact::Acked { ack, .. } => Some(ack.newly_acked),
        _ => None,
    });
    assert_eq!(acked.sum::<u64>(), 361);
}

#[test]
fn packets_without_an_echo_for_a_timeout_are_lost() {
    let run = run(Reports::EachPacket, default_options(), None, at(1_000), |packet| packet.number < 100);
    let reported = losses(&run.facts);
    assert!(reported.iter().all(|(cause, ..)| *cause == Cause::Timeout));
    // The first is packet 100, a timeout after it was sent; the packets then in flight start no episode of their own.
    let Some((_, true, first)) = reported.first() else { panic!("an episode starts") };
    assert_eq!(first[0], 100);
    let episodes: Vec<_> =
        reported.iter().filter(|(_, new, _)| *new).map(|(.., packets)| packets[0]).collect();
    let rto = 200;
    assert_eq!(episodes, [100, 100 + rto, 100 + 2 * rto, 100 + 3 * rto]);
}

#[test]
fn a_mark_starts_an_episode_as_a_loss_does() {
    let ecn = TransportOptions { ecn: true, ..default_options() };
    let run = run(Reports::EachPacket, ecn, None, at(300), |packet| {
        if packet.direction() == Direction::Forward && [100, 105].contains(&packet.number) {
            assert_eq!(packet.ecn, Ecn::Ect0);
            packet.ecn = Ecn::Ce;
        }
        true
    });
    assert_eq!(losses(&run.facts), [(Cause::Mark, true, vec![])]);
    assert_eq!(run.sender.counters().marks_seen, 2);
}

#[test]
fn tfrc_reports_once_per_round_trip_on_what_arrives() {
    let run = run(HISTORY, default_options(), None, at(1_000), deliver);
    // Packets are reported one by one until a packet carries the first round-trip time, which takes another round trip.
    let steady: Vec<_> = run.responses.iter().filter(|(arrived, _)| *arrived > at(150)).collect();
    for pair in steady.windows(2) {
        let gap = (pair[1].0 - pair[0].0).as_secs_f64();
        assert!((gap - 0.040).abs() < 1e-8, "the round-trip time is carried in single precision: {gap}");
    }
    for fact in run.facts.iter().skip(60) {
        let Fact::Reported(report, _) = fact else { unreachable!("{fact:?} of a reporting receiver") };
        assert!((report.receive_rate.as_bps() as f64 / 8e6 - 1.0).abs() < 0.03, "{report:?}");
        assert!((report.rtt.as_secs_f64() - 0.040).abs() < 1e-8 && report.loss_event_rate < 1e-9);
    }
    assert!(run.facts.len() > 60 && run.sender.counters().packets_lost == 0);
}

#[test]
fn tfrc_reports_a_new_loss_event_at_once_and_other_losses_regularly() {
    let run = run(HISTORY, default_options(), None, at(1_200), lose(&[500, 505, 800]));
    let reports = run.responses.iter().map(|(arrived, packet)| match packet.body {
        Body::Report(report) => (*arrived, packet.number, report.lost, report.loss_events),
        other => unreachable!("{other:?} of a reporting receiver"),
    });
    let reports: Vec<_> = reports.collect();
    // The loss of 500 is detected when 503 arrives; 505 is lost in the same round trip.
    assert!(reports.contains(&(at(503) + DELAY * 2, 503, 1, 1)));
    assert!(reports.contains(&(at(803) + DELAY * 2, 803, 3, 2)));
    assert!(!reports.iter().any(|(.., number, _, _)| *number == 508));
    assert_eq!(run.sender.counters().packets_lost, 3);
    assert_eq!(run.sender.counters().reductions, 2);
    let last = run.facts.iter().rev().find_map(|fact| match fact {
        Fact::Reported(report, _) => Some(*report),
        _ => None,
    });
    // 300 packets between the events; the interval before the first is derived from the rate by the equation.
    assert!(
        last.is_some_and(
            |report| report.loss_event_rate > 1.0 / 2_000.0 && report.loss_event_rate < 1.0 / 300.0
        )
    );
}

#[test]
fn for_tfrc_a_mark_is_a_loss_event_without_a_loss() {
    let ecn = TransportOptions { ecn: true, ..default_options() };
    let run = run(HISTORY, ecn, None, at(800), |packet| {
        if packet.direction() == Direction::Forward && packet.number == 500 {
            packet.ecn = Ecn::Ce;
        }
        true
    });
    let reported = run.facts.iter().find_map(|fact| match fact {
        Fact::Reported(report, path) if report.loss_event_rate > 0.0 => Some((path.now, report.lost)),
        _ => None,
    });
    assert_eq!(reported, Some((at(500) + DELAY * 2, 0)));
}

#[test]
fn no_report_is_sent_while_nothing_arrives() {
    let run = run(HISTORY, default_options(), None, at(2_000), |packet| {
        packet.direction() == Direction::Reverse || packet.number < 300
    });
    let last = run.responses.last().expect("some packets arrived").0;
    assert!(last <= at(299) + DELAY * 4, "{last:?}");
}

#[test]
fn delays_at_the_receiver_are_excluded_from_the_round_trip_time() {
    // One packet in seven arrives, so that most reports are sent some time after the last arrival.
    let run = run(HISTORY, default_options(), None, at(1_000), |packet| {
        packet.direction() == Direction::Reverse || packet.number.is_multiple_of(7)
    });
    for fact in &run.facts {
        let Fact::Reported(report, _) = fact else { unreachable!("{fact:?} of a reporting receiver") };
        let error = report.rtt.as_secs_f64() - (DELAY * 2).as_secs_f64();
        assert!(error.abs() < 1e-8, "{error}");
    }
    assert!(run.facts.len() > 20);
}
