// SPDX-License-Identifier: Apache-2.0
//! Recorders: counts and samples taken during a run, by entity.

mod clients;
mod connections;
mod episodes;
mod events;
mod internals;
mod link;
mod log;
mod packets;
mod place;
mod sender;
mod series;

pub(crate) use clients::{ClientRecorder, PerceivedEntry, RecordedClients};
pub(crate) use connections::{FlowTallies, LINK_FAILURE, OfStack, QueueTap};
pub(crate) use events::{EventEntry, EventLogs, SenderEvents};
pub(crate) use internals::InternalsRecorder;
pub(crate) use link::LinkRecorder;
pub(crate) use log::Log;
pub(crate) use packets::{LogEntry, kind};
pub(crate) use place::Place;
pub(crate) use sender::SenderRecorder;
pub(crate) use series::{Received, SeriesRecorder};
