// SPDX-License-Identifier: Apache-2.0
//! `[[network.links]]`, and the keys that every link has.

use super::super::impairment::{Impairments, Written};
use super::super::link::{self, LinkContext, OneWay, OneWayKeys};
use super::super::loss::Loss;
use super::super::overhead::{Added, Overhead};
use super::super::rate::{LinkRate, WrittenRate};
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
        /// Router at one end.
        from: String,
        /// Router at the other end.
        to: String,
        /// Name of the link in events and records.
        name: String => "FROM-TO, and TO-FROM for the other direction; a name of its own with \" reverse\" for the other direction",
        /// Whether the link has one direction only.
        one_way: bool = false,
        /// One-way propagation delay.
        delay: Positive<Span>,
        /// Rate of the link.
        rate: LinkRate,
        /// Framing overhead: added to the transmission time of every packet only.
        overhead: Overhead => "none",
        /// Queue discipline.
        queue: Queue => "droptail, 1bdp",
        /// Loss model, applied after the queue.
        loss: Loss => "none",
        /// Impairments, applied in this order after queue and loss model.
        impairments: Impairments => "none",
        /// Properties that differ in the reverse direction.
        reverse: Table<ReverseLinkKeys> => "the same",
    }
}

keys! {
    /// The keys of `reverse` of a link.
    pub struct ReverseLinkKeys {
        /// Rate in the reverse direction.
        rate: LinkRate => "the same",
        /// Framing overhead in the reverse direction.
        overhead: Overhead => "the same",
        /// Queue discipline in the reverse direction.
        queue: Queue => "the same",
        /// Loss model in the reverse direction.
        loss: Loss => "the same",
        /// Impairments in the reverse direction; an empty list for none.
        impairments: Impairments => "the same",
    }
}

/// The keys that a link has in both directions.
pub struct Both<'a> {
    /// The key `rate`.
    pub rate: &'a Field<WrittenRate>,
    /// The key `overhead`.
    pub overhead: &'a Field<Option<Added>>,
    /// The key `queue`.
    pub queue: &'a Field<Option<QueueValue>>,
    /// The key `loss`.
    pub loss: &'a Field<Option<Loss>>,
    /// The key `impairments`.
    pub impairments: &'a Written,
    /// The key `reverse`.
    pub reverse: &'a Field<Option<ReverseLinkKeys>>,
}

impl Both<'_> {
    /// Resolves both directions; keys that `reverse` does not give come from the forward direction.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &self,
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<[OneWay; 2], Reported> {
        let Self { rate, overhead, queue, loss, impairments, reverse } = self;
        let keys = OneWayKeys {
            rate: (*rate).clone(),
            overhead: (*overhead).clone(),
            queue: (*queue).clone(),
            loss: (*loss).clone(),
            impairments: (*impairments).clone(),
        };
        let forward = OneWay::new(keys, Scale::bdp, context, faults);
        let reverse = match reverse.get()? {
            None => forward.clone(),
            Some(reverse) => {
                let keys = OneWayKeys {
                    rate: reverse.rate.or(rate),
                    overhead: reverse.overhead.or_optional(overhead),
                    queue: reverse.queue.or_optional(queue),
                    loss: reverse.loss.or_optional(loss),
                    impairments: reverse.impairments.or_optional(impairments),
                };
                OneWay::new(keys, Scale::bdp, context, faults)
            }
        };
        Ok([forward?, reverse?])
    }
}

impl LinkKeys {
    /// Returns the files of its recorded rate and delays.
    pub fn recordings(&self) -> impl Iterator<Item = &InputFile> {
        link::recordings(self.rate.get().ok(), &self.impairments)
    }
}
