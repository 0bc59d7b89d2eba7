//! Proportional rate reduction: the usable window falls over one round trip (RFC 6937, revised as RFC 9937).
//!
//! Per ACK that delivers `d` packets, `prr_delivered += d`. While `pipe > target`:
//! `sndcnt = ⌈prr_delivered · target / RecoverFS⌉ − prr_out`. Else the slow-start reduction bound:
//! `sndcnt = min(target − pipe, max(prr_delivered − prr_out, d))`, one more if the ACK advanced and told of no new loss
//! (RFC 9937 §6). The first ACK of an episode always lets one packet go. Usable window: `pipe + sndcnt`.
//!
//! `target` is the window that the algorithm set when the episode began, `RecoverFS` the packets in flight just before.
//! Deviations: none from RFC 9937; Linux divides by the window before the cut instead of `RecoverFS`, the same where the
//! window was the limit.

/// One reduction, from the start of an episode to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateReduction {
    target: u64,
    recover_flight: u64,
    delivered: u64,
    out: u64,
    window: u64,
}

impl RateReduction {
    /// Begins to bring `flight` packets down to `target`, `pipe` of them still in flight.
    pub(crate) fn new(flight: u64, target: u64, pipe: u64) -> Self {
        Self { target, recover_flight: flight.max(1), delivered: 0, out: 0, window: pipe }
    }

    /// An ACK delivered `delivered` packets; `pipe` are now in flight. `advanced_cleanly`: it moved the cumulative point
    /// and no loss was found.
    pub(crate) fn on_ack(&mut self, delivered: u64, pipe: u64, advanced_cleanly: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let allowed = if pipe > self.target {
            (self.delivered * self.target).div_ceil(self.recover_flight).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(delivered) + u64::from(advanced_cleanly);
            bound.min(self.target - pipe)
        };
        // RFC 6937 §3: the fast retransmit itself may not be held back.
        let first = u64::from(self.out == 0);
        self.window = pipe + allowed.max(first);
    }

    /// A packet left.
    pub(crate) fn on_sent(&mut self) {
        self.out += 1;
    }

    /// Packets that may be in flight.
    pub(crate) fn window(&self) -> u64 {
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
    fn below_the_target_the_pipe_grows_back_as_in_slow_start() {
        let mut reduction = RateReduction::new(100, 50, 10);
        reduction.on_ack(1, 10, true);
        assert_eq!(reduction.window(), 12);
        (0..2).for_each(|_| reduction.on_sent());
        reduction.on_ack(1, 11, false);
        assert_eq!(reduction.window(), 12);
    }

    #[test]
    fn an_ack_that_delivers_nothing_lets_nothing_go() {
        let mut reduction = RateReduction::new(100, 50, 60);
        reduction.on_ack(0, 60, true);
        assert_eq!(reduction.window(), 60);
    }
}
