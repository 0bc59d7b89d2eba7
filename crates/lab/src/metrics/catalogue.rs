//! What every measure means: its unit, its better direction, its definition and where that comes from.

use super::series::SERIES;

/// One measure.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its name in `summary.json`.
    pub name: &'static str,
    /// What it is measured of: `"group"`, `"link"`, `"flow"` (taken of a group, it is the mean over those of its flows
    /// that have one) or `"pair"` (a group against another).
    pub of: &'static str,
    /// Its unit; `""` for a pure number.
    pub unit: &'static str,
    /// Which way is better: `"higher"`, `"lower"`, or `""` where that depends on the question.
    pub better: &'static str,
    /// How it is computed, over the time after the warm-up.
    pub definition: &'static str,
    /// Where the definition comes from.
    pub source: &'static str,
    /// What can be chosen; what is chosen nowhere has its default.
    pub parameters: &'static [Parameter],
}

/// What can be chosen about a measure.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// As a person would write it; `""` where it must be given.
    pub default: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A time with its unit, or one of these words.
    Time(&'static [&'static str]),
    /// A percentage, or a number from 0.
    Share,
    /// A whole number from 0.
    Whole,
    /// Bits per second with its unit.
    Rate,
    /// The name of a group of flows, or this word.
    Group(&'static str),
    /// A name of the scenario's, or this word.
    Name(&'static str),
}

/// The measures that come from counters: groups first, in the order in which they are shown. Every run has them.
pub fn catalogue() -> &'static [Metric] {
    METRICS
}

/// Those, and the ones that are taken of the series of a run when somebody asks for them.
pub fn all() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().chain(SERIES)
}

const fn metric(
    name: &'static str,
    of: &'static str,
    unit: &'static str,
    better: &'static str,
    definition: &'static str,
    source: &'static str,
) -> Metric {
    Metric { name, of, unit, better, definition, source, parameters: &[] }
}

