// SPDX-License-Identifier: Apache-2.0
//! The metrics of a link.

use super::Known;
use super::group::mean_over_samples;
use crate::{GroupSample, LinkDescription, LinkRecord, Records};
use narrows_card::Better::{Higher, Lower, Neither};
use narrows_card::MetricUnit::{BitsPerSecond, Bytes, Count, Packets, Seconds, Share};
use narrows_card::{Better, Metric, MetricUnit, Owner};
use narrows_units::Span;

/// A metric of links: its card, and how it is computed.
pub(super) struct LinkMetric {
    /// The card of the metric.
    pub card: Metric,
    value: fn(&LinkView) -> f64,
    /// The greatest value that it can have in the run; infinite if nothing but its unit limits it.
    most: fn(&LinkView) -> f64,
    /// The number of packets of which the metric is a share; not a number for other metrics.
    trials: fn(&LinkView) -> f64,
}

impl LinkMetric {
    /// The metric, of which no value in a run exceeds `most`.
    const fn at_most(self, most: fn(&LinkView) -> f64) -> Self {
        Self { card: self.card, value: self.value, most, trials: self.trials }
    }

    /// The metric, a share of `trials` packets.
    const fn of(self, trials: fn(&LinkView) -> f64) -> Self {
        Self { card: self.card, value: self.value, most: self.most, trials }
    }
}

/// Returns the values, limits and numbers of trials of all metrics of the link of index `link`, in the order of [`METRICS`];
/// values are not numbers if it was not recorded.
pub(super) fn values(records: &Records, link: usize) -> Known {
    let view = records.links.get(link).map(|record| LinkView { records, link, record });
    let of = |metric: &LinkMetric| (metric.card.name, view.as_ref().map_or(f64::NAN, metric.value));
    let most = |metric: &LinkMetric| view.as_ref().map_or(f64::INFINITY, metric.most);
    let trials = |metric: &LinkMetric| view.as_ref().map_or(f64::NAN, metric.trials);
    Known {
        values: METRICS.iter().map(of).collect(),
        most: METRICS.iter().map(most).collect(),
        trials: METRICS.iter().map(trials).collect(),
    }
}

/// Returns the bits sent over bits that could have been sent.
pub(crate) fn utilization(link: &LinkRecord) -> f64 {
    link.sent_bits / link.offered_bits
}

/// The inputs of the metrics of a link.
struct LinkView<'r> {
    records: &'r Records,
    link: usize,
    record: &'r LinkRecord,
}

impl LinkView<'_> {
    fn description(&self) -> &LinkDescription {
        &self.records.run.links[self.link]
    }

    fn per_second(&self, bits: f64) -> f64 {
        bits / self.records.run.measured_s()
    }

    /// Time average of a quantity that was integrated over picoseconds.
    fn mean_over_time(&self, integral: u128) -> f64 {
        integral as f64 / Span::from_secs_f64(self.records.run.measured_s()).as_ps() as f64
    }

    /// Flows whose data crosses the link: of an endless group those that have started, of any other the mean number of
    /// active ones.
    fn flows_across(&self) -> f64 {
        let across = self.records.run.links[self.link].crossed_by.iter();
        // From a positive zero: a sum of nothing would be a negative one.
        across.fold(0.0, |flows, (group, share)| flows + share * self.flows_of(*group))
    }

    fn flows_of(&self, group: usize) -> f64 {
        let records = self.records;
        if records.run.groups[group].finite {
            return mean_over_samples(records, group, |sample: &GroupSample| sample.active);
        }
        records.groups.get(group).map_or(f64::NAN, |record| record.at_end.started as f64)
    }
}

fn arrived(link: &LinkView) -> f64 {
    (link.record.at_end.arrived - link.record.at_warmup.arrived) as f64
}

fn dropped(link: &LinkView) -> f64 {
    (link.record.at_end.dropped() - link.record.at_warmup.dropped()) as f64
}

fn marked(link: &LinkView) -> f64 {
    (link.record.at_end.marked - link.record.at_warmup.marked) as f64
}

fn random_loss_rate(link: &LinkView) -> f64 {
    (link.record.at_end.lost - link.record.at_warmup.lost) as f64 / sent(link)
}

fn sent(link: &LinkView) -> f64 {
    (link.record.at_end.sent - link.record.at_warmup.sent) as f64
}

fn loss_synchronisation(link: &LinkView) -> f64 {
    let losing = link.record.losing_flows as f64 / link.record.loss_episodes as f64;
    losing / link.flows_across()
}

fn most_packets(link: &LinkView) -> f64 {
    link.description().most_packets.unwrap_or(f64::INFINITY)
}

fn longest_wait_s(link: &LinkView) -> f64 {
    link.description().longest_wait_s.unwrap_or(f64::INFINITY)
}

/// A percentile from a histogram is at most so much above the value.
const PERCENTILE: f64 = 1.008;

