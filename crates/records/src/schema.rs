// SPDX-License-Identifier: Apache-2.0
//! Schemas of the tables of a run: the meaning of their rows, and name, type, unit and definition of every column.
//!
//! A [`Table`](crate::Table) takes its columns from here, in this order, and no others.

use crate::metrics::{self, Metric};
use std::sync::LazyLock;

/// Schema of a table of a run.
#[derive(Clone, Debug)]
pub struct TableSchema {
    /// Name of the table and of its file in a run folder.
    pub name: &'static str,
    /// Description of a row.
    pub row: &'static str,
    /// Condition under which the table has no columns; `""` if it always has them.
    pub absent: &'static str,
    /// The columns in order.
    pub columns: Vec<ColumnSchema>,
}

/// Schema of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSchema {
    /// Name of the column.
    pub name: &'static str,
    /// Type of the values.
    pub kind: ColumnKind,
    /// Unit of the values; `""` for a pure number, an index, a label or a flag.
    pub unit: &'static str,
    /// Definition of a value. It covers the time after the warm-up, unless the row has a time or the definition says
    /// otherwise.
    pub meaning: &'static str,
}

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Real numbers; not a number if there is no value.
    Real,
    /// Whole numbers.
    Whole,
    /// True or false.
    Flag,
    /// Texts, each an index into a list of labels.
    Label,
}

impl ColumnKind {
    /// Returns the type as one word: `real`, `whole`, `flag` or `label`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Whole => "whole",
            Self::Flag => "flag",
            Self::Label => "label",
        }
    }
}

/// Schemas of all tables of a run, in the order in which they are listed.
pub fn tables() -> &'static [TableSchema] {
    static TABLES: LazyLock<Vec<TableSchema>> = LazyLock::new(|| {
        let table = |name, row, absent, columns: &[ColumnSchema]| TableSchema {
            name,
            row,
            absent,
            columns: columns.to_vec(),
        };
        let metrics_of = |owner, cards: &mut dyn Iterator<Item = &Metric>| -> Vec<_> {
            std::iter::once(owner)
                .chain(cards.map(|card| real(card.name, card.unit.text(), card.definition)))
                .collect()
        };
        let groups = metrics_of(label("group", "the group"), &mut metrics::of_groups());
        let links = metrics_of(label("link", "the link"), &mut metrics::of_links());
        vec![
            table("flows", "a flow that is recorded on its own", "", FLOWS),
            table("groups", "a group of flows", "", &groups),
            table("links", "a link that is not an access link", "", &links),
            table("series", "a flow or a link, and an interval of `record.interval`", "", SERIES),
            table("distributions", "a bucket of a histogram of a group or a link", "", DISTRIBUTIONS),
            table("census", "an interval and a group of finite flows", NO_FINITE, CENSUS),
            table(
                "classes",
                "a group of finite flows, a class of files and a class of paths",
                NO_FINITE,
                CLASSES,
            ),
            table(
                "transfers",
                "a finite flow that ended, as many as `record.transfers` keeps",
                NO_FINITE,
                TRANSFERS,
            ),
            table(
                "unfinished",
                "a finite flow that had started and not ended at the end of the run, as many as `record.transfers` keeps",
                NO_FINITE,
                UNFINISHED,
            ),
            table(
                "recordings",
                "a link whose rate is a recording",
                "where no link has a recorded rate",
                RECORDINGS,
            ),
            table(
                "internals",
                "an interval, a flow or a link, and an inner variable of its algorithm or queue",
                "where inner variables are not recorded (`record.internals`)",
                INTERNALS,
            ),
            table(
                "events",
                "an event of a flow that is recorded on its own",
                "where events are not logged",
                EVENTS,
            ),
            table(
                "applications",
                "a group with an application, and an interval of `record.interval`",
                NO_APPLICATION,
                APPLICATIONS,
            ),
            table(
                "clients",
                "a client of an application, up to `record.clients` of each group, and an interval of `record.interval`",
                NO_CLIENTS,
                CLIENTS,
            ),
            table(
                "client_events",
                "an event of a client that the table `clients` has",
                "where no client is recorded, or events are not logged",
                CLIENT_EVENTS,
            ),
            table("packets", "an entry of the packet log", "where packets are not logged", PACKETS),
            table(
                "connections",
                "a connection of programs in real time, in one direction: protocol, and address and port of both ends, over the \
                 whole run",
                "where no program sent packets in real time",
                CONNECTIONS,
            ),
        ]
    });
    &TABLES
}

