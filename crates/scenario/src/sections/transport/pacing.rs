// SPDX-License-Identifier: Apache-2.0
//! Keys of pauses and pacing.

use crate::sections::preset::preset_keys;
use crate::value::words;
use narrows_cc::RestartWindow;
use narrows_transport::TransportOptions;

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
    }
}

words!(RestartWindow { Initial = "initial", Halved = "halved" });
