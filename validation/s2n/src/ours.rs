// SPDX-License-Identifier: Apache-2.0
//! An algorithm of Narrows, with what is computed for it inside a QUIC stack.

use crate::fact::{Controller, Fact, PACKET};
use narrows_adapter::{Flow, Plan};
use narrows_cc::units::{Rate, Time};

/// An algorithm of Narrows.
pub struct Ours(Flow);

impl Ours {
    /// Creates the algorithm of `plan`.
    pub fn new(plan: &Plan) -> Self {
        Self(Flow::new(plan, 1, PACKET as u16))
    }
}

impl Controller for Ours {
    fn apply(&mut self, fact: Fact) {
        let bytes = u64::from(PACKET);
        match fact {
            Fact::Sent { number, now } => self.0.on_sent(time(now), bytes, Some(number)),
            Fact::Acked { number, sent, .. } => self.0.on_ack(time(sent), bytes, Some(number)),
            Fact::Lost { number, sent, now, .. } => {
                self.0.on_lost(time(now), time(sent), bytes, Some(number), false);
            }
            Fact::Acknowledged { now, in_flight } => {
                self.0.on_end_acks(time(now), in_flight * bytes, false);
            }
        }
    }

    fn window(&self) -> u64 {
        self.0.window()
    }

    fn rate(&self) -> Option<u64> {
        self.0.pacing().map(Rate::as_bps)
    }
}

fn time(nanoseconds: u64) -> Time {
    Time::from_ps(nanoseconds * 1000)
}