/// Returns the schema of the table `name`, which is one of [`tables`].
pub(crate) fn table(name: &str) -> &'static TableSchema {
    tables().iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table is called {name}"))
}

const NO_FINITE: &str = "where every flow is endless";

const NO_APPLICATION: &str = "where no group has an application";
const NO_CLIENTS: &str = "where no client of an application is recorded";

const fn real(name: &'static str, unit: &'static str, meaning: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnKind::Real, unit, meaning }
}

const fn whole(name: &'static str, unit: &'static str, meaning: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnKind::Whole, unit, meaning }
}

const fn flag(name: &'static str, meaning: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnKind::Flag, unit: "", meaning }
}

const fn label(name: &'static str, meaning: &'static str) -> ColumnSchema {
    ColumnSchema { name, kind: ColumnKind::Label, unit: "", meaning }
}

const FLOWS: &[ColumnSchema] = &[
    label("group", "the flow's group"),
    whole("flow", "", "its number within the group, from 0"),
    label("algorithm", "its congestion control, with parameters"),
    real("start_s", "s", "time of the run at which it started"),
    real("established_s", "s", "time of the run at which its connection was established"),
    real(
        "completed_s",
        "s",
        "time of the run at which the last byte of a finite flow was acknowledged, or its last datagram arrived",
    ),
    real("goodput_bps", "bps", "payload received, each byte once, per second"),
    real(
        "throughput_bps",
        "bps",
        "bits of data packets sent, headers and retransmissions included, per second",
    ),
    real("loss_rate", "share", "`lost_packets` over `sent_packets`"),
    real("mark_rate", "share", "`marked_packets` over `sent_packets`"),
    real("retransmission_rate", "share", "`retransmissions` over `sent_packets`"),
    real("sent_packets", "packets", "data packets sent"),
    real("lost_packets", "packets", "data packets dropped by a queue or lost on a link"),
    real("marked_packets", "packets", "data packets marked by a queue"),
    real("retransmissions", "packets", "data packets sent again"),
    real("timeouts", "count", "retransmission timeouts"),
    real("loss_events", "count", "loss events (RFC 5348 §5.2)"),
    real("loss_event_rate", "share", "`loss_events` over `sent_packets`"),
    real("ack_compression", "share", "share of compressed intervals among those between acknowledgements"),
    real("rtt_mean_s", "s", "mean round-trip sample"),
    real("cwnd_mean_packets", "packets", "time average of the congestion window while established"),
    real("cwnd_peak_packets", "packets", "maximum of the congestion window while established"),
    real("cwnd_before_reduction_packets", "packets", "mean congestion window just before a reduction"),
    real("reduction_interval_s", "s", "mean time between reductions of the congestion window"),
    real("reductions", "count", "reductions of the congestion window"),
    real("completion_time_s", "s", "time from start to completion"),
    real("slowdown", "", "`completion_time_s` over what the transfer would need on an idle path"),
];

