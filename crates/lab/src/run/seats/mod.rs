//! Transfers that come and go: the seats of all populations as one partition sees them.
//!
//! A seat has a *desk*, where the sending end of its transfer is, and a *counter* opposite, where the receiving end is;
//! they may be in different partitions, so each partition has room for both of every seat. A desk is there from the
//! begin of a transfer to its end. A counter is there until nothing more can come for it, which may be after the next
//! transfer of the seat has begun: then both are there, and know nothing of each other. What the two sides tell each
//! other besides packets are [`Notice`]s, which take effect at times that do not depend on how the network is cut: an
//! opening when the first packet comes, a closing at the time it names.
//!
//! A packet is heard as soon as the router is told of it, if nothing else can happen at its desk or counter before it
//! comes, and nobody looks at them until then: they are ahead of the rest of the run. A desk is left only when its time
//! has come, for others hear of that.

mod desk;
mod exchange;
mod plan;
mod process;
mod wires;

pub(super) use desk::{Bell, Closing, Counter, Desk, Ending, LINGER, Opening};
pub(super) use plan::{Plan, Planner};

use super::build::ack_spacing;
use super::layout::Layout;
use super::net::Net;
use super::partition::Failed;
use super::slots::Event;
use crate::model::{Classes, Demand, Model, PopulationModel};
use crate::records::{Census, ClassTally, Histogram, PopulationSample, SenderRecorder, Tally, TransferRow};
use crate::traffic::Side;
use narrows_cc::Failure;
use narrows_engine::Stream;
use narrows_transport::{ConnectionState, ReceivingEndpoint, SendingEndpoint};
use narrows_units::{Span, Time};
use narrows_wire::{FlowId, Leg, Packet};
use process::Process;
use std::sync::Arc;
use wires::Wires;

/// All seats, by number from the first that belongs to a population.
#[derive(Debug)]
pub(super) struct Seats<'m> {
    model: &'m Model,
    layout: Arc<Layout>,
    desks: Vec<Option<Box<Desk>>>,
    /// The newest of each seat.
    counters: Vec<Option<Box<Counter>>>,
    /// How many transfers each seat has had.
    turns: Vec<u32>,
    /// What begins transfers, by population; `None` where its sources are in another partition.
    processes: Vec<Option<Process>>,
    /// What is over, by population: at desks and counters that are gone.
    tallies: Vec<Tally>,
    /// By group and pair of classes.
    pub classes: Vec<Vec<ClassTally>>,
    /// By population and class of its files, and by population and way: the sum of both is the pair's index.
    file_classes: Vec<Vec<u32>>,
    way_classes: Vec<Vec<u32>>,
    /// Transfers that ended.
    pub rows: Vec<TransferRow>,
    /// For other partitions.
    pub notices: Vec<(u16, Notice)>,
    /// Mistakes of algorithms in transfers that have ended.
    failed: Vec<(Failure, Plan)>,
    /// By population, of how many transfers of a user, or of all arrivals, a row is kept: the first.
    kept: Vec<u64>,
    /// By population: acknowledgements that come closer are compressed.
    ack_spacings: Vec<Span>,
    /// By population: its first seat.
    firsts: Vec<u32>,
    /// By population of one side of connections: that of the other.
    partners: Vec<Option<u32>>,
    measuring: bool,
}

/// Told to the partition in which a receiver is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Notice {
    Opening(Opening),
    Closing(Closing),
}

/// What the seats change outside themselves.
pub(super) struct Around<'a> {
    pub net: &'a mut Net,
    /// Round-trip times by group.
    pub rtts: &'a mut [Histogram],
    /// One-way delays of data by group.
    pub delays: &'a mut [Histogram],
    /// What happens until then at a seat alone may be done now.
    pub ahead: Time,
}

