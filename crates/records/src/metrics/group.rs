// SPDX-License-Identifier: Apache-2.0
//! The metrics of a group of flows. Each has one definition, whatever makes the group's flows start and end.

use super::fairness::{jain, min_max, product, range};
use crate::{
    ClassCounts, ConnectionSums, GroupCounts, GroupDescription, GroupRecord, GroupSample, LinkRecord, Records,
};
use narrows_card::Better::{Higher, Lower, Neither};
use narrows_card::MetricUnit::{BitsPerSecond, Count, Packets, Power, Pure, Seconds, Share};
use narrows_card::{Better, Metric, MetricUnit, Owner};

/// A metric of groups: its card, and how it is computed.
pub(super) struct GroupMetric {
    /// The card of the metric.
    pub card: Metric,
    /// The value of the metric; not a number without data.
    pub value: fn(&GroupView) -> f64,
    /// The greatest value that it can have in the run; infinite if nothing but its unit limits it.
    pub most: fn(&GroupView) -> f64,
    /// The number of trials of which the metric is a share; not a number for other metrics.
    pub trials: fn(&GroupView) -> f64,
}

impl GroupMetric {
    /// Returns the metric, of which no value in a run exceeds `most`.
    pub(super) const fn at_most(self, most: fn(&GroupView) -> f64) -> Self {
        Self { card: self.card, value: self.value, most, trials: self.trials }
    }

    /// Returns the metric, a share of `trials` trials.
    pub(super) const fn of(self, trials: fn(&GroupView) -> f64) -> Self {
        Self { card: self.card, value: self.value, most: self.most, trials }
    }
}

/// Returns the mean of a value of `group` over the ends of the intervals after the warm-up; not a number if there is
/// none.
pub(super) fn mean_over_samples(records: &Records, group: usize, value: impl Fn(&GroupSample) -> u64) -> f64 {
    let Some(record) = records.groups.get(group) else { return f64::NAN };
    let from = records.run.measured_from();
    let samples = records.interval_ends.iter().zip(&record.series).filter(|(end, _)| **end > from);
    let (sum, count) = samples.fold((0, 0_u32), |(sum, count), (_, sample)| (sum + value(sample), count + 1));
    sum as f64 / f64::from(count)
}

/// The inputs of the metrics of a group.
pub(super) struct GroupView<'r> {
    records: &'r Records,
    group: usize,
    description: &'r GroupDescription,
    /// The record of the group.
    pub record: &'r GroupRecord,
    /// Counts after the warm-up.
    counts: GroupCounts,
    /// Flows of all classes that ended after the warm-up.
    ended: ClassCounts,
}

impl<'r> GroupView<'r> {
    /// Creates the inputs of the group of index `group`, which has `record`.
    pub fn new(records: &'r Records, group: usize, record: &'r GroupRecord) -> Self {
        let mut ended = ClassCounts::default();
        record.classes.iter().for_each(|class| ended.merge(class));
        let description = &records.run.groups[group];
        Self { records, group, description, record, counts: record.measured(), ended }
    }

    fn bits_per_second(&self, bytes: u64) -> f64 {
        (bytes * 8) as f64 / self.records.run.measured_s()
    }

    fn per_packet_sent(&self, count: u64) -> f64 {
        count as f64 / self.counts.packets_sent as f64
    }

    fn bottleneck(&self) -> Option<&LinkRecord> {
        self.records.links.get(self.description.bottleneck?)
    }

    fn sums(&self) -> &ConnectionSums {
        &self.record.connections
    }

    /// A count of what senders do; not a number if their state is not observed.
    fn of_senders(&self, count: u64) -> f64 {
        if self.description.hidden_senders { f64::NAN } else { count as f64 }
    }

    /// A count that says nothing of endless flows.
    fn of_finite(&self, count: u64) -> f64 {
        if self.description.finite { count as f64 } else { f64::NAN }
    }

