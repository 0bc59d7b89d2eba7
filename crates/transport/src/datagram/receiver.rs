// SPDX-License-Identifier: Apache-2.0
//! The receiver of datagrams: counts what arrives, and responds according to its policy.

mod echo;
mod gaps;
mod intervals;
mod loss_events;
mod received;
mod report;

use crate::{Host, ReceiverCounters, TransportOptions};
use echo::EchoPolicy;
use narrows_cc::Reports;
use narrows_units::{Bytes, Time};
use narrows_wire::{Body, Ecn, FlowId, Packet};
use report::ReportPolicy;
use std::sync::Arc;

/// A receiver of datagrams.
#[derive(Debug)]
pub(crate) struct DatagramReceiver {
    flow: FlowId,
    options: Arc<TransportOptions>,
    policy: Policy,
    counters: ReceiverCounters,
}

/// The kind of reports that the receiver sends.
#[derive(Debug)]
enum Policy {
    Nothing,
    Echo(EchoPolicy),
    Report(Box<ReportPolicy>),
}

/// A datagram that has arrived.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    number: u64,
    payload: Bytes,
    marked: bool,
    /// The sender's round-trip time, seconds; 0 while unknown.
    rtt: f64,
    now: Time,
}

impl DatagramReceiver {
    /// Creates a receiver that sends back `reports`.
    pub(crate) fn new(flow: FlowId, options: Arc<TransportOptions>, reports: Reports) -> Self {
        let policy = match reports {
            Reports::Nothing => Policy::Nothing,
            Reports::EachPacket => Policy::Echo(EchoPolicy::default()),
            Reports::LossEvents(history) => Policy::Report(Box::new(ReportPolicy::new(history, options.mss))),
        };
        Self { flow, options, policy, counters: ReceiverCounters::default() }
    }

    /// A packet from the sender arrived.
    pub(crate) fn on_packet<H: Host>(&mut self, packet: &Packet, now: Time, host: &mut H) {
        let Body::Datagram { rtt, payload } = packet.body else { return };
        let marked = packet.ecn == Ecn::Ce;
        let payload = Bytes::new(u64::from(payload));
        self.counters.packets_received += 1;
        self.counters.bytes_delivered += payload.count();
        self.counters.bytes_received += payload.count();
        self.counters.ce_packets += u64::from(marked);
        let arrival = Arrival { number: packet.number, payload, marked, rtt: f64::from(rtt), now };
        let ce_packets = self.counters.ce_packets as u16;
        match &mut self.policy {
            Policy::Nothing => {}
            Policy::Echo(policy) => {
                let body = Body::Echo { before: policy.on_arrival(packet.number), ce_packets };
                self.send(packet.number, body, now, host);
            }
            Policy::Report(policy) => {
                if policy.on_arrival(&arrival) {
                    self.report(now, host);
                }
            }
        }
    }

    /// A timer may have expired. Has no effect if none has.
    pub(crate) fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        if let Policy::Report(policy) = &mut self.policy
            && policy.on_timer(now)
        {
            self.report(now, host);
        }
    }

    /// Returns when the next timer expires; `Time::NEVER` if none is set.
    pub(crate) fn next_wake(&self) -> Time {
        match &self.policy {
            Policy::Report(policy) => policy.deadline(),
            Policy::Nothing | Policy::Echo(_) => Time::NEVER,
        }
    }

    /// Returns the counts so far.
    pub(crate) fn counters(&self) -> &ReceiverCounters {
        &self.counters
    }

    fn report<H: Host>(&mut self, now: Time, host: &mut H) {
        let Policy::Report(policy) = &mut self.policy else { return };
        let (number, mut report) = policy.report(now);
        report.received = self.counters.packets_received as u32;
        report.ce_packets = self.counters.ce_packets as u16;
        self.send(number, Body::Report(report), now, host);
    }

    fn send<H: Host>(&mut self, number: u64, body: Body, now: Time, host: &mut H) {
        self.counters.acks_sent += 1;
        host.send(Packet::new(self.flow, number, self.options.ack, body, now));
    }
}
