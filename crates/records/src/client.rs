// SPDX-License-Identifier: Apache-2.0
//! Clients of applications over time, and what their users perceive of single frames, pages and segments. The tables `clients` and
//! `client_events`.

use crate::{EventRow, PacketPlace};
use narrows_units::{Bytes, Span, Time};

/// A client of an application that is recorded over time.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ClientRecord {
    /// Index of its group.
    pub group: usize,
    /// Its number within the group.
    pub number: u32,
    /// Samples at the ends of the intervals.
    pub series: Vec<ClientSample>,
}

/// Counts of a client in one interval, and its state at the end.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct ClientSample {
    /// Number of frames captured and encoded.
    pub captured: u64,
    /// Number of frames skipped.
    pub skipped: u64,
    /// Number of frames received.
    pub received: u64,
    /// Number of frames that were late.
    pub late: u64,
    /// Longest time from the capture of a frame to its receipt.
    pub longest_delay: Span,
    /// Number of pages loaded.
    pub pages: u64,
    /// Sum of the times in which they were loaded.
    pub page_time: Span,
    /// Number of probes that ended.
    pub probes: u64,
    /// Sum of the times that they took.
    pub probe_time: Span,
    /// Time during which video played.
    pub played: Span,
    /// Time during which video did not play after its start-up.
    pub stalled: Span,
    /// Bit rate of the last frame encoded or segment received, bits per second; not a number before the first.
    pub bitrate_bps: f64,
    /// Data that waits at the server when a frame is captured, bytes; not a number before the first frame.
    pub waiting_bytes: f64,
    /// Playback time in the buffer, seconds; not a number for an application without playback.
    pub buffer_s: f64,
    /// Time since the start of the page that is being loaded, seconds; not a number while none is.
    pub loading_s: f64,
    /// Rate that the controllers of its servers permit, bits per second; not a number without an open connection.
    pub permitted_bps: f64,
    /// Sum of the congestion windows of its servers, packets; not a number without an open connection.
    pub cwnd_packets: f64,
    /// Greatest smoothed round-trip time of its servers, seconds; not a number without an open connection.
    pub srtt_s: f64,
}

impl Default for ClientSample {
    fn default() -> Self {
        Self {
            captured: 0,
            skipped: 0,
            received: 0,
            late: 0,
            longest_delay: Span::ZERO,
            pages: 0,
            page_time: Span::ZERO,
            probes: 0,
            probe_time: Span::ZERO,
            played: Span::ZERO,
            stalled: Span::ZERO,
            bitrate_bps: f64::NAN,
            waiting_bytes: f64::NAN,
            buffer_s: f64::NAN,
            loading_s: f64::NAN,
            permitted_bps: f64::NAN,
            cwnd_packets: f64::NAN,
            srtt_s: f64::NAN,
        }
    }
}

impl ClientSample {
    /// Adds `other`, of the other side of the client's connections; each side has a state of its own.
    pub fn merge(&mut self, other: &Self) {
        self.captured += other.captured;
        self.skipped += other.skipped;
        self.received += other.received;
        self.late += other.late;
        self.longest_delay = self.longest_delay.max(other.longest_delay);
        self.pages += other.pages;
        self.page_time += other.page_time;
        self.probes += other.probes;
        self.probe_time += other.probe_time;
        self.played += other.played;
        self.stalled += other.stalled;
        for (mine, theirs) in [
            (&mut self.bitrate_bps, other.bitrate_bps),
            (&mut self.waiting_bytes, other.waiting_bytes),
            (&mut self.buffer_s, other.buffer_s),
            (&mut self.loading_s, other.loading_s),
            (&mut self.permitted_bps, other.permitted_bps),
            (&mut self.cwnd_packets, other.cwnd_packets),
            (&mut self.srtt_s, other.srtt_s),
        ] {
            if mine.is_nan() {
                *mine = theirs;
            }
        }
    }

    /// Returns the state at the end of the interval as that at the start of the next.
    #[must_use]
    pub fn carried(&self) -> Self {
        Self { bitrate_bps: self.bitrate_bps, waiting_bytes: self.waiting_bytes, ..Self::default() }
    }
}

/// The log of events of recorded clients.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ClientEventLog {
    /// Entries in order of time, then place.
    pub rows: Vec<ClientEventRow>,
    /// Time at which the log was full, if it ever was; the log has all entries before it.
    pub full_at: Option<Time>,
}

/// An entry of the log of events of recorded clients.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ClientEventRow {
    /// Time of the event.
    pub at: Time,
    /// Place of the event: the sender, which is the server, the receiver, which is the client, or a link.
    pub place: PacketPlace,
    /// Index of the client's group.
    pub group: u32,
    /// Number of the client within its group.
    pub client: u32,
    /// The event.
    pub event: ClientEvent,
}

/// An event of a client.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ClientEvent {
    /// An event of the data of one of its servers.
    Flow(EventRow),
    /// An event that its user perceives.
    Perceived(Perceived),
}

/// An event that the user of an application perceives.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Perceived {
    /// The event.
    pub kind: PerceivedKind,
    /// Duration of what ended with it: the delay of a frame, the age of the oldest data at a skipped one, the time of a page, a probe, a
    /// start-up or a stall.
    pub span: Span,
    /// Bit rate of a segment of video, bits per second.
    pub bitrate_bps: Option<u64>,
    /// Data that waited at the server when a frame was skipped.
    pub waiting: Option<Bytes>,
    /// The object of a page that took longest.
    pub slowest: Option<SlowestObject>,
}

/// The object of a page that took longest from when it could be requested to its receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SlowestObject {
    /// Number of its level on the page, from 0.
    pub level: u32,
    /// Its number within the level, from 0.
    pub index: u32,
    /// Its size.
    pub size: Bytes,
    /// Time from when it could be requested to its request.
    pub waited: Span,
    /// Time from when it could be requested to its receipt.
    pub took: Span,
}

/// Kind of an event that a user perceives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PerceivedKind {
    /// A frame was received late, or not received by its deadline.
    LateFrame,
    /// A frame was skipped.
    SkippedFrame,
    /// A page was loaded.
    Page,
    /// Video began to play.
    Startup,
    /// Video played again after a stall.
    Stall,
    /// A segment of video had another bit rate than the one before.
    Switch,
    /// A TCP handshake of a probe ended.
    ProbeTcp,
    /// A TLS handshake of a probe ended.
    ProbeTls,
    /// A small object arrived over a separate connection.
    ProbeHttp,
    /// A small object arrived over a loaded connection.
    ProbeLoaded,
}
