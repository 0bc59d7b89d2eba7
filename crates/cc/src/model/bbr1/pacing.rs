//! When packets leave: the pacing rate, how many leave together, and when the next is due.

use super::bandwidth::{Bandwidth, Gain};
use narrows_units::{Bytes, Rate, Span, Time};

/// The pacing of one flow.
#[derive(Clone, Debug)]
pub(super) struct Pacing {
    rate: Rate,
    /// It follows from a measured round-trip time.
    measured: bool,
    /// Packets sent, counted up to [`UNPACED`].
    sent: u64,
    /// When the last packet sent makes room for the next.
    due: Time,
}

impl Pacing {
    /// Before anything is known a round trip is taken to last a millisecond.
    pub(super) fn new(cwnd: u64, high_gain: Gain, mss: Bytes) -> Self {
        let rate = initial(cwnd, Span::from_ms(1), high_gain, mss);
        Self { rate, measured: false, sent: 0, due: Time::ZERO }
    }

    /// The rate of packets; `None` while the first leave as they like.
    pub(super) fn limit(&self) -> Option<Rate> {
        (self.sent >= UNPACED).then_some(self.rate)
    }

    /// The round-trip time is `smoothed`, with a window of `cwnd`.
    pub(super) fn on_rtt(&mut self, smoothed: Span, cwnd: u64, high_gain: Gain, mss: Bytes) {
        if !self.measured {
            self.measured = true;
            self.rate = initial(cwnd, smoothed.max(Span::from_us(1)), high_gain, mss);
        }
    }

    /// The rate is to be `rate`; a lower one only counts where the pipe has been full.
    pub(super) fn set(&mut self, rate: Rate, full_pipe: bool) {
        if full_pipe || rate > self.rate {
            self.rate = rate;
        }
    }

    /// A packet of `size` left.
    pub(super) fn on_sent(&mut self, size: Bytes, now: Time) {
        if self.sent < UNPACED {
            self.sent += 1;
        } else {
            self.due = self.due.max(now) + self.rate.time_for(size);
        }
    }

    /// How long until the next packet may leave.
    pub(super) fn wait(&self, now: Time) -> Span {
        self.due.since(now)
    }

    /// Packets that leave together: what passes in 1/1024 s, at least two, or one at a low rate.
    pub(super) fn burst(&self, mss: Bytes) -> u64 {
        let fewest = if self.rate.as_bps() < LOW_BPS { 1 } else { 2 };
        let bytes = ((self.rate.as_bps() / 8) >> BURST_SHIFT).min(LARGEST_BURST);
        (bytes / mss.count()).clamp(fewest, MOST_PACKETS)
    }
}

/// What a window of `cwnd` gives over `rtt`.
fn initial(cwnd: u64, rtt: Span, high_gain: Gain, mss: Bytes) -> Rate {
    let bandwidth = Bandwidth::over(cwnd, rtt).expect("the time is a microsecond or more");
    bandwidth.pacing_rate(high_gain, mss)
}

/// Linux paces from the tenth packet on (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;
/// `bbr_min_tso_rate`, bits per second.
const LOW_BPS: u64 = 1_200_000;
/// `sk_pacing_shift`.
const BURST_SHIFT: u32 = 10;
/// `GSO_MAX_SIZE - 1 - MAX_TCP_HEADER`, bytes.
const LARGEST_BURST: u64 = 65_536 - 1 - 320;
/// Of `bbr_tso_segs_goal`.
const MOST_PACKETS: u64 = 0x7f;
