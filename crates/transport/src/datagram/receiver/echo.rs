//! An echo for each packet, with the memory of those before it.

/// The numbers that have arrived lately.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EchoPolicy {
    /// The highest number so far plus one.
    next: u64,
    /// Bit i is set if number `next − 1 − i` has arrived.
    arrived: u64,
}

impl EchoPolicy {
    /// Number `number` has arrived. Bit i of the answer is set if `number − 1 − i` had arrived before.
    pub(super) fn on_arrival(&mut self, number: u64) -> u32 {
        let ahead = (number + 1).saturating_sub(self.next);
        self.next += ahead;
        self.arrived = shifted(self.arrived, ahead, u64::wrapping_shl);
        let place = self.next - 1 - number;
        let before = shifted(self.arrived, place + 1, u64::wrapping_shr) as u32;
        self.arrived |= shifted(1, place, u64::wrapping_shl);
        before
    }
}

/// `bits` shifted by `places`, nothing left beyond the width.
fn shifted(bits: u64, places: u64, shift: fn(u64, u32) -> u64) -> u64 {
    if places < u64::from(u64::BITS) { shift(bits, places as u32) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::EchoPolicy;

    #[test]
    fn an_echo_remembers_the_packets_before_its_own() {
        let mut policy = EchoPolicy::default();
        assert_eq!(policy.on_arrival(0), 0b0);
        assert_eq!(policy.on_arrival(1), 0b1);
        assert_eq!(policy.on_arrival(4), 0b1100);
        assert_eq!(policy.on_arrival(3), 0b110, "a late packet knows those before it");
        assert_eq!(policy.on_arrival(5), 0b11011);
        assert_eq!(policy.on_arrival(500), 0);
    }
}
