// SPDX-License-Identifier: Apache-2.0
//! Transmission: lost segments first, then new ones, then those that may be lost (`NextSeg`, RFC 6675 §4).
//!
//! `QUIET` marks the parts that the [short path](super::advance) omits. In a flow that may take the short path, while loss
//! recovery is quiet and the algorithm sets a window and no rate, only the window and the end of the data can stop new segments.

use super::{ConnectionState, Limit, Sender};
use crate::receiver::buffer::INITIAL_ADVERTISED;
use crate::recovery::{Detail, NextSegment};
use crate::{Host, TransportEvent};
use narrows_cc::{Idle, Limits, SentPacket};
use narrows_units::{Rate, Time};
use narrows_wire::{Body, Packet};

impl Sender {
    /// Sends until a limit is reached.
    #[inline]
    pub(super) fn transmit<H: Host>(&mut self, now: Time, host: &mut H) {
        self.transmit_as::<false, H>(now, host);
    }

    /// Sends until a limit is reached. If `QUIET`, nothing is lost, SACKed or being repaired, the connection is established, and
    /// the flow may take the short path.
    #[inline]
    pub(super) fn transmit_as<const QUIET: bool, H: Host>(&mut self, now: Time, host: &mut H) {
        self.pacer.delay_until(Time::NEVER);
        if !QUIET && self.core.status.state != ConnectionState::Established {
            return;
        }
        let mut limits = self.core.algorithm.limits().bounded();
        if QUIET && !limits.is_window_alone() {
            return self.transmit(now, host);
        }
        let mut usable = self.usable_of::<QUIET>(&limits);
        self.aggregate = 0;
        let (limit, window) = loop {
            let segment = match self.choose::<QUIET>(&limits, usable, now) {
                Ok(segment) => segment,
                Err(limit) if QUIET && limit != Limit::Window => return self.transmit(now, host),
                Err(Limit::Application) if self.cut_segment() => continue,
                Err(limit) => break (limit, limits.window),
            };
            if QUIET && self.recovery.board().outstanding() == 0 {
                // It may have been idle, after which the algorithm may set a rate.
                return self.transmit(now, host);
            }
            if !QUIET && let Some(idle) = self.idle(now) {
                // The window may be smaller now, and with it what may be sent.
                (self.last_sent_at, self.waiting_since) = (now, Time::NEVER);
                let before = self.core.algorithm.window();
                self.core.algorithm.on_idle(&idle, &self.path(now));
                if self.core.algorithm.window() < before {
                    host.notify(TransportEvent::IdleRestart);
                }
                limits = self.core.algorithm.limits().bounded();
                usable = self.usable_of::<QUIET>(&limits);
                continue;
            }
            self.recovery.before_sending(segment);
            let rate = if QUIET { None } else { self.pacing_rate_within(&limits) };
            self.send_segment::<QUIET, H>(segment.retransmission(), rate, now, host);
            let notified = !QUIET && self.core.needs_sent_events;
            if notified {
                limits = self.core.algorithm.limits().bounded();
            }
            if notified || (!QUIET && self.recovery.is_reducing()) {
                usable = self.usable_of::<QUIET>(&limits);
            }
        };
        self.core.status.limited_by = limit;
        let board = self.recovery.board();
        // The congestion window itself, not the part that loss recovery permits, is what may grow. Segments that wait for an
        // aggregate wait for the window.
        let in_flight = board.in_flight();
        let deferred = limit == Limit::Window && usable < u64::MAX && in_flight < usable;
        let stopped_by_window = QUIET || deferred || window.is_some_and(|window| in_flight >= window);
        self.usage.on_attempt(board.una(), board.next(), stopped_by_window);
        let idle = board.outstanding() == 0;
        let waits = limit == Limit::Application && idle;
        self.waiting_since = if waits { self.waiting_since.min(now) } else { Time::NEVER };
        if limit == Limit::Application && self.core.needs.rate_samples {
            self.delivery_rate.on_app_limited(board.in_flight());
        }
        if limit == Limit::ReceiveWindow && idle {
            self.on_closed_window(now, host);
        }
    }