impl<'m> Seats<'m> {
    /// Nobody sits yet.
    pub fn new(
        model: &'m Model,
        layout: &Arc<Layout>,
        partition: usize,
        stream: &impl Fn(String) -> Stream,
    ) -> Self {
        let seats = model.seats() - model.flows.len();
        let mut first = 0;
        let mut firsts = Vec::new();
        let mut processes = Vec::new();
        for (number, population) in model.populations.iter().enumerate() {
            let here = usize::from(layout.homes[number]) == partition;
            processes.push(here.then(|| Process::new(model, number, first, stream)));
            firsts.push(first);
            first += population.seats;
        }
        let classes = Classes::of(&model.populations);
        let spacing = |each: &PopulationModel| ack_spacing(model, &model.groups[each.group], &each.transport);
        Self {
            model,
            layout: Arc::clone(layout),
            desks: std::iter::repeat_with(|| None).take(seats).collect(),
            counters: std::iter::repeat_with(|| None).take(seats).collect(),
            turns: vec![0; seats],
            processes,
            tallies: vec![Tally::default(); model.populations.len()],
            classes: vec![vec![ClassTally::default(); classes.count()]; model.groups.len()],
            file_classes: model.populations.iter().map(|each| classes.of_files(each)).collect(),
            way_classes: model.populations.iter().map(|each| classes.of_ways(each)).collect(),
            rows: Vec::new(),
            notices: Vec::new(),
            failed: Vec::new(),
            kept: model.populations.iter().map(|each| kept(model, each)).collect(),
            ack_spacings: model.populations.iter().map(spacing).collect(),
            firsts,
            partners: model
                .populations
                .iter()
                .enumerate()
                .map(|(n, each)| exchange::partner(n, each))
                .collect(),
            measuring: false,
        }
    }

    /// Sets what begins first.
    pub fn start(&mut self, net: &mut Net) {
        for (number, process) in self.processes.iter_mut().enumerate() {
            let Some(process) = process else { continue };
            for (event, at) in process.first(&self.model.populations[number], number) {
                net.queue.set(net.slots.of(event), at);
            }
        }
    }

    /// A transfer of the population arrives.
    pub fn arrive(&mut self, number: u32, around: &mut Around<'_>) {
        let process = self.processes[number as usize].as_mut().expect("arrivals happen at home");
        let arrival = process.arrive(around.net.now);
        around.net.queue.set(around.net.slots.of(Event::Arrive(number)), arrival.next);
        match arrival.seat {
            None => self.tallies[number as usize].turned_away += 1,
            Some(seat) => self.begin(seat, number, arrival.index, arrival.size, around),
        }
    }

    /// Something is due at a desk, or its user has thought enough.
    pub fn desk(&mut self, seat: u32, around: &mut Around<'_>) {
        if let Some(desk) = &mut self.desks[seat as usize] {
            let (now, ahead) = (around.net.now, if desk.alone { around.ahead } else { Time::ZERO });
            desk.bell.rang();
            desk.run(ahead.min(desk.wires.last_coming()), around.net, &mut around.rtts[desk.group]);
            around.net.now = now;
            self.write(seat, around);
            self.settle(seat, around);
        } else {
            let number = self.population(seat);
            let index = if self.partners[number as usize].is_some() {
                u64::from(seat - self.firsts[number as usize])
            } else {
                // Of a user's transfers each is a function of the seat and of how many went before.
                u64::from(seat) << 32 | u64::from(self.turns[seat as usize])
            };
            self.begin(seat, number, index, None, around);
        }
    }

    /// Something is due at a counter of the seat.
    pub fn counter(&mut self, seat: u32, around: &mut Around<'_>) {
        let now = around.net.now;
        let (mut due, mut delivered) = (Time::NEVER, 0);
        let mut place = &mut self.counters[seat as usize];
        while let Some(counter) = place {
            let delays = self.measuring.then(|| &mut around.delays[counter.group]);
            let ahead = if counter.alone { around.ahead } else { Time::ZERO };
            let until = ahead.min(counter.closing).min(counter.wires.last_coming());
            counter.run(until, around.net, delays);
            around.net.now = now;
            delivered += counter.receiver.counters().bytes_delivered;
            if !counter.is_done(now) {
                due = due.min(counter.next());
            }
            place = &mut counter.before;
        }
        self.clear(seat, around.net);
        self.heed(seat, delivered, around.net);
        if let Some(counter) = &mut self.counters[seat as usize] {
            counter.bell.rang();
            counter.bell.ring_at(due, &mut around.net.queue);
        }
    }

