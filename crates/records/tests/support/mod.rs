// SPDX-License-Identifier: Apache-2.0
//! Records made by hand: small enough to compute every table and metric on paper.

use narrows_records::{
    ApplicationCounts, ClassCounts, ClientEvent, ClientEventLog, ClientEventRow, ClientRecord, ClientSample,
    ConnectionRecord, ConnectionSums, EcnCodepoint, Ends, EventLog, EventRow, FlowEvent, FlowSample,
    FrameCounts, GroupCounts, GroupDescription, GroupRecord, GroupSample, Histogram, InternalOwner,
    InternalRow, Internals, LinkCounts, LinkDescription, LinkRecord, LinkSample, PacketEvent, PacketKind,
    PacketLog, PacketPlace, PacketRow, Perceived, PerceivedKind, Performance, ProbeTimes, Records,
    RunDescription, SenderCounts, Shares, SlowestObject, SpanSum, Total, TransferRecord, TupleRecord,
    UnfinishedRecord, VideoCounts, Windows,
};
use narrows_units::{Bytes, Span, Time};

/// A time of the run.
pub fn at_ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// A run of 12 s, of which 2 s are warm-up, with intervals of 2 s: a group of two endless flows and one of finite flows
/// cross a link.
pub fn records() -> Records {
    Records {
        run: run(),
        connections: (0..2).map(connection).collect(),
        groups: vec![group(), group()],
        links: vec![link()],
        transfers: transfers(),
        unfinished: vec![UnfinishedRecord {
            group: 1,
            slot: 5,
            file_class: 0,
            path_class: 1,
            size: 2_000_000,
            acked: 300_000,
            started: at_ms(5000),
        }],
        packets: PacketLog { rows: vec![packet()], full_at: None },
        events: EventLog { rows: vec![drop(), reduction()], full_at: None },
        clients: vec![client()],
        client_events: ClientEventLog { rows: client_events(), full_at: None },
        internals: internals(),
        programs: Vec::new(),
        tuples: vec![tuple(), TupleRecord { ends: None, ..tuple() }],
        punctuality: None,
        interval_ends: (1..=6).map(|interval| at_ms(2000 * interval)).collect(),
        performance: Performance { events: 10, packet_hops: 20, cpu_s: 0.5 },
    }
}

/// A connection of programs, from the second of the endless flows.
pub fn tuple() -> TupleRecord {
    let ends =
        Ends { protocol: "tcp".into(), source: "10.0.0.1:40000".into(), destination: "10.0.0.2:5201".into() };
    TupleRecord {
        group: 0,
        flow: 1,
        ends: Some(ends),
        packets: 4,
        bytes: 6000,
        dropped: 2,
        marked: 1,
        sent: (at_ms(1000), at_ms(3000)),
        delay_mean_s: 0.02,
        delay_p95_s: 0.03,
    }
}

/// The bottleneck drops segment 12 of the first of the endless flows.
fn drop() -> EventRow {
    EventRow {
        at: at_ms(3000),
        place: PacketPlace::Link(0),
        event: FlowEvent::Dropped,
        rule: "overflow".into(),
        group: 0,
        flow: 0,
        generation: 0,
        packet: Some((PacketKind::Data, 12)),
        windows: None,
        states: ["".into(), "".into()],
    }
}

/// Its sender halves a window of 20 packets.
fn reduction() -> EventRow {
    EventRow {
        at: at_ms(3040),
        place: PacketPlace::Sender,
        event: FlowEvent::Reduction,
        rule: "sack".into(),
        packet: None,
        windows: Some([
            Windows { congestion: 20.0, ssthresh: f64::INFINITY },
            Windows { congestion: 10.0, ssthresh: 10.0 },
        ]),
        states: ["slow-start".into(), "congestion-avoidance".into()],
        ..drop()
    }
}

/// The only recorded client of the group that comes, in its first two intervals.
fn client() -> ClientRecord {
    let first = ClientSample {
        captured: 50,
        skipped: 10,
        received: 40,
        late: 5,
        longest_delay: Span::from_ms(300),
        bitrate_bps: 2e6,
        permitted_bps: 3e6,
        ..ClientSample::default()
    };
    let second = ClientSample { pages: 2, page_time: Span::from_ms(5000), ..first.carried() };
    ClientRecord { group: 1, number: 0, series: vec![first, second] }
}

/// Its server halves its window, and a page is loaded.
fn client_events() -> Vec<ClientEventRow> {
    let slowest = SlowestObject {
        level: 1,
        index: 2,
        size: Bytes::new(30_000),
        waited: Span::from_ms(500),
        took: Span::from_ms(2000),
    };
    let page = Perceived {
        kind: PerceivedKind::Page,
        span: Span::from_ms(2500),
        bitrate_bps: None,
        waiting: None,
        slowest: Some(slowest),
    };
    let row = |event, place| ClientEventRow { at: at_ms(3040), place, group: 1, client: 0, event };
    vec![
        row(ClientEvent::Flow(EventRow { group: 1, ..reduction() }), PacketPlace::Sender),
        row(ClientEvent::Perceived(page), PacketPlace::Receiver),
    ]
}

