// SPDX-License-Identifier: Apache-2.0
//! How long a link had nothing to send, in packets that it could have sent.

use crate::Context;
use narrows_units::{Bytes, Time};

/// Since when the link has found nothing to send; `None` while it sends.
#[derive(Clone, Debug)]
pub(crate) struct Idle(Option<Time>);

impl Idle {
    /// Creates a link that is idle from the start of the run.
    pub fn from_the_start() -> Self {
        Self(Some(Time::ZERO))
    }

    /// Records that the link found the queue empty at `now`; has no effect if it is idle already.
    pub fn begin(&mut self, now: Time) {
        self.0.get_or_insert(now);
    }

    /// Ends the idle time, for a packet that arrives now. Returns how many packets of size `typical` the link could
    /// have sent in that time; 0 if it was not idle.
    pub fn end(&mut self, typical: Bytes, context: &Context<'_>) -> u64 {
        self.0
            .take()
            .map_or(0, |since| context.rate.bytes_in(context.now.since(since)).count() / typical.count())
    }
}
