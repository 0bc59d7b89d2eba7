// SPDX-License-Identifier: Apache-2.0
//! Rules: a connection that another stack carries.

use narrows_cc::Cause;
use narrows_transport::{
    ConnectionState, Host, Rule, SendingEndpoint, StackPart, StackRequest, StackSender, StackState,
    TransportEvent, rtt_view,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{FlowId, Packet};

#[derive(Default)]
struct Events(Vec<TransportEvent>, Vec<StackRequest>);

impl Host for Events {
    fn send(&mut self, _: Packet) {}
    fn request(&mut self, request: StackRequest) {
        self.1.push(request);
    }
    fn notify(&mut self, event: TransportEvent) {
        self.0.push(event);
    }
}

const OPEN: StackState = StackState {
    established: true,
    aborted: false,
    closed: false,
    window: 100.0,
    ssthresh: Some(80.0),
    in_flight: 100,
    rtt: None,
    pacing_rate: None,
    bytes_acked: 0,
    delivered: 0,
    lost: 0,
    timeouts: 0,
    reductions: 0,
    before_reduction: 0.0,
    reducing: None,
    lacks_ecn: false,
    window_limited: true,
};

fn endpoint() -> SendingEndpoint {
    SendingEndpoint::of_stack(FlowId::new(0, 0), None, Bytes::new(1460))
}

fn stack(sender: &mut SendingEndpoint) -> &mut StackSender {
    sender.stack_mut().expect("a stack carries it")
}

#[test]
fn a_reduction_is_undone_when_window_and_threshold_are_back() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    stack(&mut sender).update(OPEN, Time::ZERO, &mut host);
    let reduced = StackState {
        window: 50.0,
        ssthresh: Some(50.0),
        reductions: 1,
        before_reduction: 100.0,
        reducing: Some(Cause::Detected),
        ..OPEN
    };
    stack(&mut sender).update(reduced, Time::ZERO, &mut host);
    host.0.clear();
    let after = StackState { reducing: None, ..reduced };
    for state in [after, StackState { ssthresh: Some(80.0), ..after }, after] {
        stack(&mut sender).update(state, Time::ZERO, &mut host);
    }
    assert_eq!(host.0, [], "the window is not what it was");
    let undone = StackState { window: 101.0, ssthresh: Some(80.0), ..after };
    stack(&mut sender).update(undone, Time::ZERO, &mut host);
    stack(&mut sender).update(undone, Time::ZERO, &mut host);
    assert_eq!(host.0, [TransportEvent::Undone(Rule::Stack)]);
}

#[test]
fn timeouts_of_the_syn_are_neither_timeouts_nor_reductions_of_the_window() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    sender.open(Time::ZERO, &mut host);
    let connecting = StackState { established: false, timeouts: 1, ..OPEN };
    stack(&mut sender).update(connecting, Time::ZERO, &mut host);
    let opened = StackState { timeouts: 2, reductions: 2, ..OPEN };
    stack(&mut sender).update(opened, Time::ZERO, &mut host);
    assert_eq!(host.0, [TransportEvent::Established]);
    stack(&mut sender).update(StackState { timeouts: 3, ..opened }, Time::ZERO, &mut host);
    assert_eq!(sender.counters().timeouts, 1);
}

#[test]
fn a_reduction_is_reported_once_and_its_steps_are_part_of_it() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    stack(&mut sender).update(OPEN, Time::ZERO, &mut host);
    assert!(!sender.lowers_window_in_steps(), "a smaller window would be a reduction");
    host.0.clear();
    let recovery = StackState {
        ssthresh: Some(50.0),
        reductions: 1,
        before_reduction: 100.0,
        reducing: Some(Cause::Detected),
        ..OPEN
    };
    for window in [99.0, 98.0, 50.0] {
        stack(&mut sender).update(StackState { window, ..recovery }, Time::ZERO, &mut host);
        assert!(sender.lowers_window_in_steps());
    }
    let reduction = TransportEvent::Reduction {
        cause: Cause::Detected,
        rule: Rule::Stack,
        window_before: 100.0,
        window_after: 50.0,
        ssthresh_before: Some(80.0),
    };
    assert_eq!(host.0, [reduction]);
    // The end of recovery sets the window to the threshold.
    let after = StackState { window: 49.0, reducing: None, ..recovery };
    stack(&mut sender).update(after, Time::ZERO, &mut host);
    assert!(sender.lowers_window_in_steps());
    stack(&mut sender).update(after, Time::ZERO, &mut host);
    assert!(!sender.lowers_window_in_steps());
    assert_eq!(host.0.len(), 1);
}

