// SPDX-License-Identifier: Apache-2.0
//! Rules: the handshake, windows, delayed acknowledgements, ECN, pacing, the end of a transfer.

use crate::wire::{self, DELAY, Fate, GAP, Halving, MSS, POLICIES, Wire, at, lossless, options};
use narrows_cc::{Cause, CongestionControl, EcnUse, Limits, Loss, Path, SentPacket};
use narrows_transport::RecoveryKind::{Rack, Reno, Sack};
use narrows_transport::{ConnectionState, Limit, RtoRule, Rule, TransportEvent, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Packet};

const MINUTE: Span = Span::from_ms(60_000);

fn is_syn(packet: &Packet) -> bool {
    matches!(packet.body, Body::Syn { .. })
}

fn is_syn_ack(packet: &Packet) -> bool {
    matches!(packet.body, Body::SynAck { .. })
}

#[test]
fn data_is_sent_one_round_trip_after_the_syn_and_the_handshake_is_the_first_sample() {
    let mut wire = Wire::new(options(Sack), Halving::fixed(10.0), Some(5), lossless);
    assert!(wire.complete(MINUTE));
    assert_eq!(wire.transmissions[0].at, at(40));
    assert_eq!(
        wire.events[..2],
        [(at(40), TransportEvent::Established), (at(40), TransportEvent::RttSample(Span::from_ms(40)))]
    );
    assert_eq!(wire.numbers(), [0, 1, 2, 3, 4]);
}

#[test]
fn a_transfer_delivers_its_exact_size_and_completes_once() {
    for size in [0, 1, 999, 1_000, 1_001, 123_456] {
        let mut wire = Wire::of_size(options(Sack), Halving::fixed(10.0), Some(Bytes::new(size)), lossless);
        assert!(wire.complete(MINUTE));
        assert_eq!(wire.receiver.counters().bytes_delivered, size);
        assert_eq!(wire.sender.counters().bytes_acked, size);
        assert_eq!(wire.events.iter().filter(|(_, event)| *event == TransportEvent::Completed).count(), 1);
        let wire_bytes = size + 40 * size.div_ceil(MSS.count());
        assert_eq!(wire.sender.counters().bytes_sent, wire_bytes);
        assert_eq!(wire.sender.next_wake(), Time::NEVER);
    }
}

#[test]
fn a_lost_syn_is_retransmitted_after_one_second_and_the_window_starts_at_one() {
    for lost in [is_syn, is_syn_ack] {
        let script = move |packet: &Packet, count: usize| {
            if lost(packet) && packet.number == 0 && count == 0 { Fate::Drop } else { Fate::Deliver }
        };
        let mut wire = Wire::new(options(Sack), Halving::growing(10.0), Some(60), script);
        assert!(wire.complete(MINUTE));
        let start = at(1_040);
        assert_eq!(wire.transmissions[0].at, start);
        let flights: Vec<_> = (0..4)
            .map(|n| start + Span::from_us(40_100) * n)
            .map(|from| {
                wire.transmissions
                    .iter()
                    .filter(|d| d.at >= from && d.at < from + Span::from_us(40_100))
                    .count()
            })
            .collect();
        assert_eq!(flights[..3], [1, 2, 4], "{flights:?}");
        let (_, first_sample) = wire
            .events
            .iter()
            .find(|(_, event)| matches!(event, TransportEvent::RttSample(_)))
            .expect("data is sampled");
        assert_eq!(*first_sample, TransportEvent::RttSample(Span::from_us(40_100)));
    }
}

