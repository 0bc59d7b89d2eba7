// SPDX-License-Identifier: Apache-2.0
//! The retransmission timer (RFC 6298).
//!
//! The timer owns all that decides when it expires: the round-trip time estimate, the timeout computed from it (§2), the
//! exponential back-off (§5.5) and the deadline. The sender reports what happened; nothing else sets the deadline.
//!
//! The timeout is `SRTT + max(G, 4 RTTVAR)`, at least `min_rto` (§2.3, §2.4), or by [`RtoRule::Linux`]
//! `SRTT + max(min_rto, 4 RTTVAR)`; never more than `max_rto` (§2.5); `initial_rto` before the first sample (§2.1). A
//! back-off lasts until a fresh sample (§5, after rule 5.7).
//!
//! The timer bounds how long the first unacknowledged segment, the *head*, stays without progress. Where lost
//! retransmissions are detected without it (RFC 8985), a recovery can last longer than a timeout while that segment is
//! sent again and again; RFC 6675 §6 therefore permits a sender to re-arm the timer with each retransmission. By
//! [`RtoRestart::Head`] the retransmissions of the head do so, as in Linux (`tcp_xmit_retransmit_queue`), and so does a SACK
//! of data that was sent before the head was last sent again: the head cannot have been acknowledged earlier
//! (`tcp_clean_rtx_queue`).
//!
//! Deviations: the timer starts anew with a fast retransmission, as in Linux and ns-2, where RFC 6298 §5 would let it
//! run on. Simulated clocks are exact, yet `G` is 10 ms, ns-2's `tcpTick_`: with `G = 0` a standing queue of constant length drives `RTTVAR` to zero,
//! and the timer then expires before a fast retransmission can be acknowledged.

use crate::rtt::RttEstimator;
use crate::wheel;
use crate::{RtoRestart, RtoRule, TransportOptions};
use narrows_cc::RttView;
use narrows_units::{Span, Time};

/// The retransmission timer of one connection.
#[derive(Clone, Debug)]
pub(crate) struct RetransmissionTimer {
    /// Time at which the timer expires; `Time::NEVER` while it is off.
    deadline: Time,
    /// The retransmission timeout, back-off included.
    rto: Span,
    /// Doublings of the timeout since the last fresh sample.
    backoff: u32,
    /// Expirations since the last progress.
    expirations: u32,
    rtt: RttEstimator,
    rule: RtoRule,
    restart: RtoRestart,
    /// The timeout before the first sample.
    initial_rto: Span,
    min_rto: Span,
    max_rto: Span,
    /// The tick of its clock; zero for an exact one.
    tick: Span,
}

impl RetransmissionTimer {
    /// Creates a timer that is off.
    pub(crate) fn new(options: &TransportOptions) -> Self {
        let mut timer = Self {
            deadline: Time::NEVER,
            rto: Span::ZERO,
            backoff: 0,
            expirations: 0,
            rtt: RttEstimator::new(options.rto),
            rule: options.rto,
            restart: options.rto_restart,
            initial_rto: options.initial_rto,
            min_rto: options.min_rto,
            max_rto: options.max_rto,
            tick: options.timer_tick,
        };
        timer.compute();
        timer
    }

    /// Returns the round-trip time estimate; `None` before the first sample.
    #[inline]
    pub(crate) fn rtt(&self) -> Option<&RttView> {
        self.rtt.view()
    }

    /// Returns the retransmission timeout, back-off included.
    pub(crate) fn rto(&self) -> Span {
        self.rto
    }

