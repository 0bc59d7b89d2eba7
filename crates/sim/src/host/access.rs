// SPDX-License-Identifier: Apache-2.0
//! The two links between a host and its router: unlimited FIFOs at constant rates, used by one connection alone. The
//! arrival time of a packet at the far end is therefore known when it is sent.

use crate::net::Net;
use crate::plan::AccessLink;
use narrows_engine::Slot;
use narrows_link::Serializer;
use narrows_units::{Span, Time};
use narrows_wire::Packet;
use std::collections::VecDeque;

/// The access links of a host in both directions, with the packets on them.
#[derive(Debug)]
pub(crate) struct AccessLinks {
    up: Direction,
    down: Direction,
    /// Time at which the last packet sent by the host reaches the router.
    drained: Time,
    /// Packets to the router; only used without lookahead.
    to_router: VecDeque<Packet>,
    /// Packets to the host that it cannot take ahead of time.
    to_host: VecDeque<Packet>,
    /// Earliest arrival time of these packets.
    next: Time,
    /// What [`waited`](Self::waited) returned at the end of the warm-up.
    waited_at_warmup: [u64; 2],
}

#[derive(Debug)]
struct Direction {
    serializer: Serializer,
    delay: Span,
    /// Sum of the times that packets waited for the link to become free, nanoseconds, without those in `ahead`.
    waited: u64,
    /// Arrival time at the queue and wait, nanoseconds, of packets that arrive there later than when this became known.
    ahead: VecDeque<(Time, u64)>,
}

impl Direction {
    fn new(link: AccessLink) -> Self {
        // A link has no other property, so that the arrival of a packet can be computed when it is sent.
        let AccessLink { rate, delay } = link;
        Self { serializer: Serializer::new(rate), delay, waited: 0, ahead: VecDeque::new() }
    }

    /// Arrival time of `packet` at the far end, if it is available at `at`; `now` is the present time.
    #[inline]
    fn cross(&mut self, packet: &Packet, at: Time, now: Time) -> Time {
        let free = self.serializer.departure();
        // Most packets find the link idle, and cost no more than this test.
        if at < free {
            let ns = free.since(at).as_ps() / 1000;
            if at <= now {
                self.waited += ns;
            } else {
                self.wait_ahead(at, ns, now);
            }
        }
        self.serializer.pass(packet.size(), at) + self.delay
    }

    /// Counts a wait of `ns` nanoseconds of a packet that arrives at `at`, later than `now`. It is kept apart until then, so that
    /// the sum at any time is the same however far ahead packets are moved.
    #[cold]
    fn wait_ahead(&mut self, at: Time, ns: u64, now: Time) {
        while let Some((_, past)) = self.ahead.front().filter(|(at, _)| *at <= now) {
            self.waited += past;
            self.ahead.pop_front();
        }
        self.ahead.push_back((at, ns));
    }

    /// Returns the sum of the waits of packets that have arrived at the queue by `now`, nanoseconds.
    fn waited(&self, now: Time) -> u64 {
        let past = self.ahead.iter().take_while(|(at, _)| *at <= now);
        self.waited + past.map(|(_, ns)| ns).sum::<u64>()
    }
}

impl AccessLinks {
    /// Creates the idle links: from the host to its router, and from the router to the host.
    pub fn new([up, down]: [AccessLink; 2]) -> Self {
        Self {
            up: Direction::new(up),
            down: Direction::new(down),
            drained: Time::ZERO,
            to_router: VecDeque::new(),
            to_host: VecDeque::new(),
            next: Time::NEVER,
            waited_at_warmup: [0; 2],
        }
    }

    /// Returns the sum of the times that packets have waited by `now` at the link to the router and at that from it, nanoseconds.
    /// The whole wait of a packet counts from its arrival at the queue.
    pub fn waited(&self, now: Time) -> [u64; 2] {
        [self.up.waited(now), self.down.waited(now)]
    }

    /// Returns the same sums for the packets that arrived at the queues after the warm-up.
    pub fn waited_since_warmup(&self, now: Time) -> [u64; 2] {
        let (now, before) = (self.waited(now), self.waited_at_warmup);
        [now[0] - before[0], now[1] - before[1]]
    }

    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.waited_at_warmup = self.waited(now);
    }

    /// Sends `packet` from the host to the router at time `at`, which may be later than `now`. Calls must be in order of `at`;
    /// `slot` is the host's event, which orders simultaneous packets.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn send(&mut self, packet: &mut Packet, at: Time, now: Time, slot: Slot, net: &mut Net) {
        net.inject(packet, at);
        packet.arrival = self.up.cross(packet, at, now);
        self.drained = packet.arrival;
        if net.lookahead {
            net.announce(packet, slot);
        } else {
            self.to_router.push_back(*packet);
            self.next = self.next.min(packet.arrival);
            net.check_waiting(self.holding(), at);
        }
    }

    /// Sends `packet` from the router to the host at its arrival time, which is then set to the arrival time at the
    /// host. Calls must be in order of arrival time; `now` is the clock of the run.
    #[inline]
    pub fn receive(&mut self, packet: &mut Packet, now: Time, net: &mut Net) {
        net.hops += 1;
        packet.arrival = self.down.cross(packet, packet.arrival, now);
    }

    /// Stores `packet` until the host takes it at its arrival time.
    pub fn wait(&mut self, packet: &Packet) {
        self.to_host.push_back(*packet);
        self.next = self.next.min(packet.arrival);
    }

    /// Forwards all packets that have reached the router by `now` to the network.
    pub fn release(&mut self, now: Time, slot: Slot, net: &mut Net) {
        while self.to_router.front().is_some_and(|packet| packet.arrival <= now) {
            if let Some(mut packet) = self.to_router.pop_front() {
                net.enter(&mut packet, now, slot);
            }
        }
        self.next = first(&self.to_router).min(first(&self.to_host));
    }

    /// Removes and returns the first packet that has reached the host by `now`; `None` if there is none.
    pub fn take(&mut self, now: Time) -> Option<Packet> {
        let packet = self
            .to_host
            .front()
            .is_some_and(|packet| packet.arrival <= now)
            .then(|| self.to_host.pop_front())?;
        self.next = first(&self.to_router).min(first(&self.to_host));
        packet
    }

    /// Returns the earliest time at which a waiting packet reaches the router or the host; `NEVER` if none is waiting.
    #[inline]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Returns the earliest time at which a waiting packet reaches the router; `NEVER` if none is waiting.
    pub fn next_to_router(&self) -> Time {
        first(&self.to_router)
    }

    /// Returns the time at which the last packet sent by the host reaches the router; it may lie in the future.
    pub fn drained(&self) -> Time {
        self.drained
    }

    /// Whether no packet is waiting to reach the host.
    pub fn is_clear(&self) -> bool {
        self.to_host.is_empty()
    }

    /// Returns the number of packets waiting to reach the host.
    pub fn waiting(&self) -> u64 {
        self.to_host.len() as u64
    }

    /// Returns the time at which the last packet waiting to reach the host arrives; the start of the run if there is
    /// none.
    pub fn last_waiting(&self) -> Time {
        self.to_host.back().map_or(Time::ZERO, |packet| packet.arrival)
    }

    /// Returns the number of packets on both links that are stored here and nowhere else in the network.
    pub fn holding(&self) -> u64 {
        (self.to_router.len() + self.to_host.len()) as u64
    }
}

fn first(packets: &VecDeque<Packet>) -> Time {
    packets.front().map_or(Time::NEVER, |packet| packet.arrival)
}
