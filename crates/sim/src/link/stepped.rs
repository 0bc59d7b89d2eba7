// SPDX-License-Identifier: Apache-2.0
//! A queue, its serialiser and the impairments behind it, advanced from one event to the next.

use super::{ArrivalQueue, Capacity, Probe};
use crate::recorder::{LINK_FAILURE, QueueTap};
use narrows_engine::Stream;
use narrows_link::Impairments;
use narrows_model::Framing;
use narrows_qdisc::{Context, DropReason, QueueDiscipline};
use narrows_records::{FlowEvent, PacketEvent};
use narrows_units::{Bytes, Time};
use narrows_wire::Packet;

/// The near end of a link whose departures depend on what arrives later.
#[derive(Debug)]
pub(crate) struct Stepped {
    queue: Box<dyn QueueDiscipline>,
    queue_draws: Stream,
    capacity: Capacity,
    framing: Option<Framing>,
    /// Bits that framing has added to the packets sent.
    added: u64,
    impairments: Option<Impairments>,
    /// Time at which the next packet leaves the impairments, or they have to act; `NEVER` if there is none.
    leaving: Time,
    in_transmission: Option<Packet>,
    /// Departure time of the packet in transmission; without one, the time at which the medium is ready for the queue;
    /// `NEVER` otherwise.
    departure: Time,
    /// Deadline of the queue; `NEVER` if there is none.
    wake: Time,
    /// Time of the next rate change.
    change: Time,
    /// The earlier of `wake` and `change`.
    timer: Time,
    outage: Outage,
}

/// The times up to which a link advances: departures up to and including one time, all other events up to and including
/// another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub departures: Time,
    pub others: Time,
}

impl Bound {
    /// Returns the bound before all events at `now` except departures, which come first.
    pub fn before(now: Time) -> Self {
        Self { departures: now, others: Time::from_ps(now.as_ps().saturating_sub(1)) }
    }

    /// Returns the bound after all events at `now`.
    pub fn after(now: Time) -> Self {
        Self { departures: now, others: now }
    }
}

/// Outages of a link: a failed link sends nothing and drops all arrivals.
#[derive(Clone, Copy, Debug, Default)]
struct Outage {
    /// Bits that the capacity had offered at the failure; `None` while the link works.
    since: Option<f64>,
    /// Bits that the capacity would have offered in earlier outages.
    missed: f64,
}

impl Outage {
    /// Ends the outage; without outages the capacity would have offered `bits` so far.
    fn end(&mut self, bits: f64) {
        self.missed += self.since.take().map_or(0.0, |since| bits - since);
    }

    /// Bits offered by the link, if without outages it would have offered `bits`.
    fn without(&self, bits: f64) -> f64 {
        self.since.unwrap_or(bits) - self.missed
    }
}

impl Stepped {
    /// Creates an idle link with `queue`, `capacity`, `framing` and `impairments`, random loss among them.
    pub fn new(
        (queue, queue_draws): (Box<dyn QueueDiscipline>, Stream),
        capacity: Capacity,
        framing: Option<Framing>,
        impairments: Option<Impairments>,
    ) -> Self {
        let change = capacity.next_change();
        Self {
            queue,
            queue_draws,
            capacity,
            framing,
            added: 0,
            impairments,
            leaving: Time::NEVER,
            in_transmission: None,
            departure: Time::NEVER,
            wake: Time::NEVER,
            change,
            timer: change,
            outage: Outage::default(),
        }
    }

    /// Returns the time of the next packet that leaves, if nothing happens before, and of what else can happen first;
    /// the next packet arrives at `arrival`. With lookahead only a rate change can make the packet in transmission
    /// depart earlier.
    pub fn next(&self, arrival: Time, lookahead: bool) -> (Time, Time) {
        let busy = lookahead && self.in_transmission.is_some();
        let other = if busy { self.change } else { arrival.min(self.timer) };
        (self.departure.min(self.leaving), other)
    }

