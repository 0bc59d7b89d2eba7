// SPDX-License-Identifier: Apache-2.0
//! The handshake without cryptography, as the traits of both stacks ask for it.
//!
//! The traits of the stacks differ in a few methods, which each stack gives to [`crypto`]; the macro has all others.

/// Implements the traits of a stack's cryptography; `proto` is the crate of the stack, and the blocks are the methods in which
/// the stacks differ.
macro_rules! crypto {
    (
        client: { $($client:tt)* }
        server: { $($server:tt)* }
        session: { $($session:tt)* }
        packet_key: { $($packet_key:tt)* }
        token_key: { $($token_key:tt)* }
    ) => {
        use super::proto;
        use crate::handshake::{FORGERY_LIMIT, Handshake, KEY_LIMIT, TAG};
        use crate::seed;
        use crate::sent::Shared;
        use bytes::BytesMut;
        use proto::crypto::{
            ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
            Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
        };
        use proto::transport_parameters::TransportParameters;
        use proto::{ConnectError, ConnectionId, Side, TransportError};
        use std::any::Any;

        /// The configuration of both sides; sent packets are observed.
        pub(super) struct Plain {
            seen: Shared,
        }

        /// One side of a connection.
        struct PlainSession {
            side: Side,
            handshake: Handshake,
            seen: Shared,
        }

        /// Keys that change nothing.
        struct PlainKey {
            seen: Shared,
        }

        /// The key of stateless resets.
        pub(super) struct ResetKey;

        /// The key of tokens, none of which is issued.
        pub(super) struct Tokens;

        impl Plain {
            pub(super) fn new(seen: Shared) -> Self {
                Self { seen }
            }

            fn session(&self, side: Side, params: &TransportParameters) -> Box<dyn Session> {
                let mut own = Vec::new();
                params.write(&mut own);
                let handshake = Handshake::new(side.is_client(), own);
                Box::new(PlainSession { side, handshake, seen: self.seen.clone() })
            }
        }

        impl ClientConfig for Plain {
            $($client)*
        }

        impl ServerConfig for Plain {
            $($server)*
        }

        impl Session for PlainSession {
            $($session)*

            fn handshake_data(&self) -> Option<Box<dyn Any>> {
                self.handshake.theirs().map(|_| Box::new(()) as Box<dyn Any>)
            }

            fn peer_identity(&self) -> Option<Box<dyn Any>> {
                None
            }

            fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
                None
            }

            fn early_data_accepted(&self) -> Option<bool> {
                None
            }

            fn is_handshaking(&self) -> bool {
                self.handshake.is_open()
            }

            fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
                Ok(self.handshake.read(buf))
            }

            fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
                let read = |mut bytes: &[u8]| TransportParameters::read(self.side, &mut bytes);
                Ok(self.handshake.theirs().map(read).transpose()?)
            }

            fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
                self.handshake.write(buf).keys.then(|| keys(&self.seen))
            }

            fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
                Some(keys(&self.seen).packet)
            }

            fn export_keying_material(
                &self,
                _output: &mut [u8],
                _label: &[u8],
                _context: &[u8],
            ) -> Result<(), ExportKeyingMaterialError> {
                Err(ExportKeyingMaterialError)
            }
        }

        fn keys(seen: &Shared) -> Keys {
            let packet = || Box::new(PlainKey { seen: seen.clone() }) as Box<dyn PacketKey>;
            let header = || Box::new(PlainKey { seen: seen.clone() }) as Box<dyn HeaderKey>;
            Keys {
                header: KeyPair { local: header(), remote: header() },
                packet: KeyPair { local: packet(), remote: packet() },
            }
        }

        impl PacketKey for PlainKey {
            $($packet_key)*

            fn tag_len(&self) -> usize {
                TAG
            }

            fn confidentiality_limit(&self) -> u64 {
                KEY_LIMIT
            }

            fn integrity_limit(&self) -> u64 {
                FORGERY_LIMIT
            }
        }

        impl HeaderKey for PlainKey {
            fn decrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

            fn encrypt(&self, _pn_offset: usize, _packet: &mut [u8]) {}

            fn sample_size(&self) -> usize {
                TAG
            }
        }

        impl HmacKey for ResetKey {
            fn sign(&self, data: &[u8], signature_out: &mut [u8]) {
                let bytes: [u8; 32] = seed::Seed::new(seed::hash(data), 0).bytes();
                signature_out.copy_from_slice(&bytes[..signature_out.len()]);
            }

            fn signature_len(&self) -> usize {
                32
            }

            fn verify(&self, _data: &[u8], _signature: &[u8]) -> Result<(), CryptoError> {
                Err(CryptoError)
            }
        }

        impl HandshakeTokenKey for Tokens {
            $($token_key)*
        }
    };
}

pub(crate) use crypto;
