// SPDX-License-Identifier: Apache-2.0
//! Live video in groups of frames over a protocol stack, in the shape of Media over QUIC.
//!
//! Source: draft-ietf-moq-transport-16, section 2 (a group of pictures is a group, each of its frames an object, and objects of a
//! group that depend on each other are sent on one stream) and section 9.2.2.2 (delivery timeout), its order of groups, newest first, and
//! its objects in datagrams.
//!
//! * A group has N frames, captured every 1 / F seconds. The first, a key frame, is K times as large as each of the others, and all of
//!   them have N · R / (8 F) bytes in total, R being the bit rate, which is constant.
//! * Over streams, the server opens one for each group, and streams of newer groups are sent first. It resets the stream if a frame that
//!   was captured longer than the deadline ago has not been sent in full; the group then has no more frames for the viewer.
//! * In datagrams, frames are sent in the order of their capture, cut into datagrams of the largest size; the rest of a frame whose
//!   deadline has passed is not sent.
//!
//! A frame is late if the viewer has not received it in full when its deadline has passed, whether it arrives later or not.
//!
//! Deviations: a stream has no header, and a datagram one of eight bytes; the draft has an object in one datagram, and here a frame can
//! be several objects. A frame that has been sent is not reset while a lost packet of it is sent again. No relays, no sound, no choice among
//! encodings.

use super::{Event, Io, Object, Observation, REQUEST};
use narrows_units::{Bytes, Rate, Span, Time};
use std::collections::{BTreeSet, VecDeque};

/// A source of groups of frames and its viewer.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectsModel {
    /// Frames per second, above zero.
    pub fps: u32,
    /// Mean bit rate of the frames, above zero.
    pub bitrate: Rate,
    /// Frames of a group, above zero.
    pub group: u32,
    /// Size of the first frame of a group over the size of each other, at least 1.
    pub key_frame: f64,
    /// Time from the capture of a frame after which it is late, and after which the rest of it is not sent.
    pub deadline: Span,
    /// What carries the frames.
    pub delivery: Delivery,
}

/// What carries frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A stream for each group.
    Streams,
    /// Datagrams, which are not sent again (RFC 9221).
    Datagrams,
}

/// The state of a viewer.
#[derive(Debug)]
pub struct Viewer {
    deadline: Span,
    watching: bool,
    /// Captures of the frames that have neither been received nor become late.
    awaited: BTreeSet<Time>,
}

/// The state of a source of frames.
#[derive(Clone, Debug)]
pub struct Publisher {
    model: ObjectsModel,
    /// Time of the next frame.
    due: Time,
    /// Frames captured so far.
    frames: u64,
    /// The group that the present frames belong to, its bytes so far, and whether its stream has been reset.
    group: (u64, u64, bool),
    /// Bytes of all frames, without the unsent bytes of reset streams.
    written: u64,
    /// Frames whose deadline has not passed, in order.
    open: VecDeque<OpenFrame>,
}

/// A frame whose deadline has not passed.
#[derive(Clone, Copy, Debug)]
struct OpenFrame {
    captured: Time,
    /// Number of its group, or of itself in datagrams.
    carrier: u64,
    /// Its end in bytes of the stream, or of itself.
    end: u64,
}

/// A frame that has been captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of its stream, or of itself in datagrams, from 0.
    pub carrier: u64,
    /// Its size.
    pub size: Bytes,
    /// Its end in bytes of the stream, or of itself.
    pub end: u64,
    /// Whether nothing else is carried with it.
    pub last: bool,
    /// Whether it is not to be sent, since the stream has been reset.
    pub dropped: bool,
}

impl Viewer {
    /// Creates a viewer before it starts.
    pub(super) fn new(model: &ObjectsModel) -> Self {
        Self { deadline: model.deadline, watching: false, awaited: BTreeSet::new() }
    }

