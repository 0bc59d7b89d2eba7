// SPDX-License-Identifier: Apache-2.0
//! The simulator's network and workloads around a protocol stack that runs elsewhere, such as a kernel's.
//!
//! Links, queues, access links, users, sources and records are the same as in a simulated run. Only the endpoints are
//! replaced: arriving packets go to the stack, and they send the stack's packets. The owner of the stack keeps the
//! clock: it advances the emulation to each time at which something is due or the stack sends, and carries out its
//! requests in order.

use crate::drive;
use crate::gather;
use crate::layout::Layout;
use crate::options::RunOptions;
use crate::partition::Partition;
use crate::recorder::OfStack;
use narrows_backend::{Cancellation, Progress, RunError};
use narrows_cc::Failure;
use narrows_model::Model;
use narrows_qdisc::QueueDiscipline;
use narrows_records::Records;
use narrows_transport::{StackPacket, StackRequest, StackState};
use narrows_units::{Bytes, Time};
use narrows_wire::{Direction, FlowId};
use std::sync::Arc;

/// A run whose connections a stack carries.
#[derive(Debug)]
pub struct Emulation<'m> {
    model: &'m Model,
    partition: Partition<'m>,
    discarded: Vec<u64>,
}

impl<'m> Emulation<'m> {
    /// Creates the replication `replication` of `model` at the start of the run.
    ///
    /// `queue` gives the queue of a link, by its number, in place of the model's; `None` leaves that.
    pub fn new(
        model: &'m Model,
        replication: u32,
        mut queue: impl FnMut(usize) -> Option<Box<dyn QueueDiscipline>>,
    ) -> Self {
        let cancellation = Progress::new().cancellation();
        let queue = |link: usize| queue(link).unwrap_or_else(|| model.links[link].queue.build());
        let carries = vec![true; model.workloads.len()];
        Self::carrying(model, replication, RunOptions::default(), cancellation, carries, queue)
    }

    /// Creates a run as [`new`](Self::new), with a stack that carries only the connections of the workloads that `carries` marks: the
    /// endpoints of the simulator carry the others. Packets may be in lanes. A run that is cancelled by `cancellation` stands still.
    pub fn beside(
        model: &'m Model,
        replication: u32,
        carries: Vec<bool>,
        cancellation: Cancellation,
    ) -> Self {
        let queue = |link: usize| model.links[link].queue.build();
        let mut found =
            Self::carrying(model, replication, RunOptions::default(), cancellation, carries, queue);
        if let Some(stack) = &mut found.partition.net.flows.stack {
            stack.has_lanes = true;
        }
        found
    }

    /// Creates the replication `replication` of `model`, in which a stack carries the connections of the workloads that `carries`
    /// marks; `queue` gives the queue of each link.
    pub(crate) fn carrying(
        model: &'m Model,
        replication: u32,
        options: RunOptions,
        cancellation: Cancellation,
        carries: Vec<bool>,
        queue: impl FnMut(usize) -> Box<dyn QueueDiscipline>,
    ) -> Self {
        let layout = Arc::new(Layout::new(model, 1));
        let options = RunOptions { lookahead: false, ..options };
        let mut partition = Partition::new(model, &layout, 0, replication, options, cancellation, queue);
        partition.workloads.connections.of_stack.clone_from(&carries);
        partition.net.flows.stack = Some(OfStack::new(carries));
        Self { model, partition, discarded: Vec::new() }
    }

    /// Returns why the run ends before its time, at `now`; `None` if it goes on.
    pub fn failure(&self, now: Time) -> Option<RunError> {
        drive::ended_early(self.model, &self.partition, now)
    }

    /// Returns a time at or before the next event of the network or of the workloads.
    pub fn due(&self) -> Time {
        if self.partition.net.requests.is_empty() && self.discarded.is_empty() {
            self.partition.net.queue.not_before().min(self.end())
        } else {
            Time::ZERO
        }
    }

    /// Returns the end of the run.
    pub fn end(&self) -> Time {
        Time::ZERO + self.model.duration
    }

