// SPDX-License-Identifier: Apache-2.0
//! `network.generator`: topologies whose links have the same properties.

use super::super::impairment::Impairments;
use super::super::link::{LinkContext, OneWay, OneWayKeys};
use super::super::loss::Loss;
use super::super::overhead::Overhead;
use super::super::rate::LinkRate;
use super::draft::Draft;
use super::links::{Both, ReverseLinkKeys};
use super::tiered::Tiered;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::forms::forms;
use crate::queue::Queue;
use crate::section::{Table, keys};
use crate::value::{Count, Positive};
use narrows_qdisc::{Limit, Scale};
use narrows_topology::graph::{self, Generated};
use narrows_units::Span;

forms! {
    /// A generated network, whose links have the same properties.
    pub enum Generator { Dumbbell, ParkingLot, Ring, TwoRouters, Tiered }
}

/// Declares a topology whose links have the same properties: its own keys, and the keys of its links.
macro_rules! shape {
    (
        $(#[doc = $doc:literal])+
        pub struct $name:ident = $form:literal { $($own:tt)* }
    ) => {
        keys! {
            $(#[doc = $doc])+
            pub struct $name = $form {
                $($own)*
                /// Rate of the links.
                rate: LinkRate,
                /// One-way propagation delay of each link.
                delay: Positive<Span>,
                /// Framing overhead: added to the transmission time of every packet only.
                overhead: Overhead => "none",
                /// Queue discipline of the links.
                queue: Queue => "droptail, 1bdp",
                /// Loss model of the links, applied after their queues.
                loss: Loss => "none",
                /// Impairments of the links, applied in this order after queue and loss model.
                impairments: Impairments => "none",
                /// Properties that differ in the reverse direction.
                reverse: Table<ReverseLinkKeys> => "the same",
            }
        }

        impl $name {
            /// Both directions of every link, and the delay.
            fn links(
                &self,
                context: LinkContext<'_>,
                faults: &mut Vec<Fault>,
            ) -> Result<([OneWay; 2], Span), Reported> {
                let Self { rate, overhead, queue, loss, impairments, reverse, .. } = self;
                let both = Both { rate, overhead, queue, loss, impairments, reverse }.resolve(context, faults);
                Ok((both?, self.delay.copied()?))
            }
        }
    };
}

shape! {
    /// Routers left and right, and the link bottleneck between them.
    pub struct Dumbbell = "dumbbell" {}
}

shape! {
    /// A parking lot: routers R0, R1, R2 … in a row.
    pub struct ParkingLot = "parking-lot" {
        /// Number of links in the row.
        hops: Count<1, 1000>,
    }
}

shape! {
    /// A ring of routers R0, R1, R2 …; use via to choose the direction.
    pub struct Ring = "ring" {
        /// Number of links in the ring.
        links: Count<3, 1000>,
    }
}

keys! {
    /// Routers R0, R1 and R2 in a row with a queue each, and unlimited queues in the reverse direction (Akella et al.,
    /// CMU-CS-02-139, figure 3).
    pub struct TwoRouters = "two-routers" {
        /// Rate of the links.
        rate: LinkRate,
        /// One-way propagation delay of each link.
        delay: Positive<Span>,
        /// Framing overhead of the links, in both directions.
        overhead: Overhead => "none",
        /// Loss model of the links, in both directions, applied after their queues.
        loss: Loss => "none",
        /// Impairments of the links, in both directions, applied in this order after queue and loss model.
        impairments: Impairments => "none",
        /// Router R0, whose queue feeds the link to R1.
        r0: Table<RouterKeys>,
        /// Router R1, whose queue feeds the link to R2.
        r1: Table<RouterKeys>,
    }
}

keys! {
    /// A router of the shape `two-routers`.
    pub struct RouterKeys {
        /// Queue discipline.
        queue: Queue,
    }
}

impl Generator {
    /// Returns the routers and links of the generated network.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn draft(&self, context: LinkContext<'_>, faults: &mut Vec<Fault>) -> Result<Draft, Reported> {
        match self {
            Self::Dumbbell(form) => {
                let (both, delay) = form.links(context, faults)?;
                let Generated { nodes, links } = graph::dumbbell();
                let mut draft = Draft { nodes, note: Some("a dumbbell".to_owned()), ..Draft::default() };
                for ends in links {
                    let names = ["bottleneck", "bottleneck reverse"].map(str::to_owned);
                    draft.pair(names, ends, delay, &both);
                }
                Ok(draft)
            }
            Self::ParkingLot(form) => {
                let links = form.links(context, faults);
                let hops = form.hops.copied()?;
                Ok(alike(graph::parking_lot(hops), format!("a parking lot of {hops} hops"), &links?))
            }
            Self::Ring(form) => {
                let links = form.links(context, faults);
                let count = form.links.copied()?;
                Ok(alike(graph::ring(count), format!("a ring of {count} links"), &links?))
            }
            Self::TwoRouters(form) => form.draft(context, faults),
            Self::Tiered(form) => form.draft(context, faults),
        }
    }
}

/// A shape of which all links are alike.
fn alike(Generated { nodes, links }: Generated, note: String, (both, delay): &([OneWay; 2], Span)) -> Draft {
    let mut draft = Draft { nodes, note: Some(note), ..Draft::default() };
    for (from, to) in links {
        let names = [draft.name((from, to)), draft.name((to, from))];
        draft.pair(names, (from, to), *delay, both);
    }
    draft
}

impl TwoRouters {
    fn draft(&self, context: LinkContext<'_>, faults: &mut Vec<Fault>) -> Result<Draft, Reported> {
        let routers =
            [self.directions(&self.r0, context, faults), self.directions(&self.r1, context, faults)];
        let delay = self.delay.copied()?;
        let Generated { nodes, links } = graph::two_routers();
        let note = Some("a row of two queueing routers".to_owned());
        let mut draft = Draft { nodes, note, ..Draft::default() };
        for ((from, to), both) in links.into_iter().zip(routers) {
            let names = [draft.name((from, to)), draft.name((to, from))];
            draft.pair(names, (from, to), delay, &both?);
        }
        Ok(draft)
    }

    /// Both directions of the link behind a router.
    fn directions(
        &self,
        router: &Field<RouterKeys>,
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<[OneWay; 2], Reported> {
        let queue = router.get()?.queue.clone().optional();
        let keys = |queue| OneWayKeys {
            rate: self.rate.clone(),
            overhead: self.overhead.clone(),
            queue,
            loss: self.loss.clone(),
            impairments: self.impairments.clone(),
        };
        let forward = OneWay::new(keys(queue), Scale::bdp, context, faults)?;
        let absent = Field::of(&self.table, None);
        let reverse = OneWay::new(keys(absent), |_| Limit::Unlimited, context, faults)?;
        Ok([forward, reverse])
    }
}
