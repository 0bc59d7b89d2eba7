// SPDX-License-Identifier: Apache-2.0
//! Truth: change times and integrals worked by hand, and the rules of the random processes.

use super::{Bucket, Bytes, Capacity, Probe, Rate, RateModel, Stream, Time};
use narrows_link::Autorate;
use narrows_model::{Recording, Step};
use narrows_units::Span;
use std::sync::Arc;

fn mbps(count: u64) -> Rate {
    Rate::from_bps(count * 1_000_000)
}

fn ms(count: u64) -> Time {
    Time::ZERO + Span::from_ms(count)
}

fn capacity(model: &RateModel) -> Capacity {
    Capacity::new(model, Stream::new(1, 0, "link rate"), || 0.0)
}

/// The first `count` changes: when, and the rate from then on.
fn changes(capacity: &mut Capacity, count: usize) -> Vec<(Time, Rate)> {
    let mut found = Vec::new();
    while found.len() < count && capacity.next_change() < Time::NEVER {
        let now = capacity.next_change();
        capacity.change(now);
        found.push((now, capacity.rate()));
    }
    found
}

#[test]
fn a_constant_rate_never_changes() {
    let capacity = capacity(&RateModel::Constant(mbps(8)));
    assert_eq!(
        (capacity.rate(), capacity.next_change(), capacity.ready(ms(3))),
        (mbps(8), Time::NEVER, ms(3))
    );
    assert_eq!(capacity.offered_bits(ms(250)).to_bits(), 2e6_f64.to_bits());
}

/// A bucket of 3000 bytes at 1.2 Mbps in front of 12 Mbps: two packets of 1500 bytes at once, each a millisecond, and then one
/// in 10 ms, from the time at which the bucket holds one.
#[test]
fn a_token_bucket_sends_its_burst_at_the_peak_and_then_at_its_rate() {
    let (rate, peak) = (Rate::from_bps(1_200_000), mbps(12));
    let packet = Bytes::new(1500);
    let burst = Bytes::new(3000);
    let mut link = capacity(&RateModel::TokenBucket { rate, burst, peak, autorate: None });
    assert_eq!((link.rate(), link.next_change(), link.ready(ms(1))), (rate, Time::NEVER, ms(1)));
    let mut departures = vec![link.start(packet, ms(5))];
    for _ in 0..3 {
        let idle = departures[departures.len() - 1];
        departures.push(link.start(packet, idle));
    }
    // At 6 ms a tenth of a packet has been earned since 5 ms, when the bucket was full: the third starts at 15 ms.
    assert_eq!(departures, [6, 7, 16, 26].map(ms));
    // 6000 bytes were sent, and for the first 5 ms the bucket was full.
    let offered = |link: &Capacity, at| link.offered_bits(at).round() as u64;
    assert_eq!(offered(&link, ms(26)), 48_000 + 6_000);
    // Half of the fourth packet is on the line at 25.5 ms, and none before 25 ms.
    let half = Time::ZERO + Span::from_us(25_500);
    let left = |link: &Capacity, at| link.bits_left(ms(26), at).round() as u64;
    assert_eq!((left(&link, half), left(&link, ms(20))), (6_000, 12_000));
    assert_eq!(offered(&link, half) + 6_000, offered(&link, ms(26)));
    // An aborted packet that waits takes no tokens.
    let waiting = link.start(packet, ms(26));
    assert_eq!(waiting, ms(36));
    link.abort(ms(30));
    assert_eq!(link.start(packet, ms(30)), ms(36));
    // After a long pause the bucket is full, not fuller.
    assert_eq!(
        [link.start(packet, ms(900)), link.start(packet, ms(901)), link.start(packet, ms(902))],
        [901, 902, 911].map(ms)
    );
}

