// SPDX-License-Identifier: Apache-2.0
//! The streams of one endpoint, and the application that writes and reads them. This file is compiled for each stack: `super`
//! is the stack.

use super::{api, proto};
use crate::frames::StreamFrame;
use bytes::Bytes;
use narrows_transport::Arrived;
use proto::{Connection, Dir, Side, StreamEvent, StreamId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The streams of one endpoint, all of which the client opens: one in its direction, or one for each request in both. They are
/// known by their numbers, from 0 in the order in which they are opened.
#[derive(Debug)]
pub(super) struct Streams {
    dir: Dir,
    /// Whether this is the client, which opens the streams.
    client: bool,
    /// Whether streams can be opened by now.
    pub connected: bool,
    /// Whether the application reads data in order only.
    in_order: bool,
    outgoing: BTreeMap<u64, Outgoing>,
    /// Streams opened so far.
    opened: u64,
    /// Outgoing streams that may take more data.
    ready: BTreeSet<u64>,
    incoming: BTreeMap<u64, Incoming>,
    /// Incoming streams that may have data.
    readable: BTreeSet<u64>,
    /// Payload of all streams sent, each byte once.
    pub sent: u64,
    /// Payload of all streams that has been read without a hole.
    pub delivered: u64,
    /// Streams of which more has been read without a hole, and how much in total, that are not reported yet.
    pub deliveries: VecDeque<(u64, u64)>,
}

/// The data that the application writes to a stream.
#[derive(Debug)]
struct Outgoing {
    /// Payload still to be written; `None` for an endless supply.
    unwritten: Option<u64>,
    /// Payload written.
    written: u64,
    /// Payload sent, up to the highest byte.
    reached: u64,
    /// Payload at which the stream ends; `None` if that is not known.
    end: Option<u64>,
    /// Whether its end has been written.
    ended: bool,
}

/// The data that the application has read from a stream.
#[derive(Debug, Default)]
struct Incoming {
    arrived: Arrived,
    /// Payload without a hole.
    delivered: u64,
}

impl Streams {
    /// Creates the streams of the client or the server in the direction, or directions, `dir`, which are read `in_order` or as data
    /// arrives.
    pub(super) fn new(client: bool, dir: Dir, in_order: bool) -> Self {
        Self {
            dir,
            client,
            connected: false,
            in_order,
            outgoing: BTreeMap::new(),
            opened: 0,
            ready: BTreeSet::new(),
            incoming: BTreeMap::new(),
            readable: BTreeSet::new(),
            sent: 0,
            delivered: 0,
            deliveries: VecDeque::new(),
        }
    }

    fn id(&self, number: u64) -> StreamId {
        StreamId::new(Side::Client, self.dir, number)
    }

    fn outgoing(&mut self, number: u64) -> &mut Outgoing {
        self.ready.insert(number);
        self.outgoing.entry(number).or_insert(Outgoing {
            unwritten: Some(0),
            written: 0,
            reached: 0,
            end: None,
            ended: false,
        })
    }

    /// The application supplies `bytes` more for the stream `number`; `None` for an endless supply.
    pub(super) fn write(&mut self, number: u64, bytes: Option<u64>) {
        let stream = self.outgoing(number);
        stream.unwritten = stream.unwritten.zip(bytes).map(|(left, more)| left.saturating_add(more));
    }

    /// The stream `number` ends after `end` bytes; `None` for all that has been supplied so far.
    pub(super) fn end(&mut self, number: u64, end: Option<u64>) {
        let stream = self.outgoing(number);
        let supplied = stream.unwritten.map_or(u64::MAX, |left| stream.written.saturating_add(left));
        stream.end = Some(end.unwrap_or(supplied));
    }

    /// The application takes back what it has supplied for the stream `number` and not written, and ends the stream.
    pub(super) fn take_back(&mut self, number: u64) {
        let stream = self.outgoing(number);
        stream.unwritten = Some(0);
        stream.end = Some(stream.written);
    }

    /// The application writes as much as the stack takes, but not further ahead than matters: the stack keeps written data.
    pub(super) fn supply(&mut self, connection: &mut Connection) {
        if self.client && !self.connected {
            return;
        }
        while self.client
            && self.outgoing.contains_key(&self.opened)
            && connection.streams().open(self.dir).is_some()
        {
            self.opened += 1;
        }
        while let Some(number) = self.ready.pop_first() {
            if self.client && number >= self.opened {
                // Not before the peer allows another stream.
                self.ready.insert(number);
                return;
            }
            self.top_up(number, connection);
        }
    }

    fn top_up(&mut self, number: u64, connection: &mut Connection) {
        let id = self.id(number);
        let Some(stream) = self.outgoing.get_mut(&number) else { return };
        while stream.unwritten != Some(0) && stream.written < stream.reached + AHEAD {
            let most = stream.unwritten.unwrap_or(u64::MAX).min(ZEROS.len() as u64);
            let chunk = Bytes::from_static(&ZEROS[..most as usize]);
            let taken = api::write(&mut connection.send_stream(id), chunk);
            stream.written += taken;
            stream.unwritten = stream.unwritten.map(|left| left - taken);
            if taken == 0 {
                // An event says when there is room.
                return;
            }
        }
        if !stream.ended && stream.end.is_some_and(|end| stream.written >= end) {
            stream.ended = connection.send_stream(id).finish().is_ok();
        }
    }

    /// These `frames` were sent in a packet. Returns their payload, and whether the first of it was sent before.
    pub(super) fn on_sent(&mut self, frames: &[StreamFrame]) -> (u64, bool) {
        let (mut payload, mut again) = (0, false);
        for StreamFrame { stream, range } in frames {
            let number =
                StreamId::from(proto::VarInt::from_u64(*stream).unwrap_or(proto::VarInt::MAX)).index();
            // Of a stream that has ended nothing is new.
            let reached = self.outgoing.get(&number).map_or(u64::MAX, |stream| stream.reached);
            if payload == 0 {
                again = range.start < reached && range.start < range.end;
            }
            payload += range.end - range.start;
            if range.end > reached {
                self.sent += range.end - reached.max(range.start);
                self.outgoing(number).reached = range.end;
            }
        }
        (payload, again)
    }

    /// Handles an event. Returns whether it says that all data of a stream has been acknowledged.
    pub(super) fn on_event(&mut self, event: &StreamEvent, connection: &mut Connection) -> bool {
        match event {
            StreamEvent::Opened { dir } => {
                while let Some(id) = connection.streams().accept(*dir) {
                    self.readable.insert(id.index());
                }
            }
            StreamEvent::Readable { id } => {
                self.readable.insert(id.index());
            }
            StreamEvent::Writable { id } => {
                self.ready.insert(id.index());
            }
            StreamEvent::Finished { id } => {
                self.outgoing.remove(&id.index());
                return true;
            }
            StreamEvent::Stopped { id, .. } => {
                self.outgoing.remove(&id.index());
            }
            StreamEvent::Available { .. } => {}
        }
        false
    }

    /// The application reads all available data.
    pub(super) fn read(&mut self, connection: &mut Connection) {
        while let Some(number) = self.readable.pop_first() {
            let mut receiving = connection.recv_stream(self.id(number));
            let Ok(mut chunks) = receiving.read(self.in_order) else {
                self.incoming.remove(&number);
                continue;
            };
            let stream = self.incoming.entry(number).or_default();
            let more = loop {
                match chunks.next(usize::MAX) {
                    Ok(Some(chunk)) => {
                        stream.arrived.receive(chunk.offset, chunk.offset + chunk.bytes.len() as u64);
                    }
                    Err(proto::ReadError::Blocked) => break true,
                    Ok(None) | Err(_) => break false,
                }
            };
            let _ = chunks.finalize();
            let delivered = stream.arrived.next(0);
            if delivered > stream.delivered {
                self.delivered += delivered - stream.delivered;
                stream.delivered = delivered;
                self.deliveries.push_back((number, delivered));
            }
            if !more {
                self.incoming.remove(&number);
            }
        }
    }
}

/// Payload that applications write ahead of sent data, which is more than some packets.
const AHEAD: u64 = 1 << 14;

/// What applications write.
static ZEROS: [u8; 1 << 14] = [0; 1 << 14];