#[test]
fn after_a_lost_syn_the_first_data_timeout_is_three_seconds() {
    let script = |packet: &Packet, count: usize| match packet.body {
        Body::Syn { .. } | Body::Data { .. } if packet.number == 0 && count == 0 => Fate::Drop,
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(options(Sack), Halving::fixed(1.0), Some(1), script);
    assert!(wire.complete(MINUTE));
    let (retransmitted_at, _) = wire.retransmissions()[0];
    assert_eq!(retransmitted_at, at(1_040 + 3_000));
}

#[test]
fn syns_back_off_and_the_connection_is_aborted_after_the_last_retry() {
    let script = |packet: &Packet, _: usize| if is_syn(packet) { Fate::Drop } else { Fate::Deliver };
    let options = TransportOptions { syn_retries: 3, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(10.0), Some(5), script);
    assert!(!wire.complete(MINUTE));
    assert_eq!(wire.sender.state(), ConnectionState::GaveUp);
    assert_eq!(wire.sender.counters().syns_sent, 4);
    // 1 + 2 + 4 s between them, 8 s for the last.
    let expired = [1_000, 3_000, 7_000].map(|ms| (at(ms), TransportEvent::Expired(Rule::SynTimeout)));
    assert_eq!(wire.events[..3], expired);
    assert_eq!(wire.events[3..], [(at(15_000), TransportEvent::GaveUp)]);
}

fn of_linux() -> TransportOptions {
    TransportOptions { rto: RtoRule::Linux, undo: UndoKind::DuplicatesAndTimestamps, ..options(Sack) }
}

/// When data is first sent and how much at once, if SYNs with these numbers are lost and the first `syn_acks` SYN-ACKs.
fn first_flight(syns: u64, syn_acks: usize) -> (Time, usize) {
    let script = move |packet: &Packet, count: usize| {
        let lost = is_syn(packet) && packet.number < syns || is_syn_ack(packet) && count < syn_acks;
        if lost { Fate::Drop } else { Fate::Deliver }
    };
    let mut wire = Wire::new(of_linux(), Halving::growing(10.0), Some(60), script);
    assert!(wire.complete(MINUTE));
    let start = wire.transmissions[0].at;
    let flight =
        wire.transmissions.iter().filter(|sent| sent.at.since(start) < Span::from_us(40_000)).count();
    (start, flight)
}

#[test]
fn linux_starts_with_one_segment_only_after_a_second_lost_syn() {
    assert_eq!(first_flight(1, 0), (at(1_040), 10));
    assert_eq!(first_flight(2, 0), (at(2_040), 1));
}

#[test]
fn linux_starts_with_the_initial_window_where_the_first_syn_is_answered() {
    let (_, flight) = first_flight(0, 4);
    assert_eq!(flight, 10);
}

#[test]
fn a_timestamp_gives_a_sample_after_a_lost_syn() {
    let script = |packet: &Packet, _: usize| {
        if is_syn(packet) && packet.number < 2 { Fate::Drop } else { Fate::Deliver }
    };
    let mut wire = Wire::new(of_linux(), Halving::growing(10.0), Some(60), script);
    assert!(wire.complete(MINUTE));
    let mut samples = wire.events.iter().filter(|(_, event)| matches!(event, TransportEvent::RttSample(_)));
    assert_eq!(samples.next(), Some(&(at(2_040), TransportEvent::RttSample(Span::from_ms(40)))));
}

#[test]
fn four_timeouts_of_a_syn_of_linux_are_not_backed_off_and_come_in_addition() {
    let script = |packet: &Packet, _: usize| if is_syn(packet) { Fate::Drop } else { Fate::Deliver };
    let options = TransportOptions { syn_retries: 2, ..of_linux() };
    let mut wire = Wire::new(options, Halving::fixed(10.0), Some(5), script);
    assert!(!wire.complete(MINUTE));
    let times: Vec<Time> = wire.events.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [1, 2, 3, 4, 5, 7, 11].map(|s| at(s * 1_000)));
    assert_eq!(wire.events.last().map(|(_, event)| *event), Some(TransportEvent::GaveUp));
}

