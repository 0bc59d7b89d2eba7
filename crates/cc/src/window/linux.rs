//! What Linux's window algorithms share: jiffies and whole packets (Linux 6.12,
//! `net/ipv4/tcp_cong.c`).

use narrows_units::{Span, Time};

/// `CONFIG_HZ`: jiffies per second.
pub(super) const HZ: u64 = 250;
/// `1 / HZ`.
const JIFFY: Span = Span::from_ms(4);

/// Jiffies from the start of the run to `time`.
pub(super) fn jiffies(time: Time) -> u64 {
    time.as_ps() / JIFFY.as_ps()
}

/// `span` in jiffies, rounded up (`usecs_to_jiffies`).
pub(super) fn jiffies_in(span: Span) -> u64 {
    span.as_ps().div_ceil(JIFFY.as_ps())
}

/// Packets acknowledged and not yet used for an increase (`snd_cwnd_cnt`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Credit(pub(super) u64);

impl Credit {
    /// Adds `acked` packets and returns the increase, one packet for each `per` (`tcp_cong_avoid_ai`). Credit from a time
    /// with a larger `per` gives one packet at most.
    pub(super) fn spend(&mut self, acked: u64, per: u64) -> f64 {
        let mut added = 0;
        if self.0 >= per {
            self.0 = 0;
            added = 1;
        }
        self.0 += acked;
        added += self.0 / per;
        self.0 %= per;
        added as f64
    }
}
