// SPDX-License-Identifier: Apache-2.0
//! Rate-based algorithms for datagram senders: they have a pacing rate and no window, and nothing is retransmitted.

pub mod constant;
pub mod equation;
pub mod rap;
pub mod tfrc;

use narrows_units::{Bytes, Rate};

/// The rate of `packets` packets of `mss` payload per second, at least 1 bit/s.
fn payload_rate(packets: f64, mss: Bytes) -> Rate {
    Rate::from_bps_f64((packets * mss.bits() as f64).max(1.0))
}

/// Upper bound of every rate, packets per second: more than any link carries.
const RATE_MAX: f64 = 1e9;
/// Lower bound of a decrease, packets per second: one packet in `t_mbi`, 64 s (RFC 5348 §4.3).
const RATE_MIN: f64 = 1.0 / 64.0;
