//! What begins the transfers of one population.

use super::plan::Planner;
use crate::model::{Demand, Model, PopulationModel};
use crate::run::slots::Event;
use crate::traffic::{ArrivalProcess, Connection, Script};
use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};

/// The arrivals or users of a population in motion.
#[derive(Debug)]
pub(in crate::run) struct Process {
    pub planner: Planner,
    /// The population's first seat.
    first: u32,
    /// Seats that nobody has; the last is taken first.
    free: Vec<u32>,
    open: Option<(ArrivalProcess, Stream)>,
    /// The size of the next arrival, where its schedule says so.
    next_size: Option<u64>,
    /// Arrivals so far.
    arrived: u64,
    /// By seat: what the side of a connection writes.
    pub scripts: Vec<Script>,
}

/// A transfer has arrived.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Arrival {
    /// Which of its population.
    pub index: u64,
    /// Its payload, unless that is to be drawn.
    pub size: Option<u64>,
    /// A seat for it, if one is free.
    pub seat: Option<u32>,
    /// When the next arrives.
    pub next: Time,
}

impl Process {
    pub fn new(model: &Model, number: usize, first: u32, stream: &impl Fn(String) -> Stream) -> Self {
        let population = &model.populations[number];
        let open = match &population.demand {
            Demand::Open(arrivals) => {
                Some((ArrivalProcess::new(arrivals.clone()), stream(format!("population {number} arrivals"))))
            }
            Demand::Users { .. } | Demand::Exchanges { .. } => None,
        };
        let scripts = match &population.demand {
            Demand::Exchanges { connections, side, from } => {
                let script =
                    |each: &Connection| Script::new(&each.sides[*side], Time::ZERO + *from + each.start);
                connections.iter().map(script).collect()
            }
            Demand::Open(_) | Demand::Users { .. } => Vec::new(),
        };
        Self {
            planner: Planner::new(model, number, stream),
            first,
            free: if open.is_some() { (first..first + population.seats).rev().collect() } else { Vec::new() },
            open,
            next_size: None,
            arrived: 0,
            scripts,
        }
    }

    /// What is due first.
    pub fn first(&mut self, population: &PopulationModel, number: usize) -> Vec<(Event, Time)> {
        match population.demand {
            Demand::Users { from, .. } => {
                let from = Time::ZERO + from;
                let first = self.first;
                (first..first + population.seats)
                    .map(|seat| (Event::Desk(seat), self.thought_over(population, seat, 0, from)))
                    .collect()
            }
            Demand::Exchanges { .. } => {
                let seats = self.first..;
                seats.zip(&self.scripts).map(|(seat, script)| (Event::Desk(seat), script.due())).collect()
            }
            Demand::Open(_) => vec![(Event::Arrive(number as u32), self.next_arrival(Time::ZERO))],
        }
    }

    /// A transfer arrives now.
    pub fn arrive(&mut self, now: Time) -> Arrival {
        let (index, size) = (self.arrived, self.next_size);
        self.arrived += 1;
        Arrival { index, size, seat: self.free.pop(), next: self.next_arrival(now) }
    }

    /// The transfer of that seat is over. When its user begins the next.
    pub fn leave(&mut self, population: &PopulationModel, seat: u32, turn: u64, now: Time) -> Time {
        match population.demand {
            Demand::Users { .. } => self.thought_over(population, seat, turn, now),
            Demand::Exchanges { .. } => {
                self.scripts[(seat - self.first) as usize].close();
                Time::NEVER
            }
            Demand::Open(_) => {
                self.free.push(seat);
                Time::NEVER
            }
        }
    }

    /// Until when the user of transfer `index`, which begins `now`, waits for its end.
    pub fn patience(&self, population: &PopulationModel, index: u64, now: Time) -> Time {
        match &population.demand {
            Demand::Users { patience: Some(patience), .. } => {
                let mut draws = self.planner.thought(index ^ PATIENCE);
                now + Span::from_secs_f64(patience.sample(&mut draws))
            }
            _ => Time::NEVER,
        }
    }

    fn thought_over(&self, population: &PopulationModel, seat: u32, turn: u64, from: Time) -> Time {
        let Demand::Users { ref think, until, .. } = population.demand else {
            unreachable!("only users think");
        };
        let mut draws = self.planner.thought(u64::from(seat) << 32 | turn);
        let at = from + Span::from_secs_f64(think.sample(&mut draws));
        if at < Time::ZERO + until { at } else { Time::NEVER }
    }

    fn next_arrival(&mut self, now: Time) -> Time {
        let (process, draws) = self.open.as_mut().expect("only open demand arrives");
        let next = process.next(now, draws);
        self.next_size = next.and_then(|next| next.size).map(Bytes::count);
        next.map_or(Time::NEVER, |next| next.at)
    }
}

/// Tells a user's patience from his thoughts: no seat has so many turns.
const PATIENCE: u64 = 1 << 63;
