// SPDX-License-Identifier: Apache-2.0
//! Fair queueing (Demers, Keshav and Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989): packets leave
//! in the order in which they would have left if the link served all flows bit by bit in turn.
//!
//! ```text
//! dR/dt = C / N          rounds of the bit-by-bit service, N: flows with a finish number above R
//! F = max(F of the flow's packet before, R at arrival) + size;    the smallest F leaves first
//! |sent_i − sent_j| ≤ size_max                                    over any time in which both flows wait
//! ```
//!
//! A packet costs the logarithm of the number of flows that wait.

use crate::discipline::independent;
use crate::parameters::LIMIT;
use crate::rows::Rows;
use crate::{Backlog, Context, DropReason, Entry, Limit, Order, QueueDiscipline};
use alloc::collections::binary_heap::PeekMut;
use alloc::collections::{BinaryHeap, VecDeque};
use alloc::{boxed::Box, vec::Vec};
use core::cmp::Reverse;
use narrows_card::Card;
use narrows_units::Time;
use narrows_wire::{Direction, Packet};

/// A queue for each leg of each flow, served by finish numbers (Demers et al. 1989).
#[derive(Clone, Debug)]
pub struct FairQueueing {
    limit: Limit,
    rows: Rows,
    /// Finish numbers of the packets that wait, by row.
    waiting: Vec<VecDeque<Finish>>,
    rounds: Rounds,
    /// Finish numbers of the packets at the heads of rows, the smallest first, including rows that drops have emptied.
    heads: BinaryHeap<Reverse<(Finish, usize)>>,
}

/// A number of rounds, bytes; at least 0. Its bits have the order of the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Finish(u64);

impl Finish {
    fn new(rounds: f64) -> Self {
        Self(rounds.to_bits())
    }

    fn rounds(self) -> f64 {
        f64::from_bits(self.0)
    }
}

/// The bit-by-bit service: how many rounds it has made.
#[derive(Clone, Debug)]
struct Rounds {
    /// `R`, bytes for each flow.
    made: f64,
    /// Time at which that was so.
    at: Time,
    /// Finish number of the last packet of each row.
    last: Vec<Finish>,
    /// For each row the finish number under which it is in `due`, if it is.
    keys: Vec<Finish>,
    /// The rows whose last finish number is above `R`, each under one of its finish numbers that is not above the last, the
    /// greatest first.
    due: Vec<(Finish, usize)>,
}

impl Rounds {
    /// Continues to `now` at `bytes_per_second`.
    fn advance(&mut self, now: Time, bytes_per_second: f64) {
        let mut bytes = now.since(self.at).as_secs_f64() * bytes_per_second;
        self.at = now;
        while let Some(&(finish, row)) = self.due.last() {
            let last = self.last[row];
            if finish < last {
                self.due.pop();
                self.enter(row);
                continue;
            }
            let needed = (last.rounds() - self.made) * self.due.len() as f64;
            if needed > bytes {
                self.made += bytes / self.due.len() as f64;
                return;
            }
            bytes -= needed;
            self.made = last.rounds();
            self.due.pop();
        }
    }

    /// `row`, which is not in `due`, has packets to finish.
    fn enter(&mut self, row: usize) {
        self.keys[row] = self.last[row];
        let place = self.place(row).unwrap_or_else(|place| place);
        self.due.insert(place, (self.keys[row], row));
    }

    /// Where `row` is in `due` under its key, or where it would be.
    fn place(&self, row: usize) -> Result<usize, usize> {
        self.due.binary_search_by(|entry| (self.keys[row], row).cmp(entry))
    }

    /// The last packet of `row`, which would have finished with `finish`, is dropped: its flow needs no rounds for its `size` bytes.
    fn withdraw(&mut self, row: usize, finish: Finish, size: f64) {
        let start = Finish::new((finish.rounds() - size).max(0.0));
        self.last[row] = start;
        if let Ok(place) = self.place(row) {
            self.due.remove(place);
            if start.rounds() > self.made {
                self.enter(row);
            }
        }
    }

