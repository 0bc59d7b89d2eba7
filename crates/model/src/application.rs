// SPDX-License-Identifier: Apache-2.0
//! Applications: clients that fetch objects from a server over connections, as a player, a browser or a probe does.
//!
//! An application is a pure state machine, as an algorithm is: it is given [`Event`]s with their times and returns
//! [`Action`]s. It opens connections, requests objects over them and sets a timer; the server writes the object as soon
//! as it has received the whole request, objects of a connection in the order of their requests. The quality that a
//! user perceives is an [`Observation`] that the application makes of itself.

mod frames;
mod objects;
mod responsiveness;
mod video;
mod web;

pub use frames::{Encoder, FramesModel};
pub use objects::{Delivery, Frame, ObjectsModel, Publisher};
pub use responsiveness::{Probe, ResponsivenessModel};
pub use video::{Adaptation, VideoModel};
pub use web::{Level, WebModel};

use narrows_engine::Stream;
use narrows_units::{Bytes, Rate, Span, Time};

/// An application and its parameters.
#[derive(Clone, Debug)]
pub enum ApplicationModel {
    /// A video player that adapts the bit rate.
    Video(VideoModel),
    /// A browser that loads pages.
    Web(WebModel),
    /// The measurement of responsiveness under load.
    Responsiveness(ResponsivenessModel),
    /// A call, or a game at a server: live video in frames.
    Frames(FramesModel),
    /// Live video in groups of frames.
    Objects(ObjectsModel),
}

/// The state of one client of an application.
#[derive(Debug)]
pub enum Client {
    /// A video player.
    Video(Box<video::Player>),
    /// A browser.
    Web(Box<web::Browser>),
    /// A measurement.
    Responsiveness(Box<responsiveness::Measurement>),
    /// A viewer of frames.
    Frames(frames::Viewer),
    /// A viewer of groups of frames.
    Objects(objects::Viewer),
}

/// Something that happens to a client. A connection is given by its number among those that the client may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The client starts.
    Start,
    /// The connection is established.
    Opened(u32),
    /// An object that was requested over the connection has been received in full: its place among the objects that were requested
    /// over the connection and not received before, 0 unless a stack carries it, and the time at which the server wrote it.
    Received(u32, usize, Time),
    /// The server has captured a frame at this time, which whether or not it will arrive; of groups of frames alone.
    Captured(Time),
    /// The connection could not be established, or broke; nothing more arrives over it.
    Failed(u32),
    /// The timer may have expired, or a closed connection may be opened again.
    Timer,
}

/// An action of a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Opens the connection.
    Open(u32),
    /// Requests an object over the connection: `request` bytes are sent.
    Request {
        /// The connection, which is established.
        connection: u32,
        /// Size of the request, above zero.
        request: Bytes,
        /// The object.
        object: Object,
    },
    /// Closes the connection: the client requests nothing more over it.
    Close(u32),
    /// Something to be recorded.
    Observe(Observation),
}

/// An object of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// An object of this size, above zero.
    Of(Bytes),
    /// Data without end. No other object but [`Next`](Self::Next) can follow on the connection.
    Endless,
    /// One segment in place of the next one of the endless object, as from a server that sends a small object before
    /// the rest of a large one (HTTP/2, RFC 9113 §5.3).
    Next,
    /// Frames of live video without end, each of which is an object of its own. No other object can follow on the connection.
    Frames,
}

/// An observation of a client, at the time of the action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// A segment of video was received.
    Segment {
        /// Bit rate of the segment.
        rate: Rate,
        /// Playback duration of the segment.
        duration: Span,
        /// Whether its bit rate differs from the previous segment's.
        switched: bool,
    },
    /// The video began to play this long after the start of the client.
    Startup(Span),
    /// The video was played for this long.
    Played(Span),
    /// The video stopped because its buffer was empty.
    Stall,
    /// The video did not play for this long after it had begun.
    Stalled(Span),
    /// The video plays again after it stood still for this long.
    Resumed(Span),
    /// A page was loaded in this time.
    Page(Span, Slowest),
    /// A probe of responsiveness took this time.
    Probe(Probe, Span),
    /// A frame was captured and encoded.
    Captured {
        /// Bit rate at which it was encoded.
        rate: Rate,
        /// Data of earlier frames that waited to be sent.
        waiting: Bytes,
    },
    /// A frame was skipped because data before it waited to be sent.
    Skipped {
        /// The data that waited.
        waiting: Bytes,
        /// Time since the capture of the oldest frame that waited.
        age: Span,
    },
    /// A frame was received.
    Frame {
        /// Time since its capture.
        delay: Span,
        /// Whether that is too long.
        late: bool,
    },
    /// A frame has not been received by its deadline, this long after its capture.
    Missing(Span),
    /// A frame that was [missing](Self::Missing) was received this long after its capture.
    Overdue(Span),
    /// A stream was opened for a group of frames.
    Stream,
    /// A stream was reset of which this much had been sent.
    Reset(Bytes),
}

/// The object of a page that took longest from when it could be requested to its receipt, the first of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slowest {
    /// Number of its level, from 0.
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

/// The state of a client between its observations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Playback time in the buffer; `None` without playback.
    pub buffer: Option<Span>,
    /// Start of the page that is being loaded; `None` if there is none.
    pub loading_since: Option<Time>,
}

/// The interface of a client to what runs it.
#[derive(Debug)]
pub struct Io<'a> {
    /// Current time.
    pub now: Time,
    /// Whether each connection can be opened.
    pub free: &'a mut [bool],
    /// Actions of the client, in order.
    pub actions: &'a mut Vec<Action>,
}

