//! Is the pipe full? It is taken to be when the delivery rate has not grown by a quarter in three rounds
//! (draft-ietf-ccwg-bbr-06 §5.3.1.2), in Startup also when losses are many and scattered (§5.3.1.3).

use super::delivery::Sample;
use crate::SentPacket;

/// The question and its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct FullPipe {
    /// The answer, ever.
    pub(super) reached: bool,
    /// The answer since the question was last put.
    pub(super) now: bool,
    base: f64,
    rounds: u32,
    /// Stretches of packets lost in this loss round.
    stretches: u32,
    last_lost: Option<u64>,
}

impl FullPipe {
    /// Puts the question anew, to grow from `base` (`ResetFullBW`).
    pub(super) fn ask(&mut self, base: f64) {
        self.now = false;
        self.base = base;
        self.rounds = 0;
    }

    /// A round ended with `sample` (`CheckFullBWReached`).
    pub(super) fn on_round(&mut self, sample: &Sample) {
        if self.now || sample.app_limited {
            return;
        }
        if sample.rate >= self.base * GROWTH {
            self.ask(sample.rate);
            return;
        }
        self.rounds += 1;
        if self.rounds >= ROUNDS {
            self.fill();
        }
    }

    /// The pipe is full.
    pub(super) fn fill(&mut self) {
        self.now = true;
        self.reached = true;
    }

    /// A packet was declared lost.
    pub(super) fn on_lost(&mut self, packet: &SentPacket) {
        let goes_on = self.last_lost.is_some_and(|last| packet.number == last + 1);
        self.stretches += u32::from(!goes_on);
        self.last_lost = Some(packet.number);
    }

    /// The losses of the loss round that ends now are scattered widely enough to end Startup.
    pub(super) fn losses_are_scattered(&self) -> bool {
        self.stretches >= STRETCHES
    }

    /// A loss round is over.
    pub(super) fn begin_loss_round(&mut self) {
        self.stretches = 0;
        self.last_lost = None;
    }
}

const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;
/// `BBRStartupFullLossCnt`.
const STRETCHES: u32 = 6;