#[test]
fn the_ack_of_the_handshake_may_be_lost() {
    let script = |packet: &Packet, count: usize| match packet.body {
        Body::HandshakeAck if count == 0 => Fate::Drop,
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(options(Sack), Halving::fixed(10.0), Some(5), script);
    assert!(wire.complete(MINUTE));
    assert_eq!(wire.receiver.next_wake(), Time::NEVER);
}

#[test]
fn the_connection_is_aborted_after_the_last_retry_of_a_segment() {
    for recovery in POLICIES {
        let script = |packet: &Packet, _: usize| match packet.body {
            Body::Data { .. } => Fate::Drop,
            _ => Fate::Deliver,
        };
        let options = TransportOptions { retries: 3, ..options(recovery) };
        let mut wire = Wire::new(options, Halving::fixed(4.0), None, script);
        wire.run(at(60_000));
        assert_eq!(wire.sender.state(), ConnectionState::GaveUp, "{recovery:?}");
        assert_eq!(wire.sender.counters().timeouts, 3);
        assert_eq!(wire.sender.next_wake(), Time::NEVER);
    }
}

#[test]
fn the_receive_window_limits_outstanding_data() {
    let options = TransportOptions { receive_window: Some(4), ..options(Sack) };
    let mut wire = Wire::new(options, Halving::growing(10.0), Some(40), lossless);
    wire.run(at(41));
    assert_eq!(wire.transmissions.len(), 4);
    assert_eq!(wire.sender.limited_by(), Limit::ReceiveWindow);
    assert!(wire.complete(MINUTE));
    // The congestion window did not limit the sender, and so has not grown.
    assert_eq!(wire.sender.window(), Some(10.0));
}

#[test]
fn without_window_validation_a_window_grows_unfilled() {
    let options = TransportOptions { receive_window: Some(4), window_validation: false, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::growing(10.0), Some(40), lossless);
    assert!(wire.complete(MINUTE));
    assert!(wire.sender.window() > Some(11.0), "{:?}", wire.sender.window());
}

#[test]
fn the_sender_reports_the_limit_that_stopped_it() {
    let mut wire = Wire::new(options(Sack), Halving::fixed(4.0), None, lossless);
    wire.run(at(41));
    assert_eq!(wire.sender.limited_by(), Limit::Window);
    let mut wire = Wire::new(options(Sack), Halving::fixed(40.0), Some(4), lossless);
    wire.run(at(41));
    assert_eq!(wire.sender.limited_by(), Limit::Application);
}

#[test]
fn a_window_grows_in_slow_start_only_while_it_limits_the_sender() {
    let mut wire = Wire::new(options(Sack), Halving::growing(2.0), Some(14), lossless);
    assert!(wire.complete(MINUTE));
    // Flights of 2, 4 and 8 segments. The last is all that remains, and uses half of its window.
    assert_eq!(wire.sender.window(), Some(16.0));
    let mut wire = Wire::new(options(Sack), Halving::growing(40.0), Some(14), lossless);
    assert!(wire.complete(MINUTE));
    assert_eq!(wire.sender.window(), Some(40.0));
}

#[test]
fn every_second_segment_is_acknowledged_and_a_single_one_after_the_timeout() {
    let options = TransportOptions { delayed_ack: 2, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(5.0), None, lossless);
    wire.run(at(150));
    let first: Vec<_> = wire.acks.iter().map(|(when, ack)| (*when, ack.number)).take(3).collect();
    let arrival = |n: u64| at(40) + GAP * n + DELAY;
    assert_eq!(
        first,
        [
            (arrival(2) + DELAY, 2),
            (arrival(4) + DELAY, 4),
            // The fifth segment alone would wait for 40 ms; the window allows another one earlier.
            (arrival(2) + DELAY + GAP + DELAY + DELAY, 6),
        ]
    );
    let mut wire = Wire::new(
        TransportOptions { delayed_ack: 2, ..crate::wire::options(Sack) },
        Halving::fixed(1.0),
        None,
        lossless,
    );
    wire.run(at(300));
    let (when, ack) = wire.acks[0];
    assert_eq!((when, ack.number), (arrival(1) + Span::from_ms(40) + DELAY, 1));
    assert_eq!(wire.receiver.counters().acks_sent as usize, wire.acks.len());
}

#[test]
fn out_of_order_segments_and_filled_holes_are_acknowledged_at_once() {
    let options = TransportOptions { delayed_ack: 2, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(12.0), Some(12), wire::lose_once(&[4]));
    assert!(wire.complete(MINUTE));
    // Segments 0-1 and 2-3, then each of 5 to 11 although no ACK advances, then the retransmission of 4, then the rescue
    // retransmission of 11, which was unnecessary (RFC 6675 §4, rule 4).
    let numbers: Vec<_> = wire.acks.iter().map(|(_, ack)| ack.number).collect();
    assert_eq!(numbers, [2, 4, 4, 4, 4, 4, 4, 4, 4, 12, 12]);
    let Body::Ack { blocks, .. } = wire.acks[4].1.body else { panic!("an acknowledgement") };
    assert_eq!(blocks.iter(4).map(|b| (b.start, b.end)).collect::<Vec<_>>(), [(5, 8)]);
}

#[test]
fn a_flow_without_selective_acknowledgements_reports_no_blocks() {
    let mut wire = Wire::new(options(Reno), Halving::fixed(12.0), Some(40), wire::lose_once(&[4]));
    assert!(wire.complete(MINUTE));
    assert!(
        wire.acks.iter().all(|(_, ack)| matches!(ack.body, Body::Ack { blocks, .. } if blocks.is_empty()))
    );
}

#[test]
fn under_the_rule_of_linux_the_minimum_is_added_to_the_round_trip_time() {
    for (rto, expected) in [(RtoRule::Rfc6298, 200), (RtoRule::Linux, 240)] {
        // With a window of one there is no queue and no variation.
        let script = |packet: &Packet, count: usize| match packet.body {
            Body::Data { .. } if packet.number == 80 && count == 0 => Fate::Drop,
            _ => Fate::Deliver,
        };
        let options = TransportOptions { rto, ..options(Sack) };
        let mut wire = Wire::new(options, Halving::fixed(1.0), Some(100), script);
        assert!(wire.complete(MINUTE));
        let sent = wire.transmissions.iter().find(|d| d.number == 80).expect("sent").at;
        let waited = (wire.retransmissions()[0].0 - sent).as_secs_f64() * 1e3;
        assert!((waited - f64::from(expected)).abs() < 0.2, "{rto:?}: {waited} ms");
    }
}

#[test]
fn a_mark_is_echoed_until_cwr_and_reduces_the_window_once() {
    for proportional_rate_reduction in [false, true] {
        let options = TransportOptions { ecn: true, proportional_rate_reduction, ..options(Sack) };
        // Ten marks within one window.
        let script = |packet: &Packet, _: usize| match packet.body {
            Body::Data { .. } if (60..70).contains(&packet.number) => Fate::Mark,
            _ => Fate::Deliver,
        };
        let mut wire = Wire::new(options, Halving::fixed(40.0), Some(300), script);
        assert!(wire.complete(MINUTE));
        let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
        assert_eq!(causes, [Cause::Mark]);
        assert_eq!(wire.sender.counters().marks_seen, 10);
        assert_eq!(wire.sender.counters().retransmissions, 0);
        let cwr: Vec<_> = wire.transmissions.iter().filter(|d| d.cwr).map(|d| d.number).collect();
        assert_eq!(cwr.len(), 1);
        // The echo starts with the first mark and ends when CWR arrives.
        let echoed: Vec<_> =
            wire.acks.iter().filter(|(_, ack)| ack.ecn_echo).map(|(_, ack)| ack.number).collect();
        assert_eq!((echoed[0], *echoed.last().expect("echoed")), (61, cwr[0]));
    }
}

#[test]
fn marks_in_every_round_reduce_the_window_once_per_round() {
    let options = TransportOptions { ecn: true, ..options(Sack) };
    let script = |packet: &Packet, _: usize| match packet.body {
        Body::Data { .. } if packet.number > 60 => Fate::Mark,
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(options, Halving::fixed(64.0), None, script);
    wire.run(at(400));
    let times: Vec<_> = wire.reductions().into_iter().map(|(when, _)| when).collect();
    assert!(times.len() >= 4);
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= DELAY * 2, "{times:?}");
    }
}

