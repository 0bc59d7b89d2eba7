// SPDX-License-Identifier: Apache-2.0
//! Keys of the detection of losses and the recovery from them.

use crate::sections::preset::preset_keys;
use crate::value::words;
use narrows_transport::{RecoveryKind, ReductionFrom, TransportOptions};

preset_keys! {
    /// Keys of loss detection and recovery.
    pub struct Keys, Values for TransportOptions {
        /// Loss detection and recovery. sack-1996: with the sender's first estimate of the data in flight (Fall and
        /// Floyd 1996; ns-2), in which lost segments remain until they are acknowledged. Preset ns2 has sack: transfers
        /// of a few dozen packets that lose several near their end complete up to a third earlier than in ns-2.
        option recovery: RecoveryKind {
            RecoveryKind::Reno => "Reno recovery",
            RecoveryKind::NewReno => "NewReno recovery",
            RecoveryKind::Sack => "SACK recovery",
            RecoveryKind::Sack1996 => "SACK recovery of 1996",
            RecoveryKind::Rack => "RACK recovery",
        },

        /// Proportional rate reduction: after a reduction, the number of packets in flight decreases gradually over a
        /// round trip (RFC 9937).
        option proportional_rate_reduction: bool {
            true => "proportional rate reduction",
        },

        /// Lost retransmissions: under rack, a lost retransmission is another indication of congestion. It reduces the window
        /// again, once for all retransmissions that were sent since the last reduction; so does a timeout in fast recovery (RFC
        /// 5681 §4.3). false: one reduction per episode, as in Linux. The other recoveries do not detect lost retransmissions,
        /// and the timeout reduces the window.
        option lost_retransmission_reduces: bool { false => "lost retransmissions reduce nothing" },

        /// Quantity to which the window algorithms apply their reductions. flight: the data in flight, or its maximum during the
        /// last window of data if that is larger, unless the window was the limit (RFC 5681 equation 4, RFC 7661 §4.4.1). window:
        /// the congestion window, as in Linux, ns-2 and RFC 9002; RFC 9438 §4.6 permits both for CUBIC.
        option reduction_from: ReductionFrom,

        /// Limited transmit: new segments are sent on the first two duplicate ACKs (RFC 3042).
        option limited_transmit: bool { false => "no limited transmit" },
    }
}

words!(ReductionFrom { Window = "window", Flight = "flight" });
words!(RecoveryKind {
    Reno = "reno",
    NewReno = "newreno",
    Sack = "sack",
    Sack1996 = "sack-1996",
    Rack = "rack",
});
