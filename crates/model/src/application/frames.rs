// SPDX-License-Identifier: Apache-2.0
//! Live video in frames: a call, or a game that is computed at a server. The encoder follows the congestion controller.
//!
//! Source of the encoder's rate: RFC 8698 (NADA), §5.2.2, equations 11 and 13, with the controller of the connection in place
//! of NADA's. With r_ref the rate that the controller permits, R its bounds, b the bytes that wait at the sender and F the
//! frames per second:
//!
//! * r_diff = min(0.05 r_ref, 0.1 · 8 b F), and the rate is max(R_min, min(R_max, r_ref − r_diff));
//! * r_ref is the target of a controller that has one, else the congestion window over the smoothed round-trip time, or the pacing
//!   rate if that is lower;
//! * a frame of rate / (8 F) bytes is captured every 1 / F seconds;
//! * a frame is skipped, as by an encoder that waits for its channel, if data of a frame that was captured longer than
//!   `skip` ago has not been sent.
//!
//! The delay of a frame is the time from its capture to the receipt of its last byte, and of all bytes before.
//!
//! Deviations: over a reliable transport that delivers in order, so that a lost packet delays the frames after it
//! instead of damaging its own; all frames of a rate have the same size, without key frames; no time to encode and to
//! decode; no sound; actions of the user of a game are not sent.

use super::{Event, Io, Object, Observation, REQUEST};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::VecDeque;

/// A source of frames and its viewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FramesModel {
    /// Frames per second, above zero.
    pub fps: u32,
    /// Least bit rate of the encoder.
    pub minimum: Rate,
    /// Greatest bit rate of the encoder; at least `minimum`.
    pub maximum: Rate,
    /// Delay above which a frame is late.
    pub deadline: Span,
    /// Age of data that has not been sent above which frames are skipped.
    pub skip: Span,
}

/// The state of a viewer.
#[derive(Debug)]
pub struct Viewer {
    deadline: Span,
    watching: bool,
}

/// The state of a source of frames.
#[derive(Clone, Debug)]
pub struct Encoder {
    model: FramesModel,
    /// Time of the next frame.
    due: Time,
    /// Bytes of all frames so far.
    written: u64,
    /// Frames that have not been sent in full: the end of each in bytes of all frames, and the time of its capture.
    unsent: VecDeque<(u64, Time)>,
}

impl Viewer {
    /// Creates a viewer before it starts.
    pub(super) fn new(model: &FramesModel) -> Self {
        Self { deadline: model.deadline, watching: false }
    }

    pub(super) fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        match event {
            Event::Opened(connection) => io.request(connection, REQUEST, Object::Frames),
            Event::Received(_, _, captured) => {
                let delay = io.now - captured;
                io.observe(Observation::Frame { delay, late: delay > self.deadline });
            }
            Event::Start | Event::Failed(_) => self.watching = io.open().is_some(),
            // Its connection may be opened again.
            Event::Timer => self.watching = self.watching || io.open().is_some(),
            Event::Captured(_) => {}
        }
    }
}

impl Encoder {
    /// Creates an encoder that captures its first frame at `now`.
    pub(super) fn new(model: FramesModel, now: Time) -> Self {
        Self { model, due: now, written: 0, unsent: VecDeque::new() }
    }

    /// Returns the time of the next frame.
    pub fn next_wake(&self) -> Time {
        self.due
    }

    /// Captures the frame that is due at `now`, when the first `sent` bytes of all frames have been sent and the controller
    /// permits `reference`, unknown if `None`. Returns the size of the frame; `None` if it is skipped.
    pub fn capture(&mut self, now: Time, sent: u64, reference: Option<Rate>) -> (Option<Bytes>, Observation) {
        let FramesModel { fps, minimum, maximum, skip, .. } = self.model;
        let interval = Span::from_ps(SECOND_PS / u64::from(fps));
        self.due = now + interval;
        while self.unsent.front().is_some_and(|(end, _)| *end <= sent) {
            self.unsent.pop_front();
        }
        let waiting = Bytes::new(self.written - sent);
        if let Some((_, captured)) = self.unsent.front()
            && now - *captured > skip
        {
            return (None, Observation::Skipped { waiting, age: now - *captured });
        }
        let permitted = reference.unwrap_or(minimum).as_bps() as f64;
        let waiting_bits = waiting.bits() as f64;
        let less = (permitted * MOST_LESS).min(BETA_V * waiting_bits * f64::from(fps));
        let rate = Rate::from_bps_f64(permitted - less).min(maximum).max(minimum);
        let size = rate.bytes_in(interval).max(Bytes::new(1));
        self.written += size.count();
        self.unsent.push_back((self.written, now));
        (Some(size), Observation::Captured { rate, waiting })
    }
}

const SECOND_PS: u64 = 1_000_000_000_000;

/// BETA_V of RFC 8698, §5.2.2.
const BETA_V: f64 = 0.1;

/// Greatest part of the permitted rate by which the encoder stays below it (RFC 8698, equation 11).
const MOST_LESS: f64 = 0.05;
