// SPDX-License-Identifier: Apache-2.0
//! `network.generator` of kind `tiered`.

use super::super::impairment::Impairments;
use super::super::link::{LinkContext, OneWay, OneWayKeys};
use super::super::loss::Loss;
use super::super::overhead::Overhead;
use super::super::rate::WrittenRate;
use super::draft::Draft;
use super::graph::check_factor;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::queue::Queue;
use crate::section::keys;
use crate::value::{Count, Element, Integer, List, Positive, words};
use narrows_qdisc::Limit;
use narrows_topology::graph::Graph;
use narrows_topology::graph::tiered::{self, CLASSES, TierLink, Tiers};
use narrows_topology::{Core, Edge};
use narrows_units::{Bytes, Rate, Span};
use std::collections::BTreeSet;

keys! {
    /// An Internet of three tiers: backbone, points of presence, access routers (Mills et al., NIST SP 500-282, §3).
    pub struct Tiered = "tiered" {
        /// The eleven routers of Abilene, or the four western ones.
        backbone: Backbone = Backbone::Abilene,
        /// Number of points of presence per backbone router.
        points: Count<1, 100> = 2,
        /// Number of access routers of class D, which are attached to the backbone.
        direct: Count<0, 1000> => "6; west: 2",
        /// Number of access routers of class F, which are attached to points of presence.
        fast: Count<0, 1000> => "28; west: 8",
        /// Number of access routers of class N, which are attached to points of presence.
        normal: Count<0, 1000> => "105; west: 30",
        /// Network speed r1. A backbone link has rate 2 r1, the link of a point of presence r1/4, the link of an access
        /// router of class N r1/40, of class F twice and of class D ten times that of class N.
        rate: Positive<Rate>,
        /// Factor that multiplies the delays of the backbone.
        delay_factor: f64 = 1.0,
        /// One-way propagation delay of the links of points of presence.
        point_delay: Positive<Span> = Span::from_ms(1),
        /// One-way propagation delay of the links of access routers.
        access_delay: Positive<Span> = Span::from_us(500),
        /// Framing overhead of the links of access routers, in both directions.
        overhead: Overhead => "none",
        /// Loss model of the links of access routers, in both directions, applied after their queues.
        loss: Loss => "none",
        /// Impairments of the links of access routers, in both directions, applied in this order after queue and loss
        /// model.
        impairments: Impairments => "none",
        /// Queue discipline of every port, with a limit of its own. Without it, ports have DropTail queues with limits
        /// by `buffers`.
        queue: Queue => "droptail, limit by buffers",
        /// Buffer size of a port. rtt: its rate times network.rtt. rtt/sqrt(n): this divided by the square root of the
        /// number of transfers expected to cross the port.
        buffers: Buffers = Buffers::Rtt,
        /// Number of transfers in progress in the whole network, for buffers = "rtt/sqrt(n)".
        transfers: Integer<1, 100_000_000> => "100 for each access router",
        /// Relative weights of an access router of class D, F and N in the choice of sources.
        sources: List<f64> => "[1, 1, 1]",
        /// Relative weights of an access router of class D, F and N in the choice of receivers.
        receivers: List<f64> => "[1, 1, 1]",
    }
}

/// The backbone of a tiered network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backbone {
    /// All eleven routers of Abilene.
    Abilene,
    /// The four western routers of Abilene.
    West,
}

words!(Backbone { Abilene = "abilene", West = "west" });

/// The rule for the buffer sizes of a tiered network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// One bandwidth-delay product.
    Rtt,
    /// A bandwidth-delay product divided by the square root of the number of flows.
    RttOverRoot,
}

words!(Buffers { Rtt = "rtt", RttOverRoot = "rtt/sqrt(n)" });

