// SPDX-License-Identifier: Apache-2.0
//! Connections that arrive independently of earlier ones.

use crate::events::Event;
use crate::host::Ending;
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::Planner;
use narrows_engine::Stream;
use narrows_model::traffic::{ArrivalProcess, Arrivals};
use narrows_units::{Bytes, Time};

/// The arrivals of a workload.
#[derive(Debug)]
pub(super) struct Open<'m> {
    planner: Planner<'m>,
    process: ArrivalProcess,
    draws: Stream,
    /// Free slots; the last is taken first. None of connections that have slots of their own.
    free: Vec<u32>,
    /// Size of the next arrival, if its schedule gives one.
    next_size: Option<u64>,
    /// Number of arrivals so far.
    arrived: u64,
}

impl<'m> Open<'m> {
    /// Creates the connections that arrive as `arrivals` says.
    pub fn new(planner: Planner<'m>, arrivals: &Arrivals) -> Self {
        let (process, draws) = (ArrivalProcess::new(arrivals.clone()), planner.stream("arrivals"));
        let free = if planner.workload.individual { Vec::new() } else { planner.slots().rev().collect() };
        Self { planner, process, draws, free, next_size: None, arrived: 0 }
    }

    /// Draws the next arrival after `now`.
    fn next(&mut self, now: Time) -> (Event, Time) {
        let next = self.process.next(now, &mut self.draws);
        self.next_size = next.and_then(|next| next.size).map(Bytes::count);
        (Event::ConnectionArrival(self.planner.number), next.map_or(Time::NEVER, |next| next.at))
    }
}

impl Kind for Open<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        vec![self.next(Time::ZERO)]
    }

    fn on_due(&mut self, context: &mut WorkloadContext<'_, '_, '_>) {
        let (index, size) = (self.arrived, self.next_size);
        self.arrived += 1;
        let (event, at) = self.next(context.now);
        context.schedule(event, at);
        let Planner { workload, first, .. } = self.planner;
        let slot = if workload.individual { Some(first + index as u32) } else { self.free.pop() };
        match slot {
            Some(slot) => context.start(self, slot, index, size),
            None => context.connections.groups[workload.group].removed.refused += 1,
        }
    }

    fn on_left(&mut self, slot: u32, _: Ending, _: &Plan, _: &mut WorkloadContext<'_, '_, '_>) -> Time {
        self.free.push(slot);
        Time::NEVER
    }
}