    /// Handles all events up to and including `now`, which must not decrease.
    pub fn advance(&mut self, now: Time) {
        self.partition.run_until(now.min(self.end()));
        if let Some(stack) = &mut self.partition.net.flows.stack {
            self.discarded.append(&mut stack.discarded);
        }
    }

    /// Returns the payload of the transfer on the connection `flow`; `None` if it is endless.
    pub(crate) fn size(&self, flow: FlowId) -> Option<Bytes> {
        self.partition.workloads.connections.sending[flow.index()].as_ref()?.plan.size
    }

    /// Returns the next request to the stack; `None` if there is none.
    pub fn request(&mut self) -> Option<StackRequest> {
        self.partition.net.requests.pop_front()
    }

    /// Returns the handle of a packet that the network has dropped or lost, and that the stack may forget; `None` if
    /// there is none.
    pub fn discarded(&mut self) -> Option<u64> {
        self.discarded.pop()
    }

    /// The stack sends `packet` of `flow` in `direction` at `now`, to which the emulation has advanced. Returns false if the
    /// connection is gone, and with it the packet.
    pub fn send(&mut self, flow: FlowId, direction: Direction, packet: &StackPacket, now: Time) -> bool {
        self.partition.net.flows.number(packet.handle, packet.number);
        let mut sent = false;
        self.partition.at_workloads(|workloads, context| {
            sent = workloads.connections.send_from_stack((flow, direction), packet, now, context);
        });
        sent
    }

    /// The stack reports the `state` of `flow` at its sender, and the payload in bytes that its receiver has delivered in
    /// order, at `now`, to which the emulation has advanced.
    pub fn update(&mut self, flow: FlowId, state: StackState, delivered: u64, now: Time) {
        self.partition.at_workloads(|workloads, context| {
            workloads.update_from_stack(flow, state, delivered, now, context);
        });
    }

    /// The other side of `flow` has received `bytes` of its stream `stream` in order so far, if both sides write.
    pub(crate) fn deliver_part(&mut self, flow: FlowId, stream: u64, bytes: Bytes, now: Time) {
        self.partition.at_workloads(|workloads, context| {
            workloads.deliver_part(flow.index() as u32, stream, bytes, now, context);
        });
    }

    /// The stream `stream` of `flow` was reset: what had been sent of it, and what had not.
    pub(crate) fn reset_part(&mut self, flow: FlowId, stream: u64, reset: (Bytes, Bytes), now: Time) {
        self.partition.at_workloads(|workloads, context| {
            workloads.reset_part(flow.index() as u32, stream, reset, now, context);
        });
    }

    /// The algorithm of `flow`, which a stack executes, has failed.
    pub(crate) fn fail(&mut self, flow: FlowId, failure: Failure) {
        self.partition.workloads.connections.fail_in_stack(flow, failure);
    }

    /// The inner variables of the algorithm of `flow`, which a stack executes, have these values, each with its name.
    pub(crate) fn observe(&mut self, flow: FlowId, observed: Vec<(String, f64)>) {
        self.partition.workloads.connections.observe_in_stack(flow, observed);
    }

    /// The receiver of `flow` has received `bytes` of payload so far.
    pub fn deliver(&mut self, flow: FlowId, bytes: u64) {
        self.partition.at_workloads(|workloads, _| workloads.connections.deliver_from_stack(flow, bytes));
    }

    /// Returns the records at the end of the run; `cpu_s` is its processor time in seconds.
    ///
    /// # Errors
    ///
    /// [`RunError::NotConserved`] if packets are not conserved.
    pub fn finish(mut self, cpu_s: f64) -> Result<Records, RunError> {
        let end = self.end();
        self.partition.run_until(end);
        self.partition.finish(end);
        let mut partitions = [self.partition];
        match gather::imbalance(self.model, &partitions) {
            Some(detail) => Err(RunError::NotConserved(detail)),
            None => Ok(gather::gather(self.model, &mut partitions, end, cpu_s)),
        }
    }
}
