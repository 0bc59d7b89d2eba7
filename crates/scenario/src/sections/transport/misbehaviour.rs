// SPDX-License-Identifier: Apache-2.0
//! Keys of misbehaving receivers.

use crate::sections::preset::preset_keys;
use crate::value::Count;
use narrows_transport::TransportOptions;

preset_keys! {
    /// Keys of misbehaving receivers.
    pub struct Keys, Values for TransportOptions {
        /// ACK division by a misbehaving receiver (Savage et al. 1999): number of acknowledgements into which each is
        /// divided. Parts of a segment have an effect if ack_counting is acks; algorithms in Python are notified of them.
        option ack_division: Count<1, 100> {
            parts if parts > 1 => format!("every ACK divided into {parts}"),
        },

        /// Optimistic acknowledgement by a misbehaving receiver, which conceals losses (Savage et al. 1999): number of
        /// segments beyond the highest received that are acknowledged; 0 for a conforming receiver. Lost data stays
        /// lost, and goodput counts the data that arrives.
        option optimistic_ack: Count<0, 1_000_000> {
            segments if segments > 0 => format!("{segments} segments acknowledged before they arrive"),
        },

        /// Concealment of ECN marks by a misbehaving receiver (RFC 3168 §7.1).
        option hide_ce: bool { true => "marks hidden" },
    }
}
