//! How much may be in flight, and how fast, by what losses have said (draft-ietf-ccwg-bbr-06 §5.5.10): a long-term bound
//! that probing found, and short-term bounds that hold until the next probe.

/// Infinite where there is no bound. Volumes are packets, the rate bits of payload per second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// `inflight_longterm`.
    pub(super) longterm: f64,
    /// `inflight_shortterm`.
    pub(super) shortterm: f64,
    /// `bw_shortterm`.
    pub(super) rate: f64,
}

impl Bounds {
    /// No bounds.
    pub(super) const NONE: Self =
        Self { longterm: f64::INFINITY, shortterm: f64::INFINITY, rate: f64::INFINITY };

    /// `ResetShortTermModel`.
    pub(super) fn forget_short_term(&mut self) {
        self.shortterm = f64::INFINITY;
        self.rate = f64::INFINITY;
    }

    /// A round had losses, and delivered at most `rate` and `volume` (`InitLowerBounds`, `LossLowerBounds`).
    pub(super) fn on_lossy_round(
        &mut self,
        rate: f64,
        volume: f64,
        max_bandwidth: f64,
        cwnd: f64,
        beta: f64,
    ) {
        if self.rate == f64::INFINITY {
            self.rate = max_bandwidth;
        }
        if self.shortterm == f64::INFINITY {
            self.shortterm = cwnd;
        }
        self.rate = rate.max(beta * self.rate);
        self.shortterm = volume.max(beta * self.shortterm);
    }

    /// The long-term bound less the part that is left to others (`InflightWithHeadroom`).
    pub(super) fn with_headroom(&self, headroom: f64) -> f64 {
        if self.longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        (self.longterm - (headroom * self.longterm).max(1.0)).max(super::MIN_PIPE_CWND)
    }

    /// Each bound is at least as in `before`.
    pub(super) fn restore(&mut self, before: &Self) {
        self.longterm = self.longterm.max(before.longterm);
        self.shortterm = self.shortterm.max(before.shortterm);
        self.rate = self.rate.max(before.rate);
    }
}
