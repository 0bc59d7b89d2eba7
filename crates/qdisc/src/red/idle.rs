//! How long a link had nothing to send, in packets that it could have sent.

use crate::Context;
use narrows_units::{Bytes, Time};

/// Since when the link has found nothing to send; `None` while it sends.
#[derive(Clone, Debug)]
pub(crate) struct Idle(Option<Time>);

impl Idle {
    /// The link starts idle.
    pub fn from_the_start() -> Self {
        Self(Some(Time::ZERO))
    }

    /// The link found nothing to send.
    pub fn begin(&mut self, now: Time) {
        self.0.get_or_insert(now);
    }

    /// A packet arrived: how many of size `typical` the link could have sent since it became idle.
    pub fn end(&mut self, typical: Bytes, context: &Context<'_>) -> u64 {
        self.0
            .take()
            .map_or(0, |since| context.rate.bytes_in(context.now.since(since)).count() / typical.count())
    }
}
