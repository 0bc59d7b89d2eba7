// SPDX-License-Identifier: Apache-2.0
//! The counters of a receiver.

/// Counts since the flow started. None ever decreases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounters {
    /// Data packets received, duplicates included.
    pub packets_received: u64,
    /// Payload delivered in order, bytes; of datagrams, payload received.
    pub bytes_delivered: u64,
    /// Payload received, in order or not, each byte once.
    pub bytes_received: u64,
    /// Data packets received with a congestion mark (CE).
    pub ce_packets: u64,
    /// Acknowledgements, echoes or reports sent.
    pub acks_sent: u64,
}
