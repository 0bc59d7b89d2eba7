// SPDX-License-Identifier: Apache-2.0
//! How punctual a run in real time was.

use narrows_units::Span;

/// The lateness of packets at the far ends of the network: the time at which each left, less the time at which it was due.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Punctuality {
    /// Packets that have left the network.
    pub packets: u64,
    /// Median of their lateness, seconds.
    pub median_s: f64,
    /// 99th percentile of their lateness, seconds.
    pub p99_s: f64,
    /// Greatest lateness, seconds.
    pub worst_s: f64,
    /// Greatest 99th percentile with which the run counts as punctual.
    pub limit: Span,
    /// Packets that network devices of the hosts have dropped, before the network or behind it.
    pub dropped_by_devices: u64,
}