    /// `packet` will come to the router of one of its hosts at its stamp, after all others for that host.
    pub fn land(&mut self, packet: &Packet, around: &mut Around<'_>) {
        let seat = packet.flow.seat() - self.model.flows.len();
        let now = around.net.now;
        match packet.leg() {
            Leg::Homeward => match &mut self.desks[seat] {
                Some(desk) if desk.plan.flow == packet.flow && desk.ended.is_none() => {
                    let ahead = if desk.alone { around.ahead } else { Time::ZERO };
                    desk.receive(packet, ahead, around.net, &mut around.rtts[desk.group]);
                    let due = desk.next();
                    desk.bell.ring_at(due, &mut around.net.queue);
                }
                _ => around.net.landed += 1,
            },
            Leg::Outward => match counter_of(&mut self.counters[seat], packet.flow) {
                Some(counter) => {
                    let ahead = if counter.alone { around.ahead } else { Time::ZERO };
                    // A counter hears that it closes at least so long before it does.
                    let ahead = ahead.min(now + LINGER).min(counter.closing);
                    let delays = self.measuring.then(|| &mut around.delays[counter.group]);
                    counter.receive(packet, ahead, around.net, delays);
                    let due = counter.next();
                    self.ring(seat, due, around.net);
                }
                None => around.net.landed += 1,
            },
        }
        around.net.now = now;
    }

    /// Takes note of what happened, perhaps in another partition.
    pub fn hear(&mut self, notice: Notice, net: &mut Net) {
        match notice {
            Notice::Opening(opening) => self.open_counter(&opening.plan, net),
            Notice::Closing(Closing { flow, at }) => {
                let seat = flow.seat() - self.model.flows.len();
                let counter = counter_of(&mut self.counters[seat], flow);
                counter.expect("it was announced and has not closed").closing = at;
                self.ring(seat, at, net);
            }
        }
    }

    /// The warm-up is over.
    pub fn measure(&mut self, now: Time) {
        self.measuring = true;
        for desk in self.desks.iter_mut().flatten() {
            desk.recorder.measure(now, desk.sender.counters());
        }
    }

    /// The run ends at `end`.
    pub fn finish(&mut self, end: Time) {
        for desk in self.desks.iter_mut().flatten() {
            desk.recorder.window(end, desk.sender.window().unwrap_or(f64::NAN));
        }
    }

    /// Each population now.
    pub fn sample(&self) -> Vec<PopulationSample> {
        let first = |tally: &Tally| PopulationSample { tally: *tally, census: Census::default() };
        let mut samples: Vec<_> = self.tallies.iter().map(first).collect();
        for desk in self.desks.iter().flatten() {
            let sample = &mut samples[desk.plan.population as usize];
            sample.tally += Tally::of_sender(&desk.recorder, desk.sender.counters());
            match desk.sender.state() {
                _ if desk.ended.is_some() => {}
                ConnectionState::Connecting => sample.census.connecting += 1,
                _ => sample.census.active += 1,
            }
        }
        for counter in self.all_counters() {
            let number = self.population((counter.flow.seat() - self.model.flows.len()) as u32);
            samples[number as usize].tally.bytes_delivered += counter.receiver.counters().bytes_delivered;
        }
        samples
    }

