// SPDX-License-Identifier: Apache-2.0
//! The stream data of a packet, read from its frames (RFC 9000 §19).

use std::ops::Range;

/// The data of the STREAM frames of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamData {
    /// Positions in the stream of the first frame; empty without one.
    pub first: Range<u64>,
    /// Payload of all frames, bytes.
    pub payload: u64,
}

/// Returns the stream data of the frames in `payload`, of an application with one stream. Frames behind one that is not known
/// are not read: no stack sends data there.
pub(crate) fn stream_data(mut payload: &[u8]) -> StreamData {
    let mut found = StreamData::default();
    while let Some(kind) = integer(&mut payload) {
        let data = match kind {
            0x08..=0x0f => stream(kind, &mut payload),
            other => skip(other, &mut payload).map(|()| 0..0),
        };
        let Some(data) = data else { break };
        if found.payload == 0 {
            found.first = data.clone();
        }
        found.payload += data.end - data.start;
    }
    found
}

/// The positions of a STREAM frame of this type.
fn stream(kind: u64, payload: &mut &[u8]) -> Option<Range<u64>> {
    integer(payload)?;
    let offset = if kind & 4 == 0 { 0 } else { integer(payload)? };
    let length = if kind & 2 == 0 { payload.len() as u64 } else { integer(payload)? };
    *payload = payload.get(length as usize..)?;
    Some(offset..offset + length)
}

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

    use super::{StreamData, integer, stream_data};

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
        assert_eq!(stream_data(&all), StreamData { first: 100..103, payload: 4 });
        assert_eq!(stream_data(&ack), StreamData::default());
        // A length that the packet does not have.
        assert_eq!(stream_data(&[0x0a, 2, 60, 1]).payload, 0);
    }
}
