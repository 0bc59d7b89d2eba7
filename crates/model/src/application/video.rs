// SPDX-License-Identifier: Apache-2.0
//! A video player that fetches segments one after another and chooses the bit rate of each.
//!
//! Sources: the player and its metrics as in Yin, Jindal, Sekar, Sinopoli, "A Control-Theoretic Approach for Dynamic
//! Adaptive Video Streaming over HTTP", SIGCOMM 2015, §3; the rules of adaptation as named at each.
//!
//! With B the playback time in the buffer, L the duration of a segment and R₁ < … < R_M the ladder of bit rates:
//!
//! * a segment is requested when the one before has been received and B + L ≤ the buffer's limit;
//! * playback begins when B reaches the threshold, and again after each time that B was 0.
//!
//! Deviations: all segments of a bit rate have the same size; the video has no end; one connection for all segments,
//! opened again if it breaks.

use super::{Event, Io, Object, Observation, REQUEST};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::VecDeque;

/// A video player.
#[derive(Clone, Debug)]
pub struct VideoModel {
    /// Bit rates, ascending; at least one.
    pub ladder: Vec<Rate>,
    /// Duration of a segment.
    pub segment: Span,
    /// Most playback time in the buffer; at least one segment.
    pub buffer: Span,
    /// Playback time in the buffer at which playback begins, and goes on after a stall; at most `buffer`.
    pub startup: Span,
    /// The choice of bit rates.
    pub adaptation: Adaptation,
}

/// A rule for the choice of the bit rate of the next segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Adaptation {
    /// The highest bit rate up to `safety` times the harmonic mean of the throughput of the last `samples` segments; the
    /// lowest before the first (the rate-based player of Yin et al. 2015, §7.1).
    Throughput {
        /// Number of segments.
        samples: u32,
        /// Factor, above 0 and up to 1.
        safety: f64,
    },
    /// BBA-0 (Huang et al., SIGCOMM 2014, Algorithm 1): f(B) rises linearly from R₁ at the reservoir to R_M at the end of the
    /// cushion; the bit rate changes when f(B) crosses the next one.
    Buffer {
        /// Buffer up to which the bit rate is the lowest.
        reservoir: Span,
        /// Range of the buffer over which f rises.
        cushion: Span,
    },
    /// BOLA-BASIC (Spiteri, Urgaonkar, Sitaraman, INFOCOM 2016, §IV): the bit rate with the greatest
    /// (V (ln(R_m / R₁) + γp) − B / L) / R_m, with V = (buffer / L − 1) / (ln(R_M / R₁) + γp).
    Bola {
        /// γp: weight of smooth playback against quality, above 0.
        smoothness: f64,
    },
}

/// The state of a player.
#[derive(Debug)]
pub struct Player {
    model: VideoModel,
    started: Time,
    connection: Option<u32>,
    /// Whether a segment is being fetched, and since when.
    requested: Option<Time>,
    /// Bit rate of the segment that is being fetched or was fetched last: an index into the ladder.
    quality: usize,
    /// Bit rate of the last segment received.
    received: Option<usize>,
    /// Throughput of the last segments, bits per second.
    throughputs: VecDeque<f64>,
    /// Playback time in the buffer at `at`.
    level: Span,
    at: Time,
    playback: Playback,
    /// Time for which playback has stood still since the buffer was last empty.
    stalled: Span,
    /// Time of the next request; `NEVER` if none is due.
    due: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Playback {
    /// Playback has not begun.
    Starting,
    Playing,
    /// Playback has stopped, since the buffer was empty.
    Stalled,
}

impl Player {
    /// Creates a player before it starts.
    pub(super) fn new(model: VideoModel) -> Self {
        Self {
            model,
            started: Time::ZERO,
            connection: None,
            requested: None,
            quality: 0,
            received: None,
            throughputs: VecDeque::new(),
            level: Span::ZERO,
            at: Time::ZERO,
            playback: Playback::Starting,
            stalled: Span::ZERO,
            due: Time::NEVER,
        }
    }

    pub(super) fn next_wake(&self) -> Time {
        self.due
    }

    pub(super) fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        match event {
            Event::Start => {
                (self.started, self.at) = (io.now, io.now);
                self.connect(io);
            }
            Event::Opened(_) => self.request(io),
            Event::Received(..) => self.on_segment(io),
            Event::Captured(_) => {}
            Event::Failed(_) => {
                self.connection = None;
                self.requested = None;
                self.connect(io);
            }
            Event::Timer => {
                if self.connection.is_none() {
                    self.connect(io);
                } else if self.due <= io.now {
                    self.request(io);
                }
            }
        }
    }

