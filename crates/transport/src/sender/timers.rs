//! What a sender does when time passes.

use super::{ConnectionState, Sender};
use crate::recovery::View;
use crate::{Host, News};
use narrows_cc::Cause;
use narrows_units::Time;

impl Sender {
    /// Some deadline may be due; harmless if none is.
    pub fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match self.state {
            ConnectionState::Connecting if now >= self.rto_deadline => self.on_syn_timeout(now, host),
            ConnectionState::Established => self.on_wake_established(now, host),
            _ => {}
        }
    }

    /// The earliest deadline; `Time::NEVER` if there is none.
    pub fn next_wake(&self) -> Time {
        match self.state {
            ConnectionState::Connecting => self.rto_deadline,
            ConnectionState::Established => self
                .rto_deadline
                .min(self.pacing_deadline)
                .min(self.recovery.next_timer())
                .min(self.algorithm.next_timer().unwrap_or(Time::NEVER)),
            ConnectionState::Closed | ConnectionState::Completed | ConnectionState::GaveUp => Time::NEVER,
        }
    }

    fn on_wake_established<H: Host>(&mut self, now: Time, host: &mut H) {
        let mut may_send = now >= self.pacing_deadline;
        if self.algorithm.next_timer().is_some_and(|at| now >= at) {
            let path = self.path(now);
            self.algorithm.on_timer(&path);
            may_send = true;
        }
        let rto_due = now >= self.rto_deadline;
        if now >= self.recovery.next_timer() {
            let flight = self.board.in_flight();
            let view = View { now, rtt: self.rtt.view() };
            let verdict = self.recovery.on_timer(&mut self.board, view);
            self.obey(verdict, flight, now, host);
            may_send = true;
        }
        if self.recovery.take_probe(now, rto_due, &self.board) {
            self.send_probe(now, host);
        } else if rto_due {
            self.on_retransmission_timeout(now, host);
            may_send = true;
        }
        if may_send {
            self.transmit(now, host);
        }
    }

    /// RFC 6298 §5.4–5.6, RFC 5681 §3.1.
    fn on_retransmission_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.timeouts_in_a_row >= self.options.retries {
            self.finish(ConnectionState::GaveUp, News::GaveUp, host);
            return;
        }
        self.timeouts_in_a_row += 1;
        self.counters.timeouts += 1;
        self.rtt.back_off();
        let lost = self.board.declare_all_lost();
        let new_episode = self.recovery.on_timeout(&self.board);
        self.ecn.yield_to_loss();
        self.silent.forget();
        self.reduction = None;
        self.forced = false;
        self.tell_loss(Cause::Timeout, new_episode, lost, now, host);
        self.pacer.reset();
        self.rto_deadline = now + self.rtt.rto();
    }
}