    /// Advances until a packet leaves, which is stored in `left`, or until `bound`. Returns the time at which it left.
    /// Simultaneous events are handled in the order impairments, departure, arrival, deadline of the queue, rate change.
    pub fn advance(
        &mut self,
        bound: Bound,
        arrivals: &mut ArrivalQueue,
        tap: &mut QueueTap<'_>,
        left: &mut Packet,
    ) -> Option<Time> {
        loop {
            let arrival = arrivals.next();
            let other = arrival.min(self.timer);
            let first = self.departure.min(self.leaving);
            if first <= other {
                if first > bound.departures || first == Time::NEVER {
                    return None;
                }
                let sent = if self.leaving == first { self.leave(tap) } else { self.depart(tap) };
                if let Some(packet) = sent {
                    *left = packet;
                    return Some(first);
                }
            } else if other > bound.others {
                return None;
            } else if arrival == other {
                arrivals.take(arrival, left);
                self.enqueue(*left, tap);
            } else if self.wake == other {
                self.wake_queue(tap);
            } else {
                self.change_rate(other, tap);
            }
        }
    }

    /// The link fails at `now`: what waits or is in transmission is lost, and so is what arrives.
    pub fn fail(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        self.outage.since = Some(self.capacity.offered_bits(now));
        tap.link.advance(now);
        self.with_queue(now, tap, |queue, context| queue.purge(context));
        if let Some(packet) = self.in_transmission.take() {
            tap.link.cut_off();
            lose(&packet, LINK_FAILURE, now, tap);
        }
        self.capacity.abort(now);
        self.departure = Time::NEVER;
        self.set_wake();
    }

    /// The link works again from `now` on.
    pub fn restore(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        self.outage.end(self.capacity.offered_bits(now));
        self.serve(now, tap);
    }

    /// Takes a round trip that steers the rate of a shaper.
    pub fn probed(&mut self, probe: Probe) {
        self.capacity.probed(probe);
    }

    /// Returns its rate.
    pub fn capacity(&self) -> &Capacity {
        &self.capacity
    }

    /// Returns the bits that framing has added to the packets sent.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Returns the size on the link and departure time of the packet in transmission.
    pub fn in_transmission(&self) -> Option<(Bytes, Time)> {
        self.in_transmission.map(|packet| (self.size_of(&packet), self.departure))
    }

    /// Returns the bits that the link could have sent up to `now`.
    pub fn offered_bits(&self, now: Time) -> f64 {
        self.outage.without(self.capacity.offered_bits(now))
    }

