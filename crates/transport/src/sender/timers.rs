// SPDX-License-Identifier: Apache-2.0
//! The timers of a sender.

use super::{ConnectionState, Sender};
use crate::{Host, Rule, TransportEvent};
use narrows_cc::Cause;
use narrows_units::Time;

impl Sender {
    /// A timer may have expired. Has no effect if none has.
    pub(crate) fn on_wake<H: Host>(&mut self, now: Time, host: &mut H) {
        match self.core.status.state {
            ConnectionState::Connecting if now >= self.core.timer.deadline() => {
                self.on_syn_timeout(now, host);
            }
            ConnectionState::Established => self.on_wake_established(now, host),
            _ => {}
        }
    }

    /// Returns when the next timer expires; `Time::NEVER` if none is set.
    pub(crate) fn next_wake(&self) -> Time {
        match self.core.status.state {
            ConnectionState::Connecting => self.core.timer.deadline(),
            ConnectionState::Established => {
                let algorithm = self.core.algorithm.next_timer().unwrap_or(Time::NEVER);
                let recovery = self.recovery.next_timer();
                self.core.timer.deadline().min(self.pacer.deadline()).min(recovery).min(algorithm)
            }
            ConnectionState::Closed | ConnectionState::Completed | ConnectionState::GaveUp => Time::NEVER,
        }
    }

    fn on_wake_established<H: Host>(&mut self, now: Time, host: &mut H) {
        let mut may_send = now >= self.pacer.deadline();
        if self.core.algorithm.next_timer().is_some_and(|at| now >= at) {
            let path = self.path(now);
            self.core.algorithm.on_timer(&path);
            may_send = true;
        }
        let rto_due = now >= self.core.timer.deadline();
        if now >= self.recovery.next_timer() {
            let flight = self.in_flight();
            let action = self.recovery.on_timer(Self::context(&self.core, now));
            self.apply(action, flight, now, host);
            may_send = true;
        }
        if self.recovery.take_probe(now, rto_due) {
            host.notify(TransportEvent::Expired(Rule::Probe));
            self.send_probe(now, host);
        } else if rto_due {
            self.on_retransmission_timeout(now, host);
            may_send = true;
        }
        if may_send {
            self.transmit(now, host);
        }
    }

    /// The retransmission timer expired: RFC 6298 §5.4 to §5.6, RFC 5681 §3.1.
    fn on_retransmission_timeout<H: Host>(&mut self, now: Time, host: &mut H) {
        if self.recovery.board().outstanding() == 0 {
            self.on_persist_timeout(now, host);
            return;
        }
        if self.core.timer.expirations() >= self.core.options.retries {
            self.finish(ConnectionState::GaveUp, TransportEvent::GaveUp, host);
            return;
        }
        self.core.timer.on_expired(now);
        self.core.status.counters.timeouts += 1;
        host.notify(TransportEvent::Expired(Rule::Timeout));
        let (lost, new_episode) = self.recovery.on_timeout(self.core.timer.expirations() > 1);
        self.core.ecn.on_loss_episode();
        if new_episode {
            host.notify(TransportEvent::RecoveryStarted(Rule::Timeout));
        }
        self.report_loss((Cause::Timeout, Rule::Timeout), new_episode, lost, now, host);
        self.pacer.reset();
    }
}
