// SPDX-License-Identifier: Apache-2.0
//! The elements that a packet passes between the serialiser of a link and its propagation: random loss and the
//! impairments, in order.
//!
//! An element is a pure state machine. It is given each packet with the time at which it reaches the element, and decides
//! whether and when the packet leaves it. Packets that leave the last element later than they left the serialiser wait
//! here, in order of that time; at equal times, in the order in which they left the last element.

mod aggregation;
mod delay;
mod ecn;
mod jitter;
mod policer;
mod reorder;
mod thinning;

use crate::selected::Selected;
use crate::{Impairment, Loss};
use alloc::collections::{BinaryHeap, VecDeque};
use alloc::{boxed::Box, format, vec::Vec};
use core::cmp::Reverse;
use core::fmt::Debug;
use narrows_engine::Stream;
use narrows_units::Time;
use narrows_wire::{Ecn, Packet};

/// An impairment, which forwards, loses or holds packets.
trait Element: Debug + Send {
    /// `packet` reaches the element at `packet.arrival`, which it replaces by the time at which the packet leaves.
    /// Packets that it has held and that leave behind this packet are added to `released`.
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, released: &mut VecDeque<Packet>) -> Fate;

    /// Time at which held packets leave if no other arrives; [`Time::NEVER`] if none are held.
    fn deadline(&self) -> Time {
        Time::NEVER
    }

    /// Adds the held packets that leave by `now`, the deadline, to `released`.
    fn expire(&mut self, _now: Time, _released: &mut VecDeque<Packet>) {}

    /// Number of held packets.
    fn held(&self) -> u64 {
        0
    }
}

/// The result of a packet's arrival at an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The packet leaves at its arrival time.
    Leaves,
    /// The element keeps it until it releases it.
    Held,
    /// The packet is lost by this rule.
    Lost(&'static str),
}

/// The elements of one link, and the packets that have passed them and leave later.
#[derive(Debug)]
pub struct Impairments {
    stages: Vec<(Box<dyn Element>, Stream)>,
    /// Packets that leave later, the first on top.
    waiting: BinaryHeap<Reverse<Waiting>>,
    /// Packets that have been added to `waiting`.
    added: u64,
    /// Packets that elements have released, each with the number of the stage that it reaches next.
    pending: VecDeque<(usize, Packet)>,
    /// Packets that the current element has released.
    released: VecDeque<Packet>,
    /// Packets lost since they were last taken, each with the rule.
    lost: VecDeque<(Packet, &'static str)>,
    /// Packets marked since they were last taken.
    marked: VecDeque<Packet>,
}

/// A packet that leaves at its arrival time.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u64,
    packet: Packet,
}

