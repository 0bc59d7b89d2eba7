// SPDX-License-Identifier: Apache-2.0
//! One partition: its network, its hosts and its clock. Partitions share nothing but the layout, which is constant.

use crate::connections::{ConnectionContext, Failed, Message};
use crate::events::{Event, Slots};
use crate::layout::{Layout, Stop};
use crate::link::{Bound, Capacity, Fifo, Service, Stepped, Transmitter};
use crate::net::{Crossing, Net};
use crate::options::RunOptions;
use crate::recorder::{FlowTallies, LinkRecorder, Place, SeriesRecorder};
use crate::workload::Workloads;
use narrows_backend::Cancellation;
use narrows_engine::{EventQueue, Slot, Stream};
use narrows_link::{Impairments, Loss};
use narrows_model::{LinkModel, Model, RateModel};
use narrows_qdisc::{Limit, QueueDiscipline, droptail};
use narrows_records::{GroupSample, Histogram};
use narrows_units::{Rate, Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// A partition of the network.
#[derive(Debug)]
pub(crate) struct Partition<'m> {
    /// Links, packets and events.
    pub net: Net,
    /// Global indices of `net.links`.
    pub links: Vec<usize>,
    /// Round-trip samples after the warm-up, by group.
    pub rtts: Vec<Histogram>,
    /// One-way delays of data packets after the warm-up, by group.
    pub delays: Vec<Histogram>,
    /// The connections of the partition.
    pub workloads: Workloads<'m>,
    /// State of each group at the end of the warm-up.
    pub at_warmup: Vec<GroupSample>,
    /// Time series.
    pub series: SeriesRecorder,
    model: &'m Model,
    /// Time before which nothing outside a host changes or reads its state.
    safe_time: Time,
    /// Packets that reach hosts after the safe time, in order of announcement.
    pending: Vec<Packet>,
    /// Number of the model's changes so far.
    changed: usize,
    /// Whether some algorithm is external; only these can fail.
    has_external_algorithms: bool,
}

impl<'m> Partition<'m> {
    /// Creates the partition `number` of replication `replication` at the start of the run; `queue` gives the queue of
    /// each link, by number.
    pub fn new(
        model: &'m Model,
        layout: &Arc<Layout>,
        number: usize,
        replication: u32,
        options: RunOptions,
        cancellation: Cancellation,
        queue: impl FnMut(usize) -> Box<dyn QueueDiscipline>,
    ) -> Self {
        let RunOptions { lookahead, most_packets, .. } = options;
        let links: Vec<usize> = Layout::members(&layout.near, number).collect();
        let prompt: Vec<bool> =
            Layout::members(&layout.far, number).map(|link| lookahead && layout.sole[link]).collect();
        let slots = Slots::new(links.len(), prompt.len(), layout.workloads.len(), model.workloads.len());
        let flows = FlowTallies::new(model, Arc::clone(&layout.workloads));
        let mut net = Net {
            partition: number as u16,
            queue: EventQueue::new(slots.count()),
            slots,
            layout: Arc::clone(layout),
            steering: steering(model, &links),
            far: links.iter().map(|&link| layout.far[link]).collect(),
            links: transmitters(model, &links, replication, lookahead, queue),
            pipes: vec![VecDeque::new(); prompt.len()],
            prompt,
            flows,
            bases: layout.bases.clone(),
            outbox: vec![Vec::new(); layout.partitions],
            hops: 0,
            injected: 0,
            delivered: 0,
            cancellation,
            stopped: false,
            most_packets,
            overfull: None,
            requests: VecDeque::new(),
            logged: model.record.packets.is_some(),
            lookahead,
        };
        for link in 0..links.len() as u32 {
            net.set_due(link);
        }
        net.queue.set(slots.of(Event::Change), change_due(model, 0));
        net.queue.set(slots.of(Event::Measure), Time::ZERO + model.warmup);
        net.queue.set(slots.of(Event::Sample), Time::ZERO + model.record.interval);
        let mut workloads = Workloads::new(model, layout, number, replication);
        workloads.start(&mut net);
        let groups = model.groups.len();
        let mut partition = Self {
            net,
            links,
            rtts: vec![Histogram::new(); groups],
            delays: vec![Histogram::new(); groups],
            workloads,
            at_warmup: vec![GroupSample::default(); groups],
            series: SeriesRecorder::default(),
            model,
            safe_time: Time::ZERO,
            pending: Vec::new(),
            changed: 0,
            has_external_algorithms: model.groups.iter().any(|group| group.algorithm.entry().is_none()),
        };
        partition.set_safe_time(Time::ZERO);
        partition
    }

