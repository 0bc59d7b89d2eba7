// SPDX-License-Identifier: Apache-2.0
//! The recorder of a sender.

use super::{EventLogs, SenderEvents};
use narrows_records::{Histogram, SpanSum};
use narrows_transport::{Rule, SenderCounters, SendingEndpoint, TransportEvent};
use narrows_units::{Span, Time};

/// Counts of one sender. The fields are in memory in this order: those that every acknowledgement uses come first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct SenderRecorder {
    /// Round-trip samples since the start: sum in picoseconds and number.
    pub rtt: SpanSum,
    last_ack: Option<Time>,
    /// Number of intervals between consecutive acknowledgements after the warm-up.
    pub ack_gaps: u64,
    /// Number of these intervals that are compressed.
    pub close_acks: u64,
    ack_spacing: Span,
    window: f64,
    since: Time,
    /// Time integral of the congestion window after the warm-up, packets × seconds.
    pub window_seconds: f64,
    /// Time over which the window was integrated, seconds.
    pub seconds: f64,
    /// Maximum of the windows over that time that were not followed by a greater one, packets; 0 if there was none.
    window_peak: f64,
    /// Number of calls of the sender after the warm-up that left data unsent for a reason other than congestion
    /// control.
    pub otherwise_limited: u64,
    /// Number of calls of the sender after the warm-up that left data unsent.
    pub calls: u64,
    /// Time at which the connection was established; `None` before.
    pub established: Option<Time>,
    measuring: bool,
    /// Signals that the sender has reported since its last call ended.
    signals: Signals,
    /// Whether the sender gave up.
    pub gave_up: bool,
    /// Time at which the flow started; `None` before.
    pub started: Option<Time>,
    /// Time at which the last byte of a finite flow was acknowledged, or its last datagram sent; `None` before.
    pub completed: Option<Time>,
    /// Counters at the end of the warm-up.
    pub at_measure: SenderCounters,
    /// Round-trip samples at the end of the warm-up.
    pub rtt_at_measure: SpanSum,
    /// Sum of the congestion windows just before each reduction after the warm-up, packets.
    pub before_reductions: f64,
    /// Number of reductions of the congestion window after the warm-up.
    pub reductions: u64,
    /// Number of reductions of the congestion window up to the end of the warm-up.
    reductions_before: u64,
    /// Time of the first reduction after the warm-up.
    pub first_reduction: Time,
    /// Time of the last reduction after the warm-up.
    pub last_reduction: Time,
    /// Part of the log of events; `None` if events of this sender are not logged.
    pub events: Option<Box<SenderEvents>>,
}

/// The signals of a sender during a call that can explain a smaller window at its end.
#[derive(Clone, Copy, Debug, Default)]
struct Signals {
    /// A reduction was counted, or the window changed for another reason: an undo or a restart after idle time.
    explained: bool,
    /// The rule of a signal at which the window was not lower yet.
    pending: Option<Rule>,
}

impl SenderRecorder {
    /// Creates a recorder at the start of a connection. An interval between acknowledgements that is shorter than
    /// `ack_spacing` is compressed; zero disables the count.
    pub fn new(ack_spacing: Span) -> Self {
        Self { ack_spacing, ..Self::default() }
    }

    /// Ends the warm-up at `now`, when the sender's counters are `counters`.
    pub fn measure(&mut self, now: Time, counters: &SenderCounters) {
        self.at_measure = *counters;
        self.rtt_at_measure = self.rtt;
        self.measuring = true;
        self.since = now;
    }

