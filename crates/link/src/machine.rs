// SPDX-License-Identifier: Apache-2.0
//! The whole link as one machine: queue, serialiser, loss and impairments, propagation.

use crate::{Impairment, Impairments, Loss, LossModel, Serializer};
use alloc::collections::VecDeque;
use alloc::{boxed::Box, vec::Vec};
use narrows_engine::Stream;
use narrows_qdisc::{Context, DropReason, QueueDiscipline, Tap};
use narrows_units::{Rate, Span, Time};
use narrows_wire::Packet;

/// The properties of a link, besides its queue.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Rate; at 0 packets wait until it is [set](Link::set_rate).
    pub rate: Rate,
    /// Propagation delay.
    pub delay: Span,
    /// Random loss behind the serialiser; `None` for none.
    pub loss: Option<LossModel>,
    /// What else happens to packets behind the serialiser, in order.
    pub impairments: Vec<Impairment>,
}

impl Config {
    /// Creates a link that neither loses nor impairs packets.
    pub const fn new(rate: Rate, delay: Span) -> Self {
        Self { rate, delay, loss: None, impairments: Vec::new() }
    }

    /// Replaces [`loss`](field@Self::loss).
    #[must_use]
    pub fn loss(self, loss: Option<LossModel>) -> Self {
        Self { loss, ..self }
    }

    /// Replaces [`impairments`](field@Self::impairments).
    #[must_use]
    pub fn impairments(self, impairments: Vec<Impairment>) -> Self {
        Self { impairments, ..self }
    }
}

/// What became of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome<T> {
    /// The time at which it happened.
    pub at: Time,
    /// What happened.
    pub fate: Fate,
    /// The header as it left: the queue may have marked it.
    pub ecn: narrows_wire::Ecn,
    /// The payload offered with the packet.
    pub payload: T,
}

/// The end of a packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reached the far end.
    Delivered,
    /// The queue dropped it.
    Dropped(DropReason),
    /// It was lost behind the serialiser, by the rule of this name.
    Lost(&'static str),
}

/// A link: packets and times in, packets and times out. It has no clock.
///
/// A host calls [`offer`](Self::offer) for each packet that arrives, [`poll`](Self::poll) when the time of
/// [`next_event`](Self::next_event) has come, until it returns `None`. Times never decrease; at equal times packets are
/// offered before the link is polled. Arrivals and departures then equal, picosecond for picosecond, a link of the
/// simulator.
#[derive(Debug)]
pub struct Link<T> {
    queue: Box<dyn QueueDiscipline>,
    draws: Stream,
    serializer: Serializer,
    delay: Span,
    impairments: Option<Impairments>,
    /// The packet in transmission, and when it departs; [`Time::NEVER`] without one and at rate 0.
    in_transmission: Option<Packet>,
    departure: Time,
    /// Deadline of the queue; `NEVER` if there is none.
    wake: Time,
    /// Packets in propagation, in the order in which they arrive.
    pipe: VecDeque<Packet>,
    /// Arrival time of the last packet that left: packets do not overtake each other even if the delay becomes shorter.
    last_arrival: Time,
    /// Packets that were dropped or lost.
    ended: Ended,
    payloads: Payloads<T>,
}

/// Drops and losses, in order.
#[derive(Debug, Default)]
struct Ended {
    now: Time,
    packets: VecDeque<(Time, Fate, Packet)>,
}

impl Tap for Ended {
    fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        self.packets.push_back((self.now, Fate::Dropped(reason), *packet));
    }

    fn marked(&mut self, _packet: &Packet) {}
}

/// The payloads offered with the packets on the link. A packet has the place of its own in its field for the next hop,
/// which queues and impairments do not use.
#[derive(Debug)]
struct Payloads<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Payloads<T> {
    fn put(&mut self, payload: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.places[place as usize] = Some(payload);
            return place;
        }
        self.places.push(Some(payload));
        (self.places.len() - 1) as u32
    }

    fn take(&mut self, place: u32) -> Option<T> {
        let payload = self.places.get_mut(place as usize)?.take()?;
        self.free.push(place);
        Some(payload)
    }
}

impl<T> Link<T> {
    /// Creates an idle link with the empty `queue`; `stream` returns its random streams by purpose: `queue`, `loss`, and
    /// `impairment` with a number from 0.
    pub fn new(config: &Config, queue: Box<dyn QueueDiscipline>, stream: impl Fn(&str) -> Stream) -> Self {
        Self {
            queue,
            draws: stream("queue"),
            serializer: Serializer::new(config.rate),
            delay: config.delay,
            impairments: Impairments::new(config.loss.clone().map(Loss::new), &config.impairments, stream),
            in_transmission: None,
            departure: Time::NEVER,
            wake: Time::NEVER,
            pipe: VecDeque::new(),
            last_arrival: Time::ZERO,
            ended: Ended::default(),
            payloads: Payloads { places: Vec::new(), free: Vec::new() },
        }
    }

    /// `packet` arrives at the queue at `now`. Its fields `arrival` and `next` are not used.
    pub fn offer(&mut self, now: Time, packet: Packet, payload: T) {
        self.advance(now, false);
        let mut packet = Packet { arrival: now, next: self.payloads.put(payload), ..packet };
        packet.pass_router();
        self.with_queue(now, |queue, context| queue.enqueue(packet, context));
        self.serve(now);
    }

