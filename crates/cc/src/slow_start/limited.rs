//! Limited slow start (RFC 3742): above `max_ssthresh` the window grows by at most `max_ssthresh / 2` in a round trip, so
//! that the last doubling cannot lose thousands of packets.
//!
//! `K = int(w / (max_ssthresh / 2))`, and each packet acknowledged adds `1 / K`.

/// What `acked` packets add to a `window`, in packets.
pub(super) fn growth(window: f64, acked: f64) -> f64 {
    if window <= MAX_SSTHRESH { acked } else { acked / (window / (MAX_SSTHRESH / 2.0)).floor() }
}

/// RFC 3742 §2 recommends 100 packets.
const MAX_SSTHRESH: f64 = 100.0;