    /// Returns the finish number of the next packet of `row`, of `size` bytes.
    fn bid(&mut self, row: usize, size: f64) -> Finish {
        let last = self.last[row].rounds();
        let finish = Finish::new(last.max(self.made) + size);
        self.last[row] = finish;
        if last <= self.made {
            self.enter(row);
        }
        finish
    }
}

impl FairQueueing {
    /// Creates an empty queue.
    pub fn new(limit: Limit) -> Self {
        let (last, keys, due) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            limit,
            rows: Rows::default(),
            waiting: Vec::new(),
            rounds: Rounds { made: 0.0, at: Time::ZERO, last, keys, due },
            heads: BinaryHeap::new(),
        }
    }

    fn row_for(&mut self, packet: &Packet) -> usize {
        let row = packet.flow.index() * 2 + usize::from(packet.direction() == Direction::Reverse);
        while self.waiting.len() <= row {
            self.waiting.push(VecDeque::new());
            self.rounds.last.push(Finish::default());
            self.rounds.keys.push(Finish::default());
            self.rows.open();
        }
        row
    }

    /// Drops the last packet of the longest row.
    fn drop_longest(&mut self, context: &mut Context<'_>) {
        let row = self.rows.longest().expect("more than the limit waits");
        let packet = self.rows.pop_tail(row).expect("the longest row holds a packet");
        let finish = self.waiting[row].pop_back().expect("each packet has a finish number");
        self.rounds.withdraw(row, finish, packet.size().count() as f64);
        context.drop(&packet, DropReason::Overflow);
    }
}

impl QueueDiscipline for FairQueueing {
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_>) {
        self.rounds.advance(context.now, context.rate.as_bytes_per_sec());
        let row = self.row_for(&packet);
        let finish = self.rounds.bid(row, packet.size().count() as f64);
        if self.waiting[row].is_empty() {
            self.heads.push(Reverse((finish, row)));
        }
        self.waiting[row].push_back(finish);
        self.rows.push(row, packet);
        while !self.limit.holds(self.rows.backlog()) {
            self.drop_longest(context);
        }
    }

    fn dequeue(&mut self, _context: &mut Context<'_>) -> Option<Packet> {
        loop {
            let mut head = self.heads.peek_mut()?;
            let Reverse((finish, row)) = *head;
            let waiting = &mut self.waiting[row];
            if waiting.front() != Some(&finish) {
                PeekMut::pop(head);
                continue;
            }
            waiting.pop_front();
            match waiting.front() {
                Some(&next) => *head = Reverse((next, row)),
                None => drop(PeekMut::pop(head)),
            }
            return self.rows.pop(row);
        }
    }

    fn backlog(&self) -> Backlog {
        self.rows.backlog()
    }
}

/// The catalogue entry of `fq`.
pub static ENTRY: Entry = Entry {
    card: Card {
        name: "fq",
        family: "fair",
        summary: "bit-by-bit fair queueing: packets leave in the order in which a link that serves all flows bit by bit would finish them",
        source: "Demers, Keshav and Shenker, SIGCOMM 1989",
        equations: &[
            "dR/dt = C / N, N flows with a finish number above R",
            "F = max(F before, R at arrival) + size; the smallest F leaves first",
            "limit exceeded: drop the last packet of the longest queue",
        ],
        parameters: &[LIMIT],
        variables: &[],
        deviations: &[
            "no earlier bids for flows that used less than their share (delta of the source is 0)",
            "rounds that were spent on a packet before it is dropped are not restored",
            "while the rate of the link changes between two arrivals, the rounds are those of the later rate",
            "the longest queue is found to 64 bytes",
        ],
    },
    marks: false,
    order: Order::Flow,
    timer: None,
    complete: independent,
    build: |settings| Box::new(FairQueueing::new(settings.limit("limit"))),
};

#[cfg(test)]
mod tests;
