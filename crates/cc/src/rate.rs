//! Algorithms for senders of datagrams: they set a rate and no window, and nothing is sent again.

pub mod constant;
pub mod equation;
pub mod rap;
pub mod tfrc;

use narrows_units::{Bytes, Rate};

/// The rate of payload that `packets` of `mss` each second are, at least 1 bit/s.
fn payload_rate(packets: f64, mss: Bytes) -> Rate {
    Rate::from_bps_f64((packets * mss.bits() as f64).max(1.0))
}

/// Packets a second that no estimate exceeds: more than any link carries.
const FASTEST: f64 = 1e9;
/// Packets a second that no cut goes below: one in `t_mbi`, 64 s (RFC 5348 §4.3).
const SLOWEST: f64 = 1.0 / 64.0;
