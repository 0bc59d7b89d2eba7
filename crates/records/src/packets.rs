// SPDX-License-Identifier: Apache-2.0
//! The packet log: time, place and kind of every event of every packet, if the scenario enables it. The table `packets`.

use narrows_units::Time;

/// The packet log of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct PacketLog {
    /// Entries in order of time, then place.
    pub rows: Vec<PacketRow>,
    /// Time at which the log was full, if it ever was; the log has all entries before it.
    pub full_at: Option<Time>,
}

/// An entry of the packet log.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct PacketRow {
    /// Time of the event.
    pub at: Time,
    /// Place of the event.
    pub place: PacketPlace,
    /// Kind of the event.
    pub event: PacketEvent,
    /// Index of the packet's group.
    pub group: u32,
    /// Number of the packet's flow within its group.
    pub flow: u32,
    /// Number of earlier connections in the flow's slot.
    pub generation: u32,
    /// Kind of the packet.
    pub kind: PacketKind,
    /// Number of the segment, datagram or acknowledgement.
    pub number: u64,
    /// Size on the wire, bytes.
    pub size: u16,
    /// Payload, bytes.
    pub payload: u16,
    /// ECN codepoint of the packet.
    pub ecn: EcnCodepoint,
    /// Whether the packet echoes a mark to the sender.
    pub ecn_echo: bool,
    /// Whether the data was sent before.
    pub retransmission: bool,
    /// Up to three SACK blocks: first segment, and first segment after the block.
    pub sack: [Option<(u64, u64)>; 3],
}

/// Place of an event in the packet log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PacketPlace {
    /// Sender of the flow.
    Sender,
    /// At its flow's receiver.
    Receiver,
    /// At a recorded link: an index into the description's links.
    Link(u32),
}

/// Kind of an event in the packet log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PacketEvent {
    /// The packet left its endpoint.
    Sent,
    /// The packet reached its endpoint.
    Received,
    /// The packet reached the queue of a link, and may be dropped at once.
    Enqueued,
    /// The queue dropped the packet.
    Dropped,
    /// The queue marked the packet.
    Marked,
    /// The last bit of the packet left the near end of the link.
    Departed,
    /// The packet was lost at random after the queue.
    Lost,
}

/// Kind of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PacketKind {
    /// A request for a connection.
    Syn,
    /// The SYN-ACK, which answers a SYN.
    SynAck,
    /// The handshake's last packet.
    Established,
    /// A segment of a reliable flow.
    Data,
    /// An acknowledgement.
    Ack,
    /// A packet of a datagram flow.
    Datagram,
    /// The echo of a datagram.
    Echo,
    /// A TFRC receiver's report.
    Report,
    /// A probe of a receiver's closed window.
    WindowProbe,
}

/// The ECN field (RFC 3168 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum EcnCodepoint {
    /// Not ECN-capable.
    NotCapable,
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
    /// Congestion experienced.
    Ce,
}
