// SPDX-License-Identifier: Apache-2.0
//! Creation of the two hosts of a connection.

use super::Connections;
use crate::host::{Datagrams, ReceivingHost, SendDelay, SendingHost};
use crate::plan::Plan;
use crate::recorder::{SenderEvents, SenderRecorder};
use narrows_cc::Transport;
use narrows_engine::Stream;
use narrows_model::algorithm::FlowStart;
use narrows_records::PacketKind;
use narrows_transport::{ReceivingEndpoint, SendingEndpoint, TransportOptions};
use narrows_units::{Span, Time};
use narrows_wire::FlowId;
use std::sync::Arc;

impl Connections<'_> {
    /// Returns the next connection of `slot`.
    pub fn next_flow(&mut self, slot: u32) -> FlowId {
        let generation = self.generations[slot as usize];
        self.generations[slot as usize] = generation.wrapping_add(1);
        FlowId::new(slot, generation)
    }

    /// Creates the sending host of the connection that `plan` describes, which starts at `now`, with `options` of its transport.
    /// It draws send delays from `delays`.
    pub fn sending_host(
        &mut self,
        plan: Plan,
        options: Arc<TransportOptions>,
        delays: impl FnOnce() -> Stream,
        now: Time,
    ) -> Box<SendingHost> {
        let number = plan.workload as usize;
        let workload = &self.model.workloads[number];
        let group = &self.model.groups[workload.group];
        let needs = group.algorithm.needs();
        let mut sender = if self.of_stack[number] {
            SendingEndpoint::of_stack(plan.flow, plan.size, options.mss)
        } else {
            let start = FlowStart { flow: plan.flow.index(), group: &group.name, stack: "", now };
            let algorithm = group.algorithm.build(&workload.transport.setup(plan.seed), &start);
            SendingEndpoint::new(
                plan.flow,
                options.acknowledging(needs.each_packet),
                plan.size,
                algorithm,
                needs,
            )
        };
        let mut recorder = SenderRecorder::new(self.ack_spacings[number]);
        if self.measuring {
            recorder.measure(now, sender.counters());
        }
        let of_client = !workload.demand.is_of_requests()
            && self.clients.of_workloads[number].of_slot(plan.flow.index() as u32).is_some();
        let record = &self.model.record;
        if (record.events.is_some() && workload.individual) || (record.client_events.is_some() && of_client) {
            if let Some(sender) = sender.reliable_mut() {
                sender.report_losses();
            }
            let data = match needs.transport {
                Transport::Reliable => PacketKind::Data,
                Transport::Datagram(_) => PacketKind::Datagram,
            };
            recorder.events = Some(Box::new(SenderEvents::new(plan.flow, data, of_client)));
        }
        self.groups[workload.group].removed.started += 1;
        let route = workload.paths[plan.path as usize].forward;
        let mut host = SendingHost::new(plan, sender, recorder, route, workload.group);
        host.exclusive = workload.partner.is_none();
        if workload.send_delay > Span::ZERO {
            host.delay = Some(Box::new(SendDelay::new(workload.send_delay, delays())));
        }
        Box::new(host)
    }

    /// Creates the receiving host of the connection that `plan` describes.
    pub(super) fn open_receiving_host(&mut self, plan: &Plan) {
        let workload = &self.model.workloads[plan.workload as usize];
        let group = &self.model.groups[workload.group];
        // The sender's algorithm may be in another partition; its requirements do not depend on its state.
        let needs = group.algorithm.needs();
        let transport = needs.transport;
        let options = Arc::clone(&workload.transport).acknowledging(needs.each_packet);
        let receiver = if self.of_stack[plan.workload as usize] {
            ReceivingEndpoint::of_stack(plan.flow)
        } else {
            ReceivingEndpoint::new(plan.flow, options, plan.size, transport)
        };
        let place = &mut self.receiving[plan.flow.index()];
        let before = place.take();
        let route = workload.paths[plan.path as usize].reverse;
        let exclusive = workload.partner.is_none();
        let mut host = ReceivingHost::new(plan, receiver, route, workload.group, exclusive, before);
        if let (Transport::Datagram(_), Some(size)) = (transport, plan.size) {
            host.datagrams = Some(Box::new(Datagrams::new(size, workload.transport.mss)));
        }
        if workload.demand.is_stream()
            && let Some(receiver) = host.parts_mut()
        {
            receiver.expect_stream();
        }
        *place = Some(Box::new(host));
    }
}
