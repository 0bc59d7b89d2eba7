//! Rules: each recovery policy's sequence of segments for the losses that tell the policies apart.

mod wire;

use narrows_cc::Cause;
use narrows_transport::RecoveryKind::{self, NewReno, Rack, Reno, Sack};
use narrows_units::{Span, Time};
use narrows_wire::Body;
use wire::{Fate, GAP, Halving, POLICIES, Wire, at, lose_once, options};

/// The round-trip time of the first packet of a flight.
const RTT: Span = Span::from_us(40_100);

fn run(recovery: RecoveryKind, window: f64, lost: &[u64]) -> Wire {
    let mut wire = Wire::new(options(recovery), Halving::fixed(window), Some(200), lose_once(lost));
    assert!(wire.complete(Span::from_ms(60_000)), "{recovery:?} {:?}", wire.sender);
    wire
}

/// From one retransmission to the next.
fn spacing(wire: &Wire) -> Vec<Span> {
    wire.retransmissions().windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
}

#[test]
fn a_single_loss_costs_one_retransmission_and_one_cut_under_every_policy() {
    for recovery in POLICIES {
        let wire = run(recovery, 20.0, &[25]);
        let again: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
        assert_eq!(again, [25], "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 1, "{recovery:?}");
        assert_eq!(wire.sender.counters().timeouts, 0, "{recovery:?}");
        assert_eq!(wire.sender.window(), Some(10.0), "{recovery:?}");
    }
}

#[test]
fn the_third_duplicate_ack_starts_the_retransmission() {
    for recovery in [Reno, NewReno, Sack, Rack] {
        let wire = run(recovery, 20.0, &[25]);
        // Segment 25 would have been acknowledged first; 26, 27 and 28 follow it through the link.
        let sent = wire.departures.iter().find(|departure| departure.number == 25).expect("sent").at;
        let (again, _) = wire.retransmissions()[0];
        let duplicates = wire.acks.iter().filter(|(when, ack)| ack.number == 25 && *when <= again).count();
        assert_eq!(duplicates, 1 + 3, "{recovery:?}");
        assert_eq!(again - sent, RTT + GAP * 3, "{recovery:?}");
    }
}

#[test]
fn reno_cuts_a_second_time_for_a_second_hole_in_the_window() {
    let wire = run(Reno, 30.0, &[40, 50]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Detected]);
    assert_eq!(wire.sender.counters().timeouts, 0);
    assert_eq!(wire.sender.window(), Some(7.5));
}

#[test]
fn reno_waits_for_the_timer_where_too_few_duplicate_acks_come_for_the_second_hole() {
    let wire = run(Reno, 8.0, &[40, 42]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Timeout]);
}

#[test]
fn newreno_repairs_one_hole_per_round_trip_at_the_cost_of_one_cut() {
    let wire = run(NewReno, 30.0, &[40, 45, 50]);
    let again: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
    assert_eq!(again, [40, 45, 50]);
    assert_eq!(wire.sender.counters().reductions, 1);
    assert_eq!(wire.sender.counters().timeouts, 0);
    for span in spacing(&wire) {
        assert!(span >= RTT && span < RTT + Span::from_ms(5), "{span:?}");
    }
}

