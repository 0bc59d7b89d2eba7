// SPDX-License-Identifier: Apache-2.0
//! Plans of connections: functions of the workload and the number of the connection in it, independent of the run.

use crate::plan::{AccessLink, Plan};
use narrows_engine::Stream;
use narrows_model::{Access, HostModel, Model, Start, Workload, access_delays};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::FlowId;
use std::ops::Range;

/// Draws the connections of a workload.
#[derive(Debug)]
pub(crate) struct Planner<'m> {
    pub model: &'m Model,
    /// The workload.
    pub workload: &'m Workload,
    /// Index of the workload.
    pub number: u32,
    /// First slot of the workload.
    pub first: u32,
    replication: u32,
    transfers: Stream,
    hosts: Stream,
    send_delays: Stream,
    /// Running sums of the paths' weights.
    weights: Vec<f64>,
    /// Two-way propagation delay of each path.
    delays: Vec<Span>,
}

/// The properties of a connection that are known before it is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    /// Payload in bytes; drawn if `None`.
    pub size: Option<u64>,
    /// Round-trip time; drawn if `None`.
    pub rtt: Option<Span>,
    /// Whether its receiver is the host that would otherwise be its sender.
    pub mirrored: bool,
}

impl<'m> Planner<'m> {
    /// Creates the planner of workload `number`, whose first slot is `first`, in replication `replication`.
    pub fn new(model: &'m Model, number: usize, first: u32, replication: u32) -> Self {
        let workload = &model.workloads[number];
        let stream = |purpose| stream(model, workload, replication, purpose);
        let mut sum = 0.0;
        let weights = workload.paths.iter().map(|path| {
            sum += path.weight;
            sum
        });
        Self {
            model,
            workload,
            number: number as u32,
            first,
            replication,
            transfers: stream("transfers"),
            hosts: stream("hosts"),
            send_delays: stream("send delays"),
            weights: weights.collect(),
            delays: workload.paths.iter().map(|path| model.path_delay(path)).collect(),
        }
    }

    /// Returns the random stream of the workload for `purpose`, which the other sides of its connections have, too.
    pub fn stream(&self, purpose: &str) -> Stream {
        stream(self.model, self.workload, self.replication, purpose)
    }

    /// Returns the random stream for `purpose` of the connection in `slot` of a fixed workload.
    pub fn of_fixed(&self, slot: u32, purpose: &str) -> Stream {
        Stream::new(self.model.seed, self.replication, &format!("flow {slot} {purpose}"))
    }

    /// Returns the random stream of the send delays of connection `index`.
    pub fn send_delays(&self, index: u64) -> Stream {
        self.send_delays.branch(index)
    }

    /// Returns the slots of the workload.
    pub fn slots(&self) -> Range<u32> {
        self.first..self.first + self.workload.slots
    }

    /// Returns the plan of connection `index`, which starts at `now` in the slot of `flow`.
    pub fn plan(&self, flow: FlowId, index: u64, now: Time, given: Given) -> Plan {
        let workload = self.workload;
        let mut draws = self.transfers.branch(index);
        let (file, usual) = workload.size.as_ref().map_or((0, 1.0), |size| size.0.sample_class(&mut draws));
        let surge = draws.uniform();
        let path = self.choose(draws.uniform());
        let access = match &workload.access {
            Access::RoundTrip { rtt, rate } => {
                let rtt = given.rtt.unwrap_or_else(|| rtt.sample(&mut draws));
                let [one, other] = self.share(path, rtt, *rate);
                if given.mirrored { [other, one] } else { [one, other] }
            }
            Access::Hosts { source, receiver } => self.hosts(flow, *source, *receiver, &mut draws),
        };
        let since_start = now.since(Time::ZERO);
        let factor: f64 = workload
            .surges
            .iter()
            .filter(|each| each.from <= since_start && since_start < each.until && surge < each.share)
            .map(|each| each.factor)
            .product();
        let bytes = given.size.unwrap_or_else(|| (usual * factor).round().max(1.0) as u64);
        let order = index & ORDER;
        Plan {
            order,
            file: file as u32,
            size: Some(Bytes::new(bytes)),
            seed: draws.bits(),
            ..self.between(flow, path, access)
        }
    }

    /// Returns a connection without end over path number `path` of the workload, with these access links.
    pub fn between(&self, flow: FlowId, path: usize, [near, far]: [[AccessLink; 2]; 2]) -> Plan {
        Plan {
            flow,
            workload: self.number,
            size: None,
            order: 0,
            file: 0,
            path: path as u32,
            near,
            far,
            rtt: self.delays[path] + delay(&near) + delay(&far),
            seed: 0,
        }
    }

    /// Returns the path, by its number in the workload, for `draw`, from 0 to below 1.
    pub fn choose(&self, draw: f64) -> usize {
        let all = self.weights[self.weights.len() - 1];
        self.weights.partition_point(|sum| *sum <= draw * all).min(self.weights.len() - 1)
    }

    /// Access links of a `source` and a `receiver` that the connection in the slot of `flow` has.
    pub fn hosts(
        &self,
        flow: FlowId,
        source: HostModel,
        receiver: HostModel,
        draws: &mut Stream,
    ) -> [[AccessLink; 2]; 2] {
        let host = |host: HostModel, draw: f64| {
            let rate = if draw < host.fast_share { host.fast } else { host.normal };
            [AccessLink { rate, delay: host.delay }; 2]
        };
        let of_slot = self.hosts.branch(flow.index() as u64).uniform();
        [host(source, of_slot), host(receiver, draws.uniform())]
    }

    /// Access links of the sender and of the receiver, each to the router and from it. They share the part of `rtt` that
    /// remains after the propagation delay of the path.
    pub fn share(&self, path: usize, rtt: Span, rate: Rate) -> [[AccessLink; 2]; 2] {
        let delays = access_delays(rtt.saturating_sub(self.delays[path]));
        let [from_sender, to_receiver, from_receiver, to_sender] =
            delays.map(|delay| AccessLink { rate, delay });
        [[from_sender, to_sender], [from_receiver, to_receiver]]
    }
}

/// Returns the start time of number `place` of a workload, drawn from `draws` unless it is fixed.
pub(crate) fn draw_start(start: Start, place: u32, draws: impl FnOnce() -> Stream) -> Time {
    match start {
        Start::At(at) => Time::ZERO + at,
        Start::Between(from, to) => Time::ZERO + from + Span::from_ps(draws().up_to((to - from).as_ps())),
        Start::Apart { first, every } => Time::ZERO + first + every * u64::from(place),
    }
}

fn stream(model: &Model, workload: &Workload, replication: u32, purpose: &str) -> Stream {
    Stream::new(model.seed, replication, &format!("population {} {purpose}", workload.stream))
}

fn delay(links: &[AccessLink; 2]) -> Span {
    links[0].delay + links[1].delay
}

/// The bits of a connection's number below the bits of the user's slot.
const ORDER: u64 = u32::MAX as u64;
