//! What a round trip saw: its smallest round-trip time, and how many packets were acknowledged.
//!
//! The smallest sample of a round filters out delayed acknowledgements (Linux `tcp_vegas.c`); the smallest of the
//! connection stands for the path without its queue. `w (1 − base / rtt)` is then the number of packets that wait
//! (Brakmo and Peterson, JSAC 1995).

use crate::{Ack, Path};
use narrows_units::Span;

/// Collects a round.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// [`Path::round`] of the present round; `None` before the first acknowledgement.
    round: Option<u64>,
    /// Smallest sample of the connection.
    base: Span,
    least: Span,
    samples: u32,
    acked: u64,
}

/// A round that is over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// The part of the round-trip time that the queue made: `1 − base / rtt`. `None` for fewer than 3 samples, which may
    /// all be of delayed acknowledgements.
    pub queued: Option<f64>,
    /// Packets acknowledged: what was sent in the round trip that the samples measured.
    pub packets: f64,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { round: None, base: Span::MAX, least: Span::MAX, samples: 0, acked: 0 }
    }
}

impl Rounds {
    /// Takes an acknowledgement; the first of a new round closes the round before and belongs to it.
    pub fn on_ack(&mut self, ack: &Ack<'_>, path: &Path) -> Option<Round> {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt);
            self.least = self.least.min(rtt);
            self.samples += 1;
        }
        self.acked += ack.newly_acked;
        let over = self.round.replace(path.round).is_some_and(|round| round != path.round);
        if !over {
            return None;
        }
        let enough = self.samples >= ENOUGH && self.least > Span::ZERO;
        let queued = 1.0 - self.base.as_secs_f64() / self.least.as_secs_f64();
        let round = Round { queued: enough.then_some(queued), packets: self.acked as f64 };
        self.restart();
        Some(round)
    }

    /// Forgets the present round: what it saw is of another time.
    pub fn restart(&mut self) {
        (self.least, self.samples, self.acked) = (Span::MAX, 0, 0);
    }
}

/// Samples for a round to count (Linux `tcp_vegas.c`).
const ENOUGH: u32 = 3;
