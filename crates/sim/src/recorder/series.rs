// SPDX-License-Identifier: Apache-2.0
//! Time series: values per interval, stored as flat columns per partition and merged at the end.

use super::{InternalsRecorder, LinkRecorder, SenderRecorder};
use narrows_records::{FlowSample, GroupSample, LinkCounts, LinkSample, SpanSum};
use narrows_transport::{ConnectionState, SenderSnapshot, SendingEndpoint};
use narrows_units::{Span, Time};

/// The series of a partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeriesRecorder {
    /// Ends of the intervals.
    pub times: Vec<Time>,
    /// Samples of individually recorded connections whose sender is in this partition, by interval and connection;
    /// goodput, and what packets waited at the receiver's access link, are not in them.
    pub senders: Vec<FlowSample>,
    /// Counts of receivers in this partition since the start, by interval and individually recorded connection.
    pub received: Vec<Received>,
    /// Samples of links, by interval and link.
    pub links: Vec<LinkSample>,
    /// Samples of groups, by interval and group.
    pub groups: Vec<GroupSample>,
    /// Inner variables; empty if they are not recorded.
    pub internals: InternalsRecorder,
    sender_marks: Vec<SenderMark>,
    link_marks: Vec<(LinkCounts, f64, f64)>,
    next_sender: usize,
    next_link: usize,
}

/// Counts of a sender at the end of the last interval.
#[derive(Clone, Copy, Debug, Default)]
struct SenderMark {
    bytes_sent: u64,
    packets_sent: u64,
    access_wait_ns: u64,
    rtt: SpanSum,
    retransmissions: u64,
}

/// Counts of a receiver since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    /// Payload received, each byte once.
    pub bytes: u64,
    /// Data packets received.
    pub packets: u64,
    /// Sum of the times that they waited at the receiver's access link, nanoseconds.
    pub access_wait_ns: u64,
}

impl Received {
    /// Returns the counts since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            bytes: self.bytes - earlier.bytes,
            packets: self.packets - earlier.packets,
            access_wait_ns: self.access_wait_ns - earlier.access_wait_ns,
        }
    }

    /// Returns the mean time that a packet waited, seconds; 0 without packets.
    pub fn mean_access_wait_s(&self) -> f64 {
        self.access_wait_ns as f64 * NANO / self.packets.max(1) as f64
    }
}

impl SeriesRecorder {
    /// Starts the samples of the interval that ends at `now`.
    pub fn start_interval(&mut self, now: Time) {
        self.times.push(now);
        (self.next_sender, self.next_link) = (0, 0);
    }

    /// Returns the end of the last interval; zero before the first.
    pub fn last_sample(&self) -> Time {
        self.times.last().copied().unwrap_or(Time::ZERO)
    }

    /// Adds the sample of the next sender; `None` if its flow has not started. The number is how long its packets have waited
    /// at its access link, nanoseconds; `interval` is the length of the interval.
    pub fn sender(&mut self, sender: Option<(&SendingEndpoint, &SenderRecorder, u64)>, interval: Span) {
        let now = sender.map_or_else(SenderMark::default, |(sender, recorder, access_wait_ns)| {
            let counters = sender.counters();
            SenderMark {
                bytes_sent: counters.bytes_sent,
                packets_sent: counters.packets_sent,
                access_wait_ns,
                rtt: recorder.rtt,
                retransmissions: counters.retransmissions,
            }
        });
        let before = exchange(&mut self.sender_marks, &mut self.next_sender, now);
        let open = sender.map(|(sender, ..)| sender).filter(|it| it.state() == ConnectionState::Established);
        let state = open.map(SendingEndpoint::snapshot);
        let value = |of: fn(&SenderSnapshot) -> Option<f64>| state.as_ref().and_then(of).unwrap_or(f64::NAN);
        self.senders.push(FlowSample {
            throughput_bps: (now.bytes_sent - before.bytes_sent) as f64 * 8.0 / interval.as_secs_f64(),
            cwnd_packets: value(|it| it.window),
            usable_window_packets: value(|it| it.usable_window.map(|window| window as f64)),
            ssthresh_packets: value(|it| it.ssthresh.filter(|ssthresh| ssthresh.is_finite())),
            in_flight_packets: value(|it| it.in_flight.map(|packets| packets as f64)),
            rtt_s: now.rtt.mean_s_since(&before.rtt),
            srtt_s: value(|it| it.rtt.map(|rtt| rtt.smoothed.as_secs_f64())),
            min_rtt_s: value(|it| it.rtt.map(|rtt| rtt.min.as_secs_f64())),
            pacing_rate_bps: value(|it| it.pacing_rate.map(|rate| rate.as_bps() as f64)),
            retransmissions: (now.retransmissions - before.retransmissions) as f64,
            goodput_bps: f64::NAN,
            access_queue_delay_s: (now.access_wait_ns - before.access_wait_ns) as f64 * NANO
                / (now.packets_sent - before.packets_sent) as f64,
        });
    }

    /// Adds the sample of the next link; `sent` and `offered` are bits since the start of the run, `interval` the
    /// length of the interval.
    pub fn link(&mut self, recorder: &LinkRecorder, sent: f64, offered: f64, interval: Span) {
        let now = (recorder.counts, sent, offered);
        let (before, sent_before, offered_before) = exchange(&mut self.link_marks, &mut self.next_link, now);
        let counts = &recorder.counts;
        let seconds = interval.as_secs_f64();
        let gone = |counts: &LinkCounts| counts.dropped() + counts.lost;
        self.links.push(LinkSample {
            rate_bps: (sent - sent_before) / seconds,
            capacity_bps: (offered - offered_before) / seconds,
            queue_packets: (counts.queue_packet_ps - before.queue_packet_ps) as f64 / interval.as_ps() as f64,
            queue_delay_s: counts.mean_wait_since(&before).map_or(f64::NAN, Span::as_secs_f64),
            arrived_packets: (counts.arrived - before.arrived) as f64,
            dropped_packets: (gone(counts) - gone(&before)) as f64,
            marked_packets: (counts.marked - before.marked) as f64,
        });
    }
}

const NANO: f64 = 1e-9;

/// Replaces the value of the last interval at `next` by `now` and returns the old value; zero before the first interval.
fn exchange<T: Default>(marks: &mut Vec<T>, next: &mut usize, now: T) -> T {
    let index = *next;
    *next += 1;
    if index == marks.len() {
        marks.push(T::default());
    }
    std::mem::replace(&mut marks[index], now)
}
