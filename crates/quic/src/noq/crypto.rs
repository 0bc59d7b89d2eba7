// SPDX-License-Identifier: Apache-2.0
//! The handshake without cryptography, as the traits of `noq-proto` ask for it.

use proto::PathId;

crate::crypto::crypto! {
    client: {
        fn start_session(
            &self,
            _version: u32,
            _server_name: &str,
            params: &TransportParameters,
        ) -> Result<Box<dyn Session>, ConnectError> {
            Ok(self.session(Side::Client, params))
        }
    }
    server: {
        fn initial_keys(&self, _version: u32, _dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
            Ok(keys(&self.seen))
        }

        fn retry_tag(&self, _version: u32, _orig_dst_cid: ConnectionId, _packet: &[u8]) -> [u8; 16] {
            [0; 16]
        }

        fn start_session(&self, _version: u32, params: &TransportParameters) -> Box<dyn Session> {
            self.session(Side::Server, params)
        }
    }
    session: {
        fn initial_keys(&self, _dst_cid: ConnectionId, _side: Side) -> Keys {
            keys(&self.seen)
        }

        fn is_valid_retry(&self, _orig_dst_cid: ConnectionId, _header: &[u8], _payload: &[u8]) -> bool {
            false
        }
    }
    packet_key: {
        fn encrypt(&self, _path_id: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
            let end = buf.len() - TAG;
            self.seen.lock().sealed(packet, &buf[header_len..end]);
        }

        fn decrypt(
            &self,
            _path_id: PathId,
            _packet: u64,
            _header: &[u8],
            payload: &mut BytesMut,
        ) -> Result<(), CryptoError> {
            let length = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
            payload.truncate(length);
            Ok(())
        }
    }
    token_key: {
        fn seal(&self, _token_nonce: u128, _data: &mut Vec<u8>) -> Result<(), CryptoError> {
            Err(CryptoError)
        }

        fn open<'a>(&self, _token_nonce: u128, _data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
            Err(CryptoError)
        }
    }
}
