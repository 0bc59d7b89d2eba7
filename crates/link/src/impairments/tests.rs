// SPDX-License-Identifier: Apache-2.0
//! Truth: closed forms, and cases worked by hand.

use super::{Impairment, Impairments, Time};
use crate::distribution::{Distribution, Spans};
use crate::{Counted, DelayModel, EcnChange, Lateness, Selection};
use narrows_engine::Stream;
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::{Body, Ecn, FlowId, Packet, SackBlocks};

const US: u64 = 1_000_000;

fn us(count: u64) -> Time {
    Time::from_ps(count * US)
}

fn span(count: u64) -> Span {
    Span::from_us(count)
}

/// Data packet `number` of 1500 bytes, sent at `at` microseconds.
fn packet(number: u64, at: u64) -> Packet {
    let body = Body::Data { request: None, payload: 1460, retransmission: false, timestamp: 0 };
    Packet::new(FlowId::new(0, 0), number, Bytes::new(1500), body, us(at))
}

/// Packets that leave: numbers and times, in microseconds; and the numbers of lost packets.
fn pass(list: &[Impairment], packets: impl IntoIterator<Item = Packet>) -> (Vec<(u64, u64)>, Vec<u64>) {
    let (passed, gone) = pass_packets(list, packets);
    (passed.iter().map(|packet| (packet.number, packet.arrival.as_ps() / US)).collect(), gone)
}

fn pass_packets(list: &[Impairment], packets: impl IntoIterator<Item = Packet>) -> (Vec<Packet>, Vec<u64>) {
    let stream = |purpose: &str| Stream::new(1, 0, purpose);
    let mut chain = Impairments::new(None, list, stream).expect("the list is not empty");
    let (mut passed, mut gone, mut given) = (Vec::new(), Vec::new(), 0);
    for packet in packets {
        while chain.next() <= packet.arrival {
            passed.extend(chain.advance(chain.next()));
        }
        given += 1;
        passed.extend(chain.send(packet));
        gone.extend(core::iter::from_fn(|| chain.take_lost()).map(|(packet, _)| packet.number));
        assert_eq!(given, passed.len() as u64 + gone.len() as u64 + chain.held(), "packets are conserved");
    }
    while chain.next() < Time::NEVER {
        passed.extend(chain.advance(chain.next()));
        gone.extend(core::iter::from_fn(|| chain.take_lost()).map(|(packet, _)| packet.number));
    }
    assert_eq!(given, passed.len() as u64 + gone.len() as u64);
    assert!(passed.is_sorted_by_key(|packet| packet.arrival), "packets leave in order of time");
    (passed, gone)
}

fn exponential(mean_us: u64) -> Spans {
    Spans(Distribution::Exponential { mean: mean_us as f64 * 1e-6 })
}

