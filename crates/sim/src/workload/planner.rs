//! Plans of connections: functions of the workload and the number of the connection in it, independent of the run.

use super::exchange;
use crate::plan::{AccessLink, Plan};
use narrows_engine::Stream;
use narrows_model::{Access, Demand, HostModel, Model, Start, Workload, access_delays};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::FlowId;

/// Draws the connections of a workload.
#[derive(Debug)]
pub(crate) struct Planner {
    seed: u64,
    replication: u32,
    transfers: Stream,
    hosts: Stream,
    think_times: Stream,
    send_delays: Stream,
    clients: Stream,
    /// Running sums of the paths' weights.
    weights: Vec<f64>,
    /// Two-way propagation delay of each path.
    delays: Vec<Span>,
}

impl Planner {
    /// The planner of workload `number` in replication `replication`.
    pub fn new(model: &Model, number: usize, replication: u32) -> Self {
        let workload = &model.workloads[number];
        let stream = |purpose: &str| {
            Stream::new(model.seed, replication, &format!("population {} {purpose}", workload.stream))
        };
        let mut sum = 0.0;
        let weights = workload.paths.iter().map(|path| {
            sum += path.weight;
            sum
        });
        Self {
            seed: model.seed,
            replication,
            transfers: stream("transfers"),
            hosts: stream("hosts"),
            think_times: stream("thoughts"),
            send_delays: stream("send delays"),
            clients: stream("clients"),
            weights: weights.collect(),
            delays: workload.paths.iter().map(|path| model.path_delay(path)).collect(),
        }
    }

    /// Random stream for `purpose` of the connection in `slot` of a fixed workload.
    pub fn of_fixed(&self, slot: usize, purpose: &str) -> Stream {
        Stream::new(self.seed, self.replication, &format!("flow {slot} {purpose}"))
    }

    /// Start time of the connection in `slot` of a fixed workload.
    pub fn start(&self, start: Start, slot: usize) -> Time {
        draw_start(start, || self.of_fixed(slot, "start"))
    }

    /// Random stream from which the clients of an application draw, with a branch for each.
    pub fn clients(&self) -> &Stream {
        &self.clients
    }

    /// Start time of client `number` of an application.
    pub fn client_start(&self, start: Start, number: u32) -> Time {
        draw_start(start, || self.clients.branch(u64::from(number) | CLIENT_START))
    }

    /// Random stream of think time `index`: the duration of the think time and of the user's patience.
    pub fn think_time(&self, index: u64) -> Stream {
        self.think_times.branch(index)
    }

    /// Random stream of the send delays of connection `index`.
    pub fn send_delays(&self, index: u64) -> Stream {
        self.send_delays.branch(index)
    }

    /// The plan of connection `index` of workload `number`, which starts at `now` in the slot of `flow`; its payload of
    /// `size` bytes is drawn if not given.
    pub fn plan(
        &self,
        workload: &Workload,
        (number, index): (u32, u64),
        flow: FlowId,
        size: Option<u64>,
        now: Time,
    ) -> Plan {
        if matches!(workload.demand, Demand::Fixed { .. }) {
            return self.plan_fixed(workload, number, flow);
        }
        let mut draws = self.transfers.branch(index);
        let (file, usual) = workload.size.as_ref().map_or((0, 1.0), |size| size.0.sample_class(&mut draws));
        let surge = draws.uniform();
        let path = self.choose(draws.uniform());
        let [near, far] = self.access(workload, path, (flow, index), &mut draws);
        let since_start = now.since(Time::ZERO);
        let factor: f64 = workload
            .surges
            .iter()
            .filter(|each| each.from <= since_start && since_start < each.until && surge < each.share)
            .map(|each| each.factor)
            .product();
        let size = size.or_else(|| exchange::side(workload, index).map(|side| side.size().count()));
        let bytes = size.unwrap_or_else(|| (usual * factor).round().max(1.0) as u64);
        // Of a client: its number is that of all its connections, which have the same hosts.
        let of_client = matches!(workload.demand, Demand::Clients { .. });
        let mut own = if of_client { self.clients.branch(flow.bits().into()) } else { draws };
        Plan {
            flow,
            workload: number,
            size: (!of_client).then_some(Bytes::new(bytes)),
            order: index & ORDER,
            file: file as u32,
            path: path as u32,
            near,
            far,
            rtt: self.delays[path] + delay(&near) + delay(&far),
            seed: own.bits(),
        }
    }