impl Io<'_> {
    /// Opens a connection and returns its number; `None` if none is free, until a later [`Event::Timer`].
    fn open(&mut self) -> Option<u32> {
        let number = self.free.iter().position(|free| *free)?;
        self.free[number] = false;
        self.actions.push(Action::Open(number as u32));
        Some(number as u32)
    }

    fn request(&mut self, connection: u32, request: Bytes, object: Object) {
        self.actions.push(Action::Request { connection, request, object });
    }

    fn close(&mut self, connection: u32) {
        self.actions.push(Action::Close(connection));
    }

    fn observe(&mut self, observation: Observation) {
        self.actions.push(Action::Observe(observation));
    }
}

impl ApplicationModel {
    /// Returns the number of connections that a client may have open, those that are still closing included.
    pub fn connections(&self) -> u32 {
        match self {
            // One that is closing, and one.
            Self::Video(_) | Self::Frames(_) | Self::Objects(_) => 2,
            Self::Web(model) => 2 * model.connections,
            Self::Responsiveness(model) => model.connections + responsiveness::PROBES,
        }
    }

    /// Returns the highest bit rate that it encodes; `None` if it encodes nothing.
    pub fn highest_bitrate(&self) -> Option<Rate> {
        match self {
            Self::Video(video) => video.ladder.iter().max().copied(),
            Self::Frames(frames) => Some(frames.maximum),
            Self::Objects(objects) => Some(objects.bitrate),
            Self::Web(_) | Self::Responsiveness(_) => None,
        }
    }

    /// Whether the data of the server over `connection` is one endless object.
    pub fn is_endless(&self, connection: u32) -> bool {
        matches!(self, Self::Responsiveness(model) if connection < model.connections)
    }

    /// Returns a client before it starts; it draws random numbers from `draws`. A connection that is `secured` needs no handshake of
    /// TLS after it is established, as one of QUIC (RFC 9001 §4).
    pub fn client(&self, secured: bool, draws: Stream) -> Client {
        match self {
            Self::Video(model) => Client::Video(Box::new(video::Player::new(model.clone()))),
            Self::Web(model) => {
                let handshakes = if secured { 0 } else { model.handshakes };
                Client::Web(Box::new(web::Browser::new(WebModel { handshakes, ..model.clone() }, draws)))
            }
            Self::Responsiveness(model) => {
                let model = ResponsivenessModel { tls: model.tls && !secured, ..model.clone() };
                Client::Responsiveness(Box::new(responsiveness::Measurement::new(model)))
            }
            Self::Frames(model) => Client::Frames(frames::Viewer::new(model)),
            Self::Objects(model) => Client::Objects(objects::Viewer::new(model)),
        }
    }

    /// Returns the encoder of a server that is asked for frames at `now`; `None` for other applications.
    pub fn encoder(&self, now: Time) -> Option<Encoder> {
        match self {
            Self::Frames(model) => Some(Encoder::new(model.clone(), now)),
            Self::Video(_) | Self::Web(_) | Self::Responsiveness(_) | Self::Objects(_) => None,
        }
    }

    /// Returns the source of groups of frames of a server that is asked for them at `now`; `None` for other applications.
    pub fn publisher(&self, now: Time) -> Option<Publisher> {
        match self {
            Self::Objects(model) => Some(Publisher::new(model.clone(), now)),
            Self::Video(_) | Self::Web(_) | Self::Responsiveness(_) | Self::Frames(_) => None,
        }
    }

    /// Whether only a stack with streams and datagrams carries its data.
    pub fn needs_stack(&self) -> bool {
        matches!(self, Self::Objects(_))
    }
}

impl Client {
    /// Handles `event`.
    pub fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        match self {
            Self::Video(player) => player.on_event(event, io),
            Self::Web(browser) => browser.on_event(event, io),
            Self::Responsiveness(measurement) => measurement.on_event(event, io),
            Self::Frames(viewer) => viewer.on_event(event, io),
            Self::Objects(viewer) => viewer.on_event(event, io),
        }
    }

    /// Returns the time of the next [`Event::Timer`]; `NEVER` if none is set.
    pub fn next_wake(&self) -> Time {
        match self {
            Self::Video(player) => player.next_wake(),
            Self::Web(browser) => browser.next_wake(),
            Self::Responsiveness(measurement) => measurement.next_wake(),
            Self::Frames(_) => Time::NEVER,
            Self::Objects(viewer) => viewer.next_wake(),
        }
    }

    /// Returns its state at the time of its last event, or up to which it was brought.
    pub fn gauge(&self) -> Gauge {
        match self {
            Self::Video(player) => Gauge { buffer: Some(player.buffer()), ..Gauge::default() },
            Self::Web(browser) => Gauge { loading_since: browser.loading_since(), ..Gauge::default() },
            Self::Responsiveness(_) | Self::Frames(_) | Self::Objects(_) => Gauge::default(),
        }
    }

    /// Observes conditions that have lasted until now.
    pub fn bring_up(&mut self, io: &mut Io<'_>) {
        if let Self::Video(player) = self {
            player.bring_up(io);
        }
    }
}

/// Size of a request: a GET with the headers of a browser, of 400 to 800 bytes.
const REQUEST: Bytes = Bytes::new(500);

/// Sizes of the flights of a TLS handshake that precede the first request (RFC 8446 §2): the client's, and the server's
/// with a chain of certificates.
const HANDSHAKE: (Bytes, Bytes) = (Bytes::new(500), Bytes::new(3_000));

#[cfg(test)]
mod tests;
