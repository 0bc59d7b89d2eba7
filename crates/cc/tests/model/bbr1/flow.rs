// SPDX-License-Identifier: Apache-2.0
//! A flow of BBR, version 1, made of single facts.

use crate::host::MSS;
use crate::{at, build, inner};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView, SentPacket};
use narrows_units::{Rate, Span, Time};

/// The round-trip time.
pub const RTT: Span = Span::from_ms(40);

/// A flow over a path of [`RTT`].
pub struct Flow {
    pub algorithm: Box<dyn CongestionControl>,
    pub now: Time,
    /// Packets in flight after the next fact.
    pub in_flight: u64,
    pub delivered: u64,
    /// When pacing permits the next packet.
    pub next_departure: Time,
}

/// An acknowledgement and its delivery-rate sample.
#[derive(Clone, Copy)]
pub struct Acked {
    pub packets: u64,
    pub mbps: f64,
    pub rtt: Span,
    /// `None`: all packets before, so that it ends a round.
    pub prior_delivered: Option<u64>,
    pub app_limited: bool,
}

/// `bbr_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

impl Default for Acked {
    fn default() -> Self {
        Self { packets: 2, mbps: 20.0, rtt: RTT, prior_delivered: None, app_limited: false }
    }
}

impl Flow {
    /// A flow in Startup that has sent nothing.
    pub fn new(written: &str) -> Self {
        Self {
            algorithm: build(written, 1),
            now: at(40),
            in_flight: 0,
            delivered: 0,
            next_departure: Time::ZERO,
        }
    }

    /// A flow that has found 20 Mbps and drained its queue.
    pub fn steady() -> Self {
        let mut flow = Self::new("bbr1");
        flow.sent(60, false);
        (0..5).for_each(|_| flow.round(Acked::default()));
        assert!(flow.inner("cwnd_gain") < 2.5, "Startup and Drain are over");
        flow
    }

    /// A flow that lost 6 packets a round, for 20 delivered in each of four rounds and `later` in each of four more, while
    /// samples have 20 Mbps.
    pub fn policed(written: &str, later: u64) -> Self {
        let mut flow = Self::new(written);
        flow.in_flight = 60;
        (0..5).for_each(|_| flow.round(Acked { packets: 20, ..Acked::default() }));
        for packets in [20, 20, 20, 20, later, later, later, later] {
            flow.lost(Cause::Detected, 6, true);
            flow.round(Acked { packets, ..Acked::default() });
            flow.recovered();
        }
        flow
    }

    /// The mode, as far as the gains show it.
    pub fn mode(&self) -> Mode {
        let gains = (self.inner("pacing_gain"), self.inner("cwnd_gain"));
        match gains {
            (pacing, _) if pacing > 2.0 => Mode::Startup,
            (pacing, _) if pacing < 0.5 => Mode::Drain,
            (_, cwnd) if cwnd < 1.5 => Mode::ProbeRtt,
            _ => Mode::ProbeBw,
        }
    }

    /// The state of the flow.
    pub fn path(&self) -> Path {
        let rtt = RttView::new(RTT);
        Path::new(self.now, MSS).in_flight(self.in_flight).rtt(Some(rtt)).next_departure(self.next_departure)
    }

    /// `packets` packets leave.
    pub fn sent(&mut self, packets: u64, app_limited: bool) {
        for _ in 0..packets {
            self.in_flight += 1;
            let packet = SentPacket::new(0, MSS, self.now).in_flight(self.in_flight).app_limited(app_limited);
            self.algorithm.on_sent(&packet, &self.path());
        }
    }

    /// An acknowledgement now.
    pub fn acked(&mut self, acked: Acked) {
        self.delivered += acked.packets;
        let delivered = 1_000_000;
        let bits = delivered as f64 * MSS.bits() as f64;
        let sample = RateSample::new(
            delivered,
            Span::from_secs_f64(bits / (acked.mbps * 1e6)),
            Rate::from_bps_f64(acked.mbps * 1e6),
        )
        .prior_delivered(acked.prior_delivered.unwrap_or(self.delivered - acked.packets))
        .prior_in_flight(self.in_flight + acked.packets)
        .app_limited(acked.app_limited);
        let ack = Ack::new(acked.packets).rtt(Some(acked.rtt)).rate(Some(sample));
        self.algorithm.on_ack(&ack, &self.path());
    }

    /// An acknowledgement that ends a round, a round-trip time after the last.
    pub fn round(&mut self, acked: Acked) {
        self.now += RTT;
        self.acked(acked);
    }

    /// `packets` packets are declared lost.
    pub fn lost(&mut self, cause: Cause, packets: u64, new_episode: bool) {
        let loss = Loss::new(cause, packets).new_episode(new_episode);
        self.algorithm.on_loss(&loss, &self.path());
    }

    /// Loss recovery is over.
    pub fn recovered(&mut self) {
        let path = self.path();
        self.algorithm.on_recovered(&path);
    }

    /// The internal variable `name`.
    pub fn inner(&self, name: &str) -> f64 {
        inner(&*self.algorithm, name)
    }

    /// The congestion window, packets.
    pub fn window(&self) -> u64 {
        self.algorithm.limits().window.expect("BBR has a window")
    }

    /// The pacing rate.
    pub fn pacing_mbps(&self) -> f64 {
        self.algorithm.limits().pacing.expect("more than ten packets have left").as_bps() as f64 / 1e6
    }
}