    /// Handles all events up to and including `until`; fewer if the run is stopped.
    pub fn run_until(&mut self, until: Time) {
        while !self.net.is_stopped()
            && let Some((now, slot)) = self.net.queue.pop(until)
        {
            match self.net.slots.event(slot) {
                Event::Link(link) => self.advance_link(link, Bound::before(now), now),
                Event::PacketArrival(pipe) => self.on_packet_arrival(pipe, now, slot),
                Event::SendingHost(host) => {
                    self.at_workloads(|workloads, context| workloads.on_sending_host(host, now, context));
                }
                Event::ReceivingHost(host) => {
                    self.at_workloads(|workloads, context| workloads.on_receiving_host(host, now, context));
                }
                Event::ConnectionArrival(workload) => {
                    self.at_workloads(|workloads, context| workloads.arrive(workload, now, context));
                }
                Event::Change => {
                    self.change(now);
                    self.set_safe_time(now);
                }
                Event::Measure => {
                    self.measure(now);
                    self.set_safe_time(now);
                }
                Event::Sample => {
                    let interval = self.model.record.interval;
                    self.sample(now, interval);
                    self.net.queue.set(slot, now + interval);
                    self.set_safe_time(now);
                }
            }
        }
    }

    /// Advances the links that end in other partitions to `until` after all events up to then have been handled, so
    /// that the outbox has every packet that can arrive there within the lookahead.
    pub fn close(&mut self, until: Time) {
        for link in 0..self.net.links.len() as u32 {
            if self.net.far[link as usize].partition != self.net.partition {
                self.advance_link(link, Bound::after(until), until);
            }
        }
    }

    /// Whether the partition has stopped before the end of the run.
    pub fn is_stopped(&self) -> bool {
        self.net.is_stopped()
    }

    /// Handles a message of another partition.
    pub fn on_message(&mut self, message: Message) {
        self.workloads.on_message(&message, &mut self.net);
    }

    /// Adds a packet from another partition, when all events up to and including `now` have been handled.
    pub fn take(&mut self, crossing: &mut Crossing, now: Time) {
        self.in_flight(crossing.pipe, &mut crossing.packet, now);
    }

    /// Returns the number of packets in this partition.
    pub fn holding(&self) -> u64 {
        self.net.holding() + self.workloads.connections.holding() + self.pending.len() as u64
    }

