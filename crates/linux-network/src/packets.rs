// SPDX-License-Identifier: Apache-2.0
//! The packets of the kernel that are in the network.

use narrows_linux::traffic::Payload;
use narrows_wire::FlowId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A packet that the network holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Address of its buffer in the kernel; 0 if the kernel has freed it.
    pub buffer: u64,
    /// Connection of the packet.
    pub flow: FlowId,
    /// Payload of the packet, if programs carry the connection.
    pub payload: Payload,
    /// Positions of its payload otherwise: start and end.
    pub positions: (u64, u64),
}

/// All packets that the network holds, by number. A number is not used again while its packet is held.
#[derive(Debug, Default)]
struct Packets {
    entries: Vec<Option<Held>>,
    free: Vec<u32>,
}

/// The packets, shared by the run and the queues of the kernel.
#[derive(Clone, Debug, Default)]
pub struct Shared(Arc<Mutex<Packets>>);

impl Shared {
    /// Adds a packet and returns its number.
    pub fn add(&self, held: Held) -> u64 {
        let mut packets = self.lock();
        if let Some(place) = packets.free.pop() {
            packets.entries[place as usize] = Some(held);
            return u64::from(place);
        }
        packets.entries.push(Some(held));
        packets.entries.len() as u64 - 1
    }

    /// Removes and returns the packet `number`; `None` if it is not held.
    pub fn take(&self, number: u64) -> Option<Held> {
        let place = usize::try_from(number).ok()?;
        let mut packets = self.lock();
        let held = packets.entries.get_mut(place)?.take()?;
        packets.free.push(place as u32);
        Some(held)
    }

    /// Address of the buffer of packet `number`; 0 if it has none.
    pub fn buffer(&self, number: u64) -> u64 {
        let held = self.lock().entries.get(number as usize).copied().flatten();
        held.map_or(0, |held| held.buffer)
    }

    /// Notes that the kernel has freed the buffer of packet `number`, which has not been taken yet.
    pub fn forget(&self, number: u64) {
        if let Some(Some(held)) = self.lock().entries.get_mut(number as usize) {
            held.buffer = 0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Packets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
