// SPDX-License-Identifier: Apache-2.0
//! Rules: the retransmissions of each recovery policy for the losses that distinguish the policies.

use crate::wire::{Fate, GAP, Halving, POLICIES, Wire, at, lose_once, options};
use narrows_cc::Cause;
use narrows_transport::RecoveryKind::{self, NewReno, Rack, Reno, Sack, Sack1996};
use narrows_transport::RtoRestart;
use narrows_units::{Span, Time};
use narrows_wire::Body;

/// The round-trip time of the first packet of a flight.
const RTT: Span = Span::from_us(40_100);

fn run(recovery: RecoveryKind, window: f64, lost: &[u64]) -> Wire {
    let mut wire = Wire::new(options(recovery), Halving::fixed(window), Some(200), lose_once(lost));
    assert!(wire.complete(Span::from_ms(60_000)), "{recovery:?} {:?}", wire.sender);
    wire
}

/// The times between retransmissions.
fn spacing(wire: &Wire) -> Vec<Span> {
    wire.retransmissions().windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
}

#[test]
fn a_single_loss_costs_one_retransmission_and_one_reduction_under_every_policy() {
    for recovery in POLICIES {
        let wire = run(recovery, 20.0, &[25]);
        let retransmitted: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
        assert_eq!(retransmitted, [25], "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 1, "{recovery:?}");
        assert_eq!(wire.sender.counters().timeouts, 0, "{recovery:?}");
        assert_eq!(wire.sender.window(), Some(10.0), "{recovery:?}");
    }
}

#[test]
fn the_third_duplicate_ack_triggers_the_retransmission() {
    for recovery in [Reno, NewReno, Sack, Sack1996, Rack] {
        let wire = run(recovery, 20.0, &[25]);
        // Segments 26, 27 and 28 follow segment 25 on the link.
        let sent = wire.transmissions.iter().find(|transmission| transmission.number == 25).expect("sent").at;
        let (retransmitted, _) = wire.retransmissions()[0];
        let duplicates =
            wire.acks.iter().filter(|(when, ack)| ack.number == 25 && *when <= retransmitted).count();
        assert_eq!(duplicates, 1 + 3, "{recovery:?}");
        assert_eq!(retransmitted - sent, RTT + GAP * 3, "{recovery:?}");
    }
}

#[test]
fn reno_reduces_the_window_again_for_a_second_hole_in_the_same_window() {
    let wire = run(Reno, 30.0, &[40, 50]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Detected]);
    assert_eq!(wire.sender.counters().timeouts, 0);
    assert_eq!(wire.sender.window(), Some(7.5));
}

#[test]
fn reno_waits_for_the_timer_if_too_few_duplicate_acks_follow_for_a_second_hole() {
    let wire = run(Reno, 8.0, &[40, 42]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Timeout]);
}

#[test]
fn newreno_repairs_one_hole_per_round_trip_with_one_reduction() {
    let wire = run(NewReno, 30.0, &[40, 45, 50]);
    let retransmitted: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
    assert_eq!(retransmitted, [40, 45, 50]);
    assert_eq!(wire.sender.counters().reductions, 1);
    assert_eq!(wire.sender.counters().timeouts, 0);
    for span in spacing(&wire) {
        assert!(span >= RTT && span < RTT + Span::from_ms(5), "{span:?}");
    }
}

