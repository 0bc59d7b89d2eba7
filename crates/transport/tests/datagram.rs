//! Rules: datagrams are sent once; what is told of them is told as the algorithm asks.

mod wire;

use narrows_cc::catalogue::Needs;
use narrows_cc::{
    Ack, Cause, CongestionControl, Fact, Limits, Loss, LossHistory, Path, Report, Reports, Transport,
};
use narrows_transport::{
    ConnectionState, DatagramReceiver, DatagramSender, Host, News, RecoveryKind, TransportOptions,
};
use narrows_units::{Bytes, Rate, Time};
use narrows_wire::{Body, Ecn, FlowId, Leg, Packet};
use std::sync::{Arc, Mutex};
use wire::{DELAY, MSS, at, options};

/// Sends at a fixed rate and keeps what it is told.
#[derive(Clone, Debug)]
struct Listener {
    rate: Rate,
    reports: Reports,
    facts: Arc<Mutex<Vec<Fact>>>,
}

impl Listener {
    fn note(&self, fact: Fact) {
        self.facts.lock().expect("nobody panicked").push(fact);
    }
}

impl CongestionControl for Listener {
    fn limits(&self) -> Limits {
        Limits { window: None, pacing: Some(self.rate), burst: MSS }
    }
    fn window(&self) -> Option<f64> {
        None
    }
    fn ssthresh(&self) -> Option<f64> {
        None
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.note(Fact::Acked {
            ack: Ack { packets: &[], ..*ack },
            packets: ack.packets.to_vec(),
            path: *path,
        });
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        let packets = loss.packets.to_vec();
        self.note(Fact::Lost { loss: Loss { packets: &[], ..*loss }, packets, path: *path });
    }
    fn on_recovered(&mut self, path: &Path) {
        self.note(Fact::Recovered(*path));
    }
    fn on_report(&mut self, report: &Report, path: &Path) {
        self.note(Fact::Reported(*report, *path));
    }
    fn transport(&self) -> Transport {
        Transport::Datagram(self.reports)
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// What one call of an endpoint did.
#[derive(Default)]
struct Outbox {
    packets: Vec<Packet>,
    news: Vec<News>,
}

impl Host for Outbox {
    fn send(&mut self, packet: Packet) {
        self.packets.push(packet);
    }
    fn tell(&mut self, news: News) {
        self.news.push(news);
    }
}

/// What happened in a run.
struct Run {
    sender: DatagramSender,
    receiver: DatagramReceiver,
    facts: Vec<Fact>,
    /// Data that left, and answers that arrived, each with its time.
    data: Vec<(Time, Packet)>,
    answers: Vec<(Time, Packet)>,
    news: Vec<News>,
}

/// A packet each millisecond over a path of `DELAY` each way, until `end`; `fate` may take packets away or mark them.
fn run(
    reports: Reports,
    options: TransportOptions,
    size: Option<Bytes>,
    end: Time,
    mut fate: impl FnMut(&mut Packet) -> bool,
) -> Run {
    let facts = Arc::new(Mutex::new(Vec::new()));
    let algorithm = Listener { rate: Rate::from_bps(8_000_000), reports, facts: Arc::clone(&facts) };
    let options = Arc::new(options);
    let needs = Needs { packets: true, rate_samples: false };
    let mut sender =
        DatagramSender::new(FlowId::new(0, 0), Arc::clone(&options), size, Box::new(algorithm), needs);
    let mut receiver = DatagramReceiver::new(FlowId::new(0, 0), options, reports);
    let (mut data, mut answers, mut news) = (Vec::new(), Vec::new(), Vec::new());
    let mut under_way: Vec<(Time, Packet)> = Vec::new();
    let mut now = Time::ZERO;
    let mut outbox = Outbox::default();
    sender.open(now, &mut outbox);
    loop {
        for mut packet in outbox.packets.drain(..) {
            if packet.leg() == Leg::Outward {
                data.push((now, packet));
            }
            if fate(&mut packet) {
                under_way.push((now + DELAY, packet));
            }
        }
        news.append(&mut outbox.news);
        let arrival = under_way.first().map_or(Time::NEVER, |(at, _)| *at);
        let next = arrival.min(sender.next_wake()).min(receiver.next_wake());
        assert!(next >= now, "a deadline lies in the past");
        if next > end {
            break;
        }
        now = next;
        if now == arrival {
            let (_, packet) = under_way.remove(0);
            match packet.leg() {
                Leg::Outward => receiver.on_packet(&packet, now, &mut outbox),
                Leg::Homeward => {
                    answers.push((now, packet));
                    sender.on_packet(&packet, now, &mut outbox);
                }
            }
        } else {
            sender.on_wake(now, &mut outbox);
            receiver.on_wake(now, &mut outbox);
        }
    }
    let facts = facts.lock().expect("nobody panicked").clone();
    Run { sender, receiver, facts, data, answers, news }
}

fn plain() -> TransportOptions {
    options(RecoveryKind::Sack)
}

fn deliver(_: &mut Packet) -> bool {
    true
}

/// Takes away the data packets `numbers`.
fn lose(numbers: &'static [u64]) -> impl FnMut(&mut Packet) -> bool {
    |packet| packet.leg() == Leg::Homeward || !numbers.contains(&packet.number)
}

/// Cause, new episode, and the packets lost, of each loss told.
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

const HISTORY: Reports = Reports::LossEvents(LossHistory { intervals: 8, least_discount: 0.5 });

#[test]
fn packets_are_numbered_evenly_spaced_and_sent_once() {
    let run = run(Reports::EachPacket, plain(), None, at(300), lose(&[10, 11, 50]));
    assert_eq!(run.data.len(), 301);
    for (number, (left, packet)) in run.data.iter().enumerate() {
        assert_eq!((packet.number, *left), (number as u64, at(number as u64)));
    }
    assert_eq!(run.sender.counters().packets_lost, 3);
    assert_eq!(run.receiver.counters().bytes_delivered, (301 - 3 - 20) * MSS.count());
}

#[test]
fn a_silent_receiver_answers_nothing_and_nothing_is_told() {
    let run = run(Reports::Nothing, plain(), None, at(300), deliver);
    assert!(run.answers.is_empty() && run.facts.is_empty());
    assert_eq!((run.sender.in_flight(), run.sender.window()), (None, None));
}

#[test]
fn a_finite_flow_is_complete_when_its_last_packet_has_left() {
    let run = run(Reports::EachPacket, plain(), Some(MSS * 10 + Bytes::new(1)), at(300), deliver);
    assert_eq!(run.data.len(), 11);
    assert_eq!(run.sender.state(), ConnectionState::Completed);
    assert_eq!(run.news.iter().filter(|news| **news == News::Completed).count(), 1);
    assert_eq!(run.receiver.counters().bytes_delivered, 10 * MSS.count() + 1);
}

#[test]
fn each_arrival_is_told_once_with_its_round_trip() {
    let run = run(Reports::EachPacket, plain(), None, at(300), deliver);
    let told: Vec<_> = run
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
    assert_eq!(told, (0..=260).collect::<Vec<_>>());
    assert_eq!(run.sender.in_flight(), Some(40));
    assert!((run.sender.window().expect("a rate and a round trip") - 40.0).abs() < 1e-9);
}

#[test]
fn losses_among_the_packets_that_were_out_belong_to_one_episode() {
    // The loss of 100 is known when 103 is heard of, at 143 ms: packets up to 142 belong to its episode.
    let run = run(Reports::EachPacket, plain(), None, at(400), lose(&[100, 110, 142, 143]));
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
fn a_lost_echo_costs_nothing() {
    let run = run(Reports::EachPacket, plain(), None, at(400), |packet| {
        packet.leg() == Leg::Outward || !(100..120).contains(&packet.number)
    });
    assert_eq!(losses(&run.facts), []);
    let acked = run.facts.iter().filter_map(|fact| match fact {
        Fact::Acked { ack, .. } => Some(ack.newly_acked),
        _ => None,
    });
    assert_eq!(acked.sum::<u64>(), 361);
}

#[test]
fn silence_for_a_timeout_loses_all_that_left_before() {
    let run = run(Reports::EachPacket, plain(), None, at(1_000), |packet| packet.number < 100);
    let told = losses(&run.facts);
    assert!(told.iter().all(|(cause, ..)| *cause == Cause::Timeout));
    // The first is packet 100, a timeout after it left; those that were out then begin no episode of their own.
    let Some((_, true, first)) = told.first() else { panic!("an episode begins") };
    assert_eq!(first[0], 100);
    let episodes: Vec<_> = told.iter().filter(|(_, new, _)| *new).map(|(.., packets)| packets[0]).collect();
    let rto = 200;
    assert_eq!(episodes, [100, 100 + rto, 100 + 2 * rto, 100 + 3 * rto]);
}

#[test]
fn a_mark_begins_an_episode_as_a_loss_does() {
    let ecn = TransportOptions { ecn: true, ..plain() };
    let run = run(Reports::EachPacket, ecn, None, at(300), |packet| {
        if packet.leg() == Leg::Outward && [100, 105].contains(&packet.number) {
            assert_eq!(packet.ecn, Ecn::Ect0);
            packet.ecn = Ecn::Ce;
        }
        true
    });
    assert_eq!(losses(&run.facts), [(Cause::Mark, true, vec![])]);
    assert_eq!(run.sender.counters().marks_seen, 2);
}

#[test]
fn tfrc_reports_once_a_round_trip_with_what_arrives() {
    let run = run(HISTORY, plain(), None, at(1_000), deliver);
    // Packets are reported one by one until the sender knows a round trip and has told so: that takes one more.
    let steady: Vec<_> = run.answers.iter().filter(|(arrived, _)| *arrived > at(150)).collect();
    for pair in steady.windows(2) {
        let gap = (pair[1].0 - pair[0].0).as_secs_f64();
        assert!((gap - 0.040).abs() < 1e-8, "the round trip is told in single precision: {gap}");
    }
    for fact in run.facts.iter().skip(60) {
        let Fact::Reported(report, _) = fact else { unreachable!("{fact:?} of a reporting receiver") };
        assert!((report.receive_rate.as_bps() as f64 / 8e6 - 1.0).abs() < 0.03, "{report:?}");
        assert!((report.rtt.as_secs_f64() - 0.040).abs() < 1e-8 && report.loss_event_rate < 1e-9);
    }
    assert!(run.facts.len() > 60 && run.sender.counters().packets_lost == 0);
}

#[test]
fn tfrc_reports_a_new_loss_event_at_once_and_others_in_turn() {
    let run = run(HISTORY, plain(), None, at(1_200), lose(&[500, 505, 800]));
    let reports = run.answers.iter().map(|(arrived, packet)| match packet.body {
        Body::Report(report) => (*arrived, packet.number, report.lost, report.loss_events),
        other => unreachable!("{other:?} of a reporting receiver"),
    });
    let reports: Vec<_> = reports.collect();
    // 500 is known to be lost when 503 arrives; 505 belongs to the same round trip.
    assert!(reports.contains(&(at(503) + DELAY * 2, 503, 1, 1)));
    assert!(reports.contains(&(at(803) + DELAY * 2, 803, 3, 2)));
    assert!(!reports.iter().any(|(.., number, _, _)| *number == 508));
    assert_eq!(run.sender.counters().packets_lost, 3);
    assert_eq!(run.sender.counters().reductions, 2);
    let last = run.facts.iter().rev().find_map(|fact| match fact {
        Fact::Reported(report, _) => Some(*report),
        _ => None,
    });
    // 300 packets between the events; the one before the first is what the equation makes of the rate.
    assert!(
        last.is_some_and(
            |report| report.loss_event_rate > 1.0 / 2_000.0 && report.loss_event_rate < 1.0 / 300.0
        )
    );
}

#[test]
fn to_tfrc_a_mark_is_a_loss_event_without_a_loss() {
    let ecn = TransportOptions { ecn: true, ..plain() };
    let run = run(HISTORY, ecn, None, at(800), |packet| {
        if packet.leg() == Leg::Outward && packet.number == 500 {
            packet.ecn = Ecn::Ce;
        }
        true
    });
    let told = run.facts.iter().find_map(|fact| match fact {
        Fact::Reported(report, path) if report.loss_event_rate > 0.0 => Some((path.now, report.lost)),
        _ => None,
    });
    assert_eq!(told, Some((at(500) + DELAY * 2, 0)));
}

#[test]
fn no_report_leaves_while_nothing_arrives() {
    let run =
        run(HISTORY, plain(), None, at(2_000), |packet| packet.leg() == Leg::Homeward || packet.number < 300);
    let last = run.answers.last().expect("some packets arrived").0;
    assert!(last <= at(299) + DELAY * 4, "{last:?}");
}

#[test]
fn delays_at_the_receiver_are_not_part_of_the_round_trip() {
    // One packet in seven arrives, so most reports wait after the last arrival.
    let run = run(HISTORY, plain(), None, at(1_000), |packet| {
        packet.leg() == Leg::Homeward || packet.number.is_multiple_of(7)
    });
    for fact in &run.facts {
        let Fact::Reported(report, _) = fact else { unreachable!("{fact:?} of a reporting receiver") };
        let error = report.rtt.as_secs_f64() - (DELAY * 2).as_secs_f64();
        assert!(error.abs() < 1e-8, "{error}");
    }
    assert!(run.facts.len() > 20);
}