    /// The idle time that ends now: nothing is outstanding, and nothing has been sent for a retransmission timeout (RFC 5681 §4.1)
    /// or since the application had nothing to send.
    #[inline]
    fn idle(&self, now: Time) -> Option<Idle> {
        if self.recovery.board().outstanding() > 0 || self.last_sent_at == Time::NEVER {
            return None;
        }
        let timeouts = now.since(self.last_sent_at).as_ps() / self.core.timer.rto().as_ps().max(1);
        let timeouts = if self.core.options.idle_restart { timeouts } else { 0 };
        (timeouts > 0 || now > self.waiting_since).then_some(Idle::new(self.last_sent_at, timeouts))
    }

    /// The packets that may be in flight if the algorithm sets `limits`; `u64::MAX` if it has no window.
    #[inline]
    fn usable_of<const QUIET: bool>(&self, limits: &Limits) -> u64 {
        let usable =
            limits.window.map_or(u64::MAX, |window| if QUIET { window } else { self.usable(window) });
        debug_assert!(!QUIET || limits.window.map(|window| self.usable(window)) == Some(usable));
        usable
    }

    /// The segment to be sent next, or the limit that forbids it, where `usable` packets may be in flight.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn choose<const QUIET: bool>(
        &mut self,
        limits: &Limits,
        usable: u64,
        now: Time,
    ) -> Result<NextSegment, Limit> {
        let full = self.in_flight() >= usable;
        if full && (QUIET || !self.recovery.is_forced()) {
            return Err(Limit::Window);
        }
        if QUIET {
            return self.limit_on_new::<QUIET>().map_or(Ok(NextSegment::New), Err);
        }
        let lost = self.recovery.next_lost();
        if full && lost.is_none() {
            return Err(Limit::Window);
        }
        let segment = match (lost, self.limit_on_new::<QUIET>()) {
            (Some(number), _) => NextSegment::Lost(number),
            (None, None) if !self.recovery.permits_new() || self.is_deferred(usable, now) => {
                return Err(Limit::Window);
            }
            (None, None) => NextSegment::New,
            (None, Some(limit)) => NextSegment::NextSeg(self.recovery.next_seg().ok_or(limit)?),
        };
        let Some(rate) = self.pacing_rate_within(limits) else { return Ok(segment) };
        let number = segment.retransmission().unwrap_or(self.recovery.board().next());
        let size = self.core.data.transfer().payload(number);
        let at = self.pacer.next_send(rate, size, now);
        if at <= now {
            return Ok(segment);
        }
        self.pacer.delay_until(at);
        Err(Limit::Pacing)
    }

    /// Returns the limit that forbids sending a new segment, the congestion window aside.
    #[inline]
    pub(super) fn limit_on_new<const QUIET: bool>(&self) -> Option<Limit> {
        let limit = self.limit_on_probe::<QUIET>();
        if !QUIET && limit.is_none() && self.core.options.nagle && self.is_held_by_nagle() {
            return Some(Limit::Application);
        }
        limit
    }

    /// Cuts the next segment of a stream of which all segments are sent: as much as the application has written, up to a full one;
    /// by Nagle's algorithm no less than a full one while anything is outstanding. Returns false if there is none.
    #[cold]
    fn cut_segment(&mut self) -> bool {
        let board = self.recovery.board();
        let only_full = self.core.options.nagle && board.outstanding() > 0;
        if board.next() < self.core.data.available() {
            return false;
        }
        let size = self.core.data.cut(only_full);
        size.inspect(|size| self.recovery.board_mut().add_write(*size)).is_some()
    }

    /// Whether the next segment waits for more data or for the acknowledgement of all before it (RFC 9293 §3.7.4).
    #[cold]
    fn is_held_by_nagle(&self) -> bool {
        let board = self.recovery.board();
        board.outstanding() > 0 && self.core.data.transfer().payload(board.next()) < self.core.options.mss
    }

    /// Returns the same for a tail loss probe, which Nagle's algorithm does not hold back (`tcp_send_loss_probe`).
    #[inline]
    fn limit_on_probe<const QUIET: bool>(&self) -> Option<Limit> {
        let board = self.recovery.board();
        if board.next() >= self.core.data.available() {
            return Some(Limit::Application);
        }
        if QUIET {
            return None;
        }
        let options = &self.core.options;
        // `tcp_select_initial_window` and `tcp_grow_window`: two segments for each received in order.
        let advertised =
            if options.receive_autotuning { INITIAL_ADVERTISED + 2 * board.una() } else { u64::MAX };
        let window = options.receive_window.unwrap_or(u64::MAX).min(advertised);
        (board.outstanding() >= window || self.exceeds_peer_window()).then_some(Limit::ReceiveWindow)
    }

    /// Sends a tail loss probe: a new segment if there is one that the receiver can hold, else the last one again
    /// (`TLP_send_probe`, RFC 8985 §7.3).
    pub(super) fn send_probe<H: Host>(&mut self, now: Time, host: &mut H) {
        let retransmission = self.limit_on_probe::<false>().map(|_| self.recovery.board().next() - 1);
        let rate = self.pacing_rate();
        self.send_segment::<false, H>(retransmission, rate, now, host);
        self.core.status.counters.probes += 1;
        self.recovery.on_probe_sent(retransmission.is_some());
        self.core.timer.on_probe_sent(now);
    }

    /// Sends segment `retransmission` again, or a new one if `None`, paced at `rate`. If `QUIET`, it is a new one, not paced.
    #[inline]
    fn send_segment<const QUIET: bool, H: Host>(
        &mut self,
        retransmission: Option<u64>,
        rate: Option<Rate>,
        now: Time,
        host: &mut H,
    ) {
        let (retransmission, rate) = if QUIET { (None, None) } else { (retransmission, rate) };
        let idle = self.recovery.board().outstanding() == 0;
        let needs_sent_events = !QUIET && self.core.needs_sent_events;
        let request = if needs_sent_events { self.core.algorithm.request(&self.path(now)) } else { None };
        let context = Self::context(&self.core, now);
        let number = if QUIET {
            self.recovery.on_new_sent(context)
        } else {
            self.aggregate = self.aggregate.saturating_sub(u64::from(retransmission.is_none()));
            self.recovery.on_sent(retransmission, context)
        };
        let payload = self.core.data.transfer().payload(number);
        let size = payload + self.core.options.header;
        let retransmitted = retransmission.is_some();
        let body = Body::Data {
            request,
            payload: payload.count() as u16,
            retransmission: retransmitted,
            timestamp: self.recovery.timestamp(),
        };
        let mut packet = Packet::new(self.core.flow, number, size, body, now);
        packet.ecn = self.core.ecn.codepoint(retransmitted);
        packet.ecn_echo = !QUIET && !retransmitted && self.core.ecn.take_cwr(number);
        host.send(packet);
        let counters = &mut self.core.status.counters;
        let order = counters.packets_sent;
        counters.packets_sent += 1;
        counters.retransmissions += u64::from(retransmitted);
        counters.bytes_sent += size.count();
        let unpaced = u64::from(self.core.options.unpaced_packets);
        if let Some(rate) = rate.filter(|_| counters.packets_sent >= unpaced) {
            let aggregate = self.core.options.mss * u64::from(self.core.options.segmentation_offload);
            // The last unpaced packet has a gap behind it.
            let alone = counters.packets_sent == unpaced;
            let burst = if alone { payload } else { self.core.algorithm.limits().burst.max(aggregate) };
            self.pacer.on_sent(rate, payload, burst, self.core.options.pacing_credit, now);
        }
        self.last_sent_at = now;
        if retransmission == Some(self.recovery.board().una()) {
            self.core.timer.on_head_sent_again(now);
        } else {
            self.core.timer.on_sent(now);
        }
        let detail = if QUIET {
            Detail::default()
        } else {
            self.store_detail((number, order), retransmitted, idle, now)
        };
        if needs_sent_events {
            let path = self.path(now);
            let packet = SentPacket::new(order, payload, now)
                .retransmits(detail.packet_before)
                .segment(number)
                .in_flight(path.in_flight)
                .lost_before(self.recovery.board().total_lost())
                .app_limited(detail.app_limited);
            self.core.algorithm.on_sent(&packet, &path);
        }
    }

    /// Stores and returns the detail of segment `number`, sent now in packet `packet`, if the algorithm needs it; `idle` if nothing was
    /// outstanding before.
    #[inline]
    fn store_detail(&mut self, (number, packet): (u64, u64), again: bool, idle: bool, now: Time) -> Detail {
        if !self.core.needs.packets && !self.core.needs.rate_samples {
            return Detail::default();
        }
        let mut detail = self.delivery_rate.on_sent(now, idle);
        let board = self.recovery.board_mut();
        detail.packet = packet;
        detail.packet_before = board.detail(number).filter(|_| again).map(|before| before.packet);
        detail.in_flight = board.in_flight();
        detail.lost_before = board.total_lost();
        board.set_detail(number, detail);
        detail
    }
}
