// SPDX-License-Identifier: Apache-2.0
//! A flow's interpretation of the reports of a stack.

use narrows_adapter::cc::fact::Fact;
use narrows_adapter::cc::units::{Bytes, Rate, Span, Time};
use narrows_adapter::cc::{
    Ack, Cause, CongestionControl, Failure, Idle, Limits, Loss, Needs, Path, SentPacket, Setup,
};
use narrows_adapter::{Flow, Plan};
use std::sync::{Arc, Mutex};

const MSS: u64 = 1200;

/// An algorithm with a window of ten packets that records its events.
#[derive(Clone, Debug)]
struct Recorder(Arc<Mutex<Vec<Fact>>>);

impl Recorder {
    fn record(&self, fact: Fact) {
        self.0.lock().expect("not poisoned").push(fact);
    }
}

impl CongestionControl for Recorder {
    fn limits(&self) -> Limits {
        Limits::new(Some(10), None, Bytes::new(MSS))
    }

    fn window(&self) -> Option<f64> {
        Some(10.0)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        self.record(Fact::Sent(*packet, *path));
    }

    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        self.record(Fact::acked(ack, path));
    }

    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        self.record(Fact::lost(loss, path));
    }

    fn on_recovered(&mut self, path: &Path) {
        self.record(Fact::Recovered(*path));
    }

    fn on_spurious_loss(&mut self, path: &Path) {
        self.record(Fact::SpuriousLoss(*path));
    }

    fn on_idle(&mut self, idle: &Idle, path: &Path) {
        self.record(Fact::Idle(*idle, *path));
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// A flow whose algorithm has `needs`, and the events that the algorithm receives.
fn flow(needs: Needs) -> (Flow, Arc<Mutex<Vec<Fact>>>) {
    let facts = Arc::new(Mutex::new(Vec::new()));
    let algorithm = Recorder(Arc::clone(&facts));
    let plan = Plan::new("recorder", needs, move |_: &Setup| Box::new(algorithm.clone()));
    (Flow::new(&plan, 0, MSS as u16), facts)
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn acks(facts: &Mutex<Vec<Fact>>) -> Vec<(Ack<'static>, Vec<SentPacket>, Path)> {
    let facts = facts.lock().expect("not poisoned");
    facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Acked { ack, packets, path } => Some((*ack, packets.clone(), *path)),
            _ => None,
        })
        .collect()
}

