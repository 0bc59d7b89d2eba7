// SPDX-License-Identifier: Apache-2.0
//! The echo of each packet, with a bit map of those received before it.

/// The packets received last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EchoPolicy {
    /// The highest number received, plus one.
    next: u64,
    /// Bit i is set if number `next − 1 − i` has been received.
    received: u64,
}

impl EchoPolicy {
    /// Records the arrival of packet `number`. Bit i of the result is set if packet `number − 1 − i` had arrived
    /// before.
    pub(super) fn on_arrival(&mut self, number: u64) -> u32 {
        let ahead = (number + 1).saturating_sub(self.next);
        self.next += ahead;
        self.received = shifted(self.received, ahead, u64::wrapping_shl);
        let back = self.next - 1 - number;
        let before = shifted(self.received, back + 1, u64::wrapping_shr) as u32;
        self.received |= shifted(1, back, u64::wrapping_shl);
        before
    }
}

/// `bits` shifted by `count`, which may exceed the width.
fn shifted(bits: u64, count: u64, shift: fn(u64, u32) -> u64) -> u64 {
    if count < u64::from(u64::BITS) { shift(bits, count as u32) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::EchoPolicy;

    #[test]
    fn an_echo_carries_the_packets_received_before_it() {
        let mut policy = EchoPolicy::default();
        assert_eq!(policy.on_arrival(0), 0b0);
        assert_eq!(policy.on_arrival(1), 0b1);
        assert_eq!(policy.on_arrival(4), 0b1100);
        assert_eq!(policy.on_arrival(3), 0b110, "a late packet");
        assert_eq!(policy.on_arrival(5), 0b11011);
        assert_eq!(policy.on_arrival(500), 0);
    }
}
