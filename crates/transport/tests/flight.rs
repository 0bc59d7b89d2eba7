// SPDX-License-Identifier: Apache-2.0
//! Rules: the quantity to which a reduction applies, the unpaced packets at the start, and the ECN-capable packets.

use crate::wire::{Fate, MSS, Wire, at, lose_once, options};
use narrows_cc::{Algorithm, EcnUse};
use narrows_transport::{EcnPackets, RecoveryKind, ReductionFrom, TransportEvent, TransportOptions};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::{Body, Ecn, Packet};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A sender by `algorithm` with a window of `window` packets in congestion avoidance.
fn sender(
    algorithm: &str,
    options: TransportOptions,
    window: f64,
    size: Option<Bytes>,
    script: impl FnMut(&Packet, usize) -> Fate + 'static,
) -> Wire {
    let algorithm = Algorithm::parse(algorithm).expect("a known algorithm");
    let mut built = algorithm.build(&options.setup(1));
    built.set_window(window, true);
    Wire::needing_boxed(algorithm.needs(), options, built, size, script)
}

/// The application writes `segments` segments at `ms` milliseconds.
fn write_at(wire: &mut Wire, ms: u64, segments: u64) {
    wire.run(at(ms));
    wire.now = at(ms);
    wire.offer(segments);
}

/// The windows before and after each reduction of a sender that writes `each` packets every 100 ms and loses one of them.
fn reductions_of_writes(recovery: RecoveryKind, reduction_from: ReductionFrom, each: u64) -> Vec<(f64, f64)> {
    let options = TransportOptions { reduction_from, ..options(recovery) };
    let mut wire = sender("newreno", options, 100.0, None, lose_once(&[each * 20 + 4]));
    wire.sender.wait_for_offers();
    for turn in 1..30 {
        write_at(&mut wire, 100 * turn, each);
    }
    wire.run(at(4_000));
    let reduction = |(_, event): &(_, TransportEvent)| match event {
        TransportEvent::Reduction { window_before, window_after, .. } => {
            Some((*window_before, *window_after))
        }
        _ => None,
    };
    wire.events.iter().filter_map(reduction).collect()
}

/// RFC 5681 equation 4 and its note: `FlightSize`, not the window.
#[test]
fn a_window_of_which_a_tenth_is_used_is_reduced_to_half_of_that() {
    for recovery in [RecoveryKind::NewReno, RecoveryKind::Sack, RecoveryKind::Rack] {
        let of = |from, each| reductions_of_writes(recovery, from, each);
        assert_eq!(of(ReductionFrom::Flight, 10), [(100.0, 5.0)], "{recovery:?}");
        assert_eq!(of(ReductionFrom::Window, 10), [(100.0, 50.0)], "{recovery:?}");
        // A full window is entirely in use.
        let full = of(ReductionFrom::Flight, 150);
        assert!((full[0].1 / full[0].0 - 0.5).abs() < 0.001, "{recovery:?} {full:?}");
    }
}

/// `tcp_cong_avoid` sets `snd_cwnd_stamp` with each acknowledgement of data, so that `tcp_cwnd_application_limited` finds no timeout
/// without one.
#[test]
fn a_window_that_the_application_does_not_use_is_kept_while_data_is_acknowledged() {
    let mut wire = sender("newreno", TransportOptions::linux(), 100.0, None, |_, _| Fate::Deliver);
    wire.sender.wait_for_offers();
    for turn in 1..60 {
        write_at(&mut wire, 100 * turn, 10);
    }
    assert_eq!(wire.sender.window(), Some(100.0));
    // Only a pause of a timeout lowers it.
    write_at(&mut wire, 8_000, 10);
    assert!(wire.sender.window() < Some(51.0), "{:?}", wire.sender.window());
}

