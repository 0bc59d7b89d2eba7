//! Which datagram is lost: one after which three with higher numbers have arrived (RFC 5348 §5.1; Rejaie, Handley and
//! Estrin 1999 §2.2).

/// The highest numbers that have arrived, the highest first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrivals {
    highest: [Option<u64>; TOLERANCE],
}

impl Arrivals {
    /// Number `number` has arrived, for the first time.
    pub(super) fn add(&mut self, number: u64) {
        let mut number = Some(number);
        for place in &mut self.highest {
            if number > *place {
                std::mem::swap(place, &mut number);
            }
        }
    }

    /// What is below this number and has not arrived is lost.
    pub(super) fn lost_below(&self) -> u64 {
        self.highest[TOLERANCE - 1].unwrap_or(0)
    }
}

/// Later arrivals that prove a loss; `NDUPACK` in RFC 5348.
const TOLERANCE: usize = 3;

#[cfg(test)]
mod tests {
    use super::Arrivals;

    #[test]
    fn a_packet_is_lost_once_three_later_ones_have_arrived_in_any_order() {
        let mut arrivals = Arrivals::default();
        for (number, below) in [(0, 0), (1, 0), (5, 0), (4, 1), (6, 4), (3, 4), (9, 5)] {
            arrivals.add(number);
            assert_eq!(arrivals.lost_below(), below, "after {number}");
        }
    }
}