const SERIES: &[ColumnSchema] = &[
    real("time_s", "s", "time of the run at which the interval ends"),
    label("kind", "`flow` or `link`"),
    label("name", "the link, or the flow as `group[number]`"),
    label("group", "the flow's group"),
    real("throughput_bps", "bps", "of a flow: bits of data packets sent, headers included, per second"),
    real("cwnd_packets", "packets", "of a flow: congestion window at the end of the interval"),
    real("usable_window_packets", "packets", "of a flow: window that loss recovery allows at the end"),
    real("ssthresh_packets", "packets", "of a flow: slow-start threshold at the end"),
    real("in_flight_packets", "packets", "of a flow: packets in flight at the end"),
    real("rtt_s", "s", "of a flow: mean of the round-trip samples"),
    real("srtt_s", "s", "of a flow: smoothed round-trip time at the end"),
    real("min_rtt_s", "s", "of a flow: shortest round trip since its start"),
    real("pacing_rate_bps", "bps", "of a flow: pacing rate at the end"),
    real("retransmissions", "packets", "of a flow: data packets sent again"),
    real("goodput_bps", "bps", "of a flow: payload received, each byte once, per second"),
    real(
        "access_queue_delay_s",
        "s",
        "of a flow: mean time for which data packets wait at the access links of its two hosts, in all",
    ),
    real("rate_bps", "bps", "of a link: bits sent per second"),
    real("capacity_bps", "bps", "of a link: bits per second that could have been sent"),
    real("queue_packets", "packets", "of a link: time average of the packets that wait"),
    real("queue_delay_s", "s", "of a link: mean wait of the packets whose transmission began"),
    real("arrived_packets", "packets", "of a link: packets that reached the queue"),
    real("dropped_packets", "packets", "of a link: packets dropped by the queue or lost behind it"),
    real("marked_packets", "packets", "of a link: packets marked by the queue"),
];

const DISTRIBUTIONS: &[ColumnSchema] = &[
    label("owner", "the group or link"),
    label(
        "quantity",
        "`rtt_s` and `delay_s` (round-trip samples and one-way delays of a group), `queue_delay_s` (of a link)",
    ),
    real("value_s", "s", "middle of the bucket"),
    whole("packets", "packets", "how many had a value in it"),
];

const CENSUS: &[ColumnSchema] = &[
    real("time_s", "s", "time of the run at which the interval ends"),
    label("group", "the group"),
    whole(
        "connecting_flows",
        "count",
        "flows whose connection is being established at the end of the interval",
    ),
    whole("active_flows", "count", "established flows that have not ended, at the end of the interval"),
    whole("started_flows", "count", "flows that started"),
    whole("refused_flows", "count", "arrivals that found every connection slot taken"),
    whole("established_flows", "count", "flows whose connection was established"),
    whole(
        "completed_flows",
        "count",
        "flows of which the last byte was acknowledged, or the last datagram arrived",
    ),
    whole(
        "failed_flows",
        "count",
        "flows whose connection could not be established, or broke, or of whose datagrams none arrived",
    ),
    whole("abandoned_flows", "count", "flows that took longer than their user's patience"),
    whole("sent_packets", "packets", "data packets sent"),
    whole("retransmissions", "packets", "data packets sent again"),
    whole("timeouts", "count", "retransmission timeouts"),
    whole("reductions", "count", "reductions of congestion windows"),
    real(
        "throughput_bps",
        "bps",
        "bits of data packets sent, headers and retransmissions included, per second",
    ),
    real("goodput_bps", "bps", "payload received, each byte once, per second"),
    real("rtt_s", "s", "mean round-trip sample"),
];

const CLASSES: &[ColumnSchema] = &[
    label("group", "the group"),
    label("file_class", "the class of files"),
    label("path_class", "the class of paths"),
    whole(
        "completed_flows",
        "count",
        "flows of which the last byte was acknowledged, or the last datagram arrived",
    ),
    whole("failed_flows", "count", "flows that failed or were abandoned"),
    whole("bytes", "B", "payload of the completed flows; of datagrams, what had arrived of it"),
    real(
        "flow_goodput_bps",
        "bps",
        "payload over the time from start to completion, mean over completed flows",
    ),
    real("completion_time_s", "s", "mean time from start to completion"),
    real("completion_time_p50_s", "s", "median of that time, within 0.8 %"),
    real("completion_time_p95_s", "s", "95th percentile of that time, within 0.8 %"),
    real("completion_time_p99_s", "s", "99th percentile of that time, within 0.8 %"),
];

