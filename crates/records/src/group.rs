// SPDX-License-Identifier: Apache-2.0
//! Counts of all connections of a group together.

use crate::digest::{Digested, Hash, digested};
use crate::{ApplicationCounts, GroupCounts, Histogram};
use narrows_units::Span;

/// Counts of a group of flows.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct GroupRecord {
    /// Counts at the end of the warm-up.
    pub at_warmup: GroupCounts,
    /// Counts at the end of the run.
    pub at_end: GroupCounts,
    /// Number of data packets sent after the warm-up that a queue dropped or a link lost.
    pub lost: u64,
    /// Number of data packets sent after the warm-up that were marked.
    pub marked: u64,
    /// Sums over the group's connections after the warm-up.
    pub connections: ConnectionSums,
    /// Counts of the connections that ended after the warm-up, by class of files and, within it, class of paths.
    pub classes: Vec<ClassCounts>,
    /// Histogram of round-trip samples after the warm-up.
    pub rtts: Histogram,
    /// Histogram of one-way delays of data packets after the warm-up, from sender to receiver.
    pub delays: Histogram,
    /// Counts of the clients of its application; `None` if there are none.
    pub application: Option<Box<ApplicationCounts>>,
    /// Samples by interval of the series.
    pub series: Vec<GroupSample>,
}

digested!(GroupRecord {
    at_warmup,
    at_end,
    lost,
    marked,
    connections,
    classes,
    rtts,
    delays,
    application,
    series
});

/// Values of a group at the end of an interval.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct GroupSample {
    /// Counts since the start of the run.
    pub counts: GroupCounts,
    /// Number of connections that are being established.
    pub connecting: u64,
    /// Number of established connections that have not ended.
    pub active: u64,
}

digested!(GroupSample { counts, connecting, active });

/// Counts of the connections of one class of files and of paths that ended after the warm-up.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ClassCounts {
    /// Number of completed connections.
    pub completed: u64,
    /// Number of failed and abandoned connections.
    pub failed: u64,
    /// Payload of the completed connections, bytes; of datagrams, the part that had arrived.
    pub bytes: u64,
    /// Sum over completed connections of payload over completion time, bits per second.
    pub goodput_bps: u128,
    /// Histogram of completion times.
    pub times: Histogram,
}

digested!(ClassCounts { completed, failed, bytes, goodput_bps, times });

/// Sums over connections, in integers so that they do not depend on the order of addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ConnectionSums {
    /// Payload received after the warm-up, each byte once, of connections that had not received all data by then.
    pub received: Shares,
    /// Bits of data that connections sent after the warm-up while established.
    pub access_bits: u128,
    /// Bits that the slower access link of the two hosts of each connection could have carried in this time.
    pub access_offered_bits: u128,
    /// Sum of the times that data packets waited after the warm-up in the queues of access links, nanoseconds.
    pub access_wait_ns: u128,
    /// Mean round-trip samples of connections, picoseconds.
    pub rtt_ps: Total,
    /// Mean congestion windows of connections while established, packets.
    pub window: Total<1_000_000>,
    /// Maximum congestion windows of connections while established, packets.
    pub window_peak: Total<1_000_000>,
    /// Mean congestion windows of connections just before a reduction, packets.
    pub before_reduction: Total<1_000_000>,
    /// Mean times between reductions of connections, picoseconds.
    pub reduction_interval_ps: Total,
    /// Completion times of connections divided by those on an idle path.
    pub slowdown: Total<1_000_000_000>,
}

digested!(ConnectionSums {
    received, access_bits, access_offered_bits, rtt_ps, window, window_peak, before_reduction,
    reduction_interval_ps,
} not { slowdown, access_wait_ns });

/// A sum over those connections that have a value, in whole parts of which `PARTS` are one unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Total<const PARTS: u64 = 1> {
    sum: u128,
    count: u64,
}

impl<const PARTS: u64> Digested for Total<PARTS> {
    fn feed(&self, hash: &mut Hash) {
        self.sum.feed(hash);
        self.count.feed(hash);
    }
}

/// The moments of a set of values that measures of equality need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shares {
    /// Number of values.
    pub count: u64,
    /// Sum of the values.
    pub sum: u128,
    /// Sum of the squared values.
    pub squares: u128,
    /// Minimum; `u64::MAX` if there are no values.
    pub least: u64,
    /// Maximum; 0 if there are no values.
    pub most: u64,
    /// Sum of the natural logarithms of the positive values, in units of 2⁻⁴⁰.
    pub logarithms: i128,
}

digested!(Shares { count, sum, squares, least, most, logarithms });

impl GroupRecord {
    /// Counts after the warm-up.
    pub fn measured(&self) -> GroupCounts {
        self.at_end - self.at_warmup
    }
}

impl<const PARTS: u64> Total<PARTS> {
    /// Adds `value`, in units; ignores one that is not a number.
    pub fn add(&mut self, value: f64) {
        if !value.is_nan() {
            self.sum += (value * PARTS as f64).round() as u128;
            self.count += 1;
        }
    }

    /// Adds the sum `other` to this one.
    pub fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
    }

    /// Returns the mean, in units; not a number if there are no values.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64 * (1.0 / PARTS as f64)
    }
}

impl Default for Shares {
    fn default() -> Self {
        Self { count: 0, sum: 0, squares: 0, least: u64::MAX, most: 0, logarithms: 0 }
    }
}

impl Shares {
    /// Adds `value`.
    pub fn add(&mut self, value: u64) {
        let wide = u128::from(value);
        self.count += 1;
        self.sum += wide;
        self.squares += wide * wide;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        if value > 0 {
            self.logarithms += (libm::log(value as f64) * LOGARITHM).round() as i128;
        }
    }

    /// Adds all values of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.logarithms += other.logarithms;
    }

    /// Returns the mean of the natural logarithms; valid if all values are positive.
    pub fn mean_logarithm(&self) -> f64 {
        self.logarithms as f64 / LOGARITHM / self.count as f64
    }
}

/// Logarithms are counted in this part of one.
const LOGARITHM: f64 = (1_u64 << 40) as f64;

impl ConnectionSums {
    /// Adds the sums `other` to these.
    pub fn merge(&mut self, other: &Self) {
        self.received.merge(&other.received);
        self.access_bits += other.access_bits;
        self.access_offered_bits += other.access_offered_bits;
        self.access_wait_ns += other.access_wait_ns;
        self.rtt_ps.merge(&other.rtt_ps);
        self.window.merge(&other.window);
        self.window_peak.merge(&other.window_peak);
        self.before_reduction.merge(&other.before_reduction);
        self.reduction_interval_ps.merge(&other.reduction_interval_ps);
        self.slowdown.merge(&other.slowdown);
    }
}

impl ClassCounts {
    /// Counts a connection of `size` bytes that ended `time` after its start; `completed` says whether it completed.
    pub fn add(&mut self, size: u64, time: Span, completed: bool) {
        if completed {
            self.completed += 1;
            self.bytes += size;
            self.goodput_bps +=
                (u128::from(size) * 8_000_000_000_000).checked_div(u128::from(time.as_ps())).unwrap_or(0);
            self.times.add(time);
        } else {
            self.failed += 1;
        }
    }

    /// Adds the counts `other` to these.
    pub fn merge(&mut self, other: &Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.bytes += other.bytes;
        self.goodput_bps += other.goodput_bps;
        self.times.merge(&other.times);
    }
}