const fn metric(
    name: &'static str,
    unit: MetricUnit,
    better: Better,
    label: &'static str,
    source: &'static str,
    definition: &'static str,
    value: fn(&LinkView) -> f64,
) -> LinkMetric {
    let card = Metric { name, of: Owner::Link, unit, better, label, definition, source };
    LinkMetric { card, value, most: |_| f64::INFINITY, trials: |_| f64::NAN }
}

/// All metrics of links, in the order in which they are shown.
#[rustfmt::skip]
pub(super) const METRICS: &[LinkMetric] = &[
    metric("utilization", Share, Higher, "utilization", "RFC 5166 §2.1.1",
        "bits sent over bits that could have been sent",
        |link| utilization(link.record)),
    metric("rate_bps", BitsPerSecond, Higher, "rate", "RFC 5166 §2.1.1",
        "bits sent per second",
        |link| link.per_second(link.record.sent_bits)).at_most(|link| link.per_second(link.record.offered_bits)),
    metric("capacity_bps", BitsPerSecond, Neither, "capacity", "RFC 5136",
        "bits per second that could have been sent",
        |link| link.per_second(link.record.offered_bits)).at_most(|link| link.description().highest_bps),
    metric("loss_rate", Share, Lower, "loss rate", "RFC 5166 §2.1.3",
        "packets dropped by the queue over packets that reached it",
        |link| dropped(link) / arrived(link)).of(arrived),
    metric("random_loss_rate", Share, Lower, "loss rate behind the queue", "RFC 5166 §2.1.3",
        "packets lost behind the queue, at random or by an impairment such as a policer, over packets sent",
        random_loss_rate).of(sent),
    metric("mark_rate", Share, Neither, "mark rate", "RFC 3168",
        "packets marked by the queue, or by an impairment behind it, over packets that reached the queue",
        |link| marked(link) / arrived(link)).of(arrived),
    metric("queue_mean_packets", Packets, Lower, "queue, mean", "RFC 7928 §4",
        "time average of the packets that wait, without the one in transmission",
        |link| link.mean_over_time(link.record.at_end.queue_packet_ps - link.record.at_warmup.queue_packet_ps)).at_most(most_packets),
    metric("queue_mean_bytes", Bytes, Lower, "queue, mean in bytes", "RFC 7928 §4",
        "time average of the bytes that wait, without the packet in transmission",
        |link| link.mean_over_time(link.record.at_end.queue_byte_ps - link.record.at_warmup.queue_byte_ps))
        .at_most(|link| link.description().most_bytes.unwrap_or(f64::INFINITY)),
    metric("queue_peak_packets", Packets, Lower, "queue, peak", "RFC 7928 §4",
        "most packets that waited at once",
        |link| link.record.peak_packets as f64).at_most(most_packets),
    metric("queue_delay_mean_s", Seconds, Lower, "queueing delay, mean", "RFC 5166 §2.1.2",
        "mean time from a packet's arrival at the queue to the start of its transmission",
        |link| link.record.waits.mean_s()).at_most(longest_wait_s),
    metric("queue_delay_p50_s", Seconds, Lower, "queueing delay, median", "RFC 5166 §2.1.2",
        "median time from a packet's arrival at the queue to the start of its transmission, within 0.8 %",
        |link| link.record.waits.quantile_s(0.50)).at_most(|link| longest_wait_s(link) * PERCENTILE),
    metric("queue_delay_p95_s", Seconds, Lower, "queueing delay, 95th percentile", "RFC 5166 §2.1.2",
        "95th percentile of the time from a packet's arrival at the queue to the start of its transmission, within 0.8 %",
        |link| link.record.waits.quantile_s(0.95)).at_most(|link| longest_wait_s(link) * PERCENTILE),
    metric("queue_delay_p99_s", Seconds, Lower, "queueing delay, 99th percentile", "RFC 5166 §2.1.2",
        "99th percentile of the time from a packet's arrival at the queue to the start of its transmission, within 0.8 %",
        |link| link.record.waits.quantile_s(0.99)).at_most(|link| longest_wait_s(link) * PERCENTILE),
    metric("loss_episodes", Count, Lower, "loss episodes", "Hassayoun and Ros, LCN 2009",
        "times at which the queue drops data, those within a round trip of the first counted as one: the longest propagation round trip of the groups whose bottleneck it is, of all where it is none's",
        |link| link.record.loss_episodes as f64),
    metric("loss_synchronisation", Share, Lower, "loss synchronisation", "Hassayoun and Ros, LCN 2009",
        "flows that lose data in a loss episode, on average, over flows whose data crosses the link: of endless flows those that have started, of finite ones the mean number that are active",
        loss_synchronisation),
    metric("dropped_packets", Packets, Lower, "dropped", "RFC 5166 §2.1.3",
        "packets dropped by the queue",
        dropped),
    metric("marked_packets", Packets, Neither, "marked", "RFC 3168",
        "packets marked by the queue",
        marked),
];