const TRANSFERS: &[ColumnSchema] = &[
    label("group", "the flow's group"),
    label("file_class", "class of its file"),
    label("path_class", "class of its path"),
    whole("slot", "", "its connection slot within the group, from 0; the flows of a slot follow one another"),
    whole("bytes", "B", "its payload; of datagrams that are complete, what had arrived of it"),
    real("start_s", "s", "time of the run at which it started"),
    real("established_s", "s", "time of the run at which its connection was established"),
    real("end_s", "s", "time of the run at which it ended"),
    flag("completed", "whether every byte was acknowledged, or the last datagram that was not lost arrived"),
    whole("sent_packets", "packets", "data packets sent since its start"),
    whole("retransmissions", "packets", "data packets sent again since its start"),
    whole("timeouts", "count", "retransmission timeouts since its start"),
];

const UNFINISHED: &[ColumnSchema] = &[
    label("group", "the flow's group"),
    label("file_class", "class of its file"),
    label("path_class", "class of its path"),
    whole("slot", "", "its connection slot within the group, from 0"),
    whole("bytes", "B", "its payload"),
    whole("acked_bytes", "B", "payload that had been acknowledged"),
    real("start_s", "s", "time of the run at which it started"),
];

const RECORDINGS: &[ColumnSchema] =
    &[label("link", "the link"), real("start_s", "s", "place in the recording at which the run started")];

const INTERNALS: &[ColumnSchema] = &[
    real("time_s", "s", "time of the run at which the interval ends"),
    label("kind", "`flow` or `link`"),
    label("name", "the link, or the flow as `group[number]`"),
    label("group", "the flow's group"),
    label("variable", "name of the variable; the card of the algorithm or the queue gives its meaning"),
    real("value", "as the card says", "its value at the end of the interval"),
];

const EVENTS: &[ColumnSchema] = &[
    whole("time_ps", "ps", "time of the run"),
    label("place", "`sender`, or a link"),
    label(
        "event",
        "at a link `dropped` (by its queue), `lost` (behind its queue) or `marked`; at the sender `declared-lost`, \
         `probe` (a tail loss probe is sent), `timeout`, `reduction` (of the congestion window, because of a loss, a \
         mark, a timeout or a delay), `idle-restart` (the window is smaller after idle time, RFC 5681 §4.1), \
         `recovery-start`, `recovery-end`, `undo` (of a spurious episode), `state` (the algorithm changes its state), \
         `window-closed` (the receiver has no room for the next segment, and nothing is outstanding), `window-probe` (of such \
         a window, RFC 9293 §3.8.6.1) or `window-opened`",
    ),
    label(
        "rule",
        "why: of `dropped` and `lost` `overflow`, `early`, `random`, `periodic` or `listed` (the loss model), `policer`, \
         `ecn`, `ack-thinning`, `arq` or `link-failure`; of `declared-lost`, `reduction` and `recovery-start` `duplicate-acks` (RFC 5681), \
         `partial-ack` (RFC 6582), `sack` (RFC 6675), `rack` (RFC 8985), `probe` (a tail loss probe repaired the \
         loss, RFC 8985 §7.4), `timeout` (RFC 6298), `mark` (RFC 3168), `later-echoes` or `report` (datagrams), \
         `stack` (a rule of a stack that is hosted) or `algorithm` (its own rule, such as one of \
         delay or of counts of marks); of `timeout` `syn-timeout` for the SYN; of `undo` `duplicate-sacks` (RFC \
         3708), `timestamps` (RFC 3522) or `f-rto` (RFC 5682); of `state` the variant of slow start that ended it",
    ),
    label("group", "the flow's group"),
    whole("flow", "", "number of the flow within the group, from 0"),
    whole("turn", "", "how many flows had its slot before"),
    label("kind", "of an event of one packet: its kind, as in `packets`"),
    real(
        "number",
        "",
        "of an event of one packet: number of the segment, datagram or acknowledgement, from 0",
    ),
    real("cwnd_before_packets", "packets", "at the sender: congestion window before"),
    real("cwnd_packets", "packets", "at the sender: congestion window after"),
    real(
        "ssthresh_before_packets",
        "packets",
        "at the sender: slow-start threshold before; null while unset",
    ),
    real("ssthresh_packets", "packets", "at the sender: slow-start threshold after; null while unset"),
    label("state_before", "at the sender: state of the algorithm before"),
    label("state", "at the sender: state of the algorithm after"),
];

