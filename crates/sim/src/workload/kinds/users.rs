// SPDX-License-Identifier: Apache-2.0
//! Users with alternating think times and transfers, each in a slot.

use crate::events::Event;
use crate::host::{Ending, SendingHost};
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::Planner;
use narrows_engine::Stream;
use narrows_model::UserModel;
use narrows_units::{Span, Time};

/// The users of a workload. A connection is numbered by its user and the number of earlier connections of the user.
#[derive(Debug)]
pub(super) struct Users<'m> {
    planner: Planner<'m>,
    habits: &'m UserModel,
    think_times: Stream,
    /// Transfers that users with a barrier wait for.
    awaited: u32,
}

impl<'m> Users<'m> {
    /// Users with these `habits`.
    pub fn new(planner: Planner<'m>, habits: &'m UserModel) -> Self {
        Self { habits, think_times: planner.stream("thoughts"), awaited: planner.workload.slots, planner }
    }

    fn index(&self, slot: u32, generation: u32) -> u64 {
        let Planner { workload, first, .. } = self.planner;
        u64::from(workload.first_user + slot - first) << 32 | u64::from(generation)
    }

    /// Time at which the user of `slot` starts connection `generation`, after a think time that starts at `from`.
    fn think(&self, slot: u32, generation: u32, from: Time) -> Time {
        let mut draws = self.think_times.branch(self.index(slot, generation));
        let at = from + Span::from_secs_f64(self.habits.think.sample(&mut draws));
        if at < Time::ZERO + self.habits.until { at } else { Time::NEVER }
    }
}

impl Kind for Users<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        let from = Time::ZERO + self.habits.from;
        let thinker = |slot| if self.habits.barrier { self.planner.first } else { slot };
        self.planner
            .slots()
            .map(|slot| (Event::SendingHost(slot), self.think(thinker(slot), 0, from)))
            .collect()
    }

    fn on_idle_slot(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let index = self.index(slot, context.connections.generation(slot));
        context.start(self, slot, index, None);
    }

    fn equip(&self, host: &mut SendingHost, index: u64, now: Time) {
        if let Some(patience) = &self.habits.patience {
            let mut draws = self.think_times.branch(index ^ PATIENCE);
            host.patience_ends = now + Span::from_secs_f64(patience.sample(&mut draws));
        }
    }

    fn on_left(&mut self, slot: u32, _: Ending, _: &Plan, context: &mut WorkloadContext<'_, '_, '_>) -> Time {
        let generation = context.connections.generation(slot);
        if !self.habits.barrier {
            return self.think(slot, generation, context.now);
        }
        self.awaited -= 1;
        if self.awaited > 0 {
            return Time::NEVER;
        }
        self.awaited = self.planner.workload.slots;
        let due = self.think(self.planner.first, generation, context.now);
        for slot in self.planner.slots() {
            context.schedule(Event::SendingHost(slot), due);
        }
        due
    }
}

/// Distinguishes the draws of a user's patience from draws of think times; no slot has this many generations.
const PATIENCE: u64 = 1 << 63;