#[test]
fn sack_and_rack_repair_all_holes_of_a_window_within_one_round_trip() {
    for recovery in [Sack, Rack] {
        let wire = run(recovery, 30.0, &[40, 45, 50]);
        let again = wire.retransmissions();
        assert_eq!(again.iter().map(|&(_, number)| number).collect::<Vec<_>>(), [40, 45, 50]);
        assert!(again[2].0 - again[0].0 < RTT, "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 1, "{recovery:?}");
    }
}

fn lose_retransmission(packet: &narrows_wire::Packet, count: usize) -> Fate {
    match packet.body {
        Body::Data { .. } if packet.number == 40 && count < 2 => Fate::Drop,
        _ => Fate::Deliver,
    }
}

#[test]
fn a_lost_retransmission_costs_a_timeout_unless_time_tells() {
    for (recovery, timeouts) in [(Reno, 1), (NewReno, 1), (Sack, 1), (Rack, 0)] {
        let mut wire = Wire::new(options(recovery), Halving::fixed(20.0), Some(300), lose_retransmission);
        assert!(wire.complete(Span::from_ms(60_000)));
        assert_eq!(wire.sender.counters().timeouts, timeouts, "{recovery:?}");
        let of_40 = wire.retransmissions().iter().filter(|&&(_, number)| number == 40).count();
        assert_eq!(of_40, 2, "{recovery:?}");
    }
}

#[test]
fn rack_finds_a_lost_retransmission_a_round_trip_after_it_left() {
    let mut wire = Wire::new(options(Rack), Halving::fixed(20.0), Some(300), lose_retransmission);
    assert!(wire.complete(Span::from_ms(60_000)));
    assert_eq!(wire.sender.counters().reductions, 1);
    let spans = spacing(&wire);
    assert!(spans[0] >= RTT && spans[0] < RTT + Span::from_ms(12), "{spans:?}");
}

#[test]
fn after_a_timeout_duplicate_acks_for_older_data_start_no_fast_retransmit() {
    // All ACKs of a while are lost, so the timer runs out though everything arrived; go-back-N makes duplicates.
    for recovery in [Reno, NewReno] {
        let script = |packet: &narrows_wire::Packet, _: usize| match packet.body {
            Body::Ack { .. } if packet.sent_at > at(100) && packet.sent_at < at(320) => Fate::Drop,
            _ => Fate::Deliver,
        };
        let mut wire = Wire::new(options(recovery), Halving::fixed(20.0), Some(200), script);
        assert!(wire.complete(Span::from_ms(60_000)));
        let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
        assert_eq!(causes, [Cause::Timeout], "{recovery:?}");
    }
}

#[test]
fn timeouts_of_one_episode_double_and_cut_once() {
    for recovery in POLICIES {
        // Nothing arrives between 0.1 s and 3 s.
        let script = |packet: &narrows_wire::Packet, _: usize| {
            let dead = packet.sent_at > at(100) && packet.sent_at < at(3_000);
            if dead { Fate::Drop } else { Fate::Deliver }
        };
        let mut wire = Wire::new(options(recovery), Halving::fixed(20.0), Some(200), script);
        assert!(wire.complete(Span::from_ms(60_000)), "{recovery:?}");
        let counters = wire.sender.counters();
        assert!((3..=5).contains(&counters.timeouts), "{recovery:?}: {}", counters.timeouts);
        let timeouts = wire.reductions().iter().filter(|(_, cause)| *cause == Cause::Timeout).count();
        assert_eq!(timeouts, 1, "{recovery:?}");
        let dead: Vec<Time> = wire.retransmissions().iter().map(|r| r.0).filter(|&t| t < at(3_000)).collect();
        let spans: Vec<_> = dead.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for pair in spans.windows(2).skip(usize::from(recovery == Rack)) {
            assert_eq!(pair[1], pair[0] * 2, "{recovery:?}");
        }
    }
}

#[test]
fn the_last_segment_is_saved_by_a_probe_under_rack_and_by_the_timer_elsewhere() {
    for recovery in POLICIES {
        let wire = run(recovery, 20.0, &[199]);
        let counters = wire.sender.counters();
        let (probes, timeouts) = if recovery == Rack { (1, 0) } else { (0, 1) };
        assert_eq!((counters.probes, counters.timeouts), (probes, timeouts), "{recovery:?}");
        assert_eq!(counters.retransmissions, 1, "{recovery:?}");
    }
}

#[test]
fn a_probe_that_repaired_a_loss_in_mid_transfer_costs_a_cut() {
    // A window of one: the probe is the same segment again, and the next answer proves that it was needed.
    let mut wire = Wire::new(options(Rack), Halving::fixed(1.0), Some(10), lose_once(&[4]));
    assert!(wire.complete(Span::from_ms(60_000)));
    let counters = wire.sender.counters();
    assert_eq!((counters.probes, counters.timeouts, counters.reductions), (1, 0, 1));
}

#[test]
fn limited_transmit_sends_a_new_segment_on_each_of_the_first_two_duplicate_acks() {
    for recovery in [Reno, NewReno, Sack] {
        // A window of three: without new segments the third duplicate ACK never comes.
        for (limited_transmit, timeouts) in [(true, 0), (false, 1)] {
            let options = narrows_transport::TransportOptions { limited_transmit, ..options(recovery) };
            let mut wire = Wire::new(options, Halving::fixed(3.0), Some(100), lose_once(&[30]));
            assert!(wire.complete(Span::from_ms(60_000)));
            assert_eq!(wire.sender.counters().timeouts, timeouts, "{recovery:?} {limited_transmit}");
        }
    }
}

#[test]
fn proportional_rate_reduction_spreads_the_cut_over_a_round_trip() {
    for proportional_rate_reduction in [true, false] {
        let options = narrows_transport::TransportOptions { proportional_rate_reduction, ..options(Sack) };
        let mut wire = Wire::new(options, Halving::fixed(40.0), Some(400), lose_once(&[80]));
        assert!(wire.complete(Span::from_ms(60_000)));
        let (cut, _) = wire.reductions()[0];
        // Of the 36 ACKs that follow the cut, the first half lets packets go only if the reduction is proportional.
        let half = cut + GAP * 18;
        let sent = wire.departures.iter().filter(|d| d.at > cut && d.at <= half).count();
        if proportional_rate_reduction {
            assert!((8..=10).contains(&sent), "{sent}");
        } else {
            assert_eq!(sent, 0);
        }
        assert_eq!(wire.sender.counters().reductions, 1);
    }
}

#[test]
fn a_loss_in_data_sent_after_the_cut_is_another_episode() {
    // The cut comes at about 25's flight; segment 50 leaves after it, well before recovery ends.
    for recovery in [Sack, Rack] {
        let wire = run(recovery, 20.0, &[40, 62]);
        let (first, _) = wire.reductions()[0];
        let sent = wire.departures.iter().find(|departure| departure.number == 62).expect("sent").at;
        assert!(sent > first, "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 2, "{recovery:?}");
        assert_eq!(wire.sender.counters().timeouts, 0, "{recovery:?}");
    }
}

#[test]
fn half_of_a_window_lost_is_repaired_without_a_timeout() {
    // A slow start's overshoot: every second segment of a window of 266 is lost (137 drops in the kernel's run).
    let lost: Vec<u64> = (300..566).step_by(2).collect();
    for proportional_rate_reduction in [true, false] {
        for recovery in [Sack, Rack] {
            let options =
                narrows_transport::TransportOptions { proportional_rate_reduction, ..options(recovery) };
            let mut wire = Wire::new(options, Halving::fixed(266.0), Some(2_000), lose_once(&lost));
            assert!(wire.complete(Span::from_ms(60_000)));
            let counters = wire.sender.counters();
            assert_eq!((counters.timeouts, counters.retransmissions), (0, 133), "{recovery:?}");
        }
    }
}

#[test]
fn reordering_within_a_quarter_round_trip_costs_rack_nothing_once_seen() {
    let script = |packet: &narrows_wire::Packet, count: usize| match packet.body {
        Body::Data { .. } if count == 0 && packet.number % 70 == 30 => Fate::Delay(Span::from_ms(1)),
        _ => Fate::Deliver,
    };
    let wire = |recovery| {
        let mut wire = Wire::new(options(recovery), Halving::fixed(100.0), Some(1_000), script);
        assert!(wire.complete(Span::from_ms(60_000)));
        wire.sender.counters().retransmissions
    };
    assert_eq!(wire(Rack), 1);
    // Counting takes each for a loss, until cuts have made the window too small for three.
    assert!(wire(Sack) >= 4, "{}", wire(Sack));
}

#[test]
fn a_probe_of_what_was_only_late_declares_no_episode() {
    // Everything is held up for 100 ms, longer than the probe waits; then all answers come in order.
    let script = |packet: &narrows_wire::Packet, _: usize| match packet.body {
        Body::Ack { .. } if packet.sent_at > at(100) && packet.sent_at < at(145) => {
            Fate::Delay(at(205) - packet.sent_at)
        }
        _ => Fate::Deliver,
    };
    let mut wire = Wire::new(options(Rack), Halving::fixed(20.0), Some(400), script);
    assert!(wire.complete(Span::from_ms(60_000)));
    let counters = wire.sender.counters();
    assert_eq!((counters.timeouts, counters.reductions), (0, 0));
    assert_eq!(counters.probes, 1);
}

#[test]
fn a_loss_and_a_mark_in_one_window_cut_once() {
    for (marked, lost) in [(60, 70), (70, 60)] {
        let options = narrows_transport::TransportOptions { ecn: true, ..options(Sack) };
        let script = move |packet: &narrows_wire::Packet, count: usize| match packet.body {
            Body::Data { .. } if packet.number == lost && count == 0 => Fate::Drop,
            Body::Data { .. } if packet.number == marked => Fate::Mark,
            _ => Fate::Deliver,
        };
        let mut wire = Wire::new(options, Halving::fixed(40.0), Some(300), script);
        assert!(wire.complete(Span::from_ms(60_000)));
        let counters = wire.sender.counters();
        assert_eq!((counters.reductions, counters.retransmissions, counters.timeouts), (1, 1, 0));
    }
}

#[test]
fn a_tail_of_several_lost_segments_is_found_through_the_probe_of_its_last() {
    let wire = run(Rack, 20.0, &[196, 197, 198, 199]);
    let counters = wire.sender.counters();
    assert_eq!((counters.timeouts, counters.probes, counters.reductions), (0, 1, 1));
    let again: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
    assert_eq!(again, [199, 196, 197, 198]);
}

#[test]
fn newreno_starts_no_second_episode_right_at_its_recovery_point() {
    // The first segment sent after the loss of 40 is known: its duplicate ACKs follow the full ACK, whose large step does
    // not tell them from needless resending (RFC 6582 §4.1), so the timer has to find it.
    let first = run(NewReno, 20.0, &[40]);
    let (cut, _) = first.reductions()[0];
    let next = first.departures.iter().find(|d| d.at > cut && !d.again).expect("sent").number;
    let wire = run(NewReno, 20.0, &[40, next]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Timeout]);
    let wire = run(NewReno, 20.0, &[40, next + 1]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Detected]);
}

#[test]
fn renos_usable_window_is_inflated_by_duplicate_acks_and_deflated_by_the_first_new_one() {
    let wire = run(Reno, 20.0, &[40]);
    let (cut, _) = wire.reductions()[0];
    // 22 are out with limited transmit, the window is 10: the 13th duplicate ACK lets the first new segment go.
    let next = wire.departures.iter().find(|d| d.at > cut && !d.again).expect("sent").at;
    let duplicates = wire.acks.iter().filter(|(when, ack)| ack.number == 40 && *when <= next).count();
    assert_eq!(duplicates, 1 + 13);
}