/// The bucket of before: the third packet would start at 10 ms. At 6 ms it waits for 4800 bits, which are earned in 2 ms at
/// twice the rate.
#[test]
fn a_packet_that_waits_for_tokens_gets_them_at_the_new_rate() {
    let (rate, packet) = (Rate::from_bps(1_200_000), Bytes::new(1500));
    let mut bucket = Bucket::new(rate, Bytes::new(3000), mbps(12));
    assert_eq!(bucket.set_rate(rate, Time::ZERO), None);
    assert_eq!([Time::ZERO, ms(1), ms(2)].map(|at| bucket.start(packet, at)), [1, 2, 11].map(ms));
    assert_eq!(bucket.set_rate(Rate::from_bps(2_400_000), ms(6)), Some(ms(9)));
    let half = Time::ZERO + Span::from_us(8_500);
    let sent = |bucket: &Bucket| [ms(6), half, ms(9)].map(|at| bucket.sent_bits(at).round() as u64);
    assert_eq!(sent(&bucket), [24_000, 30_000, 36_000]);
    let offered = |bucket: &Bucket| [half, ms(9), ms(100)].map(|at| bucket.offered_bits(at).round() as u64);
    // The bucket is full from 18 ms on.
    assert_eq!(offered(&bucket), [30_000, 36_000, 36_000 + 196_800]);
    // On the line it is not affected.
    assert_eq!(bucket.set_rate(rate, half), Some(ms(9)));
    assert_eq!(sent(&bucket), [24_000, 30_000, 36_000]);
    // 1800 bits are earned by 9 ms, and 10,200 take 8.5 ms. A packet that is aborted while it waits is not sent.
    assert_eq!(bucket.start(packet, ms(9)), Time::ZERO + Span::from_us(18_500));
    bucket.abort(ms(10));
    assert_eq!(bucket.sent_bits(ms(30)).round() as u64, 36_000);
}

#[test]
fn a_shaper_decides_by_the_round_trips_of_before_in_the_order_of_their_times() {
    let (base, minimum) = (mbps(20), mbps(5));
    let autorate = Autorate {
        probes: 0..1,
        target: Span::from_ms(30),
        minimum,
        base,
        maximum: mbps(80),
        down: 0.9,
        up: 0.05,
        decay: 0.01,
        high_load: 0.75,
        window: 3,
        delayed: 3,
        refractory: Span::ZERO,
        interval: Span::from_ms(100),
    };
    let (burst, autorate) = (Bytes::new(3000), Some(Box::new(autorate)));
    let mut shaper = capacity(&RateModel::TokenBucket { rate: base, burst, peak: mbps(100), autorate });
    let probe = |at, rtt| Probe { at: ms(at), slot: 0, rtt: Span::from_ms(rtt) };
    for probe in [probe(100, 90), probe(99, 90), probe(90, 90), probe(10, 20)] {
        shaper.probed(probe);
    }
    assert_eq!(changes(&mut shaper, 2), [(ms(100), base), (ms(200), minimum)]);
    for at in [250, 260, 270] {
        shaper.probed(probe(at, 20));
    }
    // Without load the rate returns to its base.
    assert_eq!(changes(&mut shaper, 1), [(ms(300), Rate::from_bps(5_005_000))]);
}

#[test]
fn steps_come_when_written_and_the_last_stays() {
    let steps = vec![(Span::ZERO, mbps(1)), (Span::from_ms(5), mbps(0)), (Span::from_ms(7), mbps(3))];
    let mut capacity = capacity(&RateModel::Steps(steps));
    assert_eq!(capacity.rate(), mbps(1));
    assert_eq!(changes(&mut capacity, 9), [(ms(5), mbps(0)), (ms(7), mbps(3))]);
    assert_eq!(capacity.offered_bits(ms(9)).to_bits(), 11_000_f64.to_bits(), "5 ms at 1, 2 ms at 3 Mbps");
}

#[test]
fn a_square_wave_is_high_first_and_does_not_drift() {
    let mut capacity =
        capacity(&RateModel::Square { high: mbps(10), low: mbps(2), period: Span::from_ms(10), duty: 0.3 });
    assert_eq!(capacity.rate(), mbps(10));
    let found = changes(&mut capacity, 2000);
    let expected = (0..1000).flat_map(|n| [(ms(10 * n + 3), mbps(2)), (ms(10 * n + 10), mbps(10))]);
    assert!(found.into_iter().eq(expected));
    assert_eq!(capacity.offered_bits(ms(10_001)).to_bits(), 44_010_000_f64.to_bits());
}

#[test]
fn a_square_wave_of_one_part_never_changes() {
    for (duty, rate) in [(0.0, mbps(2)), (1.0, mbps(10))] {
        let square = RateModel::Square { high: mbps(10), low: mbps(2), period: Span::from_ms(10), duty };
        assert_eq!((capacity(&square).rate(), capacity(&square).next_change()), (rate, Time::NEVER));
    }
}