    /// The plan of a connection of a fixed workload, the only one in its slot. Every quantity has its own stream.
    fn plan_fixed(&self, workload: &Workload, number: u32, flow: FlowId) -> Plan {
        let slot = flow.index();
        let draws = |purpose: &str| self.of_fixed(slot, purpose);
        let (file, size) = match &workload.size {
            None => (0, None),
            Some(size) => {
                let (file, _) = size.0.sample_class(&mut draws("size"));
                (file, Some(size.sample(&mut draws("size"))))
            }
        };
        let path = self.choose(draws("path").uniform());
        let [near, far] = match &workload.access {
            Access::RoundTrip { rtt, rate } => {
                let rtt = rtt.constant().unwrap_or_else(|| rtt.sample(&mut draws("rtt")));
                self.share(path, rtt, *rate)
            }
            Access::Hosts { .. } => self.access(workload, path, (flow, 0), &mut draws("hosts")),
        };
        Plan {
            flow,
            workload: number,
            size,
            order: 0,
            file: file as u32,
            path: path as u32,
            near,
            far,
            rtt: self.delays[path] + delay(&near) + delay(&far),
            seed: draws("algorithm").bits(),
        }
    }

    fn choose(&self, draw: f64) -> usize {
        let all = self.weights[self.weights.len() - 1];
        self.weights.partition_point(|sum| *sum <= draw * all).min(self.weights.len() - 1)
    }

    fn access(
        &self,
        workload: &Workload,
        path: usize,
        (flow, index): (FlowId, u64),
        draws: &mut Stream,
    ) -> [[AccessLink; 2]; 2] {
        match workload.access {
            Access::RoundTrip { ref rtt, rate } => {
                let (recorded, mirrored) = match &workload.demand {
                    Demand::Exchanges { connections, side, .. } => {
                        (connections[index as usize].rtt, *side == 1)
                    }
                    Demand::Clients { side, .. } => (None, *side == 1),
                    Demand::Fixed { .. } | Demand::Open(_) | Demand::Users { .. } => (None, false),
                };
                let rtt = recorded.unwrap_or_else(|| rtt.sample(draws));
                let [one, other] = self.share(path, rtt, rate);
                if mirrored { [other, one] } else { [one, other] }
            }
            Access::Hosts { source, receiver } => {
                let host = |host: HostModel, draw: f64| {
                    let rate = if draw < host.fast_share { host.fast } else { host.normal };
                    [AccessLink { rate, delay: host.delay }; 2]
                };
                let of_slot = self.hosts.branch(flow.index() as u64).uniform();
                [host(source, of_slot), host(receiver, draws.uniform())]
            }
        }
    }

    /// Access links of the sender and of the receiver, each to the router and from it. They share the part of `rtt` that
    /// remains after the propagation delay of the path.
    fn share(&self, path: usize, rtt: Span, rate: Rate) -> [[AccessLink; 2]; 2] {
        let delays = access_delays(rtt.saturating_sub(self.delays[path]));
        let [from_sender, to_receiver, from_receiver, to_sender] =
            delays.map(|delay| AccessLink { rate, delay });
        [[from_sender, to_sender], [from_receiver, to_receiver]]
    }
}

/// A start time, drawn from `draws` unless it is fixed.
fn draw_start(start: Start, draws: impl FnOnce() -> Stream) -> Time {
    match start {
        Start::At(at) => Time::ZERO + at,
        Start::Between(from, to) => Time::ZERO + from + Span::from_ps(draws().up_to((to - from).as_ps())),
    }
}

/// Distinguishes the draw of a client's start from its others.
const CLIENT_START: u64 = 1 << 63;

fn delay(links: &[AccessLink; 2]) -> Span {
    links[0].delay + links[1].delay
}

/// The bits of a connection's number below those of the user's slot.
const ORDER: u64 = u32::MAX as u64;
