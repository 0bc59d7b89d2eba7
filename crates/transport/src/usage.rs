// SPDX-License-Identifier: Apache-2.0
//! Congestion window validation: a window that does not limit the sender must not grow (RFC 2861, RFC 7661).
//!
//! As in Linux (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): the window was the limit if it stopped the sender at any
//! time since the data now acknowledged was sent. In slow start it suffices that more than half of the window was in
//! flight.

/// The use of the congestion window within one window of data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowUsage {
    /// The window stopped the sender.
    limited: bool,
    /// The maximum number of outstanding segments.
    max_outstanding: u64,
    /// The first segment after this window of data.
    end: u64,
}

impl WindowUsage {
    /// The sender stopped with segments `una..next` outstanding, because of the window or of something else.
    pub(crate) fn on_attempt(&mut self, una: u64, next: u64, stopped_by_window: bool) {
        let outstanding = next - una;
        if una >= self.end || stopped_by_window || (!self.limited && outstanding > self.max_outstanding) {
            *self = Self { limited: stopped_by_window, max_outstanding: outstanding, end: next };
        }
    }

    /// Whether the window limited the sender. `window_and_ssthresh` returns both in packets.
    pub(crate) fn is_limited(
        &self,
        window_and_ssthresh: impl FnOnce() -> (Option<f64>, Option<f64>),
    ) -> bool {
        if self.limited {
            return true;
        }
        let (Some(window), Some(ssthresh)) = window_and_ssthresh() else { return false };
        window < ssthresh && window < 2.0 * self.max_outstanding as f64
    }
}

#[cfg(test)]
mod tests {
    use super::WindowUsage;

    #[test]
    fn a_window_that_stops_the_sender_limits_the_whole_flight() {
        let mut usage = WindowUsage::default();
        usage.on_attempt(0, 10, true);
        usage.on_attempt(4, 11, false);
        assert!(usage.is_limited(|| (Some(10.0), Some(5.0))));
        usage.on_attempt(10, 12, false);
        assert!(!usage.is_limited(|| (Some(10.0), Some(5.0))));
    }

    #[test]
    fn in_slow_start_half_a_window_in_flight_suffices() {
        let mut usage = WindowUsage::default();
        usage.on_attempt(0, 6, false);
        assert!(usage.is_limited(|| (Some(10.0), Some(f64::INFINITY))));
        assert!(!usage.is_limited(|| (Some(12.0), Some(f64::INFINITY))));
        assert!(!usage.is_limited(|| (Some(10.0), Some(10.0))));
    }
}
