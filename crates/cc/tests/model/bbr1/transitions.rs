// SPDX-License-Identifier: Apache-2.0
//! Rules: when each transition of the state machine of Linux's `tcp_bbr.c` happens.

use super::flow::{Acked, Flow, Mode, RTT};
use crate::at;
use narrows_units::Span;

/// ProbeRTT is due when the smallest round-trip time, measured in the handshake, is 10 s old.
const PROBE_RTT_DUE_MS: u64 = 10_040;

/// A flow that has just entered `mode`.
fn flow_in(mode: Mode) -> Flow {
    let mut flow = Flow::new("bbr1");
    flow.sent(1, false);
    // More than the path holds, so that a flow stays in Drain.
    flow.in_flight = if mode == Mode::Drain { 100 } else { 20 };
    let larger = Acked { rtt: RTT + Span::from_us(1), ..Acked::default() };
    while flow.mode() != mode {
        flow.round(larger);
    }
    flow
}

/// A flow in which ProbeRTT is due in `mode`.
fn probe_rtt_in(mode: Mode) -> Flow {
    let mut flow = flow_in(mode);
    let within_the_round =
        Acked { rtt: RTT + Span::from_us(1), prior_delivered: Some(0), ..Acked::default() };
    flow.now = at(PROBE_RTT_DUE_MS);
    flow.acked(within_the_round);
    assert_eq!(flow.mode(), mode, "it is not due before 10 s are over");
    flow.now = at(PROBE_RTT_DUE_MS + 1);
    flow.acked(within_the_round);
    assert_eq!(flow.mode(), Mode::ProbeRtt);
    flow
}

/// The mode in which a flow is once ProbeRTT is over.
fn mode_after_probe_rtt(mut flow: Flow) -> Mode {
    flow.in_flight = 2;
    while flow.mode() == Mode::ProbeRtt {
        flow.round(Acked::default());
    }
    flow.mode()
}

#[test]
fn drain_follows_startup_and_probe_bw_follows_drain() {
    let mut flow = flow_in(Mode::Drain);
    flow.in_flight = 20;
    flow.round(Acked::default());
    assert_eq!(flow.mode(), Mode::ProbeBw);
}

#[test]
fn probe_rtt_may_interrupt_every_mode_and_startup_continues_after_it() {
    assert_eq!(mode_after_probe_rtt(probe_rtt_in(Mode::Startup)), Mode::Startup);
    for mode in [Mode::Drain, Mode::ProbeBw] {
        assert_eq!(mode_after_probe_rtt(probe_rtt_in(mode)), Mode::ProbeBw, "{mode:?}");
    }
}

/// ProbeBW is entered from ProbeBW, in a phase drawn at random.
#[test]
fn the_flow_probes_again_when_a_policed_rate_expires() {
    let mut flow = Flow::policed("bbr1", 20);
    for _ in 0..48 {
        assert_eq!(flow.mode(), Mode::ProbeBw);
        assert!((flow.inner("pacing_gain") - 1.0).abs() < 1e-9);
        flow.round(Acked { packets: 20, ..Acked::default() });
    }
    // Two rounds for each of the eight phases.
    let probes = (0..16).any(|_| {
        flow.round(Acked { packets: 20, ..Acked::default() });
        flow.inner("pacing_gain") > 1.2
    });
    assert!(probes);
}
