// SPDX-License-Identifier: Apache-2.0
//! Records: the results of a run, in the same form for every backend.
//!
//! A backend fills [`Records`]. Everything that is shown of a run follows from them and from nothing else: the tables
//! of the run folder ([`Tables`], as the [`schema`] says), the [`metrics`], the [`checks`], the end of the
//! [warm-up](warmup) if it is to be detected, and the [digest](Records::digest).

mod application;
mod checks;
mod client;
mod connection;
mod counts;
mod description;
mod digest;
mod events;
mod group;
mod histogram;
mod internals;
mod link;
pub mod metrics;
mod packets;
mod program;
mod punctuality;
pub mod schema;
mod table;
mod tables;
mod transfer;
mod tuple;
pub mod warmup;

pub use application::{ApplicationCounts, FrameCounts, ProbeTimes, VideoCounts};
pub use checks::{Check, Level, checks};
pub use client::{
    ClientEvent, ClientEventLog, ClientEventRow, ClientRecord, ClientSample, Perceived, PerceivedKind,
    SlowestObject,
};
pub use connection::{ConnectionRecord, FlowSample, SpanSum};
pub use counts::{GroupCounts, SenderCounts};
pub use description::{GroupDescription, LinkDescription, RunDescription};
pub use digest::SCHEMA;
pub use events::{EventLog, EventRow, FlowEvent, Windows};
pub use group::{ClassCounts, ConnectionSums, GroupRecord, GroupSample, Shares, Total};
pub use histogram::Histogram;
pub use internals::{InternalOwner, InternalRow, Internals};
pub use link::{LinkCounts, LinkRecord, LinkSample};
pub use packets::{EcnCodepoint, PacketEvent, PacketKind, PacketLog, PacketPlace, PacketRow};
pub use program::ProgramRecord;
pub use punctuality::Punctuality;
pub use table::{Column, NO_LABEL, Table};
pub use tables::Tables;
pub use transfer::{TransferRecord, UnfinishedRecord};
pub use tuple::{Ends, TupleRecord};

use narrows_units::Time;
use std::ops::AddAssign;

/// The records of one replication.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Records {
    /// Description of the run.
    #[serde(skip)]
    pub run: RunDescription,
    /// Individually recorded connections, in the order of groups.
    pub connections: Vec<ConnectionRecord>,
    /// All groups, in the order of the description.
    pub groups: Vec<GroupRecord>,
    /// All recorded links, in the order of the description.
    pub links: Vec<LinkRecord>,
    /// Finite connections that ended, in order of their ends; as many as the scenario keeps.
    pub transfers: Vec<TransferRecord>,
    /// Finite connections that had not ended, in the order of slots; as many as the scenario keeps.
    #[serde(default)]
    pub unfinished: Vec<UnfinishedRecord>,
    /// The packet log; empty if packets are not logged.
    pub packets: PacketLog,
    /// The log of events of flows; empty if events are not logged.
    pub events: EventLog,
    /// Clients of applications that are recorded over time, in the order of groups.
    #[serde(default)]
    pub clients: Vec<ClientRecord>,
    /// The log of their events; empty if events are not logged.
    #[serde(default)]
    pub client_events: ClientEventLog,
    /// Inner variables of algorithms and queues; empty if they are not recorded.
    pub internals: Internals,
    /// The programs that carried flows, in the order of flows, clients first.
    pub programs: Vec<ProgramRecord>,
    /// The connections of these programs in real time, in order of their first packets.
    #[serde(default)]
    pub tuples: Vec<TupleRecord>,
    /// How punctual the run was; `None` of simulated time.
    #[serde(default)]
    pub punctuality: Option<Punctuality>,
    /// Ends of the intervals of the series.
    pub interval_ends: Vec<Time>,
    /// Cost of the run.
    pub performance: Performance,
}

/// Cost of a replication.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Performance {
    /// Number of events handled.
    pub events: u64,
    /// Packet-hops: number of links crossed, summed over packets.
    pub packet_hops: u64,
    /// Processor time of the simulation loop, seconds.
    pub cpu_s: f64,
}

impl AddAssign for Performance {
    fn add_assign(&mut self, other: Self) {
        self.events += other.events;
        self.packet_hops += other.packet_hops;
        self.cpu_s += other.cpu_s;
    }
}
