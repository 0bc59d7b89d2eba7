// SPDX-License-Identifier: Apache-2.0
//! A handshake with the round trips of TLS 1.3, but without cryptography: congestion control does not depend on it, and
//! its random numbers would not follow from the seed.
//!
//! It takes one round trip, as in RFC 9001 §4, and carries the transport parameters of both sides. Nothing is encrypted, but every
//! packet is as long as with an authentication tag. There is no certificate, so the first flight of the server is one datagram.

/// Bytes of the authentication tag of AES-128-GCM, and of the sample of header protection (RFC 9001 §5.3, §5.4.2).
pub(crate) const TAG: usize = 16;

/// Packets that AES-128-GCM may protect with one key (RFC 9001 §6.6).
pub(crate) const KEY_LIMIT: u64 = 1 << 23;

/// Packets that may fail authentication with it.
pub(crate) const FORGERY_LIMIT: u64 = 1 << 52;

/// One side of a handshake.
#[derive(Clone, Debug)]
pub(crate) struct Handshake {
    client: bool,
    /// Transport parameters of this side, encoded.
    own: Vec<u8>,
    /// Those of the other side, once they are here.
    theirs: Option<Vec<u8>>,
    /// What has arrived of the next message.
    arrived: Vec<u8>,
    /// Messages written, and messages read so far.
    written: u32,
    read: u32,
}

/// The output of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Whether the keys of the next packet number space are ready.
    pub keys: bool,
}

/// The messages of a side: bytes besides transport parameters, and whether it carries these.
type Message = (usize, bool);

/// ClientHello, and Finished.
const OF_CLIENT: [Message; 2] = [(200, true), (36, false)];

/// ServerHello; EncryptedExtensions with Finished.
const OF_SERVER: [Message; 2] = [(90, false), (46, true)];

impl Handshake {
    /// Creates the side of a client or of a server with the transport parameters `own`.
    pub(crate) fn new(client: bool, own: Vec<u8>) -> Self {
        Self { client, own, theirs: None, arrived: Vec::new(), written: 0, read: 0 }
    }

    /// Whether messages are still to come.
    pub(crate) fn is_open(&self) -> bool {
        self.read < 2
    }

    /// Returns the transport parameters of the other side, once they are here.
    pub(crate) fn theirs(&self) -> Option<&[u8]> {
        self.theirs.as_deref()
    }

    /// Reads `data`. Returns whether it completes the first message.
    pub(crate) fn read(&mut self, data: &[u8]) -> bool {
        self.arrived.extend_from_slice(data);
        let before = self.read;
        while self.arrived.len() >= 2 {
            let length = usize::from(u16::from_be_bytes([self.arrived[0], self.arrived[1]]));
            if self.arrived.len() < 2 + length {
                break;
            }
            let message: Vec<u8> = self.arrived.drain(..2 + length).skip(2).collect();
            let messages = if self.client { OF_SERVER } else { OF_CLIENT };
            if let Some((filler, true)) = messages.get(self.read as usize) {
                self.theirs = message.get(*filler..).map(<[u8]>::to_vec);
            }
            self.read += 1;
        }
        before == 0 && self.read > 0
    }

    /// Adds the next data to be sent to `out`. Returns whether the keys of the next packet number space are ready,
    /// which are used after `out` has been sent in the present one.
    pub(crate) fn write(&mut self, out: &mut Vec<u8>) -> Written {
        match (self.client, self.written, self.read) {
            (true, 0, _) => {
                self.message(OF_CLIENT[0], out);
                Written { keys: false }
            }
            (true, 1, 1..) => {
                // The keys of the handshake; there is nothing to say before the message that comes under them.
                self.written += 1;
                Written { keys: true }
            }
            (true, 2, 2..) => {
                self.message(OF_CLIENT[1], out);
                Written { keys: true }
            }
            (false, number @ (0 | 1), 1..) => {
                self.message(OF_SERVER[number as usize], out);
                Written { keys: true }
            }
            _ => Written { keys: false },
        }
    }

    fn message(&mut self, (filler, parameters): Message, out: &mut Vec<u8>) {
        let own: &[u8] = if parameters { &self.own } else { &[] };
        out.extend_from_slice(&((filler + own.len()) as u16).to_be_bytes());
        out.resize(out.len() + filler, 0);
        out.extend_from_slice(own);
        self.written += 1;
    }
}

#[cfg(test)]
mod tests {
    //! Truth: the course of RFC 9001 §4, figure 5.

    use super::{Handshake, Written};

    #[test]
    fn both_sides_are_done_after_one_round_trip_and_a_half() {
        let (mut client, mut server) = (Handshake::new(true, vec![1, 2]), Handshake::new(false, vec![3]));
        let (mut hello, mut answer, mut last) = (Vec::new(), Vec::new(), Vec::new());
        assert_eq!(client.write(&mut hello), Written { keys: false });
        // In two pieces.
        assert!(!server.read(&hello[..7]));
        assert!(server.read(&hello[7..]));
        assert_eq!(server.theirs(), Some(&[1, 2][..]));
        assert_eq!(server.write(&mut answer), Written { keys: true });
        assert!(client.read(&answer));
        assert_eq!(client.write(&mut last), Written { keys: true });
        assert!(last.is_empty() && client.is_open());
        answer.clear();
        assert_eq!(server.write(&mut answer), Written { keys: true });
        assert!(!client.read(&answer));
        assert_eq!(client.theirs(), Some(&[3][..]));
        assert!(!client.is_open());
        assert_eq!(client.write(&mut last), Written { keys: true });
        assert!(!server.read(&last));
        assert!(!server.is_open());
    }
}
