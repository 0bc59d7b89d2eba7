// SPDX-License-Identifier: Apache-2.0
//! Which segments of the scoreboard are lost: by the segments above them, by the timer, and no longer after an undo.

use super::{Scoreboard, State};

impl Scoreboard {
    /// Declares lost each segment with three SACKed ones above (RFC 6675 §4, `IsLost`), once; retransmissions remain in
    /// flight. Returns the number of segments.
    pub(crate) fn declare_sack_losses(&mut self) -> u64 {
        let Some(boundary) = self.third_highest_sacked() else { return 0 };
        let mut lost = 0;
        for number in self.examined.max(self.una)..boundary {
            self.step();
            match self.at(number).state {
                State::InFlight => self.declare_lost(number),
                State::InFlightTwice => {
                    // The second transmission becomes the retransmission of the lost segment.
                    self.mark_lost(number);
                    self.mark_retransmitted(number);
                }
                State::Sacked | State::Lost | State::Retransmitted => continue,
            }
            lost += 1;
        }
        self.examined = self.examined.max(boundary);
        lost
    }

    /// Declares lost every segment below the highest SACKed one that is in flight for the first time. Returns the number of
    /// segments.
    pub(crate) fn declare_holes_lost(&mut self) -> u64 {
        let mut lost = 0;
        while let Some(number) = self.first_hole_in_flight(self.examined) {
            self.declare_lost(number);
            self.examined = number + 1;
            lost += 1;
        }
        lost
    }

    /// Declares lost segment `number`, which is in flight.
    pub(crate) fn declare_lost(&mut self, number: u64) {
        debug_assert!(self.at(number).state.is_in_flight(), "only a segment in flight can be lost");
        let again = self.at(number).state == State::Retransmitted;
        self.mark_lost(number);
        self.lost_queue.push(number, again);
    }

    /// The retransmission timer expired: declares lost every outstanding segment that is not SACKed. Returns the number
    /// of those that were not lost already.
    pub(crate) fn declare_all_lost(&mut self) -> u64 {
        let known = self.lost;
        self.lost_queue.clear();
        for number in self.una..self.next {
            self.step();
            let state = self.at(number).state;
            if state.is_in_flight() {
                self.mark_lost(number);
            }
            if state != State::Sacked {
                self.lost_queue.push(number, false);
            }
        }
        self.examined = self.next;
        self.lost - known
    }

    /// The losses were spurious: segments declared lost and not retransmitted are in flight again.
    pub(crate) fn undo_losses(&mut self) {
        self.lost_queue.clear();
        // `IsLost` is applied to all outstanding segments again.
        self.examined = self.una;
        for number in self.una..self.next {
            self.step();
            if self.at(number).state == State::Lost {
                self.uncount(self.at(number).state);
                self.in_flight += 1;
                self.at_mut(number).state = State::InFlight;
            }
        }
    }

    /// Moves a segment in flight to [`State::Lost`].
    fn mark_lost(&mut self, number: u64) {
        self.uncount(self.at(number).state);
        self.lost += 1;
        self.total_lost += 1;
        self.at_mut(number).state = State::Lost;
        if let Some(declared) = &mut self.declared {
            declared.push(number);
        }
        if self.packets.is_some() {
            let packet = self.packet(number);
            self.packets.get_or_insert_default().lost.push(packet);
        }
    }
}
