//! How much may wait in a queue.

use crate::Backlog;
use narrows_units::Bytes;

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
