// SPDX-License-Identifier: Apache-2.0
//! The queueing delay by which controllers of media judge a path: the one-way delay less the least of the last ten minutes (RFC
//! 6817 §4.2).

use crate::Ack;
use crate::filter::WindowedMin;
use narrows_units::Time;

/// The least one-way delay.
#[derive(Clone, Debug, Default)]
pub(super) struct QueueDelay {
    base: WindowedMin,
}

impl QueueDelay {
    /// Resets the base.
    pub(super) fn restart(&mut self) {
        self.base = WindowedMin::default();
    }

    /// Returns the queueing delay of the newest packet of `ack`, seconds; `None` if that is not known.
    pub(super) fn sample(&mut self, ack: &Ack<'_>, now: Time) -> Option<f64> {
        let delay = ack.one_way?;
        self.base.update(BASE_HISTORY_PS, now.as_ps(), delay.as_ps());
        Some(delay.as_ps().saturating_sub(self.base.get()) as f64 / PS_PER_SECOND)
    }
}

const PS_PER_SECOND: f64 = 1e12;
const BASE_HISTORY_PS: u64 = 600_000_000_000_000;
