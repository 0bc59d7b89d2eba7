//! The near end of a link: its queue, the packet in transmission, and its impairments.

use super::{ArrivalQueue, Capacity, Fifo, Impairments};
use crate::recorder::{FlowTallies, LINK_FAILURE, LinkRecorder, QueueTap};
use narrows_engine::{Slot, Stream};
use narrows_model::{Framing, LinkChange};
use narrows_qdisc::{Context, DropReason, QueueDiscipline};
use narrows_records::{FlowEvent, PacketEvent};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Packet;

/// A queue and a serialiser with a local clock.
///
/// Their state depends only on the arriving packets, and affects no other entity before a packet has crossed the link. The
/// local clock may therefore be behind the clock of the run by at most the delay of the link (its lookahead).
#[derive(Debug)]
pub(crate) struct Transmitter {
    /// Packets that will arrive at the queue.
    arrivals: ArrivalQueue,
    /// Whether the local clock may be behind the clock of the run.
    lookahead: bool,
    /// Replaces queue and serialiser if departures are known at arrival.
    fifo: Option<Fifo>,
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
    /// Propagation delay.
    delay: Span,
    /// Arrival time of the last packet sent.
    last_arrival: Time,
    outage: Outage,
    /// Counts and histograms of the link.
    pub recorder: LinkRecorder,
    /// Bits sent and offered by the end of the warm-up.
    pub at_measure: Bits,
}

/// Bits since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bits {
    /// Bits sent, including the transmitted part of the packet in transmission.
    pub sent: f64,
    /// Bits that could have been sent.
    pub offered: f64,
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

/// How far a link advances: departures up to and including one time, all other events up to and including another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    departures: Time,
    others: Time,
}

impl Bound {
    /// Bound before all events at `now` except departures, which come first.
    pub fn before(now: Time) -> Self {
        Self { departures: now, others: Time::from_ps(now.as_ps().saturating_sub(1)) }
    }

    /// Bound after all events at `now`.
    pub fn after(now: Time) -> Self {
        Self { departures: now, others: now }
    }
}

impl Transmitter {
    /// A link with `queue`, `capacity`, `impairments` (random loss among them) and propagation `delay`, without lookahead.
    pub fn new(
        queue: (Box<dyn QueueDiscipline>, Stream),
        capacity: Capacity,
        impairments: Option<Impairments>,
        delay: Span,
    ) -> Self {
        let change = capacity.next_change();
        let (queue, queue_draws) = queue;
        Self {
            arrivals: ArrivalQueue::default(),
            lookahead: false,
            fifo: None,
            queue,
            queue_draws,
            capacity,
            framing: None,
            added: 0,
            impairments,
            leaving: Time::NEVER,
            in_transmission: None,
            departure: Time::NEVER,
            wake: Time::NEVER,
            change,
            timer: change,
            delay,
            last_arrival: Time::ZERO,
            outage: Outage::default(),
            recorder: LinkRecorder::new(),
            at_measure: Bits::default(),
        }
    }

    /// Enables lookahead. If `fifo` is given, it replaces queue and capacity; the link must then never fail and have no
    /// impairments.
    pub fn use_lookahead(&mut self, fifo: Option<Fifo>) {
        (self.lookahead, self.fifo) = (true, fifo);
    }

    /// Adds `framing` to every packet. The link must have no FIFO in place of queue and capacity.
    pub fn set_framing(&mut self, framing: Option<Framing>) {
        self.framing = framing;
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

    /// Puts `queue` in place of the link's, before the first packet.
    pub fn replace_queue(&mut self, queue: Box<dyn QueueDiscipline>) {
        self.queue = queue;
    }

    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.recorder.measure(now);
        self.at_measure = self.bits(now);
    }

