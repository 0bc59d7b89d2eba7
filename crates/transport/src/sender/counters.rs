//! What a sender has done so far.

/// Counts since the connection was opened; none ever falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Data packets sent, retransmissions included.
    pub packets_sent: u64,
    /// Of these, segments sent before.
    pub retransmissions: u64,
    /// Bytes of data packets on the wire, headers included.
    pub bytes_sent: u64,
    /// SYNs sent.
    pub syns_sent: u64,
    /// Acknowledgements received.
    pub acks_received: u64,
    /// Segments cumulatively acknowledged.
    pub segments_acked: u64,
    /// Their payload.
    pub bytes_acked: u64,
    /// Packets declared lost.
    pub packets_lost: u64,
    /// Loss events: losses found within a round trip of the first are one.
    pub loss_events: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Tail loss probes sent.
    pub probes: u64,
    /// Episodes declared: window reductions for whatever cause.
    pub reductions: u64,
    /// Of these, how many proved false and were taken back.
    pub undone: u64,
    /// Packets that the receiver reported as marked.
    pub marks_seen: u64,
}
