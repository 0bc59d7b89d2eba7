//! What an end host asks of the routers on its path, and what comes back.

/// Asked in a SYN or a data packet; each router on the path may lower it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// XCP's congestion header (Katabi, Handley, Rohrs, SIGCOMM 2002).
    Xcp {
        /// The sender's round-trip time, seconds; 0 while unknown.
        rtt: f32,
        /// Time between packets at the sender's window, seconds.
        spacing: f32,
        /// The change of throughput wished for, bytes per second.
        delta: f32,
    },
    /// A start-up rate (RFC 4782), bits per second.
    QuickStart {
        /// The rate wished for.
        rate: f32,
        /// What the routers have counted down the hop count of IP more than the request's own, modulo 256: 0 as long
        /// as every router took part (the "TTL Diff" of RFC 4782 §3.1).
        ttl_difference: u8,
    },
    /// The lowest rate that routers offer (RCP), bits per second.
    Rate {
        /// The rate so far.
        rate: f32,
        /// The sender's round-trip time, seconds; 0 while unknown.
        rtt: f32,
    },
}

/// What the receiver sends back of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// The change of throughput that all routers allow, bytes per second.
    Delta(f32),
    /// The rate that all routers allow, bits per second.
    Rate(f32),
}
