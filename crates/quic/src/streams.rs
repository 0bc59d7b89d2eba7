// SPDX-License-Identifier: Apache-2.0
//! The streams of one endpoint, and the application that writes and reads them. This file is compiled for each stack: `super`
//! is the stack.

use super::datagrams::{AHEAD, Datagrams, ZEROS};
use super::{api, proto};
use crate::frames::StreamFrame;
use bytes::Bytes;
use narrows_transport::{Arrived, DATAGRAMS, PUSHED};
use proto::{Connection, Dir, Side, StreamEvent, StreamId, VarInt};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The streams of one endpoint: those that the client opens, one in its direction or one for each request in both, and those in its own
/// direction that the server opens, of which the newest is sent first. They are known by their numbers, from 0 or [`PUSHED`] on in the
/// order in which they are opened. What has a number from [`DATAGRAMS`] on is sent in datagrams.
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
    datagrams: Datagrams,
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
    /// Whether it is to be reset when it is opened.
    reset: bool,
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
            datagrams: Datagrams::default(),
            ready: BTreeSet::new(),
            incoming: BTreeMap::new(),
            readable: BTreeSet::new(),
            sent: 0,
            delivered: 0,
            deliveries: VecDeque::new(),
        }
    }

    fn id(&self, number: u64) -> StreamId {
        match number.checked_sub(PUSHED) {
            Some(index) => StreamId::new(Side::Server, Dir::Uni, index),
            None => StreamId::new(Side::Client, self.dir, number),
        }
    }

    /// The number of the next stream that this endpoint opens, and its direction.
    fn own(&self) -> (u64, Dir) {
        if self.client { (self.opened, self.dir) } else { (PUSHED + self.opened, Dir::Uni) }
    }

    fn outgoing(&mut self, number: u64) -> &mut Outgoing {
        self.ready.insert(number);
        self.outgoing.entry(number).or_insert(Outgoing {
            unwritten: Some(0),
            written: 0,
            reached: 0,
            end: None,
            ended: false,
            reset: false,
        })
    }

    /// The application supplies `bytes` more for the stream `number`; `None` for an endless supply.
    pub(super) fn write(&mut self, number: u64, bytes: Option<u64>) {
        if number >= DATAGRAMS {
            return self.datagrams.write(number, bytes.unwrap_or(0));
        }
        let stream = self.outgoing(number);
        stream.unwritten = stream.unwritten.zip(bytes).map(|(left, more)| left.saturating_add(more));
    }

    /// The stream `number` ends after `end` bytes; `None` for all that has been supplied so far.
    pub(super) fn end(&mut self, number: u64, end: Option<u64>) {
        if number >= DATAGRAMS {
            return;
        }
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

    /// Resets the stream `number`, which this endpoint opens, unless its first `end` bytes have been sent. Returns the bytes of it that
    /// have been sent and those that have not, if so.
    pub(super) fn expire(
        &mut self,
        number: u64,
        end: u64,
        connection: &mut Connection,
    ) -> Option<(u64, u64)> {
        if number >= DATAGRAMS {
            return self.datagrams.expire(number);
        }
        let is_open = number < self.own().0;
        let stream = self.outgoing.get_mut(&number).filter(|stream| stream.reached < end && !stream.reset)?;
        let unsent = stream.unwritten.map_or(0, |left| left + stream.written - stream.reached);
        let sent = stream.reached;
        if is_open {
            self.outgoing.remove(&number);
            let _ = connection.send_stream(self.id(number)).reset(DELIVERY_TIMEOUT);
        } else {
            (stream.unwritten, stream.reset) = (Some(0), true);
        }
        Some((sent, unsent))
    }

    /// The application writes as much as the stack takes, but not further ahead than matters: the stack keeps written data.
    pub(super) fn supply(&mut self, connection: &mut Connection) {
        if self.client && !self.connected {
            return;
        }
        self.open(connection);
        while let Some(number) = self.ready.pop_first() {
            let (unopened, _) = self.own();
            if number >= unopened {
                // Not before the peer allows another stream.
                self.ready.insert(number);
                break;
            }
            self.top_up(number, connection);
        }
        self.datagrams.supply(connection);
    }

    /// Opens the streams of this endpoint to which something has been written.
    fn open(&mut self, connection: &mut Connection) {
        loop {
            let (number, dir) = self.own();
            let Some(stream) = self.outgoing.get(&number) else { return };
            let reset = stream.reset;
            let Some(id) = connection.streams().open(dir) else { return };
            self.opened += 1;
            if !self.client {
                let _ =
                    connection.send_stream(id).set_priority(i32::try_from(id.index()).unwrap_or(i32::MAX));
            }
            if reset {
                self.outgoing.remove(&number);
                let _ = connection.send_stream(id).reset(DELIVERY_TIMEOUT);
            }
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
            if *stream >= DATAGRAMS {
                (payload, self.sent) = (payload + range.end, self.sent + range.end);
                continue;
            }
            let number = number(StreamId::from(VarInt::from_u64(*stream).unwrap_or(VarInt::MAX)));
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
                    self.readable.insert(number(id));
                }
            }
            StreamEvent::Readable { id } => {
                self.readable.insert(number(*id));
            }
            StreamEvent::Writable { id } => {
                self.ready.insert(number(*id));
            }
            StreamEvent::Finished { id } => {
                self.outgoing.remove(&number(*id));
                return true;
            }
            StreamEvent::Stopped { id, .. } => {
                self.outgoing.remove(&number(*id));
            }
            StreamEvent::Available { .. } => {}
        }
        false
    }

    /// The application reads all available data.
    pub(super) fn read(&mut self, connection: &mut Connection) {
        let Self { datagrams, delivered, deliveries, .. } = self;
        datagrams.read(connection, |number, part, bytes| {
            *delivered += part;
            deliveries.push_back((number, bytes));
        });
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

/// The number of the stream `id`.
fn number(id: StreamId) -> u64 {
    if id.initiator() == Side::Server { PUSHED + id.index() } else { id.index() }
}

/// Code of a stream that is reset since an object exceeded its delivery timeout (draft-ietf-moq-transport-16 §13.4.4).
const DELIVERY_TIMEOUT: VarInt = VarInt::from_u32(2);
