// SPDX-License-Identifier: Apache-2.0
//! Properties: whatever the network does, a transfer completes with its exact size, no window is ever exceeded (which
//! the wire asserts after each step), and the events passed to the algorithm are consistent.

use crate::wire::{self, Fate, Halving, POLICIES, Wire, options};
use narrows_cc::{Ack, Cause, CongestionControl, Limits, Loss, Path};
use narrows_transport::{ForwardRtoKind, RecoveryKind, RtoRestart, TransportOptions, UndoKind};
use narrows_units::{Bytes, Rate, Span};
use narrows_wire::Packet;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// An algorithm that asserts that its events are consistent.
#[derive(Clone, Debug)]
struct Auditor {
    window: Halving,
    acked: u64,
    /// The cause of the episode in progress.
    episode: Option<Cause>,
    /// The segments declared lost so far.
    lost: BTreeSet<u64>,
    /// Acknowledgements carry SACK blocks.
    selective: bool,
}

impl CongestionControl for Auditor {
    fn limits(&self) -> Limits {
        self.window.limits()
    }
    fn window(&self) -> Option<f64> {
        self.window.window()
    }
    fn ssthresh(&self) -> Option<f64> {
        self.window.ssthresh()
    }
    fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) {
        assert!(ack.newly_acked > 0);
        self.acked += ack.newly_acked;
        if self.selective {
            assert_eq!(ack.packets.len() as u64, ack.newly_acked);
            assert!(ack.packets.is_sorted_by_key(|packet| packet.sent_at));
        }
        if let (Some(rtt), Some(view)) = (ack.rtt, path.rtt) {
            assert!(view.min <= rtt && view.latest == rtt);
            // A timestamp of a millisecond may be up to so much too late.
            assert!(rtt + Span::from_ms(1) > wire::DELAY * 2);
        }
        self.window.on_ack(ack, path);
    }
    fn on_loss(&mut self, loss: &Loss<'_>, path: &Path) {
        assert_eq!(loss.packets.len() as u64, loss.lost);
        if loss.new_episode {
            // Only a timeout, or the loss of a retransmission, may start within an episode.
            let again = loss.packets.iter().any(|packet| self.lost.contains(&packet.segment));
            let within = again || loss.cause == Cause::Timeout;
            assert!(self.episode.is_none() || within, "{loss:?} in {:?}", self.episode);
            self.episode = Some(loss.cause);
        } else {
            assert!(self.episode.is_some(), "{loss:?} belongs to no episode");
        }
        self.lost.extend(loss.packets.iter().map(|packet| packet.segment));
        self.window.on_loss(loss, path);
    }
    fn on_recovered(&mut self, path: &Path) {
        assert!(self.episode.take().is_some(), "only an episode in progress can end");
        self.window.on_recovered(path);
    }
    fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        record("acked", self.acked as f64);
    }
    fn on_spurious_loss(&mut self, path: &Path) {
        self.window.on_spurious_loss(path);
    }
    fn boxed_clone(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// The fates of packets: mostly delivery, at most ten faults in a row.
fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let fate = prop_oneof![
        12 => Just(Fate::Deliver),
        2 => Just(Fate::Drop),
        1 => Just(Fate::Duplicate),
        1 => Just(Fate::Mark),
        1 => (1_u64..60).prop_map(|ms| Fate::Delay(Span::from_ms(ms))),
    ];
    prop::collection::vec(fate, 1..400)
}

fn undo() -> impl Strategy<Value = UndoKind> {
    prop_oneof![Just(UndoKind::None), Just(UndoKind::Duplicates), Just(UndoKind::DuplicatesAndTimestamps),]
}

fn frto() -> impl Strategy<Value = ForwardRtoKind> {
    prop_oneof![Just(ForwardRtoKind::None), Just(ForwardRtoKind::Rfc5682), Just(ForwardRtoKind::Linux)]
}

proptest! {
    #[test]
    fn a_transfer_completes_despite_loss_reordering_and_duplication(
        fates in fates(),
        policy in 0..POLICIES.len(),
        frto in frto(),
        rto_restart in prop_oneof![Just(RtoRestart::Ack), Just(RtoRestart::Head)],
        proportional_rate_reduction: bool,
        limited_transmit: bool,
        idle_restart: bool,
        undo in undo(),
        ecn: bool,
        pacing: bool,
        quick_ack: bool,
        delayed_ack in 1_u32..4,
        receive_window in prop::option::of(1_u64..50),
        read_kbps in prop::option::of(20_u64..20_000),
        pause in prop::option::of((0_u64..2_000, 1_u64..20_000)),
        window in 1_u32..40,
        size in 0_u64..300_000,
    ) {
        let options = TransportOptions {
            proportional_rate_reduction,
            limited_transmit,
            idle_restart,
            undo,
            frto,
            rto_restart,
            ecn,
            pacing,
            quick_ack,
            delayed_ack,
            receive_window,
            read_rate: read_kbps.map(|kbps| Rate::from_bps(1_000 * kbps)),
            read_pause: pause.map_or((Span::ZERO, Span::ZERO), |(from, lasts)| {
                (Span::from_ms(from), Span::from_ms(from + lasts))
            }),
            ..options(POLICIES[policy])
        };
        let selective = matches!(options.recovery, RecoveryKind::Sack | RecoveryKind::Rack);
        let algorithm = Auditor { window: Halving::growing(f64::from(window)), acked: 0, episode: None, lost: BTreeSet::new(), selective };
        let mut next = 0;
        let script = move |_: &Packet, _: usize| {
            next += 1;
            fates.get(next - 1).copied().unwrap_or(Fate::Deliver)
        };
        let mut wire = Wire::of_size(options, algorithm, Some(Bytes::new(size)), script);
        prop_assert!(wire.complete(Span::from_ms(3_600_000)), "{:?}", wire.sender);
        prop_assert_eq!(wire.receiver.counters().bytes_delivered, size);
        prop_assert_eq!(wire.sender.counters().bytes_acked, size);
        prop_assert_eq!(wire.sender.snapshot().in_flight, Some(0));
        let mut acked = 0.0;
        wire.sender.algorithm().expect("it is simulated").observe(&mut |_, value| acked = value);
        if selective {
            prop_assert!((acked - size.div_ceil(1_000) as f64).abs() < f64::EPSILON);
        }
        let sent = wire.sender.counters();
        prop_assert_eq!(sent.packets_sent - sent.retransmissions, size.div_ceil(1_000));
    }
}