    /// Accounts for playback until now.
    pub(super) fn bring_up(&mut self, io: &mut Io<'_>) {
        let elapsed = io.now - self.at;
        self.at = io.now;
        match self.playback {
            Playback::Starting => {}
            Playback::Playing => {
                let played = elapsed.min(self.level);
                self.level = self.level - played;
                io.observe(Observation::Played(played));
                if elapsed > played {
                    self.playback = Playback::Stalled;
                    self.stalled = elapsed - played;
                    io.observe(Observation::Stall);
                    io.observe(Observation::Stalled(elapsed - played));
                }
            }
            Playback::Stalled => {
                self.stalled += elapsed;
                io.observe(Observation::Stalled(elapsed));
            }
        }
    }

    /// Returns the playback time in the buffer when it was last accounted for.
    pub(super) fn buffer(&self) -> Span {
        self.level
    }

    fn connect(&mut self, io: &mut Io<'_>) {
        self.due = Time::NEVER;
        self.connection = io.open();
    }

    fn request(&mut self, io: &mut Io<'_>) {
        self.due = Time::NEVER;
        let Some(connection) = self.connection else { return };
        self.bring_up(io);
        self.quality = self.choose();
        self.requested = Some(io.now);
        io.request(connection, REQUEST, Object::Of(self.size(self.quality)));
    }

    /// Size of a segment.
    fn size(&self, quality: usize) -> Bytes {
        self.model.ladder[quality].bytes_in(self.model.segment).max(Bytes::new(1))
    }

    fn on_segment(&mut self, io: &mut Io<'_>) {
        let Some(since) = self.requested.take() else { return };
        let VideoModel { segment, buffer, startup, .. } = self.model;
        if let Adaptation::Throughput { samples, .. } = self.model.adaptation {
            let seconds = (io.now - since).as_secs_f64();
            self.throughputs.push_back(self.size(self.quality).bits() as f64 / seconds);
            if self.throughputs.len() > samples as usize {
                self.throughputs.pop_front();
            }
        }
        self.bring_up(io);
        self.level += segment;
        let switched = self.received.is_some_and(|before| before != self.quality);
        self.received = Some(self.quality);
        let rate = self.model.ladder[self.quality];
        io.observe(Observation::Segment { rate, duration: segment, switched });
        if self.playback != Playback::Playing && self.level >= startup {
            io.observe(match self.playback {
                Playback::Starting => Observation::Startup(io.now - self.started),
                Playback::Playing | Playback::Stalled => Observation::Resumed(self.stalled),
            });
            self.playback = Playback::Playing;
        }
        let excess = (self.level + segment).saturating_sub(buffer);
        if excess == Span::ZERO || self.playback != Playback::Playing {
            self.request(io);
        } else {
            self.due = io.now + excess;
        }
    }

    /// Bit rate of the next segment: an index into the ladder.
    fn choose(&self) -> usize {
        let VideoModel { ladder, segment, buffer, adaptation, .. } = &self.model;
        let Some(before) = self.received else { return 0 };
        let last = ladder.len() - 1;
        let bps = |index: usize| ladder[index].as_bps() as f64;
        match *adaptation {
            Adaptation::Throughput { safety, .. } => {
                let inverses: f64 = self.throughputs.iter().map(|each| 1.0 / each).sum();
                let estimate = self.throughputs.len() as f64 / inverses * safety;
                (0..=last).rev().find(|index| bps(*index) <= estimate).unwrap_or(0)
            }
            Adaptation::Buffer { reservoir, cushion } => {
                let above = self.level.saturating_sub(reservoir).as_secs_f64() / cushion.as_secs_f64();
                let f = bps(0) + (bps(last) - bps(0)) * above.min(1.0);
                if above >= 1.0 {
                    last
                } else if above <= 0.0 {
                    0
                } else if f >= bps((before + 1).min(last)) {
                    (0..=last).rev().find(|index| bps(*index) < f).unwrap_or(0)
                } else if f <= bps(before.saturating_sub(1)) {
                    (0..=last).find(|index| bps(*index) > f).unwrap_or(last)
                } else {
                    before
                }
            }
            Adaptation::Bola { smoothness } => {
                let utility = |index: usize| libm::log(bps(index) / bps(0)) + smoothness;
                let segments = |span: Span| span.as_secs_f64() / segment.as_secs_f64();
                let v = (segments(*buffer) - 1.0) / utility(last);
                let score = |index: usize| (v * utility(index) - segments(self.level)) / bps(index);
                (0..=last).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(0)
            }
        }
    }
}
