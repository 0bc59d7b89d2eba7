// SPDX-License-Identifier: Apache-2.0
//! `[path]`: the dumbbell.

use super::impairment::Impairments;
use super::link::{self, LinkContext, OneWay, OneWayKeys, Traffic};
use super::loss::Loss;
use super::overhead::Overhead;
use super::rate::{LinkRate, greatest_bps, usual_access_rate};
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::input::InputFile;
use crate::queue::Groups;
use crate::queue::Queue;
use crate::section::{Section, Table, keys};
use crate::value::Positive;
use narrows_qdisc::{Limit, Scale};
use narrows_topology::dumbbell::{Direction, Dumbbell};
use narrows_units::{Bytes, Rate, Span};

keys! {
    /// The keys of `[path]`.
    pub struct PathKeys {
        /// Rate of the bottleneck in the forward direction.
        rate: LinkRate,
        /// Framing overhead of the bottleneck: added to the transmission time of every packet only.
        overhead: Overhead => "none",
        /// Queue discipline of the bottleneck.
        queue: Queue => "droptail, 1bdp",
        /// Loss model of the bottleneck, applied after its queue.
        loss: Loss => "none",
        /// Impairments of the bottleneck, applied in this order after its queue and loss model.
        impairments: Impairments => "none",
        /// Two-way propagation delay of flows that set no `rtt` of their own.
        rtt: Positive<Span>,
        /// Size of a full data packet, headers included.
        packet: Positive<Bytes> = Bytes::new(1500),
        /// Rate of the access links of each flow, which are unlimited FIFOs. Packets queue there if it is the lowest
        /// rate on the path.
        access_rate: Positive<Rate> => "ten times the bottleneck's greatest rate",
        /// One-way propagation delay of the bottleneck; the remainder of a flow's round-trip time is divided among its
        /// access links.
        delay: Span => "0.4 of the smallest round trip of any group",
        /// The bottleneck in the reverse direction.
        reverse: Table<ReverseKeys> => "the same rate, unlimited queue, no loss",
    }
}

keys! {
    /// The keys of `[path.reverse]`.
    pub struct ReverseKeys {
        /// Rate of the bottleneck in the reverse direction.
        rate: LinkRate => "that of the path",
        /// Framing overhead: added to the transmission time of every packet only.
        overhead: Overhead => "none",
        /// Queue discipline.
        queue: Queue => "droptail, unlimited",
        /// Loss model, applied after the queue.
        loss: Loss => "none",
        /// Impairments, applied in this order after queue and loss model.
        impairments: Impairments => "none",
    }
}

/// A resolved path, without the delay of its bottleneck, which depends on the flows.
#[derive(Clone, Debug)]
pub struct ResolvedPath {
    /// The bottleneck from left to right.
    pub forward: Direction,
    /// The bottleneck from right to left.
    pub reverse: Direction,
    /// Rate of the access links.
    pub access_rate: Rate,
    /// Round-trip time in a bandwidth-delay product of a buffer, and of flows without one of their own.
    pub rtt: Span,
    /// Size of a full data packet on the wire.
    pub packet: Bytes,
    /// Mean rate of the forward bottleneck.
    pub mean: Rate,
    /// Description of each direction.
    words: [String; 2],
}

