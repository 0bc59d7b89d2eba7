//! A link in motion: its queue, the packet in transmission, and the packets under way.

use super::entrance::Entrance;
use super::fifo::Fifo;
use crate::link::{Capacity, Loss, Steady};
use crate::model::LinkChange;
use crate::records::{FlowTallies, Happening, LinkRecorder, QueueTap};
use narrows_engine::{Slot, Stream};
use narrows_qdisc::{Context, DropReason, QueueDiscipline};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// The near end of a link; a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
pub(super) enum Link {
    /// Its queue and serialiser are followed from one thing that happens there to the next.
    Scheduled(Box<Transmitter>),
    /// Departures are computed when a packet arrives; the far end is the pipe of that number, in the same partition.
    Computed(Computed, u32),
}

/// A queue and a serialiser, with a clock of their own: what happens there depends on nothing but the packets that come,
/// and nobody else hears of it before a packet has crossed the link. So the link may lag behind the rest of the run, by its
/// delay at most, and do then at once what was to be done in the meantime.
#[derive(Debug)]
pub(super) struct Transmitter {
    /// What will reach the queue.
    entrance: Entrance,
    /// It may lag behind; otherwise everything is done when it is due.
    lags: bool,
    /// What stands for queue and serialiser where packets go on as they come.
    fifo: Option<Fifo>,
    queue: Box<dyn QueueDiscipline>,
    queue_draws: Stream,
    capacity: Capacity,
    loss: Option<(Loss, Stream)>,
    in_transmission: Option<Packet>,
    /// When it will have left; without one, when the medium that the queue waits for is ready; `NEVER` if neither.
    departure: Time,
    /// When the queue wants to be woken; `NEVER` if it does not.
    wake: Time,
    /// When the rate changes.
    change: Time,
    /// The earlier of both.
    timer: Time,
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
    steady: Steady,
    delay: Span,
}

/// The far end of a link: packets under way, in the order in which they will arrive.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    pub packets: VecDeque<Packet>,
    /// Packets may be handed to the endpoints of flows before their time.
    pub prompt: bool,
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

/// How far a link goes: departures up to and including one time, and what else happens there up to and including another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    departures: Time,
    others: Time,
}

impl Bound {
    /// To the very beginning of what happens at `now`: departures come first.
    pub fn begin(now: Time) -> Self {
        Self { departures: now, others: Time::from_ps(now.as_ps().saturating_sub(1)) }
    }

    /// To the end of what happens at `now`.
    pub fn end(now: Time) -> Self {
        Self { departures: now, others: now }
    }
}

impl Transmitter {
    /// A link that does everything when it is due.
    pub fn new(
        queue: (Box<dyn QueueDiscipline>, Stream),
        capacity: Capacity,
        loss: Option<(Loss, Stream)>,
        delay: Span,
        recorded: bool,
    ) -> Self {
        let change = capacity.next_change();
        let (queue, queue_draws) = queue;
        Self {
            entrance: Entrance::default(),
            lags: false,
            fifo: None,
            queue,
            queue_draws,
            capacity,
            loss,
            in_transmission: None,
            departure: Time::NEVER,
            wake: Time::NEVER,
            change,
            timer: change,
            delay,
            last_arrival: Time::ZERO,
            outage: Outage::default(),
            recorder: LinkRecorder::new(),
            recorded,
            at_measure: Bits::default(),
        }
    }

    /// It may lag behind. Its queue and its capacity are that of `fifo` if there is one, it never fails, and loses nothing
    /// behind the queue.
    pub fn lag(&mut self, fifo: Option<Fifo>) {
        (self.lags, self.fifo) = (true, fifo);
    }

    /// The warm-up is over.
    pub fn measure(&mut self, now: Time) {
        self.recorder.measure(now);
        self.at_measure = self.bits(now);
    }

