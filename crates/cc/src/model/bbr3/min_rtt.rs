// SPDX-License-Identifier: Apache-2.0
//! The minimum round-trip time of the last ten seconds, and the time of the next ProbeRTT
//! (draft-ietf-ccwg-bbr-06 §5.3.4.3, §5.5.7).

use narrows_units::{Span, Time};

/// The two filters of round-trip times.
#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "the names of the draft")]
pub(super) struct MinRtt {
    min_rtt: Option<Span>,
    /// Seconds.
    min_rtt_s: Option<f64>,
    /// `MinRTTFilterLen` after `min_rtt_stamp`.
    min_rtt_expires: Time,
    probe_rtt_min_delay: Option<Span>,
    probe_rtt_min_stamp: Time,
    /// `ProbeRTTInterval` after `probe_rtt_min_stamp`.
    probe_rtt_due: Time,
    initialized: bool,
}

impl MinRtt {
    /// Filters without a sample.
    pub(super) fn new() -> Self {
        Self {
            min_rtt: None,
            min_rtt_s: None,
            min_rtt_expires: Time::ZERO + MIN_RTT_FILTER_LEN,
            probe_rtt_min_delay: None,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_due: Time::ZERO + PROBE_RTT_INTERVAL,
            initialized: false,
        }
    }

    /// Returns `BBR.min_rtt`; `None` before the first sample.
    pub(super) fn min_rtt(&self) -> Option<Span> {
        self.min_rtt
    }

    /// Returns `BBR.min_rtt` in seconds.
    pub(super) fn min_rtt_s(&self) -> Option<f64> {
        self.min_rtt_s
    }

    /// Implements `OnInit`, at the first call only: the transport has measured `srtt`.
    pub(super) fn init(&mut self, srtt: Option<Span>, now: Time) {
        if !self.initialized {
            self.initialized = true;
            self.probe_rtt_min_delay = srtt;
            self.schedule_probe_rtt(now);
            self.set_min_rtt();
        }
    }

    /// Implements `UpdateMinRTT`. Returns `BBR.probe_rtt_expired`: no round-trip time as small as `probe_rtt_min_delay`
    /// has been seen for `ProbeRTTInterval`.
    pub(super) fn update_min_rtt(&mut self, rtt: Option<Span>, now: Time) -> bool {
        let probe_rtt_expired = now > self.probe_rtt_due;
        if let Some(rtt) = rtt
            && (probe_rtt_expired || self.probe_rtt_min_delay.is_none_or(|min_delay| rtt < min_delay))
        {
            self.probe_rtt_min_delay = Some(rtt);
            self.schedule_probe_rtt(now);
        }
        let min_rtt_expired = now > self.min_rtt_expires;
        if let Some(min_delay) = self.probe_rtt_min_delay
            && (min_rtt_expired || self.min_rtt.is_none_or(|min_rtt| min_delay < min_rtt))
        {
            self.set_min_rtt();
        }
        probe_rtt_expired
    }

    fn set_min_rtt(&mut self) {
        self.min_rtt = self.probe_rtt_min_delay;
        self.min_rtt_s = self.min_rtt.map(Span::as_secs_f64);
        self.min_rtt_expires = self.probe_rtt_min_stamp + MIN_RTT_FILTER_LEN;
    }

    /// The next ProbeRTT is due `ProbeRTTInterval` after `now`.
    pub(super) fn schedule_probe_rtt(&mut self, now: Time) {
        self.probe_rtt_min_stamp = now;
        self.probe_rtt_due = now + PROBE_RTT_INTERVAL;
    }
}

/// `ProbeRTTInterval`.
const PROBE_RTT_INTERVAL: Span = Span::from_ms(5_000);
/// `MinRTTFilterLen`.
const MIN_RTT_FILTER_LEN: Span = Span::from_ms(10_000);