#[test]
fn a_walk_takes_one_step_per_interval_and_stays_in_its_bounds() {
    let (minimum, maximum) = (mbps(2), mbps(9));
    let walk = RateModel::Walk {
        start: mbps(5),
        step: Step::Fixed(mbps(2)),
        minimum,
        maximum,
        interval: Span::from_ms(100),
    };
    let mut capacity = capacity(&walk);
    let mut before = capacity.rate();
    assert_eq!(before, mbps(5));
    let mut ups = 0;
    let mut free = 0;
    for (index, (now, rate)) in changes(&mut capacity, 10_000).into_iter().enumerate() {
        assert_eq!(now, ms(100 * (index as u64 + 1)));
        assert!((minimum..=maximum).contains(&rate));
        assert_eq!(rate.as_bps().abs_diff(before.as_bps()), 2_000_000);
        if before == mbps(5) || before == mbps(7) {
            free += 1;
            ups += u32::from(rate > before);
        }
        before = rate;
    }
    // Where both directions fit, each is equally likely: five standard deviations of a fair coin.
    let (ups, free) = (f64::from(ups), f64::from(free));
    assert!((ups - free / 2.0).abs() < 5.0 * free.sqrt() / 2.0, "{ups} of {free}");
}

#[test]
fn a_walk_without_room_for_a_step_stands_still() {
    let bound = mbps(5);
    let walk = RateModel::Walk {
        start: bound,
        step: Step::Fixed(mbps(1)),
        minimum: bound,
        maximum: bound,
        interval: Span::from_ms(1),
    };
    assert!(changes(&mut capacity(&walk), 10).iter().all(|&(_, rate)| rate == bound));
}

/// Every pair of neighbours in a walk of many steps.
fn pairs(step: Step, start: Rate, (minimum, maximum): (Rate, Rate)) -> Vec<(f64, f64)> {
    let mut capacity =
        capacity(&RateModel::Walk { start, step, minimum, maximum, interval: Span::from_ms(100) });
    let mut before = capacity.rate();
    let found = changes(&mut capacity, 20_000).into_iter().map(|(_, rate)| {
        assert!((minimum..=maximum).contains(&rate));
        let pair = (before.as_bps() as f64 * 1e-6, rate.as_bps() as f64 * 1e-6);
        before = rate;
        pair
    });
    found.collect()
}

#[test]
fn walks_of_uniform_steps_move_as_their_laws_say() {
    let bounds = (mbps(0), mbps(10));
    // If a step cannot leave the bounds, its place in its range is uniform: mean ½, variance 1/12.
    let place = |what: &str, places: Vec<f64>| {
        let n = places.len() as f64;
        assert!(n > 500.0, "{what}: {n} steps stay inside");
        assert!(places.iter().all(|place| (-1e-6..=1.000_001).contains(place)), "{what}");
        let mean = places.iter().sum::<f64>() / n;
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / n).sqrt(), "{what}: {mean}");
    };
    for step in [Step::Mirrored(mbps(3)), Step::Clipped(mbps(3))] {
        let inside = pairs(step, mbps(5), bounds).into_iter().filter(|(from, _)| (3.0..=7.0).contains(from));
        place("uniform", inside.map(|(from, to)| (to - from + 3.0) / 6.0).collect());
    }
    let inside = pairs(Step::Additive(mbps(4)), mbps(5), bounds).into_iter().filter(|(from, _)| *from <= 6.0);
    place("additive", inside.map(|(from, to)| to / (from + 4.0)).collect());
    let grow = pairs(Step::Multiplicative(5.0), mbps(1), bounds);
    let inside = grow.into_iter().filter(|(from, _)| (0.1..=2.0).contains(from));
    place("multiplicative", inside.map(|(from, to)| to / (5.0 * from)).collect());
}

#[test]
fn clipped_steps_end_at_a_bound_and_mirrored_ones_turn_back() {
    let bounds = (mbps(0), mbps(4));
    let at_bounds = |step| {
        let all = pairs(step, mbps(2), bounds);
        all.iter().filter(|(_, to)| *to <= 0.0 || *to >= 4.0).count()
    };
    assert!(at_bounds(Step::Clipped(mbps(3))) > 4000);
    assert!(at_bounds(Step::Mirrored(mbps(3))) < 4);
}