const APPLICATIONS: &[ColumnSchema] = &[
    real("time_s", "s", "time of the run at which the interval ends"),
    label("group", "the group"),
    whole("sent_packets", "packets", "packets with data or requests sent"),
    whole("retransmissions", "packets", "packets sent again"),
    whole("reductions", "count", "reductions of congestion windows"),
    real("throughput_bps", "bps", "bits of these packets, headers and retransmissions included, per second"),
    real("goodput_bps", "bps", "payload received, each byte once, per second"),
    real("rtt_s", "s", "mean round-trip sample"),
];

const CLIENTS: &[ColumnSchema] = &[
    real("time_s", "s", "time of the run at which the interval ends"),
    label("group", "the client's group"),
    whole("client", "", "its number within the group, from 0"),
    whole("captured_frames", "count", "of a call, a game or objects: frames that were captured and encoded"),
    whole("skipped_frames", "count", "of a call, a game or objects: frames that were skipped"),
    whole("received_frames", "count", "of a call, a game or objects: frames that were received"),
    whole("late_frames", "count", "of a call, a game or objects: frames that were late"),
    real(
        "frame_delay_max_s",
        "s",
        "of a call, a game or objects: longest time from the capture of a frame to its receipt",
    ),
    real(
        "bitrate_bps",
        "bps",
        "bit rate at which the last frame was encoded, or which the last segment of video received has",
    ),
    real(
        "waiting_bytes",
        "B",
        "of a call, a game or objects: data that waited at its source at the last capture of a frame",
    ),
    whole("loaded_pages", "count", "of a browser: pages that were loaded"),
    real("page_load_time_s", "s", "of a browser: mean time in which these were loaded"),
    real("loading_s", "s", "of a browser: time since the start of the page that is being loaded, at the end"),
    real("played_s", "s", "of a player: time during which video played"),
    real("stalled_s", "s", "of a player: time during which video stood still after it had begun"),
    real("buffer_s", "s", "of a player: playback time in its buffer at the end"),
    real("probe_time_s", "s", "of a measurement of responsiveness: mean time of the probes that ended"),
    real(
        "permitted_bps",
        "bps",
        "rate that the congestion control of its servers permits at the end: a target, the congestion window over the \
         round-trip time, or the pacing rate if that is lower",
    ),
    real("cwnd_packets", "packets", "sum of the congestion windows of its servers at the end"),
    real("srtt_s", "s", "greatest smoothed round-trip time of its servers at the end"),
];

