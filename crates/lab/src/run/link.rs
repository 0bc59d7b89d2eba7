//! A link in motion: its queue, the packet in transmission, and the packets under way.

use crate::link::{Capacity, Loss};
use crate::model::LinkChange;
use crate::records::{FlowTallies, Happening, LinkRecorder, QueueTap};
use narrows_engine::Stream;
use narrows_qdisc::{Context, DropReason, QueueDiscipline};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// The near end of a link.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most links are computed, and every packet crosses them")]
pub(super) enum Link {
    /// Departures are events.
    Scheduled(Box<Transmitter>),
    /// Departures are computed when a packet arrives.
    Computed(Computed),
}

/// A queue and a serialiser.
#[derive(Debug)]
pub(super) struct Transmitter {
    queue: Box<dyn QueueDiscipline>,
    queue_draws: Stream,
    capacity: Capacity,
    loss: Option<(Loss, Stream)>,
    in_transmission: Option<Packet>,
    /// When it will have left.
    departure: Time,
    /// Propagation delay.
    delay: Span,
    /// When the last packet that was sent will arrive.
    last_arrival: Time,
    outage: Outage,
    /// What is counted here.
    pub recorder: LinkRecorder,
    /// Records have a row for it: it is not an access link.
    pub recorded: bool,
    /// Bits that had been sent, and that could have been, when the warm-up ended.
    pub at_measure: Bits,
}

/// A link whose only user is one flow and whose queue is an unlimited FIFO at a constant rate: when a packet leaves is
/// known when it arrives.
#[derive(Debug)]
pub(super) struct Computed {
    capacity: Capacity,
    busy_until: Time,
    delay: Span,
}

/// The far end of a link: packets under way, in the order in which they will arrive.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    pub packets: VecDeque<Packet>,
}

/// Bits since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bits {
    /// Sent, counting the part of the packet in transmission that has left.
    pub sent: f64,
    /// That could have been sent.
    pub offered: f64,
}

/// While a link has failed it sends nothing and loses whatever comes.
#[derive(Clone, Copy, Debug, Default)]
struct Outage {
    /// Bits that the capacity had offered when the link failed, if it has.
    since: Option<f64>,
    /// Bits that it would have offered in earlier outages.
    missed: f64,
}

impl Outage {
    /// The link works again; its capacity would have offered `bits` by now.
    fn end(&mut self, bits: f64) {
        self.missed += self.since.take().map_or(0.0, |since| bits - since);
    }

    /// What the link offered, where its capacity would have offered `bits`.
    fn without(&self, bits: f64) -> f64 {
        self.since.unwrap_or(bits) - self.missed
    }
}

/// What a link wants after something was done to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish {
    /// When the packet in transmission will have left, if that changed.
    pub departure: Option<Time>,
    /// When the queue wants to be woken.
    pub wake: Option<Time>,
}

impl Transmitter {
    pub fn new(
        queue: Box<dyn QueueDiscipline>,
        queue_draws: Stream,
        capacity: Capacity,
        loss: Option<(Loss, Stream)>,
        delay: Span,
        recorded: bool,
    ) -> Self {
        Self {
            queue,
            queue_draws,
            capacity,
            loss,
            in_transmission: None,
            departure: Time::NEVER,
            delay,
            last_arrival: Time::ZERO,
            outage: Outage::default(),
            recorder: LinkRecorder::new(),
            recorded,
            at_measure: Bits::default(),
        }
    }

    /// The warm-up is over.
    pub fn measure(&mut self, now: Time) {
        self.recorder.measure(now);
        self.at_measure = self.bits(now);
    }

    /// A packet reaches the queue.
    pub fn enqueue(&mut self, mut packet: Packet, now: Time, flows: &mut FlowTallies) -> Wish {
        packet.stamp = now;
        // Access links are the end hosts' own: no router stands before them.
        if self.recorded {
            packet.pass_router();
        }
        self.recorder.advance(now);
        self.recorder.arrived(&packet);
        self.log(Happening::Enqueued, &packet, now, flows);
        if self.outage.since.is_some() {
            self.with_queue(now, flows, |_, context| context.drop(&packet, DropReason::Failure));
        } else {
            self.with_queue(now, flows, |queue, context| queue.enqueue(packet, context));
        }
        self.recorder.settled();
        self.serve(now, flows)
    }

    /// The packet in transmission has left, or the medium that the queue waited for is ready. Returns the packet that
    /// left unless it is lost behind the queue.
    pub fn depart(&mut self, now: Time, flows: &mut FlowTallies) -> (Option<Packet>, Wish) {
        let mut left = self.in_transmission.take();
        if let Some(packet) = &left {
            self.recorder.sent(packet);
            self.log(Happening::Departed, packet, now, flows);
            if self.loss.as_mut().is_some_and(|(loss, draws)| loss.lose(|| draws.uniform())) {
                self.recorder.lost();
                flows.lost(packet);
                self.log(Happening::Lost, packet, now, flows);
                left = None;
            }
        }
        (left, self.serve(now, flows))
    }

