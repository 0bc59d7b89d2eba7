// SPDX-License-Identifier: Apache-2.0
//! Counts of the clients of applications: what their users perceive.

use crate::Histogram;
use crate::digest::digested;
use narrows_units::Span;

/// Counts of all clients of a group after the warm-up.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ApplicationCounts {
    /// Counts of video players.
    pub video: VideoCounts,
    /// Times in which pages were loaded.
    pub pages: Histogram,
    /// Of probes of responsiveness.
    pub probes: ProbeTimes,
    /// Of frames of calls and games.
    pub frames: FrameCounts,
}

digested!(ApplicationCounts { video, pages, probes, frames });

/// Counts of frames of live video.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FrameCounts {
    /// Number of frames captured and encoded.
    pub captured: u64,
    /// Sum of the rates at which they were encoded, bits per second.
    pub rates_bps: u128,
    /// Number of frames skipped.
    pub skipped: u64,
    /// Number of frames that were late.
    pub late: u64,
    /// Times from the capture to the receipt of frames.
    pub delays: Histogram,
    /// Number of frames counted as late at their deadline, whether they were received later or not.
    #[serde(default)]
    pub missing: u64,
    /// Number of those that were received later.
    #[serde(default)]
    pub overdue: u64,
    /// Number of streams opened for groups of frames.
    #[serde(default)]
    pub streams: u64,
    /// Payload that had been sent of streams that were reset, bytes.
    #[serde(default)]
    pub reset_bytes: u64,
}

digested!(FrameCounts { captured, rates_bps, skipped, late, delays } not { missing, overdue, streams, reset_bytes });

/// Counts of players of video.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct VideoCounts {
    /// Number of segments received.
    pub segments: u64,
    /// Number of segments whose bit rate differs from the previous segment's.
    pub switches: u64,
    /// Sum of their bit rates times their durations, bits per second × picoseconds.
    pub rate_ps: u128,
    /// Sum of their durations, picoseconds.
    pub segment_ps: u128,
    /// Times from the start of a player to the start of playback.
    pub startups: Histogram,
    /// Sum of the times during which players played, picoseconds.
    pub played_ps: u128,
    /// Number of times that playback stopped because the buffer was empty.
    pub stalls: u64,
    /// Sum of the times during which players did not play after their start-up, picoseconds.
    pub stalled_ps: u128,
}

digested!(VideoCounts { segments, switches, rate_ps, segment_ps, startups, played_ps, stalls, stalled_ps });

/// Times of probes of responsiveness.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ProbeTimes {
    /// TCP handshakes of separate connections.
    pub tcp: Histogram,
    /// TLS handshakes of separate connections.
    pub tls: Histogram,
    /// Small objects over separate connections.
    pub http: Histogram,
    /// Small objects over load-generating connections.
    pub loaded: Histogram,
}

digested!(ProbeTimes { tcp, tls, http, loaded });

impl ApplicationCounts {
    /// Adds the counts `other` to these.
    pub fn merge(&mut self, other: &Self) {
        self.video.merge(&other.video);
        self.pages.merge(&other.pages);
        self.frames.merge(&other.frames);
        for (mine, theirs) in [
            (&mut self.probes.tcp, &other.probes.tcp),
            (&mut self.probes.tls, &other.probes.tls),
            (&mut self.probes.http, &other.probes.http),
            (&mut self.probes.loaded, &other.probes.loaded),
        ] {
            mine.merge(theirs);
        }
    }
}

impl FrameCounts {
    /// Counts a frame that was encoded at `bps` bits per second.
    pub fn add_captured(&mut self, bps: u64) {
        self.captured += 1;
        self.rates_bps += u128::from(bps);
    }

    /// Counts a frame that was received `delay` after its capture.
    pub fn add_received(&mut self, delay: Span, late: bool) {
        self.delays.add(delay);
        self.late += u64::from(late);
    }

    /// Counts a frame that was not received by its deadline.
    pub fn add_missing(&mut self) {
        self.late += 1;
        self.missing += 1;
    }

    /// Counts a frame that was received `delay` after its capture, and counted as missing before.
    pub fn add_overdue(&mut self, delay: Span) {
        self.delays.add(delay);
        self.overdue += 1;
    }

    /// Returns the number of frames of which it is known that they were received, late or skipped.
    pub fn known(&self) -> u64 {
        self.delays.total() - self.overdue + self.missing + self.skipped
    }

    fn merge(&mut self, other: &Self) {
        self.captured += other.captured;
        self.rates_bps += other.rates_bps;
        self.skipped += other.skipped;
        self.late += other.late;
        self.delays.merge(&other.delays);
        self.missing += other.missing;
        self.overdue += other.overdue;
        self.streams += other.streams;
        self.reset_bytes += other.reset_bytes;
    }
}

impl VideoCounts {
    /// Counts a segment of `duration` at `bps` bits per second; `switched` says whether the one before had another rate.
    pub fn add_segment(&mut self, bps: u64, duration: Span, switched: bool) {
        self.segments += 1;
        self.switches += u64::from(switched);
        self.rate_ps += u128::from(bps) * u128::from(duration.as_ps());
        self.segment_ps += u128::from(duration.as_ps());
    }

    /// Whether some player received a segment, played or waited.
    pub fn is_any(&self) -> bool {
        self.segments > 0 || self.played_ps > 0 || self.stalled_ps > 0
    }

    fn merge(&mut self, other: &Self) {
        self.segments += other.segments;
        self.switches += other.switches;
        self.rate_ps += other.rate_ps;
        self.segment_ps += other.segment_ps;
        self.startups.merge(&other.startups);
        self.played_ps += other.played_ps;
        self.stalls += other.stalls;
        self.stalled_ps += other.stalled_ps;
    }
}