    /// `packet` will reach the queue at its stamp, brought by the event `slot`. True if [`due`](Self::due) may have changed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn expect(&mut self, packet: &Packet, slot: Slot) -> bool {
        self.entrance.tell(packet, slot)
    }

    /// When it must go on, lest a packet come late to the far end.
    pub fn due(&self) -> Time {
        if self.fifo.is_some() {
            return self.entrance.next() + INSTANT + self.delay;
        }
        // Nothing but a change of the rate makes the packet in transmission leave earlier than it is known to.
        let busy = self.lags && self.in_transmission.is_some();
        let other = if busy { self.change } else { self.entrance.next().min(self.timer) };
        let due = self.departure.min(other + INSTANT);
        if self.lags { due + self.delay } else { due }
    }

    /// Goes on until a packet leaves, and puts that into `left`, stamped with its arrival at the far end; false when it has
    /// come to `bound`. Of what happens at the same time departures are first, then arrivals, the queue's deadline and a change
    /// of the rate.
    pub fn go_on(&mut self, bound: Bound, flows: &mut FlowTallies, left: &mut Packet) -> bool {
        if let Some(fifo) = &mut self.fifo {
            while self.entrance.take(bound.others, left) {
                if self.recorded {
                    left.pass_router();
                }
                if let Some(departure) = fifo.pass(left, &mut self.recorder, flows) {
                    left.stamp = self.last_arrival.max(departure + self.delay);
                    self.last_arrival = left.stamp;
                    return true;
                }
            }
            fifo.go_on(bound.departures, &mut self.recorder);
            return false;
        }
        loop {
            let arrival = self.entrance.next();
            let other = arrival.min(self.timer);
            if self.departure <= other {
                if self.departure > bound.departures || self.departure == Time::NEVER {
                    return false;
                }
                if let Some(packet) = self.depart(flows) {
                    *left = packet;
                    return true;
                }
            } else if other > bound.others {
                return false;
            } else if arrival == other {
                self.entrance.take(arrival, left);
                self.enqueue(*left, flows);
            } else if self.wake == other {
                self.wake_queue(flows);
            } else {
                self.change_rate(other, flows);
            }
        }
    }

    /// A packet reaches the queue.
    fn enqueue(&mut self, packet: Packet, flows: &mut FlowTallies) {
        let (mut packet, now) = (packet, packet.stamp);
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
        self.serve(now, flows);
    }

    /// The packet in transmission has left, or the medium that the queue waited for is ready. Returns the packet that
    /// left unless it is lost behind the queue.
    fn depart(&mut self, flows: &mut FlowTallies) -> Option<Packet> {
        let now = std::mem::replace(&mut self.departure, Time::NEVER);
        let mut left = self.in_transmission.take();
        if let Some(packet) = &mut left {
            self.recorder.sent(packet.size);
            self.log(Happening::Departed, packet, now, flows);
            if self.loss.as_mut().is_some_and(|(loss, draws)| loss.lose(|| draws.uniform())) {
                self.recorder.lost();
                flows.lost(packet);
                self.log(Happening::Lost, packet, now, flows);
                left = None;
            } else {
                packet.stamp = self.arrival(now);
            }
        }
        self.serve(now, flows);
        left
    }

    /// The queue's deadline has come.
    fn wake_queue(&mut self, flows: &mut FlowTallies) {
        let now = std::mem::replace(&mut self.wake, Time::NEVER);
        self.timer = self.change;
        self.recorder.advance(now);
        self.with_queue(now, flows, |queue, context| queue.on_wake(context));
        self.serve(now, flows);
    }

    /// The rate changes.
    fn change_rate(&mut self, now: Time, flows: &mut FlowTallies) {
        let departure = self.capacity.change(now);
        self.change = self.capacity.next_change();
        self.timer = self.wake.min(self.change);
        if self.in_transmission.is_none() {
            return self.serve(now, flows);
        }
        self.departure = departure.unwrap_or(self.departure);
    }

    /// When a packet that leaves now arrives at the far end: packets do not overtake each other, even if the delay has
    /// become shorter since the last.
    fn arrival(&mut self, now: Time) -> Time {
        self.last_arrival = self.last_arrival.max(now + self.delay);
        self.last_arrival
    }

    /// Something happens to the link now; it has gone on to the end of this moment.
    pub fn change(&mut self, change: LinkChange, now: Time, flows: &mut FlowTallies) {
        match change {
            LinkChange::Fail => self.fail(now, flows),
            LinkChange::Restore => {
                self.outage.end(self.capacity.offered_bits(now));
                self.serve(now, flows);
            }
            LinkChange::Delay(delay) => self.delay = delay,
        }
    }

    fn fail(&mut self, now: Time, flows: &mut FlowTallies) {
        self.outage.since = Some(self.capacity.offered_bits(now));
        self.recorder.advance(now);
        self.with_queue(now, flows, |queue, context| queue.purge(context));
        if let Some(packet) = self.in_transmission.take() {
            self.recorder.cut_off();
            flows.lost(&packet);
            self.log(Happening::Lost, &packet, now, flows);
        }
        self.capacity.abort(now);
        self.departure = Time::NEVER;
        self.set_wake();
    }

    /// Bits sent and offered from the start of the run until `now`.
    pub fn bits(&self, now: Time) -> Bits {
        let whole = self.recorder.counts.sent_bytes.bits() as f64;
        let in_transmission = match &self.fifo {
            Some(fifo) => fifo.in_transmission(),
            None => self.in_transmission.map(|packet| (packet.size(), self.departure)),
        };
        let part = in_transmission.map_or(0.0, |(size, departure)| {
            let ahead = self.capacity.rate().as_bps() as f64 * departure.since(now).as_secs_f64();
            (size.bits() as f64 - ahead).max(0.0)
        });
        Bits { sent: whole + part, offered: self.outage.without(self.capacity.offered_bits(now)) }
    }

    /// Every packet that reached the queue was sent, dropped, waits or is in transmission.
    pub fn conserves(&self) -> bool {
        let counts = &self.recorder.counts;
        let here = self.fifo.as_ref().map_or_else(|| self.queued(), Fifo::count);
        counts.arrived == counts.sent + counts.dropped() + here
    }

    /// Packets on their way to the queue, in it and in transmission, unless they are on their way already.
    pub fn holds(&self) -> u64 {
        self.entrance.count() + self.queued()
    }

    fn queued(&self) -> u64 {
        self.queue.backlog().packets + u64::from(self.in_transmission.is_some())
    }

    fn log(&self, what: Happening, packet: &Packet, now: Time, flows: &mut FlowTallies) {
        if let Some(place) = self.recorder.logged {
            flows.log.add(now, place, what, packet);
        }
    }

    fn serve(&mut self, now: Time, flows: &mut FlowTallies) {
        if self.in_transmission.is_none() && self.outage.since.is_none() {
            let ready = self.capacity.ready(now);
            if ready > now && self.recorder.backlog().packets > 0 {
                self.departure = ready;
            } else {
                // An empty queue is asked too: the answer tells it that the link is idle from now on.
                self.start_next(now, flows);
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

    fn start_next(&mut self, now: Time, flows: &mut FlowTallies) {
        self.recorder.advance(now);
        let Some(packet) = self.with_queue(now, flows, |queue, context| queue.dequeue(context)) else {
            return;
        };
        let group = if self.recorder.shares.len() > 1 { flows.group(&packet) } else { 0 };
        self.recorder.started(packet.stamp, packet.size, group);
        self.in_transmission = Some(packet);
        self.departure = self.capacity.start(packet.size(), now);
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
    pub fn new(rate: Rate, delay: Span) -> Self {
        Self { steady: Steady::new(rate), delay }
    }

    /// When a packet of `size` that reaches the queue at `at` will be at the far end. Packets come in order of `at`.
    pub fn pass(&mut self, size: Bytes, at: Time) -> Time {
        self.steady.pass(size, at) + self.delay
    }
}

/// Between a moment and the next.
const INSTANT: Span = Span::from_ps(1);