    /// Calls `record` with name and value of each inner variable of the queue.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.queue.observe(record);
    }

    /// Returns the number of packets that wait in the queue or are in transmission.
    pub fn queued(&self) -> u64 {
        self.queue.backlog().packets + u64::from(self.in_transmission.is_some())
    }

    /// Returns the number of packets at the impairments.
    pub fn held(&self) -> u64 {
        self.impairments.as_ref().map_or(0, Impairments::held)
    }

    /// Size of `packet` on the link.
    #[inline]
    fn size_of(&self, packet: &Packet) -> Bytes {
        if self.framing.is_some() { self.framed(packet.size()) } else { packet.size() }
    }

    /// Size on the link of a packet of `size`, apart from the code of links without framing.
    #[cold]
    #[inline(never)]
    fn framed(&self, size: Bytes) -> Bytes {
        self.framing.map_or(size, |framing| framing.on_link(size))
    }

    /// Enqueues a packet that has arrived.
    fn enqueue(&mut self, packet: Packet, tap: &mut QueueTap<'_>) {
        let (mut packet, now) = (packet, packet.arrival);
        packet.pass_router();
        tap.link.advance(now);
        tap.link.arrived(&packet);
        tap.log(now, PacketEvent::Enqueued, &packet);
        if self.outage.since.is_some() {
            self.with_queue(now, tap, |_, context| context.drop(&packet, DropReason::Failure));
        } else {
            self.with_queue(now, tap, |queue, context| queue.enqueue(packet, context));
        }
        tap.link.settled();
        self.serve(now, tap);
    }

    /// The packet in transmission has left, or the medium that the queue waited for is ready. Returns the packet that
    /// left unless an impairment loses or delays it.
    fn depart(&mut self, tap: &mut QueueTap<'_>) -> Option<Packet> {
        let now = std::mem::replace(&mut self.departure, Time::NEVER);
        let mut left = self.in_transmission.take();
        if let Some(packet) = &mut left {
            tap.link.sent(packet.size);
            if self.framing.is_some() {
                self.added += self.framed(packet.size()).bits() - packet.size().bits();
            }
            tap.log(now, PacketEvent::Departed, packet);
            packet.arrival = now;
            if self.impairments.is_some() {
                left = self.impair(*packet, now, tap);
            }
        }
        self.serve(now, tap);
        left
    }

    /// Gives `packet`, which leaves the serialiser at `now`, to the impairments. Returns it if it leaves them at once.
    fn impair(&mut self, packet: Packet, now: Time, tap: &mut QueueTap<'_>) -> Option<Packet> {
        let left = self.impairments.as_mut()?.send(packet);
        self.settle_impairments(now, tap);
        left
    }

    /// Handles what happens next at the impairments. Returns the packet that leaves them, if one does.
    fn leave(&mut self, tap: &mut QueueTap<'_>) -> Option<Packet> {
        let now = self.leaving;
        let left = self.impairments.as_mut()?.advance(now);
        self.settle_impairments(now, tap);
        left
    }

    /// Counts the packets that the impairments have lost, and stores when they act next.
    fn settle_impairments(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        while let Some((packet, rule)) = self.impairments.as_mut().and_then(Impairments::take_lost) {
            tap.link.lost();
            lose(&packet, rule, now, tap);
        }
        while let Some(packet) = self.impairments.as_mut().and_then(Impairments::take_marked) {
            tap.mark(&packet, now);
        }
        self.leaving = self.impairments.as_ref().map_or(Time::NEVER, Impairments::next);
    }

    /// Handles the deadline of the queue.
    fn wake_queue(&mut self, tap: &mut QueueTap<'_>) {
        let now = std::mem::replace(&mut self.wake, Time::NEVER);
        self.timer = self.change;
        tap.link.advance(now);
        self.with_queue(now, tap, |queue, context| queue.on_wake(context));
        self.serve(now, tap);
    }

    /// Changes the rate.
    fn change_rate(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        let departure = self.capacity.change(now);
        self.change = self.capacity.next_change();
        self.timer = self.wake.min(self.change);
        if self.in_transmission.is_none() {
            return self.serve(now, tap);
        }
        self.departure = departure.unwrap_or(self.departure);
    }

    fn serve(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        if self.in_transmission.is_none() && self.outage.since.is_none() {
            let ready = self.capacity.ready(now);
            if ready > now && tap.link.backlog().packets > 0 {
                self.departure = ready;
            } else {
                // An empty queue is called too: it then knows that the link is idle.
                self.start_next(now, tap);
            }
        }
        self.set_wake();
    }

    fn set_wake(&mut self) {
        if let Some(wake) = self.queue.next_wake() {
            self.wake = wake;
            self.timer = wake.min(self.change);
        }
    }

    fn start_next(&mut self, now: Time, tap: &mut QueueTap<'_>) {
        tap.link.advance(now);
        let Some(packet) = self.with_queue(now, tap, |queue, context| queue.dequeue(context)) else {
            return;
        };
        let group = if tap.link.shares.len() > 1 { tap.flows.group(&packet) } else { 0 };
        tap.link.started(packet.arrival, packet.size, group);
        self.in_transmission = Some(packet);
        self.departure = self.capacity.start(self.size_of(&packet), now);
    }

    fn with_queue<T>(
        &mut self,
        now: Time,
        tap: &mut QueueTap<'_>,
        act: impl FnOnce(&mut dyn QueueDiscipline, &mut Context<'_>) -> T,
    ) -> T {
        let mut uniform = || self.queue_draws.uniform();
        act(self.queue.as_mut(), &mut Context::new(now, self.capacity.rate(), &mut uniform, tap))
    }
}

/// Counts `packet`, which was on the link at `now`, as lost by `rule`.
fn lose(packet: &Packet, rule: &'static str, now: Time, tap: &mut QueueTap<'_>) {
    tap.flows.lost(packet);
    tap.flows.log_event(now, tap.link.place, FlowEvent::Lost, rule, packet);
    tap.log(now, PacketEvent::Lost, packet);
}
