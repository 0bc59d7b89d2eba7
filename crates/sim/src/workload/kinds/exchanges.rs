// SPDX-License-Identifier: Apache-2.0
//! Connections over which both sides write: two transfers, one in each direction, between the same two hosts.
//!
//! Each connection has a slot in two workloads, one of its initiators and one of its acceptors. The host of a side is
//! the sending host of the data that it writes and the receiving host of the data that it reads, so that its reads and
//! the writes that follow them happen in one partition.
//!
//! A delayed acknowledgement leaves with the data that its host sends.
//!
//! Deviations: acknowledgements are packets of their own, even if they leave with data; on the access links of a host,
//! data and acknowledgements do not delay each other; the accepting side starts with the initial retransmission
//! timeout, without a sample of the handshake; if one side gives up, the other waits until the end of the run.

use crate::events::Event;
use crate::host::{Ending, SendingHost};
use crate::plan::Plan;
use crate::workload::kind::{Kind, WorkloadContext};
use crate::workload::planner::{Given, Planner};
use narrows_model::traffic::{Connection, Script, Side};
use narrows_transport::{Receiver, TransportOptions};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::FlowId;
use std::sync::Arc;

/// One side of the connections of a recording.
#[derive(Debug)]
pub(super) struct Exchanges<'m> {
    planner: Planner<'m>,
    connections: &'m [Connection],
    side: usize,
    /// Writes of this side, by slot.
    scripts: Vec<Script>,
}

impl<'m> Exchanges<'m> {
    /// Creates the side number `side` of `connections`, of a recording that starts `from` the start of the run.
    pub fn new(planner: Planner<'m>, connections: &'m [Connection], side: usize, from: Span) -> Self {
        let start = |each: &Connection| Time::ZERO + from + each.start;
        let scripts = connections.iter().map(|each| Script::new(&each.sides[side], start(each))).collect();
        Self { planner, connections, side, scripts }
    }

    fn own(&self, index: u64) -> &'m Side {
        &self.connections[index as usize].sides[self.side]
    }

    fn other(&self, index: u64) -> &'m Side {
        &self.connections[index as usize].sides[1 - self.side]
    }

    fn script(&mut self, slot: u32) -> &mut Script {
        &mut self.scripts[(slot - self.planner.first) as usize]
    }
}

impl Kind for Exchanges<'_> {
    fn planner(&self) -> &Planner<'_> {
        &self.planner
    }

    fn first_events(&mut self) -> Vec<(Event, Time)> {
        let slots = self.planner.slots().zip(&self.scripts);
        slots.map(|(slot, script)| (Event::SendingHost(slot), script.due())).collect()
    }

    fn on_idle_slot(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let index = u64::from(slot - self.planner.first);
        context.start(self, slot, index, None);
    }

    fn plan(&self, flow: FlowId, index: u64, _size: Option<u64>, now: Time) -> Plan {
        let size = Some(self.own(index).size().count());
        let rtt = self.connections[index as usize].rtt;
        self.planner.plan(flow, index, now, Given { size, rtt, mirrored: self.side == 1 })
    }

    /// Those of the workload, bounded by the receive window of the other side.
    fn options(&self, index: u64) -> Arc<TransportOptions> {
        let usual = &self.planner.workload.transport;
        let Some(window) = self.other(index).window else { return Arc::clone(usual) };
        let packets = (window.count() / usual.mss.count()).max(1);
        let least = usual.receive_window.map_or(packets, |most| most.min(packets));
        Arc::new(TransportOptions { receive_window: Some(least), ..TransportOptions::clone(usual) })
    }

    fn equip(&self, host: &mut SendingHost, index: u64, _now: Time) {
        host.parts_mut().expect_writes(sizes(self.own(index)));
        host.greedy = false;
    }

    fn opens(&self, index: u64) -> bool {
        self.own(index).opens()
    }

    fn writes_next(&self, slot: u32, host: &SendingHost) -> Time {
        let script = &self.scripts[(slot - self.planner.first) as usize];
        if host.ended.is_none() { script.due() } else { Time::NEVER }
    }

    fn write(&mut self, slot: u32, context: &mut WorkloadContext<'_, '_, '_>) {
        let mss = self.planner.workload.transport.mss.count();
        let (now, script) = (context.now, self.script(slot));
        context.at_host(slot, |host, cx| {
            while host.ended.is_none()
                && let Some(size) = script.write(now)
            {
                host.offer(size.count().div_ceil(mss), now, cx);
            }
        });
    }

    fn on_left(&mut self, slot: u32, _: Ending, _: &Plan, _: &mut WorkloadContext<'_, '_, '_>) -> Time {
        self.script(slot).close();
        Time::NEVER
    }

    fn on_opening(&mut self, _slot: u32, plan: &Plan, receiver: Option<&mut Receiver>) {
        if let Some(receiver) = receiver {
            receiver.expect_writes(sizes(self.other(plan.order)));
        }
    }

    fn on_delivered(
        &mut self,
        slot: u32,
        _stream: u64,
        delivered: Bytes,
        context: &mut WorkloadContext<'_, '_, '_>,
    ) {
        let script = self.script(slot);
        if script.on_delivered(delivered, context.now) {
            let due = script.due();
            context.bring_forward(slot, due);
        }
    }
}

/// The sizes of the writes of `side`.
fn sizes(side: &Side) -> impl Iterator<Item = Bytes> {
    side.writes.iter().map(|write| write.size)
}
