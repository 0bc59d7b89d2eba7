// SPDX-License-Identifier: Apache-2.0
//! Delivery-rate samples that an algorithm itself marks as application-limited, because it sends few packets on purpose
//! (`MarkConnectionAppLimited` of draft-ietf-ccwg-bbr-06; `tp->app_limited` in Linux's `tcp_bbr.c`).

/// The packets marked: those that left when a number of packets in `marked` had been delivered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AppLimited {
    /// First and last number of packets delivered; `None` while nothing has been marked.
    marked: Option<(u64, u64)>,
}

impl AppLimited {
    /// Marks what leaves from now on until the `in_flight` packets have been delivered; `delivered` packets have been.
    pub(super) fn mark(&mut self, delivered: u64, in_flight: u64) {
        let first = match self.marked {
            Some((first, last)) if delivered <= last => first,
            _ => delivered,
        };
        self.marked = Some((first, delivered + in_flight));
    }

    /// Whether a packet is marked that left when `delivered` packets had been delivered.
    pub(super) fn covers(&self, delivered: u64) -> bool {
        self.marked.is_some_and(|(first, last)| (first..=last).contains(&delivered))
    }
}

#[cfg(test)]
mod tests {
    use super::AppLimited;

    #[test]
    fn packets_are_marked_until_those_in_flight_are_delivered() {
        let mut app_limited = AppLimited::default();
        assert!(!app_limited.covers(0));
        app_limited.mark(10, 4);
        assert_eq!(
            [9, 10, 14, 15].map(|delivered| app_limited.covers(delivered)),
            [false, true, true, false]
        );
        // A mark that follows within the first extends it; a later one replaces it.
        app_limited.mark(14, 3);
        assert_eq!([10, 17, 18].map(|delivered| app_limited.covers(delivered)), [true, true, false]);
        app_limited.mark(30, 2);
        assert_eq!([17, 30, 32].map(|delivered| app_limited.covers(delivered)), [false, true, true]);
    }
}
