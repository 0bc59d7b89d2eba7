// SPDX-License-Identifier: Apache-2.0
//! The stream data and datagrams of a packet, read from its frames (RFC 9000 §19, RFC 9221 §4).

use std::ops::Range;

/// The data of a STREAM frame, or of a DATAGRAM frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamFrame {
    /// Identifier of the stream, or number of the object in the datagram, from [`DATAGRAMS`](narrows_transport::DATAGRAMS) on.
    pub stream: u64,
    /// Positions in the stream; of a datagram its part of the object, as if it began there.
    pub range: Range<u64>,
}

/// Adds the STREAM and DATAGRAM frames in `payload` to `found`. Frames behind one that is not known are not read: no stack sends data
/// there.
pub(crate) fn stream_frames(mut payload: &[u8], found: &mut Vec<StreamFrame>) {
    while let Some(kind) = integer(&mut payload) {
        let known = match kind {
            0x08..=0x0f => stream(kind, &mut payload).map(|frame| found.push(frame)),
            0x30 | 0x31 => datagram(kind, &mut payload).map(|frame| found.push(frame)),
            other => skip(other, &mut payload),
        };
        if known.is_none() {
            return;
        }
    }
}

/// A STREAM frame of this type.
fn stream(kind: u64, payload: &mut &[u8]) -> Option<StreamFrame> {
    let stream = integer(payload)?;
    let offset = if kind & 4 == 0 { 0 } else { integer(payload)? };
    let length = if kind & 2 == 0 { payload.len() as u64 } else { integer(payload)? };
    *payload = payload.get(usize::try_from(length).ok()?..)?;
    Some(StreamFrame { stream, range: offset..offset.checked_add(length)? })
}

/// A DATAGRAM frame of this type.
fn datagram(kind: u64, payload: &mut &[u8]) -> Option<StreamFrame> {
    let length = if kind & 1 == 0 { payload.len() as u64 } else { integer(payload)? };
    let (content, rest) = payload.split_at_checked(usize::try_from(length).ok()?)?;
    *payload = rest;
    let (stream, part) = numbered(content)?;
    Some(StreamFrame { stream, range: 0..part })
}

/// Returns the number of the object in the datagram `content`, and the size of its part of the object.
pub(crate) fn numbered(content: &[u8]) -> Option<(u64, u64)> {
    let (number, part) = content.split_first_chunk::<NUMBER>()?;
    Some((u64::from_be_bytes(*number), part.len() as u64))
}

/// Size of the number of an object in a datagram, bytes.
pub(crate) const NUMBER: usize = 8;

/// Passes over the rest of a frame of this type; `None` if it is not known or too short.
fn skip(kind: u64, payload: &mut &[u8]) -> Option<()> {
    let integers = match kind {
        0x00 | 0x01 | 0x1e | 0x1f => 0,
        0x02 | 0x03 => {
            // Largest, delay, number of ranges, first range; a gap and a range each; three ECN counts.
            integers(2, payload)?;
            let ranges = integer(payload)?;
            1 + ranges.checked_mul(2)? + if kind == 0x03 { 3 } else { 0 }
        }
        0x10 | 0x12..=0x14 | 0x16 | 0x17 | 0x19 => 1,
        0x05 | 0x11 | 0x15 => 2,
        0x04 => 3,
        // ACK_FREQUENCY (draft-ietf-quic-ack-frequency).
        0xaf => 4,
        0x06 => {
            integer(payload)?;
            let length = integer(payload)?;
            return bytes(length, payload);
        }
        0x07 => {
            let length = integer(payload)?;
            return bytes(length, payload);
        }
        0x18 => {
            integers(2, payload)?;
            let length = u64::from(*payload.first()?);
            return bytes(1 + length + 16, payload);
        }
        0x1a | 0x1b => return bytes(8, payload),
        _ => return None,
    };
    self::integers(integers, payload)
}

fn integers(count: u64, payload: &mut &[u8]) -> Option<()> {
    (0..count).try_for_each(|_| integer(payload).map(drop))
}

fn bytes(count: u64, payload: &mut &[u8]) -> Option<()> {
    *payload = payload.get(usize::try_from(count).ok()?..)?;
    Some(())
}

/// A variable-length integer (RFC 9000 §16).
fn integer(payload: &mut &[u8]) -> Option<u64> {
    let first = *payload.first()?;
    let length = 1 << (first >> 6);
    let (own, rest) = payload.split_at_checked(length)?;
    *payload = rest;
    Some(own[1..].iter().fold(u64::from(first & 0x3f), |value, byte| value << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    //! Truth: frames written by hand by RFC 9000 §19, and the integers of its appendix A.1.

    use super::{StreamFrame, integer, stream_frames};

    #[test]
    fn integers_are_those_of_the_standard() {
        for (mut bytes, value) in [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
        ] {
            assert_eq!(integer(&mut bytes), Some(value));
            assert!(bytes.is_empty());
        }
    }

    #[test]
    fn stream_data_is_found_behind_other_frames() {
        let ack = [0x03, 5, 0, 1, 2, 0, 0, 7, 0, 1];
        let padding = [0, 0, 0x01];
        let written = [0x0e, 2, 0x40, 100, 3, b'a', b'b', b'c'];
        let last = [0x0c, 2, 0x40, 103, b'd'];
        let all: Vec<u8> = ack.iter().chain(&padding).chain(&written).chain(&last).copied().collect();
        let frames = |payload: &[u8]| {
            let mut found = Vec::new();
            stream_frames(payload, &mut found);
            found
        };
        let frame = |range| StreamFrame { stream: 2, range };
        assert_eq!(frames(&all), [frame(100..103), frame(103..104)]);
        assert_eq!(frames(&ack), []);
        let object = [0x31, 10, 0x40, 0, 0, 0, 0, 0, 0, 7, b'a', b'b', 0x01];
        let (stream, range) = (narrows_transport::DATAGRAMS | 7, 0..2);
        assert_eq!(frames(&object), [StreamFrame { stream, range }]);
        // A datagram without a number.
        assert_eq!(frames(&[0x30, 1, 2]), []);
        // A length that the packet does not have.
        assert_eq!(frames(&[0x0a, 2, 60, 1]), []);
    }
}