/// A variable of the second flow at the end of the first interval, and one of the bottleneck's queue.
fn internals() -> Internals {
    let row = |owner, variable, value| InternalRow { interval: 0, owner, variable, value };
    Internals {
        variables: vec!["alpha".into(), "probability".into()],
        rows: vec![row(InternalOwner::Flow(1), 0, 0.5), row(InternalOwner::Link(0), 1, 0.01)],
    }
}

fn run() -> RunDescription {
    let stays = GroupDescription {
        name: "stays".into(),
        algorithm: "aimd(a=1,b=0.8)".into(),
        flows: Some(2),
        bottleneck: Some(0),
        ..GroupDescription::default()
    };
    let comes = GroupDescription {
        name: "comes".into(),
        algorithm: "cubic".into(),
        finite: true,
        application: true,
        bottleneck: Some(0),
        ..GroupDescription::default()
    };
    let bottleneck = LinkDescription {
        name: "bottleneck".into(),
        queue: "droptail".into(),
        limited: true,
        highest_bps: 10e6,
        crossed_by: vec![(0, 1.0), (1, 0.5)],
        ..LinkDescription::default()
    };
    RunDescription {
        duration: Span::from_ms(12_000),
        warmup: Span::from_ms(2000),
        warmup_found: None,
        assumed: Vec::new(),
        groups: vec![stays, comes],
        links: vec![bottleneck],
        file_classes: vec!["web".into(), "film".into()],
        path_classes: vec!["near".into(), "far".into()],
        packet_limit: Some(100),
        event_limit: Some(100),
        client_event_limit: Some(100),
        clients: 10,
        internals: true,
    }
}

/// Counts of a group, each the sum of `scale` and its place.
fn counts(scale: u64) -> GroupCounts {
    GroupCounts {
        started: 4 * scale,
        refused: scale,
        established: 4 * scale,
        lacking_ecn: 0,
        completed: 2 * scale,
        failed: 0,
        abandoned: scale,
        packets_sent: 1000 * scale,
        retransmissions: 50 * scale,
        bytes_sent: 1_500_000 * scale,
        bytes_received: 1_250_000 * scale,
        timeouts: 3 * scale,
        loss_events: 20 * scale,
        ack_gaps: 400 * scale,
        close_acks: 100 * scale,
        reductions: 5 * scale,
        rtt_ns: 50_000_000 * scale,
        rtt_samples: scale,
        calls: 300 * scale,
        otherwise_limited: 3 * scale,
    }
}

/// After the warm-up each count is the one of `counts(1)`.
pub fn group() -> GroupRecord {
    let sample = |interval| GroupSample {
        counts: counts(interval),
        connecting: (interval + 1) % 2,
        active: 2 + interval,
    };
    let mut far = ClassCounts::default();
    far.add(1_000_000, Span::from_ms(1000), true);
    let mut near = ClassCounts::default();
    near.add(1_000_000, Span::from_ms(500), true);
    near.add(1_000_000, Span::from_ms(700), false);
    GroupRecord {
        application: Some(Box::new(application())),
        at_warmup: counts(1),
        at_end: counts(2),
        lost: 10,
        marked: 20,
        connections: sums(),
        classes: vec![near, far, ClassCounts::default(), ClassCounts::default()],
        rtts: histogram(&[10, 20, 30]),
        delays: histogram(&[10, 30]),
        series: (0..6).map(sample).collect(),
    }
}

/// A player that stalled for a second, two pages, probes of responsiveness, four frames, and two streams, one of which was reset after 700 bytes.
fn application() -> ApplicationCounts {
    let mut video = VideoCounts {
        startups: histogram(&[500]),
        played_ps: Span::from_ms(3000).as_ps().into(),
        stalls: 1,
        stalled_ps: Span::from_ms(1000).as_ps().into(),
        ..VideoCounts::default()
    };
    video.add_segment(1_000_000, Span::from_ms(2000), false);
    video.add_segment(3_000_000, Span::from_ms(2000), true);
    let probes = ProbeTimes {
        tcp: histogram(&[20]),
        tls: histogram(&[30]),
        http: histogram(&[40]),
        loaded: histogram(&[25]),
    };
    let mut frames = FrameCounts { skipped: 2, streams: 2, reset_bytes: 700, ..FrameCounts::default() };
    frames.add_captured(1_000_000);
    frames.add_captured(3_000_000);
    frames.add_received(Span::from_ms(50), false);
    frames.add_received(Span::from_ms(150), true);
    ApplicationCounts { video, pages: histogram(&[1000, 3000]), probes, frames }
}

fn total<const PARTS: u64>(values: [f64; 2]) -> Total<PARTS> {
    let mut total = Total::default();
    for value in values {
        total.add(value);
    }
    total
}

