// SPDX-License-Identifier: Apache-2.0
//! The network of a run in steps towards a time, and the packets of programs in it.

use narrows_backend::Cancellation;
use narrows_linux::traffic::Payload;
use narrows_model::Model;
use narrows_sim::{Emulation, StackPacket};
use narrows_units::Time;
use narrows_wire::{Direction, FlowId};

/// The network of a run.
#[derive(Debug)]
pub(crate) struct Network<'m> {
    pub emulation: Emulation<'m>,
    /// The time to which it has advanced.
    pub reached: Time,
    held: Held,
}

impl<'m> Network<'m> {
    /// Creates the network of replication `replication` of `model`, at the start of the run, in which programs carry the flows of the
    /// workloads that `carries` marks.
    pub fn new(model: &'m Model, replication: u32, carries: Vec<bool>, cancellation: Cancellation) -> Self {
        let emulation = Emulation::beside(model, replication, carries, cancellation);
        Self { emulation, reached: Time::ZERO, held: Held::default() }
    }

    /// Advances to the next event, or to `now` if none is due before. Returns whether it has reached `now`.
    pub fn step(&mut self, now: Time) -> bool {
        let due = self.emulation.due();
        let reaches = due >= now;
        self.reached = if reaches { now } else { self.reached.max(due) };
        self.emulation.advance(self.reached);
        while let Some(handle) = self.emulation.discarded() {
            self.held.release(handle);
        }
        reaches
    }

    /// Sends `packet` of `flow`, whose handle is given here, with its bytes and payload. It goes nowhere if the flow has ended.
    pub fn send(
        &mut self,
        flow: FlowId,
        direction: Direction,
        packet: StackPacket,
        (bytes, payload): (&[u8], Payload),
    ) {
        let sent = StackPacket { handle: self.held.add(bytes, payload), ..packet };
        if !self.emulation.send(flow, direction, &sent, self.reached) {
            self.release(sent.handle);
        }
    }

    /// Returns the packet `handle`, which is in the network, and its payload.
    pub fn packet(&mut self, handle: u64) -> &mut (Vec<u8>, Payload) {
        &mut self.held.packets[handle as usize]
    }

    /// Forgets the packet `handle`, which has left the network.
    pub fn release(&mut self, handle: u64) {
        self.held.release(handle);
    }
}

/// The packets in the network, by handle. A handle is used again once its packet has left.
#[derive(Debug, Default)]
struct Held {
    packets: Vec<(Vec<u8>, Payload)>,
    free: Vec<usize>,
}

impl Held {
    fn add(&mut self, packet: &[u8], payload: Payload) -> u64 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.packets.push(<_>::default());
            self.packets.len() - 1
        });
        let (bytes, of_place) = &mut self.packets[place];
        bytes.clear();
        bytes.extend_from_slice(packet);
        *of_place = payload;
        place as u64
    }

    fn release(&mut self, handle: u64) {
        self.free.push(handle as usize);
    }
}
