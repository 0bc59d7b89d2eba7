//! What a receiver has seen so far.

/// Counts since the flow began; none ever falls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounters {
    /// Data packets received, duplicates included.
    pub packets_received: u64,
    /// Of these, segments that had been received before.
    pub duplicates: u64,
    /// Payload bytes delivered in order.
    pub bytes_delivered: u64,
    /// Data packets that arrived with a congestion mark.
    pub ce_packets: u64,
    /// Acknowledgements sent.
    pub acks_sent: u64,
}
