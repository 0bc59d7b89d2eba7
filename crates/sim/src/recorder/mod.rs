//! Recorders: counts and samples taken during a run, by entity.

mod connections;
mod episodes;
mod link;
mod packets;
mod sender;
mod series;

pub(crate) use connections::{FlowTallies, QueueTap};
pub(crate) use link::LinkRecorder;
pub(crate) use packets::{LogEntry, PacketTrace, Place};
pub(crate) use sender::SenderRecorder;
pub(crate) use series::SeriesRecorder;