    /// The mistakes of algorithms so far, of transfers that have ended too.
    pub fn failures(&self) -> impl Iterator<Item = Failed<'_>> {
        let seated = self.desks.iter().flatten();
        let seated = seated.filter_map(|desk| desk.sender.failure().map(|failure| (failure, &desk.plan)));
        let gone = self.failed.iter().map(|(failure, plan)| (failure, plan));
        gone.chain(seated).map(|(failure, plan)| Failed {
            failure,
            flow: plan.flow.seat(),
            group: self.model.populations[plan.population as usize].group,
        })
    }

    /// Packets between hosts and routers.
    pub fn holding(&self) -> u64 {
        let desks = self.desks.iter().flatten().map(|desk| desk.wires.holding());
        desks.chain(self.all_counters().map(|counter| counter.wires.holding())).sum()
    }

    /// Each counter with those before it.
    fn all_counters(&self) -> impl Iterator<Item = &Counter> {
        self.counters
            .iter()
            .flat_map(|newest| std::iter::successors(newest.as_deref(), |counter| counter.before.as_deref()))
    }

    /// Something is due at a counter of the seat at `at`.
    fn ring(&mut self, seat: usize, at: Time, net: &mut Net) {
        if let Some(newest) = &mut self.counters[seat] {
            newest.bell.ring_at(at, &mut net.queue);
        }
    }

    fn population(&self, seat: u32) -> u32 {
        u32::from(self.layout.populations[seat as usize])
    }

    fn begin(&mut self, seat: u32, number: u32, index: u64, size: Option<u64>, around: &mut Around<'_>) {
        let population = &self.model.populations[number as usize];
        let process = self.processes[number as usize].as_ref().expect("transfers begin at home");
        let net = &mut *around.net;
        let turn = self.turns[seat as usize];
        self.turns[seat as usize] = turn.wrapping_add(1);
        let flow = FlowId::new(self.model.flows.len() as u32 + seat, turn);
        let plan = process.planner.plan(population, (number, index), flow, size, net.now);
        let group = &self.model.groups[population.group];
        let algorithm = group.algorithm.build(&population.transport.setup(plan.seed));
        let options = exchange::options(population, index);
        let needs = group.algorithm.needs();
        let mut sender = SendingEndpoint::new(flow, options, Some(plan.size), algorithm, needs);
        let script = exchange::side(population, index);
        if let Some(side) = script {
            sender.expect_writes(exchange::sizes(side));
        }
        let mut recorder = SenderRecorder::new(self.ack_spacings[number as usize]);
        if self.measuring {
            recorder.measure(net.now, sender.counters());
        }
        let way = &population.ways[plan.way as usize];
        let [up, down] = plan.near;
        let mut desk = Box::new(Desk {
            plan,
            sender,
            recorder,
            wires: Wires::new(up, down),
            route: way.outward,
            patience: process.patience(population, index, net.now),
            ended: None,
            bell: Bell::new(net.slots.of(Event::Desk(seat))),
            group: population.group,
            alone: self.partners[number as usize].is_none(),
        });
        self.tallies[number as usize].started += 1;
        self.tell(Notice::Opening(Opening { plan }), plan, net);
        let opens = script.is_none_or(Side::opens);
        desk.begin(opens, net, &mut around.rtts[population.group]);
        self.desks[seat as usize] = Some(desk);
        self.write(seat, around);
        self.settle(seat, around);
    }

    /// After something was done at a desk: clears it if the transfer is over, and sets what is due next.
    fn settle(&mut self, seat: u32, around: &mut Around<'_>) {
        let net = &mut *around.net;
        let desk = self.desks[seat as usize].as_mut().expect("somebody sits there");
        let Some((at, ending)) = desk.is_over(net.now) else {
            let number = desk.plan.population as usize;
            let process = self.processes[number].as_ref();
            let due = desk.next().min(exchange::writes_next(process, desk, seat - self.firsts[number]));
            desk.bell.ring_at(due, &mut net.queue);
            return;
        };
        let desk = self.desks[seat as usize].take().expect("somebody sits there");
        net.landed += desk.wires.coming();
        self.fold(&desk, at, ending);
        let population = &self.model.populations[desk.plan.population as usize];
        let way = &population.ways[desk.plan.way as usize];
        let under_way = Planner::outward_delay(self.model, way);
        let closing = Closing { flow: desk.plan.flow, at: net.now + LINGER + under_way };
        self.tell(Notice::Closing(closing), desk.plan, net);
        let process = self.processes[desk.plan.population as usize].as_mut().expect("it ends at home");
        let due = process.leave(population, seat, u64::from(self.turns[seat as usize]), net.now);
        net.queue.set(net.slots.of(Event::Desk(seat)), due);
    }

    fn fold(&mut self, desk: &Desk, at: Time, ending: Ending) {
        let plan = &desk.plan;
        if let Some(failure) = desk.sender.failure() {
            self.failed.push((failure.clone(), *plan));
        }
        let tally = &mut self.tallies[plan.population as usize];
        let counters = desk.sender.counters();
        *tally += Tally::of_sender(&desk.recorder, counters);
        match ending {
            Ending::Completed => tally.completed += 1,
            Ending::Failed => tally.failed += 1,
            Ending::Abandoned => tally.abandoned += 1,
        }
        let started = desk.recorder.started.expect("a transfer that ended has begun");
        let completed = ending == Ending::Completed;
        if self.measuring {
            let number = plan.population as usize;
            let (files, ways) = (&self.file_classes[number], &self.way_classes[number]);
            let class = (files[plan.file as usize] + ways[plan.way as usize]) as usize;
            let group = self.model.populations[number].group;
            self.classes[group][class].add(plan.size.count(), at - started, completed);
        }
        if plan.order < self.kept[plan.population as usize] {
            self.rows.push(TransferRow {
                population: plan.population,
                seat: (plan.flow.seat() - self.model.flows.len()) as u32,
                file: plan.file,
                way: plan.way,
                size: plan.size.count(),
                started,
                established: desk.recorder.established,
                ended: at,
                completed,
                packets_sent: counters.packets_sent,
                retransmissions: counters.retransmissions,
                timeouts: counters.timeouts,
            });
        }
    }

    fn tell(&mut self, notice: Notice, plan: Plan, net: &mut Net) {
        let way = &self.model.populations[plan.population as usize].ways[plan.way as usize];
        let there = self.layout.destinations[way.outward as usize];
        if there == net.partition {
            self.hear(notice, net);
        } else {
            self.notices.push((there, notice));
        }
    }

    /// A transfer has begun.
    fn open_counter(&mut self, plan: &Plan, net: &Net) {
        let population = &self.model.populations[plan.population as usize];
        let group = &self.model.groups[population.group];
        let transport = group.algorithm.transport(&population.transport.setup(0));
        let options = Arc::clone(&population.transport);
        let [up, down] = plan.far;
        let mut receiver = ReceivingEndpoint::new(plan.flow, options, Some(plan.size), transport);
        if let Some(side) = exchange::side(population, plan.order) {
            receiver.expect_writes(exchange::sizes(side));
        }
        let seat = plan.flow.seat() - self.model.flows.len();
        let place = &mut self.counters[seat];
        let before = place.take();
        let slot = net.slots.of(Event::Counter(seat as u32));
        *place = Some(Box::new(Counter {
            flow: plan.flow,
            receiver,
            wires: Wires::new(up, down),
            route: population.ways[plan.way as usize].homeward,
            closing: Time::NEVER,
            bell: before.as_ref().map_or(Bell::new(slot), |before| before.bell),
            group: population.group,
            alone: self.partners[plan.population as usize].is_none(),
            before,
        }));
    }

    /// Takes away the counters of a seat for which nothing more can come; what they counted is kept.
    fn clear(&mut self, seat: u32, net: &mut Net) {
        let number = self.population(seat) as usize;
        let mut place = &mut self.counters[seat as usize];
        while let Some(counter) = place {
            if counter.is_done(net.now) {
                net.landed += counter.wires.coming();
                self.tallies[number].bytes_delivered += counter.receiver.counters().bytes_delivered;
                let bell = counter.bell;
                *place = counter.before.take();
                if let Some(next) = place {
                    next.bell = bell;
                }
            } else {
                place = &mut place.as_mut().expect("it is there").before;
            }
        }
    }
}

/// The counter of a transfer that has not closed; `newest` is that of its seat.
fn counter_of(newest: &mut Option<Box<Counter>>, flow: FlowId) -> Option<&mut Counter> {
    let mut place = newest.as_deref_mut();
    while place.as_ref().is_some_and(|counter| counter.flow != flow) {
        place = place.and_then(|counter| counter.before.as_deref_mut());
    }
    place
}

/// The rows that the model keeps are shared equally, by users or by populations whose transfers arrive.
fn kept(model: &Model, population: &PopulationModel) -> u64 {
    let sharers = match population.demand {
        Demand::Users { .. } => model.populations.iter().map(|each| u64::from(each.seats)).sum::<u64>(),
        Demand::Open(_) | Demand::Exchanges { .. } => model.populations.len() as u64,
    };
    model.record.transfers.div_ceil(sharers)
}