/// Additional delays, microseconds, of packets far enough apart not to meet.
fn delays(list: &[Impairment], count: u64) -> Vec<f64> {
    let apart = 1_000_000;
    let (left, _) = pass_packets(list, (0..count).map(|number| packet(number, number * apart)));
    let of = |packet: &Packet| packet.arrival.since(us(packet.number * apart)).as_secs_f64() * 1e6;
    left.iter().map(of).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn assert_within(found: f64, expected: f64, sigma: f64) {
    assert!((found - expected).abs() < 5.0 * sigma, "{found}, expected {expected} ± {sigma}");
}

#[test]
fn jitter_has_the_mean_of_its_distribution_and_the_correlation_of_its_scores() {
    let count = 40_000;
    for correlation in [0.0, 0.6] {
        let delay = Spans(Distribution::LogNormal { median: 1e-3, sigma: 0.5 });
        let found = delays(&[Impairment::Jitter { delay, correlation, reorder: false }], count);
        // Sums of an autoregressive process of the first order have the variance of (1 + r) / (1 - r) times as many.
        let scale = libm::sqrt((1.0 + correlation) / (1.0 - correlation) / count as f64);
        let logarithms: Vec<f64> = found.iter().map(|delay| libm::log(delay / 1000.0) / 0.5).collect();
        assert_within(mean(&logarithms), 0.0, scale);
        let squares: Vec<f64> = logarithms.iter().map(|score| score * score).collect();
        assert_within(mean(&squares), 1.0, libm::sqrt(2.0) * scale);
        let products: Vec<f64> = logarithms.windows(2).map(|pair| pair[0] * pair[1]).collect();
        assert_within(mean(&products), correlation, 2.0 * scale);
    }
}

#[test]
fn jitter_keeps_the_order_unless_packets_may_overtake() {
    let jitter = |reorder| [Impairment::Jitter { delay: exponential(1000), correlation: 0.0, reorder }];
    let packets = || (0..2000).map(|number| packet(number, number * 100));
    let (kept, _) = pass(&jitter(false), packets());
    assert!(kept.is_sorted_by_key(|(number, _)| *number));
    let (mixed, _) = pass(&jitter(true), packets());
    // A packet overtakes the one before it if its own delay is shorter by more than the gap: exp(-0.1) / 2.
    let mut at = vec![0; 2000];
    mixed.iter().enumerate().for_each(|(place, (number, _))| at[*number as usize] = place);
    let overtakes = at.windows(2).filter(|pair| pair[1] < pair[0]).count() as f64 / 1999.0;
    assert_within(overtakes, libm::exp(-0.1) / 2.0, 0.5 / libm::sqrt(1999.0));
}

#[test]
fn a_late_packet_is_overtaken_by_exactly_as_many_as_asked() {
    let late = Lateness::Distance { packets: 3, hold: span(1_000_000) };
    let (left, lost) = pass(
        &[Impairment::Reorder { share: 0.01, late }],
        (0..20_000).map(|number| packet(number, number * 10)),
    );
    assert!(lost.is_empty());
    let mut place = vec![0; 20_000];
    left.iter().enumerate().for_each(|(at, (number, _))| place[*number as usize] = at);
    let extents: Vec<usize> = (0..20_000)
        .map(|number| {
            (number + 1..20_000.min(number + 20)).filter(|&later| place[later] < place[number]).count()
        })
        .collect();
    let late: Vec<usize> = extents.iter().copied().filter(|&extent| extent > 0).collect();
    assert_within(late.len() as f64, 200.0, libm::sqrt(200.0 * 0.99));
    assert!(late.iter().all(|&extent| extent == 3));
}

#[test]
fn a_late_packet_that_nothing_follows_is_held_for_the_given_time() {
    let late = Lateness::Distance { packets: 3, hold: span(500) };
    let (left, _) = pass(&[Impairment::Reorder { share: 1.0, late }], [packet(0, 10), packet(1, 20)]);
    assert_eq!(left, [(0, 510), (1, 520)]);
}

#[test]
fn a_policer_passes_a_burst_and_then_its_rate() {
    // 12 Mbit/s is a packet of 1500 bytes each millisecond; packets come four times as often.
    let policer = Impairment::Policer { rate: Rate::from_bps(12_000_000), burst: Bytes::new(15_000) };
    let (left, lost) = pass(&[policer], (0..40_000).map(|number| packet(number, number * 250)));
    // Ten packets of the bucket, and one for each millisecond of the last arrival's time.
    assert_eq!(left.len(), 10 + 39_999 * 250 / 1000);
    assert_eq!(left.len() + lost.len(), 40_000);
    let first: Vec<u64> = left.iter().take(14).map(|(number, _)| *number).collect();
    // After n arrivals the bucket has had 10 + (n - 1) / 4 packets: 13 pass in a row, then every fourth.
    assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16]);
}

#[test]
fn a_hop_changes_the_field_as_its_mode_says() {
    use Ecn::{Ce, Ect0, Ect1, NotCapable};
    for (mode, after) in [
        (EcnChange::Bleach, [NotCapable; 4]),
        (EcnChange::ClearCe, [NotCapable, Ect0, Ect1, Ect0]),
        (EcnChange::Ect1ToEct0, [NotCapable, Ect0, Ect0, Ce]),
        (EcnChange::SetCe, [NotCapable, Ce, Ce, Ce]),
    ] {
        let packets = [NotCapable, Ect0, Ect1, Ce].map(|ecn| Packet { ecn, ..packet(0, 0) });
        let (left, _) =
            pass_packets(&[Impairment::Ecn { mode, share: 1.0, selection: Selection::default() }], packets);
        let found: Vec<Ecn> = left.iter().map(|packet| packet.ecn).collect();
        assert_eq!(found, after, "{mode:?}");
    }
}