    /// A call of `sender` at `now` is over: counts the reduction of its window that no event stands for, and logs the
    /// events of the call in one of `logs`.
    ///
    /// A reduction is an event at which the window is lowered because of a loss, a mark, a timeout or a delay. Each one
    /// that the sender reports is one; so is a call at whose end the window is smaller, by the signal that it reported,
    /// or else by the algorithm's own rule.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn settle(&mut self, sender: &SendingEndpoint, now: Time, logs: &mut EventLogs) {
        let window = sender.window().unwrap_or(f64::NAN);
        // False if there was no window before, or is none now.
        let own = if window < self.window { self.own_reduction(sender, now) } else { None };
        self.signals = Signals::default();
        if let Some(events) = &mut self.events {
            events.settle(sender, window, own, now, logs);
        }
        self.window(now, window);
    }

    /// The rule of the reduction that the smaller window is, if it is one that was not counted yet; counts it.
    #[cold]
    fn own_reduction(&mut self, sender: &SendingEndpoint, now: Time) -> Option<&'static str> {
        if self.signals.explained {
            return None;
        }
        // An algorithm without ssthresh adapts its window all the time; so does a rate.
        let in_steps = sender.ssthresh().is_some() && !sender.lowers_window_in_steps();
        let rule = self.signals.pending.map(Rule::name).or(in_steps.then_some(ALGORITHM))?;
        self.count_reduction(self.window, now);
        Some(rule)
    }

    fn count_reduction(&mut self, window_before: f64, now: Time) {
        if !self.measuring {
            self.reductions_before += 1;
            return;
        }
        self.before_reductions += window_before;
        if self.reductions == 0 {
            self.first_reduction = now;
        }
        self.last_reduction = now;
        self.reductions += 1;
    }

    /// Returns the number of reductions of the congestion window since the start.
    pub fn all_reductions(&self) -> u64 {
        self.reductions_before + self.reductions
    }

    /// Records that the congestion window is `window` packets from `now` on; not a number while there is none.
    pub fn window(&mut self, now: Time, window: f64) {
        // A stack that runs elsewhere reports its first window with its first state.
        if self.measuring && self.established.is_some() && !self.window.is_nan() {
            let seconds = now.since(self.since).as_secs_f64();
            self.window_seconds += self.window * seconds;
            self.seconds += seconds;
            // A window that grows is no maximum.
            let grows = window >= self.window;
            if !grows {
                self.window_peak = self.window_peak.max(self.window);
            }
        }
        self.window = window;
        self.since = now;
    }

    /// Records the arrival of an acknowledgement at `now`.
    pub fn acknowledged(&mut self, now: Time) {
        if let Some(before) = self.last_ack.replace(now)
            && self.measuring
            && self.ack_spacing > Span::ZERO
        {
            self.ack_gaps += 1;
            self.close_acks += u64::from(now.since(before) < self.ack_spacing);
        }
    }

    /// Records that a call of the sender left data unsent; `by_control` says whether congestion control was the reason.
    pub fn observe_limit(&mut self, by_control: bool) {
        if self.measuring {
            self.calls += 1;
            self.otherwise_limited += u64::from(!by_control);
        }
    }

    /// Records `event` of the sender at `now`; round-trip samples after the warm-up are also added to `rtts`.
    #[inline]
    pub fn on_event(&mut self, event: TransportEvent, now: Time, rtts: &mut Histogram) {
        if let TransportEvent::RttSample(span) = event {
            self.rtt.add(span);
            if self.measuring {
                rtts.add(span);
            }
        } else {
            self.on_rare_event(event, now);
        }
    }

    /// As [`on_event`](Self::on_event), for all events but round-trip samples.
    #[cold]
    fn on_rare_event(&mut self, event: TransportEvent, now: Time) {
        if let Some(events) = &mut self.events {
            events.notify(event);
        }
        match event {
            TransportEvent::Established => {
                self.established = Some(now);
                self.since = now;
            }
            TransportEvent::Reduction { rule, window_before, window_after, .. } => {
                if window_after < window_before {
                    self.signals.explained = true;
                    self.count_reduction(window_before, now);
                } else {
                    self.signals.pending = Some(rule);
                }
            }
            TransportEvent::Expired(Rule::Timeout) => {
                self.signals.pending = self.signals.pending.or(Some(Rule::Timeout));
            }
            TransportEvent::Undone(_) | TransportEvent::IdleRestart => self.signals.explained = true,
            TransportEvent::Completed => self.completed = Some(now),
            TransportEvent::GaveUp => self.gave_up = true,
            TransportEvent::WindowClosed
            | TransportEvent::WindowProbe
            | TransportEvent::WindowOpened
            | TransportEvent::RttSample(_)
            | TransportEvent::DeclaredLost { .. }
            | TransportEvent::Expired(_)
            | TransportEvent::RecoveryStarted(_)
            | TransportEvent::RecoveryEnded => {}
        }
    }

    /// Returns the maximum of the congestion window after the warm-up, packets; not a number if it had none.
    pub fn peak_packets(&self) -> f64 {
        let last = if self.measuring && self.established.is_some() { self.window } else { f64::NAN };
        let peak = self.window_peak.max(last);
        if peak > 0.0 { peak } else { f64::NAN }
    }

    /// Returns the time between the first and the last reduction after the warm-up.
    pub fn reductions_span(&self) -> Span {
        if self.reductions > 1 { self.last_reduction - self.first_reduction } else { Span::ZERO }
    }
}

/// The rule of a reduction that follows from no loss, mark or timeout of this call, such as one of delay.
const ALGORITHM: &str = "algorithm";

#[cfg(test)]
mod tests {
    //! Truth: a case worked by hand.

    use super::{SenderCounters, SenderRecorder, Span, Time, TransportEvent};
    use narrows_records::Histogram;

    #[test]
    fn the_mean_window_counts_from_the_first_one_that_is_known() {
        let at = |ms: u64| Time::ZERO + Span::from_ms(ms);
        let mut recorder = SenderRecorder::new(Span::ZERO);
        recorder.measure(Time::ZERO, &SenderCounters::default());
        recorder.window(at(0), f64::NAN);
        recorder.on_event(TransportEvent::Established, at(50), &mut Histogram::default());
        for (ms, window) in [(50, 10.0), (60, 20.0), (80, 20.0)] {
            recorder.window(at(ms), window);
        }
        let mean = recorder.window_seconds / recorder.seconds;
        assert!((mean - 50.0 / 3.0).abs() < 1e-9, "{mean}");
    }
}
