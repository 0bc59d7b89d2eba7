//! `[[network.links]]`, and the keys that every link has.

use super::super::link::{LinkContext, OneWay};
use super::super::loss::Loss;
use super::super::rate::{LinkRate, WrittenRate, recording};
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::input::InputFile;
use crate::queue::{Queue, QueueValue};
use crate::section::{Table, keys};
use crate::value::Positive;
use narrows_qdisc::Scale;
use narrows_units::Span;

keys! {
    /// The keys of `[[network.links]]`.
    pub struct LinkKeys {
        /// The router at one end.
        from: String,
        /// The router at the other end.
        to: String,
        /// What the link is called in events and records.
        name: String => "FROM-TO, and TO-FROM for the other direction; a name of its own with \" reverse\" for the other direction",
        /// The link has one direction only.
        one_way: bool = false,
        /// One-way propagation delay.
        delay: Positive<Span>,
        /// Its rate.
        rate: LinkRate,
        /// Its queue.
        queue: Queue => "droptail, 1bdp",
        /// Random loss on it, behind its queue.
        loss: Loss => "none",
        /// What is different in the other direction.
        reverse: Table<ReverseLinkKeys> => "the same",
    }
}

keys! {
    /// The keys of `reverse` of a link.
    pub struct ReverseLinkKeys {
        /// Rate in the other direction.
        rate: LinkRate => "the same",
        /// What waits for the other direction.
        queue: Queue => "the same",
        /// Random loss in the other direction.
        loss: Loss => "the same",
    }
}

/// The keys that a link has in both directions.
pub struct Both<'a> {
    /// The key `rate`.
    pub rate: &'a Field<WrittenRate>,
    /// The key `queue`.
    pub queue: &'a Field<Option<QueueValue>>,
    /// The key `loss`.
    pub loss: &'a Field<Option<Loss>>,
    /// The key `reverse`.
    pub reverse: &'a Field<Option<ReverseLinkKeys>>,
}

impl Both<'_> {
    /// Both directions; keys that `reverse` does not give are those of the forward direction.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &self,
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<[OneWay; 2], Reported> {
        let Self { rate, queue, loss, reverse } = self;
        let parts = ((*rate).clone(), (*queue).clone(), (*loss).clone());
        let forward = OneWay::new(parts.0, parts.1, parts.2, Scale::bdp, context, faults);
        let reverse = match reverse.get()? {
            None => forward.clone(),
            Some(reverse) => {
                let parts = (reverse.rate.or(rate), reverse.queue.or_optional(queue));
                OneWay::new(parts.0, parts.1, reverse.loss.or_optional(loss), Scale::bdp, context, faults)
            }
        };
        Ok([forward?, reverse?])
    }
}

impl LinkKeys {
    /// The recording of its rate.
    pub fn recording(&self) -> Option<&InputFile> {
        recording(self.rate.get().ok()?)
    }
}
