// SPDX-License-Identifier: Apache-2.0
//! What a link adds to packets.

use narrows_units::Bytes;

/// The framing overhead of a link: added to the transmission time of every packet, not to its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Bytes of header, trailer and gap of a frame.
    Frame(Bytes),
    /// Bytes added to the packet before it is cut into cells of 53 bytes with a payload of 48 (ITU-T I.361).
    Cells(Bytes),
}

impl Framing {
    /// Returns the size on the link of a packet of `size`.
    pub fn on_link(self, size: Bytes) -> Bytes {
        match self {
            Self::Frame(added) => size + added,
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
        assert_eq!(Framing::Frame(Bytes::new(38)).on_link(Bytes::new(1500)).count(), 1538);
    }
}
