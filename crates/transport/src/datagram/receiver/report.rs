// SPDX-License-Identifier: Apache-2.0
//! The reports of a TFRC receiver (RFC 5348 §6): one per round trip, and one at the start of each loss event.
//!
//! The round-trip time is measured by the sender and carried in the data packet with the highest number. While the
//! sender has no estimate, each packet is reported, and the round-trip time is assumed to be 1 s. No report is sent
//! for a round trip in which nothing was received.

use super::Arrival;
use super::gaps::Gaps;
use super::loss_events::LossEvents;
use super::received::Received;
use narrows_cc::LossHistory;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Report;

/// The state of a receiver that sends reports.
#[derive(Debug)]
pub(super) struct ReportPolicy {
    mss: Bytes,
    gaps: Gaps,
    events: LossEvents,
    received: Received,
    /// The number of packets declared lost.
    lost: u64,
    /// The sender's round-trip time; `None` while it has no estimate.
    rtt: Option<Span>,
    /// Time at which the next report is due.
    deadline: Time,
}

impl ReportPolicy {
    pub(super) fn new(history: LossHistory, mss: Bytes) -> Self {
        Self {
            mss,
            gaps: Gaps::default(),
            events: LossEvents::new(history),
            received: Received::default(),
            lost: 0,
            rtt: None,
            deadline: Time::NEVER,
        }
    }

    /// A packet arrived. Returns whether to report at once.
    pub(super) fn on_arrival(&mut self, arrival: &Arrival) -> bool {
        let now = arrival.now;
        let first = self.gaps.highest().is_none();
        if self.gaps.highest().is_none_or(|(highest, _)| arrival.number > highest) {
            self.rtt = (arrival.rtt > 0.0).then(|| Span::from_secs_f64(arrival.rtt));
        }
        let rtt = self.rtt.unwrap_or(UNKNOWN_RTT);
        // A deadline set while the round-trip time was unknown or longer is too late.
        self.deadline = self.deadline.min(now + rtt);
        self.received.add(arrival.payload, rtt, now);
        self.gaps.on_arrival(arrival.number, now);
        let events = self.events.count();
        let packets_per_second = || self.received.rate(rtt, now) / self.mss.bits() as f64;
        while let Some(gap) = self.gaps.next_lost() {
            self.lost += gap.end - gap.start;
            for number in gap.start..gap.end {
                self.events.on_loss(number, gap.time_of(number), rtt, packets_per_second);
            }
        }
        if arrival.marked {
            self.events.on_loss(arrival.number, now, rtt, packets_per_second);
        }
        first || self.rtt.is_none() || self.events.count() > events
    }

    /// The timer may have expired. Returns whether to report.
    pub(super) fn on_timer(&mut self, now: Time) -> bool {
        if now < self.deadline {
            return false;
        }
        self.deadline = now + self.rtt.unwrap_or(UNKNOWN_RTT);
        self.received.is_fresh()
    }

    /// Returns when the next report is due.
    pub(super) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Returns the report that is sent now, without the receiver's counts, and the highest number that it covers.
    pub(super) fn report(&mut self, now: Time) -> (u64, Report) {
        let (highest, at) = self.gaps.highest().expect("a report follows an arrival");
        let rtt = self.rtt.unwrap_or(UNKNOWN_RTT);
        let report = Report {
            loss_event_rate: self.events.rate(highest) as f32,
            receive_rate: self.received.rate(rtt, now) as f32,
            hold: now.since(at).as_secs_f64() as f32,
            received: 0,
            lost: self.lost as u32,
            loss_events: self.events.count() as u16,
            ce_packets: 0,
        };
        self.received.on_report(now);
        self.deadline = now + rtt;
        (highest, report)
    }
}

/// The assumed round-trip time while the sender has no estimate.
const UNKNOWN_RTT: Span = Span::from_ms(1_000);
