//! Rules: a connection that another stack carries.

mod wire;

use narrows_cc::{Cause, Needs};
use narrows_transport::{
    Host, Rule, SendingEndpoint, StackPort, StackState, TransportEvent, TransportOptions,
};
use narrows_units::Rate;
use narrows_wire::{FlowId, Packet};
use std::sync::Arc;
use wire::Halving;

#[derive(Default)]
struct Events(Vec<TransportEvent>);

impl Host for Events {
    fn send(&mut self, _: Packet) {}
    fn notify(&mut self, event: TransportEvent) {
        self.0.push(event);
    }
}

const OPEN: StackState = StackState {
    established: true,
    aborted: false,
    window: 100,
    ssthresh: Some(80),
    in_flight: 100,
    rtt: None,
    pacing_rate: None,
    bytes_acked: 0,
    delivered: 0,
    timeouts: 0,
    reducing: None,
    window_limited: true,
};

fn endpoint() -> SendingEndpoint {
    let options = Arc::new(TransportOptions::default());
    let algorithm = Box::new(Halving::fixed(20.0));
    SendingEndpoint::of_stack(
        FlowId::new(0, 0),
        options,
        None,
        algorithm,
        Needs::RELIABLE,
        StackPort::default(),
    )
}

#[test]
fn a_reduction_is_reported_once_and_its_steps_are_part_of_it() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    sender.update_from_stack(OPEN, &mut host);
    assert!(!sender.lowers_window_in_steps(), "a smaller window would be a reduction");
    host.0.clear();
    let recovery = StackState { ssthresh: Some(50), reducing: Some(Cause::Detected), ..OPEN };
    for window in [99, 98, 50] {
        sender.update_from_stack(StackState { window, ..recovery }, &mut host);
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
    let after = StackState { window: 49, ssthresh: Some(50), ..OPEN };
    sender.update_from_stack(after, &mut host);
    assert!(sender.lowers_window_in_steps());
    sender.update_from_stack(after, &mut host);
    assert!(!sender.lowers_window_in_steps());
    assert_eq!(host.0.len(), 1);
}

#[test]
fn an_algorithm_with_a_rate_adapts_its_window_without_reductions() {
    let (mut sender, mut host) = (endpoint(), Events::default());
    sender.update_from_stack(StackState { pacing_rate: Some(Rate::from_bps(1)), ..OPEN }, &mut host);
    assert!(sender.lowers_window_in_steps());
}

#[test]
fn the_simulated_algorithm_takes_no_part() {
    assert!(endpoint().algorithm().is_none());
}
