// SPDX-License-Identifier: Apache-2.0
//! The receiving end of a connection in its host.

use super::clock::Clock;
use super::{AccessLinks, Context, Datagrams, LINGER, Timer};
use crate::net::Net;
use crate::plan::Plan;
use crate::recorder::Received;
use crate::transfer::EndedTransfer;
use narrows_engine::Slot;
use narrows_transport::{Host, Receiver, ReceivingEndpoint, StackPacket, StackReceiver, StackRequest};
use narrows_units::Time;
use narrows_wire::{Body, FlowId, Packet};

/// A receiver with its access links.
#[derive(Debug)]
pub(crate) struct ReceivingHost {
    /// Deadline of this host. The newest host of a connection slot owns the event for all hosts of the slot.
    pub timer: Timer,
    clock: Clock,
    /// Connection of the host.
    pub flow: FlowId,
    /// The receiving endpoint of the transport.
    pub receiver: ReceivingEndpoint,
    /// Links between the host and its router.
    pub access: AccessLinks,
    /// The route of its packets: an index into the model's routes.
    pub route: u32,
    /// Index of the group of the connection.
    pub group: usize,
    /// Time after which no packet arrives.
    closing: Time,
    /// Time of the next work, other than removal of the host.
    acts_next: Time,
    /// Whether it may run ahead of other hosts; see [`SendingHost`](super::SendingHost).
    pub exclusive: bool,
    /// Payload received by the end of the warm-up, each byte once.
    pub received_at_warmup: u64,
    /// Payload of the connection, bytes; `u64::MAX` for an endless flow.
    pub size: u64,
    /// The arrivals of a finite transfer of datagrams; `None` of all else.
    pub datagrams: Option<Box<Datagrams>>,
    /// Host of the previous connection in the same slot, while packets may still arrive there.
    pub before: Option<Box<Self>>,
}

/// The interface of a receiver to its host.
struct ReceiverIo<'a> {
    now: Time,
    net: &'a mut Net,
    slot: Slot,
    route: u32,
    access: &'a mut AccessLinks,
}

impl ReceivingHost {
    /// Creates a host for the connection that `plan` describes; `before` is the previous host in the same slot, `route`
    /// the route of its packets, `group` its group.
    pub fn new(
        plan: &Plan,
        receiver: ReceivingEndpoint,
        route: u32,
        group: usize,
        exclusive: bool,
        before: Option<Box<Self>>,
    ) -> Self {
        Self {
            // The scheduled event of the slot is kept.
            timer: before.as_ref().map_or_else(Timer::default, |before| before.timer.inherited()),
            clock: Clock::default(),
            flow: plan.flow,
            receiver,
            access: AccessLinks::new(plan.far),
            route,
            group,
            closing: Time::NEVER,
            acts_next: Time::NEVER,
            exclusive,
            received_at_warmup: 0,
            size: plan.size.map_or(u64::MAX, narrows_units::Bytes::count),
            datagrams: None,
            before,
        }
    }

    /// Processes `packet` at its arrival time, after all work that was due before. One-way delays are recorded if
    /// `measuring`.
    #[inline]
    pub fn arrive(&mut self, packet: &Packet, measuring: bool, cx: &mut Context<'_>) {
        let at = packet.arrival;
        if self.timer.deadline() < at {
            self.advance(Time::from_ps(at.as_ps() - 1), measuring, cx);
        }
        self.clock.advance(at);
        self.on_arrival(packet, at, measuring, cx);
        self.meet_deadlines(at, cx);
    }

    /// Data leaves at `now` in the other direction, and a delayed acknowledgement with it.
    pub fn acknowledge(&mut self, now: Time, cx: &mut Context<'_>) {
        self.clock.advance(now);
        self.act(now, cx, |receiver, io| receiver.acknowledge(now, io));
        self.set_timer(self.receiver.next_wake());
    }

    /// Stores `packet` until its arrival time at the host.
    pub fn wait(&mut self, packet: &Packet) {
        self.access.wait(packet);
        self.set_timer(self.receiver.next_wake());
    }

    /// Performs all work that is due by `until`, in order of time.
    pub fn advance(&mut self, until: Time, measuring: bool, cx: &mut Context<'_>) {
        while self.acts_next <= until && !cx.net.is_stopped() {
            self.run(self.acts_next, measuring, cx);
        }
    }

    /// Performs all work that is due at `now`.
    pub fn run(&mut self, now: Time, measuring: bool, cx: &mut Context<'_>) {
        self.clock.advance(now);
        self.access.release(now, cx.slot, cx.net);
        if now <= self.closing {
            while let Some(packet) = self.access.take(now) {
                self.on_arrival(&packet, now, measuring, cx);
            }
            self.meet_deadlines(now, cx);
        } else {
            self.set_timer(self.receiver.next_wake());
        }
    }

