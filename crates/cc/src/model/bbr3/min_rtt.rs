//! The smallest round-trip time of the last ten seconds, and when a pause is due to find it anew
//! (draft-ietf-ccwg-bbr-06 §5.3.4.3).

use narrows_units::{Span, Time};

/// The estimate and the clock of pauses.
#[derive(Clone, Debug)]
pub(super) struct MinRtt {
    rtt: Option<Span>,
    seen_at: Time,
    /// The smallest since the last pause or five seconds ago.
    recent: Option<Span>,
    recent_at: Time,
    begun: bool,
    /// A pause: when it may end, once few enough packets are in flight.
    done_at: Option<Time>,
    round_done: bool,
}

impl MinRtt {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        Self {
            rtt: None,
            seen_at: Time::ZERO,
            recent: None,
            recent_at: Time::ZERO,
            begun: false,
            done_at: None,
            round_done: false,
        }
    }

    /// The estimate; `None` before the first sample.
    pub(super) fn get(&self) -> Option<Span> {
        self.rtt
    }

    /// The connection begins with a round-trip time of `known`.
    pub(super) fn begin(&mut self, known: Option<Span>, now: Time) {
        if !self.begun {
            self.begun = true;
            (self.rtt, self.recent) = (known, known);
            (self.seen_at, self.recent_at) = (now, now);
        }
    }

    /// Takes in a sample; true if a pause is due (`UpdateMinRTT`).
    pub(super) fn on_ack(&mut self, sample: Option<Span>, now: Time) -> bool {
        let pause_due = now > self.recent_at + PAUSE_INTERVAL;
        if let Some(sample) = sample
            && (pause_due || self.recent.is_none_or(|recent| sample < recent))
        {
            self.recent = Some(sample);
            self.recent_at = now;
        }
        let too_old = now > self.seen_at + FILTER_LENGTH;
        if let Some(recent) = self.recent
            && (too_old || self.rtt.is_none_or(|rtt| recent < rtt))
        {
            self.rtt = Some(recent);
            self.seen_at = self.recent_at;
        }
        pause_due
    }

    /// A pause begins.
    pub(super) fn begin_pause(&mut self) {
        self.done_at = None;
    }

    /// Follows a pause with each acknowledgement; true if its time begins to count now.
    pub(super) fn follow_pause(&mut self, few_in_flight: bool, round_start: bool, now: Time) -> bool {
        if self.done_at.is_some() {
            self.round_done |= round_start;
            return false;
        }
        if few_in_flight {
            self.done_at = Some(now + PAUSE);
            self.round_done = false;
        }
        few_in_flight
    }

    /// The pause has lasted a round and long enough.
    pub(super) fn pause_is_over(&self, now: Time) -> bool {
        self.round_done && self.is_long_enough(now)
    }

    /// The pause has lasted long enough.
    pub(super) fn is_long_enough(&self, now: Time) -> bool {
        self.done_at.is_some_and(|at| now > at)
    }

    /// A pause ended: the next is due an interval from now.
    pub(super) fn end_pause(&mut self, now: Time) {
        self.recent_at = now;
    }
}

/// `ProbeRTTInterval`.
const PAUSE_INTERVAL: Span = Span::from_ms(5_000);
/// `MinRTTFilterLen`.
const FILTER_LENGTH: Span = Span::from_ms(10_000);
/// `ProbeRTTDuration`.
const PAUSE: Span = Span::from_ms(200);