    /// Returns when the link is to be polled next if nothing is offered before; `None` if nothing will happen. The time may have passed.
    /// A queue with a regular timer, such as PIE, always has a next event, also on a link that [is empty](Self::is_empty).
    pub fn next_event(&self) -> Option<Time> {
        let ended = self.ended.packets.front().map_or(Time::NEVER, |(at, ..)| *at);
        let delivered = self.pipe.front().map_or(Time::NEVER, |packet| packet.arrival);
        let next = self.next_inner().min(ended).min(delivered);
        (next != Time::NEVER).then_some(next)
    }

    /// Lets time proceed to `now`. Returns the fate of a packet until then; `None` if nothing else has.
    pub fn poll(&mut self, now: Time) -> Option<Outcome<T>> {
        self.advance(now, true);
        let delivered = self.pipe.front().map_or(Time::NEVER, |packet| packet.arrival);
        let ended = self.ended.packets.front().map_or(Time::NEVER, |(at, ..)| *at);
        if delivered.min(ended) > now {
            return None;
        }
        let (at, fate, packet) = if ended <= delivered {
            self.ended.packets.pop_front()?
        } else {
            (delivered, Fate::Delivered, self.pipe.pop_front()?)
        };
        let payload = self.payloads.take(packet.next)?;
        Some(Outcome { at, fate, ecn: packet.ecn, payload })
    }

    /// Changes the rate at `now`, also for the rest of the packet in transmission.
    pub fn set_rate(&mut self, now: Time, rate: Rate) {
        self.advance(now, true);
        if let Some(departure) = self.serializer.change(rate, now) {
            self.departure = departure;
        }
    }

    /// Changes the propagation delay of what leaves the queue after `now`.
    pub fn set_delay(&mut self, now: Time, delay: Span) {
        self.advance(now, true);
        self.delay = delay;
    }

    /// Whether no packet is on the link, and the end of each has been returned.
    pub fn is_empty(&self) -> bool {
        self.queued() == 0 && self.pipe.is_empty() && self.ended.packets.is_empty()
    }

    /// Returns the number of packets that wait, are in transmission or at an impairment, but not those in propagation.
    pub fn queued(&self) -> u64 {
        let held = self.impairments.as_ref().map_or(0, Impairments::held);
        self.queue.backlog().packets + u64::from(self.in_transmission.is_some()) + held
    }

    /// Returns when something happens before propagation; `NEVER` for nothing.
    fn next_inner(&self) -> Time {
        let leaving = self.impairments.as_ref().map_or(Time::NEVER, Impairments::next);
        leaving.min(self.departure).min(self.wake)
    }

    /// Handles what happens until `now`; at `now` itself deadlines of the queue only if `all`, since arrivals precede them. At one
    /// time impairments come first, then the departure, then the deadline.
    fn advance(&mut self, now: Time, all: bool) {
        loop {
            let leaving = self.impairments.as_ref().map_or(Time::NEVER, Impairments::next);
            let first = leaving.min(self.departure);
            if first <= self.wake {
                if first > now || first == Time::NEVER {
                    return;
                }
                if leaving == first { self.leave(first) } else { self.depart(first) }
            } else if self.wake > now || self.wake == now && !all {
                return;
            } else {
                let now = core::mem::replace(&mut self.wake, Time::NEVER);
                self.with_queue(now, |queue, context| queue.on_wake(context));
                self.serve(now);
            }
        }
    }

    /// The packet in transmission departs at `now`.
    fn depart(&mut self, now: Time) {
        self.departure = Time::NEVER;
        if let Some(mut packet) = self.in_transmission.take() {
            packet.arrival = now;
            let left = match &mut self.impairments {
                Some(impairments) => impairments.send(packet),
                None => Some(packet),
            };
            self.settle(now, left);
        }
        self.serve(now);
    }

    /// The impairments act at `now`.
    fn leave(&mut self, now: Time) {
        let left = self.impairments.as_mut().and_then(|impairments| impairments.advance(now));
        self.settle(now, left);
    }

    /// `left` starts its propagation at `now`, and packets that the impairments have lost have ended.
    fn settle(&mut self, now: Time, left: Option<Packet>) {
        while let Some((packet, rule)) = self.impairments.as_mut().and_then(Impairments::take_lost) {
            self.ended.packets.push_back((now, Fate::Lost(rule), packet));
        }
        // The header states it when the packet arrives.
        while self.impairments.as_mut().and_then(Impairments::take_marked).is_some() {}
        if let Some(packet) = left {
            self.last_arrival = self.last_arrival.max(now + self.delay);
            self.pipe.push_back(Packet { arrival: self.last_arrival, ..packet });
        }
    }

    /// Starts the next transmission if the serialiser is idle. An empty queue is called, too: it then knows that the link is idle.
    fn serve(&mut self, now: Time) {
        if self.in_transmission.is_none()
            && let Some(packet) = self.with_queue(now, |queue, context| queue.dequeue(context))
        {
            self.departure = self.serializer.start(packet.size(), now);
            self.in_transmission = Some(packet);
        }
        if let Some(wake) = self.queue.next_wake() {
            self.wake = wake;
        }
    }

    fn with_queue<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut dyn QueueDiscipline, &mut Context<'_>) -> R,
    ) -> R {
        self.ended.now = now;
        let (rate, draws) = (self.serializer.rate(), &mut self.draws);
        let mut uniform = || draws.uniform();
        act(self.queue.as_mut(), &mut Context::new(now, rate, &mut uniform, &mut self.ended))
    }
}