#[test]
fn a_hop_changes_the_packets_of_its_list_alone() {
    let marks = Impairment::Ecn {
        mode: EcnChange::SetCe,
        share: 1.0,
        selection: Selection::numbered(Counted::Data, [2, 4]),
    };
    let packets = (0..5).map(|number| Packet { ecn: Ecn::Ect0, ..packet(number, 0) });
    let (left, _) = pass_packets(&[marks], packets);
    let marked: Vec<u64> =
        left.iter().filter(|packet| packet.ecn == Ecn::Ce).map(|packet| packet.number).collect();
    assert_eq!(marked, [1, 3]);
}

#[test]
fn a_hop_that_drops_capable_packets_lets_all_others_pass() {
    use Ecn::{Ce, Ect0, Ect1, NotCapable};
    let drop = Impairment::Ecn { mode: EcnChange::Drop, share: 1.0, selection: Selection::default() };
    let packets =
        (0..).zip([NotCapable, Ect0, Ect1, Ce]).map(|(number, ecn)| Packet { ecn, ..packet(number, 0) });
    let (left, gone) = pass(&[drop], packets);
    assert_eq!((left.len(), left[0].0, gone), (1, 0, vec![1, 2, 3]));
}

#[test]
fn the_packets_that_a_hop_marks_are_reported_once_and_those_marked_before_are_not() {
    let impairment = Impairment::Ecn { mode: EcnChange::SetCe, share: 1.0, selection: Selection::default() };
    let stream = |purpose: &str| Stream::new(1, 0, purpose);
    let mut chain = Impairments::new(None, &[impairment.clone(), impairment], stream).expect("it has two");
    for (number, ecn) in [(0, Ecn::NotCapable), (1, Ecn::Ect0), (2, Ecn::Ce), (3, Ecn::Ect1)] {
        chain.send(Packet { ecn, ..packet(number, 0) });
    }
    let mut marked: Vec<u64> = core::iter::from_fn(|| chain.take_marked()).map(|each| each.number).collect();
    marked.sort_unstable();
    assert_eq!(marked, [1, 3]);
}

#[test]
fn a_delay_in_steps_holds_from_each_time_on_and_is_repeated() {
    let points = vec![(span(0), span(5)), (span(100), span(50)), (span(200), span(0))];
    let steps = |period, reorder| Impairment::Delay {
        delay: DelayModel::Steps { points: points.clone(), period, recording: None },
        reorder,
    };
    let times = [0, 99, 100, 199, 200, 210, 310];
    let packets = || times.iter().zip(0..).map(|(at, number)| packet(number, *at));
    let (left, _) = pass(&[steps(None, true)], packets());
    assert_eq!(left, [(0, 5), (1, 104), (2, 150), (4, 200), (5, 210), (3, 249), (6, 310)]);
    let (left, _) = pass(&[steps(None, false)], packets());
    assert_eq!(left, [(0, 5), (1, 104), (2, 150), (3, 249), (4, 249), (5, 249), (6, 310)]);
    let (left, _) = pass(&[steps(Some(span(210)), true)], packets());
    assert_eq!(left.last(), Some(&(6, 360)), "310 is 100 in the second period");
}

#[test]
fn a_sawtooth_rises_linearly_and_its_mean_is_the_middle() {
    let delay = DelayModel::Sawtooth { minimum: span(100), maximum: span(300), period: span(1000) };
    let sawtooth = [Impairment::Delay { delay, reorder: true }];
    let (left, _) = pass(&sawtooth, [packet(0, 0), packet(1, 500), packet(2, 2999), packet(3, 3000)]);
    assert_eq!(left, [(0, 100), (1, 700), (3, 3100), (2, 3298)]);
}

