//! The states and what each does to rate and window (draft-ietf-ccwg-bbr-06 §5.6.1).

/// What the flow is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Looking for the bandwidth, twice as much every round.
    Startup,
    /// Taking away the queue that this made.
    Drain,
    /// Sending less than the path carries, for others and for the queue.
    Down,
    /// Sending what the path carries.
    Cruise,
    /// Filling the pipe for a round before a probe.
    Refill,
    /// Probing for more.
    Up,
    /// Pausing to see the round-trip time without a queue.
    ProbeRtt,
}

impl State {
    /// Pacing rate over bandwidth.
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => STARTUP_PACING_GAIN,
            Self::Drain => 0.5,
            Self::Down => 0.9,
            Self::Cruise | Self::Refill | Self::ProbeRtt => 1.0,
            Self::Up => 1.25,
        }
    }

    /// Window over bandwidth-delay product.
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            Self::Up => 2.25,
            Self::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => 2.0,
        }
    }

    /// One of the four states of the probing cycle (`IsInAProbeBWState`).
    pub(super) fn is_probe_bw(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// Losses answer to sending more, not to others (`IsProbingBW`).
    pub(super) fn is_accelerating(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }

    /// As records tell it.
    pub(super) fn number(self) -> f64 {
        f64::from(self as u8)
    }
}

/// `StartupPacingGain`, 4 ln 2.
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
/// `ProbeRTTCwndGain`.
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;