impl PathKeys {
    /// Resolves all keys except the delay and fills them in.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        load: &LoadContext<'_>,
        duration: Result<Span, Reported>,
        groups: Option<&Groups>,
        traffic: Traffic,
        faults: &mut Vec<Fault>,
    ) -> Result<ResolvedPath, Reported> {
        let packet = check_packet(&self.packet, faults);
        let Traffic { ecn, acknowledged_forward: acknowledged, acknowledged_reverse } = traffic;
        let context =
            LinkContext { load, duration, rtt: self.rtt.copied(), packet, groups, ecn, acknowledged };
        let keys = OneWayKeys {
            rate: self.rate.clone(),
            overhead: self.overhead.clone(),
            queue: self.queue.clone(),
            loss: self.loss.clone(),
            impairments: self.impairments.clone(),
        };
        let forward = OneWay::new(keys, Scale::bdp, context, faults);
        let at = At { path: self.table.path_of("reverse"), location: self.table.location.clone() };
        let back = self.reverse.get_mut()?.get_or_insert_with(|| ReverseKeys::absent(&at, faults));
        let keys = OneWayKeys {
            rate: back.rate.or(&self.rate),
            overhead: back.overhead.clone(),
            queue: back.queue.clone(),
            loss: back.loss.clone(),
            impairments: back.impairments.clone(),
        };
        let of_reverse = LinkContext { acknowledged: acknowledged_reverse, ..context };
        let reverse = OneWay::new(keys, |_| Limit::Unlimited, of_reverse, faults);
        let access_rate = self.access_rate.copied();
        let (forward, reverse) = (forward?, reverse?);
        let greatest = greatest_bps(&forward.direction.rate).max(greatest_bps(&reverse.direction.rate));
        let access_rate = access_rate?.unwrap_or(usual_access_rate(greatest));
        self.access_rate.fill(Some(access_rate));
        let OneWayKeys { rate, queue, impairments, .. } = forward.keys;
        (self.rate, self.queue, self.impairments) = (rate, queue, impairments);
        let OneWayKeys { rate, queue, impairments, .. } = reverse.keys;
        back.rate.fill(Some(rate.get()?.clone()));
        (back.queue, back.impairments) = (queue, impairments);
        Ok(ResolvedPath {
            forward: forward.direction,
            reverse: reverse.direction,
            access_rate,
            rtt: context.rtt?,
            packet: packet?,
            mean: forward.mean,
            words: [forward.words, reverse.words],
        })
    }

    /// Returns the files of recorded rates and delays, with their digests.
    pub fn recordings(&self) -> Vec<&InputFile> {
        let reverse = self.reverse.get().ok().and_then(Option::as_ref);
        let reverse = reverse.map(|reverse| {
            let rate = reverse.rate.get().ok().and_then(Option::as_ref);
            link::recordings(rate, &reverse.impairments)
        });
        let forward = link::recordings(self.rate.get().ok(), &self.impairments);
        forward.chain(reverse.into_iter().flatten()).collect()
    }
}

impl ResolvedPath {
    /// Returns the dumbbell whose bottleneck has the one-way propagation delay `delay`.
    pub fn dumbbell(&self, delay: Span) -> Dumbbell {
        Dumbbell {
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
            delay,
            access_rate: self.access_rate,
        }
    }
}

impl ResolvedPath {
    /// Describes the dumbbell whose bottleneck has the one-way propagation delay `delay`: title and text of each
    /// paragraph.
    pub fn describe(&self, delay: Span) -> Vec<(String, String)> {
        let Self { packet, access_rate, rtt, words: [forward, reverse], .. } = self;
        let bottleneck = format!(
            "{forward}; {delay} one way; packets of {packet}; access links of {access_rate}; the bandwidth-delay product \
             counts a round trip of {rtt}"
        );
        vec![("Bottleneck".to_owned(), bottleneck), ("Reverse direction".to_owned(), reverse.clone())]
    }
}

/// Returns the size of a full data packet on the wire.
///
/// # Errors
///
/// If it is larger than a packet can be; the error is added to `faults`.
pub fn check_packet(packet: &Field<Bytes>, faults: &mut Vec<Fault>) -> Result<Bytes, Reported> {
    let bytes = packet.copied()?;
    if bytes.count() > LARGEST_PACKET {
        let fault = packet.fault("larger than an IP packet can be").given(bytes.to_string());
        return Err(fault.allowed(format!("at most {LARGEST_PACKET}B")).report(faults));
    }
    Ok(bytes)
}

/// The largest packet of IP, which the wire's 16-bit size holds too.
const LARGEST_PACKET: u64 = 65_535;
