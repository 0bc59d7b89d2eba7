//! Sends what may be sent: lost segments, then new ones, then what the recovery policy would try as its last resort.

use super::{ConnectionState, Limit, Sender};
use crate::Host;
use crate::recovery::{LastResort, View};
use narrows_cc::{Limits, SentPacket};
use narrows_units::{Rate, Time};
use narrows_wire::{Body, Packet};

/// What leaves next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// The lowest lost segment.
    Lost(u64),
    /// A segment never sent.
    New,
    /// One sent before that is not known to be lost.
    LastResort(LastResort),
}

impl Next {
    /// The segment, if it was sent before.
    fn resent(self) -> Option<u64> {
        match self {
            Self::Lost(number) => Some(number),
            Self::New => None,
            Self::LastResort(segment) => Some(segment.number()),
        }
    }
}

impl Sender {
    /// Sends until something stops it.
    #[inline]
    pub(super) fn transmit<H: Host>(&mut self, now: Time, host: &mut H) {
        self.pacing_deadline = Time::NEVER;
        if self.state != ConnectionState::Established {
            return;
        }
        let mut limits = self.algorithm.limits().bounded();
        let mut usable = limits.window.map(|window| self.usable(window));
        let window = loop {
            let next = match self.choose(&limits, usable, now) {
                Ok(next) => next,
                Err(limit) => {
                    self.limited_by = limit;
                    break limits.window;
                }
            };
            if self.was_silent(now) {
                // The window may be smaller now, and so may be what was to leave.
                self.last_departure = now;
                self.algorithm.on_idle_restart(&self.path(now));
                limits = self.algorithm.limits().bounded();
                usable = limits.window.map(|window| self.usable(window));
                continue;
            }
            self.forced = false;
            if let Next::LastResort(segment) = next {
                self.recovery.on_last_resort(segment, &mut self.board);
            }
            if let Some(number) = next.resent() {
                self.undo.on_resent(number);
            }
            self.send_segment(next.resent(), self.paced_by(&limits), now, host);
            if self.minds_departures {
                limits = self.algorithm.limits().bounded();
            }
            if self.minds_departures || self.reduction.is_some() {
                usable = limits.window.map(|window| self.usable(window));
            }
        };
        // The window as such, not what recovery lets use of it, is what may grow.
        let stopped_by_window = window.is_some_and(|window| self.board.in_flight() >= window);
        self.usage.on_attempt(self.board.una(), self.board.next(), stopped_by_window);
        if self.needs.rate_samples && self.limited_by == Limit::Application {
            self.delivery_rate.on_app_limited(self.board.in_flight());
        }
    }

    /// Nothing is outstanding and no data has left for a retransmission timeout (RFC 5681 §4.1).
    fn was_silent(&self, now: Time) -> bool {
        self.options.idle_restart
            && self.board.outstanding() == 0
            && now.since(self.last_departure) >= self.rtt.rto()
    }

    /// What leaves next, or what forbids anything to, where `usable` packets may be in flight.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn choose(&mut self, limits: &Limits, usable: Option<u64>, now: Time) -> Result<Next, Limit> {
        let full = usable.is_some_and(|usable| self.board.in_flight() >= usable);
        if full && !self.forced {
            return Err(Limit::Window);
        }
        let lost = self.board.next_lost();
        if full && lost.is_none() {
            return Err(Limit::Window);
        }
        let next = match (lost, self.nothing_new()) {
            (Some(number), _) => Next::Lost(number),
            (None, None) => Next::New,
            (None, Some(limit)) => Next::LastResort(self.recovery.last_resort(&mut self.board).ok_or(limit)?),
        };
        let Some(rate) = self.paced_by(limits) else { return Ok(next) };
        let size = self.transfer.payload(next.resent().unwrap_or(self.board.next()));
        let at = self.pacer.next_send(rate, size, now);
        if at <= now {
            return Ok(next);
        }
        self.pacing_deadline = at;
        Err(Limit::Pacing)
    }

    /// What forbids to send a new segment.
    #[inline]
    fn nothing_new(&self) -> Option<Limit> {
        if self.board.next() >= self.transfer.segments().min(self.offered) {
            return Some(Limit::Application);
        }
        let full = self.options.receive_window.is_some_and(|window| self.board.outstanding() >= window);
        full.then_some(Limit::ReceiveWindow)
    }

    /// Sends a probe for a lost tail: a new segment if there is one and the receiver can hold it, else the last again.
    pub(super) fn send_probe<H: Host>(&mut self, now: Time, host: &mut H) {
        let resent = self.nothing_new().is_some();
        let segment = resent.then(|| self.board.next() - 1);
        let rate = self.pacing_rate();
        self.send_segment(segment, rate, now, host);
        self.counters.probes += 1;
        self.recovery.on_probe_sent(resent, &self.board);
        self.rto_deadline = now + self.rtt.rto();
    }

    /// Sends segment `resent` once more, or the next new one, paced by `rate`.
    #[inline]
    fn send_segment<H: Host>(&mut self, resent: Option<u64>, rate: Option<Rate>, now: Time, host: &mut H) {
        let idle = self.board.outstanding() == 0;
        let request = if self.minds_departures { self.algorithm.request(&self.path(now)) } else { None };
        let number = if let Some(number) = resent {
            self.board.on_resent(number, now);
            self.counters.retransmissions += 1;
            number
        } else {
            self.board.on_sent(now)
        };
        let payload = self.transfer.payload(number);
        let size = payload + self.options.header;
        host.send(Packet {
            stamp: now,
            sent_at: now,
            number,
            flow: self.flow,
            size: size.count() as u16,
            next: 0,
            ecn: self.ecn.codepoint(resent.is_some()),
            ecn_echo: resent.is_none() && self.ecn.take_cwr(number),
            body: Body::Data {
                request,
                payload: payload.count() as u16,
                retransmission: resent.is_some(),
                timestamp: self.undo.clock(),
            },
        });
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += size.count();
        if let Some(rate) = rate {
            self.pacer.on_sent(rate, payload, self.algorithm.limits().burst, now);
        }
        let app_limited = self.note_departure(number, resent.is_none(), idle, now);
        if self.minds_departures {
            let path = self.path(now);
            let packet = SentPacket {
                number,
                size: payload,
                sent_at: now,
                in_flight: path.in_flight,
                lost_before: self.board.lost_ever(),
                app_limited,
            };
            self.algorithm.on_sent(&packet, &path);
        }
    }

    /// Tells everybody who keeps account of departures; true if the application is the limit.
    #[inline]
    fn note_departure(&mut self, number: u64, new: bool, idle: bool, now: Time) -> bool {
        if let Some(reduction) = &mut self.reduction {
            reduction.on_sent();
        }
        self.last_departure = now;
        let view = View { now, rtt: self.rtt.view() };
        self.recovery.on_sent(number, new, view, &self.board);
        if self.rto_deadline == Time::NEVER {
            self.rto_deadline = now + self.rtt.rto();
        }
        if !self.needs.packets && !self.needs.rate_samples {
            return false;
        }
        let mut detail = self.delivery_rate.on_sent(now, idle);
        detail.in_flight = self.board.in_flight();
        detail.lost_before = self.board.lost_ever();
        self.board.set_detail(number, detail);
        detail.app_limited
    }
}
