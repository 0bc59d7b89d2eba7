// SPDX-License-Identifier: Apache-2.0
//! The modes and the transitions between them (the figure at the head of Linux's `tcp_bbr.c`).

use crate::model::state_machine::States;

/// `bbr_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Doubles the sending rate every round until the pipe is full.
    Startup,
    /// Drains the queue that Startup has built.
    Drain,
    /// Sends at the estimated bandwidth and probes for more once in eight phases.
    ProbeBw,
    /// Keeps four packets in flight to measure the round-trip time without a queue.
    ProbeRtt,
}

impl Mode {
    /// Returns the name by which records give the mode.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Drain => "drain",
            Self::ProbeBw => "probe-bw",
            Self::ProbeRtt => "probe-rtt",
        }
    }
}

impl States for Mode {
    fn predecessors(self) -> &'static [Self] {
        match self {
            Self::Startup => &[Self::ProbeRtt],
            Self::Drain => &[Self::Startup],
            // The gain cycle starts again when a policer's rate is no longer used.
            Self::ProbeBw => &[Self::Drain, Self::ProbeBw, Self::ProbeRtt],
            Self::ProbeRtt => &[Self::Startup, Self::Drain, Self::ProbeBw],
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::Mode;
    use crate::model::state_machine::tests::assert_legal;

    #[test]
    fn the_legal_transitions_are_those_of_linux() {
        use Mode::{Drain, ProbeBw, ProbeRtt, Startup};
        assert_legal(
            &[Startup, Drain, ProbeBw, ProbeRtt],
            &[
                (Startup, &[Drain, ProbeRtt]),
                (Drain, &[ProbeBw, ProbeRtt]),
                (ProbeBw, &[ProbeBw, ProbeRtt]),
                (ProbeRtt, &[Startup, ProbeBw]),
            ],
        );
    }
}
