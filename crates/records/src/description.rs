// SPDX-License-Identifier: Apache-2.0
//! The description of a run as needed by metrics, checks and tables: names, and properties that do not follow from counts.

use narrows_units::{Span, Time};

/// Description of the run that produced the records.
#[derive(Clone, Debug, Default)]
pub struct RunDescription {
    /// Duration of the run, in simulated time.
    pub duration: Span,
    /// End of the warm-up, where metrics start.
    pub warmup: Span,
    /// Whether the end of the warm-up was found; `None` if the scenario gives it.
    pub warmup_found: Option<bool>,
    /// Assumptions about the files that the scenario names, one sentence each.
    pub assumed: Vec<String>,
    /// Groups of flows, in the order of the scenario.
    pub groups: Vec<GroupDescription>,
    /// Recorded links (all except access links), in the order of the model.
    pub links: Vec<LinkDescription>,
    /// Names of the classes of files, in the order of their indices.
    pub file_classes: Vec<String>,
    /// Names of the classes of paths, in the order of their indices.
    pub path_classes: Vec<String>,
    /// Maximum number of entries of the packet log; `None` if packets are not logged.
    pub packet_limit: Option<u64>,
    /// Maximum number of entries of the log of events; `None` if events are not logged.
    pub event_limit: Option<u64>,
    /// Maximum number of entries of the log of events of clients; `None` if these are not logged.
    pub client_event_limit: Option<u64>,
    /// Number of clients of each group with an application that are recorded over time.
    pub clients: u32,
    /// Whether inner variables are recorded.
    pub internals: bool,
}

/// Description of a group of flows.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct GroupDescription {
    /// Name of the group in the scenario.
    pub name: String,
    /// Algorithm with its parameters, as in `aimd(a=1,b=0.8)`.
    pub algorithm: String,
    /// Number of connections that the scenario describes; `None` if it is random.
    pub flows: Option<u64>,
    /// Whether its flows are finite.
    pub finite: bool,
    /// Whether its flows carry the data of clients of an application.
    pub application: bool,
    /// Whether something else than congestion control is to determine what its flows send: an application that writes
    /// over time, or an algorithm without congestion control.
    pub source_limited: bool,
    /// Index into [`RunDescription::links`] of its bottleneck, the link with the lowest rate on its route; `None` if
    /// its packets share no link.
    pub bottleneck: Option<usize>,
    /// Whether some of its data takes a route without its bottleneck, so that this does not bound what it receives.
    pub leaves_bottleneck: bool,
    /// Size of its largest data packet at its bottleneck, framing included, bits.
    pub packet_bits: f64,
    /// Highest bit rate at which its application encodes, bits per second; `None` if it has none.
    pub highest_bitrate_bps: Option<f64>,
    /// Whether its packets are ECN-capable.
    pub ecn: bool,
    /// Queue discipline that must be at the bottleneck to answer the group's requests to routers; `None` if it sends no
    /// requests.
    pub asks: Option<&'static str>,
    /// Whether the state of its senders is not observed, as if programs carry it in real time.
    pub hidden_senders: bool,
}

impl GroupDescription {
    /// Whether its flows always have data to send, and congestion control alone determines how much they send.
    pub fn is_greedy(&self) -> bool {
        !self.finite && !self.source_limited
    }
}

/// Description of a recorded link.
#[derive(Clone, Debug, Default)]
pub struct LinkDescription {
    /// Name of the link in the scenario.
    pub name: String,
    /// Name of its queue discipline.
    pub queue: String,
    /// Whether its buffer has a limit.
    pub limited: bool,
    /// Greatest number of packets that can wait; `None` if nothing but bytes limits them.
    pub most_packets: Option<f64>,
    /// Greatest number of bytes that can wait; `None` without a limit.
    pub most_bytes: Option<f64>,
    /// Longest time that a packet can wait, seconds; `None` unless one queue with a limit is served in order at a constant
    /// rate, without framing.
    pub longest_wait_s: Option<f64>,
    /// Highest rate of the link, bits per second.
    pub highest_bps: f64,
    /// Rate of the slowest policer behind the queue, bits per second; `None` without a policer.
    pub policed_bps: Option<f64>,
    /// Depth of the bucket of a policer, which passes as much beyond its rate once, bits.
    pub policer_burst_bits: f64,
    /// Indices of the groups whose data crosses it, with the fraction of each group's connections that do, above 0 up
    /// to 1.
    pub crossed_by: Vec<(usize, f64)>,
}

impl LinkDescription {
    /// Returns how many of the `offered_bits` the policer of the link passes in `seconds`; all without a policer.
    pub fn passed_bits(&self, offered_bits: f64, seconds: f64) -> f64 {
        self.policed_bps
            .map_or(offered_bits, |rate| offered_bits.min(rate * seconds + self.policer_burst_bits))
    }
}

impl RunDescription {
    /// Returns the time over which metrics are taken, seconds.
    pub fn measured_s(&self) -> f64 {
        (self.duration - self.warmup).as_secs_f64()
    }

    /// Returns the end of the warm-up.
    pub fn measured_from(&self) -> Time {
        Time::ZERO + self.warmup
    }
}
