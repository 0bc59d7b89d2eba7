// SPDX-License-Identifier: Apache-2.0
//! Congestion window validation: a window that does not limit the sender must not grow (RFC 2861, RFC 7661).
//!
//! As in Linux (`tcp_cwnd_validate`, `tcp_is_cwnd_limited`): the window was the limit if it stopped the sender at any
//! time since the data now acknowledged was sent. In slow start it suffices that more than half of the window was in
//! flight.
//!
//! An unused window is kept while acknowledgements validate it. Linux's `tcp_cwnd_application_limited` reduces it halfway to the
//! used window (RFC 2861), but runs only if no data has been acknowledged for a retransmission timeout, since `tcp_cong_avoid`
//! restarts its clock (`snd_cwnd_stamp`) with each acknowledgement of data. By then `tcp_cwnd_restart` has lowered the window and
//! restarted that clock. `tcp_cwnd_application_limited` therefore has no effect of its own.
//!
//! With Rate-Limited Increase (draft-ietf-ccwg-ratelimited-increase) it may also grow without being the limit, up to
//! the bound that the largest flight since it was last decreased justifies.

/// The use of the congestion window within one window of data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowUsage {
    /// The window stopped the sender.
    limited: bool,
    /// The maximum number of outstanding segments.
    max_outstanding: u64,
    /// The first segment after this window of data.
    end: u64,
    /// `maxFS`: the maximum number of outstanding segments since the window was last decreased, and at first the initial window.
    max_flight: u64,
    /// The window at the last question whether it may grow, packets.
    window: f64,
}

impl WindowUsage {
    /// Returns the use of a window of `initial_window` packets before anything is sent.
    pub(crate) const fn new(initial_window: u64) -> Self {
        Self { limited: false, max_outstanding: 0, end: 0, max_flight: initial_window, window: 0.0 }
    }

    /// The sender stopped with segments `una..next` outstanding, because of the window or of something else.
    pub(crate) fn on_attempt(&mut self, una: u64, next: u64, stopped_by_window: bool) {
        let outstanding = next - una;
        self.max_flight = self.max_flight.max(outstanding);
        if una >= self.end || stopped_by_window || (!self.limited && outstanding > self.max_outstanding) {
            *self = Self { limited: stopped_by_window, max_outstanding: outstanding, end: next, ..*self };
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

    /// Returns the packets in use if the window did not limit the sender: `outstanding` now, or the maximum in the last window of
    /// data (`FlightSize` of RFC 5681, `pipeACK` of RFC 7661). `None` if the window was the limit.
    pub(crate) fn in_use(&self, outstanding: u64) -> Option<u64> {
        (!self.limited).then(|| outstanding.max(self.max_outstanding))
    }

    /// Whether the window may grow although it is not the limit: it is below twice `maxFS` in slow start, and below a packet more than
    /// `maxFS` otherwise. Window and ssthresh are in packets; an algorithm without both may not.
    pub(crate) fn may_grow_unfilled(&mut self, window: Option<f64>, ssthresh: Option<f64>) -> bool {
        let (Some(window), Some(ssthresh)) = (window, ssthresh) else { return false };
        if window < std::mem::replace(&mut self.window, window) {
            // Set anew when more is sent.
            self.max_flight = 0;
        }
        let flight = self.max_flight as f64;
        window < if window < ssthresh { 2.0 * flight } else { flight + 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::WindowUsage;

    #[test]
    fn a_window_that_stops_the_sender_limits_the_whole_flight() {
        let mut usage = WindowUsage::new(10);
        usage.on_attempt(0, 10, true);
        usage.on_attempt(4, 11, false);
        assert!(usage.is_limited(|| (Some(10.0), Some(5.0))));
        usage.on_attempt(10, 12, false);
        assert!(!usage.is_limited(|| (Some(10.0), Some(5.0))));
    }

    #[test]
    fn in_slow_start_half_a_window_in_flight_suffices() {
        let mut usage = WindowUsage::new(10);
        usage.on_attempt(0, 6, false);
        assert!(usage.is_limited(|| (Some(10.0), Some(f64::INFINITY))));
        assert!(!usage.is_limited(|| (Some(12.0), Some(f64::INFINITY))));
        assert!(!usage.is_limited(|| (Some(10.0), Some(10.0))));
    }

    /// The example of the draft: a slow start from ten packets, with flights of 4, 8, 4 and 20, each of two packets acknowledged.
    #[test]
    fn a_window_that_is_not_filled_grows_to_twice_the_largest_flight() {
        let mut usage = WindowUsage::new(10);
        let (mut window, mut next, mut after) = (10.0, 0, Vec::new());
        for flight in [4, 8, 4, 20] {
            usage.on_attempt(next, next + flight, false);
            next += flight;
            for _ in 0..flight / 2 {
                if usage.may_grow_unfilled(Some(window), Some(f64::INFINITY)) {
                    window += 2.0;
                }
            }
            after.push(window);
        }
        assert_eq!(after, [14.0, 20.0, 20.0, 40.0]);
    }

    #[test]
    fn a_decrease_of_the_window_forgets_the_flights_before() {
        let mut usage = WindowUsage::new(10);
        usage.on_attempt(0, 30, false);
        assert!(usage.may_grow_unfilled(Some(30.0), Some(2.0)));
        assert!(!usage.may_grow_unfilled(Some(31.0), Some(2.0)));
        assert!(!usage.may_grow_unfilled(Some(15.0), Some(2.0)));
        usage.on_attempt(30, 45, false);
        assert!(usage.may_grow_unfilled(Some(15.0), Some(2.0)));
    }
}