    fn mean_over_samples(&self, value: fn(&GroupSample) -> u64) -> f64 {
        mean_over_samples(self.records, self.group, value)
    }
}

/// A wait at an access link is counted at its start, and may end after the run.
fn unlimited(_: &GroupView) -> f64 {
    f64::INFINITY
}

fn packets_sent(group: &GroupView) -> f64 {
    group.counts.packets_sent as f64
}

fn goodput_bps(group: &GroupView) -> f64 {
    group.bits_per_second(group.counts.bytes_received)
}

/// Bits that the group's bottleneck could have passed after the warm-up; not a number without one that all of its data
/// crosses.
fn passed_bits(group: &GroupView) -> f64 {
    let (Some(number), Some(link)) = (group.description.bottleneck, group.bottleneck()) else {
        return f64::NAN;
    };
    if group.description.leaves_bottleneck {
        return f64::NAN;
    }
    group.records.run.links[number].passed_bits(link.offered_bits, group.records.run.measured_s())
}

fn goodput_fraction(group: &GroupView) -> f64 {
    goodput_bps(group) / (passed_bits(group) / group.records.run.measured_s())
}

/// Of a packet whose transmission began in the warm-up all bits arrive after it.
fn most_fraction(group: &GroupView) -> f64 {
    let passed = passed_bits(group);
    unless_unknown(1.0 + group.description.packet_bits / passed)
}

fn most_goodput_bps(group: &GroupView) -> f64 {
    unless_unknown((passed_bits(group) + group.description.packet_bits) / group.records.run.measured_s())
}

/// A completed flow is no faster than its bottleneck ever is.
fn most_flow_goodput_bps(group: &GroupView) -> f64 {
    let bottleneck = group.description.bottleneck.filter(|_| !group.description.leaves_bottleneck);
    let link = bottleneck.and_then(|link| group.records.run.links.get(link));
    link.map_or(f64::INFINITY, |link| link.highest_bps)
}

/// Returns the highest bit rate of the group's application.
pub(super) fn most_bitrate_bps(group: &GroupView) -> f64 {
    group.description.highest_bitrate_bps.unwrap_or(f64::INFINITY)
}

fn unless_unknown(most: f64) -> f64 {
    if most.is_nan() { f64::INFINITY } else { most }
}

/// By Little's law the bytes of each packet times its wait add up to the bytes that wait times the time.
fn buffer_share(group: &GroupView) -> f64 {
    let Some(link) = group.bottleneck() else { return f64::NAN };
    let all: u128 = link.waited_by_group.iter().sum();
    link.waited_by_group.get(group.group).map_or(f64::NAN, |own| *own as f64 / all as f64)
}

/// Returns the share of its access links that a group used; not a number if it had no connection.
pub(crate) fn access_utilization(group: &GroupRecord) -> f64 {
    let sums = &group.connections;
    let (sent, offered) = (sums.access_bits, sums.access_offered_bits);
    if offered == 0 { f64::NAN } else { sent.min(offered) as f64 / offered as f64 }
}

/// Returns the mean time for which data packets of a group wait at its access links, seconds.
pub(crate) fn access_queue_delay_s(group: &GroupRecord) -> f64 {
    access_wait_s(group) / group.measured().packets_sent as f64
}

fn access_wait_s(group: &GroupRecord) -> f64 {
    group.connections.access_wait_ns as f64 * 1e-9
}

const PICO: f64 = 1e-12;

pub(super) const fn metric(
    name: &'static str,
    unit: MetricUnit,
    better: Better,
    label: &'static str,
    source: &'static str,
    definition: &'static str,
    value: fn(&GroupView) -> f64,
) -> GroupMetric {
    let card = Metric { name, of: Owner::Group, unit, better, label, definition, source };
    // A time that ends in the run is no longer than the run.
    let most: fn(&GroupView) -> f64 = match unit {
        Seconds => |group| group.records.run.duration.as_secs_f64(),
        _ => |_| f64::INFINITY,
    };
    GroupMetric { card, value, most, trials: |_| f64::NAN }
}

