// SPDX-License-Identifier: Apache-2.0
//! Transmission of datagrams.

use super::DatagramSender;
use crate::{ConnectionState, Host, Limit, TransportEvent};
use narrows_cc::{Reports, SentPacket};
use narrows_units::{Rate, Time};
use narrows_wire::{Body, Packet};

impl DatagramSender {
    /// Sends until a limit is reached.
    pub(super) fn transmit<H: Host>(&mut self, now: Time, host: &mut H) {
        self.spacing.delay_until(Time::NEVER);
        loop {
            if self.next >= self.core.data.transfer().segments() {
                self.core.status.limited_by = Limit::Application;
                self.core.status.state = ConnectionState::Completed;
                host.notify(TransportEvent::Completed);
                return;
            }
            if self.next >= self.core.data.available() {
                self.core.status.limited_by = Limit::Application;
                return;
            }
            let limits = self.core.algorithm.limits().bounded();
            if limits.window.is_some_and(|window| self.flight.count() >= window) {
                self.core.status.limited_by = Limit::Window;
                return;
            }
            if let Some(rate) = limits.pacing {
                let at = self.spacing.next_send(rate, limits.burst);
                if at > now {
                    self.core.status.limited_by = Limit::Pacing;
                    self.spacing.delay_until(at);
                    return;
                }
            }
            self.send_next(limits.pacing, now, host);
        }
    }

    /// Sends the next packet, spaced at `rate`.
    fn send_next<H: Host>(&mut self, rate: Option<Rate>, now: Time, host: &mut H) {
        let number = self.next;
        let payload = self.core.data.transfer().payload(number);
        let size = payload + self.core.options.header;
        self.next += 1;
        let body = Body::Datagram {
            rtt: self.core.smoothed_rtt().map_or(0.0, |rtt| rtt.as_secs_f64() as f32),
            payload: payload.count() as u16,
        };
        host.send(Packet {
            ecn: self.core.ecn.codepoint(false),
            ..Packet::new(self.core.flow, number, size, body, now)
        });
        self.core.status.counters.packets_sent += 1;
        self.core.status.counters.bytes_sent += size.count();
        if let Some(rate) = rate {
            self.spacing.on_sent(rate, payload, now);
        }
        let packet = SentPacket::new(number, payload, now)
            .in_flight(self.flight.count() + 1)
            .lost_before(self.core.status.counters.packets_lost)
            .app_limited(self.next >= self.core.data.available());
        if self.reports != Reports::Nothing {
            self.flight.push(packet);
        }
        let path = self.path(now);
        self.core.algorithm.on_sent(&packet, &path);
    }
}