const CLIENT_EVENTS: &[ColumnSchema] = &[
    whole("time_ps", "ps", "time of the run"),
    label("place", "`sender` (its server), `receiver` (the client), or a link"),
    label(
        "event",
        "`late-frame` (received later than its deadline; of objects not received by it), `skipped-frame`, `page` (loaded), `startup` (video begins to play), \
         `stall` (video plays again after it stood still), `switch` (the next segment has another bit rate), `probe-tcp`, \
         `probe-tls`, `probe-http` or `probe-loaded` (a probe of responsiveness ends), or an event of the data of a server, as \
         in `events`",
    ),
    label("rule", "as in `events`"),
    label("group", "the client's group"),
    whole("client", "", "its number within the group, from 0"),
    real(
        "slot",
        "",
        "of an event of the data of a server: number of the connection slot within the group, from 0",
    ),
    real("turn", "", "how many connections had the slot before"),
    label("kind", "as in `events`"),
    real("number", "", "as in `events`"),
    real("cwnd_before_packets", "packets", "as in `events`"),
    real("cwnd_packets", "packets", "as in `events`"),
    real("ssthresh_before_packets", "packets", "as in `events`"),
    real("ssthresh_packets", "packets", "as in `events`"),
    label("state_before", "as in `events`"),
    label("state", "as in `events`"),
    real(
        "duration_s",
        "s",
        "duration of what ends with the event: of a late frame from its capture to its receipt, or of objects to its deadline, of a skipped frame since the \
         capture of the oldest frame that waits, of a page, a start-up, a stall or a probe from its start",
    ),
    real("bitrate_bps", "bps", "of a switch: bit rate of the segment"),
    real("waiting_bytes", "B", "of a skipped frame: data that waits at its source"),
    real(
        "object_level",
        "",
        "of a page: level, from 0, of the object that took longest from when it could be requested to its receipt",
    ),
    real("object", "", "of a page: number of this object within its level, from 0"),
    real("object_bytes", "B", "of a page: size of this object"),
    real("object_waited_s", "s", "of a page: time from when this object could be requested to its request"),
    real("object_s", "s", "of a page: time from when this object could be requested to its receipt"),
];

const CONNECTIONS: &[ColumnSchema] = &[
    label("group", "the flow's group"),
    whole("flow", "", "number of the flow within its group, from 0"),
    label(
        "protocol",
        "`tcp`, `udp`, `icmp`, `icmpv6`, or its number; null, as both ends, for the packets of all connections after the first \
         512 of the run",
    ),
    label("source", "address and port of the sending socket"),
    label("destination", "address and port of the receiving socket"),
    whole("sent_packets", "packets", "packets sent into the network"),
    whole("sent_bytes", "B", "their size, headers of IP included"),
    whole("dropped_packets", "packets", "of these, packets that queues dropped or links lost"),
    whole("marked_packets", "packets", "of these, packets that were marked in the network"),
    real("first_s", "s", "time of the run at which the first of them was sent"),
    real("last_s", "s", "time of the run at which the last of them was sent"),
    real("delay_mean_s", "s", "mean time in the network, from host to host, of packets that left it"),
    real("delay_p95_s", "s", "95th percentile of that time"),
];

const PACKETS: &[ColumnSchema] = &[
    whole("time_ps", "ps", "time of the run"),
    label("place", "`sender`, `receiver`, or a link"),
    label("event", "`sent`, `received`, `enqueued`, `dropped`, `marked`, `departed` or `lost`"),
    label("group", "group of the packet's flow"),
    whole(
        "flow",
        "",
        "number of the flow within the group, from 0; of finite flows that share one, their slot",
    ),
    whole("turn", "", "how many flows had the slot before"),
    label("kind", "`syn`, `syn-ack`, `established`, `data`, `ack`, `datagram`, `echo` or `report`"),
    whole("number", "", "number of the segment, datagram or acknowledgement, from 0"),
    whole("size_bytes", "B", "size on the wire"),
    whole("payload_bytes", "B", "payload carried"),
    label("ecn", "ECN field: `not-ect`, `ect0`, `ect1` or `ce` (RFC 3168 §5)"),
    flag("ecn_echo", "whether it echoes a mark to the sender"),
    flag("retransmission", "whether its data was sent before"),
    real("sack1_start", "", "first SACK block: its first segment"),
    real("sack1_end", "", "first SACK block: the segment after its last"),
    real("sack2_start", "", "second SACK block: its first segment"),
    real("sack2_end", "", "second SACK block: the segment after its last"),
    real("sack3_start", "", "third SACK block: its first segment"),
    real("sack3_end", "", "third SACK block: the segment after its last"),
];
