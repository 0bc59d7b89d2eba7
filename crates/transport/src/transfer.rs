//! How a transfer falls into segments.

use narrows_units::Bytes;

/// The segments of a transfer: all full but perhaps the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    mss: u64,
    /// Bytes in all; `None` is endless.
    size: Option<u64>,
}

impl Transfer {
    pub(crate) fn new(size: Option<Bytes>, mss: Bytes) -> Self {
        Self { mss: mss.count().max(1), size: size.map(Bytes::count) }
    }

    /// Segments in all; `u64::MAX` where endless.
    pub(crate) fn segments(&self) -> u64 {
        self.size.map_or(u64::MAX, |size| size.div_ceil(self.mss))
    }

    /// Payload of segment `number`.
    pub(crate) fn payload(&self, number: u64) -> Bytes {
        let rest = self.size.map_or(u64::MAX, |size| size.saturating_sub(number * self.mss));
        Bytes::new(rest.min(self.mss))
    }

    /// Payload of the first `count` segments.
    pub(crate) fn payload_before(&self, count: u64) -> Bytes {
        Bytes::new((count * self.mss).min(self.size.unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::Transfer;
    use narrows_units::Bytes;

    #[test]
    fn the_last_segment_carries_the_rest() {
        let transfer = Transfer::new(Some(Bytes::new(2_500)), Bytes::new(1_000));
        assert_eq!(transfer.segments(), 3);
        assert_eq!(transfer.payload(2), Bytes::new(500));
        assert_eq!(transfer.payload_before(2), Bytes::new(2_000));
        assert_eq!(transfer.payload_before(3), Bytes::new(2_500));
    }

    #[test]
    fn nothing_to_send_has_no_segment_and_an_endless_transfer_only_full_ones() {
        assert_eq!(Transfer::new(Some(Bytes::ZERO), Bytes::new(1_000)).segments(), 0);
        assert_eq!(Transfer::new(None, Bytes::new(1_000)).payload(1 << 40), Bytes::new(1_000));
    }
}
