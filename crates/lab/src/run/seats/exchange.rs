//! Connections over which both sides write: two transfers, one each way, between the same two hosts.
//!
//! Each connection has a seat in two populations, that of its initiators and that of its acceptors, which follow each other.
//! The host of a side is the desk of what it sends and the counter of what it hears, so what it hears and what it then
//! writes happen in one partition.
//!
//! Deviations: acknowledgements are packets of their own and never ride on data; on the links of a host what it sends and
//! what it acknowledges do not wait for each other; the side that answers begins with the initial retransmission timeout,
//! without a sample of the handshake; a side whose other side has given up waits for the rest of the run.

use super::desk::Desk;
use super::process::Process;
use super::{Around, Seats};
use crate::model::{Demand, PopulationModel};
use crate::run::net::Net;
use crate::run::slots::Event;
use crate::traffic::{Script, Side};
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Time};
use std::sync::Arc;

/// The side of connection `index` that `population` is about, if it is about connections.
pub(super) fn side(population: &PopulationModel, index: u64) -> Option<&Side> {
    match &population.demand {
        Demand::Exchanges { connections, side, .. } => Some(&connections[index as usize].sides[*side]),
        Demand::Open(_) | Demand::Users { .. } => None,
    }
}

/// The endpoints of the transfer that brings what that side writes: the other side can hold so much.
pub(super) fn options(population: &PopulationModel, index: u64) -> Arc<TransportOptions> {
    let usual = &population.transport;
    let window = match &population.demand {
        Demand::Exchanges { connections, side, .. } => connections[index as usize].sides[1 - side].window,
        Demand::Open(_) | Demand::Users { .. } => None,
    };
    let Some(window) = window else { return Arc::clone(usual) };
    let packets = (window.count() / usual.mss.count()).max(1);
    let least = usual.receive_window.map_or(packets, |most| most.min(packets));
    Arc::new(TransportOptions { receive_window: Some(least), ..TransportOptions::clone(usual) })
}

/// The sizes of what that side writes.
pub(super) fn sizes(side: &Side) -> impl Iterator<Item = Bytes> {
    side.writes.iter().map(|write| write.size)
}

/// The population of the other sides of connections that population `number` is about.
pub(super) fn partner(number: usize, population: &PopulationModel) -> Option<u32> {
    match population.demand {
        Demand::Exchanges { side: 0, .. } => Some(number as u32 + 1),
        Demand::Exchanges { .. } => Some(number as u32 - 1),
        Demand::Open(_) | Demand::Users { .. } => None,
    }
}

impl Seats<'_> {
    /// At the counter of `seat` so much has been delivered in all: perhaps the side behind it writes then.
    pub(super) fn heed(&mut self, seat: u32, delivered: u64, net: &mut Net) {
        let number = self.population(seat) as usize;
        let Some(partner) = self.partners[number] else { return };
        let index = seat - self.firsts[number];
        let seat = self.firsts[partner as usize] + index;
        let process =
            self.processes[partner as usize].as_mut().expect("who hears an initiator answers there");
        let script = &mut process.scripts[index as usize];
        if script.hear(Bytes::new(delivered), net.now) {
            let due = script.due();
            match &mut self.desks[seat as usize] {
                Some(desk) => desk.bell.ring_at(due, &mut net.queue),
                None => net.queue.set(net.slots.of(Event::Desk(seat)), due),
            }
        }
    }

    /// Writes what is due at a desk.
    pub(super) fn write(&mut self, seat: u32, around: &mut Around<'_>) {
        let number = self.population(seat) as usize;
        if self.partners[number].is_none() {
            return;
        }
        let process = self.processes[number].as_mut().expect("a side writes at home");
        let script = &mut process.scripts[(seat - self.firsts[number]) as usize];
        let Some(desk) = &mut self.desks[seat as usize] else { return };
        let population = &self.model.populations[number];
        while desk.ended.is_none()
            && let Some(size) = script.write(around.net.now)
        {
            let segments = size.count().div_ceil(population.transport.mss.count());
            desk.offer(segments, around.net, &mut around.rtts[population.group]);
        }
    }
}

/// When the side at a desk writes next, whose connection is number `index` of its population.
pub(super) fn writes_next(process: Option<&Process>, desk: &Desk, index: u32) -> Time {
    let script = process.and_then(|process| process.scripts.get(index as usize));
    script.filter(|_| desk.ended.is_none()).map_or(Time::NEVER, Script::due)
}
