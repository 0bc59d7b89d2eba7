// SPDX-License-Identifier: Apache-2.0
//! What programs sent over a connection in real time, by 5-tuple.

use narrows_units::Time;

/// The packets of a 5-tuple, over the whole run.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TupleRecord {
    /// Index of the group.
    pub group: u32,
    /// Number of the flow within its group.
    pub flow: u32,
    /// What distinguishes it; `None` for the packets of all that came after as many as are kept.
    pub ends: Option<Ends>,
    /// Packets sent into the network.
    pub packets: u64,
    /// Their size on the wire, bytes.
    pub bytes: u64,
    /// Packets that queues dropped or links lost.
    pub dropped: u64,
    /// Packets that left the network with a mark that they did not have before.
    pub marked: u64,
    /// Times at which the first and the last packet were sent.
    pub sent: (Time, Time),
    /// Mean time in the network of those that left it, seconds; not a number without one.
    pub delay_mean_s: f64,
    /// 95th percentile of that time, seconds.
    pub delay_p95_s: f64,
}

/// Protocol, source and destination of a packet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Ends {
    /// Name or number of the protocol.
    pub protocol: String,
    /// Address and port.
    pub source: String,
    /// Address and port.
    pub destination: String,
}