#[test]
fn sack_and_rack_repair_all_holes_of_a_window_within_one_round_trip() {
    for recovery in [Sack, Sack1996, Rack] {
        let wire = run(recovery, 30.0, &[40, 45, 50]);
        let retransmitted = wire.retransmissions();
        assert_eq!(retransmitted.iter().map(|&(_, number)| number).collect::<Vec<_>>(), [40, 45, 50]);
        assert!(retransmitted[2].0 - retransmitted[0].0 < RTT, "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 1, "{recovery:?}");
    }
}

#[test]
fn with_the_pipe_of_1996_lost_segments_are_not_replaced_before_they_are_acknowledged() {
    let lost: Vec<u64> = (41..51).collect();
    let in_the_first_round_trip = |recovery| {
        let wire = run(recovery, 30.0, &lost);
        let retransmitted = wire.retransmissions();
        retransmitted.iter().filter(|(when, _)| *when - retransmitted[0].0 < RTT).count()
    };
    assert_eq!(in_the_first_round_trip(Sack), 10);
    // 32 segments are outstanding with two of limited transmit, of which 3 were SACKed and the other 19 that were not lost
    // still will be. The count falls to 10, so that 5 more may be sent in the window of 15.
    assert_eq!(in_the_first_round_trip(Sack1996), 1 + 5);
}

/// ns-2's `ScoreBoard::GetNextRetran`: also holes with fewer than three SACKed segments above.
#[test]
fn near_the_end_the_recovery_of_1996_retransmits_every_hole_below_the_highest_sacked_segment() {
    for last in [194, 196, 197, 198] {
        let lost = [190, 192, last];
        let wire = run(Sack1996, 20.0, &lost);
        let retransmitted: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
        assert_eq!(retransmitted, lost);
        assert_eq!(wire.sender.counters().timeouts, 0, "{last}");
    }
}

fn lose_retransmission(packet: &narrows_wire::Packet, count: usize) -> Fate {
    match packet.body {
        Body::Data { .. } if packet.number == 40 && count < 2 => Fate::Drop,
        _ => Fate::Deliver,
    }
}

#[test]
fn a_lost_retransmission_costs_a_timeout_except_under_rack() {
    for (recovery, timeouts) in [(Reno, 1), (NewReno, 1), (Sack, 1), (Sack1996, 1), (Rack, 0)] {
        let mut wire = Wire::new(options(recovery), Halving::fixed(20.0), Some(300), lose_retransmission);
        assert!(wire.complete(Span::from_ms(60_000)));
        assert_eq!(wire.sender.counters().timeouts, timeouts, "{recovery:?}");
        // The loss of the retransmission is an indication of its own, by the timeout or by RACK (RFC 5681 §4.3).
        assert_eq!(wire.reductions().len(), 2, "{recovery:?}");
        let of_40 = wire.retransmissions().iter().filter(|&&(_, number)| number == 40).count();
        assert_eq!(of_40, 2, "{recovery:?}");
    }
}

#[test]
fn rack_detects_a_lost_retransmission_after_a_round_trip() {
    let mut wire = Wire::new(options(Rack), Halving::fixed(20.0), Some(300), lose_retransmission);
    assert!(wire.complete(Span::from_ms(60_000)));
    assert_eq!(wire.sender.counters().reductions, 2);
    let spans = spacing(&wire);
    assert!(spans[0] >= RTT && spans[0] < RTT + Span::from_ms(12), "{spans:?}");
}

#[test]
fn a_head_that_is_lost_again_and_again_costs_a_timeout_unless_each_retransmission_restarts_the_timer() {
    // Segment 40 is lost eleven times; RACK alone declares each loss after a round trip of 40 ms, the timeout is 200 ms.
    for (rto_restart, timeouts) in [(RtoRestart::Ack, 2..=9), (RtoRestart::Head, 0..=0)] {
        let script = |packet: &narrows_wire::Packet, count: usize| match packet.body {
            Body::Data { .. } if packet.number == 40 && count < 11 => Fate::Drop,
            _ => Fate::Deliver,
        };
        let options = narrows_transport::TransportOptions { rto_restart, ..options(Rack) };
        let mut wire = Wire::new(options, Halving::fixed(20.0), Some(600), script);
        assert!(wire.complete(Span::from_ms(60_000)));
        let counters = wire.sender.counters();
        assert!(timeouts.contains(&counters.timeouts), "{rto_restart:?}: {}", counters.timeouts);
    }
}

#[test]
fn after_a_timeout_duplicate_acks_for_older_data_trigger_no_fast_retransmit() {
    // All ACKs of an interval are lost: the timer expires although all data arrived, and go-back-N causes duplicates.
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
fn the_timeouts_of_one_episode_double_and_reduce_the_window_once() {
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

/// RFC 6298 §5.4.
#[test]
fn each_timeout_retransmits_the_earliest_segment() {
    for recovery in [Reno, NewReno, Sack, Sack1996] {
        // Segments and acknowledgements are lost from 100 ms to 2 s.
        let script = |packet: &narrows_wire::Packet, _: usize| {
            if packet.sent_at > at(100) && packet.sent_at < at(2_000) { Fate::Drop } else { Fate::Deliver }
        };
        let mut wire = Wire::new(options(recovery), Halving::fixed(20.0), None, script);
        wire.run(at(2_000));
        let acknowledged = wire.sender.counters().segments_acked;
        let retransmitted: Vec<u64> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
        assert_eq!(
            retransmitted,
            vec![acknowledged; wire.sender.counters().timeouts as usize],
            "{recovery:?}"
        );
        assert!(retransmitted.len() >= 2, "{recovery:?}");
    }
}

#[test]
fn the_loss_of_the_last_segment_is_repaired_by_a_probe_under_rack_and_else_by_the_timer() {
    for recovery in POLICIES {
        let wire = run(recovery, 20.0, &[199]);
        let counters = wire.sender.counters();
        let (probes, timeouts) = if recovery == Rack { (1, 0) } else { (0, 1) };
        assert_eq!((counters.probes, counters.timeouts), (probes, timeouts), "{recovery:?}");
        assert_eq!(counters.retransmissions, 1, "{recovery:?}");
    }
}

#[test]
fn a_probe_that_repairs_a_loss_costs_a_reduction() {
    // With a window of one the probe is a retransmission, and the next ACK shows that it was necessary.
    let mut wire = Wire::new(options(Rack), Halving::fixed(1.0), Some(10), lose_once(&[4]));
    assert!(wire.complete(Span::from_ms(60_000)));
    let counters = wire.sender.counters();
    assert_eq!((counters.probes, counters.timeouts, counters.reductions), (1, 0, 1));
}

#[test]
fn limited_transmit_sends_a_new_segment_on_each_of_the_first_two_duplicate_acks() {
    for recovery in [Reno, NewReno, Sack, Sack1996] {
        // With a window of three and no new segments there is no third duplicate ACK.
        for (limited_transmit, timeouts) in [(true, 0), (false, 1)] {
            let options = narrows_transport::TransportOptions { limited_transmit, ..options(recovery) };
            let mut wire = Wire::new(options, Halving::fixed(3.0), Some(100), lose_once(&[30]));
            assert!(wire.complete(Span::from_ms(60_000)));
            assert_eq!(wire.sender.counters().timeouts, timeouts, "{recovery:?} {limited_transmit}");
        }
    }
}

#[test]
fn proportional_rate_reduction_spreads_the_reduction_over_a_round_trip() {
    for proportional_rate_reduction in [true, false] {
        let options = narrows_transport::TransportOptions { proportional_rate_reduction, ..options(Sack) };
        let mut wire = Wire::new(options, Halving::fixed(40.0), Some(400), lose_once(&[80]));
        assert!(wire.complete(Span::from_ms(60_000)));
        let (reduction, _) = wire.reductions()[0];
        // The first half of the 36 ACKs after the reduction release packets only if the reduction is proportional.
        let half = reduction + GAP * 18;
        let sent = wire.transmissions.iter().filter(|d| d.at > reduction && d.at <= half).count();
        if proportional_rate_reduction {
            assert!((8..=10).contains(&sent), "{sent}");
        } else {
            assert_eq!(sent, 0);
        }
        assert_eq!(wire.sender.counters().reductions, 1);
    }
}

#[test]
fn a_loss_of_data_sent_after_the_reduction_starts_another_episode() {
    // Segment 62 is sent after the reduction for segment 25, well before recovery ends.
    for recovery in [Sack, Rack] {
        let wire = run(recovery, 20.0, &[40, 62]);
        let (first, _) = wire.reductions()[0];
        let sent = wire.transmissions.iter().find(|transmission| transmission.number == 62).expect("sent").at;
        assert!(sent > first, "{recovery:?}");
        assert_eq!(wire.sender.counters().reductions, 2, "{recovery:?}");
        assert_eq!(wire.sender.counters().timeouts, 0, "{recovery:?}");
    }
}

#[test]
fn the_loss_of_half_a_window_is_repaired_without_a_timeout() {
    // As in the overshoot of slow start, every second segment of a window of 266 is lost (137 drops in the recorded
    // kernel).
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
fn rack_tolerates_reordering_within_a_quarter_of_the_round_trip_time_once_observed() {
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
    // The count of duplicate ACKs declares each a loss, until the window is too small for three.
    assert!(wire(Sack) >= 4, "{}", wire(Sack));
}

#[test]
fn a_probe_of_a_delayed_segment_starts_no_episode() {
    // Everything is delayed by 100 ms, longer than the probe timeout; then all ACKs arrive in order.
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
fn a_loss_and_a_mark_in_one_window_cost_one_reduction() {
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
fn a_lost_tail_is_detected_by_the_probe_of_its_last_segment() {
    let wire = run(Rack, 20.0, &[196, 197, 198, 199]);
    let counters = wire.sender.counters();
    assert_eq!((counters.timeouts, counters.probes, counters.reductions), (0, 1, 1));
    let retransmitted: Vec<_> = wire.retransmissions().iter().map(|&(_, number)| number).collect();
    assert_eq!(retransmitted, [199, 196, 197, 198]);
}

#[test]
fn newreno_starts_no_second_episode_at_its_recovery_point() {
    // The first segment sent after the loss of 40 was detected is lost, too. Its duplicate ACKs follow the full ACK,
    // whose large advance does not distinguish them from the effect of unnecessary retransmissions (RFC 6582 §4.1), so
    // that the timer has to expire.
    let first = run(NewReno, 20.0, &[40]);
    let (reduction, _) = first.reductions()[0];
    let next =
        first.transmissions.iter().find(|d| d.at > reduction && !d.retransmission).expect("sent").number;
    let wire = run(NewReno, 20.0, &[40, next]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Timeout]);
    let wire = run(NewReno, 20.0, &[40, next + 1]);
    let causes: Vec<_> = wire.reductions().into_iter().map(|(_, cause)| cause).collect();
    assert_eq!(causes, [Cause::Detected, Cause::Detected]);
}

#[test]
fn the_usable_window_of_reno_is_inflated_by_duplicate_acks_and_deflated_by_the_first_ack_that_advances() {
    let wire = run(Reno, 20.0, &[40]);
    let (reduction, _) = wire.reductions()[0];
    // With limited transmit 22 segments are outstanding, and the window is 10: the 13th duplicate ACK releases a new
    // segment.
    let next = wire.transmissions.iter().find(|d| d.at > reduction && !d.retransmission).expect("sent").at;
    let duplicates = wire.acks.iter().filter(|(when, ack)| ack.number == 40 && *when <= next).count();
    assert_eq!(duplicates, 1 + 13);
}
