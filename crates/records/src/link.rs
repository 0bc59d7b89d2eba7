// SPDX-License-Identifier: Apache-2.0
//! Counts of a link.

use crate::Histogram;
use crate::digest::digested;
use narrows_units::{Bytes, Span};

/// Counts of a link since the start of the run. All are monotonic, so counts of an interval are differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LinkCounts {
    /// Packets that arrived at the queue.
    pub arrived: u64,
    /// Packets whose transmission has ended.
    pub sent: u64,
    /// Bytes of these packets.
    pub sent_bytes: Bytes,
    /// Packets dropped because the queue was full.
    pub overflowed: u64,
    /// Packets dropped early by the queue discipline.
    pub dropped_early: u64,
    /// Packets lost in failures of the link.
    pub failed: u64,
    /// Packets marked by the queue.
    pub marked: u64,
    /// Packets lost at random behind the queue.
    pub lost: u64,
    /// Packets whose transmission has started.
    pub started: u64,
    /// Sum of the queueing delays of these packets, picoseconds.
    pub waited_ps: u128,
    /// Time integral of the number of waiting packets, packets × picoseconds.
    pub queue_packet_ps: u128,
    /// Time integral of the waiting bytes, bytes × picoseconds.
    pub queue_byte_ps: u128,
}

digested!(LinkCounts {
    arrived,
    sent,
    sent_bytes,
    overflowed,
    dropped_early,
    failed,
    marked,
    lost,
    started,
    waited_ps,
    queue_packet_ps,
    queue_byte_ps
});

/// Counts of a link that is not an access link.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct LinkRecord {
    /// Counts at the end of the warm-up.
    pub at_warmup: LinkCounts,
    /// Counts at the end of the run.
    pub at_end: LinkCounts,
    /// Bits sent after the warm-up.
    pub sent_bits: f64,
    /// Bits that could have been sent after the warm-up.
    pub offered_bits: f64,
    /// Histogram of queueing delays after the warm-up.
    pub waits: Histogram,
    /// Maximum number of waiting packets after the warm-up.
    pub peak_packets: u64,
    /// Waiting bytes of each group, integrated over picoseconds, of packets whose transmission started after the
    /// warm-up.
    pub waited_by_group: Vec<u128>,
    /// Number of loss episodes after the warm-up.
    pub loss_episodes: u64,
    /// Number of flows with losses in an episode, summed over episodes.
    pub losing_flows: u64,
    /// Place in the recording of its rate at which the run started; `None` without a recording.
    pub recording_start: Option<Span>,
    /// Samples by interval of the series.
    pub series: Vec<LinkSample>,
}

digested!(LinkRecord {
    at_warmup,
    at_end,
    sent_bits,
    offered_bits,
    waits,
    peak_packets,
    waited_by_group,
    loss_episodes,
    losing_flows,
    recording_start,
    series
});

/// Values of a link in one interval; not a number if there is no value.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct LinkSample {
    /// Rate of sent bits, bits per second.
    pub rate_bps: f64,
    /// Rate at which bits could have been sent, bits per second.
    pub capacity_bps: f64,
    /// Time average of the number of waiting packets.
    pub queue_packets: f64,
    /// Mean queueing delay of the packets whose transmission started, seconds.
    pub queue_delay_s: f64,
    /// Packets that arrived at the queue.
    pub arrived_packets: f64,
    /// Packets dropped by the queue or lost behind it.
    pub dropped_packets: f64,
    /// Packets marked by the queue.
    pub marked_packets: f64,
}

digested!(LinkSample {
    rate_bps,
    capacity_bps,
    queue_packets,
    queue_delay_s,
    arrived_packets,
    dropped_packets,
    marked_packets
});

impl LinkCounts {
    /// Returns the number of packets dropped at the queue for any reason.
    pub fn dropped(&self) -> u64 {
        self.overflowed + self.dropped_early + self.failed
    }

    /// Returns the mean queueing delay of packets whose transmission started since `earlier`; `None` if there are none.
    pub fn mean_wait_since(&self, earlier: &Self) -> Option<Span> {
        let packets = u128::from(self.started - earlier.started);
        (packets > 0).then(|| Span::from_ps(((self.waited_ps - earlier.waited_ps) / packets) as u64))
    }
}
