// SPDX-License-Identifier: Apache-2.0
//! The states, the transitions between them and the gains of each (draft-ietf-ccwg-bbr-06 §5.3, §5.6.1).

use crate::model::state_machine::States;

/// `BBR.state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Doubles the sending rate every round until the pipe is full (§5.3.1).
    Startup,
    /// Drains the queue that Startup has built (§5.3.2).
    Drain,
    /// Sends below the estimated bandwidth (§5.3.3.1).
    ProbeBwDown,
    /// Sends at the estimated bandwidth (§5.3.3.2).
    ProbeBwCruise,
    /// Fills the pipe for one round before a probe (§5.3.3.3).
    ProbeBwRefill,
    /// Sends above the estimated bandwidth to probe for more (§5.3.3.4).
    ProbeBwUp,
    /// Keeps few packets in flight to measure the round-trip time without a queue (§5.3.4).
    ProbeRtt,
}

impl States for State {
    fn predecessors(self) -> &'static [Self] {
        use State::{Drain, ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp, ProbeRtt, Startup};
        match self {
            // ExitProbeRTT before the pipe was full, or a spurious loss had ended Startup.
            Startup => &[Drain, ProbeBwDown, ProbeBwCruise, ProbeBwRefill, ProbeBwUp, ProbeRtt],
            Drain => &[Startup],
            ProbeBwDown => &[Drain, ProbeBwUp, ProbeRtt],
            ProbeBwCruise => &[ProbeBwDown],
            // A second spurious loss starts the round of Refill again.
            ProbeBwRefill => &[ProbeBwDown, ProbeBwCruise, ProbeBwRefill],
            ProbeBwUp => &[ProbeBwRefill],
            ProbeRtt => &[Startup, Drain, ProbeBwDown, ProbeBwCruise, ProbeBwRefill, ProbeBwUp],
        }
    }
}

impl State {
    /// Returns `BBR.pacing_gain`: pacing rate over bandwidth.
    pub(super) fn pacing_gain(self) -> f64 {
        match self {
            Self::Startup => STARTUP_PACING_GAIN,
            Self::Drain => DRAIN_PACING_GAIN,
            Self::ProbeBwDown => 0.9,
            Self::ProbeBwCruise | Self::ProbeBwRefill | Self::ProbeRtt => 1.0,
            Self::ProbeBwUp => 1.25,
        }
    }

    /// Returns `BBR.cwnd_gain`: congestion window over bandwidth-delay product.
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            Self::ProbeBwUp => 2.25,
            Self::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => DEFAULT_CWND_GAIN,
        }
    }

    /// Returns `IsInAProbeBWState`.
    pub(super) fn is_in_a_probe_bw_state(self) -> bool {
        matches!(self, Self::ProbeBwDown | Self::ProbeBwCruise | Self::ProbeBwRefill | Self::ProbeBwUp)
    }

    /// Returns `IsProbingBW`: the flow accelerates, and losses may be of its own making.
    pub(super) fn is_probing_bw(self) -> bool {
        matches!(self, Self::Startup | Self::ProbeBwRefill | Self::ProbeBwUp)
    }

    /// Returns the name by which records give the state.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Drain => "drain",
            Self::ProbeBwDown => "probe-bw-down",
            Self::ProbeBwCruise => "probe-bw-cruise",
            Self::ProbeBwRefill => "probe-bw-refill",
            Self::ProbeBwUp => "probe-bw-up",
            Self::ProbeRtt => "probe-rtt",
        }
    }

    /// Returns the number by which records give the state, from 0 in the order of declaration.
    pub(super) fn number(self) -> f64 {
        f64::from(self as u8)
    }
}

/// `StartupPacingGain`, 4 ln 2.
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
/// `DrainPacingGain`.
const DRAIN_PACING_GAIN: f64 = 0.5;
/// `DefaultCwndGain`.
const DEFAULT_CWND_GAIN: f64 = 2.0;
/// `ProbeRTTCwndGain`.
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::State;
    use crate::model::state_machine::tests::assert_legal;

    #[test]
    fn the_legal_transitions_are_those_of_the_draft() {
        use State::{Drain, ProbeBwCruise, ProbeBwDown, ProbeBwRefill, ProbeBwUp, ProbeRtt, Startup};
        assert_legal(
            &[Startup, Drain, ProbeBwDown, ProbeBwCruise, ProbeBwRefill, ProbeBwUp, ProbeRtt],
            &[
                (Startup, &[Drain, ProbeRtt]),
                (Drain, &[ProbeBwDown, ProbeRtt, Startup]),
                (ProbeBwDown, &[ProbeBwCruise, ProbeBwRefill, ProbeRtt, Startup]),
                (ProbeBwCruise, &[ProbeBwRefill, ProbeRtt, Startup]),
                (ProbeBwRefill, &[ProbeBwUp, ProbeBwRefill, ProbeRtt, Startup]),
                (ProbeBwUp, &[ProbeBwDown, ProbeRtt, Startup]),
                (ProbeRtt, &[ProbeBwDown, Startup]),
            ],
        );
    }
}
