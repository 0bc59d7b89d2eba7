// SPDX-License-Identifier: Apache-2.0
//! The minimum round-trip time of the last ten seconds, and the time of the next ProbeRTT
//! (draft-ietf-ccwg-bbr-06 §5.3.4.3, §5.5.7).

use narrows_units::{Span, Time};

/// The two filters of round-trip times.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the names of the draft")]
pub(super) struct MinRtt {
    min_rtt: Option<Span>,
    min_rtt_stamp: Time,
    probe_rtt_min_delay: Option<Span>,
    probe_rtt_min_stamp: Time,
    initialized: bool,
}

impl MinRtt {
    /// Filters without a sample.
    pub(super) fn new() -> Self {
        Self {
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            initialized: false,
        }
    }

    /// Returns `BBR.min_rtt`; `None` before the first sample.
    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// Implements `OnInit`, at the first call only: the transport has measured `srtt`.
    pub(super) fn init(&mut self, srtt: Option<Span>, now: Time) {
        if !self.initialized {
            self.initialized = true;
            (self.min_rtt, self.probe_rtt_min_delay) = (srtt, srtt);
            (self.min_rtt_stamp, self.probe_rtt_min_stamp) = (now, now);
        }
    }

    /// Implements `UpdateMinRTT`. Returns `BBR.probe_rtt_expired`: no round-trip time as small as `probe_rtt_min_delay`
    /// has been seen for `ProbeRTTInterval`.
    pub(super) fn update_min_rtt(&mut self, rtt: Option<Span>, now: Time) -> bool {
        let probe_rtt_expired = now > self.probe_rtt_min_stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = rtt
            && (probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|min_delay| rtt < min_delay))
        {
            self.probe_rtt_min_delay = Some(rtt);
            self.probe_rtt_min_stamp = now;
        }
        let min_rtt_expired = now > self.min_rtt_stamp + MIN_RTT_FILTER_LEN;
        if let Some(min_delay) = self.probe_rtt_min_delay
            && (min_rtt_expired || self.min_rtt.is_none_or(|min_rtt| min_delay < min_rtt))
        {
            self.min_rtt = Some(min_delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
        probe_rtt_expired
    }

    /// The next ProbeRTT is due `ProbeRTTInterval` after `now`.
    pub(super) fn schedule_probe_rtt(&mut self, now: Time) {
        self.probe_rtt_min_stamp = now;
    }
}

/// `ProbeRTTInterval`.
const PROBE_RTT_INTERVAL: Span = Span::from_ms(5_000);
/// `MinRTTFilterLen`.
const MIN_RTT_FILTER_LEN: Span = Span::from_ms(10_000);
