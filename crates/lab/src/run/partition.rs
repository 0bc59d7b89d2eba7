//! One partition: its network, its endpoints and its clock. Partitions share nothing but the layout, which is constant.

use super::build::{draw_start, groups_of, links as build_links, receivers, senders};
use super::endpoints::{ReceivingEnd, SendingEnd};
use super::entrance::make_room;
use super::layout::{Layout, Stop};
use super::link::{Bound, Link, Pipe};
use super::net::{Crossing, Net};
use super::seats::{Around, Notice, Seats};
use super::slots::{Entities, Event, Slots};
use crate::model::Model;
use crate::records::{FlowTallies, Histogram, PacketLog, PopulationSample, SeriesRecorder};
use narrows_cc::Failure;
use narrows_engine::{EventQueue, Slot, Stream};
use narrows_units::{Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;
use std::sync::Arc;

/// A part of the network with a clock of its own.
#[derive(Debug)]
pub(super) struct Partition<'m> {
    pub net: Net,
    /// Global numbers of `net.links`.
    pub links: Vec<usize>,
    pub senders: Vec<SendingEnd>,
    pub receivers: Vec<ReceivingEnd>,
    /// Round-trip times by group, after the warm-up.
    pub rtts: Vec<Histogram>,
    /// One-way delays of data by group, after the warm-up.
    pub delays: Vec<Histogram>,
    pub seats: Seats<'m>,
    /// Each population when the warm-up ended.
    pub at_measure: Vec<PopulationSample>,
    pub series: SeriesRecorder,
    model: &'m Model,
    /// Nothing is done to an endpoint, and nobody looks at it, from outside before then.
    undisturbed: Time,
    /// Packets that come to endpoints after that, and the pipes by which they come, in the order in which they were told.
    deferred: VecDeque<(u32, Packet)>,
    /// How many of the model's changes have come.
    changed: usize,
    interval: Span,
    flow_series: bool,
    /// Some algorithm is not compiled in: only such ones make mistakes.
    guests: bool,
}

/// A flow whose algorithm made a mistake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed<'a> {
    pub failure: &'a Failure,
    /// Its seat.
    pub flow: usize,
    pub group: usize,
}

impl<'m> Partition<'m> {
    pub fn new(
        model: &'m Model,
        layout: &Arc<Layout>,
        number: usize,
        replication: u32,
        compute_hops: bool,
    ) -> Self {
        let stream = |name: String| Stream::new(model.seed, replication, &name);
        let links: Vec<usize> = Layout::members(&layout.near, number).collect();
        let prompt: Vec<bool> =
            Layout::members(&layout.far, number).map(|link| compute_hops && layout.sole[link]).collect();
        let senders = senders(model, layout, number, &stream);
        let receivers = receivers(model, layout, number, &stream);
        let slots = Slots::new(&Entities {
            links: links.len() as u32,
            pipes: prompt.len() as u32,
            senders: senders.len() as u32,
            receivers: receivers.len() as u32,
            seats: layout.populations.len() as u32,
            populations: model.populations.len() as u32,
        });
        let mut queue = EventQueue::new(slots.count());
        for (index, end) in senders.iter().enumerate() {
            let start = draw_start(model.flows[end.flow as usize].start, || {
                stream(format!("flow {} start", end.flow))
            });
            queue.set(slots.of(Event::Application(index as u32)), start);
        }
        let logged = model.record.packets.is_some();
        let built = build_links(model, layout, &links, compute_hops, &stream);
        for (index, link) in (0..).zip(&built) {
            if let Link::Scheduled(transmitter) = link {
                queue.set(slots.of(Event::Link(index)), transmitter.due());
            }
        }
        queue.set(slots.of(Event::Change), change_due(model, 0));
        queue.set(slots.of(Event::Measure), Time::ZERO + model.warmup);
        queue.set(slots.of(Event::Sample), Time::ZERO + model.record.interval);
        let groups = model.groups.len();
        let mut seats = Seats::new(model, layout, number, &stream);
        let mut net = Net {
            partition: number as u16,
            now: Time::ZERO,
            slot: Slot(0),
            queue,
            slots,
            layout: Arc::clone(layout),
            far: links.iter().map(|&link| layout.far[link]).collect(),
            links: built,
            pipes: prompt.iter().map(|&prompt| Pipe { prompt, ..Pipe::default() }).collect(),
            open: prompt,
            holds: senders.iter().map(|_| Pipe::default()).collect(),
            flows: FlowTallies::new(groups_of(model), model.flows.len(), Arc::clone(&layout.populations)),
            bases: layout.bases.clone(),
            outbox: Vec::new(),
            hops: 0,
            launched: 0,
            landed: 0,
            logged,
            lags: compute_hops,
        };
        net.flows.log = PacketLog::new(model.record.packets);
        seats.start(&mut net);
        let mut partition = Self {
            net,
            links,
            senders,
            receivers,
            rtts: vec![Histogram::new(); groups],
            delays: vec![Histogram::new(); groups],
            seats,
            at_measure: vec![PopulationSample::default(); model.populations.len()],
            series: SeriesRecorder::default(),
            model,
            undisturbed: Time::ZERO,
            deferred: VecDeque::new(),
            changed: 0,
            interval: model.record.interval,
            flow_series: model.record.flows,
            guests: model.groups.iter().any(|group| group.algorithm.entry().is_none()),
        };
        partition.look_ahead();
        partition
    }

