//! Clients of applications: they request objects over connections whose servers are at the other end of the path.
//!
//! Each connection has a slot in two workloads, that of the servers' data and that of the
//! clients', as connections over which both sides write. What a server must know when a request has arrived is sent
//! ahead in a [`Message`], which takes effect with the last byte of the request; so is what a client must know of the
//! size of an object. A slot is occupied until both sides have left it: a client announces that it closes the connection
//! after the propagation delay of the path, and a server that it has left it likewise.
//!
//! Deviations: those of connections over which both sides write; servers answer at once.

mod client;
mod server;

use super::{WorkloadContext, Workloads};
use crate::host::Ending;
use crate::net::Net;
use crate::plan::Plan;
use client::{ClientState, Connection};
use narrows_engine::Stream;
use narrows_model::application::{ApplicationModel, Observation, Probe};
use narrows_model::{Demand, Workload};
use narrows_records::ApplicationCounts;
use narrows_units::{Span, Time};
use server::Server;
use std::sync::Arc;

/// One side of the connections of the clients of a workload.
#[derive(Debug)]
pub(super) enum Sides {
    /// No application.
    None,
    /// The servers' sides, by slot.
    Servers(Vec<Server>),
    /// The clients.
    Clients(Vec<ClientState>),
}

/// The application and the side of a workload of clients.
pub(super) fn side(workload: &Workload) -> Option<(&Arc<ApplicationModel>, usize)> {
    match &workload.demand {
        Demand::Clients { application, side, .. } => Some((application, *side)),
        _ => None,
    }
}

/// The clients of `workload`, or their servers; the former start at `start`, a function of their number, and draw from
/// `draws`.
pub(super) fn sides(workload: &Workload, draws: &Stream, start: impl Fn(u32) -> Time) -> Sides {
    let Some((application, side)) = side(workload) else { return Sides::None };
    if side == 0 {
        return Sides::Servers(vec![Server::default(); workload.slots as usize]);
    }
    let connections = application.connections();
    let client = |number: u32| {
        let client = application.client(draws.branch(number.into()));
        ClientState::new(client, start(number), connections)
    };
    Sides::Clients((0..workload.slots / connections).map(client).collect())
}

impl Sides {
    /// Time at which the next client does something; `NEVER` without one.
    pub fn wake(&self) -> Time {
        match self {
            Self::Clients(clients) => clients.iter().map(|each| each.wake).min().unwrap_or(Time::NEVER),
            Self::None | Self::Servers(_) => Time::NEVER,
        }
    }

    fn server(&mut self, index: u32) -> &mut Server {
        let Self::Servers(servers) = self else { unreachable!("a workload of servers") };
        &mut servers[index as usize]
    }

    fn clients(&mut self) -> &mut [ClientState] {
        let Self::Clients(clients) = self else { unreachable!("a workload of clients") };
        clients
    }
}

/// The place of a connection among those of its workload.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The workload.
    number: u32,
    /// Its slot, counted from the first of the workload.
    index: u32,
    /// The client.
    client: usize,
    /// The connection among those of the client.
    connection: u32,
}

impl Workloads<'_> {
    fn place(&self, slot: u32) -> Place {
        let number = self.workload(slot);
        let index = slot - self.firsts[number as usize];
        let per = self.connections_of_client(number);
        Place { number, index, client: (index / per) as usize, connection: index % per }
    }

    /// The slot of a connection of a client of workload `number`.
    fn slot_of(&self, number: u32, client: usize, connection: u32) -> u32 {
        self.firsts[number as usize] + client as u32 * self.connections_of_client(number) + connection
    }

    fn connections_of_client(&self, number: u32) -> u32 {
        side(&self.model.workloads[number as usize]).map_or(1, |(application, _)| application.connections())
    }

    /// The slot of the other side of the connection in `slot`.
    fn other(&self, slot: u32) -> u32 {
        let number = self.workload(slot) as usize;
        let partner = self.model.workloads[number].partner.expect("clients have servers") as usize;
        self.firsts[partner] + slot - self.firsts[number]
    }

    fn sides(&mut self, number: u32) -> &mut Sides {
        &mut self.processes[number as usize].as_mut().expect("a side acts in its own partition").sides
    }

    fn connection(&mut self, place: Place) -> &mut Connection {
        &mut self.sides(place.number).clients()[place.client].connections[place.connection as usize]
    }

    /// The time of an announcement from one end to the other of the path of workload `number` that is made at `now`.
    fn announced(&self, number: u32, now: Time) -> Time {
        now + self.model.delay(self.model.workloads[number as usize].paths[0].forward)
    }

    /// The sending host of `slot` has left it at `now`; `ending` says how its connection ended.
    pub(super) fn on_left(&mut self, slot: u32, ending: Ending, plan: &Plan, now: Time, net: &mut Net) {
        let place = self.place(slot);
        match self.sides(place.number) {
            Sides::Servers(_) => self.on_server_left(place, slot, plan, now, net),
            Sides::None | Sides::Clients(_) => self.on_client_left(place, slot, ending, plan, now, net),
        }
    }

    /// The newest receiving host of `slot` has delivered `delivered` bytes by `now`: requests to a server, or objects to a
    /// client.
    pub(super) fn on_application_data(
        &mut self,
        slot: u32,
        delivered: u64,
        now: Time,
        context: &mut WorkloadContext<'_>,
    ) {
        let other = self.other(slot);
        let place = self.place(other);
        match self.sides(place.number) {
            Sides::Clients(_) => self.on_objects(place, delivered),
            Sides::None | Sides::Servers(_) => self.on_requests(place, other, delivered, now, context),
        }
    }

    fn observe(&mut self, group: usize, observation: Observation) {
        if !self.measuring {
            return;
        }
        let counts: &mut ApplicationCounts = self.groups[group].application.get_or_insert_default();
        let video = &mut counts.video;
        let ps = |span: Span| u128::from(span.as_ps());
        match observation {
            Observation::Segment { rate, duration, switched } => {
                video.add_segment(rate.as_bps(), duration, switched);
            }
            Observation::Startup(span) => video.startups.add(span),
            Observation::Played(span) => video.played_ps += ps(span),
            Observation::Stall => video.stalls += 1,
            Observation::Stalled(span) => video.stalled_ps += ps(span),
            Observation::Page(span) => counts.pages.add(span),
            Observation::Probe(probe, span) => match probe {
                Probe::Tcp => counts.probes.tcp.add(span),
                Probe::Tls => counts.probes.tls.add(span),
                Probe::Http => counts.probes.http.add(span),
                Probe::Loaded => counts.probes.loaded.add(span),
            },
            Observation::Captured(rate) => counts.frames.add_captured(rate.as_bps()),
            Observation::Skipped => counts.frames.skipped += 1,
            Observation::Frame { delay, late } => counts.frames.add_received(delay, late),
        }
    }
}
