// SPDX-License-Identifier: Apache-2.0
//! A flow of C4, made of single facts.

use crate::host::MSS;
use crate::{at, build, inner};
use narrows_cc::{Ack, Cause, CongestionControl, Loss, Path, RateSample, RttView};
use narrows_units::{Rate, Span, Time};

/// The round-trip time without jitter.
pub const RTT: Span = Span::from_ms(40);

/// A flow whose path is seen through single acknowledgements.
pub struct Flow {
    pub algorithm: Box<dyn CongestionControl>,
    pub now: Time,
    pub in_flight: u64,
    delivered: u64,
}

impl Flow {
    pub fn new(written: &str) -> Self {
        Self { algorithm: build(written, 1), now: at(40), in_flight: 0, delivered: 0 }
    }

    /// A flow that has found `mbps` and cruises.
    pub fn cruising(mbps: f64) -> Self {
        let mut flow = Self::new("c4");
        (0..5).for_each(|_| flow.era(mbps, RTT));
        assert_eq!(flow.state(), "cruising");
        // The eras of M, which was half of the last window over the rate.
        for _ in 0..400 {
            flow.era(mbps, RTT);
        }
        while flow.state() != "cruising" {
            flow.era(mbps, RTT);
        }
        flow
    }

    /// One acknowledgement, of `packets` packets, `marked` of them with a mark; it ends an era if `ends`.
    pub fn acked(&mut self, packets: u64, marked: u64, mbps: f64, rtt: Span, ends: bool) {
        let prior_delivered = if ends { self.delivered } else { 0 };
        self.delivered += packets;
        let rate = Rate::from_bps_f64(mbps * 1e6);
        let sample = RateSample::new(100, rate.time_for(MSS * 100), rate)
            .prior_delivered(prior_delivered)
            .prior_in_flight(self.in_flight);
        let ack = Ack::new(packets).ce_packets(marked).rtt(Some(rtt)).rate(Some(sample));
        let path = self.path(rtt);
        self.algorithm.on_ack(&ack, &path);
    }

    /// One acknowledgement of a packet that left when all but `packets` of the packets delivered by now had been delivered.
    pub fn sent_before(&mut self, packets: u64, rtt: Span) {
        self.delivered -= packets;
        self.acked(packets, 0, 0.0, rtt, true);
    }

    /// An era, with one acknowledgement at its end.
    pub fn era(&mut self, mbps: f64, rtt: Span) {
        self.now += rtt;
        self.acked(10, 0, mbps, rtt, true);
    }

    pub fn lost(&mut self, cause: Cause, packets: u64) {
        let path = self.path(RTT);
        let loss = Loss::new(cause, packets);
        self.algorithm.on_loss(&loss, &path);
    }

    pub fn state(&self) -> &'static str {
        self.algorithm.state()
    }

    pub fn mbps(&self) -> f64 {
        self.inner("nominal_rate_bps") / 1e6
    }

    pub fn inner(&self, name: &str) -> f64 {
        inner(&*self.algorithm, name)
    }

    /// The pacing rate, Mbps.
    pub fn pacing(&self) -> f64 {
        self.algorithm.limits().pacing.expect("a model").as_bps() as f64 / 1e6
    }

    fn path(&self, rtt: Span) -> Path {
        Path::new(self.now, MSS)
            .in_flight(self.in_flight)
            .rtt(Some(RttView::new(rtt).min(RTT).variation(Span::ZERO)))
    }
}
