// SPDX-License-Identifier: Apache-2.0
//! A controller of s2n-quic-core, called as s2n-quic calls it: of an acknowledgement first the round-trip time, then the losses that
//! it reveals, then what it acknowledges.

use crate::fact::{Controller, Fact, PACKET};
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::bbr::BbrCongestionController;
use s2n_quic_core::recovery::congestion_controller::Publisher;
use s2n_quic_core::recovery::{CongestionController, CubicCongestionController, RttEstimator};
use s2n_quic_core::time::{Clock, NoopClock, Timestamp};
use std::collections::BTreeMap;
use std::time::Duration;

/// A controller of s2n-quic-core.
pub struct Theirs<C: CongestionController> {
    controller: C,
    rate: fn(&C) -> Option<u64>,
    rtt: RttEstimator,
    /// What the controller wants back with the end of each packet outstanding.
    outstanding: BTreeMap<u64, C::PacketInfo>,
    /// The packet that the present acknowledgement acknowledges, and when it was sent.
    acked: Option<(u64, u64)>,
    draws: Draws,
    silent: Silent,
}

impl Theirs<CubicCongestionController> {
    /// Creates their CUBIC.
    pub fn cubic() -> Self {
        Self::new(CubicCongestionController::new(PACKET as u16, Default::default()), |_| None)
    }
}

impl Theirs<BbrCongestionController> {
    /// Creates their BBR 2.
    pub fn bbr() -> Self {
        Self::new(BbrCongestionController::new(PACKET as u16, Default::default()), |controller| {
            Some(controller.pacing_rate().as_bytes_per_second() * 8)
        })
    }
}

impl<C: CongestionController> Theirs<C> {
    fn new(controller: C, rate: fn(&C) -> Option<u64>) -> Self {
        Self {
            controller,
            rate,
            rtt: RttEstimator::default(),
            outstanding: BTreeMap::new(),
            acked: None,
            draws: Draws(1),
            silent: Silent,
        }
    }
}

impl<C: CongestionController> Controller for Theirs<C> {
    fn apply(&mut self, fact: Fact) {
        match fact {
            Fact::Sent { number, now } => {
                let packet = self.controller.on_packet_sent(
                    time(now),
                    PACKET as usize,
                    Some(false),
                    &self.rtt,
                    &mut self.silent,
                );
                self.outstanding.insert(number, packet);
            }
            Fact::Acked { number, sent, now } => {
                let space = PacketNumberSpace::ApplicationData;
                let sample = Duration::from_nanos(now - sent);
                self.rtt.update_rtt(Duration::ZERO, sample, time(now), true, space);
                self.controller.on_rtt_update(time(sent), time(now), &self.rtt, &mut self.silent);
                self.acked = Some((number, sent));
            }
            Fact::Lost { number, now, first, .. } => {
                let packet = self.outstanding.remove(&number).expect("a lost packet was outstanding");
                self.controller.on_packet_lost(
                    PACKET,
                    packet,
                    false,
                    first,
                    &mut self.draws,
                    time(now),
                    &mut self.silent,
                );
            }
            Fact::Acknowledged { now, .. } => {
                let (number, sent) = self.acked.take().expect("an acknowledgement acknowledges a packet");
                let packet =
                    self.outstanding.remove(&number).expect("an acknowledged packet was outstanding");
                self.controller.on_ack(
                    time(sent),
                    PACKET as usize,
                    packet,
                    &self.rtt,
                    &mut self.draws,
                    time(now),
                    &mut self.silent,
                );
            }
        }
    }

    fn window(&self) -> u64 {
        u64::from(self.controller.congestion_window())
    }

    fn rate(&self) -> Option<u64> {
        (self.rate)(&self.controller)
    }
}

/// Their times are whole microseconds, and begin at one.
fn time(nanoseconds: u64) -> Timestamp {
    NoopClock.get_time() + Duration::from_nanos(nanoseconds)
}

/// Random numbers with a seed: SplitMix64.
struct Draws(u64);

impl Generator for Draws {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        for byte in dest {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (mixed ^ mixed >> 31) as u8;
        }
    }

    fn private_random_fill(&mut self, dest: &mut [u8]) {
        self.public_random_fill(dest);
    }
}

/// Drops their reports.
struct Silent;

impl Publisher for Silent {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: num_rational::Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}
