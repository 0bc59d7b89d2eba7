//! Sends what the rate, or a window, lets go.

use super::DatagramSender;
use crate::{ConnectionState, Host, Limit, News};
use narrows_cc::{Reports, SentPacket};
use narrows_units::{Rate, Time};
use narrows_wire::{Body, Packet};

impl DatagramSender {
    /// Sends until something stops it.
    pub(super) fn transmit<H: Host>(&mut self, now: Time, host: &mut H) {
        self.pacing_deadline = Time::NEVER;
        loop {
            let limits = self.algorithm.limits().bounded();
            if self.next >= self.transfer.segments() {
                self.limited_by = Limit::Application;
                self.state = ConnectionState::Completed;
                host.tell(News::Completed);
                return;
            }
            if self.next >= self.offered {
                self.limited_by = Limit::Application;
                return;
            }
            if limits.window.is_some_and(|window| self.flight.count() >= window) {
                self.limited_by = Limit::Window;
                return;
            }
            if let Some(rate) = limits.pacing {
                let at = self.spacing.next_send(rate, limits.burst);
                if at > now {
                    self.limited_by = Limit::Pacing;
                    self.pacing_deadline = at;
                    return;
                }
            }
            self.send_next(limits.pacing, now, host);
        }
    }

    fn send_next<H: Host>(&mut self, rate: Option<Rate>, now: Time, host: &mut H) {
        let number = self.next;
        let payload = self.transfer.payload(number);
        let size = payload + self.options.header;
        self.next += 1;
        host.send(Packet {
            stamp: now,
            sent_at: now,
            number,
            flow: self.flow,
            size: size.count() as u16,
            next: 0,
            ecn: self.ecn.codepoint(false),
            ecn_echo: false,
            body: Body::Datagram {
                rtt: self.smoothed_rtt().map_or(0.0, |rtt| rtt.as_secs_f64() as f32),
                payload: payload.count() as u16,
            },
        });
        self.counters.packets_sent += 1;
        self.counters.bytes_sent += size.count();
        if let Some(rate) = rate {
            self.spacing.on_sent(rate, payload, now);
        }
        let packet = SentPacket {
            number,
            size: payload,
            sent_at: now,
            in_flight: self.flight.count() + 1,
            lost_before: self.counters.packets_lost,
            app_limited: self.next >= self.transfer.segments().min(self.offered),
        };
        if self.reports != Reports::Nothing {
            self.flight.push(packet);
        }
        let path = self.path(now);
        self.algorithm.on_sent(&packet, &path);
    }
}
