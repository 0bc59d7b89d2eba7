//! What is counted at a link.

use super::{Happening, Histogram, LossEpisodes, PacketLog, Place};
use narrows_qdisc::{Backlog, DropReason, Tap};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Body, Packet};
use std::sync::Arc;

/// Counts since the start of the run; every one only grows, so that an interval is a difference of two copies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Packets that reached the queue.
    pub arrived: u64,
    /// Packets whose last bit has left.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: Bytes,
    /// Packets the queue dropped because it was full.
    pub overflowed: u64,
    /// Packets the queue dropped early.
    pub dropped_early: u64,
    /// Packets lost because the link had failed.
    pub failed: u64,
    /// Packets the queue marked.
    pub marked: u64,
    /// Packets lost at random behind the queue.
    pub lost: u64,
    /// Packets whose transmission began.
    pub started: u64,
    /// Their waiting times, summed, picoseconds.
    pub waited_ps: u128,
    /// Waiting packets times picoseconds, when they were last [brought up](LinkRecorder::bring_up).
    pub queue_packet_ps: u128,
    /// Waiting bytes times picoseconds, as `queue_packet_ps`.
    pub queue_byte_ps: u128,
}

/// The recorder of one link.
#[derive(Clone, Debug)]
pub struct LinkRecorder {
    /// Counts so far.
    pub counts: LinkCounts,
    /// Counts when the warm-up ended.
    pub at_measure: LinkCounts,
    /// Waiting times after the warm-up.
    pub waits: Histogram,
    /// Most packets that waited at once after the warm-up.
    pub peak_packets: u64,
    /// After the warm-up, by group: bytes times picoseconds that packets waited whose transmission began.
    pub shares: Vec<u128>,
    /// Who lost data together, after the warm-up.
    pub episodes: LossEpisodes,
    /// Where the packet log says what happens here; `None` where it does not.
    pub logged: Option<Place>,
    waiting_packets: u64,
    waiting_bytes: u64,
    areas: Areas,
    now: Time,
    measuring: bool,
}

/// What waited, integrated over time: each that waits counts from when it came, and each that does no more for as long
/// as it did. So one that comes or goes costs an addition, and what waits meanwhile nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Areas {
    /// Sum of the times, picoseconds, at which packets ceased to wait, less that of those at which they came.
    packets: i128,
    /// The same of their bytes.
    bytes: i128,
}

impl Areas {
    fn come(&mut self, size: u16, now: Time) {
        self.packets -= i128::from(now.as_ps());
        self.bytes -= i128::from(now.as_ps()) * i128::from(size);
    }

    fn go(&mut self, size: u16, now: Time) {
        self.packets += i128::from(now.as_ps());
        self.bytes += i128::from(now.as_ps()) * i128::from(size);
    }
}

impl LinkCounts {
    /// Packets dropped at the queue.
    pub fn dropped(&self) -> u64 {
        self.overflowed + self.dropped_early + self.failed
    }
}

impl LinkRecorder {
    /// A recorder that has seen nothing.
    pub fn new() -> Self {
        Self {
            counts: LinkCounts::default(),
            at_measure: LinkCounts::default(),
            waits: Histogram::new(),
            peak_packets: 0,
            shares: Vec::new(),
            episodes: LossEpisodes::default(),
            logged: None,
            waiting_packets: 0,
            waiting_bytes: 0,
            areas: Areas::default(),
            now: Time::ZERO,
            measuring: false,
        }
    }

    /// Moves the clock. To be called before anything that changes the queue.
    pub fn advance(&mut self, now: Time) {
        self.now = now;
    }

    /// Moves the clock and brings all counts up to it. To be called before they are read.
    pub fn bring_up(&mut self, now: Time) {
        self.now = now;
        let integral =
            |area: i128, waiting: u64| (area + i128::from(waiting) * i128::from(now.as_ps())).cast_unsigned();
        self.counts.queue_packet_ps = integral(self.areas.packets, self.waiting_packets);
        self.counts.queue_byte_ps = integral(self.areas.bytes, self.waiting_bytes);
    }

    /// The warm-up is over.
    pub fn measure(&mut self, now: Time) {
        self.bring_up(now);
        self.at_measure = self.counts;
        self.measuring = true;
        self.peak_packets = self.waiting_packets;
    }

    /// `packet` reached the queue.
    pub fn arrived(&mut self, packet: &Packet) {
        self.counts.arrived += 1;
        self.waiting_packets += 1;
        self.waiting_bytes += u64::from(packet.size);
        self.areas.come(packet.size, self.now);
    }

    /// Arrivals and drops of this moment are told; what is left waits.
    pub fn settled(&mut self) {
        self.peak_packets = self.peak_packets.max(self.waiting_packets);
    }

    /// The transmission of a packet of `size` bytes begins, which came at `arrival` and is of a flow of `group`.
    pub fn started(&mut self, arrival: Time, size: u16, group: usize) {
        self.left(size);
        let wait = self.now.since(arrival);
        self.counts.started += 1;
        self.counts.waited_ps += u128::from(wait.as_ps());
        if self.measuring {
            self.waits.add(wait);
            if let Some(share) = self.shares.get_mut(group) {
                *share += u128::from(wait.as_ps()) * u128::from(size);
            }
        }
    }

