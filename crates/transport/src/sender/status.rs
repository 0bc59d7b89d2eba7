// SPDX-License-Identifier: Apache-2.0
//! What records know of every sender, of whatever kind.

use super::{ConnectionState, Limit, SenderCounters};
use crate::loss_events::LossEvents;
use crate::{Host, Rule, TransportEvent};
use narrows_cc::{Cause, RttView};
use narrows_units::{Rate, Span, Time};

/// The state of a connection and the counts of its sender.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) state: ConnectionState,
    pub(crate) limited_by: Limit,
    pub(crate) counters: SenderCounters,
    loss_events: LossEvents,
}

/// The state of a sending endpoint at one time, for records.
#[derive(Clone, Copy, Debug)]
pub struct SenderSnapshot {
    /// Congestion window, packets. For an algorithm without one, the packets that it sends in a smoothed round-trip
    /// time if it sends datagrams, else `None`.
    pub window: Option<f64>,
    /// Packets that may be in flight, by the congestion window and loss recovery; `None` if only a rate limits.
    pub usable_window: Option<u64>,
    /// Slow-start threshold, packets, infinite while unset; `None` for an algorithm without one.
    pub ssthresh: Option<f64>,
    /// Packets sent, not acknowledged and not declared lost; `None` if the receiver sends nothing back.
    pub in_flight: Option<u64>,
    /// The round-trip time estimate; `None` before the first sample.
    pub rtt: Option<RttView>,
    /// The rate at which packets are paced, of payload; `None` if they are not paced.
    pub pacing_rate: Option<Rate>,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            state: ConnectionState::Closed,
            limited_by: Limit::Application,
            counters: SenderCounters::default(),
            loss_events: LossEvents::default(),
        }
    }
}

impl Status {
    /// Counts `lost` packets, and the loss event that they start if the smoothed round-trip time is `rtt`.
    pub(crate) fn count_losses(&mut self, lost: u64, rtt: Option<Span>, now: Time) {
        self.counters.packets_lost += lost;
        if lost > 0 && self.loss_events.on_losses(now, rtt) {
            self.counters.loss_events += 1;
        }
    }

    /// Counts a reduction of the window, given in packets, and notifies the host.
    pub(crate) fn report_reduction<H: Host>(
        &mut self,
        (cause, rule): (Cause, Rule),
        (window_before, ssthresh_before): (Option<f64>, Option<f64>),
        window_after: Option<f64>,
        host: &mut H,
    ) {
        self.counters.reductions += 1;
        if let (Some(window_before), Some(window_after)) = (window_before, window_after) {
            host.notify(TransportEvent::Reduction {
                cause,
                rule,
                window_before,
                window_after,
                ssthresh_before,
            });
        }
    }
}