const CHIU: &str = "Jain, Chiu, Hawe, DEC-TR-301; Chiu and Jain, Computer Networks 17, 1989";
const MILLS_3: &str = "Mills et al., NIST SP 500-282, §3";

/// Metrics of groups that do not depend on what applications do.
#[rustfmt::skip]
pub(super) const METRICS: &[GroupMetric] = &[
    metric("goodput_bps", BitsPerSecond, Higher, "goodput", "RFC 5166 §2.1.1",
        "payload received by all flows of the group, each byte once, per second",
        goodput_bps).at_most(most_goodput_bps),
    metric("goodput_fraction", Share, Higher, "goodput, share of capacity", "Akella et al., CMU-CS-02-139, §3.1",
        "goodput over the mean rate that the bottleneck offered, or that its policer passed if that is less; none where data of the group takes a route without its bottleneck, too",
        goodput_fraction).at_most(most_fraction),
    metric("throughput_bps", BitsPerSecond, Neither, "throughput", "RFC 5166 §2.1.1",
        "bits of data packets sent by all flows of the group, headers and retransmissions included, per second",
        |group| group.bits_per_second(group.counts.bytes_sent)),
    metric("jain", Pure, Higher, "Jain's index", CHIU,
        "Jain's index of the payload received by each flow that was not complete when the warm-up ended: 1 is equal shares, 1/n is one flow taking all",
        |group| jain(&group.sums().received)),
    metric("range_fairness", Pure, Lower, "(max − min) / mean of goodputs", "Akella et al., CMU-CS-02-139, §3.1",
        "(max - min) / mean of the payload received by each flow that was not complete when the warm-up ended",
        |group| range(&group.sums().received)),
    metric("min_max", Pure, Higher, "smallest over largest goodput", "RFC 5166 §2.3.1",
        "smallest over largest payload received by a flow that was not complete when the warm-up ended: 1 - epsilon where shares are epsilon-fair",
        |group| min_max(&group.sums().received)),
    metric("product", Pure, Higher, "product of relative goodputs", "RFC 5166 §2.3.1",
        "product of the payload received by each flow that was not complete when the warm-up ended, over the mean: 1 is equal shares, 0 is a flow that has nothing",
        |group| product(&group.sums().received)),
    metric("power", Power, Higher, "power", "RFC 5166 §2.1; Kleinrock, ICC 1979",
        "goodput over the mean one-way delay of data packets",
        |group| goodput_bps(group) / group.record.delays.mean_s()),
    metric("loss_rate", Share, Lower, "loss rate", "RFC 5166 §2.1.3",
        "data packets dropped or lost over data packets sent, both of those sent after the warm-up",
        |group| group.per_packet_sent(group.record.lost)).of(packets_sent),
    metric("mark_rate", Share, Neither, "mark rate", "RFC 3168",
        "data packets marked over data packets sent, both of those sent after the warm-up",
        |group| group.per_packet_sent(group.record.marked)).of(packets_sent),
    metric("retransmission_rate", Share, Lower, "retransmission rate", "RFC 5166 §2.1.3",
        "data packets sent again over data packets sent",
        |group| group.per_packet_sent(group.counts.retransmissions)).of(packets_sent),
    metric("timeouts", Count, Lower, "timeouts", "RFC 6298",
        "retransmission timeouts of all flows of the group",
        |group| group.of_senders(group.counts.timeouts)),
    metric("loss_events", Count, Lower, "loss events", "RFC 5348 §5.2",
        "loss events of all flows of the group: losses that a sender finds within a round trip of an event's first belong to it",
        |group| group.of_senders(group.counts.loss_events)),
    metric("loss_event_rate", Share, Lower, "loss event rate", "RFC 5348 §5; RFC 5166 §2.1.3",
        "loss events over data packets sent",
        |group| group.of_senders(group.counts.loss_events) / packets_sent(group)).of(packets_sent),
    metric("buffer_share", Share, Neither, "share of the bottleneck's buffer", "Little, Operations Research 9(3), 1961",
        "the group's part of the bytes that wait at its bottleneck, on average over time, of packets that were sent",
        buffer_share),
    metric("access_utilization", Share, Neither, "access link used", "none",
        "data that connections sent while established over what the slower access link of their two hosts, the sender's to its router and the receiver's from its router, could have carried in this time; 1 where more waits",
        |group| access_utilization(group.record)),
    metric("access_queue_delay_mean_s", Seconds, Lower, "queueing delay at access links, mean", "RFC 7567 §1",
        "time for which data packets wait in the unlimited FIFOs of the sender's access link and of the receiver's, in all, over data packets sent",
        |group| access_queue_delay_s(group.record)).at_most(unlimited),
    metric("access_queue_mean_packets", Packets, Lower, "queue at access links, mean", "RFC 5166 §2.1.2; Little, Operations Research 9(3), 1961",
        "data packets of all flows of the group that wait in the FIFOs of their access links, on average over time, by Little's law",
        |group| access_wait_s(group.record) / group.records.run.measured_s()),
    metric("ack_compression", Share, Lower, "compressed ACKs", "Zhang, Shenker, Clark, SIGCOMM 1991; the threshold is ours",
        "share of the times between acknowledgements that reach a sender which are shorter than half of what the bottleneck's mean rate needs for a full data packet",
        |group| group.counts.close_acks as f64 / group.counts.ack_gaps as f64).of(|group| group.counts.ack_gaps as f64),
    metric("rtt_mean_s", Seconds, Lower, "RTT, mean", "RFC 6298",
        "mean of a flow's round-trip samples, averaged over flows",
        |group| group.sums().rtt_ps.mean() * PICO),
    metric("rtt_p50_s", Seconds, Lower, "RTT, median", "RFC 5166 §2.1.2",
        "median of all round-trip samples of the group, within 0.8 %",
        |group| group.record.rtts.quantile_s(0.50)),
    metric("rtt_p95_s", Seconds, Lower, "RTT, 95th percentile", "RFC 5166 §2.1.2",
        "95th percentile of all round-trip samples of the group, within 0.8 %",
        |group| group.record.rtts.quantile_s(0.95)),
    metric("rtt_p99_s", Seconds, Lower, "RTT, 99th percentile", "RFC 5166 §2.1.2",
        "99th percentile of all round-trip samples of the group, within 0.8 %",
        |group| group.record.rtts.quantile_s(0.99)),
    metric("delay_mean_s", Seconds, Lower, "one-way delay, mean", "RFC 7679",
        "mean one-way delay of data packets, sender to receiver",
        |group| group.record.delays.mean_s()),
    metric("delay_p50_s", Seconds, Lower, "one-way delay, median", "RFC 7679",
        "median one-way delay of data packets, within 0.8 %",
        |group| group.record.delays.quantile_s(0.50)),
    metric("delay_p95_s", Seconds, Lower, "one-way delay, 95th percentile", "RFC 7679; Yan et al., Pantheon, ATC 2018",
        "95th percentile of the one-way delay of data packets, within 0.8 %",
        |group| group.record.delays.quantile_s(0.95)),
    metric("delay_p99_s", Seconds, Lower, "one-way delay, 99th percentile", "RFC 7679",
        "99th percentile of the one-way delay of data packets, within 0.8 %",
        |group| group.record.delays.quantile_s(0.99)),
    metric("cwnd_mean_packets", Packets, Neither, "congestion window, mean", "RFC 5681",
        "time average of a flow's congestion window while its connection is established, averaged over flows",
        |group| group.sums().window.mean()),
    metric("cwnd_peak_packets", Packets, Neither, "congestion window, peak", "RFC 5681",
        "maximum of a flow's congestion window while its connection is established, averaged over flows",
        |group| group.sums().window_peak.mean()),
    metric("cwnd_before_reduction_packets", Packets, Neither, "congestion window before a reduction", "RFC 5681",
        "mean congestion window just before a reduction, averaged over flows that had one",
        |group| group.sums().before_reduction.mean()),
    metric("reduction_interval_s", Seconds, Neither, "time between reductions", "RFC 5681",
        "mean time between reductions of the congestion window, averaged over flows that had two",
        |group| group.sums().reduction_interval_ps.mean() * PICO),
    metric("reductions", Count, Neither, "reductions of the congestion window", "RFC 5681",
        "reductions of the congestion window of all flows of the group, each because of a loss, a mark, a timeout or a delay",
        |group| group.of_senders(group.counts.reductions)),
    metric("started_flows", Count, Neither, "flows started", MILLS_3,
        "flows that started",
        |group| group.counts.started as f64),
    metric("completed_flows", Count, Higher, "flows completed", "RFC 5166 §2.1.1",
        "finite flows whose last byte was acknowledged, or whose last datagram arrived, whenever they started",
        |group| group.of_finite(group.counts.completed)),
    metric("failed_flows", Count, Lower, "flows failed", MILLS_3,
        "flows whose connection could not be established, or broke, or of whose datagrams none arrived",
        |group| group.counts.failed as f64),
    metric("abandoned_flows", Count, Lower, "flows abandoned", MILLS_3,
        "finite flows that took longer than their user's patience",
        |group| group.of_finite(group.counts.abandoned)),
    metric("refused_flows", Count, Lower, "flows refused", "Erlang, 1917",
        "finite flows that found every connection slot of their group taken, and never started",
        |group| group.of_finite(group.counts.refused)),
    metric("connecting_flows", Count, Lower, "connecting flows, mean", MILLS_3,
        "flows whose connection is being established, mean over the ends of intervals",
        |group| group.mean_over_samples(|sample| sample.connecting)),
    metric("active_flows", Count, Neither, "active flows, mean", MILLS_3,
        "established flows that have not ended, mean over the ends of intervals",
        |group| group.mean_over_samples(|sample| sample.active)),
    metric("flow_goodput_bps", BitsPerSecond, Higher, "goodput of a completed flow, mean", "Mills et al., NIST SP 500-282, §10",
        "payload over the time from start to completion, mean over completed flows",
        |group| group.ended.goodput_bps as f64 / group.ended.completed as f64).at_most(most_flow_goodput_bps),
    metric("completion_time_s", Seconds, Lower, "completion time, mean", "RFC 5166 §2.1.1",
        "time from start to the acknowledgement of the last byte, or to the arrival of the last datagram, mean over completed flows",
        |group| group.ended.times.mean_s()),
    metric("completion_time_p50_s", Seconds, Lower, "completion time, median", "RFC 5166 §2.1.1",
        "median time from start to the acknowledgement of the last byte, or to the arrival of the last datagram, within 0.8 %",
        |group| group.ended.times.quantile_s(0.50)),
    metric("completion_time_p95_s", Seconds, Lower, "completion time, 95th percentile", "RFC 5166 §2.1.1",
        "95th percentile of the time from start to the acknowledgement of the last byte, or to the arrival of the last datagram, within 0.8 %",
        |group| group.ended.times.quantile_s(0.95)),
    metric("completion_time_p99_s", Seconds, Lower, "completion time, 99th percentile", "RFC 5166 §2.1.1",
        "99th percentile of the time from start to the acknowledgement of the last byte, or to the arrival of the last datagram, within 0.8 %",
        |group| group.ended.times.quantile_s(0.99)),
    metric("slowdown", Pure, Lower, "slowdown, mean", "Dukkipati and McKeown, CCR 36(1), 2006",
        "completion time over what an idle path would need (two round trips, for datagrams the way there alone, and the transmission at the bottleneck's mean rate), mean over completed flows",
        |group| group.sums().slowdown.mean()),
];
