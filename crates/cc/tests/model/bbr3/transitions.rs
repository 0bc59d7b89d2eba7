// SPDX-License-Identifier: Apache-2.0
//! Rules: when each transition of the state machine of draft-ietf-ccwg-bbr-06 happens.

use super::flow::Flow;
use super::state::{CRUISE, DOWN, DRAIN, PROBE_RTT, REFILL, STARTUP, UP};
use crate::at;
use std::collections::BTreeSet;

/// No round-trip time is smaller than the handshake's, so ProbeRTT is due 5 s after it.
const PROBE_RTT_DUE_MS: u64 = 5_040;

/// A flow that has just entered `state`, before ProbeRTT is due for the first time.
fn flow_in(state: u8) -> Flow {
    let mut flow = Flow::starting();
    // More than the path holds, so that a flow stays in Drain.
    flow.in_flight = if state == DRAIN { 500 } else { 90 };
    if state == DOWN {
        // The losses of a probe end it.
        flow.until(UP);
        flow.in_flight = 150;
        flow.lose(4, true);
    }
    flow.until(state);
    flow
}

/// A flow whose Startup ended by losses, and which is now in `state`.
fn flow_whose_startup_ended_by_losses_in(state: u8) -> Flow {
    let mut flow = Flow::starting();
    flow.in_flight = if state == DRAIN { 500 } else { 60 };
    (0..2).for_each(|_| flow.round());
    assert_eq!(flow.state(), STARTUP);
    flow.round_with_losses(20);
    if state == DOWN {
        flow.in_flight = 500;
        (0..4).for_each(|_| flow.round());
    }
    flow.until(state);
    flow
}

/// A flow without losses: its cycle, and ProbeRTT.
fn flow_without_losses() -> Flow {
    let mut flow = flow_in(DRAIN);
    flow.in_flight = 110;
    for state in [DOWN, CRUISE, REFILL, UP, DOWN] {
        if state == CRUISE {
            flow.in_flight = 90;
        }
        flow.until(state);
    }
    flow.until(PROBE_RTT);
    flow.in_flight = 10;
    flow.until(CRUISE);
    flow
}

/// A flow in which ProbeRTT is due in `state`.
fn probe_rtt_in(state: u8) -> Flow {
    let down_or_cruise = state == DOWN || state == CRUISE;
    let mut flow = flow_in(if down_or_cruise { UP } else { state });
    if down_or_cruise {
        // The wait until the next probe is shorter than the time left until ProbeRTT is due.
        flow.now = at(PROBE_RTT_DUE_MS - 100);
        flow.in_flight = 150;
        flow.lose(4, true);
        if state == CRUISE {
            flow.in_flight = 60;
        }
        flow.until(state);
    }
    assert!(flow.now < at(PROBE_RTT_DUE_MS));
    flow.now = at(PROBE_RTT_DUE_MS);
    flow.ack_within_the_round();
    assert_eq!(flow.state(), state, "it is not due before 5 s are over");
    flow.now = at(PROBE_RTT_DUE_MS + 1);
    flow.ack_within_the_round();
    assert_eq!(flow.state(), PROBE_RTT);
    flow
}

/// A flow whose Startup ended by losses that turn out to be spurious in `state`.
fn startup_undone_in(state: u8) -> Flow {
    let mut flow = flow_whose_startup_ended_by_losses_in(state);
    flow.spurious_loss();
    flow
}

#[test]
fn startup_is_followed_by_drain_and_drain_by_the_cycle() {
    let flow = flow_without_losses();
    assert_eq!(
        flow.transitions,
        [
            (STARTUP, DRAIN),
            (DRAIN, DOWN),
            (DOWN, CRUISE),
            (CRUISE, REFILL),
            (REFILL, UP),
            (UP, DOWN),
            (DOWN, CRUISE),
            (CRUISE, PROBE_RTT),
            // Through Down, which is left at once.
            (PROBE_RTT, CRUISE),
        ]
    );
}

#[test]
fn probe_rtt_may_interrupt_every_state() {
    for state in [STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP] {
        probe_rtt_in(state);
    }
}

#[test]
fn startup_continues_after_probe_rtt() {
    let mut flow = probe_rtt_in(STARTUP);
    flow.in_flight = 2;
    (0..10).for_each(|_| flow.round());
    assert_eq!(flow.transitions.last(), Some(&(PROBE_RTT, STARTUP)));
}

#[test]
fn startup_resumes_from_every_state_if_the_losses_that_ended_it_were_spurious() {
    for state in [DRAIN, DOWN, CRUISE, REFILL, UP] {
        let flow = startup_undone_in(state);
        assert_eq!(flow.transitions.last(), Some(&(state, STARTUP)));
    }
}

#[test]
fn in_probe_rtt_the_end_of_startup_is_undone_when_probe_rtt_is_over() {
    let mut flow = flow_whose_startup_ended_by_losses_in(CRUISE);
    flow.until(PROBE_RTT);
    flow.spurious_loss();
    assert_eq!(flow.state(), PROBE_RTT);
    flow.in_flight = 10;
    (0..10).for_each(|_| flow.round());
    assert_eq!(flow.transitions.last(), Some(&(PROBE_RTT, STARTUP)));
}

#[test]
fn a_probe_that_ended_by_spurious_losses_starts_again_with_refill() {
    let mut flow = flow_in(DOWN);
    flow.spurious_loss();
    assert_eq!(flow.transitions.last(), Some(&(DOWN, REFILL)));
}

#[test]
fn a_refill_starts_again_if_the_losses_that_ended_the_probe_before_it_were_spurious() {
    let mut flow = flow_in(DOWN);
    // Few enough for ProbeRTT, which comes first.
    flow.in_flight = 40;
    flow.until(REFILL);
    flow.ack_within_the_round();
    flow.spurious_loss();
    assert_eq!(flow.state(), REFILL);
    // The acknowledgement of a packet that left before ends no round of the new Refill.
    flow.ack_within_the_round();
    assert_eq!(flow.state(), REFILL);
    flow.round();
    assert_eq!(flow.state(), UP);
}

/// Every transition between two states, except that from Refill to Refill, has been seen here.
#[test]
fn every_transition_happens() {
    let flows = [flow_without_losses(), flow_in(DOWN)]
        .into_iter()
        .chain([STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP].map(probe_rtt_in))
        .chain([DRAIN, DOWN, CRUISE, REFILL, UP].map(startup_undone_in))
        .chain([flow_in(DOWN)].map(|mut flow| {
            flow.spurious_loss();
            flow
        }))
        .chain([probe_rtt_in(STARTUP)].map(|mut flow| {
            flow.in_flight = 2;
            (0..10).for_each(|_| flow.round());
            flow
        }));
    let seen: BTreeSet<_> = flows.flat_map(|flow| flow.transitions).collect();
    let expected = [
        (STARTUP, &[DRAIN, PROBE_RTT][..]),
        (DRAIN, &[STARTUP, DOWN, PROBE_RTT]),
        (DOWN, &[STARTUP, CRUISE, REFILL, PROBE_RTT]),
        (CRUISE, &[STARTUP, REFILL, PROBE_RTT]),
        (REFILL, &[STARTUP, UP, PROBE_RTT]),
        (UP, &[STARTUP, DOWN, PROBE_RTT]),
        (PROBE_RTT, &[STARTUP, CRUISE]),
    ];
    for (from, next) in expected {
        for &to in next {
            assert!(seen.contains(&(from, to)), "{from} to {to}");
        }
    }
}