    /// Returns when the timer expires; `Time::NEVER` while it is off.
    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.deadline
    }

    /// Expirations since the connection last made progress: since a SYN or segment was first sent, or new data was last
    /// acknowledged.
    pub(crate) fn expirations(&self) -> u32 {
        self.expirations
    }

    /// A round-trip time was measured, at `now`, of a segment that was sent once, or by a timestamp (§3). Ends the back-off.
    #[inline]
    pub(crate) fn on_rtt_sample(&mut self, rtt: Span, now: Time) {
        if self.rtt.sample(rtt, now) || self.backoff > 0 {
            self.backoff = 0;
            self.compute();
        }
    }

    /// A SYN or a data segment was sent, for the first time or again. §5.1: starts the timer unless it runs.
    #[inline]
    pub(crate) fn on_sent(&mut self, now: Time) {
        if self.deadline == Time::NEVER {
            self.restart(now);
        }
    }

    /// The first unacknowledged segment was sent again.
    #[inline]
    pub(crate) fn on_head_sent_again(&mut self, now: Time) {
        match self.restart {
            RtoRestart::Ack => self.on_sent(now),
            RtoRestart::Head => self.restart(now),
        }
    }

    /// Data was SACKed that had been sent before the first unacknowledged segment was last sent.
    #[inline]
    pub(crate) fn on_sack_of_earlier(&mut self, now: Time) {
        if self.restart == RtoRestart::Head && self.deadline < Time::NEVER {
            self.restart(now);
        }
    }

    /// The cumulative acknowledgement advanced, and `outstanding` segments remain. §5.2: stops the timer if none does.
    /// §5.3: otherwise restarts it, unless recovery says that it `keeps_running` (RFC 6582 §3.2, step 3).
    #[inline]
    pub(crate) fn on_cumulative_ack(&mut self, outstanding: u64, keeps_running: bool, now: Time) {
        self.expirations = 0;
        if outstanding == 0 {
            self.stop();
        } else if !keeps_running {
            self.restart(now);
        }
    }

    /// A loss episode started with a fast retransmission, which gets a full timeout.
    pub(crate) fn on_fast_retransmit(&mut self, now: Time) {
        self.restart(now);
    }

    /// A tail loss probe was sent, which gets a full timeout (RFC 8985 §7.3).
    pub(crate) fn on_probe_sent(&mut self, now: Time) {
        self.restart(now);
    }

    /// The timer expired and the earliest segment, or the SYN, is sent again (§5.4). §5.5: doubles the timeout, up to
    /// `max_rto`. §5.6: restarts the timer.
    pub(crate) fn on_expired(&mut self, now: Time) {
        self.expirations += 1;
        self.backoff += 1;
        self.compute();
        self.restart(now);
    }

    /// The timer expired and the SYN is sent again: as [`on_expired`](Self::on_expired), but that the first timeouts of
    /// [`RtoRule::Linux`] are not backed off.
    pub(crate) fn on_syn_expired(&mut self, now: Time) {
        let linear = self.rule == RtoRule::Linux && self.expirations < LINEAR_SYN_TIMEOUTS;
        self.on_expired(now);
        if linear {
            self.backoff -= 1;
            self.compute();
            self.restart(now);
        }
    }

    /// Starts the timer for the next probe of a closed window, after `probes` others (RFC 9293 §3.8.6.1).
    pub(crate) fn persist(&mut self, probes: u32, now: Time) {
        let timeout = (self.rto * (1 << probes.min(MAX_DOUBLINGS))).min(self.max_rto);
        self.deadline = wheel::expiry(now, timeout, self.tick);
    }

    /// The SYN was acknowledged: stops the timer. §5.7: if it had expired, data starts with a timeout of at least 3 s.
    pub(crate) fn on_syn_acknowledged(&mut self) {
        if self.expirations > 0 {
            self.backoff = 0;
            self.initial_rto = self.initial_rto.max(RTO_AFTER_LOST_SYN);
            self.compute();
        }
        self.expirations = 0;
        self.stop();
    }

    /// Stops the timer.
    pub(crate) fn stop(&mut self) {
        self.deadline = Time::NEVER;
    }

    fn restart(&mut self, now: Time) {
        self.deadline = wheel::expiry(now, self.rto, self.tick);
    }

    /// Computes the timeout: §2.1 to §2.5, and the back-off.
    fn compute(&mut self) {
        let base = match self.rtt.view() {
            None => self.initial_rto,
            Some(view) => {
                let margin = self.rtt.four_rttvar();
                match self.rule {
                    RtoRule::Rfc6298 => (view.smoothed + margin.max(GRANULARITY)).max(self.min_rto),
                    RtoRule::Linux => view.smoothed + margin.max(self.min_rto),
                }
            }
        };
        let base = wheel::whole_ticks(base, self.tick);
        self.rto = (base * (1 << self.backoff.min(MAX_DOUBLINGS))).min(self.max_rto);
    }
}

/// `G`, RFC 6298 §2.3.
const GRANULARITY: Span = Span::from_ms(10);
/// Linux's `tcp_syn_linear_timeouts`.
pub(crate) const LINEAR_SYN_TIMEOUTS: u32 = 4;
/// RFC 6298 §5.7.
const RTO_AFTER_LOST_SYN: Span = Span::from_ms(3_000);
/// Keeps the shift in range; so many doublings exceed every sensible `max_rto`.
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests;
