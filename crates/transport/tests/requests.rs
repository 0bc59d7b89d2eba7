//! Truth: rule. What routers wrote into requests comes back in acknowledgements, and an algorithm hears it.

use narrows_cc::catalogue::{Algorithm, FirstCut, SlowStartKind};
use narrows_transport::{Host, Receiver, RecoveryKind, RtoRule, Sender, TransportOptions, UndoKind};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Ecn, Feedback, FlowId, Packet, Request};
use std::sync::Arc;

/// Keeps what was sent.
#[derive(Default)]
struct Line(Vec<Packet>);

impl Host for Line {
    fn send(&mut self, packet: Packet) {
        self.0.push(packet);
    }
}

fn options(delayed_ack: u32) -> Arc<TransportOptions> {
    Arc::new(TransportOptions {
        recovery: RecoveryKind::Sack,
        proportional_rate_reduction: false,
        limited_transmit: true,
        initial_window: 4,
        initial_ssthresh: None,
        slow_start: SlowStartKind::Standard,
        quick_start: None,
        first_cut: FirstCut::Rule,
        receive_window: None,
        undo: UndoKind::Duplicates,
        idle_restart: true,
        pacing: false,
        ecn: false,
        mss: Bytes::new(1000),
        header: Bytes::ZERO,
        ack: Bytes::new(40),
        delayed_ack,
        delayed_ack_timeout: Span::from_ms(40),
        quick_ack: false,
        rto: RtoRule::Rfc6298,
        initial_rto: Span::from_ms(1000),
        min_rto: Span::from_ms(200),
        max_rto: Span::from_ms(60_000),
        syn_retries: 6,
        retries: 15,
    })
}

/// The answers to packets with these requests, each numbered by its place.
fn echoed(requests: &[Request], delayed_ack: u32) -> Vec<Feedback> {
    let mut receiver = Receiver::new(FlowId::new(0, 0), options(delayed_ack), None);
    let mut line = Line::default();
    for (number, request) in requests.iter().enumerate() {
        let packet = Packet {
            stamp: Time::ZERO,
            sent_at: Time::ZERO,
            number: number as u64,
            flow: FlowId::new(0, 0),
            size: 1000,
            next: 0,
            ecn: Ecn::NotCapable,
            ecn_echo: false,
            body: Body::Data { request: Some(*request), payload: 1000, retransmission: false, timestamp: 0 },
        };
        receiver.on_packet(&packet, Time::ZERO, &mut line);
    }
    let answers = line.0.iter().filter_map(|packet| match packet.body {
        Body::Answer { feedback, .. } => Some(feedback),
        _ => None,
    });
    answers.collect()
}

/// draft-falk-xcp-spec-03: the receiver adds up what packets bring between two acknowledgements.
#[test]
fn changes_of_throughput_add_up_over_a_delayed_acknowledgement() {
    let changes = [100.0, -30.0, 8.0, 8.0].map(|delta| Request::Xcp { rtt: 0.1, spacing: 0.01, delta });
    assert_eq!(echoed(&changes, 2), [Feedback::Delta(70.0), Feedback::Delta(16.0)]);
    assert_eq!(echoed(&changes, 4), [Feedback::Delta(86.0)]);
}

#[test]
fn of_rates_the_newest_counts() {
    let rates = [5e6, 4e6].map(|rate| Request::Rate { rate, rtt: 0.1 });
    assert_eq!(echoed(&rates, 2), [Feedback::Rate(4e6)]);
}

/// RFC 4782: a request that routers did not see is not approved.
#[test]
fn a_start_up_rate_that_no_router_saw_is_refused() {
    let seen = |hops| [Request::QuickStart { rate: 5e6, hops }];
    assert_eq!(echoed(&seen(0), 1), [Feedback::Rate(0.0)]);
    assert_eq!(echoed(&seen(1), 1), [Feedback::Rate(5e6)]);
}

/// An open XCP connection over a line of 100 ms whose router gives 10,000 bytes per second to each packet, one packet of
/// 1000 bytes more in flight for each.
#[test]
fn an_algorithm_hears_what_its_packets_were_given() {
    let algorithm = Algorithm::parse("xcp").expect("it is in the catalogue");
    let options = options(2);
    let built = algorithm.build(&options.setup(1));
    let mut sender = Sender::new(FlowId::new(0, 0), Arc::clone(&options), None, built, algorithm.entry.needs);
    let mut receiver = Receiver::new(FlowId::new(0, 0), options, None);
    let (mut out, mut back) = (Line::default(), Line::default());
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    sender.open(at(0), &mut out);
    for trip in 0..2 {
        for mut packet in out.0.drain(..) {
            if let Body::Data { request: Some(Request::Xcp { delta, .. }), .. } = &mut packet.body {
                assert!(*delta > 1e9, "an unlimited wish");
                *delta = 10_000.0;
            }
            receiver.on_packet(&packet, at(100 * trip + 50), &mut back);
        }
        for packet in back.0.drain(..) {
            sender.on_packet(&packet, at(100 * trip + 100), &mut out);
        }
    }
    assert!((sender.window().expect("XCP has one") - 8.0).abs() < 1e-4);
    assert_eq!(sender.in_flight(), 8);
}