    /// Handles every event up to and including `until`.
    pub fn run_until(&mut self, until: Time) {
        while let Some((now, slot)) = self.net.queue.pop(until) {
            (self.net.now, self.net.slot) = (now, slot);
            match self.net.slots.event(slot) {
                Event::Link(link) => self.go_on(link, Bound::begin(now)),
                Event::Arrival(pipe) => self.arrival(pipe),
                Event::Release(host) => self.net.release(host),
                Event::SenderWake(sender) => {
                    let end = &mut self.senders[sender as usize];
                    if end.alarm.ring(now) {
                        end.on_wake(sender, &mut self.net, &mut self.rtts[end.group]);
                    }
                    end.alarm.put(end.sender.next_wake(), slot, &mut self.net.queue);
                }
                Event::ReceiverWake(receiver) => {
                    let end = &mut self.receivers[receiver as usize];
                    if end.alarm.ring(now) {
                        end.on_wake(&mut self.net);
                    }
                    end.alarm.put(end.receiver.next_wake(), slot, &mut self.net.queue);
                }
                Event::Desk(seat) => self.at_seats(|seats, around| seats.desk(seat, around)),
                Event::Counter(seat) => self.at_seats(|seats, around| seats.counter(seat, around)),
                Event::Arrive(population) => self.at_seats(|seats, around| seats.arrive(population, around)),
                Event::Application(sender) => {
                    let end = &mut self.senders[sender as usize];
                    let next = end.on_application(sender, &mut self.net, &mut self.rtts[end.group]);
                    self.net.queue.set(slot, next);
                    let wake = self.net.slots.of(Event::SenderWake(sender));
                    end.alarm.put(end.sender.next_wake(), wake, &mut self.net.queue);
                }
                Event::Change => {
                    self.change();
                    self.look_ahead();
                }
                Event::Measure => {
                    self.measure();
                    self.look_ahead();
                }
                Event::Sample => {
                    self.sample(self.interval);
                    self.net.queue.set(slot, now + self.interval);
                    self.look_ahead();
                }
            }
        }
    }

    /// Takes a link to `bound`, and what leaves it on its way.
    fn go_on(&mut self, link: u32, bound: Bound) {
        let far = self.net.far[link as usize];
        let mut packet = Packet::EMPTY;
        while self.net.next_sent(link, bound, &mut packet) {
            if far.partition == self.net.partition {
                self.under_way(far.index, &mut packet);
            } else {
                self.net.outbox.push(Crossing { partition: far.partition, pipe: far.index, packet });
            }
        }
        self.net.set_due(link);
    }

    /// Takes every link to the end of this moment.
    fn catch_up(&mut self) {
        for link in 0..self.net.links.len() as u32 {
            if let Link::Scheduled(_) = self.net.links[link as usize] {
                self.go_on(link, Bound::end(self.net.now));
            }
        }
    }

    /// `packet` will be at the far end of `pipe` at its stamp.
    fn under_way(&mut self, pipe: u32, packet: &mut Packet) {
        if let Some(pipe) = self.net.under_way(pipe, packet) {
            self.come(pipe, packet);
        }
    }

