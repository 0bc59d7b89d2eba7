// SPDX-License-Identifier: Apache-2.0
//! How a run is carried out.

/// Options of a run that affect its speed, and whether it ends, but no bit of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOptions {
    /// Maximum number of partitions into which the network is cut; each has a thread.
    pub partitions: usize,
    /// Whether the clocks of links and hosts may differ from the clock of the run by their lookahead; otherwise all
    /// events are handled in order of time.
    pub lookahead: bool,
    /// Packets that one partition may hold; with more the run ends as overfull.
    pub most_packets: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { partitions: 1, lookahead: true, most_packets: MOST_PACKETS }
    }
}

/// Packets that one partition may hold, some gigabytes: far more than any link that exists has in flight.
const MOST_PACKETS: u64 = 1 << 25;
