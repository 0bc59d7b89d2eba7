// SPDX-License-Identifier: Apache-2.0
//! Keys of pauses and pacing.

use super::Infinite;
use crate::sections::preset::preset_keys;
use crate::value::{Count, Or, Positive, words};
use narrows_cc::RestartWindow;
use narrows_transport::TransportOptions;
use narrows_units::Rate;

preset_keys! {
    /// Keys of the restart after idle periods, and of pacing.
    pub struct Keys, Values for TransportOptions {
        /// Slow-start restart: the window is reset after an idle period of a retransmission timeout (RFC 5681 §4.1).
        option idle_restart: bool { false => "no restart after idle periods" },

        /// Restart window. initial: at most the initial window (RFC 5681 §4.1). halved: the window is halved for each
        /// retransmission timeout in the idle period, but not below the initial window, and ssthresh is set to at least
        /// three quarters of the previous window (RFC 2861 §3; Linux).
        option restart_window: RestartWindow,

        /// Pacing: packets are spread evenly over a round trip.
        option pacing: bool { true => "paced" },

        /// Pacing credit, as in Linux: a pause before a paced packet, for example because the window or the application
        /// had no more data, shortens the gap after the packet by as much, but at most by half of the gap.
        option pacing_credit: bool { true => "pauses shorten the gap that follows" },

        /// Largest pacing rate, of payload, as SO_MAX_PACING_RATE and --fq-rate of iperf3 set it: packets are paced at it, or at a
        /// lower rate of the algorithm or of `pacing`.
        option pacing_cap: Or<Positive<Rate>, Infinite> {
            Some(rate) => format!("paced at {rate} at most"),
        },

        /// Number of data packets at the start of a connection that are not paced; 10 in Linux (tcp_update_skb_after_send).
        option unpaced_packets: Count<0, 1000> {
            packets if packets > 0 => format!("first {packets} packets not paced"),
        },
    }
}

words!(RestartWindow { Initial = "initial", Halved = "halved" });