/// An algorithm that counts marks.
#[derive(Clone, Debug)]
struct Counting(Halving, u64);

impl CongestionControl for Counting {
    fn limits(&self) -> Limits {
        self.0.limits()
    }
    fn window(&self) -> Option<f64> {
        self.0.window()
    }
    fn ssthresh(&self) -> Option<f64> {
        None
    }
    fn on_ack(&mut self, ack: &narrows_cc::Ack<'_>, _path: &Path) {
        self.1 += ack.ce_packets;
    }
    fn on_loss(&mut self, loss: &Loss<'_>, _path: &Path) {
        assert_ne!(loss.cause, Cause::Mark);
    }
    fn ecn(&self) -> EcnUse {
        EcnUse::Counted
    }
    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("marks", self.1 as f64);
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

#[test]
fn an_algorithm_that_counts_marks_gets_every_mark_and_no_episode() {
    let options = TransportOptions { ecn: true, delayed_ack: 2, ..options(Sack) };
    let script = |packet: &Packet, _: usize| match packet.body {
        Body::Data { .. } if packet.number.is_multiple_of(3) => Fate::Mark,
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(options, Counting(Halving::fixed(40.0), 0), Some(300), script);
    assert!(wire.complete(MINUTE));
    let mut counted = 0.0;
    wire.sender.algorithm().expect("it is simulated").observe(&mut |_, marks| counted = marks);
    assert!((counted - 100.0).abs() < f64::EPSILON, "{counted}");
    assert_eq!(wire.sender.counters().reductions, 0);
}

/// An algorithm with a constant rate and no window.
#[derive(Clone, Debug)]
struct Steady(Rate);

impl CongestionControl for Steady {
    fn limits(&self) -> Limits {
        Limits::new(None, Some(self.0), Bytes::ZERO)
    }
    fn window(&self) -> Option<f64> {
        None
    }
    fn ssthresh(&self) -> Option<f64> {
        None
    }
    fn on_ack(&mut self, ack: &narrows_cc::Ack<'_>, path: &Path) {
        let sample = ack.rate.expect("asked for");
        // After the first flight the delivery rate equals the sending rate.
        if path.round > 2 && !sample.app_limited {
            assert!(sample.rate.as_bps().abs_diff(self.0.as_bps()) < self.0.as_bps() / 20, "{sample:?}");
        }
    }
    fn on_loss(&mut self, _: &Loss<'_>, _: &Path) {}
    fn on_sent(&mut self, packet: &SentPacket, path: &Path) {
        assert_eq!(packet.sent_at, path.now);
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

#[test]
fn a_rate_spaces_packets_evenly_and_equals_the_delivery_rate() {
    let mut wire = Wire::new(options(Rack), Steady(Rate::from_bps(8_000_000)), Some(500), lossless);
    assert!(wire.complete(MINUTE));
    assert_eq!(wire.sender.counters().timeouts, 0);
    for pair in wire.transmissions.windows(2) {
        assert_eq!(pair[1].at - pair[0].at, Span::from_ms(1));
    }
}

/// A controller of media that aims at half of its pacing rate.
#[derive(Clone, Debug)]
struct Aiming(Steady);

impl CongestionControl for Aiming {
    fn limits(&self) -> Limits {
        self.0.limits()
    }
    fn window(&self) -> Option<f64> {
        None
    }
    fn ssthresh(&self) -> Option<f64> {
        None
    }
    fn target(&self) -> Option<Rate> {
        Some(Rate::from_bps(self.0.0.as_bps() / 2))
    }
    fn on_ack(&mut self, ack: &narrows_cc::Ack<'_>, _path: &Path) {
        // All but the way of the acknowledgement.
        assert_eq!(ack.one_way, ack.rtt.map(|rtt| rtt - DELAY));
    }
    fn on_loss(&mut self, _: &Loss<'_>, _: &Path) {}
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

#[test]
fn acknowledgements_give_one_way_delays_and_a_source_may_have_the_target_of_the_algorithm() {
    let options = TransportOptions { delayed_ack: 1, ..options(Rack) };
    let rate = Rate::from_bps(8_000_000);
    let mut wire = Wire::new(options, Aiming(Steady(rate)), Some(100), lossless);
    assert_eq!(wire.sender.permitted_rate(), Some(Rate::from_bps(4_000_000)));
    assert!(wire.complete(MINUTE));
}

#[test]
fn without_a_rate_of_the_algorithm_the_window_is_paced_over_the_round_trip() {
    let options = TransportOptions { pacing: true, ..options(Sack) };
    let mut wire = Wire::new(options, Halving::fixed(20.0), None, lossless);
    wire.run(at(39 + 40));
    let spans: Vec<_> = wire.transmissions.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    // 1.2 windows per round trip of 40 ms: a packet every 40/24 ms.
    for span in spans {
        assert!((span.as_secs_f64() - 0.04 / 24.0).abs() < 1e-6, "{span:?}");
    }
    assert_eq!(wire.transmissions.len(), 20);
}
