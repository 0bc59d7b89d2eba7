//! Which event-queue slot stands for what in a partition.
//!
//! Slots are laid out class by class, so that simultaneous events go links first, then arrivals, timers, traffic, changes
//! and samples; within a class they follow the global order of entities.

use narrows_engine::Slot;

/// What a slot stands for; indices are local to the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A link goes on: something is due there, or it must not lag behind any more.
    Link(u32),
    /// A packet reaches the far end of a link.
    Arrival(u32),
    /// A packet leaves the host of a sender after its random send delay.
    Release(u32),
    /// A sender's deadline.
    SenderWake(u32),
    /// A receiver's deadline.
    ReceiverWake(u32),
    /// Something is due at the desk of a seat.
    Desk(u32),
    /// Something is due at the counter of a seat.
    Counter(u32),
    /// A flow starts, or the application above it writes.
    Application(u32),
    /// A transfer of a population arrives.
    Arrive(u32),
    /// Something happens to the network.
    Change,
    /// The warm-up is over.
    Measure,
    /// An interval of the series ends.
    Sample,
}

/// The layout of a partition's slots: what each stands for, and where each class after the links begins.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    events: Vec<Event>,
    arrivals: u32,
    releases: u32,
    sender_wakes: u32,
    receiver_wakes: u32,
    desks: u32,
    counters: u32,
    applications: u32,
    arrives: u32,
    network_change: u32,
    samples: u32,
}

/// How many entities of each kind a partition has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entities {
    pub links: u32,
    pub pipes: u32,
    pub senders: u32,
    pub receivers: u32,
    pub seats: u32,
    pub populations: u32,
}

impl Slots {
    /// Slots for so many entities of each kind.
    pub fn new(counts: &Entities) -> Self {
        let Entities { links, pipes, senders, receivers, seats, populations } = *counts;
        let mut events = Vec::new();
        let mut class = |count: u32, event: fn(u32) -> Event| {
            let first = events.len() as u32;
            events.extend((0..count).map(event));
            first
        };
        class(links, Event::Link);
        let arrivals = class(pipes, Event::Arrival);
        let releases = class(senders, Event::Release);
        let sender_wakes = class(senders, Event::SenderWake);
        let receiver_wakes = class(receivers, Event::ReceiverWake);
        let desks = class(seats, Event::Desk);
        let counters = class(seats, Event::Counter);
        let applications = class(senders, Event::Application);
        let arrives = class(populations, Event::Arrive);
        let network_change = class(1, |_| Event::Change);
        let samples = class(1, |_| Event::Measure);
        class(1, |_| Event::Sample);
        Self {
            events,
            arrivals,
            releases,
            sender_wakes,
            receiver_wakes,
            desks,
            counters,
            applications,
            arrives,
            network_change,
            samples,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.events.len()
    }

    /// What `slot` stands for.
    pub fn event(&self, slot: Slot) -> Event {
        self.events[slot.0 as usize]
    }

    /// The slot that stands for `event`.
    pub fn of(&self, event: Event) -> Slot {
        Slot(match event {
            Event::Link(link) => link,
            Event::Arrival(pipe) => self.arrivals + pipe,
            Event::Release(sender) => self.releases + sender,
            Event::SenderWake(sender) => self.sender_wakes + sender,
            Event::ReceiverWake(receiver) => self.receiver_wakes + receiver,
            Event::Desk(seat) => self.desks + seat,
            Event::Counter(seat) => self.counters + seat,
            Event::Application(sender) => self.applications + sender,
            Event::Arrive(population) => self.arrives + population,
            Event::Change => self.network_change,
            Event::Measure => self.samples,
            Event::Sample => self.samples + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Entities, Slots};
    use narrows_engine::Slot;

    #[test]
    fn every_slot_stands_for_one_event_and_back() {
        let slots =
            Slots::new(&Entities { links: 3, pipes: 4, senders: 2, receivers: 5, seats: 6, populations: 1 });
        for slot in (0..slots.count() as u32).map(Slot) {
            assert_eq!(slots.of(slots.event(slot)), slot);
        }
    }
}
