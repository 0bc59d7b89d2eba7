// SPDX-License-Identifier: Apache-2.0
//! Random networks and senders.

use super::{Fate, MSS, POLICIES, at, options};
use narrows_cc::{
    AckCounting, FirstCut, QuickStartRequest, RestartWindow, SavedPath, SlowStartKind, UndoRestores,
};
use narrows_transport::{
    EcnPackets, ForwardRtoKind, ReductionFrom, RtoRestart, RtoRule, TransportOptions, UndoKind,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Body, Packet};
use proptest::prelude::*;
use proptest::sample::select;

/// The effects of the network on packets.
#[derive(Clone, Debug)]
pub struct Impairment {
    /// One data packet of so many is lost; 0 for none.
    pub lost: u64,
    /// One data packet of so many is late; 0 for none.
    pub late: u64,
    /// By how much it is late, ms.
    pub lateness: u64,
    /// One acknowledgement of so many is lost; 0 for none.
    pub acks_lost: u64,
    /// When an outage of data begins, and how long it lasts, ms.
    pub outage: (u64, u64),
    /// When the delay of data rises, for how long, and by how much, ms. Nothing is reordered when it rises or falls.
    pub step: (u64, u64, u64),
}

impl Impairment {
    /// Decides the fate of each packet.
    pub fn script(self) -> impl FnMut(&Packet, usize) -> Fate + 'static {
        let (mut data, mut acks) = (0_u64, 0_u64);
        let mut last_arrival = Time::ZERO;
        move |packet, _| {
            let within =
                |(from, length): (u64, u64)| packet.sent_at >= at(from) && packet.sent_at < at(from + length);
            match packet.body {
                Body::Data { .. } => data += 1,
                Body::Ack { .. } => {
                    acks += 1;
                    let lost = self.acks_lost > 0 && u64::is_multiple_of(acks, self.acks_lost);
                    return if lost { Fate::Drop } else { Fate::Deliver };
                }
                _ => return Fate::Deliver,
            }
            let one_of = |share: u64, offset: u64| share > 0 && (data + offset).is_multiple_of(share);
            if within(self.outage) || one_of(self.lost, 0) {
                return Fate::Drop;
            }
            if one_of(self.late, 3) {
                return Fate::Delay(Span::from_ms(self.lateness));
            }
            let (from, length, by) = self.step;
            let delay = if within((from, length)) { Span::from_ms(by) } else { Span::ZERO };
            last_arrival = last_arrival.max(packet.sent_at + delay);
            Fate::Delay(last_arrival - packet.sent_at)
        }
    }
}

/// Networks that lose, delay and reorder packets.
pub fn impairment() -> impl Strategy<Value = Impairment> {
    let rare = || prop_oneof![2 => Just(0_u64), 1 => 7_u64..300];
    let times = || (80_u64..1_500, prop_oneof![1 => Just(0_u64), 1 => 1_u64..2_500]);
    (rare(), rare(), 1_u64..60, rare(), times(), times(), 1_u64..1_500).prop_map(
        |(lost, late, lateness, acks_lost, outage, step, by)| Impairment {
            lost,
            late,
            lateness,
            acks_lost,
            outage,
            step: (step.0, step.1, by),
        },
    )
}

