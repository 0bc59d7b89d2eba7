// SPDX-License-Identifier: Apache-2.0
//! The common part of a reliable sender and a sender of datagrams.

use super::Status;
use crate::ecn::EcnSender;
use crate::round::RoundCounter;
use crate::rto::RetransmissionTimer;
use crate::transfer::SendBuffer;
use crate::{Host, TransportEvent, TransportOptions, rtt};
use narrows_cc::{CongestionControl, Needs, Path};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::FlowId;
use std::sync::Arc;

/// The part of a sender that does not depend on its kind: the hosted congestion control algorithm, the round-trip time,
/// marks, and its status.
#[derive(Clone, Debug)]
pub(crate) struct SenderCore {
    pub(crate) flow: FlowId,
    pub(crate) needs: Needs,
    /// [`CongestionControl::needs_sent_events`].
    pub(crate) needs_sent_events: bool,
    pub(crate) status: Status,
    pub(crate) options: Arc<TransportOptions>,
    pub(crate) algorithm: Box<dyn CongestionControl>,
    pub(crate) data: SendBuffer,
    /// A sender of datagrams never starts it: its timeout applies to the echo of a datagram.
    pub(crate) timer: RetransmissionTimer,
    pub(crate) round: RoundCounter,
    pub(crate) ecn: EcnSender,
}

impl SenderCore {
    pub(crate) fn new(
        flow: FlowId,
        options: Arc<TransportOptions>,
        size: Option<Bytes>,
        algorithm: Box<dyn CongestionControl>,
        needs: Needs,
    ) -> Self {
        Self {
            flow,
            needs,
            needs_sent_events: algorithm.needs_sent_events(),
            status: Status::default(),
            data: SendBuffer::new(size, options.mss),
            timer: RetransmissionTimer::new(&options),
            round: RoundCounter::default(),
            ecn: EcnSender::new(options.ecn, algorithm.ecn(), options.ecn_packets),
            options,
            algorithm,
        }
    }

    /// Returns the state of the path, with `in_flight` packets in flight; pacing permits the next one at
    /// `next_departure`.
    #[inline]
    pub(crate) fn path(&self, in_flight: u64, window_limited: bool, next_departure: Time, now: Time) -> Path {
        Path::new(now, self.options.mss)
            .in_flight(in_flight)
            .rtt(self.timer.rtt().copied())
            .round(self.round.count())
            .window_limited(window_limited)
            .next_departure(next_departure)
    }

    /// Whether it asked for ECN and does without.
    pub(crate) fn lacks_ecn(&self) -> bool {
        self.options.ecn && !self.ecn.is_used()
    }

    /// Returns `SRTT`; `None` before the first sample.
    #[inline]
    pub(crate) fn smoothed_rtt(&self) -> Option<Span> {
        self.timer.rtt().map(|rtt| rtt.smoothed)
    }

    /// Takes a sample of the round-trip time `rtt` that ends at `now`. Returns it as the sender's clock measures it;
    /// the recorded sample is exact.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub(crate) fn take_rtt_sample<H: Host>(&mut self, rtt: Span, now: Time, host: &mut H) -> Span {
        self.take_rtt_sample_by(self.options.rtt_clock, rtt, now, host)
    }

    /// Returns the same by a clock with ticks of `tick`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub(crate) fn take_rtt_sample_by<H: Host>(
        &mut self,
        tick: Span,
        rtt: Span,
        now: Time,
        host: &mut H,
    ) -> Span {
        let measured = rtt::measured(rtt, now, tick);
        self.timer.on_rtt_sample(measured, now);
        host.notify(TransportEvent::RttSample(rtt));
        measured
    }

    /// Reads the receiver's count of marked packets. Returns the number of packets newly marked.
    #[inline]
    pub(crate) fn count_marks(&mut self, ce_packets: u16) -> u64 {
        let marked = self.ecn.newly_marked(ce_packets);
        self.status.counters.marks_seen += marked;
        marked
    }
}