    /// `packet` will come to its host by `pipe` at its stamp. It is handed to its endpoint at once if nothing else can
    /// happen there before.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn come(&mut self, pipe: u32, packet: &Packet) {
        if !self.net.open[pipe as usize] {
            self.net.wait(pipe, packet);
        } else if packet.stamp > self.undisturbed {
            // All at once and in this order as soon as it is known who comes next, so that the answers are in order too.
            make_room(&mut self.deferred);
            self.deferred.push_back((pipe, *packet));
        } else {
            let stop = self.net.layout.next_stop(packet);
            if self.is_undisturbed(stop, packet.stamp) {
                self.hand_over(stop, pipe, packet);
            } else {
                self.net.wait(pipe, packet);
            }
        }
    }

    /// Nothing comes to an endpoint of a flow, by others than itself and its peer, until the end of `until`.
    fn is_undisturbed(&self, stop: Stop, until: Time) -> bool {
        let free = match stop {
            Stop::Receiver(_) | Stop::Host => true,
            Stop::Sender(sender) => {
                self.senders[sender as usize].application.is_none()
                    || self.net.queue.due(self.net.slots.of(Event::Application(sender))) > until
            }
            Stop::Link(_) => false,
        };
        free && until <= self.undisturbed
    }

    /// `packet` comes by `pipe` to `stop`, now or later. Deadlines of an endpoint that come before are met before.
    fn hand_over(&mut self, stop: Stop, pipe: u32, packet: &Packet) {
        let (now, slot) = (self.net.now, self.net.slot);
        let arrival = (packet.stamp, self.net.slots.of(Event::Arrival(pipe)));
        match stop {
            Stop::Link(_) => unreachable!("a link is told of packets"),
            Stop::Host => self.at_seats(|seats, around| seats.land(packet, around)),
            Stop::Sender(sender) => {
                self.net.landed += 1;
                let wake = self.net.slots.of(Event::SenderWake(sender));
                let end = &mut self.senders[sender as usize];
                let rtts = &mut self.rtts[end.group];
                while end.alarm.deadline() < packet.stamp {
                    (self.net.now, self.net.slot) = (end.alarm.deadline(), wake);
                    end.on_wake(sender, &mut self.net, rtts);
                    end.alarm.put(end.sender.next_wake(), wake, &mut self.net.queue);
                }
                (self.net.now, self.net.slot) = arrival;
                self.net.log_received(packet);
                end.on_packet(packet, sender, &mut self.net, rtts);
                end.alarm.put(end.sender.next_wake(), wake, &mut self.net.queue);
            }
            Stop::Receiver(receiver) => {
                self.net.landed += 1;
                let wake = self.net.slots.of(Event::ReceiverWake(receiver));
                let end = &mut self.receivers[receiver as usize];
                while end.alarm.deadline() < packet.stamp {
                    (self.net.now, self.net.slot) = (end.alarm.deadline(), wake);
                    end.on_wake(&mut self.net);
                    end.alarm.put(end.receiver.next_wake(), wake, &mut self.net.queue);
                }
                (self.net.now, self.net.slot) = arrival;
                self.net.log_received(packet);
                let delays = (self.net.flows.since <= packet.stamp).then(|| &mut self.delays[end.group]);
                end.on_packet(packet, &mut self.net, delays);
                end.alarm.put(end.receiver.next_wake(), wake, &mut self.net.queue);
            }
        }
        (self.net.now, self.net.slot) = (now, slot);
    }

    /// Notes when somebody comes to the endpoints next.
    fn look_ahead(&mut self) {
        let due = |event| self.net.queue.due(self.net.slots.of(event));
        let end = Time::ZERO + self.model.duration;
        self.undisturbed = due(Event::Change).min(due(Event::Measure)).min(due(Event::Sample)).min(end);
        for _ in 0..self.deferred.len() {
            let Some((pipe, packet)) = self.deferred.pop_front() else { return };
            self.come(pipe, &packet);
        }
    }

    /// Packets inside this partition.
    pub fn holding(&self) -> u64 {
        self.net.holding() + self.seats.holding() + self.deferred.len() as u64
    }

    /// All events up to and including `until` are handled: brings links that end in other partitions there too, so that
    /// the outbox holds all that may arrive there within the shortest delay of such a link.
    pub fn close(&mut self, until: Time) {
        for link in 0..self.net.links.len() as u32 {
            if self.net.far[link as usize].partition != self.net.partition {
                self.go_on(link, Bound::end(until));
            }
        }
    }

    fn at_seats(&mut self, act: impl FnOnce(&mut Seats<'m>, &mut Around<'_>)) {
        let (net, rtts, delays) = (&mut self.net, &mut self.rtts[..], &mut self.delays[..]);
        let ahead = if net.lags { self.undisturbed } else { Time::ZERO };
        act(&mut self.seats, &mut Around { net, rtts, delays, ahead });
    }

    /// Takes note of what another partition has told.
    pub fn hear(&mut self, notice: Notice) {
        self.seats.hear(notice, &mut self.net);
    }

    /// The mistakes of algorithms so far.
    pub fn failures(&self) -> impl Iterator<Item = Failed<'_>> {
        let ends = self.senders.iter().filter_map(|end| {
            end.sender.failure().map(|failure| Failed { failure, flow: end.flow as usize, group: end.group })
        });
        // To ask every flow again and again is dear where there are many.
        self.guests.then(|| ends.chain(self.seats.failures())).into_iter().flatten()
    }

    /// Takes in a packet that another partition sent.
    pub fn take(&mut self, crossing: &mut Crossing) {
        self.under_way(crossing.pipe, &mut crossing.packet);
    }

    /// The run is over: brings time averages up to `end` and writes the last, perhaps shorter, interval.
    pub fn finish(&mut self, end: Time) {
        self.net.now = end;
        self.catch_up();
        for link in &mut self.net.links {
            if let Link::Scheduled(transmitter) = link {
                transmitter.recorder.bring_up(end);
            }
        }
        for end_point in &mut self.senders {
            end_point.recorder.window(end, end_point.sender.window().unwrap_or(f64::NAN));
        }
        self.seats.finish(end);
        let last = self.series.last_sample();
        if last < end {
            self.sample(end - last);
        }
    }

    /// A packet has reached the far end of `pipe`. Those behind it follow at once if they may.
    fn arrival(&mut self, pipe: u32) {
        let mut packet = self.net.arrival(pipe);
        match self.net.layout.next_stop(&packet) {
            Stop::Link(_) => self.net.enter(&mut packet),
            stop => self.hand_over(stop, pipe, &packet),
        }
        while let Some(next) = self.net.pipes[pipe as usize].packets.front() {
            let stop = self.net.layout.next_stop(next);
            if !self.net.pipes[pipe as usize].prompt || !self.is_undisturbed(stop, next.stamp) {
                self.net.queue.set(self.net.slots.of(Event::Arrival(pipe)), next.stamp);
                return;
            }
            let next = self.net.arrival(pipe);
            self.hand_over(stop, pipe, &next);
        }
        self.net.open[pipe as usize] = self.net.pipes[pipe as usize].prompt;
    }

    /// The next change of the network: each partition sees to what of it is its own.
    fn change(&mut self) {
        self.catch_up();
        let (model, number) = (self.model, self.changed);
        self.changed += 1;
        for &(link, change) in &model.changes[number].links {
            let near = self.net.layout.near[link as usize];
            if near.partition == self.net.partition {
                self.net.change_link(near.index, change);
            }
        }
        let layout = Arc::clone(&self.net.layout);
        for &(flow, outward, homeward) in &layout.reroutes[number].flows {
            let (sender, receiver) = (layout.senders[flow as usize], layout.receivers[flow as usize]);
            if sender.partition == self.net.partition {
                self.senders[sender.index as usize].route = outward;
            }
            if receiver.partition == self.net.partition {
                self.receivers[receiver.index as usize].route = homeward;
            }
        }
        for &(route, base) in &layout.reroutes[number].routes {
            self.net.bases[route as usize] = base;
        }
        self.net.queue.set(self.net.slots.of(Event::Change), change_due(model, self.changed));
    }

    fn measure(&mut self) {
        let now = self.net.now;
        self.catch_up();
        self.net.flows.since = now;
        for link in &mut self.net.links {
            if let Link::Scheduled(transmitter) = link {
                transmitter.measure(now);
            }
        }
        for end in &mut self.senders {
            end.recorder.measure(now, end.sender.counters());
        }
        self.seats.measure(now);
        self.at_measure = self.seats.sample();
        for end in &mut self.receivers {
            end.recorder.at_measure = *end.receiver.counters();
        }
    }

    fn sample(&mut self, interval: Span) {
        let now = self.net.now;
        self.catch_up();
        self.series.begin(now);
        if self.flow_series {
            for end in &self.senders {
                self.series.sender(&end.sender, &end.recorder, interval);
            }
            for end in &self.receivers {
                self.series.receiver(end.receiver.counters(), interval);
            }
        }
        self.series.populations.extend(self.seats.sample());
        for link in &mut self.net.links {
            if let Link::Scheduled(transmitter) = link
                && transmitter.recorded
            {
                transmitter.recorder.bring_up(now);
                let bits = transmitter.bits(now);
                self.series.link(&transmitter.recorder, bits.sent, bits.offered, interval);
            }
        }
    }
}

/// When the change of that number comes.
fn change_due(model: &Model, number: usize) -> Time {
    model.changes.get(number).map_or(Time::NEVER, |change| Time::ZERO + change.at)
}