/// Endpoints with any options: the literal names all, so that a new one does not compile until it is drawn.
#[expect(clippy::too_many_lines, reason = "a line or two for each option, none of which may be left out")]
pub fn every_option() -> impl Strategy<Value = TransportOptions> {
    /// The usual value most of the time: another one excludes the short path, or affects few flows.
    fn rarely<T: Clone + std::fmt::Debug + 'static>(usual: T, others: &[T]) -> BoxedStrategy<T> {
        prop_oneof![9 => Just(usual), 1 => select(others.to_vec())].boxed()
    }
    let ms = |values: &[u64]| select(values.iter().map(|ms| Span::from_ms(*ms)).collect::<Vec<_>>());
    let rate = Rate::from_bps(4_000_000);
    let saved = |window, rtt| SavedPath::new(window, rtt);
    let request = |ends_slow_start| QuickStartRequest::new(rate, ends_slow_start);
    // Groups, since a tuple of strategies has at most ten.
    let start = (
        select(vec![1_u64, 2, 10, 40]),
        select(vec![None, Some(8), Some(60)]),
        select(vec![
            SlowStartKind::Standard,
            SlowStartKind::HyStart,
            SlowStartKind::Limited,
            SlowStartKind::HyStartPlusPlus,
            SlowStartKind::Search,
            SlowStartKind::Rapid,
        ]),
        select(vec![AckCounting::Segments, AckCounting::Mixed, AckCounting::Acks]),
        rarely(None, &[Some(request(false)), Some(request(true))]),
        rarely(None, &[Some(saved(80.0, None)), Some(saved(30.0, Some(Span::from_ms(40))))]),
        select(vec![FirstCut::Rule, FirstCut::Half]),
        any::<bool>(),
        select(vec![RestartWindow::Initial, RestartWindow::Halved]),
    );
    let window = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let responses = (
        any::<bool>(),
        select(vec![ReductionFrom::Window, ReductionFrom::Flight]),
        select(vec![UndoRestores::State, UndoRestores::Window]),
        rarely(None, &[Some(rate), Some(Rate::from_bps(80_000_000))]),
        select(vec![0_u32, 10]),
        select(vec![EcnPackets::NewData, EcnPackets::All]),
    );
    let receiver = (
        rarely(None, &[Some(8_u64), Some(50)]),
        rarely(false, &[true]),
        rarely(None, &[Some(rate), Some(Rate::from_bps(80_000_000))]),
        rarely((0, 0), &[(100, 400), (300, 310)]),
        rarely(1_u32, &[2, 8]),
        select(vec![Span::from_us(50), Span::from_us(500)]),
        rarely(1_u32, &[2, 3]),
        rarely(0_u32, &[4]),
        any::<bool>(),
    );
    let acknowledgements = (1_u32..5, ms(&[5, 40, 200]), any::<bool>());
    let sending = (
        rarely(false, &[true]),
        any::<bool>(),
        rarely(false, &[true]),
        rarely(1_u32, &[2, 16]),
        rarely(false, &[true]),
        any::<bool>(),
    );
    let sizes = (
        select(vec![Bytes::new(500), MSS, Bytes::new(1_460)]),
        select(vec![Bytes::ZERO, Bytes::new(40)]),
        select(vec![Bytes::new(40), Bytes::new(52)]),
    );
    let timers = (
        select(vec![Span::ZERO, Span::from_ms(1), Span::from_ms(100)]),
        select(vec![RtoRule::Rfc6298, RtoRule::Linux]),
        ms(&[1_000, 3_000]),
        ms(&[10, 200, 1_000]),
        ms(&[5_000, 60_000]),
        ms(&[0, 4, 10]),
        select(vec![1_u32, 6]),
        select(vec![4_u32, 15]),
    );
    (transport(), start, window, responses, receiver, acknowledgements, sending, sizes, timers).prop_map(
        |(recovering, start, window, responses, receiver, acknowledgements, sending, sizes, timers)| {
            let pause = receiver.3;
            let options = TransportOptions {
                recovery: recovering.recovery,
                proportional_rate_reduction: recovering.proportional_rate_reduction,
                undo: recovering.undo,
                frto: recovering.frto,
                rto_restart: recovering.rto_restart,
                initial_window: start.0,
                initial_ssthresh: start.1,
                slow_start: start.2,
                ack_counting: start.3,
                quick_start: start.4,
                saved_path: start.5,
                first_cut: start.6,
                abe: start.7,
                restart_window: start.8,
                lost_retransmission_reduces: responses.0,
                reduction_from: responses.1,
                undo_restores: responses.2,
                unpaced_packets: responses.4,
                pacing_cap: responses.3,
                ecn_packets: responses.5,
                limited_transmit: window.0,
                window_validation: window.1,
                rate_limited_increase: window.2,
                idle_restart: window.3,
                receive_window: receiver.0,
                receive_autotuning: receiver.1,
                read_rate: receiver.2,
                read_pause: (Span::from_ms(pause.0), Span::from_ms(pause.1)),
                receive_offload: receiver.4,
                receive_offload_timeout: receiver.5,
                ack_division: receiver.6,
                optimistic_ack: receiver.7,
                hide_ce: receiver.8,
                delayed_ack: acknowledgements.0,
                delayed_ack_timeout: acknowledgements.1,
                quick_ack: acknowledgements.2,
                pacing: sending.0,
                pacing_credit: sending.1,
                nagle: sending.2,
                segmentation_offload: sending.3,
                tso_autosizing: sending.4,
                ecn: sending.5,
                mss: sizes.0,
                header: sizes.1,
                ack: sizes.2,
                rtt_clock: timers.0,
                rto: timers.1,
                initial_rto: timers.2,
                min_rto: timers.3,
                max_rto: timers.4,
                timer_tick: timers.5,
                syn_retries: timers.6,
                retries: timers.7,
            };
            // Scenarios refuse the combination: a receiver that acknowledges data before it arrives has no window.
            let optimistic_ack = if options.read_buffer().is_some() { 0 } else { options.optimistic_ack };
            TransportOptions { optimistic_ack, ..options }
        },
    )
}

/// Endpoints with any recovery, and the defaults of the other options.
pub fn transport() -> impl Strategy<Value = TransportOptions> {
    let undo = prop_oneof![
        Just(UndoKind::None),
        Just(UndoKind::Duplicates),
        Just(UndoKind::DuplicatesAndTimestamps)
    ];
    let frto =
        prop_oneof![Just(ForwardRtoKind::None), Just(ForwardRtoKind::Rfc5682), Just(ForwardRtoKind::Linux)];
    let rto_restart = prop_oneof![Just(RtoRestart::Ack), Just(RtoRestart::Head)];
    (0..POLICIES.len(), undo, frto, rto_restart, any::<bool>(), 1_u32..3).prop_map(
        |(policy, undo, frto, rto_restart, proportional_rate_reduction, delayed_ack)| TransportOptions {
            undo,
            frto,
            rto_restart,
            proportional_rate_reduction,
            delayed_ack,
            ..options(POLICIES[policy])
        },
    )
}
