// SPDX-License-Identifier: Apache-2.0
//! One connection for each slot, from a given time on. Every quantity that is drawn has a stream of its own.

use crate::events::Event;
use crate::host::{Application, SendingHost};
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::{Planner, draw_start};
use narrows_engine::Stream;
use narrows_model::{Access, SourceModel, Start, Stop};
use narrows_transport::TransportOptions;
use narrows_units::Time;
use narrows_wire::FlowId;

/// The flows of a fixed workload.
#[derive(Debug)]
pub(super) struct Fixed<'m> {
    planner: Planner<'m>,
    start: Start,
    stop: Option<Stop>,
    source: &'m SourceModel,
}

impl<'m> Fixed<'m> {
    /// Creates the flows that begin at `start`, end at `stop`, and whose data `source` writes.
    pub fn new(planner: Planner<'m>, start: Start, stop: Option<Stop>, source: &'m SourceModel) -> Self {
        Self { planner, start, stop, source }
    }

    /// What writes the data of the flow in `slot` over time; `None` if all is written at the start.
    fn application(&self, slot: u32) -> Option<Application> {
        let first = self.planner.first;
        let drawing = if self.source.is_common() { first } else { slot };
        let TransportOptions { mss, header, .. } = *self.planner.workload.transport;
        let draws = self.planner.of_fixed(drawing, "source");
        Application::new(self.source, (slot - first) as usize, mss + header, mss, draws)
    }
}

impl Kind for Fixed<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        let start =
            |slot| draw_start(self.start, slot - self.planner.first, || self.planner.of_fixed(slot, "start"));
        self.planner.slots().map(|slot| (Event::SendingHost(slot), start(slot))).collect()
    }

    fn on_idle_slot(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        context.start(self, slot, 0, None);
    }

    fn plan(&self, flow: FlowId, _index: u64, _size: Option<u64>, _now: Time) -> Plan {
        let Planner { workload, .. } = self.planner;
        let draws = |purpose: &str| self.planner.of_fixed(flow.index() as u32, purpose);
        let (file, size) = match &workload.size {
            None => (0, None),
            Some(size) => {
                let (file, _) = size.0.sample_class(&mut draws("size"));
                (file, Some(size.sample(&mut draws("size"))))
            }
        };
        let path = self.planner.choose(draws("path").uniform());
        let access = match &workload.access {
            Access::RoundTrip { rtt, rate } => {
                let rtt = rtt.constant().unwrap_or_else(|| rtt.sample(&mut draws("rtt")));
                self.planner.share(path, rtt, *rate)
            }
            Access::Hosts { source, receiver } => {
                self.planner.hosts(flow, *source, *receiver, &mut draws("hosts"))
            }
        };
        Plan {
            size,
            file: file as u32,
            seed: draws("algorithm").bits(),
            ..self.planner.between(flow, path, access)
        }
    }

    fn send_delays(&self, slot: u32, _index: u64) -> Stream {
        self.planner.of_fixed(slot, "send delay")
    }

    fn equip(&self, host: &mut SendingHost, _index: u64, now: Time) {
        if let Some(stop) = self.stop {
            host.stop_at(stop.of(now));
        }
        let Some(application) = self.application(host.plan.flow.index() as u32) else { return };
        if self.source.is_stream() {
            host.parts_mut().expect_more_writes();
        } else {
            host.sender.wait_for_offers();
        }
        host.greedy = false;
        host.application = Some(Box::new(application));
    }
}
