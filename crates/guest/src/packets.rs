//! The packets of the guest that are in the network.

use narrows_wire::FlowId;

/// A packet that the network holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Address of its buffer in the kernel.
    pub buffer: u64,
    /// Its connection.
    pub flow: FlowId,
}

/// All packets that the network holds, by number. A number is not used again while its packet is held.
#[derive(Debug, Default)]
pub struct Packets {
    entries: Vec<Option<Held>>,
    free: Vec<u32>,
}

impl Packets {
    /// Adds a packet and returns its number.
    pub fn add(&mut self, held: Held) -> u64 {
        if let Some(place) = self.free.pop() {
            self.entries[place as usize] = Some(held);
            return u64::from(place);
        }
        self.entries.push(Some(held));
        self.entries.len() as u64 - 1
    }

    /// Removes and returns the packet `number`; `None` if it is not held.
    pub fn take(&mut self, number: u64) -> Option<Held> {
        let place = usize::try_from(number).ok()?;
        let held = self.entries.get_mut(place)?.take()?;
        self.free.push(place as u32);
        Some(held)
    }
}
