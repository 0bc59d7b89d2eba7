//! The smallest round-trip time of the last ten seconds, and the pause that finds it anew.
//!
//! Where nothing as small has been seen for ten seconds, the flow keeps four packets in flight for 200 ms and a round,
//! so that queues of its own making drain.

use narrows_units::{Span, Time};

/// The estimate and the pause.
#[derive(Clone, Debug)]
pub(super) struct MinRtt {
    /// How long a value is believed.
    window: Span,
    rtt: Option<Span>,
    /// When the estimate was last seen or made anew; `None` before the first packet.
    seen_at: Option<Time>,
    /// A pause: when it may end, once few enough packets are in flight.
    may_end: Option<Time>,
    /// A round of the pause is over.
    round_over: bool,
}

impl MinRtt {
    /// Nothing is known; values are believed for `window`.
    pub(super) fn new(window: Span) -> Self {
        Self { window, rtt: None, seen_at: None, may_end: None, round_over: false }
    }

    /// The estimate; `None` before the first sample.
    pub(super) fn get(&self) -> Option<Span> {
        self.rtt
    }

    /// The connection's smallest round-trip time is `known` when the first packet leaves.
    pub(super) fn begin(&mut self, known: Option<Span>, now: Time) {
        if self.seen_at.is_none() {
            self.seen_at = Some(now);
            self.rtt = known;
        }
    }

    /// Takes in the sample of an acknowledgement, if it has one; true if the estimate had grown too old.
    pub(super) fn on_ack(&mut self, sample: Option<Span>, now: Time) -> bool {
        let too_old = self.seen_at.is_some_and(|at| now.since(at) > self.window);
        if let Some(sample) = sample
            && (too_old || self.rtt.is_none_or(|rtt| sample <= rtt))
        {
            self.rtt = Some(sample);
            self.seen_at = Some(now);
        }
        too_old
    }

    /// A pause begins.
    pub(super) fn begin_pause(&mut self) {
        self.may_end = None;
    }

    /// Of each acknowledgement of a pause: true if its time begins to count now.
    pub(super) fn follow_pause(&mut self, few_in_flight: bool, round_started: bool, now: Time) -> bool {
        if self.may_end.is_some() {
            self.round_over |= round_started;
            return false;
        }
        if few_in_flight {
            self.may_end = Some(now + PAUSE);
            self.round_over = false;
        }
        few_in_flight
    }

    /// The pause has lasted a round, and long enough.
    pub(super) fn pause_is_over(&self, now: Time) -> bool {
        self.round_over && self.is_long_enough(now)
    }

    /// The pause has lasted long enough.
    pub(super) fn is_long_enough(&self, now: Time) -> bool {
        self.may_end.is_some_and(|at| now > at)
    }

    /// The estimate was made anew.
    pub(super) fn renew(&mut self, now: Time) {
        self.seen_at = Some(now);
    }
}

/// `bbr_probe_rtt_mode_ms`.
const PAUSE: Span = Span::from_ms(200);
