// SPDX-License-Identifier: Apache-2.0
//! The data of a transfer: how it is divided into segments, and how much of it the application has offered.

use narrows_units::Bytes;

/// The segments of a transfer. All are full except the last one of the transfer, or of each write if the transfer is
/// written in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transfer {
    /// Payload of a full segment, bytes.
    mss: u64,
    /// Payload of the transfer, bytes; `u64::MAX` if it is endless.
    size: u64,
    /// The number of segments; `u64::MAX` if the transfer is endless.
    segments: u64,
    /// The writes, which share no segment; `None` for a transfer in one part.
    writes: Option<Vec<Write>>,
    /// Whether more writes may follow.
    open: bool,
}

/// A write of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Write {
    /// Segments of all earlier writes.
    segments_before: u64,
    /// Bytes of all earlier writes.
    bytes_before: u64,
    bytes: u64,
}

impl Transfer {
    /// Creates a transfer of `size`, endless if `None`, in segments of `mss`.
    pub(crate) fn new(size: Option<Bytes>, mss: Bytes) -> Self {
        let mss = mss.count().max(1);
        let segments = size.map_or(u64::MAX, |size| size.count().div_ceil(mss));
        Self { mss, size: size.map_or(u64::MAX, Bytes::count), segments, writes: None, open: false }
    }

    /// Returns a transfer that the application writes in parts of the given `sizes`, each above zero.
    pub(crate) fn of_writes(sizes: impl Iterator<Item = Bytes>, mss: Bytes) -> Self {
        let mut transfer = Self::open(mss);
        sizes.for_each(|size| transfer.write(size));
        transfer.open = false;
        transfer
    }

    /// Returns a transfer without any data yet, to which the application [adds](Self::write) parts.
    pub(crate) fn open(mss: Bytes) -> Self {
        Self { mss: mss.count().max(1), size: 0, segments: 0, writes: Some(Vec::new()), open: true }
    }

    /// Adds a part of `size`, above zero. Only for an open transfer.
    pub(crate) fn write(&mut self, size: Bytes) {
        // A part behind full segments has the segments that it would have as a part of its own.
        let joined = self
            .writes
            .as_mut()
            .and_then(|writes| writes.last_mut())
            .filter(|last| last.bytes % self.mss == 0);
        if let Some(last) = joined {
            last.bytes += size.count();
            self.segments += size.count().div_ceil(self.mss);
            self.size += size.count();
            return;
        }
        let write = Write { segments_before: self.segments, bytes_before: self.size, bytes: size.count() };
        self.writes.get_or_insert_default().push(write);
        self.segments += size.count().div_ceil(self.mss);
        self.size += size.count();
    }

    /// No more parts follow; an endless transfer ends after its first `segments` segments.
    pub(crate) fn close(&mut self, segments: u64) {
        self.open = false;
        if self.size == u64::MAX {
            (self.segments, self.size) = (segments, segments * self.mss);
        }
    }

    /// Returns the number of segments; `u64::MAX` if the transfer is endless, or if more parts may follow.
    pub(crate) fn segments(&self) -> u64 {
        if self.open { u64::MAX } else { self.segments }
    }

    /// Returns the payload of segment `number`.
    #[inline]
    pub(crate) fn payload(&self, number: u64) -> Bytes {
        let rest = match &self.writes {
            None => self.size.saturating_sub(number * self.mss),
            Some(writes) => of_segment(writes, number)
                .map_or(0, |write| write.bytes.saturating_sub((number - write.segments_before) * self.mss)),
        };
        Bytes::new(rest.min(self.mss))
    }

    /// Returns the payload of the first `count` segments.
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

/// The data of a sender: its transfer, and how much of it the application has offered.
#[derive(Clone, Debug)]
pub(crate) struct SendBuffer {
    transfer: Transfer,
    /// The number of segments offered; `u64::MAX` for the whole transfer.
    offered: u64,
    /// Bytes of a stream that the application has written and no segment holds yet.
    pending: u64,
}

impl SendBuffer {
    /// Creates the data of a transfer of `size`, endless if `None`, all of it available when the flow starts.
    pub(crate) fn new(size: Option<Bytes>, mss: Bytes) -> Self {
        Self { transfer: Transfer::new(size, mss), offered: u64::MAX, pending: 0 }
    }

