// SPDX-License-Identifier: Apache-2.0
//! Requests of a sender to the routers on its path, and their response.

/// A request to the routers, in a SYN or a data packet. Each router on the path may lower it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// XCP's congestion header (Katabi, Handley, Rohrs, SIGCOMM 2002).
    Xcp {
        /// `H_rtt`: the sender's round-trip time estimate, seconds; 0 before the first sample.
        rtt: f32,
        /// The time between packets at the sender's window, seconds.
        spacing: f32,
        /// `H_feedback`: the change of throughput requested, bytes per second.
        delta: f32,
    },
    /// A Quick-Start request for a sending rate (RFC 4782).
    QuickStart {
        /// The rate requested, bits per second.
        rate: f32,
        /// "TTL Diff" (RFC 4782 §3.1): the decrements of the TTL of IP in excess of the decrements of the request's
        /// own TTL, modulo 256. It is 0 as long as every router has processed the request.
        ttl_difference: u8,
    },
    /// The lowest rate offered by the routers (RCP).
    Rate {
        /// The lowest rate until now, bits per second.
        rate: f32,
        /// The sender's round-trip time estimate, seconds; 0 before the first sample.
        rtt: f32,
    },
    /// The highest level of congestion (VCP's code, DECbit's bit).
    Level(u8),
    /// The highest price until now (MaxNet).
    Price(f32),
    /// A question whether the load of the path is above a threshold (ADPM).
    Load {
        /// The load that the packet asks for, as a fraction of the rate.
        threshold: f32,
        /// A router's load is above it.
        above: bool,
        /// A router's load is one or more.
        overload: bool,
    },
}

/// The routers' response to a request, which the receiver returns to the sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// The change of throughput that all routers permit, bytes per second (XCP).
    Delta(f32),
    /// The rate that all routers permit, bits per second (Quick-Start, RCP).
    Rate(f32),
    /// The highest level of congestion on the path (VCP, DECbit).
    Level(u8),
    /// The highest price on the path (MaxNet).
    Price(f32),
    /// Whether the load of the path is above a threshold, and whether it is one or more (ADPM).
    Load {
        /// The threshold of the packet.
        threshold: f32,
        /// A router's load is above it.
        above: bool,
        /// A router's load is one or more.
        overload: bool,
    },
}
