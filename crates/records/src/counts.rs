// SPDX-License-Identifier: Apache-2.0
//! Monotonic counts: the counts of an interval are the difference of two copies, and sums are the same in whatever
//! order their parts are added.

use crate::digest::digested;
use std::ops::{AddAssign, Sub};

/// Declares a struct of whole numbers that can be added and subtracted; the digest covers all but those after `not`.
macro_rules! counts {
    (
        $(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }
        not { $($(#[$outside_doc:meta])* $outside:ident,)* }
    ) => {
        $(#[$of])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)*
            $($(#[$outside_doc])* pub $outside: u64,)*
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
                $(self.$outside += other.$outside;)*
            }
        }

        impl Sub for $name {
            type Output = Self;
            fn sub(self, earlier: Self) -> Self {
                Self {
                    $($field: self.$field - earlier.$field,)*
                    $($outside: self.$outside - earlier.$outside,)*
                }
            }
        }

        digested!($name { $($field),* } not { $($outside),* });
    };
}

counts! {
    /// Counts of all connections of a group since the start of the run.
    GroupCounts {
        /// Connections started.
        started,
        /// Connections that found every slot taken, and were never started.
        refused,
        /// Connections established.
        established,
        /// Of these, connections that asked for ECN and do without.
        lacking_ecn,
        /// Connections of which every byte was acknowledged, or the last datagram that was not lost arrived.
        completed,
        /// Connections that could not be established, or broke.
        failed,
        /// Connections that took longer than their user would wait.
        abandoned,
        /// Data packets sent.
        packets_sent,
        /// Of these, sent before.
        retransmissions,
        /// Bytes of data packets, headers included.
        bytes_sent,
        /// Payload received, each byte once.
        bytes_received,
        /// Retransmission timeouts.
        timeouts,
        /// Loss events (RFC 5348 §5.2).
        loss_events,
        /// Intervals between acknowledgements that reached a sender after the warm-up.
        ack_gaps,
        /// Of these, intervals that are compressed.
        close_acks,
        /// Reductions of the congestion window.
        reductions,
        /// Round-trip samples, their sum in nanoseconds.
        rtt_ns,
        /// Number of round-trip samples.
        rtt_samples,
        /// Calls of senders after the warm-up that ended with data left to send.
        calls,
        /// Of these, calls after which something other than congestion control held the data back.
        otherwise_limited,
    } not {}
}

counts! {
    /// Counts of one sender since the start of the run.
    SenderCounts {
        /// Data packets sent.
        packets_sent,
        /// Of these, sent before.
        retransmissions,
        /// Bytes of data packets, headers included.
        bytes_sent,
        /// Retransmission timeouts.
        timeouts,
        /// Loss events (RFC 5348 §5.2).
        loss_events,
    } not {}
}
