// SPDX-License-Identifier: Apache-2.0
//! How long ProbeRTT lasts: 200 ms and a round from when few enough packets are in flight (draft-ietf-ccwg-bbr-06
//! §5.3.4.3, `HandleProbeRTT`; `bbr_update_min_rtt` in Linux's `tcp_bbr.c`).

use narrows_units::{Span, Time};

/// The variables of one ProbeRTT.
#[derive(Clone, Debug, Default)]
pub(super) struct ProbeRtt {
    /// `None` until few enough packets are in flight.
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
}

impl ProbeRtt {
    /// ProbeRTT is entered.
    pub(super) fn enter(&mut self) {
        self.probe_rtt_done_stamp = None;
    }

    /// Whether few enough packets have been in flight.
    pub(super) fn is_timed(&self) -> bool {
        self.probe_rtt_done_stamp.is_some()
    }

    /// Few enough packets are in flight: 200 ms and a round start at `now`.
    pub(super) fn start_timing(&mut self, now: Time) {
        self.probe_rtt_done_stamp = Some(now + PROBE_RTT_DURATION);
        self.probe_rtt_round_done = false;
    }

    /// Notes whether a round has ended; returns whether one has since [`start_timing`](Self::start_timing).
    pub(super) fn update_round_done(&mut self, round_start: bool) -> bool {
        self.probe_rtt_round_done |= round_start;
        self.probe_rtt_round_done
    }

    /// Whether the 200 ms are over.
    pub(super) fn has_elapsed(&self, now: Time) -> bool {
        self.probe_rtt_done_stamp.is_some_and(|stamp| now > stamp)
    }
}

/// `ProbeRTTDuration`, `bbr_probe_rtt_mode_ms`.
const PROBE_RTT_DURATION: Span = Span::from_ms(200);
