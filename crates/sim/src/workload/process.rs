//! The process that starts the connections of one workload.

use super::clients::{self, Sides};
use super::planner::Planner;
use crate::events::Event;
use narrows_engine::Stream;
use narrows_model::traffic::{ArrivalProcess, Connection, Script};
use narrows_model::{Demand, Model, Workload};
use narrows_units::{Bytes, Span, Time};

/// The state of the demand of a workload.
#[derive(Debug)]
pub(crate) struct Process {
    /// Draws the connections.
    pub planner: Planner,
    /// The workload's first slot.
    first: u32,
    /// Free slots; the last is taken first.
    free: Vec<u32>,
    open: Option<(ArrivalProcess, Stream)>,
    /// Size of the next arrival, if its schedule gives one.
    next_size: Option<u64>,
    /// Arrivals so far.
    arrived: u64,
    /// What this side of a connection writes, by slot.
    pub scripts: Vec<Script>,
    /// Transfers that users with a barrier wait for.
    awaited: u32,
    /// The side of an application.
    pub sides: Sides,
}

/// What a slot does when its connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing.
    Idle,
    /// The next connection starts at this time; `NEVER` if there is none.
    At(Time),
    /// The next connections of all slots of the workload start at this time; `NEVER` if there are none.
    AllAt(Time),
}

/// An arrival of an open workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// Number of the connection within the workload.
    pub index: u64,
    /// Payload in bytes; drawn if `None`.
    pub size: Option<u64>,
    /// Slot of the connection; `None` if all are taken.
    pub slot: Option<u32>,
    /// Time of the next arrival; `NEVER` if there is none.
    pub next: Time,
}

impl Process {
    /// The process of workload `number`, whose first slot is `first`, in replication `replication`.
    pub fn new(model: &Model, number: usize, first: u32, replication: u32) -> Self {
        let workload = &model.workloads[number];
        let open = match &workload.demand {
            Demand::Open(arrivals) => {
                let draws =
                    Stream::new(model.seed, replication, &format!("population {} arrivals", workload.stream));
                Some((ArrivalProcess::new(arrivals.clone()), draws))
            }
            _ => None,
        };
        let scripts = match &workload.demand {
            Demand::Exchanges { connections, side, from } => {
                let script =
                    |each: &Connection| Script::new(&each.sides[*side], Time::ZERO + *from + each.start);
                connections.iter().map(script).collect()
            }
            _ => Vec::new(),
        };
        let reused = open.is_some() && !workload.individual;
        let planner = Planner::new(model, number, replication);
        let sides = match workload.demand {
            Demand::Clients { start, .. } => {
                clients::sides(workload, planner.clients(), |number| planner.client_start(start, number))
            }
            _ => Sides::None,
        };
        Self {
            planner,
            first,
            free: if reused { (first..first + workload.slots).rev().collect() } else { Vec::new() },
            open,
            next_size: None,
            arrived: 0,
            scripts,
            awaited: workload.slots,
            sides,
        }
    }

    /// The first events and their times.
    pub fn first(&mut self, workload: &Workload, number: usize) -> Vec<(Event, Time)> {
        let slots = self.first..self.first + workload.slots;
        match workload.demand {
            Demand::Fixed { start, .. } => {
                let start = |slot: u32| self.planner.start(start, slot as usize);
                slots.map(|slot| (Event::SendingHost(slot), start(slot))).collect()
            }
            Demand::Users { from, barrier, .. } => {
                let from = Time::ZERO + from;
                let thinker = |slot: u32| if barrier { self.first } else { slot };
                slots
                    .map(|slot| (Event::SendingHost(slot), self.think(workload, thinker(slot), 0, from)))
                    .collect()
            }
            Demand::Exchanges { .. } => slots
                .zip(&self.scripts)
                .map(|(slot, script)| (Event::SendingHost(slot), script.due()))
                .collect(),
            Demand::Open(_) => vec![(Event::ConnectionArrival(number as u32), self.next_arrival(Time::ZERO))],
            Demand::Clients { .. } => vec![(Event::ConnectionArrival(number as u32), self.sides.wake())],
        }
    }

    /// Number, within the workload, of the connection that starts in `slot` after `generation` others.
    pub fn index(&self, workload: &Workload, slot: u32, generation: u32) -> u64 {
        match workload.demand {
            Demand::Exchanges { .. } => u64::from(slot - self.first),
            // Each connection of a user is a function of the slot and of the number of earlier connections.
            _ => u64::from(workload.first_user + slot - self.first) << 32 | u64::from(generation),
        }
    }

    /// Random stream of the send delays of connection `index` in `slot`.
    pub fn send_delays(&self, workload: &Workload, slot: usize, index: u64) -> Stream {
        match workload.demand {
            Demand::Fixed { .. } => self.planner.of_fixed(slot, "send delay"),
            _ => self.planner.send_delays(index),
        }
    }

    /// Handles the arrival of a connection at `now`.
    pub fn arrive(&mut self, workload: &Workload, now: Time) -> Arrival {
        let (index, size) = (self.arrived, self.next_size);
        self.arrived += 1;
        let slot = if workload.individual { Some(self.first + index as u32) } else { self.free.pop() };
        Arrival { index, size, slot, next: self.next_arrival(now) }
    }

    /// Handles the end of a connection in `slot` at `now`. Returns what happens next there, or in all slots.
    pub fn leave(&mut self, workload: &Workload, slot: u32, generation: u32, now: Time) -> Next {
        match workload.demand {
            Demand::Users { barrier: false, .. } => {
                return Next::At(self.think(workload, slot, generation, now));
            }
            Demand::Users { barrier: true, .. } => {
                self.awaited -= 1;
                if self.awaited == 0 {
                    self.awaited = workload.slots;
                    return Next::AllAt(self.think(workload, self.first, generation, now));
                }
            }
            Demand::Exchanges { .. } => self.scripts[(slot - self.first) as usize].close(),
            Demand::Open(_) if !workload.individual => self.free.push(slot),
            Demand::Open(_) | Demand::Fixed { .. } | Demand::Clients { .. } => {}
        }
        Next::Idle
    }

    /// Time at which the user of connection `index`, which starts at `now`, abandons it; `NEVER` without a limit.
    pub fn patience(&self, workload: &Workload, index: u64, now: Time) -> Time {
        match &workload.demand {
            Demand::Users { patience: Some(patience), .. } => {
                let mut draws = self.planner.think_time(index ^ PATIENCE);
                now + Span::from_secs_f64(patience.sample(&mut draws))
            }
            _ => Time::NEVER,
        }
    }

    /// Time at which the user of `slot` starts connection `generation`, after a think time that starts at `from`.
    fn think(&self, workload: &Workload, slot: u32, generation: u32, from: Time) -> Time {
        let Demand::Users { ref think, until, .. } = workload.demand else { return Time::NEVER };
        let mut draws = self.planner.think_time(self.index(workload, slot, generation));
        let at = from + Span::from_secs_f64(think.sample(&mut draws));
        if at < Time::ZERO + until { at } else { Time::NEVER }
    }

    fn next_arrival(&mut self, now: Time) -> Time {
        let Some((process, draws)) = &mut self.open else { return Time::NEVER };
        let next = process.next(now, draws);
        self.next_size = next.and_then(|next| next.size).map(Bytes::count);
        next.map_or(Time::NEVER, |next| next.at)
    }
}

/// Distinguishes the draws of a user's patience from those of think times; no slot has this many generations.
const PATIENCE: u64 = 1 << 63;