    /// The last bit of a packet of `size` bytes has left.
    pub fn sent(&mut self, size: u16) {
        self.counts.sent += 1;
        self.counts.sent_bytes += Bytes::new(u64::from(size));
    }

    /// A packet was lost at random behind the queue.
    pub fn lost(&mut self) {
        self.counts.lost += 1;
    }

    /// The link failed while it was sending a packet.
    pub fn cut_off(&mut self) {
        self.counts.failed += 1;
    }

    /// What waits now.
    pub fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting_packets, bytes: Bytes::new(self.waiting_bytes) }
    }

    /// The mean wait of packets whose transmission began between two counts.
    pub fn mean_wait(from: &LinkCounts, to: &LinkCounts) -> Option<Span> {
        let packets = u128::from(to.started - from.started);
        (packets > 0).then(|| Span::from_ps(((to.waited_ps - from.waited_ps) / packets) as u64))
    }

    fn left(&mut self, size: u16) {
        self.waiting_packets -= 1;
        self.waiting_bytes -= u64::from(size);
        self.areas.go(size, self.now);
    }
}

impl Default for LinkRecorder {
    fn default() -> Self {
        Self::new()
    }
}

/// What happened on all links of a partition to the data packets that each flow, and each population, has sent after
/// the warm-up.
#[derive(Clone, Debug)]
pub struct FlowTallies {
    /// Dropped by a queue or lost at random, by flow, then by population.
    pub lost: Vec<u32>,
    /// Marked, by flow, then by population.
    pub marked: Vec<u32>,
    /// When the warm-up was over; `NEVER` before.
    pub since: Time,
    /// Every packet one by one, where that is wanted.
    pub log: PacketLog,
    /// The group of each flow, then of each population.
    groups: Vec<u16>,
    /// The group of each block of seats, where all have the same: few enough to stay in the cache.
    blocks: Vec<Option<u16>>,
    flows: usize,
    populations: Arc<[u16]>,
}

impl FlowTallies {
    /// Nothing happened yet to any of `flows` flows, nor to the populations, whose groups follow in `groups`;
    /// `populations` has the population of each seat behind the flows'.
    pub fn new(groups: Vec<u16>, flows: usize, populations: Arc<[u16]>) -> Self {
        let count = groups.len();
        let mut tallies = Self {
            lost: vec![0; count],
            marked: vec![0; count],
            since: Time::NEVER,
            log: PacketLog::default(),
            groups,
            blocks: Vec::new(),
            flows,
            populations,
        };
        let seats: Vec<u16> =
            (0..flows + tallies.populations.len()).map(|seat| tallies.groups[tallies.index(seat)]).collect();
        let blocks = seats.chunks(1 << BLOCK_BITS);
        tallies.blocks =
            blocks.map(|block| block.iter().all(|group| *group == block[0]).then_some(block[0])).collect();
        tallies
    }

    /// The group that sent `packet`, or to which it goes.
    pub fn group(&self, packet: &Packet) -> usize {
        let seat = packet.flow.seat();
        let group = self.blocks[seat >> BLOCK_BITS].unwrap_or_else(|| self.groups[self.index(seat)]);
        usize::from(group)
    }

    fn index(&self, seat: usize) -> usize {
        if seat < self.flows { seat } else { self.flows + usize::from(self.populations[seat - self.flows]) }
    }

    fn counts(&self, packet: &Packet) -> bool {
        packet.sent_at >= self.since && is_data(packet)
    }

    /// `packet` is gone.
    pub fn lost(&mut self, packet: &Packet) {
        if self.counts(packet) {
            let index = self.index(packet.flow.seat());
            self.lost[index] += 1;
        }
    }

    fn marked(&mut self, packet: &Packet) {
        if self.counts(packet) {
            let index = self.index(packet.flow.seat());
            self.marked[index] += 1;
        }
    }
}

/// 256 seats are a block.
const BLOCK_BITS: u32 = 8;

fn is_data(packet: &Packet) -> bool {
    matches!(packet.body, Body::Data { .. } | Body::Datagram { .. })
}

/// Counts what a queue does, for its link and for the flows.
#[derive(Debug)]
pub struct QueueTap<'a> {
    /// The link's counts.
    pub link: &'a mut LinkRecorder,
    /// The flows' counts.
    pub flows: &'a mut FlowTallies,
}

impl QueueTap<'_> {
    fn log(&mut self, what: Happening, packet: &Packet) {
        if let Some(place) = self.link.logged {
            self.flows.log.add(self.link.now, place, what, packet);
        }
    }
}

impl Tap for QueueTap<'_> {
    fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        self.link.left(packet.size);
        match reason {
            DropReason::Overflow => self.link.counts.overflowed += 1,
            DropReason::Early => self.link.counts.dropped_early += 1,
            DropReason::Failure => self.link.counts.failed += 1,
        }
        self.flows.lost(packet);
        if self.link.measuring && reason != DropReason::Failure && is_data(packet) {
            self.link.episodes.lose(packet.flow, self.link.now);
        }
        self.log(Happening::Dropped, packet);
    }

    fn marked(&mut self, packet: &Packet) {
        self.link.counts.marked += 1;
        self.flows.marked(packet);
        self.log(Happening::Marked, packet);
    }
}
