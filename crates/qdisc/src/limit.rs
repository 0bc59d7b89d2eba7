// SPDX-License-Identifier: Apache-2.0
//! Lengths of a queue: how much may wait, and from where on something happens.

use crate::Backlog;
use core::fmt;
use narrows_units::Bytes;

/// A buffer limit: the longest queue, without the packet in transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// No limit.
    Unlimited,
    /// Number of packets of any size.
    Packets(u64),
    /// Bytes on the wire.
    Bytes(u64),
}

impl Limit {
    /// Whether the queue `waiting` is within the limit.
    pub fn holds(self, waiting: Backlog) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Packets(most) => waiting.packets <= most,
            Self::Bytes(most) => waiting.bytes.count() <= most,
        }
    }

    /// Whether the queue `waiting` would still be within the limit with another packet of `size`.
    pub fn admits(self, mut waiting: Backlog, size: Bytes) -> bool {
        waiting.add(size);
        self.holds(waiting)
    }
}

/// As in a scenario: `100pkt`, `9kB`, `infinite`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("infinite"),
            Self::Packets(packets) => write!(f, "{packets}pkt"),
            Self::Bytes(bytes) => Bytes::new(*bytes).fmt(f),
        }
    }
}

/// The unit of a queue length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets of any size.
    Packets,
    /// Bytes on the wire.
    Bytes,
}

/// A queue length with which an average is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Unit of the length.
    pub unit: Unit,
    /// The length in that unit, not necessarily whole.
    pub value: f64,
}

/// As in a scenario: `7.5pkt`, `9000B`.
impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Packets => write!(f, "{}pkt", self.value),
            Unit::Bytes => write!(f, "{}B", self.value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limit;
    use crate::Backlog;
    use narrows_units::Bytes;

    #[test]
    fn an_arrival_may_fill_the_limit_and_not_exceed_it() {
        let waiting = Backlog { packets: 2, bytes: Bytes::new(3000) };
        let admits = |limit: Limit| limit.admits(waiting, Bytes::new(1500));
        assert!(admits(Limit::Packets(3)) && !admits(Limit::Packets(2)));
        assert!(admits(Limit::Bytes(4500)) && !admits(Limit::Bytes(4499)));
        assert!(admits(Limit::Unlimited));
    }
}
