// SPDX-License-Identifier: Apache-2.0
//! Truth: the rules of RFC 8289 worked by hand, and the growth of the signal rate as theory.

use super::{Codel, CodelLaw, Config, Control};
use crate::testing::{Bench, packet};
use crate::{DropReason, Limit, QueueDiscipline};
use narrows_card::Catalogue;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Packet};

const CONTROL: Control =
    Control { target: Span::from_ms(5), interval: Span::from_ms(100), mtu: Bytes::new(1500) };
const LONG: Span = Span::from_ms(6);
const MUCH: Bytes = Bytes::new(100_000);

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

fn judge(law: &mut CodelLaw, now: Time) -> bool {
    law.judge(&CONTROL, LONG, MUCH, now)
}

/// A law that has been above the target since 0 and has just given its first signal, at 100 ms.
fn signalling() -> CodelLaw {
    let mut law = CodelLaw::default();
    assert!(!judge(&mut law, ms(0)));
    assert!(!judge(&mut law, ms(99)));
    assert!(judge(&mut law, ms(100)));
    law
}

#[test]
fn the_first_signal_comes_after_an_interval_above_the_target() {
    signalling();
}

#[test]
fn one_packet_below_the_target_or_with_little_behind_it_starts_the_interval_again() {
    for (sojourn, behind) in [(Span::from_us(4999), MUCH), (LONG, Bytes::new(1500))] {
        let mut law = CodelLaw::default();
        assert!(!judge(&mut law, ms(0)));
        assert!(!law.judge(&CONTROL, sojourn, behind, ms(50)));
        assert!(!judge(&mut law, ms(100)));
        assert!(!judge(&mut law, ms(199)));
        assert!(judge(&mut law, ms(200)));
    }
}

#[test]
fn signals_follow_at_the_interval_over_the_root_of_their_count() {
    let mut law = signalling();
    // 100 ms after the first, then 100/√2 and 100/√3, each counted from when the last was due.
    for (before, due) in [(199, 200), (270, 271), (328, 329)] {
        assert!(!judge(&mut law, ms(before)));
        assert!(judge(&mut law, ms(due)));
    }
    assert_eq!(law.count(), 4);
}

#[test]
fn a_link_that_sends_seldom_drops_all_that_is_due_at_once() {
    let mut law = signalling();
    // Due at 200, 270.7 and 328.4: at 300 two are, and the third packet passes.
    assert_eq!([(); 3].map(|()| judge(&mut law, ms(300))), [true, true, false]);
}

#[test]
fn a_mark_ends_the_turn_and_the_next_falls_due_as_after_a_drop() {
    let mut law = signalling();
    assert!(judge(&mut law, ms(300)));
    law.marked(&CONTROL);
    assert!(judge(&mut law, ms(300)), "270.7 ms is past, too");
    law.marked(&CONTROL);
    assert!(!judge(&mut law, ms(328)));
    assert!(judge(&mut law, ms(329)));
}

#[test]
fn a_queue_that_rises_again_soon_is_signalled_at_the_old_rate() {
    let start_after = |pause: u64| {
        let mut law = signalling();
        let mut now = 100;
        while law.count() < 10 {
            now += 1;
            judge(&mut law, ms(now));
        }
        law.emptied();
        now += pause;
        assert!(!judge(&mut law, ms(now)));
        assert!(judge(&mut law, ms(now + 100)));
        law.count()
    };
    // Ten signals: nine more than it began with. The next was due soon after the tenth.
    assert_eq!(start_after(50), 9);
    assert_eq!(start_after(1490), 9);
    assert_eq!(start_after(1700), 1, "16 intervals are over");
}

#[test]
fn a_queue_that_rises_again_after_one_signal_starts_at_the_lowest_rate() {
    let mut law = signalling();
    law.emptied();
    assert!(!judge(&mut law, ms(150)));
    assert!(judge(&mut law, ms(250)));
    assert_eq!(law.count(), 1);
}

/// The n-th signal after the first is due Σ 1/√k intervals later, which is 2√n + ζ(1/2) + 1/(2√n) but for terms of
/// order n^(−3/2).
#[test]
fn against_traffic_that_does_not_react_the_signal_rate_grows_linearly() {
    let mut law = signalling();
    let step = Span::from_us(10);
    let mut now = ms(100);
    while law.count() <= 1000 {
        now += step;
        judge(&mut law, now);
    }
    let zeta_half = -1.460_354_508_809_586_8;
    let root = f64::sqrt(1000.0);
    let expected = 0.1 * (2.0 * root + zeta_half + 0.5 / root);
    let found = (now - ms(100)).as_secs_f64();
    assert!((found - expected).abs() < 2.0 * step.as_secs_f64(), "{found} s, not {expected} s");
    let what =
        "time of signal 1000 after the first, against interval (2 sqrt(n) + zeta(1/2) + 1 / (2 sqrt(n)))";
    Catalogue::Queues.assert_near("codel", what, found, expected, 1e-4);
}

fn bench(ecn: bool, limit: Limit) -> Bench<Codel> {
    Bench::new(Codel::new(&Config { control: CONTROL, ecn, limit }))
}

#[test]
fn a_standing_queue_loses_its_head_and_a_capable_packet_is_marked_instead() {
    for (ecn, capable, marked) in
        [(true, Ecn::Ect0, true), (true, Ecn::NotCapable, false), (false, Ecn::Ect0, false)]
    {
        let mut bench = bench(ecn, Limit::Unlimited);
        for number in 0..20 {
            bench.arrive(Packet { ecn: capable, ..packet(number, 0, 1000) });
        }
        bench.now = ms(10);
        assert_eq!(bench.depart().map(|packet| packet.number), Some(0));
        bench.now = ms(110);
        let left = bench.depart().expect("19 wait");
        if marked {
            assert_eq!((left.number, left.ecn), (1, Ecn::Ce));
            assert_eq!((&bench.account.marked[..], bench.account.dropped.len()), (&[1][..], 0));
        } else {
            assert_eq!((left.number, left.ecn), (2, capable));
            assert_eq!(bench.account.dropped, [(1, DropReason::Early)]);
        }
    }
}

#[test]
fn the_last_packets_are_never_dropped() {
    let mut bench = bench(false, Limit::Unlimited);
    for number in 0..20 {
        bench.arrive(packet(number, 0, 1000));
    }
    let mut left = Vec::new();
    for second in 1..=20 {
        bench.now = ms(second * 1000);
        left.extend(bench.depart().map(|packet| packet.number));
    }
    assert_eq!(left[left.len() - 2..], [18, 19]);
    assert!(!bench.account.dropped.is_empty());
}

#[test]
fn an_arrival_that_finds_no_room_is_dropped() {
    let mut bench = bench(true, Limit::Packets(2));
    for number in 0..3 {
        bench.arrive(packet(number, 0, 1000));
    }
    assert_eq!(bench.account.dropped, [(2, DropReason::Overflow)]);
    assert_eq!(bench.queue.backlog().packets, 2);
}
