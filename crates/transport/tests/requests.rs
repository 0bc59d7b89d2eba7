//! Truth: rule. What routers wrote into requests comes back in acknowledgements, and an algorithm hears it.

use narrows_cc::catalogue::{Algorithm, FirstCut, SlowStartKind};
use narrows_cc::explicit::quick_start::StartUp;
use narrows_transport::{Host, Receiver, RecoveryKind, RtoRule, Sender, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span, Time};
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

const FLOW: FlowId = FlowId::new(0, 0);

fn packet(number: u64, body: Body) -> Packet {
    Packet {
        stamp: Time::ZERO,
        sent_at: Time::ZERO,
        number,
        flow: FLOW,
        size: 1000,
        next: 0,
        ecn: Ecn::NotCapable,
        ecn_echo: false,
        body,
    }
}

/// The answers to packets with these requests, each numbered by its place.
fn echoed(requests: &[Request], delayed_ack: u32) -> Vec<Feedback> {
    let mut receiver = Receiver::new(FLOW, options(delayed_ack), None);
    let mut line = Line::default();
    for (number, request) in requests.iter().enumerate() {
        let body = Body::Data { request: Some(*request), payload: 1000, retransmission: false, timestamp: 0 };
        receiver.on_packet(&packet(number as u64, body), Time::ZERO, &mut line);
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

/// The answers of a receiver to these SYNs, one after the other.
fn accepted(requests: &[Option<Request>]) -> Vec<Option<Feedback>> {
    let mut receiver = Receiver::new(FLOW, options(2), None);
    let mut line = Line::default();
    for request in requests {
        receiver.on_packet(&packet(0, Body::Syn { request: *request }), Time::ZERO, &mut line);
    }
    let answers = line.0.iter().filter_map(|packet| match packet.body {
        Body::SynAck { feedback } => Some(feedback),
        _ => None,
    });
    answers.collect()
}

/// RFC 4782 §4.3: a request is not approved if a router on the path did not take part.
#[test]
fn a_start_up_rate_that_not_every_router_saw_is_refused() {
    let after = |passed: &[bool]| {
        let mut syn =
            packet(0, Body::Syn { request: Some(Request::QuickStart { rate: 5e6, ttl_difference: 0 }) });
        for takes_part in passed {
            syn.pass_router();
            if *takes_part && let Some(Request::QuickStart { ttl_difference, .. }) = syn.request_mut() {
                *ttl_difference = ttl_difference.wrapping_sub(1);
            }
        }
        accepted(&[syn.request_mut().copied()])
    };
    assert_eq!(after(&[true, true]), [Some(Feedback::Rate(5e6))]);
    assert_eq!(after(&[true, false]), [Some(Feedback::Rate(0.0))]);
    assert_eq!(after(&[false]), [Some(Feedback::Rate(0.0))]);
}

#[test]
fn a_syn_ack_answers_the_syn_that_it_accepts_and_no_other() {
    let asked = Some(Request::Rate { rate: 5e6, rtt: 0.0 });
    assert_eq!(accepted(&[asked, None]), [Some(Feedback::Rate(5e6)), None]);
    let mut receiver = Receiver::new(FLOW, options(2), None);
    let mut line = Line::default();
    receiver.on_packet(&packet(0, Body::Syn { request: asked }), Time::ZERO, &mut line);
    receiver.on_wake(Time::ZERO + Span::from_ms(1000), &mut line);
    assert!(matches!(line.0[1].body, Body::SynAck { feedback: None }), "{:?}", line.0);
}

/// A flow that asks for 8 Mbps, 100 packets of 1000 bytes over a round trip of 100 ms; its SYN has left.
fn asking() -> (Sender, Line) {
    let ask = StartUp { rate: RATE, ends_slow_start: true };
    let options = TransportOptions { quick_start: Some(ask), ..options(2).as_ref().clone() };
    let algorithm = Algorithm::parse("newreno").expect("it is in the catalogue");
    let built = algorithm.build(&options.setup(1));
    let mut sender = Sender::new(FLOW, Arc::new(options), None, built, algorithm.entry.needs);
    let mut line = Line::default();
    sender.open(Time::ZERO, &mut line);
    (sender, line)
}

const RATE: Rate = Rate::from_bps(8_000_000);

#[test]
fn data_leaves_at_the_rate_that_the_syn_was_allowed() {
    let (mut sender, mut line) = asking();
    let asked = Request::QuickStart { rate: 8e6, ttl_difference: 0 };
    assert!(matches!(line.0[0].body, Body::Syn { request: Some(request) } if request == asked));
    let accepted = packet(0, Body::SynAck { feedback: Some(Feedback::Rate(8e6)) });
    sender.on_packet(&accepted, Time::ZERO + Span::from_ms(100), &mut line);
    assert!((sender.window().expect("NewReno has one") - 100.0).abs() < 1e-9);
    assert_eq!(sender.ssthresh(), sender.window());
    assert_eq!(sender.pacing_rate(), Some(RATE));
    assert!(matches!(line.0[2].body, Body::Data { request: None, .. }), "data asks for nothing more");
}

/// What comes back of a SYN that was sent again has measured no round trip (Karn), without which a rate is no window.
#[test]
fn a_start_up_rate_is_asked_for_once() {
    let (mut sender, mut line) = asking();
    sender.on_wake(Time::ZERO + Span::from_ms(1000), &mut line);
    assert!(matches!(line.0[1].body, Body::Syn { request: None }), "{:?}", line.0);
    let late = packet(0, Body::SynAck { feedback: Some(Feedback::Rate(8e6)) });
    sender.on_packet(&late, Time::ZERO + Span::from_ms(1100), &mut line);
    assert_eq!((sender.window(), sender.pacing_rate()), (Some(4.0), None));
}

/// An open XCP connection over a line of 100 ms whose router gives 10,000 bytes per second to each packet, one packet of
/// 1000 bytes more in flight for each.
#[test]
fn an_algorithm_hears_what_its_packets_were_given() {
    let algorithm = Algorithm::parse("xcp").expect("it is in the catalogue");
    let options = options(2);
    let built = algorithm.build(&options.setup(1));
    let mut sender = Sender::new(FLOW, Arc::clone(&options), None, built, algorithm.entry.needs);
    let mut receiver = Receiver::new(FLOW, options, None);
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
