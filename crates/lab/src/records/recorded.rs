//! Everything that was counted in a run, put together from all its partitions in the order of flows and links.

use super::{
    ClassTally, Histogram, LinkRecorder, LinkSample, PacketRow, PopulationSample, ReceiverRecorder,
    ReceiverSample, SenderRecorder, SenderSample, TransferRow,
};
use narrows_transport::{ConnectionState, ReceiverCounters, SenderCounters};
use narrows_units::{Bytes, Span, Time};
use std::ops::AddAssign;

/// What a run leaves behind.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// By flow.
    pub flows: Vec<RecordedFlow>,
    /// Links that are not access links, in the order of the model.
    pub links: Vec<RecordedLink>,
    /// By population of the model.
    pub populations: Vec<RecordedPopulation>,
    /// By group and pair of classes of files and ways, those that ended after the warm-up.
    pub classes: Vec<Vec<ClassTally>>,
    /// Transfers of populations that ended, in the order in which they did; as many as the model keeps.
    pub transfers: Vec<TransferRow>,
    /// What happened to packets, by time and place; empty unless the model asks for it.
    pub packets: Vec<PacketRow>,
    /// When the packet log was full, if it ever was.
    pub packets_until: Option<Time>,
    /// Round-trip times by group, after the warm-up.
    pub rtts: Vec<Histogram>,
    /// One-way delays of data by group, after the warm-up.
    pub delays: Vec<Histogram>,
    /// Ends of the intervals of the series.
    pub times: Vec<Time>,
    /// What it cost.
    pub performance: Performance,
}

/// What was counted at both ends of a flow.
#[derive(Clone, Debug)]
pub struct RecordedFlow {
    /// Index into the model's groups.
    pub group: usize,
    /// Payload to transfer; `None` is endless.
    pub size: Option<Bytes>,
    /// Two-way propagation delay.
    pub rtt: Span,
    /// How far the connection had come at the end.
    pub state: ConnectionState,
    /// Its congestion control has a slow-start threshold: it cuts a window at losses.
    pub has_ssthresh: bool,
    /// At the sender.
    pub sender: SenderRecorder,
    /// The sender's counters at the end.
    pub sender_end: SenderCounters,
    /// At the receiver.
    pub receiver: ReceiverRecorder,
    /// The receiver's counters at the end.
    pub receiver_end: ReceiverCounters,
    /// Data packets dropped or lost after the warm-up.
    pub lost: u64,
    /// Data packets marked after the warm-up.
    pub marked: u64,
    /// By interval; empty where flows' series are not recorded.
    pub sender_series: Vec<SenderSample>,
    /// By interval; empty where flows' series are not recorded.
    pub receiver_series: Vec<ReceiverSample>,
}

/// What was counted of transfers that come and go.
#[derive(Clone, Debug)]
pub struct RecordedPopulation {
    /// Index into the model's groups.
    pub group: usize,
    /// When the warm-up ended.
    pub at_measure: PopulationSample,
    /// At the end of each interval.
    pub series: Vec<PopulationSample>,
    /// At the end.
    pub end: PopulationSample,
    /// Data packets dropped or lost after the warm-up.
    pub lost: u64,
    /// Data packets marked after the warm-up.
    pub marked: u64,
}

/// What was counted at a link.
#[derive(Clone, Debug)]
pub struct RecordedLink {
    /// Index into the model's links.
    pub link: usize,
    /// What was counted there.
    pub recorder: LinkRecorder,
    /// Bits sent after the warm-up.
    pub sent_bits: f64,
    /// Bits that could have been.
    pub offered_bits: f64,
    /// By interval.
    pub series: Vec<LinkSample>,
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

impl AddAssign for Performance {
    fn add_assign(&mut self, other: Self) {
        self.events += other.events;
        self.packet_hops += other.packet_hops;
        self.cpu_s += other.cpu_s;
    }
}
