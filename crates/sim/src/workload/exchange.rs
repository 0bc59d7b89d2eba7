//! Connections over which both sides write: two transfers, one in each direction, between the same two hosts.
//!
//! Each connection has a slot in two workloads, that of its initiators and that of its acceptors.
//! The host of a side is the sending host of the data that it writes and the receiving host of the data that it reads, so
//! that its reads and the writes that follow them happen in one partition.
//!
//! Deviations: acknowledgements are separate packets, never piggybacked; on the access links of a host, data and
//! acknowledgements do not delay each other; the accepting side starts with the initial retransmission
//! timeout, without a sample of the handshake; if one side gives up, the other waits until the end of the run.

use super::{WorkloadContext, Workloads, clients};
use crate::events::Event;
use crate::host::SendingHost;
use narrows_model::traffic::{Script, Side};
use narrows_model::{Demand, Workload};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Time};
use std::sync::Arc;

/// The side of connection `index` whose data `workload` carries; `None` unless it is a workload of exchanges.
pub(super) fn side(workload: &Workload, index: u64) -> Option<&Side> {
    match &workload.demand {
        Demand::Exchanges { connections, side, .. } => Some(&connections[index as usize].sides[*side]),
        _ => None,
    }
}

/// Transport options of the data of that side, bounded by the receive window of the other side.
pub(super) fn options(workload: &Workload, index: u64) -> Arc<TransportOptions> {
    let usual = &workload.transport;
    let window = match &workload.demand {
        Demand::Exchanges { connections, side, .. } => connections[index as usize].sides[1 - side].window,
        _ => None,
    };
    let Some(window) = window else { return Arc::clone(usual) };
    let packets = (window.count() / usual.mss.count()).max(1);
    let least = usual.receive_window.map_or(packets, |most| most.min(packets));
    Arc::new(TransportOptions { receive_window: Some(least), ..TransportOptions::clone(usual) })
}

/// The sizes of the writes of `side`.
pub(super) fn sizes(side: &Side) -> impl Iterator<Item = Bytes> {
    side.writes.iter().map(|write| write.size)
}

impl Workloads<'_> {
    /// The newest receiving host of `slot` has delivered `delivered` bytes in total by `now`, which may trigger a write of
    /// the side that reads them.
    pub(super) fn on_delivered(
        &mut self,
        slot: u32,
        delivered: u64,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let number = self.workload(slot) as usize;
        let Some(partner) = self.model.workloads[number].partner else { return };
        if clients::side(&self.model.workloads[number]).is_some() {
            return self.on_application_data(slot, delivered, now, context);
        }
        let net = &mut *context.net;
        let index = slot - self.firsts[number];
        let slot = self.firsts[partner as usize] + index;
        let process = self.processes[partner as usize].as_mut();
        let script = &mut process.expect("both sides of a host are in one partition").scripts[index as usize];
        if script.on_delivered(Bytes::new(delivered), now) {
            let (due, event) = (script.due(), net.slots.of(Event::SendingHost(slot)));
            match &mut self.sending[slot as usize] {
                Some(host) => host.timer.arm(due, event, &mut net.queue),
                None => net.queue.set(event, due),
            }
        }
    }

    /// Performs the writes that are due at `now` of the side at the sending host of `slot`.
    pub(super) fn write(&mut self, slot: u32, now: Time, context: &mut WorkloadContext<'_>) {
        let number = self.workload(slot) as usize;
        if self.model.workloads[number].partner.is_none() {
            return;
        }
        if clients::side(&self.model.workloads[number]).is_some() {
            return self.run_server(slot, now, context);
        }
        let process = self.processes[number].as_mut().expect("a side writes in its own partition");
        let script = &mut process.scripts[(slot - self.firsts[number]) as usize];
        let Some(host) = &mut self.sending[slot as usize] else { return };
        let workload = &self.model.workloads[number];
        let event = context.net.slots.of(Event::SendingHost(slot));
        while host.ended.is_none()
            && let Some(size) = script.write(now)
        {
            let segments = size.count().div_ceil(workload.transport.mss.count());
            host.offer(segments, now, &mut context.sender(event, workload.group));
        }
    }

    /// Time of the next write of the side at `host`, which is in `slot`; `NEVER` if there is none.
    pub(super) fn writes_next(&self, host: &SendingHost, slot: u32) -> Time {
        let number = host.plan.workload as usize;
        if clients::side(&self.model.workloads[number]).is_some() {
            return self.server_wakes(slot);
        }
        let process = self.processes[number].as_ref();
        let script = process.and_then(|process| process.scripts.get((slot - self.firsts[number]) as usize));
        script.filter(|_| host.ended.is_none()).map_or(Time::NEVER, Script::due)
    }
}
