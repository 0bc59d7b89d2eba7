// SPDX-License-Identifier: Apache-2.0
//! Objects of one endpoint that are sent in datagrams (RFC 9221), and those that arrive. This file is compiled for each stack: `super`
//! is the stack.
//!
//! The content of a datagram is the number of its object, eight bytes, and a part of the object.

use super::proto;
use crate::frames::{NUMBER, numbered};
use bytes::{BufMut, BytesMut};
use proto::Connection;
use std::collections::BTreeMap;

/// The objects of one endpoint.
#[derive(Debug, Default)]
pub(super) struct Datagrams {
    /// Bytes that the stack has not taken, and size, of each object that is not sent in full.
    outgoing: BTreeMap<u64, (u64, u64)>,
    /// Bytes of the objects that arrived last.
    incoming: BTreeMap<u64, u64>,
    /// Greatest room in the queue of the stack so far: the room of the empty queue.
    room: usize,
}

impl Datagrams {
    /// The application supplies the object `number` of `bytes` bytes.
    pub(super) fn write(&mut self, number: u64, bytes: u64) {
        self.outgoing.insert(number, (bytes, bytes));
    }

    /// Passes objects to the stack, the oldest first, but not further ahead than matters: the stack sends what it has taken.
    pub(super) fn supply(&mut self, connection: &mut Connection) {
        while let Some(mut first) = self.outgoing.first_entry() {
            let mut datagrams = connection.datagrams();
            let (Some(most), room) = (datagrams.max_size(), datagrams.send_buffer_space()) else { return };
            self.room = self.room.max(room);
            if self.room - room >= AHEAD as usize || most <= NUMBER {
                return;
            }
            let (unwritten, _) = first.get();
            let part = ((most - NUMBER) as u64).min(*unwritten).min(ZEROS.len() as u64);
            let mut content = BytesMut::with_capacity(most);
            content.put_u64(*first.key());
            content.put_slice(&ZEROS[..part as usize]);
            if datagrams.send(content.freeze(), false).is_err() {
                return;
            }
            first.get_mut().0 -= part;
            if first.get().0 == 0 {
                first.remove();
            }
        }
    }

    /// Returns how much of the object `number` the stack has taken, and how much will not be sent; `None` if it has taken all.
    pub(super) fn expire(&mut self, number: u64) -> Option<(u64, u64)> {
        let (unwritten, size) = self.outgoing.remove(&number)?;
        Some((size - unwritten, unwritten))
    }

    /// Reads all datagrams that have arrived. Calls `arrived` for each with the number of its object, its own part of that object, and the part that
    /// has arrived in total, bytes.
    pub(super) fn read(&mut self, connection: &mut Connection, mut arrived: impl FnMut(u64, u64, u64)) {
        while let Some(content) = connection.datagrams().recv() {
            let Some((number, part)) = numbered(&content) else { continue };
            let bytes = self.incoming.entry(number).or_default();
            *bytes += part;
            arrived(number, part, *bytes);
            if self.incoming.len() > MOST {
                self.incoming.pop_first();
            }
        }
    }
}

/// Payload that applications write ahead of sent data, which is more than some packets.
pub(super) const AHEAD: u64 = 1 << 14;

/// What applications write.
pub(super) static ZEROS: [u8; 1 << 14] = [0; 1 << 14];

/// Number of objects of which parts are remembered.
const MOST: usize = 4096;