    /// Failures of external algorithms so far.
    pub fn failures(&self) -> impl Iterator<Item = Failed<'_>> {
        // Querying every connection repeatedly would be expensive with many of them.
        self.has_external_algorithms.then(|| self.workloads.connections.failures()).into_iter().flatten()
    }

    /// Ends the run at `end`: completes time averages and records the last interval, which may be shorter.
    pub fn finish(&mut self, end: Time) {
        self.catch_up(end);
        for link in &mut self.net.links {
            link.recorder.bring_up(end);
        }
        self.workloads.finish(end);
        let last = self.series.last_sample();
        if last < end {
            self.sample(end, end - last);
        }
    }

    /// Advances a link to `bound`, and its departing packets along their routes; the clock of the run is at `now`.
    fn advance_link(&mut self, link: u32, bound: Bound, now: Time) {
        let far = self.net.far[link as usize];
        let mut packet = Packet::EMPTY;
        while !self.net.stopped && self.net.next_sent(link, bound, &mut packet) {
            if far.partition == self.net.partition {
                self.in_flight(far.index, &mut packet, now);
            } else {
                self.net.post(far, &packet);
            }
        }
        self.net.set_due(link);
    }

    /// Advances every link to the end of `now`.
    fn catch_up(&mut self, now: Time) {
        for link in 0..self.net.links.len() as u32 {
            self.advance_link(link, Bound::after(now), now);
        }
    }

    /// Handles `packet`, which reaches the far end of `pipe` at its arrival time.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    fn in_flight(&mut self, pipe: u32, packet: &mut Packet, now: Time) {
        match self.net.layout.next_stop(packet) {
            Stop::Link(link) if self.net.lookahead => {
                let slot = self.net.slots.of(Event::PacketArrival(pipe));
                if self.net.links[link as usize].expect(packet, slot) {
                    self.net.set_due(link);
                }
            }
            Stop::Host if self.net.prompt[pipe as usize] => self.receive(packet, now),
            Stop::Link(_) | Stop::Host => self.net.wait(pipe, packet),
        }
    }

    /// Handles the packet that has reached the far end of `pipe`.
    fn on_packet_arrival(&mut self, pipe: u32, now: Time, slot: Slot) {
        let Some(mut packet) = self.net.take(pipe) else { return };
        match self.net.layout.next_stop(&packet) {
            Stop::Link(_) => self.net.enter(&mut packet, now, slot),
            Stop::Host => {
                self.net.flows.merge(&mut packet);
                self.receive(&mut packet, now);
            }
        }
        if let Some(next) = self.net.pipes[pipe as usize].front() {
            self.net.queue.set(slot, next.arrival);
        }
    }

    /// Handles `packet`, which reaches the router of its host at its arrival time.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    fn receive(&mut self, packet: &mut Packet, now: Time) {
        let (workloads, mut context) = self.parts();
        if !workloads.connections.receive(packet, now, &mut context) {
            if self.pending.len() == self.pending.capacity() {
                self.pending.reserve_exact(self.pending.len() / 4 + 4);
            }
            self.pending.push(*packet);
        }
    }

    /// Computes the safe time, and delivers the pending packets that reach their hosts before it.
    fn set_safe_time(&mut self, now: Time) {
        let due = |event| self.net.queue.due(self.net.slots.of(event));
        let end = Time::ZERO + self.model.duration;
        self.safe_time = due(Event::Change).min(due(Event::Measure)).min(due(Event::Sample)).min(end);
        let mut pending = std::mem::take(&mut self.pending);
        let (workloads, mut context) = self.parts();
        pending.retain(|packet| !workloads.connections.receive_late(packet, now, &mut context));
        self.pending = pending;
    }

    /// The workloads, with the parts of the partition that they use.
    pub fn at_workloads(&mut self, act: impl FnOnce(&mut Workloads<'m>, &mut ConnectionContext<'_>)) {
        let (workloads, mut context) = self.parts();
        act(workloads, &mut context);
    }

    fn parts(&mut self) -> (&mut Workloads<'m>, ConnectionContext<'_>) {
        let safe_time = if self.net.lookahead { self.safe_time } else { Time::ZERO };
        let context = ConnectionContext {
            net: &mut self.net,
            rtts: &mut self.rtts,
            delays: &mut self.delays,
            safe_time,
        };
        (&mut self.workloads, context)
    }

    /// Applies the next change of the network to the links of this partition.
    fn change(&mut self, now: Time) {
        self.catch_up(now);
        let (model, number) = (self.model, self.changed);
        self.changed += 1;
        for &(link, change) in &model.changes[number].links {
            let near = self.net.layout.near[link as usize];
            if near.partition == self.net.partition {
                self.net.change_link(near.index, change, now);
            }
        }
        for &(route, base) in &self.net.layout.reroutes[number] {
            self.net.bases[route as usize] = base;
        }
        self.net.queue.set(self.net.slots.of(Event::Change), change_due(model, self.changed));
    }

    fn measure(&mut self, now: Time) {
        self.catch_up(now);
        self.net.flows.since = now;
        for link in &mut self.net.links {
            link.measure(now);
        }
        self.workloads.measure(now);
        self.at_warmup = self.workloads.connections.sample();
    }

    /// Records the inner variables at the end of the current interval.
    fn sample_internals(&mut self) {
        let interval = self.series.times.len() - 1;
        let internals = &mut self.series.internals;
        if self.model.record.flows {
            self.workloads.connections.sample_internals(interval, internals);
        }
        for (number, link) in self.links.iter().zip(&self.net.links) {
            let place = Place::Link(*number as u32);
            link.observe(&mut |name, value| internals.add(interval, place, name, value));
        }
    }

    fn sample(&mut self, now: Time, interval: Span) {
        self.catch_up(now);
        self.series.start_interval(now);
        if self.model.record.flows {
            self.workloads.connections.sample_connections(&mut self.series, now, interval);
        }
        self.workloads.sample_clients(now);
        self.series.groups.extend(self.workloads.connections.sample());
        for link in &mut self.net.links {
            link.recorder.bring_up(now);
            let bits = link.bits(now);
            self.series.link(&link.recorder, bits.sent, bits.offered, interval);
        }
        if self.model.record.internals {
            self.sample_internals();
        }
    }
}

