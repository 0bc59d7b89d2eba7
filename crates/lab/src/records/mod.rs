//! Records: what a run leaves behind, as columns of numbers.
//!
//! While a run goes on, each entity counts for itself ([`link`], [`flow`], [`series`]); afterwards the counts are put
//! together in entity order ([`Recorded`]), so that no sum depends on how the network was cut into partitions.

mod episodes;
mod flow;
mod histogram;
mod link;
mod packets;
mod population;
mod recorded;
mod series;
mod table;

pub use episodes::LossEpisodes;
pub use flow::{ReceiverRecorder, SenderRecorder, Sum};
pub use histogram::Histogram;
pub use link::{FlowTallies, LinkCounts, LinkRecorder, QueueTap};
pub use packets::{Happening, PacketLog, PacketRow, Place};
pub use population::{Census, ClassTally, PopulationSample, Tally, TransferRow};
pub use recorded::{Performance, Recorded, RecordedFlow, RecordedLink, RecordedPopulation};
pub use series::{LinkSample, ReceiverSample, SenderSample, SeriesRecorder};
pub use table::{Column, Table};