    /// Returns the counts of the receiver from the start until `now`.
    pub fn received(&self, now: Time) -> Received {
        let counters = self.receiver.counters();
        Received {
            bytes: counters.bytes_received,
            packets: counters.packets_received,
            access_wait_ns: self.access.waited(now)[1],
        }
    }

    /// Returns the receiver of data that is written in parts; `None` if a stack carries the connection.
    pub fn parts_mut(&mut self) -> Option<&mut Receiver> {
        self.receiver.reliable_mut()
    }

    /// The stack that carries the connection has delivered `bytes` of payload so far.
    pub fn deliver_from_stack(&mut self, bytes: u64) {
        of_stack(&mut self.receiver).update(bytes);
    }

    /// The stack that carries the connection sends `packet` along `route` at `now`.
    pub fn send_from_stack(&mut self, packet: &StackPacket, route: u32, now: Time, cx: &mut Context<'_>) {
        self.clock.advance(now);
        let usual = std::mem::replace(&mut self.route, route);
        self.act(now, cx, |receiver, io| of_stack(receiver).send(packet, now, io));
        self.route = usual;
        self.meet_deadlines(now, cx);
    }

    /// Returns the time after which no packet arrives; `NEVER` while the connection is open.
    pub fn closing(&self) -> Time {
        self.closing
    }

    /// Whether the host has no work left at `now` and may be removed.
    pub fn is_done(&self, now: Time) -> bool {
        self.closing.max(self.access.drained()) <= now
    }

    /// The sender has ended, and what it sent arrives by `due` if nothing but propagation delays it: closes the host
    /// some time later, from which on arrivals are ignored. `sent` has the sender's counts of a transfer of datagrams.
    pub fn close(&mut self, due: Time, sent: Option<EndedTransfer>) {
        self.closing = match &mut self.datagrams {
            None => due + LINGER,
            Some(datagrams) => {
                datagrams.close(due, sent);
                datagrams.closing()
            }
        };
        self.set_timer(self.receiver.next_wake());
    }

    /// Whether the end of a transfer of datagrams is known at `now`, and has not been [taken](Self::take_ended).
    #[inline]
    pub fn has_ended(&self, now: Time) -> bool {
        self.datagrams.as_ref().is_some_and(|datagrams| datagrams.has_ended(self.is_done(now)))
    }

    /// Returns the transfer of datagrams, if it [has ended](Self::has_ended).
    pub fn take_ended(&mut self, now: Time) -> Option<EndedTransfer> {
        let (payload, is_done) = (self.receiver.counters().bytes_received, self.is_done(now));
        self.datagrams.as_mut()?.take_ended(payload, is_done)
    }

    /// Sets the timer to the next work, or to the time of removal; `wake` is the deadline of the receiver.
    #[inline]
    fn set_timer(&mut self, wake: Time) {
        let next = wake.min(self.access.next());
        self.acts_next = if next <= self.closing { next } else { self.access.next_to_router() };
        self.timer.set(self.acts_next.min(self.closing.max(self.access.drained())));
    }

    #[inline]
    fn on_arrival(&mut self, packet: &Packet, now: Time, measuring: bool, cx: &mut Context<'_>) {
        cx.net.deliver(packet, now);
        if measuring && matches!(packet.body, Body::Data { .. } | Body::Datagram { .. }) {
            cx.spans.add(now - packet.sent_at);
        }
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.on_arrival(packet, now);
            self.closing = datagrams.closing();
        }
        self.act(now, cx, |receiver, io| receiver.on_packet(packet, now, io));
    }

    #[inline]
    fn meet_deadlines(&mut self, now: Time, cx: &mut Context<'_>) {
        let mut wake = self.receiver.next_wake();
        if wake <= now {
            self.act(now, cx, |receiver, io| receiver.on_wake(now, io));
            wake = self.receiver.next_wake();
        }
        self.set_timer(wake);
    }

    #[inline]
    fn act(
        &mut self,
        now: Time,
        cx: &mut Context<'_>,
        call: impl FnOnce(&mut ReceivingEndpoint, &mut ReceiverIo<'_>),
    ) {
        let mut io =
            ReceiverIo { now, net: cx.net, slot: cx.slot, route: self.route, access: &mut self.access };
        call(&mut self.receiver, &mut io);
    }
}

fn of_stack(receiver: &mut ReceivingEndpoint) -> &mut StackReceiver {
    receiver.stack_mut().expect("the stack carries all connections")
}

impl Host for ReceiverIo<'_> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    fn send(&mut self, mut packet: Packet) {
        packet.next = self.net.bases[self.route as usize];
        self.access.send(&mut packet, self.now, self.now, self.slot, self.net);
    }

    fn request(&mut self, request: StackRequest) {
        self.net.requests.push_back(request);
    }
}