/// Time of change `number`; `NEVER` if there is none.
fn change_due(model: &Model, number: usize) -> Time {
    model.changes.get(number).map_or(Time::NEVER, |change| Time::ZERO + change.at)
}

/// The connection slots whose round trips steer the rate of one of `links`, each with its place among them.
fn steering(model: &Model, links: &[usize]) -> Vec<(Range<u32>, u32)> {
    let rates = (0..).zip(links).map(|(place, link)| (place, &model.links[*link].rate));
    rates.filter_map(|(place, rate)| Some((rate.autorate()?.probes.clone(), place))).collect()
}

/// The near ends of `links`, with lookahead if `lookahead`; `queue` gives the queue of each.
fn transmitters(
    model: &Model,
    links: &[usize],
    replication: u32,
    lookahead: bool,
    mut queue: impl FnMut(usize) -> Box<dyn QueueDiscipline>,
) -> Vec<Transmitter> {
    let mut changing = vec![false; model.links.len()];
    for (link, _) in model.changes.iter().flat_map(|change| &change.links) {
        changing[*link as usize] = true;
    }
    let build = |&number: &usize| {
        let link = &model.links[number];
        let stream =
            |purpose: &str| Stream::new(model.seed, replication, &format!("link {} {purpose}", link.name));
        // One draw for all links, so that recordings of one length, as of both directions, stay together.
        let place = || Stream::new(model.seed, replication, "recordings").uniform();
        let capacity = Capacity::new(&link.rate, stream("rate"), place);
        let impairments = Impairments::new(link.loss.clone().map(Loss::new), &link.impairments, stream);
        let computed = limit_and_rate(link).filter(|_| lookahead && !changing[number]);
        let service = if let Some((limit, rate)) = computed {
            Service::Computed(Fifo::new(limit, rate), capacity)
        } else {
            let queue = (queue(number), stream("queue"));
            Service::Stepped { link: Stepped::new(queue, capacity, link.framing, impairments), lookahead }
        };
        let mut transmitter = Transmitter::new(service, link.delay);
        observe(model, number, &mut transmitter.recorder);
        transmitter
    };
    links.iter().map(build).collect()
}

/// Limit and rate of a link whose departures are known at arrival: a FIFO at a constant rate without framing or impairments.
fn limit_and_rate(link: &LinkModel) -> Option<(Limit, Rate)> {
    // All properties of a link are listed, so that a new one does not compile until it is listed here, too.
    let LinkModel {
        rate,
        framing,
        queue,
        loss,
        impairments,
        // The transmitter adds it to the departure, whichever way the departure is computed.
        delay: _,
        // They identify the link.
        name: _,
        from: _,
        to: _,
        queue_key: _,
    } = link;
    match *rate {
        RateModel::Constant(rate)
            if framing.is_none() && loss.is_none() && impairments.is_empty() && rate > Rate::ZERO =>
        {
            Some((droptail::limit_of(queue)?, rate))
        }
        _ => None,
    }
}

/// Configures the optional counts of the `recorder` of link `number`.
fn observe(model: &Model, number: usize, recorder: &mut LinkRecorder) {
    recorder.shares = vec![0; model.groups.len()];
    let longest = |all: bool| {
        let own = model.groups.iter().filter(|group| all || group.bottleneck == Some(number));
        own.map(|group| group.rtt).max()
    };
    recorder.episodes.span = longest(false).or(longest(true)).unwrap_or(Span::ZERO);
    recorder.place = Place::Link(number as u32);
    recorder.logged = model.record.packets.map(|_| recorder.place);
}
