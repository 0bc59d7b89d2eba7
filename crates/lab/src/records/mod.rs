//! Records: what a run leaves behind, as columns of numbers.
//!
//! While a run goes on, each entity counts for itself ([`link`], [`flow`], [`series`]); afterwards the counts are put
//! together in entity order, so that no sum depends on how the network was cut into partitions.

mod flow;
mod histogram;
mod link;
mod series;
mod table;

pub use flow::{ReceiverRecorder, SenderRecorder, Sum};
pub use histogram::Histogram;
pub use link::{FlowTallies, LinkCounts, LinkRecorder, QueueTap};
pub use series::{LinkSample, ReceiverSample, SenderSample, SeriesRecorder};
pub use table::{Column, Table};

use crate::metrics::{Check, Measures};
use crate::trace::hexadecimal;
use sha2::{Digest, Sha256};

/// All that one replication leaves behind.
#[derive(Clone, Debug)]
pub struct Records {
    /// A row for each flow.
    pub flows: Table,
    /// A row for each link that is not an access link.
    pub links: Table,
    /// A row for each flow, and each link that is not an access link, and interval.
    pub series: Table,
    /// A row for each bucket of the histograms of each group and link.
    pub distributions: Table,
    /// Measures of each group, in the order of the scenario.
    pub groups: Vec<Measures>,
    /// Measures of each link that is not an access link.
    pub link_measures: Vec<Measures>,
    /// The sanity section.
    pub checks: Vec<Check>,
    /// What it cost.
    pub performance: Performance,
}

/// What a replication cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Performance {
    /// Events handled.
    pub events: u64,
    /// Links crossed by packets, scheduled or computed.
    pub packet_hops: u64,
    /// Processor time of the simulation loop alone, seconds.
    pub cpu_s: f64,
}

impl Records {
    /// SHA-256 over the tables, hexadecimal: equal for equal runs on every machine, with any number of threads.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for table in [&self.flows, &self.links, &self.series, &self.distributions] {
            table.digest(&mut hash);
        }
        hexadecimal(&hash.finalize())
    }
}
