// SPDX-License-Identifier: Apache-2.0
//! Aggregation: packets are delivered in frames, whole and in order, and a frame that fails is repeated (ARQ).
//!
//! Frames end at multiples of the frame time. A packet joins the frame that ends next, or the one behind it if that is full.
//! A frame is received `retry` later for each transmission that fails; frames that are repeated do not delay the
//! transmission of others, whose packets wait at the receiver so that all leave in order, as behind the reordering buffer of
//! a block acknowledgement (IEEE 802.11-2020 §10.25.6) or of an RLC entity (3GPP TS 38.322 §5.2).

use super::{Element, Fate};
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct Aggregation {
    frame: Span,
    largest: Option<Bytes>,
    error: f64,
    retry: Span,
    retries: u32,
    /// Number of the open frame, which ends at this multiple of the frame time.
    number: u64,
    /// Number of bytes in the open frame.
    bytes: Bytes,
    /// Time at which its packets leave.
    leaves: Time,
    /// Whether all its transmissions fail.
    fails: bool,
}

impl Aggregation {
    pub fn new(frame: Span, largest: Option<Bytes>, error: f64, retry: Span, retries: u32) -> Self {
        let (bytes, leaves) = (Bytes::ZERO, Time::ZERO);
        Self { frame, largest, error, retry, retries, number: 0, bytes, leaves, fails: false }
    }

    fn open(&mut self, number: u64, draws: &Stream) {
        // A stream for each frame: the errors of a frame do not depend on how full others were.
        let mut draws = draws.branch(number);
        let mut failures = 0;
        while failures <= self.retries && draws.uniform() < self.error {
            failures += 1;
        }
        self.fails = failures > self.retries;
        self.number = number;
        self.bytes = Bytes::ZERO;
        let end = Time::ZERO + self.frame * number;
        self.leaves = self.leaves.max(end + self.retry * u64::from(failures.min(self.retries)));
    }
}

impl Element for Aggregation {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        let next = packet.arrival.as_ps().div_ceil(self.frame.as_ps());
        let is_full = |largest| self.bytes > Bytes::ZERO && self.bytes + packet.size() > largest;
        if next > self.number {
            self.open(next, draws);
        } else if self.largest.is_some_and(is_full) {
            self.open(self.number + 1, draws);
        }
        self.bytes += packet.size();
        packet.arrival = self.leaves;
        if self.fails { Fate::Lost("arq") } else { Fate::Leaves }
    }
}
