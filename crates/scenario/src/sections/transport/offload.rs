// SPDX-License-Identifier: Apache-2.0
//! Keys of Nagle's algorithm and of offload: how many segments are passed on at once.

use crate::sections::preset::preset_keys;
use crate::value::{Count, Positive};
use narrows_transport::TransportOptions;
use narrows_units::Span;

preset_keys! {
    /// Keys of Nagle's algorithm and of offload.
    pub struct Keys, Values for TransportOptions {
        /// Nagle's algorithm (RFC 896; RFC 9293 §3.7.4): a segment that is not full is sent only when all data before it is
        /// acknowledged. An exchange whose request ends with such a segment then takes a round trip longer, and also the
        /// delayed-acknowledgement timeout if the receiver delays the acknowledgement of the one before.
        option nagle: bool { true => "Nagle's algorithm" },

        /// Segmentation offload: maximum number of segments that the sender passes on at once, as a burst of packets.
        /// New segments wait until this number may be sent, or a third of the window; a pacer sends this number at a
        /// time.
        option segmentation_offload: Count<1, 64> {
            segments if segments > 1 => format!("segmentation offload of {segments} segments"),
        },

        /// TSO autosizing, as in Linux, instead of a fixed number of segments: a burst has the segments of one
        /// millisecond at 1.2 windows per round trip, or at the algorithm's rate. New segments wait until this number
        /// may be sent, or a third of the window, but at most for a millisecond, and not in recovery.
        option tso_autosizing: bool { true => "TSO autosizing" },

        /// Receive offload: maximum number of in-order segments that the receiver passes on as one, so that one ACK
        /// covers them.
        option receive_offload: Count<1, 64> {
            segments if segments > 1 => format!("receive offload of {segments} segments"),
        },

        /// Maximum time that receive offload holds a segment.
        option receive_offload_timeout: Positive<Span>,
    }
}
