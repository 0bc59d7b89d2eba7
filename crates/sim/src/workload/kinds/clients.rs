// SPDX-License-Identifier: Apache-2.0
//! Clients of applications: they request objects over connections whose servers are at the other end of the path.
//!
//! Each connection has a slot in two workloads, one for the servers' data and one for the clients', like connections
//! over which both sides write. The information that a server needs when a request has arrived is sent ahead in a
//! [`Notice`](crate::notice::Notice), which takes effect with the last byte of the request; so is the size of an
//! object for the client. A slot is occupied until both sides have left it: a client announces that it closes the
//! connection after the propagation delay of the path, and a server that it has left it likewise.
//!
//! A connection that a stack carries has a stream for each request and its object; the frames that a request asks for are parts of one
//! object. A client that closes such a connection discards the rest, and its server knows of it after the propagation delay of the
//! path, even if the packet that says so is lost.
//!
//! Deviations: as for connections over which both sides write; servers answer at once.

mod client;
mod server;

pub(super) use client::Clients;
pub(super) use server::Servers;

use crate::connections::Connections;
use crate::plan::Plan;
use crate::workload::planner::{Given, Planner};
use narrows_engine::Stream;
use narrows_model::application::{ApplicationModel, Observation, Probe};
use narrows_records::ApplicationCounts;
use narrows_units::{Span, Time};
use narrows_wire::FlowId;

/// One side of the connections of the clients of a workload.
#[derive(Debug)]
struct Side<'m> {
    planner: Planner<'m>,
    application: &'m ApplicationModel,
    /// Random stream of the clients, with a branch for each.
    draws: Stream,
    /// Whether a stack carries the connections, with a stream for each request.
    in_streams: bool,
}

impl<'m> Side<'m> {
    fn new(planner: Planner<'m>, application: &'m ApplicationModel) -> Self {
        let in_streams = planner.model.groups[planner.workload.group].algorithm.stack().is_some();
        Self { draws: planner.stream("clients"), planner, application, in_streams }
    }

    /// The stream of the request `number` of a connection, and of its object.
    fn stream(&self, number: u64) -> u64 {
        if self.in_streams { number } else { 0 }
    }

    /// The place of `slot` among the slots of the workload.
    fn index(&self, slot: u32) -> usize {
        (slot - self.planner.first) as usize
    }

    /// The client of the connection in `slot`.
    fn client(&self, slot: u32) -> usize {
        self.index(slot) / self.application.connections() as usize
    }

    /// The number of the connection in `slot` among the connections of its client.
    fn connection(&self, slot: u32) -> u32 {
        (slot - self.planner.first) % self.application.connections()
    }

    /// The slot of a connection of a client.
    fn slot(&self, client: usize, connection: u32) -> u32 {
        self.planner.first + client as u32 * self.application.connections() + connection
    }

    /// Whether the data of the server in `slot` is one endless object.
    fn is_endless(&self, slot: u32) -> bool {
        self.application.is_endless(self.connection(slot))
    }

    /// The plan of a connection of the client `number`: all of them have the same hosts.
    fn plan(&self, flow: FlowId, number: u64, now: Time, mirrored: bool) -> Plan {
        let plan = self.planner.plan(flow, number, now, Given { mirrored, ..Given::default() });
        Plan { size: None, seed: self.draws.branch(flow.bits().into()).bits(), ..plan }
    }

    /// The time of an announcement to the other end of the path that is made at `now`.
    fn announced(&self, now: Time) -> Time {
        let Planner { model, workload, .. } = self.planner;
        now + model.delay(workload.paths[0].forward)
    }

    /// Records `observation` of `client` at `now`, and counts it after the warm-up.
    fn observe(&self, client: usize, observation: Observation, now: Time, connections: &mut Connections<'_>) {
        connections.clients.observe(self.planner.number, client, now, observation);
        if !connections.measuring {
            return;
        }
        let group = &mut connections.groups[self.planner.workload.group];
        count(group.application.get_or_insert_default(), observation);
    }
}

fn count(counts: &mut ApplicationCounts, observation: Observation) {
    let video = &mut counts.video;
    let ps = |span: Span| u128::from(span.as_ps());
    match observation {
        Observation::Segment { rate, duration, switched } => {
            video.add_segment(rate.as_bps(), duration, switched);
        }
        Observation::Startup(span) => video.startups.add(span),
        Observation::Played(span) => video.played_ps += ps(span),
        Observation::Stall => video.stalls += 1,
        Observation::Resumed(_) => {}
        Observation::Stalled(span) => video.stalled_ps += ps(span),
        Observation::Page(span, _) => counts.pages.add(span),
        Observation::Probe(probe, span) => match probe {
            Probe::Tcp => counts.probes.tcp.add(span),
            Probe::Tls => counts.probes.tls.add(span),
            Probe::Http => counts.probes.http.add(span),
            Probe::Loaded => counts.probes.loaded.add(span),
        },
        Observation::Captured { rate, .. } => counts.frames.add_captured(rate.as_bps()),
        Observation::Skipped { .. } => counts.frames.skipped += 1,
        Observation::Frame { delay, late } => counts.frames.add_received(delay, late),
        Observation::Missing(_) => counts.frames.add_missing(),
        Observation::Overdue(delay) => counts.frames.add_overdue(delay),
        Observation::Stream => counts.frames.streams += 1,
        Observation::Reset(sent) => counts.frames.reset_bytes += sent.count(),
    }
}