impl Tiered {
    /// Returns the links and edge routers of the network.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn draft(&self, context: LinkContext<'_>, faults: &mut Vec<Fault>) -> Result<Draft, Reported> {
        let whole = self.backbone.copied()? == Backbone::Abilene;
        let count = |field: &Field<Option<u32>>, here: u32, west: u32| {
            Ok(field.copied()?.unwrap_or(if whole { here } else { west }))
        };
        let rate = self.rate.copied()?;
        let times = |factor: f64| Rate::from_bps_f64(rate.as_bps() as f64 * factor);
        let normal = 0.25 / 10.0;
        let tiered = tiered::Tiered {
            delay_factor: check_factor(&self.delay_factor, faults)?,
            whole,
            points: self.points.copied()?,
            access: [count(&self.direct, 6, 2)?, count(&self.fast, 28, 8)?, count(&self.normal, 105, 30)?],
            backbone: times(2.0),
            point: times(0.25),
            access_rates: [times(10.0 * normal), times(2.0 * normal), times(normal)],
            point_delay: self.point_delay.copied()?,
            access_delay: self.access_delay.copied()?,
        };
        let [direct, fast, normal] = tiered.access;
        if direct + fast + normal < 2 {
            let fault = self.table.fault("fewer than two access routers");
            return Err(fault.allowed("direct + fast + normal of at least 2").report(faults));
        }
        let sources = weights(&self.sources, faults);
        let receivers = weights(&self.receivers, faults);
        let (sources, receivers) = (sources?, receivers?);
        let tiers = tiered.build();
        let edges: Vec<Edge> = tiers
            .access
            .iter()
            .map(|&(router, class)| Edge {
                router,
                class: CLASSES[class].to_owned(),
                sources: sources[class],
                receivers: receivers[class],
            })
            .collect();
        let (rtt, packet) = (context.rtt?, context.packet?);
        let mut limits: Vec<Bytes> =
            tiers.links.iter().flat_map(|link| [link.rate.bytes_in(rtt).max(packet); 2]).collect();
        let mut draft = self.links(&tiers, &limits, context, faults)?;
        if self.buffers.copied()? == Buffers::RttOverRoot {
            let transfers = self.transfers.copied()?.unwrap_or(100 * edges.len() as u64);
            let crossing = crossing(&draft, &edges, transfers as f64);
            for (limit, crossing) in limits.iter_mut().zip(crossing) {
                // RTT·C/√n (Appenzeller, Keslassy, McKeown, SIGCOMM 2004).
                let shared = limit.count() as f64 / libm::sqrt(crossing.max(1.0));
                *limit = Bytes::new(shared as u64).max(packet);
            }
            draft = self.links(&tiers, &limits, context, faults)?;
        }
        draft.edges = edges;
        draft.note = Some(format!(
            "a tiered Internet: {} backbone routers, {} access routers ({direct} D, {fast} F, {normal} N), network speed {rate}",
            if whole { 11 } else { 4 },
            tiers.access.len(),
        ));
        Ok(draft)
    }

    /// The links, with these limits for each direction without a written queue. Keys other than the queue's belong to
    /// access routers.
    fn links(
        &self,
        tiers: &Tiers,
        limits: &[Bytes],
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Draft, Reported> {
        let mut draft = Draft { nodes: tiers.nodes.clone(), ..Draft::default() };
        let below: BTreeSet<u32> = tiers.access.iter().map(|(router, _)| *router).collect();
        for (TierLink { ends, rate, delay }, limits) in tiers.links.iter().zip(limits.chunks(2)) {
            let mut keys = OneWayKeys {
                rate: Field::of(&self.table, WrittenRate::Plain(*rate)),
                overhead: Field::of(&self.table, None),
                queue: self.queue.clone(),
                loss: Field::of(&self.table, None),
                impairments: Field::of(&self.table, None),
            };
            if below.contains(&ends.0) {
                keys.overhead = self.overhead.clone();
                keys.loss = self.loss.clone();
                keys.impairments = self.impairments.clone();
            }
            let mut one_way =
                |limit: Bytes| OneWay::new(keys.clone(), |_| Limit::Bytes(limit.count()), context, faults);
            let both = [one_way(limits[0])?, one_way(limits[1])?];
            let names = [draft.name(*ends), draft.name((ends.1, ends.0))];
            draft.pair(names, *ends, *delay, &both);
        }
        Ok(draft)
    }
}

/// How many of all transfers are expected to cross each link.
fn crossing(draft: &Draft, edges: &[Edge], transfers: f64) -> Vec<f64> {
    let links = draft.links.iter().map(|link| link.model.clone()).collect();
    let graph = Graph::of(Core { nodes: draft.nodes.len() as u32, links, access_rate: Rate::ZERO });
    let routers: Vec<u32> = edges.iter().map(|edge| edge.router).collect();
    let sources: f64 = edges.iter().map(|edge| edge.sources).sum();
    let receivers: f64 = edges.iter().map(|edge| edge.receivers).sum();
    let mut crossing = vec![0.0; draft.links.len()];
    for (pair, route) in graph.routes_between(&routers).iter().enumerate() {
        let (from, to) = (&edges[pair / routers.len()], &edges[pair % routers.len()]);
        let share = from.sources / sources * to.receivers / (receivers - from.receivers);
        for link in route {
            crossing[*link as usize] += transfers * share;
        }
    }
    crossing
}

/// One number for each class of access routers.
fn weights(field: &Field<Option<Vec<Element<f64>>>>, faults: &mut Vec<Fault>) -> Result<[f64; 3], Reported> {
    let Some(written) = field.get()? else { return Ok([1.0; 3]) };
    let given: Vec<f64> = written.iter().map(|each| each.value).collect();
    match given[..] {
        [direct, fast, normal] if given.iter().all(|weight| *weight > 0.0 && *weight < 1e9) => {
            Ok([direct, fast, normal])
        }
        _ => {
            let fault = field.fault("not a weight for each class").given(format!("{given:?}"));
            Err(fault.allowed("three numbers above 0: for D, F and N").report(faults))
        }
    }
}