    pub(super) fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        while self.next_wake() <= io.now {
            self.awaited.pop_first();
            io.observe(Observation::Missing(self.deadline));
        }
        match event {
            Event::Opened(connection) => io.request(connection, REQUEST, Object::Frames),
            Event::Captured(captured) => {
                self.awaited.insert(captured);
            }
            Event::Received(_, _, captured) => {
                let delay = io.now - captured;
                let overdue = !self.awaited.remove(&captured);
                io.observe(if overdue {
                    Observation::Overdue(delay)
                } else {
                    Observation::Frame { delay, late: false }
                });
            }
            Event::Start | Event::Failed(_) => self.watching = io.open().is_some(),
            // Its connection may be opened again.
            Event::Timer => self.watching = self.watching || io.open().is_some(),
        }
    }

    /// Returns the time at which the next frame is late.
    pub(super) fn next_wake(&self) -> Time {
        // A frame that arrives at its deadline is not late.
        let late = |captured: &Time| *captured + self.deadline + Span::from_ps(1);
        self.awaited.first().map_or(Time::NEVER, late)
    }
}

impl Publisher {
    /// Creates a source that captures its first frame at `now`.
    pub(super) fn new(model: ObjectsModel, now: Time) -> Self {
        Self { model, due: now, frames: 0, group: (0, 0, false), written: 0, open: VecDeque::new() }
    }

    /// Returns what carries the frames.
    pub fn delivery(&self) -> Delivery {
        self.model.delivery
    }

    /// Returns the time of the next frame.
    pub fn next_frame(&self) -> Time {
        self.due
    }

    /// Returns the time of the next frame, or of the next deadline.
    pub fn next_wake(&self) -> Time {
        self.open.front().map_or(self.due, |frame| self.due.min(frame.captured + self.model.deadline))
    }

    /// Captures the frame that is due at `now`, when `sent` bytes of all frames have been sent.
    pub fn capture(&mut self, now: Time, sent: u64) -> (Frame, Observation) {
        let ObjectsModel { fps, bitrate, group, delivery, .. } = self.model;
        self.due = now + Span::from_ps(SECOND_PS / u64::from(fps));
        let place = self.frames % u64::from(group);
        if place == 0 {
            self.group = (self.frames / u64::from(group), 0, false);
        }
        let size = self.size(place == 0);
        let (number, bytes, reset) = &mut self.group;
        let dropped = *reset;
        let (carrier, end, last) = match delivery {
            Delivery::Streams => {
                *bytes += size;
                (*number, *bytes, place + 1 == u64::from(group))
            }
            Delivery::Datagrams => (self.frames, size, true),
        };
        let waiting = Bytes::new(self.written.saturating_sub(sent));
        self.frames += 1;
        if !dropped {
            self.written += size;
            self.open.push_back(OpenFrame { captured: now, carrier, end });
        }
        let frame = Frame { carrier, size: Bytes::new(size), end, last, dropped };
        (frame, Observation::Captured { rate: bitrate, waiting })
    }

    /// Returns the number of the stream, or of the frame in datagrams, of the next frame whose deadline has passed by `now`, and the end of
    /// the frame in bytes of that; `None` if there is none.
    pub fn expired(&mut self, now: Time) -> Option<(u64, u64)> {
        let deadline = self.model.deadline;
        let OpenFrame { carrier, end, .. } =
            *self.open.front().filter(|frame| frame.captured + deadline <= now)?;
        self.open.pop_front();
        Some((carrier, end))
    }

    /// Nothing more is sent of what `carrier` carries, of which `unsent` bytes have not been.
    pub fn on_reset(&mut self, carrier: u64, unsent: u64) {
        self.written = self.written.saturating_sub(unsent);
        if self.model.delivery == Delivery::Streams {
            self.open.retain(|frame| frame.carrier != carrier);
            let (number, _, reset) = &mut self.group;
            *reset |= *number == carrier;
        }
    }

    /// The size of a frame, bytes.
    fn size(&self, key: bool) -> u64 {
        let ObjectsModel { fps, bitrate, group, key_frame, .. } = self.model;
        let mean = bitrate.as_bps() as f64 / 8.0 / f64::from(fps);
        let others = mean * f64::from(group) / (key_frame + f64::from(group - 1));
        (if key { others * key_frame } else { others }).round().max(1.0) as u64
    }
}

const SECOND_PS: u64 = 1_000_000_000_000;
