// SPDX-License-Identifier: Apache-2.0
//! The measurement of responsiveness under working conditions: round trips per minute (RPM).
//!
//! Source: draft-ietf-ippm-responsiveness-09, §4 and §5. Some connections carry data without end. Probes measure, by turns,
//! the time to open another connection and to fetch a small object over it, and the time to fetch a small object over a
//! connection that carries load.
//!
//! Deviations: the number of load-generating connections is given instead of raised until goodput is stable; the
//! warm-up of the run takes the place of the intervals before stability; one direction, the group's; a small object is
//! one full segment over a loaded connection, and 1 byte over another; probes at a constant interval.

use super::{Event, HANDSHAKE, Io, Object, Observation, REQUEST};
use narrows_units::{Bytes, Span, Time};

/// A measurement of responsiveness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsivenessModel {
    /// Number of load-generating connections, which come first; at least one.
    pub connections: u32,
    /// Time from a probe to the next; probes of the two kinds alternate.
    pub interval: Span,
    /// Whether connections begin with a TLS handshake of one round trip (RFC 8446).
    pub tls: bool,
}

/// The quantity that a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// `tcp_f`: the TCP handshake of a separate connection.
    Tcp,
    /// `tls_f`: the TLS handshake of a separate connection.
    Tls,
    /// `http_f`: a small object over a separate connection.
    Http,
    /// `http_l`: a small object over a load-generating connection.
    Loaded,
}

/// The state of a measurement.
#[derive(Debug)]
pub struct Measurement {
    model: ResponsivenessModel,
    /// Time of the next probe.
    due: Time,
    /// Number of probes so far.
    probes: u64,
    /// State of each connection.
    connections: Vec<State>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    Opening {
        since: Time,
    },
    Securing {
        since: Time,
    },
    Fetching {
        since: Time,
    },
    /// A load-generating connection without a probe.
    Loaded,
}

impl Measurement {
    /// Creates a measurement before it starts.
    pub(super) fn new(model: ResponsivenessModel) -> Self {
        let connections = vec![State::Closed; (model.connections + PROBES) as usize];
        Self { model, due: Time::NEVER, probes: 0, connections }
    }

    pub(super) fn next_wake(&self) -> Time {
        self.due
    }

    pub(super) fn on_event(&mut self, event: Event, io: &mut Io<'_>) {
        match event {
            Event::Start => {
                (0..self.model.connections).for_each(|_| self.open(io));
                self.due = io.now + self.model.interval;
            }
            Event::Timer => {
                if self.due <= io.now {
                    self.due = io.now + self.model.interval;
                    self.probe(io);
                }
            }
            Event::Opened(number) => self.on_opened(number, io),
            Event::Received(number, ..) => self.on_received(number, io),
            Event::Captured(_) => {}
            Event::Failed(number) => self.connections[number as usize] = State::Closed,
        }
    }

    fn is_loaded(&self, number: u32) -> bool {
        number < self.model.connections
    }

    fn open(&mut self, io: &mut Io<'_>) {
        if let Some(number) = io.open() {
            self.connections[number as usize] = State::Opening { since: io.now };
        }
    }

    fn probe(&mut self, io: &mut Io<'_>) {
        let number = (self.probes / 2 % u64::from(self.model.connections)) as u32;
        self.probes += 1;
        if self.probes % 2 == 1 {
            self.open(io);
        } else if self.connections[number as usize] == State::Loaded {
            self.connections[number as usize] = State::Fetching { since: io.now };
            io.request(number, REQUEST, Object::Next);
        }
    }

    fn on_opened(&mut self, number: u32, io: &mut Io<'_>) {
        let state = &mut self.connections[number as usize];
        let State::Opening { since } = *state else { return };
        if number < self.model.connections {
            *state = State::Loaded;
            io.request(number, REQUEST, Object::Endless);
            return;
        }
        io.observe(Observation::Probe(Probe::Tcp, io.now - since));
        if self.model.tls {
            *state = State::Securing { since: io.now };
            io.request(number, HANDSHAKE.0, Object::Of(HANDSHAKE.1));
        } else {
            *state = State::Fetching { since: io.now };
            io.request(number, REQUEST, SMALL);
        }
    }

    fn on_received(&mut self, number: u32, io: &mut Io<'_>) {
        let loaded = self.is_loaded(number);
        let state = &mut self.connections[number as usize];
        match *state {
            State::Securing { since } => {
                io.observe(Observation::Probe(Probe::Tls, io.now - since));
                *state = State::Fetching { since: io.now };
                io.request(number, REQUEST, SMALL);
            }
            State::Fetching { since } => {
                let kind = if loaded { Probe::Loaded } else { Probe::Http };
                io.observe(Observation::Probe(kind, io.now - since));
                *state = if loaded { State::Loaded } else { State::Closed };
                if !loaded {
                    io.close(number);
                }
            }
            State::Closed | State::Opening { .. } | State::Loaded => {}
        }
    }
}

/// Most connections of probes at a time. A probe that finds none free is left out.
pub(super) const PROBES: u32 = 64;

const SMALL: Object = Object::Of(Bytes::new(1));
