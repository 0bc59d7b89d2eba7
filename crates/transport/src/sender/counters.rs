// SPDX-License-Identifier: Apache-2.0
//! The counters of a sender.

/// Counts since the connection was opened. None ever decreases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Data packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Retransmissions among the packets sent.
    pub retransmissions: u64,
    /// Bytes of data packets on the wire, headers included.
    pub bytes_sent: u64,
    /// SYNs sent, retransmissions included.
    pub syns_sent: u64,
    /// Segments cumulatively acknowledged; of datagrams, those reported received.
    pub segments_acked: u64,
    /// Payload of the acknowledged segments, bytes.
    pub bytes_acked: u64,
    /// Packets declared lost.
    pub packets_lost: u64,
    /// Loss events: losses detected within one round trip of the first are one event.
    pub loss_events: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Reductions of the window, for any cause: the number of episodes.
    pub reductions: u64,
    /// Episodes that proved spurious and were undone.
    pub undone: u64,
    /// Marked packets that the receiver reported.
    pub marks_seen: u64,
}