    /// Returns the transfer.
    #[inline]
    pub(crate) fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    /// Replaces the transfer by one of which nothing is offered yet.
    pub(crate) fn set_transfer(&mut self, transfer: Transfer) {
        self.transfer = transfer;
        self.offered = 0;
    }

    /// The application adds a part of `size`, above zero, to an open transfer, and offers it.
    pub(crate) fn write(&mut self, size: Bytes) {
        self.transfer.write(size);
        self.offered = self.transfer.segments;
    }

    /// The application adds `size` to a stream, whose segments are cut when they are sent.
    pub(crate) fn append(&mut self, size: Bytes) {
        self.pending += size.count();
    }

    /// Cuts the next segment of a stream, offers it and returns its size; `None` if nothing is left, or less than a full segment
    /// and `only_full` ones are wanted.
    pub(crate) fn cut(&mut self, only_full: bool) -> Option<Bytes> {
        let size = self.pending.min(self.transfer.mss);
        if size == 0 || (only_full && size < self.transfer.mss) {
            return None;
        }
        self.pending -= size;
        self.write(Bytes::new(size));
        Some(Bytes::new(size))
    }

    /// The application adds no more. Of an endless supply, all but the first `sent` segments are taken back.
    pub(crate) fn close(&mut self, sent: u64) {
        self.transfer.close(if self.offered == u64::MAX { sent } else { self.offered });
    }

    /// Nothing is offered yet.
    pub(crate) fn wait_for_offers(&mut self) {
        self.offered = 0;
    }

    /// The application offers `segments` more segments.
    pub(crate) fn offer(&mut self, segments: u64) {
        self.offered = self.offered.saturating_add(segments);
    }

    /// Returns the number of segments that may be sent, from the first one of the transfer.
    #[inline]
    pub(crate) fn available(&self) -> u64 {
        self.transfer.segments().min(self.offered)
    }
}

/// The write to which segment `number` belongs.
fn of_segment(writes: &[Write], number: u64) -> Option<&Write> {
    writes[..writes.partition_point(|write| write.segments_before <= number)].last()
}

#[cfg(test)]
mod tests {
    use super::{SendBuffer, Transfer};
    use narrows_units::Bytes;

    #[test]
    fn the_last_segment_carries_the_remainder() {
        let transfer = Transfer::new(Some(Bytes::new(2_500)), Bytes::new(1_000));
        assert_eq!(transfer.segments(), 3);
        assert_eq!(transfer.payload(2), Bytes::new(500));
        assert_eq!(transfer.payload_before(2), Bytes::new(2_000));
        assert_eq!(transfer.payload_before(3), Bytes::new(2_500));
    }

    #[test]
    fn an_empty_transfer_has_no_segments_and_an_endless_one_only_full_segments() {
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

    #[test]
    fn an_open_transfer_grows_and_ends_when_it_is_closed() {
        let mut transfer = Transfer::open(Bytes::new(1_000));
        transfer.write(Bytes::new(1_500));
        assert_eq!((transfer.segments(), transfer.payload_before(2)), (u64::MAX, Bytes::new(1_500)));
        transfer.write(Bytes::new(200));
        assert_eq!((transfer.payload(1), transfer.payload(2)), (Bytes::new(500), Bytes::new(200)));
        transfer.close(1);
        assert_eq!(transfer.segments(), 3);
    }

    #[test]
    fn an_endless_supply_ends_with_what_was_sent_and_offers_with_what_was_offered() {
        let mss = Bytes::new(1_000);
        let mut all = SendBuffer::new(None, mss);
        all.close(7);
        assert_eq!((all.available(), all.transfer().segments()), (7, 7));
        let mut offered = SendBuffer::new(None, mss);
        offered.wait_for_offers();
        offered.offer(9);
        offered.close(7);
        assert_eq!((offered.available(), offered.transfer().segments()), (9, 9));
        let mut finite = SendBuffer::new(Some(Bytes::new(2_500)), mss);
        finite.close(1);
        assert_eq!(finite.transfer().segments(), 3);
    }
}
