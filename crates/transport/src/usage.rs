//! Was the congestion window used? A window that is not used must not grow (RFC 2861, RFC 7661).
//!
//! As Linux does it (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): the strongest sign within a window of data counts.
//! The window was the limit if it stopped the sender at any time since the data now acknowledged left; in slow start it
//! is enough that more than half of the window was in flight, since a window may double what was acknowledged.

/// What is remembered of the current window of data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WindowUsage {
    /// The window stopped the sender.
    limited: bool,
    /// Most segments outstanding.
    most: u64,
    /// The window of data ends before this segment.
    end: u64,
}

impl WindowUsage {
    /// An attempt to send ended with `una..next` outstanding, stopped by the window or by something else.
    pub(crate) fn on_attempt(&mut self, una: u64, next: u64, stopped_by_window: bool) {
        let outstanding = next - una;
        if una >= self.end || stopped_by_window || (!self.limited && outstanding > self.most) {
            *self = Self { limited: stopped_by_window, most: outstanding, end: next };
        }
    }

    /// The window was the limit; `sizes` are its size and ssthresh.
    pub(crate) fn window_limited(&self, sizes: impl FnOnce() -> (Option<f64>, Option<f64>)) -> bool {
        if self.limited {
            return true;
        }
        let (Some(window), Some(ssthresh)) = sizes() else { return false };
        window < ssthresh && window < 2.0 * self.most as f64
    }
}

#[cfg(test)]
mod tests {
    use super::WindowUsage;

    #[test]
    fn a_window_that_stopped_the_sender_counts_for_the_whole_flight() {
        let mut usage = WindowUsage::default();
        usage.on_attempt(0, 10, true);
        usage.on_attempt(4, 11, false);
        assert!(usage.window_limited(|| (Some(10.0), Some(5.0))));
        usage.on_attempt(10, 12, false);
        assert!(!usage.window_limited(|| (Some(10.0), Some(5.0))));
    }

    #[test]
    fn in_slow_start_half_a_window_in_flight_is_enough() {
        let mut usage = WindowUsage::default();
        usage.on_attempt(0, 6, false);
        assert!(usage.window_limited(|| (Some(10.0), Some(f64::INFINITY))));
        assert!(!usage.window_limited(|| (Some(12.0), Some(f64::INFINITY))));
        assert!(!usage.window_limited(|| (Some(10.0), Some(10.0))));
    }
}
