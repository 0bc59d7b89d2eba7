// SPDX-License-Identifier: Apache-2.0
//! Proportional rate reduction: the usable window falls over one round trip (RFC 6937, obsoleted by RFC 9937).
//!
//! An ACK that delivers `d` packets sets `prr_delivered += d`. While `pipe > ssthresh`, `sndcnt = ⌈prr_delivered ·
//! ssthresh / RecoverFS⌉ − prr_out`; else, by the slow-start reduction bound, `sndcnt = min(ssthresh − pipe,
//! max(prr_delivered − prr_out, d))`, in which the second term is one larger if the ACK advanced and revealed no loss
//! (RFC 9937 §6). The first ACK of an episode always allows one packet. The usable window is `pipe + sndcnt`.
//!
//! `ssthresh` is the window that the algorithm sets at the start of the episode, `RecoverFS` the number of packets in
//! flight just before. Linux divides by the window before the reduction instead of `RecoverFS`; both are equal if the
//! window was the limit.

/// The rate reduction of one episode.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateReduction {
    /// The congestion window after the reduction, packets.
    target: u64,
    /// `RecoverFS`, packets.
    recover_fs: u64,
    /// `prr_delivered`, packets.
    delivered: u64,
    /// `prr_out`, packets.
    out: u64,
    /// The usable window, packets.
    window: u64,
}

impl RateReduction {
    /// Starts the reduction of `flight` packets to `target`, with `pipe` packets still in flight.
    pub(super) fn new(flight: u64, target: u64, pipe: u64) -> Self {
        Self { target, recover_fs: flight.max(1), delivered: 0, out: 0, window: pipe }
    }

    /// An ACK delivered `delivered` packets, and `pipe` are in flight now. `safe`: the cumulative acknowledgement
    /// advanced and no loss was detected (`SafeACK` in RFC 9937).
    pub(super) fn on_ack(&mut self, delivered: u64, pipe: u64, safe: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let allowed = if pipe > self.target {
            (self.delivered * self.target).div_ceil(self.recover_fs).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(delivered) + u64::from(safe);
            bound.min(self.target - pipe)
        };
        // RFC 6937 §3: the fast retransmission itself is always sent.
        let first = u64::from(self.out == 0);
        self.window = pipe + allowed.max(first);
    }

    /// A packet was sent.
    pub(super) fn on_sent(&mut self) {
        self.out += 1;
    }

    /// Returns the packets that may be in flight.
    pub(super) fn window(&self) -> u64 {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::RateReduction;

    #[test]
    fn halving_sends_one_packet_for_every_two_delivered() {
        let mut reduction = RateReduction::new(100, 50, 96);
        let (mut pipe, mut sent) = (96, 0);
        for _ in 0..90 {
            pipe -= 1;
            reduction.on_ack(1, pipe, false);
            while pipe < reduction.window() {
                pipe += 1;
                sent += 1;
                reduction.on_sent();
            }
        }
        assert!((44..=46).contains(&sent), "{sent}");
        assert!((50..=53).contains(&pipe), "{pipe}");
    }

    #[test]
    fn below_the_target_pipe_grows_as_in_slow_start() {
        let mut reduction = RateReduction::new(100, 50, 10);
        reduction.on_ack(1, 10, true);
        assert_eq!(reduction.window(), 12);
        (0..2).for_each(|_| reduction.on_sent());
        reduction.on_ack(1, 11, false);
        assert_eq!(reduction.window(), 12);
    }

    #[test]
    fn an_ack_that_delivers_nothing_releases_nothing() {
        let mut reduction = RateReduction::new(100, 50, 60);
        reduction.on_ack(0, 60, true);
        assert_eq!(reduction.window(), 60);
    }
}