impl Waiting {
    fn key(&self) -> (Time, u64) {
        (self.packet.arrival, self.number)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl Impairments {
    /// Creates the random `loss` and the `impairments` of a link at the start of the run; `stream` returns its random
    /// streams by purpose. `None` if the link has neither.
    pub fn new(
        loss: Option<Loss>,
        impairments: &[Impairment],
        stream: impl Fn(&str) -> Stream,
    ) -> Option<Self> {
        let loss = loss.map(|loss| (Box::new(loss) as Box<dyn Element>, stream("loss")));
        let others = impairments.iter().enumerate().map(|(place, each)| {
            let mut draws = stream(&format!("impairment {place}"));
            (element(each, &mut draws), draws)
        });
        let stages: Vec<_> = loss.into_iter().chain(others).collect();
        (!stages.is_empty()).then(|| Self {
            stages,
            waiting: BinaryHeap::new(),
            added: 0,
            pending: VecDeque::new(),
            released: VecDeque::new(),
            lost: VecDeque::new(),
            marked: VecDeque::new(),
        })
    }

    /// `packet` has left the serialiser at `packet.arrival`, the time of the link. Returns it if it leaves the elements at
    /// once, before all others.
    pub fn send(&mut self, packet: Packet) -> Option<Packet> {
        let now = packet.arrival;
        let left = self.pass(0, packet);
        if self.pending.is_empty() && self.waiting.is_empty() && left.is_none_or(|left| left.arrival == now) {
            return left;
        }
        self.keep(left);
        self.drain();
        None
    }

    /// Returns the earliest time at which a packet leaves or an element acts; [`Time::NEVER`] if there is none.
    pub fn next(&self) -> Time {
        let first = self.waiting.peek().map_or(Time::NEVER, |Reverse(first)| first.packet.arrival);
        self.stages.iter().map(|(element, _)| element.deadline()).fold(first, Time::min)
    }

    /// Handles what happens next, at `now`. Returns the packet that leaves, if one does.
    pub fn advance(&mut self, now: Time) -> Option<Packet> {
        let due = |(element, _): &(Box<dyn Element>, Stream)| element.deadline() <= now;
        if let Some(stage) = self.stages.iter().position(due) {
            self.expire(stage, now);
            self.drain();
            return None;
        }
        self.waiting.pop().map(|Reverse(first)| first.packet)
    }

    /// Returns the next lost packet in the order of losses, with the rule by which it was lost.
    pub fn take_lost(&mut self) -> Option<(Packet, &'static str)> {
        self.lost.pop_front()
    }

    /// Returns the next packet that an element marked, as it left that element.
    pub fn take_marked(&mut self) -> Option<Packet> {
        self.marked.pop_front()
    }

    /// Returns the number of packets here.
    pub fn held(&self) -> u64 {
        self.waiting.len() as u64 + self.stages.iter().map(|(element, _)| element.held()).sum::<u64>()
    }

    /// Passes `packet` from stage `first` on. Returns it if it leaves the last stage.
    fn pass(&mut self, first: usize, mut packet: Packet) -> Option<Packet> {
        for stage in first..self.stages.len() {
            if self.stages[stage].0.deadline() <= packet.arrival {
                self.expire(stage, packet.arrival);
                self.drain();
            }
            let (element, draws) = &mut self.stages[stage];
            let before = packet.ecn;
            let fate = element.pass(&mut packet, draws, &mut self.released);
            if packet.ecn == Ecn::Ce && before != Ecn::Ce {
                self.marked.push_back(packet);
            }
            self.pending.extend(self.released.drain(..).map(|released| (stage + 1, released)));
            match fate {
                Fate::Leaves => {}
                Fate::Held => return None,
                Fate::Lost(rule) => {
                    self.lost.push_back((packet, rule));
                    return None;
                }
            }
        }
        Some(packet)
    }

    fn expire(&mut self, stage: usize, now: Time) {
        self.stages[stage].0.expire(now, &mut self.released);
        self.pending.extend(self.released.drain(..).map(|released| (stage + 1, released)));
    }

    /// Passes the released packets on.
    fn drain(&mut self) {
        while let Some((stage, packet)) = self.pending.pop_front() {
            let left = self.pass(stage, packet);
            self.keep(left);
        }
    }

    fn keep(&mut self, packet: Option<Packet>) {
        if let Some(packet) = packet {
            self.waiting.push(Reverse(Waiting { number: self.added, packet }));
            self.added += 1;
        }
    }
}

fn element(model: &Impairment, draws: &mut Stream) -> Box<dyn Element> {
    match model {
        Impairment::Jitter { delay, correlation, reorder } => {
            Box::new(jitter::Jitter::new(delay.clone(), *correlation, *reorder, draws))
        }
        Impairment::Reorder { share, late } => Box::new(reorder::Reorder::new(*share, late.clone())),
        Impairment::Policer { rate, burst } => Box::new(policer::Policer::new(*rate, *burst)),
        Impairment::Ecn { mode, share, selection } => {
            let selected = Selected::new(selection.clone());
            Box::new(ecn::Remark { mode: *mode, share: *share, selected })
        }
        Impairment::Delay { delay, reorder } => Box::new(delay::Delay::new(delay.clone(), *reorder)),
        Impairment::AckThinning { share } => Box::new(thinning::AckThinning { share: *share }),
        Impairment::Aggregation { frame, largest, error, retry, retries } => {
            Box::new(aggregation::Aggregation::new(*frame, *largest, *error, *retry, *retries))
        }
    }
}

impl Element for Loss {
    fn pass(&mut self, packet: &mut Packet, draws: &mut Stream, _: &mut VecDeque<Packet>) -> Fate {
        if self.lose(packet, || draws.uniform()) { Fate::Lost(self.rule()) } else { Fate::Leaves }
    }
}

#[cfg(test)]
mod tests;