/// `tcp_update_skb_after_send`: the tenth packet is the first with a gap behind it.
#[test]
fn the_first_packets_are_not_paced_where_the_option_says_so() {
    for (unpaced_packets, at_once) in [(0, 2), (10, 10)] {
        let options = TransportOptions {
            pacing: true,
            unpaced_packets,
            initial_window: 20,
            ..options(RecoveryKind::Rack)
        };
        let mut wire = sender("newreno", options, 20.0, Some(MSS * 200), |_, _| Fate::Deliver);
        assert!(wire.complete(Span::from_ms(10_000)));
        let first = wire.transmissions[0].at;
        let burst = wire.transmissions.iter().filter(|sent| sent.at == first).count();
        assert_eq!(burst, at_once, "{unpaced_packets}");
        assert!(wire.transmissions[at_once].at > first + Span::from_us(500), "paced from there on");
    }
}

/// `SO_MAX_PACING_RATE`: the rate is at most the value of the option, whether or not packets are paced otherwise.
#[test]
fn the_cap_of_the_pacing_rate_holds_with_pacing_and_without() {
    for pacing in [false, true] {
        let cap = Rate::from_bps(8_000_000);
        let options = TransportOptions { pacing, pacing_cap: Some(cap), ..options(RecoveryKind::Rack) };
        let mut wire = sender("newreno", options, 100.0, Some(MSS * 1_000), |_, _| Fate::Deliver);
        assert!(wire.complete(Span::from_ms(10_000)));
        let (first, last) = (wire.transmissions[0].at, wire.transmissions[999].at);
        // A packet of 1000 bytes takes a millisecond at the cap, and the window permits 100 of them in 40 ms.
        let took = (last - first).as_secs_f64();
        assert!((0.99..1.01).contains(&took), "{pacing}: {took}");
    }
}

/// The kinds of packets that are sent, each with its codepoint.
fn codepoints(algorithm: &str, ecn_packets: EcnPackets) -> BTreeSet<(&'static str, String)> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = Arc::clone(&seen);
    let script = move |packet: &Packet, count: usize| {
        let kind = match packet.body {
            Body::Syn { .. } => "syn",
            Body::SynAck { .. } => "syn-ack",
            Body::Data { retransmission: false, .. } => "data",
            Body::Data { .. } => "retransmission",
            _ => "ack",
        };
        noted
            .lock()
            .expect("no test panics while it holds the lock")
            .insert((kind, format!("{:?}", packet.ecn)));
        match packet.body {
            Body::Data { .. } if packet.number == 50 && count == 0 => Fate::Drop,
            // A router's mark on the SYN does not affect the packets that the receiver sends.
            Body::Syn { .. } if packet.ecn != Ecn::NotCapable => Fate::Mark,
            _ => Fate::Deliver,
        }
    };
    let options = TransportOptions { ecn: true, ecn_packets, ..options(RecoveryKind::Rack) };
    let mut wire = sender(algorithm, options, 20.0, Some(MSS * 200), script);
    assert!(wire.complete(Span::from_ms(10_000)));
    let seen = seen.lock().expect("no test panics while it holds the lock");
    seen.clone()
}

/// `tcp_ecn_send`, `tcp_ecn_send_syn` and `tcp_ecn_send_synack` with an algorithm that has `TCP_CONG_NEEDS_ECN`.
#[test]
fn all_packets_of_an_algorithm_that_counts_marks_are_capable_in_linux() {
    let of = |data: Ecn, others: Ecn| {
        let all = [
            ("syn", others),
            ("syn-ack", others),
            ("data", data),
            ("retransmission", others),
            ("ack", others),
        ];
        all.into_iter().map(|(kind, ecn)| (kind, format!("{ecn:?}"))).collect::<BTreeSet<_>>()
    };
    assert_eq!(codepoints("dctcp", EcnPackets::All), of(Ecn::Ect0, Ecn::Ect0));
    assert_eq!(codepoints("prague", EcnPackets::All), of(Ecn::Ect1, Ecn::Ect1));
    assert_eq!(codepoints("dctcp", EcnPackets::NewData), of(Ecn::Ect0, Ecn::NotCapable));
    assert_eq!(codepoints("newreno", EcnPackets::All), of(Ecn::Ect0, Ecn::NotCapable));
    let counts = Algorithm::parse("dctcp").expect("a known algorithm");
    assert_eq!(counts.build(&TransportOptions::default().setup(1)).ecn(), EcnUse::Counted);
}