    /// The queue's deadline has come.
    pub fn wake(&mut self, now: Time, flows: &mut FlowTallies) -> Wish {
        self.recorder.advance(now);
        self.with_queue(now, flows, |queue, context| queue.on_wake(context));
        self.serve(now, flows)
    }

    /// The rate changes now.
    pub fn change_rate(&mut self, now: Time, flows: &mut FlowTallies) -> Wish {
        let departure = self.capacity.change(now);
        if self.in_transmission.is_none() {
            return self.serve(now, flows);
        }
        self.departure = departure.unwrap_or(self.departure);
        Wish { departure, wake: None }
    }

    /// When a packet that leaves now arrives at the far end: packets do not overtake each other, even if the delay has
    /// become shorter since the last.
    pub fn arrival(&mut self, now: Time) -> Time {
        self.last_arrival = self.last_arrival.max(now + self.delay);
        self.last_arrival
    }

    /// Something happens to the link now.
    pub fn change(&mut self, change: LinkChange, now: Time, flows: &mut FlowTallies) -> Wish {
        match change {
            LinkChange::Fail => self.fail(now, flows),
            LinkChange::Restore => {
                self.outage.end(self.capacity.offered_bits(now));
                self.serve(now, flows)
            }
            LinkChange::Delay(delay) => {
                self.delay = delay;
                Wish::default()
            }
        }
    }

    fn fail(&mut self, now: Time, flows: &mut FlowTallies) -> Wish {
        self.outage.since = Some(self.capacity.offered_bits(now));
        self.recorder.advance(now);
        self.with_queue(now, flows, |queue, context| queue.purge(context));
        if let Some(packet) = self.in_transmission.take() {
            self.recorder.cut_off();
            flows.lost(&packet);
            self.log(Happening::Lost, &packet, now, flows);
        }
        self.capacity.abort(now);
        Wish { departure: Some(Time::NEVER), wake: self.queue.next_wake() }
    }

    /// When the rate changes next.
    pub fn next_rate_change(&self) -> Time {
        self.capacity.next_change()
    }

    /// Bits sent and offered from the start of the run until `now`.
    pub fn bits(&self, now: Time) -> Bits {
        let whole = self.recorder.counts.sent_bytes.bits() as f64;
        let part = self.in_transmission.map_or(0.0, |packet| {
            let ahead = self.capacity.rate().as_bps() as f64 * self.departure.since(now).as_secs_f64();
            (packet.size().bits() as f64 - ahead).max(0.0)
        });
        Bits { sent: whole + part, offered: self.outage.without(self.capacity.offered_bits(now)) }
    }

    /// Every packet that reached the queue was sent, dropped, waits or is in transmission.
    pub fn conserves(&self) -> bool {
        let counts = &self.recorder.counts;
        let here = self.queue.backlog().packets + u64::from(self.in_transmission.is_some());
        counts.arrived == counts.sent + counts.dropped() + here
    }

    /// Packets in the queue and in transmission.
    pub fn holds(&self) -> u64 {
        self.queue.backlog().packets + u64::from(self.in_transmission.is_some())
    }

    fn log(&self, what: Happening, packet: &Packet, now: Time, flows: &mut FlowTallies) {
        if let Some(place) = self.recorder.logged {
            flows.log.add(now, place, what, packet);
        }
    }

    fn serve(&mut self, now: Time, flows: &mut FlowTallies) -> Wish {
        let mut departure = None;
        if self.in_transmission.is_none() && self.outage.since.is_none() {
            let ready = self.capacity.ready(now);
            if ready > now && self.recorder.waiting() > 0 {
                departure = Some(ready);
            } else {
                // An empty queue is asked too: the answer tells it that the link is idle from now on.
                departure = self.start_next(now, flows);
            }
        }
        Wish { departure, wake: self.queue.next_wake() }
    }

    fn start_next(&mut self, now: Time, flows: &mut FlowTallies) -> Option<Time> {
        self.recorder.advance(now);
        let packet = self.with_queue(now, flows, |queue, context| queue.dequeue(context))?;
        let group = if self.recorder.shares.len() > 1 { flows.group(&packet) } else { 0 };
        self.recorder.started(&packet, group);
        self.in_transmission = Some(packet);
        self.departure = self.capacity.start(packet.size(), now);
        Some(self.departure)
    }

    fn with_queue<T>(
        &mut self,
        now: Time,
        flows: &mut FlowTallies,
        act: impl FnOnce(&mut dyn QueueDiscipline, &mut Context<'_>) -> T,
    ) -> T {
        let mut context = Context {
            now,
            rate: self.capacity.rate(),
            uniform: &mut || self.queue_draws.uniform(),
            tap: &mut QueueTap { link: &mut self.recorder, flows },
        };
        act(self.queue.as_mut(), &mut context)
    }
}

impl Computed {
    pub fn new(capacity: Capacity, delay: Span) -> Self {
        Self { capacity, busy_until: Time::ZERO, delay }
    }

    /// When a packet of `size` that reaches the queue at `at` will be at the far end. Packets come in order of `at`.
    pub fn pass(&mut self, size: Bytes, at: Time) -> Time {
        self.busy_until = self.capacity.start(size, at.max(self.busy_until));
        self.busy_until + self.delay
    }
}