fn sums() -> ConnectionSums {
    let mut received = Shares::default();
    received.add(1_000_000);
    received.add(3_000_000);
    ConnectionSums {
        received,
        access_bits: 12_000_000,
        access_offered_bits: 200_000_000,
        access_wait_ns: 1_500_000_000,
        rtt_ps: total([20e9, 30e9]),
        window: total([10.0, f64::NAN]),
        window_peak: total([20.0, 30.0]),
        before_reduction: total([16.0, 20.0]),
        reduction_interval_ps: total([1e12, 2e12]),
        slowdown: total([2.0, 4.0]),
    }
}

fn histogram(spans_ms: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for ms in spans_ms {
        histogram.add(Span::from_ms(*ms));
    }
    histogram
}

/// 8 Mbps over a link of 10 Mbps after the warm-up.
pub fn link() -> LinkRecord {
    let counts = |scale: u64| LinkCounts {
        arrived: 1000 * scale,
        sent: 800 * scale,
        sent_bytes: Bytes::new(1_200_000 * scale),
        overflowed: 30 * scale,
        dropped_early: 15 * scale,
        failed: 5 * scale,
        marked: 20 * scale,
        lost: 8 * scale,
        started: 800 * scale,
        waited_ps: 1_000_000 * u128::from(scale),
        queue_packet_ps: 70_000_000_000_000 * u128::from(scale),
        queue_byte_ps: 90_000_000_000_000_000 * u128::from(scale),
    };
    let sample = |interval: u32| LinkSample {
        rate_bps: 1e6 * f64::from(interval),
        capacity_bps: 10e6,
        queue_packets: 3.0,
        queue_delay_s: f64::NAN,
        arrived_packets: 100.0,
        dropped_packets: 1.0,
        marked_packets: 2.0,
    };
    LinkRecord {
        at_warmup: counts(1),
        at_end: counts(2),
        sent_bits: 80e6,
        offered_bits: 100e6,
        waits: histogram(&[5, 15]),
        peak_packets: 40,
        waited_by_group: vec![300, 100],
        loss_episodes: 4,
        losing_flows: 10,
        recording_start: Some(Span::from_ms(1500)),
        series: (0..6).map(sample).collect(),
    }
}

/// An endless flow.
pub fn connection(number: u32) -> ConnectionRecord {
    let counts = |scale: u64| SenderCounts {
        packets_sent: 500 * scale,
        retransmissions: 25 * scale,
        bytes_sent: 750_000 * scale,
        timeouts: scale,
        loss_events: 10 * scale,
    };
    let sample = |interval: u32| FlowSample {
        throughput_bps: f64::from(interval),
        cwnd_packets: 10.0,
        usable_window_packets: 9.0,
        ssthresh_packets: f64::NAN,
        in_flight_packets: 8.0,
        rtt_s: 0.03,
        srtt_s: 0.031,
        min_rtt_s: 0.02,
        pacing_rate_bps: f64::NAN,
        retransmissions: 1.0,
        goodput_bps: 1e6,
        access_queue_delay_s: 0.004,
    };
    ConnectionRecord {
        group: 0,
        number,
        size: None,
        started: Some(at_ms(100)),
        established: Some(at_ms(140)),
        completed: None,
        gave_up: false,
        cuts_window: true,
        ideal_completion_s: f64::NAN,
        at_warmup: counts(1),
        at_end: counts(2),
        received_at_warmup: 1_250_000,
        received: 2_500_000,
        lost: 5,
        marked: 10,
        rtt: Span::from_ms(40),
        rtts_at_warmup: SpanSum { ps: 1000, count: 1 },
        rtts: SpanSum { ps: 60_000_001_000, count: 3 },
        window_seconds: 90.0,
        seconds: 9.0,
        window_peak: 22.0,
        before_reductions: 60.0,
        reductions: 4,
        reductions_span: Span::from_ms(6000),
        ack_gaps: 200,
        close_acks: 50,
        series: (0..6).map(sample).collect(),
    }
}

fn transfers() -> Vec<TransferRecord> {
    let completed = TransferRecord {
        group: 1,
        slot: 3,
        file_class: 0,
        path_class: 1,
        size: 1_000_000,
        started: at_ms(3000),
        established: Some(at_ms(3040)),
        ended: at_ms(4000),
        completed: true,
        packets_sent: 700,
        retransmissions: 15,
        timeouts: 1,
    };
    let refused = TransferRecord { slot: 4, established: None, completed: false, ..completed };
    vec![completed, refused]
}

fn packet() -> PacketRow {
    PacketRow {
        at: at_ms(3000),
        place: PacketPlace::Link(0),
        event: PacketEvent::Marked,
        group: 1,
        flow: 3,
        generation: 7,
        kind: PacketKind::Ack,
        number: 12,
        size: 52,
        payload: 0,
        ecn: EcnCodepoint::Ce,
        ecn_echo: true,
        retransmission: false,
        sack: [Some((14, 16)), None, None],
    }
}
