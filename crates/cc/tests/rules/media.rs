// SPDX-License-Identifier: Apache-2.0
//! A flow of packets of which each is acknowledged alone, for the tests of controllers of media.

use super::{ACK, Flow, SETUP};
use narrows_cc::{Loss, RttView, SentPacket};
use narrows_units::{Bytes, Span, Time};

/// One-way delay of a path without a queue; the round trip is twice as long.
pub const ONE_WAY: Span = Span::from_ms(50);

pub fn flow(name: &str) -> Flow {
    let mut flow = Flow::new(name, SETUP);
    flow.path.in_flight = 100;
    // Longer than a round trip since the start of time.
    flow.wait(Span::from_ms(1000));
    flow
}

/// A packet that was sent a one-way delay of `queue` more than [`ONE_WAY`], and the way back, ago.
pub fn packet(flow: &Flow, queue: Span) -> SentPacket {
    SentPacket::new(0, Bytes::new(1448), Time::ZERO + flow.path.now.since(Time::ZERO + ONE_WAY * 2 + queue))
        .in_flight(10)
}

/// `after` the last event, a packet that waited for `queue` is acknowledged, with `marks` of it.
pub fn acked(flow: &mut Flow, after: Span, queue: Span, marks: u64) {
    flow.wait(after);
    let rtt = ONE_WAY * 2 + queue;
    flow.path.rtt = Some(RttView::new(rtt).min(ONE_WAY * 2).variation(Span::ZERO));
    let packets = [packet(flow, queue)];
    let ack =
        ACK.newly_acked(1).ce_packets(marks).rtt(Some(rtt)).one_way(Some(ONE_WAY + queue)).packets(&packets);
    flow.algorithm.on_ack(&ack, &flow.path);
}

/// A packet is declared lost.
pub fn lost(flow: &mut Flow, new_episode: bool) {
    let packets = [packet(flow, Span::ZERO)];
    let loss = Loss::new(narrows_cc::Cause::Detected, 1).new_episode(new_episode).packets(&packets);
    flow.algorithm.on_loss(&loss, &flow.path);
}

/// The target of the encoder, bit/s.
pub fn target(flow: &Flow) -> f64 {
    flow.algorithm.target().expect("a controller of media").as_bps() as f64
}
