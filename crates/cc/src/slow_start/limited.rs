// SPDX-License-Identifier: Apache-2.0
//! Limited slow start (RFC 3742): above `max_ssthresh` the window grows by at most `max_ssthresh / 2` in a round trip, so
//! that the last round of slow start does not lose thousands of packets.
//!
//! `K = int(w / (max_ssthresh / 2))`, and each packet acknowledged adds `1 / K`.
//!
//! Deviations: none.

#[cfg(not(feature = "std"))]
use narrows_units::Float;

/// Returns the packets to add to a window of `window` packets for `acked` packets acknowledged.
pub(super) fn growth(window: f64, acked: f64) -> f64 {
    if window <= MAX_SSTHRESH { acked } else { acked / (window / (MAX_SSTHRESH / 2.0)).floor() }
}

/// `max_ssthresh`, packets: the recommendation of RFC 3742 §2.
const MAX_SSTHRESH: f64 = 100.0;