#[test]
fn the_mean_of_an_additive_walk_far_from_its_bounds_is_its_step() {
    let step = Step::Additive(mbps(2));
    let walk = RateModel::Walk {
        start: mbps(9),
        step,
        minimum: mbps(0),
        maximum: mbps(1000),
        interval: Span::from_ms(100),
    };
    assert!((walk.mean_bps(Span::from_ms(1_000_000)) / 2e6 - 1.0).abs() < 0.001);
    let all = pairs(step, mbps(9), (mbps(0), mbps(1000)));
    let mean = all.iter().map(|(_, to)| to).sum::<f64>() / all.len() as f64;
    // The variance of B, D²/2, is below D²; neighbours are correlated by ½, which triples the variance of the mean.
    assert!((mean - 2.0).abs() < 5.0 * (4.0 * 3.0 / all.len() as f64).sqrt(), "{mean}");
}

#[test]
fn uniform_draws_have_the_mean_and_variance_of_their_range() {
    let (minimum, maximum, interval) = (mbps(2), mbps(8), Span::from_ms(100));
    let mut capacity = capacity(&RateModel::Uniform { minimum, maximum, interval });
    assert!((minimum..=maximum).contains(&capacity.rate()));
    let found = changes(&mut capacity, 20_000);
    assert!(found.iter().all(|(_, rate)| (minimum..=maximum).contains(rate)));
    assert!(found.iter().enumerate().all(|(index, &(now, _))| now == ms(100 * (index as u64 + 1))));
    let n = found.len() as f64;
    let draws = found.iter().map(|(_, rate)| rate.as_bps() as f64 * 1e-6);
    let mean = draws.clone().sum::<f64>() / n;
    let variance = draws.map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / n;
    // A uniform on a range of width w: variance w²/12, and of the squared deviation w⁴/180.
    assert!((mean - 5.0).abs() < 5.0 * (3.0 / n).sqrt(), "{mean}");
    assert!((variance - 3.0).abs() < 5.0 * (1296.0 / 180.0 / n).sqrt(), "{variance}");
}

#[test]
fn what_a_random_rate_offered_is_the_integral_of_what_it_was() {
    let model = RateModel::Uniform { minimum: mbps(2), maximum: mbps(8), interval: Span::from_ms(100) };
    let mut capacity = capacity(&model);
    let mut bits = 0;
    for _ in 0..1000 {
        bits += capacity.rate().as_bps();
        changes(&mut capacity, 1);
    }
    assert!((capacity.offered_bits(ms(100_000)) - bits as f64 / 10.0).abs() < 1e-3);
}

#[test]
fn a_packet_crosses_a_standstill_of_the_link() {
    let steps = vec![(Span::ZERO, mbps(1)), (Span::from_ms(5), mbps(0)), (Span::from_ms(7), mbps(2))];
    let mut capacity = capacity(&RateModel::Steps(steps));
    assert_eq!(capacity.start(Bytes::new(1000), ms(1)), ms(9));
    assert_eq!(capacity.change(ms(5)), Some(Time::NEVER));
    assert_eq!(capacity.ready(ms(6)), Time::NEVER);
    assert_eq!(capacity.change(ms(7)), Some(ms(9)), "4000 bits are left, at 2 Mbps");
    assert_eq!(capacity.ready(ms(9)), ms(9));
}

#[test]
fn a_recording_is_repeated_or_its_last_rate_stays() {
    let steps = vec![(Span::ZERO, mbps(8)), (Span::from_ms(10), mbps(2)), (Span::from_ms(30), Rate::ZERO)];
    let recording = |period| {
        let (name, digest, understood) = ("by hand".into(), String::new(), String::new());
        RateModel::Recording(Arc::new(Recording { name, digest, understood, steps: steps.clone(), period }))
    };
    let repeated = recording(Some(Span::from_ms(40)));
    let expected = [(10, 2), (30, 0), (40, 8), (50, 2), (70, 0)].map(|(at, rate)| (ms(at), mbps(rate)));
    assert_eq!(changes(&mut capacity(&repeated), 5), expected);
    // 8 Mbps for 10 ms and 2 Mbps for 20 ms are 120 kbit in 40 ms; the first 10 ms of the next period are 80 kbit more.
    assert!((repeated.mean_bps(Span::from_ms(40)) - 3e6).abs() < 1.0);
    assert!((repeated.mean_bps(Span::from_ms(90)) - 320e3 / 0.09).abs() < 1.0);
    let once = recording(None);
    assert_eq!(changes(&mut capacity(&once), 5), expected[..2]);
    assert!((once.mean_bps(Span::from_ms(120)) - 1e6).abs() < 1.0);
}
