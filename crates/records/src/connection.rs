// SPDX-License-Identifier: Apache-2.0
//! A connection that is recorded on its own: a row of the table `flows`.

use crate::SenderCounts;
use crate::digest::digested;
use narrows_units::{Bytes, Span, Time};

/// Counts from both ends of one individually recorded connection.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ConnectionRecord {
    /// Index of the group of the connection.
    pub group: usize,
    /// Number of the connection in its group, from 0.
    pub number: u32,
    /// Payload to transfer; `None` for an endless flow.
    pub size: Option<Bytes>,
    /// Two-way propagation delay; zero for a connection that never started.
    pub rtt: Span,
    /// Time of its start; `None` if it never started.
    pub started: Option<Time>,
    /// Time at which it was established; `None` if it never was.
    pub established: Option<Time>,
    /// Time at which the last byte of a finite flow was acknowledged, or its last datagram arrived; `None` if that never was.
    pub completed: Option<Time>,
    /// Whether the connection could not be established or was aborted.
    pub gave_up: bool,
    /// Whether its congestion control has a slow-start threshold, and so reduces a window at losses.
    pub cuts_window: bool,
    /// Completion time of the transfer on an idle path, seconds; not a number for an endless flow.
    pub ideal_completion_s: f64,
    /// Counts of the sender at the end of the warm-up.
    pub at_warmup: SenderCounts,
    /// Counts of the sender at the end of the run.
    pub at_end: SenderCounts,
    /// Payload received by the end of the warm-up, each byte once.
    pub received_at_warmup: u64,
    /// Payload received by the end of the run, each byte once.
    pub received: u64,
    /// Number of data packets sent after the warm-up that a queue dropped or a link lost.
    pub lost: u64,
    /// Number of data packets sent after the warm-up that were marked.
    pub marked: u64,
    /// Sum of the round-trip samples up to the end of the warm-up.
    pub rtts_at_warmup: SpanSum,
    /// Sum of the round-trip samples up to the end of the run.
    pub rtts: SpanSum,
    /// Time integral of the congestion window after the warm-up while established, packets × seconds.
    pub window_seconds: f64,
    /// Time over which the window was integrated, seconds.
    pub seconds: f64,
    /// Maximum of the congestion window over that time, packets; not a number if it had none.
    pub window_peak: f64,
    /// Sum of the congestion windows just before each reduction after the warm-up, packets.
    pub before_reductions: f64,
    /// Number of reductions of the congestion window after the warm-up.
    pub reductions: u64,
    /// Time between the first and the last of these reductions.
    pub reductions_span: Span,
    /// Number of intervals between consecutive acknowledgements that the sender received after the warm-up.
    pub ack_gaps: u64,
    /// Number of these intervals that are compressed: shorter than half the transmission time of a full packet at the
    /// bottleneck.
    pub close_acks: u64,
    /// Samples by interval of the series; empty if series of flows are not recorded.
    pub series: Vec<FlowSample>,
}

digested!(ConnectionRecord {
    group, number, size, rtt, started, established, completed, gave_up, at_warmup, at_end, received_at_warmup,
    received, lost, marked, rtts_at_warmup, rtts, window_seconds, seconds, window_peak, before_reductions,
    reductions, reductions_span, ack_gaps, close_acks, series,
} not { cuts_window, ideal_completion_s });

/// A sum of durations and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SpanSum {
    /// Sum of the durations, picoseconds.
    pub ps: u128,
    /// Number of durations.
    pub count: u64,
}

digested!(SpanSum { ps, count });

/// Values of a connection in one interval; not a number if there is no value.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct FlowSample {
    /// Mean rate of sent bits, headers included, bits per second.
    pub throughput_bps: f64,
    /// Congestion window at the end of the interval, packets.
    pub cwnd_packets: f64,
    /// Window allowed by loss recovery at the end of the interval, packets.
    pub usable_window_packets: f64,
    /// Slow-start threshold at the end of the interval, packets.
    pub ssthresh_packets: f64,
    /// Packets in flight at the end of the interval.
    pub in_flight_packets: f64,
    /// Mean of the round-trip samples in the interval, seconds.
    pub rtt_s: f64,
    /// Smoothed round-trip time at the end of the interval, seconds.
    pub srtt_s: f64,
    /// Minimum round-trip time up to the end of the interval, seconds.
    pub min_rtt_s: f64,
    /// Pacing rate at the end of the interval, bits per second.
    pub pacing_rate_bps: f64,
    /// Number of packets retransmitted in the interval.
    pub retransmissions: f64,
    /// Mean rate of payload received, each byte once, bits per second.
    pub goodput_bps: f64,
    /// Mean time that a data packet waited in the queues of the access links of the two hosts, seconds.
    pub access_queue_delay_s: f64,
}

digested!(FlowSample {
    throughput_bps,
    cwnd_packets,
    usable_window_packets,
    ssthresh_packets,
    in_flight_packets,
    rtt_s,
    srtt_s,
    min_rtt_s,
    pacing_rate_bps,
    retransmissions,
    goodput_bps
} not { access_queue_delay_s });

impl SpanSum {
    /// Adds `span` to the sum.
    pub fn add(&mut self, span: Span) {
        self.ps += u128::from(span.as_ps());
        self.count += 1;
    }

    /// Returns the mean of the durations added since `earlier`, seconds; not a number if there are none.
    pub fn mean_s_since(&self, earlier: &Self) -> f64 {
        (self.ps - earlier.ps) as f64 * 1e-12 / (self.count - earlier.count) as f64
    }
}
