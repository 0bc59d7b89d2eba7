// SPDX-License-Identifier: Apache-2.0
//! The overhead of a link on packets.

use narrows_units::Bytes;

/// The framing overhead of a link: added to the transmission time of every packet, not to its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A frame for each packet.
    Frame {
        /// Bytes of its header, trailer and gap.
        added: Bytes,
        /// Its minimum size, header, trailer and gap included; shorter frames are padded.
        least: Bytes,
    },
    /// Bytes added to the packet before it is cut into cells of 53 bytes with a payload of 48 (ITU-T I.361).
    Cells(Bytes),
}

impl Framing {
    /// Returns the size on the link of a packet of `size`.
    pub fn on_link(self, size: Bytes) -> Bytes {
        match self {
            Self::Frame { added, least } => (size + added).max(least),
            Self::Cells(added) => CELL * (size + added).count().div_ceil(CELL_PAYLOAD),
        }
    }
}

const CELL: Bytes = Bytes::new(53);
const CELL_PAYLOAD: u64 = 48;

#[cfg(test)]
mod tests {
    use super::Framing;
    use narrows_units::Bytes;

    #[test]
    fn cells_are_whole() {
        let on_link = |size| Framing::Cells(Bytes::new(16)).on_link(Bytes::new(size)).count();
        // 56 bytes need two cells, 96 bytes fill them, and 97 take a third.
        assert_eq!([40, 80, 81, 1500].map(on_link), [106, 106, 159, 32 * 53]);
    }

    /// IEEE 802.3: 64 bytes of frame, 8 of preamble and 12 of gap, so that 100 Mbps carry 148,810 packets a second.
    #[test]
    fn short_frames_are_padded() {
        let framing = Framing::Frame { added: Bytes::new(38), least: Bytes::new(84) };
        let on_link = |size| framing.on_link(Bytes::new(size)).count();
        assert_eq!([28, 42, 46, 47, 1500].map(on_link), [84, 84, 84, 85, 1538]);
    }
}