#[rustfmt::skip]
const METRICS: &[Metric] = &[
    metric("goodput_bps", "group", "bps", "higher", "payload delivered in order by all flows of the group, per second", "RFC 5166 §2.1.1"),
    metric("goodput_fraction", "group", "", "higher", "goodput over the mean rate that the bottleneck offered", "Akella et al., CMU-CS-02-139, §3.1"),
    metric("throughput_bps", "group", "bps", "", "bits sent by all flows of the group, headers and retransmissions included, per second", "RFC 5166 §2.1.1"),
    metric("jain", "group", "", "higher", "Jain's index of the flows' goodputs: 1 is equal shares, 1/n is one flow taking all", "Jain, Chiu, Hawe, DEC-TR-301; Chiu and Jain, Computer Networks 17, 1989"),
    metric("range_fairness", "group", "", "lower", "(max - min) / mean of the flows' goodputs", "Akella et al., CMU-CS-02-139, §3.1"),
    metric("min_max", "group", "", "higher", "smallest over largest of the flows' goodputs: 1 - epsilon where they are epsilon-fair", "RFC 5166 §2.3.1"),
    metric("product", "group", "", "higher", "product of the flows' goodputs, each over their mean: 1 is equal shares, 0 is a flow that has nothing", "RFC 5166 §2.3.1"),
    metric("power", "group", "bps/s", "higher", "goodput over the mean one-way delay of data packets", "RFC 5166 §2.1; Kleinrock, ICC 1979"),
    metric("loss_rate", "group", "", "lower", "data packets dropped or lost over data packets sent, both of those sent after the warm-up", "RFC 5166 §2.1.3"),
    metric("mark_rate", "group", "", "", "data packets marked over data packets sent, both of those sent after the warm-up", "RFC 3168"),
    metric("retransmission_rate", "group", "", "lower", "data packets sent again over data packets sent", "RFC 5166 §2.1.3"),
    metric("timeouts", "group", "", "lower", "retransmission timeouts of all flows of the group", "RFC 6298"),
    metric("loss_events", "group", "", "lower", "loss events of all flows of the group: losses that a sender finds within a round trip of an event's first belong to it", "RFC 5348 §5.2"),
    metric("loss_event_rate", "group", "", "lower", "loss events over data packets sent", "RFC 5348 §5; RFC 5166 §2.1.3"),
    metric("buffer_share", "group", "", "", "the group's part of the bytes that wait at its bottleneck, on average over time, of packets that were sent", "Little, Operations Research 9(3), 1961"),
    metric("ack_compression", "group", "", "lower", "share of the times between acknowledgements that reach a sender which are shorter than half of what the bottleneck's mean rate needs for a full data packet", "Zhang, Shenker, Clark, SIGCOMM 1991; the threshold is ours"),
    metric("rtt_mean_s", "group", "s", "lower", "mean of the senders' round-trip samples, averaged over flows", "RFC 6298"),
    metric("rtt_p50_s", "group", "s", "lower", "median of all round-trip samples of the group, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("rtt_p95_s", "group", "s", "lower", "95th percentile of all round-trip samples of the group, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("rtt_p99_s", "group", "s", "lower", "99th percentile of all round-trip samples of the group, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("delay_mean_s", "group", "s", "lower", "mean one-way delay of data packets, sender to receiver", "RFC 7679"),
    metric("delay_p50_s", "group", "s", "lower", "median one-way delay of data packets, within 0.4 %", "RFC 7679"),
    metric("delay_p95_s", "group", "s", "lower", "95th percentile of the one-way delay of data packets, within 0.4 %", "RFC 7679; Yan et al., Pantheon, ATC 2018"),
    metric("delay_p99_s", "group", "s", "lower", "99th percentile of the one-way delay of data packets, within 0.4 %", "RFC 7679"),
    metric("cwnd_mean_packets", "group", "packets", "", "time average of the congestion window, averaged over flows", "RFC 5681"),
    metric("cwnd_peak_packets", "group", "packets", "", "mean congestion window just before a reduction, averaged over flows", "RFC 5681"),
    metric("reduction_interval_s", "group", "s", "", "mean time between reductions of the congestion window, averaged over flows", "RFC 5681"),
    metric("reductions", "group", "", "", "reductions of the congestion window of all flows of the group", "RFC 5681"),
    metric("completed_flows", "group", "", "higher", "finite flows of the group that completed before the end of the run, whenever they started", "RFC 5166 §2.1.1"),
    metric("completion_time_s", "group", "s", "lower", "mean time from start to the acknowledgement of the last byte, over completed flows", "RFC 5166 §2.1.1"),
    metric("started_flows", "group", "", "", "transfers begun, of a group whose transfers come and go", "Mills et al., NIST SP 500-282, §3"),
    metric("failed_flows", "group", "", "lower", "of those, connections that could not be opened or that broke", "Mills et al., NIST SP 500-282, §3"),
    metric("abandoned_flows", "group", "", "lower", "of those, transfers that took longer than their user would wait", "Mills et al., NIST SP 500-282, §3"),
    metric("refused_flows", "group", "", "lower", "transfers that found every seat of their group taken, and never began", "Erlang, 1917"),
    metric("connecting_flows", "group", "", "lower", "transfers that are opening a connection, mean over the ends of intervals", "Mills et al., NIST SP 500-282, §3"),
    metric("active_flows", "group", "", "", "transfers with an open connection, mean over the ends of intervals", "Mills et al., NIST SP 500-282, §3"),
    metric("flow_goodput_bps", "group", "bps", "higher", "mean over completed transfers of payload over the time from start to completion", "Mills et al., NIST SP 500-282, §10"),
    metric("completion_time_p50_s", "group", "s", "lower", "median completion time of transfers that come and go, within 0.4 %", "RFC 5166 §2.1.1"),
    metric("completion_time_p95_s", "group", "s", "lower", "95th percentile of that time, within 0.4 %", "RFC 5166 §2.1.1"),
    metric("completion_time_p99_s", "group", "s", "lower", "99th percentile of that time, within 0.4 %", "RFC 5166 §2.1.1"),
    metric("slowdown", "group", "", "lower", "completion time over what an idle path would need: two round trips and the transmission at the bottleneck's mean rate", "Dukkipati and McKeown, CCR 36(1), 2006"),
    metric("utilization", "link", "", "higher", "bits sent over bits that could have been sent", "RFC 5166 §2.1.1"),
    metric("rate_bps", "link", "bps", "higher", "bits sent per second", "RFC 5166 §2.1.1"),
    metric("capacity_bps", "link", "bps", "", "bits per second that could have been sent", "RFC 5136"),
    metric("loss_rate", "link", "", "lower", "packets dropped by the queue over packets that reached it", "RFC 5166 §2.1.3"),
    metric("random_loss_rate", "link", "", "lower", "packets lost at random behind the queue over packets sent", "RFC 5166 §2.1.3"),
    metric("mark_rate", "link", "", "", "packets marked over packets that reached the queue", "RFC 3168"),
    metric("queue_mean_packets", "link", "packets", "lower", "time average of the packets that wait, without the one in transmission", "RFC 7928 §4"),
    metric("queue_mean_bytes", "link", "B", "lower", "time average of the bytes that wait, without the packet in transmission", "RFC 7928 §4"),
    metric("queue_peak_packets", "link", "packets", "lower", "most packets that waited at once", "RFC 7928 §4"),
    metric("queue_delay_mean_s", "link", "s", "lower", "mean time from a packet's arrival at the queue to the start of its transmission", "RFC 5166 §2.1.2"),
    metric("queue_delay_p50_s", "link", "s", "lower", "median of that time, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("queue_delay_p95_s", "link", "s", "lower", "95th percentile of that time, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("queue_delay_p99_s", "link", "s", "lower", "99th percentile of that time, within 0.4 %", "RFC 5166 §2.1.2"),
    metric("loss_episodes", "link", "", "lower", "times at which the queue drops data, those within a round trip of the first counted as one: the longest propagation round trip of the groups whose bottleneck it is, of all where it is none's", "Hassayoun and Ros, LCN 2009"),
    metric("loss_synchronisation", "link", "", "lower", "flows that lose data in a loss episode, on average, over flows whose data crosses the link: those that stay and have started, and the mean number of active transfers that come and go", "Hassayoun and Ros, LCN 2009"),
    metric("dropped_packets", "link", "packets", "lower", "packets dropped by the queue", "RFC 5166 §2.1.3"),
    metric("marked_packets", "link", "packets", "", "packets marked by the queue", "RFC 3168"),
];
