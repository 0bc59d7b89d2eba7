// SPDX-License-Identifier: Apache-2.0
//! A flow of BBR, version 3, made of single facts.

use super::state::{CRUISE, UP};
use crate::host::MSS;
use crate::{at, build, inner};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView, SentPacket};
use narrows_units::{Rate, Span, Time};

/// The round-trip time.
pub const RTT: Span = Span::from_ms(40);

/// A flow over a path of [`RTT`] and a rate that the test sets.
pub struct Flow {
    pub algorithm: Box<dyn CongestionControl>,
    pub now: Time,
    /// Packets in flight after the next fact.
    pub in_flight: u64,
    /// The delivery rate.
    pub mbps: f64,
    /// The changes of state so far: from, to.
    pub transitions: Vec<(u8, u8)>,
    delivered: u64,
    lost: u64,
}

impl Flow {
    /// A flow in Startup over a path of 30 Mbps, 100 packets in a round trip.
    pub fn starting() -> Self {
        let mut flow = Self {
            algorithm: build("bbr3", 1),
            now: at(40),
            in_flight: 0,
            mbps: 30.0,
            transitions: Vec::new(),
            delivered: 0,
            lost: 0,
        };
        flow.algorithm.on_sent(&flow.packet(), &flow.path());
        flow
    }

    /// A flow that has found the bandwidth and is in Cruise.
    pub fn cruising() -> Self {
        let mut flow = Self::starting();
        flow.in_flight = 90;
        flow.until(CRUISE);
        flow
    }

    /// The state of the flow.
    pub fn path(&self) -> Path {
        let rtt = RttView::new(RTT);
        Path::new(self.now, MSS).in_flight(self.in_flight).rtt(Some(rtt)).window_limited(false)
    }

    /// A packet that leaves now.
    pub fn packet(&self) -> SentPacket {
        SentPacket::new(self.delivered + self.lost, MSS, self.now)
            .in_flight(self.in_flight)
            .lost_before(self.lost)
    }

    /// An acknowledgement of a packet that left when all before it had been delivered: it ends a round.
    pub fn round(&mut self) {
        let newest = self.packet();
        self.now += RTT;
        self.ack(newest, self.delivered);
    }

    /// As [`round`](Self::round), with `losses` packets lost in it.
    pub fn round_with_losses(&mut self, losses: u64) {
        let newest = self.packet();
        self.now += RTT;
        self.lose(losses, true);
        self.ack(newest, self.delivered);
    }

    /// An acknowledgement at `now` that ends no round.
    pub fn ack_within_the_round(&mut self) {
        self.ack(self.packet(), 0);
    }

    fn ack(&mut self, newest: SentPacket, prior_delivered: u64) {
        let delivered = (self.mbps * 1e6 * RTT.as_secs_f64() / MSS.bits() as f64) as u64;
        let sample = RateSample::new(delivered, RTT, Rate::from_bps_f64(self.mbps * 1e6))
            .prior_delivered(prior_delivered)
            .prior_in_flight(self.in_flight);
        self.delivered += delivered;
        let ack = Ack::new(delivered).rtt(Some(RTT)).rate(Some(sample));
        self.fact(|algorithm, path| algorithm.on_ack(&ack.packets(&[newest]), path));
    }

    /// `packets` packets are lost that left with the present volume in flight.
    pub fn lose(&mut self, packets: u64, new_episode: bool) {
        let left: Vec<_> = (0..packets).map(|_| self.packet()).collect();
        self.lost += packets;
        let loss = Loss::new(Cause::Detected, packets).new_episode(new_episode).packets(&left);
        self.fact(|algorithm, path| algorithm.on_loss(&loss, path));
    }

    /// The last losses turn out to be spurious.
    pub fn spurious_loss(&mut self) {
        self.fact(|algorithm, path| algorithm.on_spurious_loss(path));
    }

    /// Passes a fact to the algorithm and records a change of state.
    fn fact(&mut self, fact: impl FnOnce(&mut dyn CongestionControl, &Path)) {
        let (before, path) = (self.state(), self.path());
        fact(&mut *self.algorithm, &path);
        if self.state() != before {
            self.transitions.push((before, self.state()));
        }
    }

    /// The internal variable `name`.
    pub fn inner(&self, name: &str) -> f64 {
        inner(&*self.algorithm, name)
    }

    /// The state by its number.
    pub fn state(&self) -> u8 {
        self.inner("state") as u8
    }

    /// A bound by its name, if it is set.
    pub fn bound(&self, name: &str) -> Option<f64> {
        let mut found = None;
        self.algorithm.observe(&mut |this, value| found = if this == name { Some(value) } else { found });
        found
    }

    /// The congestion window, packets.
    pub fn window(&self) -> f64 {
        self.algorithm.window().expect("BBR has a window")
    }

    /// The pacing rate.
    pub fn pacing_mbps(&self) -> f64 {
        self.algorithm.limits().pacing.expect("BBR has a rate").as_bps() as f64 / 1e6
    }

    /// Continues to the next probe.
    pub fn probe(&mut self) {
        self.until(UP);
    }

    /// Continues by rounds until the flow is in `state`.
    #[track_caller]
    pub fn until(&mut self, state: u8) {
        for _ in 0..10_000 {
            if self.state() == state {
                return;
            }
            self.round();
        }
        panic!("state {state} is not reached from {}", self.state());
    }
}
