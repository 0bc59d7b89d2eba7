// SPDX-License-Identifier: Apache-2.0
//! The minimum round-trip time, in whole microseconds. If no sample of ten seconds was smaller, ProbeRTT measures it again
//! (`bbr_update_min_rtt`; until Linux 5.9 an equal sample sufficed to postpone it).

use narrows_units::{Span, Time};

/// The filter of round-trip times.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the names of Linux's variables")]
pub(super) struct MinRtt {
    /// `bbr_min_rtt_win_sec`.
    min_rtt_win: Span,
    min_rtt: Option<Span>,
    /// Never before the first packet.
    min_rtt_stamp: Time,
}

impl MinRtt {
    /// Creates a filter of length `min_rtt_win` without a sample.
    pub(super) fn new(min_rtt_win: Span) -> Self {
        Self { min_rtt_win, min_rtt: None, min_rtt_stamp: Time::NEVER }
    }

    /// Returns the estimate; `None` before the first sample.
    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// Implements `bbr_init`, at the first call only: the transport has measured `min_rtt`.
    pub(super) fn init(&mut self, min_rtt: Option<Span>, now: Time) {
        if self.min_rtt_stamp == Time::NEVER {
            self.min_rtt_stamp = now;
            self.min_rtt = min_rtt.map(in_micros);
        }
    }

    /// Adds the sample of an acknowledgement, if it has one. Returns whether the estimate had expired.
    pub(super) fn update_min_rtt(&mut self, rtt: Option<Span>, now: Time) -> bool {
        let filter_expired = now.since(self.min_rtt_stamp) > self.min_rtt_win;
        if let Some(rtt) = rtt.map(in_micros)
            && (filter_expired || self.min_rtt.is_none_or(|min_rtt| rtt < min_rtt))
        {
            self.min_rtt = Some(rtt);
            self.min_rtt_stamp = now;
        }
        filter_expired
    }

    /// The estimate is valid from `now` on.
    pub(super) fn restamp(&mut self, now: Time) {
        self.min_rtt_stamp = now;
    }
}

/// The time in whole microseconds, as Linux counts it.
fn in_micros(rtt: Span) -> Span {
    Span::from_us(rtt.as_ps() / 1_000_000)
}
