//! Which event-queue slot stands for what in a partition.
//!
//! Slots are laid out class by class, so that simultaneous events go departures first, then arrivals, timers, traffic,
//! changes and samples; within a class they follow the global order of entities.

use narrows_engine::Slot;

/// What a slot stands for; indices are local to the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A link has sent the last bit of a packet.
    Departure(u32),
    /// A packet reaches the far end of a link.
    Arrival(u32),
    /// A packet leaves the host of a sender after its random send delay.
    Release(u32),
    /// A sender's deadline.
    SenderWake(u32),
    /// A receiver's deadline.
    ReceiverWake(u32),
    /// A queue's deadline.
    QueueWake(u32),
    /// A flow starts.
    Start(u32),
    /// A link's rate changes.
    RateChange(u32),
    /// The warm-up is over.
    Measure,
    /// An interval of the series ends.
    Sample,
}

/// The layout of a partition's slots.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    events: Vec<Event>,
    links: u32,
    pipes: u32,
    senders: u32,
    receivers: u32,
}

impl Slots {
    /// Slots for so many link queues, link ends, senders and receivers.
    pub fn new(links: u32, pipes: u32, senders: u32, receivers: u32) -> Self {
        let mut events = Vec::new();
        events.extend((0..links).map(Event::Departure));
        events.extend((0..pipes).map(Event::Arrival));
        events.extend((0..senders).map(Event::Release));
        events.extend((0..senders).map(Event::SenderWake));
        events.extend((0..receivers).map(Event::ReceiverWake));
        events.extend((0..links).map(Event::QueueWake));
        events.extend((0..senders).map(Event::Start));
        events.extend((0..links).map(Event::RateChange));
        events.extend([Event::Measure, Event::Sample]);
        Self { events, links, pipes, senders, receivers }
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
        let releases = self.links + self.pipes;
        let sender_wakes = releases + self.senders;
        let receiver_wakes = sender_wakes + self.senders;
        let queue_wakes = receiver_wakes + self.receivers;
        let starts = queue_wakes + self.links;
        let changes = starts + self.senders;
        let samples = changes + self.links;
        Slot(match event {
            Event::Departure(link) => link,
            Event::Arrival(pipe) => self.links + pipe,
            Event::Release(sender) => releases + sender,
            Event::SenderWake(sender) => sender_wakes + sender,
            Event::ReceiverWake(receiver) => receiver_wakes + receiver,
            Event::QueueWake(link) => queue_wakes + link,
            Event::Start(sender) => starts + sender,
            Event::RateChange(link) => changes + link,
            Event::Measure => samples,
            Event::Sample => samples + 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;
    use narrows_engine::Slot;

    #[test]
    fn every_slot_stands_for_one_event_and_back() {
        let slots = Slots::new(3, 4, 2, 5);
        for slot in (0..slots.count() as u32).map(Slot) {
            assert_eq!(slots.of(slots.event(slot)), slot);
        }
    }
}