#[test]
fn ten_packets_acknowledged_after_40_ms_give_a_sample_of_2_4_mbps() {
    let (mut flow, facts) = flow(Needs::RELIABLE.rate_samples(true).packets(true));
    flow.on_sent(at(0), 10 * MSS, None);
    for _ in 0..10 {
        flow.on_ack(at(0), MSS, None);
    }
    flow.on_end_acks(at(40), 0, false);
    let (ack, packets, path) = acks(&facts).pop().expect("one acknowledgement");
    assert_eq!((ack.newly_acked, ack.rtt), (10, Some(Span::from_ms(40))));
    assert_eq!((path.in_flight, path.round), (0, 1));
    assert_eq!(packets.iter().map(|packet| packet.number).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    assert_eq!(packets[9].in_flight, 10);
    let rate = ack.rate.expect("a sample");
    assert_eq!((rate.delivered, rate.rate, rate.prior_in_flight), (10, Rate::from_bps(2_400_000), 10));
}

#[test]
fn bytes_of_small_packets_count_as_whole_packets_when_they_fill_one() {
    let (mut flow, facts) = flow(Needs::RELIABLE);
    for number in 0..7 {
        flow.on_sent(at(number), 400, Some(number));
        flow.on_ack(at(number), 400, Some(number));
        flow.on_end_acks(at(number + 40), 0, false);
    }
    assert_eq!(acks(&facts).iter().map(|(ack, ..)| ack.newly_acked).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn losses_of_one_round_trip_are_one_episode() {
    let (mut flow, facts) = flow(Needs::RELIABLE.packets(true));
    for number in 0..10 {
        flow.on_sent(at(number), MSS, Some(number));
    }
    flow.on_ack(at(5), MSS, Some(5));
    flow.on_end_acks(at(45), 9 * MSS, false);
    flow.on_lost(at(45), at(1), 2 * MSS, Some(1), false);
    flow.on_lost(at(46), at(3), 2 * MSS, Some(3), false);
    flow.on_mark(at(46), at(9));
    flow.on_sent(at(50), MSS, Some(10));
    flow.on_ack(at(50), MSS, Some(10));
    flow.on_end_acks(at(90), 5 * MSS, false);
    flow.on_mark(at(91), at(50));
    flow.on_lost(at(95), at(50), MSS, Some(11), true);
    flow.on_spurious();
    let facts = facts.lock().expect("not poisoned");
    let seen: Vec<_> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Lost { loss, packets, .. } => {
                let numbers = packets.iter().map(|packet| packet.number).collect::<Vec<_>>();
                Some((format!("{:?}", loss.cause), loss.new_episode, loss.lost, numbers))
            }
            Fact::Recovered(_) => Some(("recovered".to_owned(), false, 0, Vec::new())),
            Fact::SpuriousLoss(_) => Some(("spurious".to_owned(), false, 0, Vec::new())),
            _ => None,
        })
        .collect();
    let cause = |cause: Cause| format!("{cause:?}");
    assert_eq!(
        seen,
        [
            (cause(Cause::Detected), true, 2, vec![0, 1]),
            (cause(Cause::Detected), false, 2, vec![2, 3]),
            ("recovered".to_owned(), false, 0, vec![]),
            (cause(Cause::Mark), true, 0, vec![]),
            (cause(Cause::Timeout), false, 1, vec![4]),
            ("spurious".to_owned(), false, 0, vec![]),
        ]
    );
}

#[test]
fn packets_that_are_never_acknowledged_are_forgotten() {
    let (mut flow, facts) = flow(Needs::RELIABLE.packets(true));
    flow.on_sent(at(0), 40, None);
    flow.on_sent(at(1), 3 * MSS, None);
    flow.on_ack(at(1), MSS, None);
    flow.on_end_acks(at(41), 2 * MSS, false);
    flow.on_lost(at(42), at(1), 2 * MSS, None, false);
    let facts = facts.lock().expect("not poisoned");
    let Some(Fact::Lost { packets, .. }) = facts.last() else { panic!("no loss") };
    assert_eq!(packets.iter().map(|packet| packet.number).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn a_sender_that_the_application_limits_has_no_limiting_window_and_marks_its_samples() {
    let (mut flow, facts) = flow(Needs::RELIABLE.rate_samples(true));
    for (sent, app_limited) in [(0, true), (40, false), (80, false)] {
        flow.on_sent(at(sent), 2 * MSS, None);
        flow.on_ack(at(sent), MSS, None);
        flow.on_ack(at(sent), MSS, None);
        flow.on_end_acks(at(sent + 40), 0, app_limited);
    }
    let acks = acks(&facts);
    assert_eq!(acks.iter().map(|(.., path)| path.window_limited).collect::<Vec<_>>(), [false, true, true]);
    let limited: Vec<_> = acks.iter().map(|(ack, ..)| ack.rate.expect("a sample").app_limited).collect();
    assert_eq!(limited, [false, true, false]);
}

#[test]
fn an_idle_time_is_reported_before_what_is_sent_after_it() {
    let (mut flow, facts) = flow(Needs::RELIABLE);
    flow.on_sent(at(0), MSS, None);
    flow.on_ack(at(0), MSS, None);
    flow.on_end_acks(at(40), 0, true);
    flow.on_sent(at(1000), MSS, None);
    let facts = facts.lock().expect("not poisoned");
    assert!(
        matches!(&facts[2], Fact::Idle(idle, path) if idle.since == at(0) && path.now == at(1000)),
        "{facts:?}"
    );
    assert!(matches!(&facts[3], Fact::Sent(packet, _) if packet.number == 1));
}

#[test]
fn a_larger_datagram_leaves_the_window_the_same_in_bytes() {
    let plan: Plan = "cubic".parse().expect("in the catalogue");
    let mut flow = Flow::new(&plan, 0, 1200);
    assert_eq!((flow.window(), flow.initial_window(), flow.ssthresh()), (12_000, 12_000, None));
    flow.on_mtu(1500);
    assert_eq!(flow.window(), 12_000);
}

/// An algorithm that has failed from its first loss on.
#[derive(Clone, Debug, Default)]
struct Failing(Option<Failure>);

impl CongestionControl for Failing {
    fn limits(&self) -> Limits {
        Limits::new(Some(10), None, Bytes::new(MSS))
    }

    fn window(&self) -> Option<f64> {
        Some(10.0)
    }

    fn ssthresh(&self) -> Option<f64> {
        None
    }

    fn on_ack(&mut self, _ack: &Ack<'_>, _path: &Path) {}

    fn on_loss(&mut self, _loss: &Loss<'_>, path: &Path) {
        self.0.get_or_insert(Failure::new(path.now, "a loss".to_owned()));
    }

    fn failure(&self) -> Option<&Failure> {
        self.0.as_ref()
    }

    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

#[test]
fn a_failure_is_reported_once_for_each_path() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reported);
    let plan = Plan::new("failing", Needs::RELIABLE, |_: &Setup| Box::new(Failing::default()));
    let plan = plan.reporting(move |failure| sink.lock().expect("not poisoned").push(failure.at));
    for start in [0, 100] {
        let mut flow = Flow::new(&plan, 0, MSS as u16);
        flow.on_sent(at(start), 4 * MSS, None);
        assert_eq!(flow.failure(), None);
        flow.on_lost(at(start + 40), at(start), MSS, None, false);
        flow.on_lost(at(start + 50), at(start), MSS, None, false);
    }
    assert_eq!(*reported.lock().expect("not poisoned"), [at(40), at(140)]);
}
