// SPDX-License-Identifier: Apache-2.0
//! Keys of the congestion window: its start, and when it grows.

use super::Infinite;
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::sections::preset::preset_keys;
use crate::value::{Or, Packets, PacketsOrSize, words};
use narrows_cc::{AckCounting, SlowStartKind};
use narrows_transport::TransportOptions;

preset_keys! {
    /// Keys of the growth of the congestion window.
    pub struct Keys, Values for TransportOptions {
        /// Congestion window validation: the window does not grow while it does not limit the sender (RFC 7661). false:
        /// it grows with every acknowledgement, also while the application, the receive window or the sender's own
        /// interface is the limit.
        option window_validation: bool { false => "windows grow unfilled" },

        /// Rate-Limited Increase: a window that does not limit the sender grows up to twice the largest amount in flight since
        /// its last decrease in slow start, and to a packet more than that otherwise (draft-ietf-ccwg-ratelimited-increase);
        /// an acknowledgement of several packets may exceed this by them. false: it stays, except in slow start while more than half
        /// of it is in flight.
        option rate_limited_increase: bool { true => "rate-limited increase" },

        /// Initial window.
        option initial_window: Packets { packets => format!("initial window {packets} packets") },

        /// Initial slow-start threshold.
        key initial_ssthresh: Or<PacketsOrSize, Infinite> = [None, None, None, None],

        /// Slow-start algorithm of window algorithms. rapid: the window triples in a round trip while no queue builds up, and the first
        /// recovery reduces it by the packets acknowledged and lost, without proportional_rate_reduction
        /// (draft-kazuho-ccwg-rapid-start-02).
        option slow_start: SlowStartKind => "hystart++; in the other presets: standard; cubic-linux: hystart" {
            SlowStartKind::Limited => "limited slow start",
            SlowStartKind::HyStart => "HyStart",
            SlowStartKind::HyStartPlusPlus => "HyStart++",
            SlowStartKind::Search => "SEARCH",
            SlowStartKind::Rapid => "Rapid Start",
        },

        /// Number of segments that an acknowledgement counts as when the window of a window algorithm grows. segments:
        /// all that it acknowledges (RFC 3465, without its limits; Linux). mixed: all, except from a timeout to the end
        /// of loss recovery, where an acknowledgement counts as one segment, since much of the data that it covers may have
        /// arrived earlier (RFC 3465 §2.3). acks: one (RFC 5681 §3.1; ns-2), so that delayed acknowledgements halve the growth.
        option ack_counting: AckCounting,
    }
}

words!(SlowStartKind {
    Standard = "standard",
    Limited = "limited",
    HyStart = "hystart",
    HyStartPlusPlus = "hystart++",
    Search = "search",
    Rapid = "rapid",
});
words!(AckCounting { Segments = "segments", Mixed = "mixed", Acks = "acks" });

impl Values {
    /// Bounds the initial window: all of it leaves at once, and each packet is remembered.
    pub(super) fn check_initial_window(&self, faults: &mut Vec<Fault>) -> Result<(), Reported> {
        let window = self.initial_window.copied()?;
        if window <= GREATEST_INITIAL_WINDOW {
            return Ok(());
        }
        let fault = self.initial_window.fault("too large").given(format!("{window}pkt"));
        Err(fault.allowed(format!("at most {GREATEST_INITIAL_WINDOW}pkt")).report(faults))
    }
}

/// Packets.
const GREATEST_INITIAL_WINDOW: u64 = 1_000_000;