    /// Announces that the event `slot` will bring `packet` to the queue at its arrival time. Returns whether
    /// [`due`](Self::due) may have changed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn expect(&mut self, packet: &Packet, slot: Slot) -> bool {
        self.arrivals.announce(packet, slot)
    }

    /// Latest time at which the link must advance, so that no packet reaches the far end late.
    pub fn due(&self) -> Time {
        if self.fifo.is_some() {
            return self.arrivals.next() + INSTANT + self.delay;
        }
        // Only a rate change can make the packet in transmission depart earlier.
        let busy = self.lookahead && self.in_transmission.is_some();
        let other = if busy { self.change } else { self.arrivals.next().min(self.timer) };
        let due = self.departure.min(self.leaving).min(other + INSTANT);
        if self.lookahead { due + self.delay } else { due }
    }

    /// Advances the link until a packet departs, which is stored in `left` with its arrival time at the far end, or
    /// until `bound`. Returns whether a packet departed. Simultaneous events are handled in the order
    /// impairments, departure, arrival, deadline of the queue, rate change.
    pub fn advance(&mut self, bound: Bound, flows: &mut FlowTallies, left: &mut Packet) -> bool {
        if let Some(fifo) = &mut self.fifo {
            while self.arrivals.take(bound.others, left) {
                left.pass_router();
                if let Some(departure) = fifo.pass(left, &mut self.recorder, flows) {
                    left.arrival = self.last_arrival.max(departure + self.delay);
                    self.last_arrival = left.arrival;
                    return true;
                }
            }
            fifo.advance(bound.departures, &mut self.recorder);
            return false;
        }
        loop {
            let arrival = self.arrivals.next();
            let other = arrival.min(self.timer);
            let first = self.departure.min(self.leaving);
            if first <= other {
                if first > bound.departures || first == Time::NEVER {
                    return false;
                }
                let sent = if self.leaving == first { self.leave(flows) } else { self.depart(flows) };
                if let Some(packet) = sent {
                    *left = packet;
                    return true;
                }
            } else if other > bound.others {
                return false;
            } else if arrival == other {
                self.arrivals.take(arrival, left);
                self.enqueue(*left, flows);
            } else if self.wake == other {
                self.wake_queue(flows);
            } else {
                self.change_rate(other, flows);
            }
        }
    }

    /// Enqueues a packet that has arrived.
    fn enqueue(&mut self, packet: Packet, flows: &mut FlowTallies) {
        let (mut packet, now) = (packet, packet.arrival);
        packet.pass_router();
        self.recorder.advance(now);
        self.recorder.arrived(&packet);
        self.log(PacketEvent::Enqueued, &packet, now, flows);
        if self.outage.since.is_some() {
            self.with_queue(now, flows, |_, context| context.drop(&packet, DropReason::Failure));
        } else {
            self.with_queue(now, flows, |queue, context| queue.enqueue(packet, context));
        }
        self.recorder.settled();
        self.serve(now, flows);
    }

    /// The packet in transmission has left, or the medium that the queue waited for is ready. Returns the packet that
    /// left unless an impairment loses or delays it.
    fn depart(&mut self, flows: &mut FlowTallies) -> Option<Packet> {
        let now = std::mem::replace(&mut self.departure, Time::NEVER);
        let mut left = self.in_transmission.take();
        if let Some(packet) = &mut left {
            self.recorder.sent(packet.size);
            if self.framing.is_some() {
                self.added += self.framed(packet.size()).bits() - packet.size().bits();
            }
            self.log(PacketEvent::Departed, packet, now, flows);
            packet.arrival = now;
            if self.impairments.is_some() {
                left = self.impair(*packet, now, flows);
            }
            if let Some(packet) = &mut left {
                packet.arrival = self.arrival(now);
            }
        }
        self.serve(now, flows);
        left
    }

    /// Gives `packet`, which leaves the serialiser at `now`, to the impairments. Returns it if it leaves them at once.
    fn impair(&mut self, packet: Packet, now: Time, flows: &mut FlowTallies) -> Option<Packet> {
        let left = self.impairments.as_mut()?.send(packet);
        self.settle_impairments(now, flows);
        left
    }

    /// Handles what happens next at the impairments. Returns the packet that leaves them, if one does.
    fn leave(&mut self, flows: &mut FlowTallies) -> Option<Packet> {
        let now = self.leaving;
        let mut left = self.impairments.as_mut()?.advance(now);
        self.settle_impairments(now, flows);
        if let Some(packet) = &mut left {
            packet.arrival = self.arrival(now);
        }
        left
    }

    /// Counts what the impairments have lost, and stores when they act next.
    fn settle_impairments(&mut self, now: Time, flows: &mut FlowTallies) {
        while let Some((packet, rule)) = self.impairments.as_mut().and_then(Impairments::take_lost) {
            self.recorder.lost();
            flows.lost(&packet);
            flows.log_event(now, self.recorder.place, FlowEvent::Lost, rule, &packet);
            self.log(PacketEvent::Lost, &packet, now, flows);
        }
        self.leaving = self.impairments.as_ref().map_or(Time::NEVER, Impairments::next);
    }

    /// Handles the deadline of the queue.
    fn wake_queue(&mut self, flows: &mut FlowTallies) {
        let now = std::mem::replace(&mut self.wake, Time::NEVER);
        self.timer = self.change;
        self.recorder.advance(now);
        self.with_queue(now, flows, |queue, context| queue.on_wake(context));
        self.serve(now, flows);
    }

    /// Changes the rate.
    fn change_rate(&mut self, now: Time, flows: &mut FlowTallies) {
        let departure = self.capacity.change(now);
        self.change = self.capacity.next_change();
        self.timer = self.wake.min(self.change);
        if self.in_transmission.is_none() {
            return self.serve(now, flows);
        }
        self.departure = departure.unwrap_or(self.departure);
    }

    /// Arrival time at the far end of a packet that leaves at `now`. Packets do not overtake each other even if the delay
    /// has become shorter.
    fn arrival(&mut self, now: Time) -> Time {
        self.last_arrival = self.last_arrival.max(now + self.delay);
        self.last_arrival
    }

    /// Applies `change` at `now`; the link must have advanced to the end of `now`.
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
            flows.log_event(now, self.recorder.place, FlowEvent::Lost, LINK_FAILURE, &packet);
            self.log(PacketEvent::Lost, &packet, now, flows);
        }
        self.capacity.abort(now);
        self.departure = Time::NEVER;
        self.set_wake();
    }

    /// Place in the recording of its rate at which the run started; `None` without a recording.
    pub fn recording_start(&self) -> Option<Span> {
        self.capacity.recording_start()
    }

    /// Bits sent and offered from the start of the run until `now`.
    pub fn bits(&self, now: Time) -> Bits {
        let whole = (self.recorder.counts.sent_bytes.bits() + self.added) as f64;
        let in_transmission = match &self.fifo {
            Some(fifo) => fifo.in_transmission(),
            None => self.in_transmission.map(|packet| (self.size_of(&packet), self.departure)),
        };
        let part = in_transmission.map_or(0.0, |(size, departure)| {
            (size.bits() as f64 - self.capacity.bits_left(departure, now)).max(0.0)
        });
        Bits { sent: whole + part, offered: self.outage.without(self.capacity.offered_bits(now)) }
    }

    /// Calls `record` with name and value of each inner variable of the queue.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        self.queue.observe(record);
    }

    /// Whether every packet that arrived was sent or dropped, or is waiting or in transmission.
    pub fn conserves(&self) -> bool {
        let counts = &self.recorder.counts;
        let here = self.fifo.as_ref().map_or_else(|| self.queued(), Fifo::count);
        counts.arrived == counts.sent + counts.dropped() + here
    }

    /// Number of packets that are announced to the queue, waiting in it, in transmission or at an impairment, and not yet in
    /// a pipe.
    pub fn holds(&self) -> u64 {
        self.arrivals.count() + self.queued() + self.impairments.as_ref().map_or(0, Impairments::held)
    }

    fn queued(&self) -> u64 {
        self.queue.backlog().packets + u64::from(self.in_transmission.is_some())
    }

    fn log(&self, event: PacketEvent, packet: &Packet, now: Time, flows: &mut FlowTallies) {
        if let Some(place) = self.recorder.logged {
            flows.log_packet(now, place, event, packet);
        }
    }

    fn serve(&mut self, now: Time, flows: &mut FlowTallies) {
        if self.in_transmission.is_none() && self.outage.since.is_none() {
            let ready = self.capacity.ready(now);
            if ready > now && self.recorder.backlog().packets > 0 {
                self.departure = ready;
            } else {
                // An empty queue is called too: it then knows that the link is idle.
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
        self.recorder.started(packet.arrival, packet.size, group);
        self.in_transmission = Some(packet);
        self.departure = self.capacity.start(self.size_of(&packet), now);
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

/// The unit of time.
const INSTANT: Span = Span::from_ps(1);