#[test]
fn a_recovery_that_begins_as_another_ends_counts_and_so_does_one_that_was_undone_at_once() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    let recovery = |reductions, before_reduction, reducing| StackState {
        ssthresh: Some(50.0),
        reductions,
        before_reduction,
        reducing,
        ..OPEN
    };
    let detected = Some(Cause::Detected);
    for state in [OPEN, recovery(1, 100.0, detected), recovery(2, 60.0, detected), recovery(3, 70.0, None)] {
        stack(&mut sender).update(state, Time::ZERO, &mut host);
    }
    let spurious = StackState { timeouts: 1, ..recovery(4, 80.0, None) };
    stack(&mut sender).update(spurious, Time::ZERO, &mut host);
    let reduction = |event: &TransportEvent| match event {
        TransportEvent::Reduction { cause, window_before, .. } => Some((*cause, *window_before)),
        _ => None,
    };
    let found: Vec<_> = host.0.iter().filter_map(reduction).collect();
    let detected = |window| (Cause::Detected, window);
    assert_eq!(found, [detected(100.0), detected(60.0), detected(70.0), (Cause::Timeout, 80.0)]);
    assert_eq!(sender.counters().reductions, 4);
}

#[test]
fn losses_within_a_round_trip_are_one_event_as_those_of_a_simulated_sender_are() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    let rtt = rtt_view(100_000, 100_000, 100_000);
    for (ms, lost) in [(0, 1), (50, 3), (99, 4), (100, 5), (150, 5), (300, 6)] {
        let now = Time::ZERO + Span::from_ms(ms);
        stack(&mut sender).update(StackState { lost, rtt, ..OPEN }, now, &mut host);
    }
    assert_eq!((sender.counters().loss_events, sender.counters().packets_lost), (3, 6));
}

#[test]
fn an_algorithm_with_a_rate_adapts_its_window_without_reductions() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    stack(&mut sender).update(
        StackState { pacing_rate: Some(Rate::from_bps(1)), ..OPEN },
        Time::ZERO,
        &mut host,
    );
    assert!(sender.lowers_window_in_steps());
}

#[test]
fn an_endpoint_asks_its_host_and_executes_no_algorithm() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    let flow = FlowId::new(0, 0);
    sender.wait_for_offers();
    sender.open(Time::ZERO, &mut host);
    sender.open(Time::ZERO, &mut host);
    sender.offer(2, Time::ZERO, &mut host);
    let written = StackRequest::Write(flow, Some(Bytes::new(2920)));
    assert_eq!(host.1, [StackRequest::Open(flow), written]);
    assert!(sender.algorithm().is_none() && sender.failure().is_none() && sender.reliable().is_none());
}

#[test]
fn an_accepting_endpoint_writes_parts_and_ends_when_its_connection_is_closed() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    let flow = FlowId::new(0, 0);
    sender.accept(Time::ZERO, &mut host);
    sender.accept(Time::ZERO, &mut host);
    assert_eq!(sender.state(), ConnectionState::Established);
    let part = StackPart { stream: 3, size: Some(Bytes::new(700)), last: true };
    stack(&mut sender).write(part, &mut host);
    stack(&mut sender).expire(3, Bytes::new(500), &mut host);
    sender.stop(Time::ZERO, &mut host);
    let asked = [
        StackRequest::Accept(flow),
        StackRequest::WritePart(flow, part),
        StackRequest::Expire(flow, 3, Bytes::new(500)),
        StackRequest::Stop(flow),
    ];
    assert_eq!(host.1, asked);
    stack(&mut sender).update(OPEN, Time::ZERO, &mut host);
    assert_eq!(sender.state(), ConnectionState::Established);
    stack(&mut sender).update(StackState { closed: true, ..OPEN }, Time::ZERO, &mut host);
    assert_eq!(sender.state(), ConnectionState::Completed);
    assert_eq!(host.0, [TransportEvent::Established, TransportEvent::Completed]);
}
