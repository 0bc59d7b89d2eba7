// SPDX-License-Identifier: Apache-2.0
//! Jitter: an additional random delay of each packet.
//!
//! Source: the delay distribution and the correlation of `tc-netem`(8). Deviations: netem mixes its correlated random number
//! from the last and a fresh one, which narrows the distribution; here the normal scores of successive delays are
//! correlated, which leaves it as it is. In netem packets overtake each other; here only if `reorder` is set.

use super::{Element, Fate};
use crate::distribution::Spans;
use alloc::collections::VecDeque;
use narrows_engine::Stream;
use narrows_units::Time;
use narrows_wire::Packet;

#[derive(Debug)]
pub(super) struct Jitter {
    delay: Spans,
    correlation: f64,
    reorder: bool,
    /// Normal score of the last delay.
    score: f64,
    /// Time at which the last packet left.
    last: Time,
}

impl Jitter {
    pub fn new(delay: Spans, correlation: f64, reorder: bool, draws: &mut Stream) -> Self {
        let mut score = 0.0;
        if correlation > 0.0 {
            // The score before the first packet is a draw of its stationary distribution.
            delay.sample_correlated(0.0, &mut score, draws);
        }
        Self { delay, correlation, reorder, score, last: Time::ZERO }
    }
}

impl Element for Jitter {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        let delay = if self.correlation > 0.0 {
            self.delay.sample_correlated(self.correlation, &mut self.score, draws)
        } else {
            self.delay.sample(draws)
        };
        packet.arrival += delay;
        if !self.reorder {
            packet.arrival = packet.arrival.max(self.last);
            self.last = packet.arrival;
        }
        Fate::Leaves
    }
}
