// SPDX-License-Identifier: Apache-2.0
//! Rules: acknowledgements return the routers' responses to requests to the algorithm.

use narrows_cc::{Algorithm, QuickStartRequest, Transport};
use narrows_transport::{Host, ReceivingEndpoint, SendingEndpoint, TransportOptions};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Ecn, Feedback, FlowId, Packet, Request};
use std::sync::Arc;

/// Stores the packets sent.
#[derive(Default)]
struct Line(Vec<Packet>);

impl Host for Line {
    fn send(&mut self, packet: Packet) {
        self.0.push(packet);
    }
}

fn options(delayed_ack: u32) -> Arc<TransportOptions> {
    Arc::new(TransportOptions {
        initial_window: 4,
        mss: Bytes::new(1000),
        header: Bytes::ZERO,
        delayed_ack,
        ..TransportOptions::default()
    })
}

const FLOW: FlowId = FlowId::new(0, 0);

fn packet(number: u64, body: Body) -> Packet {
    Packet {
        arrival: Time::ZERO,
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

/// The feedback for packets with the given requests, numbered in order.
fn feedback_on(requests: &[Request], delayed_ack: u32) -> Vec<Feedback> {
    let mut receiver = ReceivingEndpoint::new(FLOW, options(delayed_ack), None, Transport::Reliable);
    let mut line = Line::default();
    for (number, request) in requests.iter().enumerate() {
        let body = Body::Data { request: Some(*request), payload: 1000, retransmission: false, timestamp: 0 };
        receiver.on_packet(&packet(number as u64, body), Time::ZERO, &mut line);
    }
    let responses = line.0.iter().filter_map(|packet| match packet.body {
        Body::AckWithFeedback { feedback, .. } => Some(feedback),
        _ => None,
    });
    responses.collect()
}

/// draft-falk-xcp-spec-03: the receiver adds up the feedback of the packets between two acknowledgements.
#[test]
fn changes_of_throughput_add_up_in_a_delayed_acknowledgement() {
    let changes = [100.0, -30.0, 8.0, 8.0].map(|delta| Request::Xcp { rtt: 0.1, spacing: 0.01, delta });
    assert_eq!(feedback_on(&changes, 2), [Feedback::Delta(70.0), Feedback::Delta(16.0)]);
    assert_eq!(feedback_on(&changes, 4), [Feedback::Delta(86.0)]);
}

#[test]
fn the_last_rate_is_returned() {
    let rates = [5e6, 4e6].map(|rate| Request::Rate { rate, rtt: 0.1 });
    assert_eq!(feedback_on(&rates, 2), [Feedback::Rate(4e6)]);
}

/// The feedback of the SYN-ACKs of a receiver for the given requests in SYNs.
fn accepted(requests: &[Option<Request>]) -> Vec<Option<Feedback>> {
    let mut receiver = ReceivingEndpoint::new(FLOW, options(2), None, Transport::Reliable);
    let mut line = Line::default();
    for request in requests {
        receiver.on_packet(&packet(0, Body::syn(*request)), Time::ZERO, &mut line);
    }
    let responses = line.0.iter().filter_map(|packet| match packet.body {
        Body::SynAck { feedback } => Some(feedback),
        _ => None,
    });
    responses.collect()
}

/// RFC 4782 §4.3: a request is not approved if a router on the path did not process it.
#[test]
fn a_quick_start_request_that_a_router_did_not_process_is_rejected() {
    let after = |passed: &[bool]| {
        let mut syn = packet(0, Body::syn(Some(Request::QuickStart { rate: 5e6, ttl_difference: 0 })));
        for processed in passed {
            syn.pass_router();
            if *processed && let Some(Request::QuickStart { ttl_difference, .. }) = syn.request_mut() {
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
fn a_syn_ack_returns_the_response_to_its_own_syn_only() {
    let request = Some(Request::Rate { rate: 5e6, rtt: 0.0 });
    assert_eq!(accepted(&[request, None]), [Some(Feedback::Rate(5e6)), None]);
    let mut receiver = ReceivingEndpoint::new(FLOW, options(2), None, Transport::Reliable);
    let mut line = Line::default();
    receiver.on_packet(&packet(0, Body::syn(request)), Time::ZERO, &mut line);
    receiver.on_wake(Time::ZERO + Span::from_ms(1000), &mut line);
    assert!(matches!(line.0[1].body, Body::SynAck { feedback: None }), "{:?}", line.0);
}

/// A flow that has sent a SYN with a Quick-Start request for 8 Mbps: 100 packets of 1000 bytes in a round trip of 100
/// ms.
fn requesting() -> (SendingEndpoint, Line) {
    let quick_start = QuickStartRequest::new(RATE, true);
    let options = TransportOptions { quick_start: Some(quick_start), ..options(2).as_ref().clone() };
    let algorithm = Algorithm::parse("newreno").expect("the catalogue has it");
    let built = algorithm.build(&options.setup(1));
    let mut sender = SendingEndpoint::new(FLOW, Arc::new(options), None, built, algorithm.needs());
    let mut line = Line::default();
    sender.open(Time::ZERO, &mut line);
    (sender, line)
}

const RATE: Rate = Rate::from_bps(8_000_000);

#[test]
fn data_is_sent_at_the_rate_approved_for_the_syn() {
    let (mut sender, mut line) = requesting();
    let expected = Request::QuickStart { rate: 8e6, ttl_difference: 0 };
    assert!(matches!(line.0[0].body, Body::Syn { request: Some(request), .. } if request == expected));
    let accepted = packet(0, Body::SynAck { feedback: Some(Feedback::Rate(8e6)) });
    sender.on_packet(&accepted, Time::ZERO + Span::from_ms(100), &mut line);
    assert!((sender.window().expect("NewReno has one") - 100.0).abs() < 1e-9);
    assert_eq!(sender.ssthresh(), sender.window());
    assert_eq!(sender.snapshot().pacing_rate, Some(RATE));
    assert!(matches!(line.0[2].body, Body::Data { request: None, .. }), "data carries no request");
}

/// After a retransmitted SYN there is no round-trip sample (Karn), without which a rate is no window.
#[test]
fn a_quick_start_request_is_sent_once() {
    let (mut sender, mut line) = requesting();
    sender.on_wake(Time::ZERO + Span::from_ms(1000), &mut line);
    assert!(matches!(line.0[1].body, Body::Syn { request: None, .. }), "{:?}", line.0);
    let late = packet(0, Body::SynAck { feedback: Some(Feedback::Rate(8e6)) });
    sender.on_packet(&late, Time::ZERO + Span::from_ms(1100), &mut line);
    assert_eq!((sender.window(), sender.snapshot().pacing_rate), (Some(4.0), None));
}

/// An XCP connection with a round-trip time of 100 ms whose router grants 10,000 bytes per second in each packet: for
/// each, one more packet of 1000 bytes may be in flight.
#[test]
fn the_feedback_of_each_packet_reaches_the_algorithm() {
    let algorithm = Algorithm::parse("xcp").expect("the catalogue has it");
    let options = options(2);
    let built = algorithm.build(&options.setup(1));
    let mut sender = SendingEndpoint::new(FLOW, Arc::clone(&options), None, built, algorithm.needs());
    let mut receiver = ReceivingEndpoint::new(FLOW, options, None, Transport::Reliable);
    let (mut out, mut back) = (Line::default(), Line::default());
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    sender.open(at(0), &mut out);
    for trip in 0..2 {
        for mut packet in out.0.drain(..) {
            if let Body::Data { request: Some(Request::Xcp { delta, .. }), .. } = &mut packet.body {
                assert!(*delta > 1e9, "an unlimited request");
                *delta = 10_000.0;
            }
            receiver.on_packet(&packet, at(100 * trip + 50), &mut back);
        }
        for packet in back.0.drain(..) {
            sender.on_packet(&packet, at(100 * trip + 100), &mut out);
        }
    }
    assert!((sender.window().expect("XCP has one") - 8.0).abs() < 1e-4);
    assert_eq!(sender.snapshot().in_flight, Some(8));
}
