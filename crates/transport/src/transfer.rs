//! How a transfer falls into segments.

use narrows_units::Bytes;
use std::sync::Arc;

/// The segments of a transfer: all full but perhaps the last, or the last of each write where it is written in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    mss: u64,
    /// Bytes in all; `u64::MAX` where endless.
    size: u64,
    /// Segments in all; `u64::MAX` where endless.
    segments: u64,
    /// Writes that share no segment.
    writes: Option<Arc<[Write]>>,
}

/// A write, by what went before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    segments_before: u64,
    bytes_before: u64,
    bytes: u64,
}

impl Transfer {
    pub(crate) fn new(size: Option<Bytes>, mss: Bytes) -> Self {
        let mss = mss.count().max(1);
        let segments = size.map_or(u64::MAX, |size| size.count().div_ceil(mss));
        Self { mss, size: size.map_or(u64::MAX, Bytes::count), segments, writes: None }
    }

    /// A transfer that an application writes in parts of the given `sizes`, each above zero.
    pub(crate) fn of_writes(sizes: impl Iterator<Item = Bytes>, mss: Bytes) -> Self {
        let mss = mss.count().max(1);
        let (mut segments, mut bytes) = (0, 0);
        let writes = sizes.map(|size| {
            let write = Write { segments_before: segments, bytes_before: bytes, bytes: size.count() };
            segments += size.count().div_ceil(mss);
            bytes += size.count();
            write
        });
        let writes = writes.collect();
        Self { mss, size: bytes, segments, writes: Some(writes) }
    }

    /// Segments in all; `u64::MAX` where endless.
    pub(crate) fn segments(&self) -> u64 {
        self.segments
    }

    /// Payload of segment `number`.
    #[inline]
    pub(crate) fn payload(&self, number: u64) -> Bytes {
        let rest = match &self.writes {
            None => self.size.saturating_sub(number * self.mss),
            Some(writes) => of_segment(writes, number)
                .map_or(0, |write| write.bytes.saturating_sub((number - write.segments_before) * self.mss)),
        };
        Bytes::new(rest.min(self.mss))
    }

    /// Payload of the first `count` segments.
    #[inline]
    pub(crate) fn payload_before(&self, count: u64) -> Bytes {
        let Some(writes) = &self.writes else {
            return Bytes::new((count * self.mss).min(self.size));
        };
        let last = count.checked_sub(1).and_then(|last| of_segment(writes, last));
        Bytes::new(last.map_or(0, |write| {
            write.bytes_before + ((count - write.segments_before) * self.mss).min(write.bytes)
        }))
    }
}

/// The write to which segment `number` belongs.
fn of_segment(writes: &[Write], number: u64) -> Option<&Write> {
    writes[..writes.partition_point(|write| write.segments_before <= number)].last()
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

    #[test]
    fn each_write_has_segments_of_its_own() {
        let sizes = [2_500, 1, 1_000].map(Bytes::new);
        let transfer = Transfer::of_writes(sizes.into_iter(), Bytes::new(1_000));
        assert_eq!(transfer.segments(), 5);
        assert_eq!([0, 1, 2, 3, 4].map(|k| transfer.payload(k).count()), [1_000, 1_000, 500, 1, 1_000]);
        let before = [0, 1, 2, 3, 4, 5].map(|k| transfer.payload_before(k).count());
        assert_eq!(before, [0, 1_000, 2_000, 2_500, 2_501, 3_501]);
    }
}
