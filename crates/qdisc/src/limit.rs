//! Lengths of a queue: how much may wait, and from where on something happens.

use crate::Backlog;
use narrows_units::Bytes;
use std::fmt;

/// The most that may wait. The packet in transmission does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Everything may wait.
    Unlimited,
    /// So many packets, whatever their size.
    Packets(u64),
    /// So many bytes on the wire.
    Bytes(u64),
}

impl Limit {
    /// Whether so much may wait.
    pub fn holds(self, waiting: Backlog) -> bool {
        match self {
            Self::Unlimited => true,
            Self::Packets(most) => waiting.packets <= most,
            Self::Bytes(most) => waiting.bytes.count() <= most,
        }
    }

    /// Whether a packet of `size` may join what waits: an arrival that would carry it over the limit is refused.
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

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Packets of any size.
    Packets,
    /// Bytes on the wire.
    Bytes,
}

/// A length from which on something happens; parts of packets count where it is held against an average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// What it counts.
    pub unit: Unit,
    /// How many.
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
