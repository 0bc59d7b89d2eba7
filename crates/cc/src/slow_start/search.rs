// SPDX-License-Identifier: Apache-2.0
//! SEARCH, slow start exit at the right choke point (draft-chung-ccwg-search-09, Chung, Kachooei, Li and Claypool):
//! slow start ends when the data delivered falls behind the data sent a round trip before.
//!
//! * Time is divided into bins of a tenth of a window, and a window is 3.5 times the first round-trip time. At the end of each bin
//!   the packets delivered in the last window are compared with those sent in the window that ended a round trip earlier, the
//!   present one, between the bins in proportion.
//! * Slow start is over where `1 − delivered / sent ≥ 0.26`.
//! * Only the initial slow start of a connection, before ssthresh is known, uses SEARCH. After an idle time, or more than a window
//!   without an acknowledgement, it begins anew.
//!
//! Over a buffer without end, with `C` the rate of the link and `R` its round-trip time, the fluid of a slow start that doubles
//! meets the condition at a window of `5.33 C R`.
//!
//! Deviations: the window stays what it is at the end of slow start: the drain phase of the draft is left out, as in
//! neqo. The data sent is the data acknowledged and in flight, which is the same before the first loss. The place
//! between two bins follows neqo, which corrects the sign of the draft.

use crate::{Ack, Path};
use narrows_units::{Span, Time};

/// The state of SEARCH (draft-chung-ccwg-search-09).
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Packets acknowledged so far.
    acked: u64,
    bins: Option<Bins>,
}

/// The bins since the last beginning.
#[derive(Clone, Debug)]
struct Bins {
    length: Span,
    /// The end of the present bin.
    end: Time,
    /// Number of the present bin.
    number: usize,
    /// Packets acknowledged, and sent, up to the end of each of the last bins; a ring by number.
    delivered: [u64; KEPT],
    sent: [u64; KEPT],
}

impl Bins {
    fn new(rtt: Span, now: Time, delivered: u64, sent: u64) -> Option<Self> {
        let length = rtt.scaled(WINDOW / BINS as f64);
        (length > Span::ZERO).then(|| Self {
            length,
            end: now + length,
            number: 0,
            delivered: [delivered; KEPT],
            sent: [sent; KEPT],
        })
    }

    /// Ends the bins that are over at `now`, at least one. Returns how many there were.
    fn advance(&mut self, now: Time, delivered: u64, sent: u64) -> usize {
        let passed = (now.since(self.end).as_ps() / self.length.as_ps()) as usize + 1;
        for skipped in self.number + 1..self.number + passed.min(KEPT) {
            self.delivered[skipped % KEPT] = self.delivered[self.number % KEPT];
            self.sent[skipped % KEPT] = self.sent[self.number % KEPT];
        }
        self.number += passed;
        self.end += self.length * passed as u64;
        self.delivered[self.number % KEPT] = delivered;
        self.sent[self.number % KEPT] = sent;
        passed
    }

    /// The share by which the data delivered falls behind the data sent, with a round-trip time of `rtt`; `None` if too
    /// little is known.
    fn behind(&self, rtt: Span) -> Option<f64> {
        let bins = rtt.as_secs_f64() / self.length.as_secs_f64();
        let back = bins as usize;
        let before = self.number.checked_sub(back).filter(|before| *before > BINS && back < EXTRA_BINS)?;
        let window = |of: &[u64; KEPT], end: usize| (of[end % KEPT] - of[(end - BINS) % KEPT]) as f64;
        let share = bins - back as f64;
        let sent = share * window(&self.sent, before - 1) + (1.0 - share) * window(&self.sent, before);
        (sent > 0.0).then(|| 1.0 - window(&self.delivered, self.number) / sent)
    }
}

impl Search {
    /// Whether slow start ends with this acknowledgement.
    pub(super) fn is_over(&mut self, ack: &Ack<'_>, path: &Path) -> bool {
        self.acked += ack.newly_acked;
        let Some(rtt) = ack.rtt else { return false };
        let sent = self.acked + path.in_flight;
        let Some(bins) = &mut self.bins else {
            self.bins = Bins::new(rtt, path.now, self.acked, sent);
            return false;
        };
        if path.now <= bins.end {
            return false;
        }
        if bins.advance(path.now, self.acked, sent) > BINS {
            self.restart();
            return false;
        }
        bins.behind(rtt).is_some_and(|behind| behind >= THRESHOLD)
    }

    /// Discards the measurements.
    pub(super) fn restart(&mut self) {
        self.bins = None;
    }
}

/// `WINDOW_SIZE_FACTOR`: the length of a window, first round-trip times.
const WINDOW: f64 = 3.5;
/// `W`: bins of a window.
const BINS: usize = 10;
/// `EXTRA_BINS`: bins of a round trip up to which there is a comparison.
const EXTRA_BINS: usize = 15;
/// Bins that are kept.
const KEPT: usize = BINS + EXTRA_BINS + 1;
/// `THRESH`.
const THRESHOLD: f64 = 0.26;
