// SPDX-License-Identifier: Apache-2.0
//! The paths of a connection (draft-ietf-quic-multipath). The client opens and closes them, at given times.

use super::{proto, side};
use narrows_model::stack::StackPath;
use proto::{Connection, Event, FourTuple, PathEvent, PathId, PathStatus, VarInt};
use std::time::Instant;

/// The paths of one end of a connection.
#[derive(Debug)]
pub(super) struct Paths {
    client: bool,
    /// The time of the stack at the start of the run.
    base: Instant,
    /// Each path; none if the connection has one and the stack does not negotiate more.
    all: Vec<(StackPath, State)>,
    /// Whether something has arrived since the stack refused to open a path, for which it needs identifiers of the peer.
    may_open: bool,
    /// Time of the last call.
    settled: Instant,
}

/// The state of a path at one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It is not open yet.
    Waiting,
    /// It is open, or being opened.
    Open(PathId),
    /// It was closed.
    Closed,
}

impl Paths {
    /// Creates the paths of the client or the server; `base` is the start of the run.
    pub(super) fn new(client: bool, base: Instant, all: &[StackPath]) -> Self {
        let all = all.iter().map(|path| (*path, State::Waiting)).collect();
        Self { client, base, all, may_open: true, settled: base }
    }

    /// Something has arrived.
    pub(super) fn on_arrival(&mut self) {
        self.may_open = true;
    }

    /// Handles an event.
    pub(super) fn on_event(&mut self, event: &Event, connection: &mut Connection) {
        match event {
            Event::Path(PathEvent::Established { id, .. }) if !self.client => {
                let Ok(network) = connection.network_path(*id) else { return };
                if let Some((path, state)) = self.all.get_mut(side::number_of(network.remote()) as usize) {
                    *state = State::Open(*id);
                    let _ = connection.set_path_status(*id, status(*path));
                }
            }
            Event::Path(PathEvent::Abandoned { id, .. }) => {
                for (_, state) in self.all.iter_mut().filter(|(_, state)| *state == State::Open(*id)) {
                    *state = State::Closed;
                }
            }
            _ => {}
        }
    }

    /// Opens and closes the paths whose time it is.
    pub(super) fn settle(&mut self, connection: &mut Connection, at: Instant) {
        self.settled = at;
        if connection.is_handshaking() || !connection.is_multipath_negotiated() || connection.is_closed() {
            return;
        }
        for (number, (path, state)) in self.all.iter_mut().enumerate() {
            let is_past = |time| self.base + side::duration(time) <= at;
            match *state {
                State::Waiting if number == 0 => {
                    *state = State::Open(PathId::ZERO);
                    // The status of a path is set by its sender: each end has its own.
                    let _ = connection.set_path_status(PathId::ZERO, status(*path));
                }
                State::Waiting if self.client && path.stop.is_some_and(is_past) => *state = State::Closed,
                State::Waiting if self.client && self.may_open && is_past(path.start) => {
                    let network = FourTuple::new(side::server(number as u32), None);
                    match connection.open_path(network, status(*path), at) {
                        Ok(id) => *state = State::Open(id),
                        Err(_) => self.may_open = false,
                    }
                }
                // The last open path stays until another is open.
                State::Open(id) if self.client && path.stop.is_some_and(is_past) => {
                    let _ = connection.close_path(at, id, VarInt::from_u32(0));
                }
                _ => {}
            }
        }
    }

    /// Returns the time at which the next path is to be opened or closed.
    pub(super) fn due(&self) -> Option<Instant> {
        let time = |(path, state): &(StackPath, State)| match state {
            State::Waiting => Some(path.start),
            State::Open(_) => path.stop,
            State::Closed => None,
        };
        let times = self.all.iter().filter(|_| self.client).filter_map(time);
        times.map(|time| self.base + side::duration(time)).filter(|time| *time > self.settled).min()
    }

    /// Calls `record` with each variable of each of several paths, by its number.
    pub(super) fn observe(&self, connection: &mut Connection, record: &mut dyn FnMut(String, f64)) {
        for (number, (_, state)) in self.all.iter().enumerate() {
            let State::Open(id) = *state else { continue };
            let Some(path) = connection.path_stats(id) else { continue };
            record(format!("path_{number}_window"), path.cwnd as f64 / f64::from(path.current_mtu.max(1)));
            record(format!("path_{number}_srtt_s"), path.rtt.as_secs_f64());
            record(format!("path_{number}_sent_bytes"), path.udp_tx.bytes as f64);
        }
    }
}

fn status(path: StackPath) -> PathStatus {
    if path.backup { PathStatus::Backup } else { PathStatus::Available }
}
