// SPDX-License-Identifier: Apache-2.0
//! Delivery of packets to hosts.

use super::{ConnectionContext, Connections, receiving_host, sending_host};
use crate::events::Event;
use crate::host::{LINGER, ReceivingHost, SendingHost};
use crate::net::Net;
use narrows_units::Time;
use narrows_wire::{Direction, FlowId, Packet};

impl Connections<'_> {
    /// Passes `packet`, which reaches the router of one of its hosts at its arrival time, to the host. Calls must be in
    /// order of arrival time for each host; `now` is the clock of the run. Returns false if the packet reaches the
    /// host, at its arrival time, after the safe time.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn receive(&mut self, packet: &mut Packet, now: Time, context: &mut ConnectionContext<'_>) -> bool {
        let safe_time = context.safe_time;
        match packet.direction() {
            Direction::Reverse => {
                let Some(host) = sending_host(&mut self.sending, packet.flow) else {
                    context.net.delivered += 1;
                    return true;
                };
                host.access.receive(packet, now, context.net);
                if packet.arrival > safe_time && context.net.lookahead && host.exclusive {
                    return false;
                }
                arrive_at_sender(host, packet, context);
            }
            Direction::Forward => {
                let Some(host) = receiving_host(&mut self.receiving, packet.flow) else {
                    context.net.delivered += 1;
                    return true;
                };
                host.access.receive(packet, now, context.net);
                if packet.arrival > safe_time && context.net.lookahead && host.exclusive {
                    return false;
                }
                let after = arrive_at_receiver(host, packet, now, self.measuring, context);
                self.after_arrival(packet.flow, after, now, context.net);
            }
        }
        true
    }

    /// Does the same as [`receive`](Self::receive), for a packet that was refused before the safe time advanced.
    #[inline]
    pub fn receive_late(&mut self, packet: &Packet, now: Time, context: &mut ConnectionContext<'_>) -> bool {
        if packet.arrival > context.safe_time {
            return false;
        }
        match packet.direction() {
            Direction::Reverse => match sending_host(&mut self.sending, packet.flow) {
                Some(host) => arrive_at_sender(host, packet, context),
                None => context.net.delivered += 1,
            },
            Direction::Forward => match receiving_host(&mut self.receiving, packet.flow) {
                Some(host) => {
                    let after = arrive_at_receiver(host, packet, now, self.measuring, context);
                    self.after_arrival(packet.flow, after, now, context.net);
                }
                None => context.net.delivered += 1,
            },
        }
        true
    }

    /// A packet of `flow` was passed to its receiving host, whose next work is due at `due`; `has_ended` says whether the end of
    /// its transfer of datagrams is known.
    #[inline]
    fn after_arrival(&mut self, flow: FlowId, (due, has_ended): (Time, bool), now: Time, net: &mut Net) {
        if has_ended {
            self.record_arrived(flow.index() as u32, now);
        }
        self.arm_receiving(flow, due, net);
    }

    /// Schedules the event of the receiving hosts of a slot for `due` at the latest.
    #[inline]
    pub(super) fn arm_receiving(&mut self, flow: FlowId, due: Time, net: &mut Net) {
        if let Some(newest) = &mut self.receiving[flow.index()] {
            let event = net.slots.of(Event::ReceivingHost(flow.index() as u32));
            newest.timer.arm(due, event, &mut net.queue);
        }
    }
}

/// Passes `packet` to its host, which it reaches at its arrival time, by the safe time if the host is exclusive.
#[inline]
fn arrive_at_sender(host: &mut SendingHost, packet: &Packet, context: &mut ConnectionContext<'_>) {
    let event = context.net.slots.of(Event::SendingHost(packet.flow.index() as u32));
    let ahead = host.exclusive && context.net.lookahead && packet.arrival <= context.safe_time;
    if ahead && host.access.is_clear() {
        host.arrive(packet, &mut context.sender(event, host.group));
    } else {
        host.wait(packet);
    }
    host.timer.arm(host.timer.deadline(), event, &mut context.net.queue);
}

/// As [`arrive_at_sender`], when the clock of the run is at `now`. Returns the time of the next work of the host, and whether the end of
/// its transfer of datagrams is known.
#[inline]
fn arrive_at_receiver(
    host: &mut ReceivingHost,
    packet: &Packet,
    now: Time,
    measuring: bool,
    context: &mut ConnectionContext<'_>,
) -> (Time, bool) {
    // A host is closed at least this long after its closing is known.
    let until = context.safe_time.min(now + LINGER).min(host.closing());
    let ahead = host.exclusive && context.net.lookahead && packet.arrival <= until;
    if ahead && host.access.is_clear() {
        let event = context.net.slots.of(Event::ReceivingHost(packet.flow.index() as u32));
        host.arrive(packet, measuring, &mut context.receiver(event, host.group));
    } else {
        host.wait(packet);
    }
    (host.timer.deadline(), host.has_ended(now))
}
