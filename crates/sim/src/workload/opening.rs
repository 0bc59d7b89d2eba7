//! Creation of the two hosts of a connection.

use super::{Workloads, clients, exchange};
use crate::host::{Application, Datagrams, ReceivingHost, SendDelay, SendingHost};
use crate::plan::Plan;
use crate::recorder::{SenderEvents, SenderRecorder};
use crate::workload::process::Process;
use narrows_cc::Transport;
use narrows_engine::Stream;
use narrows_model::{Demand, Workload};
use narrows_records::PacketKind;
use narrows_transport::{ReceivingEndpoint, SendingEndpoint, TransportOptions};
use narrows_units::{Span, Time};
use std::sync::Arc;

impl Workloads<'_> {
    /// Creates the sending host of connection `index`, which starts at `now`.
    pub(super) fn sending_host(&self, plan: Plan, index: u64, now: Time) -> Box<SendingHost> {
        let number = plan.workload as usize;
        let workload = &self.model.workloads[number];
        let process =
            self.processes[number].as_ref().expect("connections start in the partition of their sender");
        let group = &self.model.groups[workload.group];
        let options = exchange::options(workload, index);
        let algorithm = group.algorithm.build(&workload.transport.setup(plan.seed));
        let needs = group.algorithm.needs();
        let mut sender = match &self.stack {
            None => SendingEndpoint::new(plan.flow, options, plan.size, algorithm, needs),
            Some(port) => {
                SendingEndpoint::of_stack(plan.flow, options, plan.size, algorithm, needs, port.clone())
            }
        };
        let mut recorder = SenderRecorder::new(self.ack_spacings[number]);
        if self.measuring {
            recorder.measure(now, sender.counters());
        }
        if self.model.record.events.is_some() && workload.individual {
            sender.report_losses();
            let data = match needs.transport {
                Transport::Reliable => PacketKind::Data,
                Transport::Datagram(_) => PacketKind::Datagram,
            };
            recorder.events = Some(Box::new(SenderEvents::new(plan.flow, data)));
        }
        let script = exchange::side(workload, index);
        if let Some(side) = script {
            sender.expect_writes(exchange::sizes(side));
        }
        let slot = plan.flow.index();
        let client = clients::side(workload);
        if client.is_some() {
            if self.is_endless(workload, slot) {
                sender.wait_for_offers();
            } else {
                sender.expect_more_writes();
            }
        }
        let application = self.application(workload, slot, process);
        if application.is_some() {
            sender.wait_for_offers();
        }
        let route = workload.paths[plan.path as usize].forward;
        let mut host = SendingHost::new(plan, sender, recorder, route, workload.group);
        host.patience_ends = process.patience(workload, index, now);
        host.exclusive = self.model.workloads[number].partner.is_none();
        host.greedy = application.is_none() && script.is_none() && client.is_none();
        host.application = application.map(Box::new);
        if workload.send_delay > Span::ZERO {
            let draws = process.send_delays(workload, slot, index);
            host.delay = Some(Box::new(SendDelay::new(workload.send_delay, draws)));
        }
        Box::new(host)
    }

    /// Whether the data of the connection in `slot` of `workload` is one endless object of a server.
    fn is_endless(&self, workload: &Workload, slot: usize) -> bool {
        clients::side(workload).is_some_and(|(application, side)| {
            let index = slot as u32 - self.firsts[usize::from(self.layout.workloads[slot])];
            side == 0 && application.is_endless(index % application.connections())
        })
    }

    /// The application that writes the data of the connection in `slot` over time; `None` if all data is written at the start.
    fn application(&self, workload: &Workload, slot: usize, process: &Process) -> Option<Application> {
        let Demand::Fixed { source, .. } = &workload.demand else { return None };
        let first = self.firsts[usize::from(self.layout.workloads[slot])] as usize;
        let drawing = if source.is_common() { first } else { slot };
        let TransportOptions { mss, header, .. } = *workload.transport;
        let draws: Stream = process.planner.of_fixed(drawing, "source");
        Application::new(source, slot - first, mss + header, mss, draws)
    }

    /// Creates the receiving host of the connection that `plan` describes.
    pub(super) fn open_receiving_host(&mut self, plan: &Plan) {
        let number = plan.workload as usize;
        let workload = &self.model.workloads[number];
        let group = &self.model.groups[workload.group];
        // The sender's algorithm may be in another partition; its requirements do not depend on its state.
        let transport = group.algorithm.needs().transport;
        let options = Arc::clone(&workload.transport);
        let mut receiver = match &self.stack {
            None => ReceivingEndpoint::new(plan.flow, options, plan.size, transport),
            Some(port) => ReceivingEndpoint::of_stack(plan.flow, port.clone()),
        };
        if let Some(side) = exchange::side(workload, plan.order) {
            receiver.expect_writes(exchange::sizes(side));
        }
        if let Some((_, side)) = clients::side(workload) {
            if !self.is_endless(workload, plan.flow.index()) {
                receiver.expect_more_writes();
            }
            if side == 1 {
                self.on_server_opening(plan.flow.index() as u32);
            }
        }
        let place = &mut self.receiving[plan.flow.index()];
        let before = place.take();
        let route = workload.paths[plan.path as usize].reverse;
        let exclusive = self.model.workloads[number].partner.is_none();
        let mut host = ReceivingHost::new(plan, receiver, route, workload.group, exclusive, before);
        if let (Transport::Datagram(_), Some(size)) = (transport, plan.size) {
            host.datagrams = Some(Box::new(Datagrams::new(size, workload.transport.mss)));
        }
        *place = Some(Box::new(host));
    }
}
