// SPDX-License-Identifier: Apache-2.0
//! Loss detection by numbers: a packet is lost once three packets with higher numbers have arrived (RFC 5348 §5.1;
//! Rejaie, Handley and Estrin 1999 §2.2).

/// The highest numbers that have arrived, in descending order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HighestArrivals {
    numbers: [Option<u64>; NDUPACK],
}

impl HighestArrivals {
    /// Number `number` has arrived for the first time.
    pub(super) fn add(&mut self, number: u64) {
        let mut number = Some(number);
        for slot in &mut self.numbers {
            if number > *slot {
                std::mem::swap(slot, &mut number);
            }
        }
    }

    /// Returns the lowest number that is not known to be lost: every number below it that has not arrived is lost.
    pub(super) fn lost_below(&self) -> u64 {
        self.numbers[NDUPACK - 1].unwrap_or(0)
    }
}

/// The number of later arrivals that prove a loss: `NDUPACK` in RFC 5348.
const NDUPACK: usize = 3;

#[cfg(test)]
mod tests {
    use super::HighestArrivals;

    #[test]
    fn a_packet_is_lost_once_three_later_ones_have_arrived_in_any_order() {
        let mut highest = HighestArrivals::default();
        for (number, below) in [(0, 0), (1, 0), (5, 0), (4, 1), (6, 4), (3, 4), (9, 5)] {
            highest.add(number);
            assert_eq!(highest.lost_below(), below, "after {number}");
        }
    }
}
