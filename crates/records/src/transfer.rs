// SPDX-License-Identifier: Apache-2.0
//! Finite connections that ended, and those that had not at the end of the run: rows of the tables `transfers` and
//! `unfinished`.

use crate::digest::digested;
use narrows_units::Time;

/// A finite connection that ended.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct TransferRecord {
    /// Index of the group of the transfer.
    pub group: usize,
    /// Connection slot, counted from the first slot of the group.
    pub slot: u32,
    /// Index of its class of files.
    pub file_class: u32,
    /// Index of its class of paths.
    pub path_class: u32,
    /// Payload, bytes; of datagrams that are complete, the part that had arrived.
    pub size: u64,
    /// Time at which the transfer started.
    pub started: Time,
    /// Time at which it was established; `None` if it never was.
    pub established: Option<Time>,
    /// Time at which the transfer ended.
    pub ended: Time,
    /// Whether every byte was acknowledged, or the last datagram that was not lost arrived.
    pub completed: bool,
    /// Data packets sent.
    pub packets_sent: u64,
    /// Data packets retransmitted.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

digested!(TransferRecord {
    group,
    slot,
    file_class,
    path_class,
    size,
    started,
    established,
    ended,
    completed,
    packets_sent,
    retransmissions,
    timeouts
});

/// A finite connection that had started and not ended at the end of the run.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct UnfinishedRecord {
    /// Index of its group.
    pub group: usize,
    /// Its connection slot, counted from the first slot of the group.
    pub slot: u32,
    /// Index of its class of files.
    pub file_class: u32,
    /// Index of its class of paths.
    pub path_class: u32,
    /// Payload, bytes.
    pub size: u64,
    /// Payload that had been acknowledged, bytes.
    pub acked: u64,
    /// Time of its start.
    pub started: Time,
}
