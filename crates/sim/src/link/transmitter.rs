// SPDX-License-Identifier: Apache-2.0
//! The near end of a link: what arrives there, what leaves, and its counts.

use super::{ArrivalQueue, Bound, Capacity, Fifo, Probe, Stepped};
use crate::recorder::{FlowTallies, LinkRecorder, QueueTap};
use narrows_engine::Slot;
use narrows_model::LinkChange;
use narrows_units::{Span, Time};
use narrows_wire::Packet;

/// A queue and a serialiser with a local clock.
///
/// Their state depends only on the arriving packets, and affects no other entity before a packet has crossed the link. The
/// local clock may therefore be behind the clock of the run by at most the delay of the link (its lookahead).
#[derive(Debug)]
pub(crate) struct Transmitter {
    /// Packets that will arrive at the queue.
    arrivals: ArrivalQueue,
    service: Service,
    /// Propagation delay.
    delay: Span,
    /// Arrival time of the last packet sent.
    last_arrival: Time,
    /// Counts and histograms of the link.
    pub recorder: LinkRecorder,
    /// Bits sent and offered by the end of the warm-up.
    pub at_measure: Bits,
}

/// The service of the packets of a link.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each link")]
pub(crate) enum Service {
    /// The departure of a packet is known when it arrives, with lookahead: a FIFO with this capacity, which is constant. The link
    /// has neither framing nor impairments, and never fails.
    Computed(Fifo, Capacity),
    /// From one event to the next.
    Stepped {
        /// The state of the link.
        link: Stepped,
        /// Whether the local clock may be behind the clock of the run.
        lookahead: bool,
    },
}

/// Bits since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bits {
    /// Bits sent, including the transmitted part of the packet in transmission.
    pub sent: f64,
    /// Bits that could have been sent.
    pub offered: f64,
}

impl Transmitter {
    /// Creates an idle link with propagation `delay`, whose packets `service` serves.
    pub fn new(service: Service, delay: Span) -> Self {
        Self {
            arrivals: ArrivalQueue::default(),
            service,
            delay,
            last_arrival: Time::ZERO,
            recorder: LinkRecorder::new(),
            at_measure: Bits::default(),
        }
    }

    /// Ends the warm-up at `now`.
    pub fn measure(&mut self, now: Time) {
        self.recorder.measure(now);
        self.at_measure = self.bits(now);
    }

    /// Announces that the event `slot` will bring `packet` to the queue at its arrival time. Returns whether
    /// [`due`](Self::due) may have changed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and shorter than the call")]
    pub fn expect(&mut self, packet: &Packet, slot: Slot) -> bool {
        self.arrivals.announce(packet, slot)
    }

    /// Returns the latest time at which the link must advance, so that no packet reaches the far end late.
    pub fn due(&self) -> Time {
        match &self.service {
            Service::Computed(..) => self.arrivals.next() + INSTANT + self.delay,
            Service::Stepped { link, lookahead } => {
                let (leaves, other) = link.next(self.arrivals.next(), *lookahead);
                let due = leaves.min(other + INSTANT);
                if *lookahead { due + self.delay } else { due }
            }
        }
    }

    /// Advances the link until a packet departs, which is stored in `left` with its arrival time at the far end, or
    /// until `bound`. Returns whether a packet departed.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "done for every packet, and called at few places")]
    pub fn advance(&mut self, bound: Bound, flows: &mut FlowTallies, left: &mut Packet) -> bool {
        let departure = match &mut self.service {
            Service::Computed(fifo, _) => {
                let mut departure = None;
                while departure.is_none() && self.arrivals.take(bound.others, left) {
                    left.pass_router();
                    departure = fifo.pass(left, &mut self.recorder, flows);
                }
                if departure.is_none() {
                    fifo.advance(bound.departures, &mut self.recorder);
                }
                departure
            }
            Service::Stepped { link, .. } => {
                let tap = &mut QueueTap { link: &mut self.recorder, flows };
                link.advance(bound, &mut self.arrivals, tap, left)
            }
        };
        let Some(departure) = departure else { return false };
        // Packets do not overtake each other even if the delay has become shorter.
        self.last_arrival = self.last_arrival.max(departure + self.delay);
        left.arrival = self.last_arrival;
        true
    }

    /// Applies `change` at `now`; the link must have advanced to the end of `now`.
    pub fn change(&mut self, change: LinkChange, now: Time, flows: &mut FlowTallies) {
        let tap = &mut QueueTap { link: &mut self.recorder, flows };
        match (change, &mut self.service) {
            (LinkChange::Delay(delay), _) => self.delay = delay,
            (LinkChange::Fail, Service::Stepped { link, .. }) => link.fail(now, tap),
            (LinkChange::Restore, Service::Stepped { link, .. }) => link.restore(now, tap),
            (LinkChange::Fail | LinkChange::Restore, Service::Computed(..)) => {
                debug_assert!(false, "departures of a link that fails are not known in advance");
            }
        }
    }

    /// Takes a round trip that steers the rate of a shaper.
    pub fn probed(&mut self, probe: Probe) {
        if let Service::Stepped { link, .. } = &mut self.service {
            link.probed(probe);
        }
    }

    /// Returns the place in the recording of its rate at which the run started; `None` without a recording.
    pub fn recording_start(&self) -> Option<Span> {
        match &self.service {
            Service::Computed(..) => None,
            Service::Stepped { link, .. } => link.capacity().recording_start(),
        }
    }

    /// Returns the bits sent and offered from the start of the run until `now`.
    pub fn bits(&self, now: Time) -> Bits {
        let (capacity, in_transmission, added, offered) = match &self.service {
            Service::Computed(fifo, capacity) => {
                (capacity, fifo.in_transmission(), 0, capacity.offered_bits(now))
            }
            Service::Stepped { link, .. } => {
                (link.capacity(), link.in_transmission(), link.added(), link.offered_bits(now))
            }
        };
        let whole = (self.recorder.counts.sent_bytes.bits() + added) as f64;
        let part = in_transmission.map_or(0.0, |(size, departure)| {
            (size.bits() as f64 - capacity.bits_left(departure, now)).max(0.0)
        });
        Bits { sent: whole + part, offered }
    }

    /// Calls `record` with name and value of each inner variable of the queue; a FIFO has none.
    pub fn observe(&self, record: &mut dyn FnMut(&str, f64)) {
        if let Service::Stepped { link, .. } = &self.service {
            link.observe(record);
        }
    }

    /// Whether every packet that arrived was sent or dropped, or is waiting or in transmission.
    pub fn conserves(&self) -> bool {
        let counts = &self.recorder.counts;
        let here = match &self.service {
            Service::Computed(fifo, _) => fifo.count(),
            Service::Stepped { link, .. } => link.queued(),
        };
        counts.arrived == counts.sent + counts.dropped() + here
    }

    /// Returns the number of packets that are announced to the queue, waiting in it, in transmission or at an
    /// impairment, and not yet in a pipe, where a computed packet is from its arrival on.
    pub fn holds(&self) -> u64 {
        let here = match &self.service {
            Service::Computed(..) => 0,
            Service::Stepped { link, .. } => link.queued() + link.held(),
        };
        self.arrivals.count() + here
    }
}

/// The unit of time.
const INSTANT: Span = Span::from_ps(1);