#[test]
fn a_handover_holds_packets_for_its_outage_and_changes_the_delay() {
    let delay = Spans(Distribution::Uniform { minimum: 1e-3, maximum: 9e-3 });
    let model = DelayModel::Handover { interval: span(1_000_000), delay, outage: span(20_000) };
    let list = [Impairment::Delay { delay: model, reorder: false }];
    let times = [0, 10, 999_000, 1_000_000, 1_010_000, 1_020_000, 1_500_000];
    let (left, _) = pass(&list, times.iter().zip(0..).map(|(at, number)| packet(number, *at)));
    let extra: Vec<u64> = left.iter().zip(times).map(|((_, leaves), at)| leaves - at).collect();
    let (first, second) = (extra[0], extra[5]);
    assert!((1000..=9000).contains(&first) && (1000..=9000).contains(&second) && first != second);
    assert_eq!(extra, [first, first, first, second + 20_000, second + 10_000, second, second]);
}

#[test]
fn thinning_drops_its_share_of_acknowledgements_and_no_data() {
    let body = Body::Ack { blocks: SackBlocks::new(0, None, []), ce_packets: 0, timestamp_echo: 0 };
    let packets = (0..40_000).map(|number| {
        let data = packet(number, number);
        if number % 2 == 0 { data } else { Packet { body, ..data } }
    });
    let (left, lost) = pass(&[Impairment::AckThinning { share: 0.75 }], packets);
    assert_eq!(left.iter().filter(|(number, _)| number % 2 == 0).count(), 20_000);
    assert_within(lost.len() as f64, 15_000.0, libm::sqrt(20_000.0 * 0.75 * 0.25));
}

fn frames(largest: Option<u64>, error: f64, retries: u32) -> [Impairment; 1] {
    let largest = largest.map(Bytes::new);
    [Impairment::Aggregation { frame: span(1000), largest, error, retry: span(8000), retries }]
}

#[test]
fn packets_leave_at_the_end_of_their_frame_and_full_frames_pass_them_on() {
    let (left, _) =
        pass(&frames(None, 0.0, 0), [packet(0, 1), packet(1, 999), packet(2, 1000), packet(3, 1001)]);
    assert_eq!(left, [(0, 1000), (1, 1000), (2, 1000), (3, 2000)]);
    let (left, _) = pass(&frames(Some(3000), 0.0, 0), (0..5).map(|number| packet(number, 10 + number)));
    assert_eq!(left, [(0, 1000), (1, 1000), (2, 2000), (3, 2000), (4, 3000)]);
}

#[test]
fn the_wait_for_a_frame_is_half_its_time_on_average() {
    let (left, _) =
        pass_packets(&frames(None, 0.0, 0), (0..10_000).map(|number| packet(number, number * 1237)));
    let waits: Vec<f64> = left
        .iter()
        .map(|packet| packet.arrival.since(us(packet.number * 1237)).as_secs_f64() * 1e6)
        .collect();
    assert_within(mean(&waits), 500.0, 1000.0 / libm::sqrt(12.0 * 10_000.0));
}

#[test]
fn frames_that_fail_are_repeated_and_lost_as_often_as_the_errors_say() {
    let (error, retries, count) = (0.3, 2, 40_000_u32);
    // A packet each 100 ms has a frame of its own, and none waits for an earlier one.
    let packets = (0..u64::from(count)).map(|number| packet(number, number * 100_000));
    let (left, lost) = pass(&frames(None, error, retries), packets);
    let all_fail = libm::pow(error, 3.0);
    let sigma = |p: f64| libm::sqrt(p * (1.0 - p) * f64::from(count));
    assert_within(lost.len() as f64, f64::from(count) * all_fail, sigma(all_fail));
    let once = left.iter().filter(|(number, leaves)| leaves - number * 100_000 == 8000).count();
    let share = error * (1.0 - error);
    assert_within(once as f64, f64::from(count) * share, sigma(share));
}

#[test]
fn elements_act_in_the_order_of_the_list() {
    let policer = Impairment::Policer { rate: Rate::from_bps(12_000_000), burst: Bytes::new(1500) };
    let [frame] = frames(None, 0.0, 0);
    let packets = || (0..4).map(|number| packet(number, 1 + number * 1000));
    let (left, _) = pass(&[policer.clone(), frame.clone()], packets());
    assert_eq!(left.len(), 4, "a packet each millisecond conforms");
    let late = [packet(0, 1), packet(1, 1000)];
    let (_, lost) = pass(&[frame, policer], late);
    assert_eq!(lost, [1], "both leave their frame at once");
}
