// SPDX-License-Identifier: Apache-2.0
//! The parts of the tests of all disciplines: packets, an account of their fates, and a link's clock.

use crate::{Context, DropReason, QueueDiscipline, Tap};
use narrows_units::{Rate, Time};
use narrows_wire::{Body, Ecn, FlowId, Packet};

/// Returns a packet of `size` bytes without ECN capability.
pub fn packet(number: u64, flow: u32, size: u16) -> Packet {
    Packet {
        arrival: Time::ZERO,
        sent_at: Time::ZERO,
        number,
        flow: FlowId::new(flow, 0),
        size,
        next: 0,
        ecn: Ecn::NotCapable,
        ecn_echo: false,
        body: Body::syn(None),
    }
}

/// Drops and marks, in order.
#[derive(Debug, Default)]
pub struct Account {
    /// Number of each dropped packet, and the reason.
    pub dropped: Vec<(u64, DropReason)>,
    /// Number of each marked packet.
    pub marked: Vec<u64>,
}

impl Tap for Account {
    fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        self.dropped.push((packet.number, reason));
    }

    fn marked(&mut self, packet: &Packet) {
        self.marked.push(packet.number);
    }
}

/// A queue in front of a link of 8 Mbps, whose time is advanced by the test.
#[derive(Debug)]
pub struct Bench<Q> {
    /// The queue.
    pub queue: Q,
    /// Account of drops and marks.
    pub account: Account,
    /// Current time.
    pub now: Time,
    draws: u64,
    /// Value of every random draw; `None` for uniform draws.
    pub draw: Option<f64>,
}

impl<Q: QueueDiscipline> Bench<Q> {
    /// Creates a test bench for `queue`, at time zero.
    pub fn new(queue: Q) -> Self {
        Self { queue, account: Account::default(), now: Time::ZERO, draws: 1, draw: None }
    }

    /// Calls `act` with the queue and a context at the current time.
    pub fn with<T>(&mut self, act: impl FnOnce(&mut Q, &mut Context<'_>) -> T) -> T {
        let (draws, fixed) = (&mut self.draws, self.draw);
        let mut uniform = || {
            // A 64-bit linear congruential generator, Knuth's constants, upper bits.
            *draws = draws.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            fixed.unwrap_or((*draws >> 11) as f64 / (1_u64 << 53) as f64)
        };
        let mut context = Context {
            now: self.now,
            rate: Rate::from_bps(8_000_000),
            uniform: &mut uniform,
            tap: &mut self.account,
        };
        act(&mut self.queue, &mut context)
    }

    /// Enqueues `packet` at the current time.
    pub fn arrive(&mut self, packet: Packet) {
        let packet = Packet { arrival: self.now, ..packet };
        self.with(|queue, context| queue.enqueue(packet, context));
    }

    /// Dequeues a packet at the current time.
    pub fn depart(&mut self) -> Option<Packet> {
        self.with(Q::dequeue)
    }

    /// Dequeues all packets at the current time and returns their numbers in order.
    pub fn drain(&mut self) -> Vec<u64> {
        core::iter::from_fn(|| self.depart()).map(|packet| packet.number).collect()
    }
}
