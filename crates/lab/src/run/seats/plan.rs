//! What a transfer will be: a function of its population and its number there, and of nothing that happens in the run.

use super::exchange;
use super::wires::Access;
use crate::model::{Access as AccessModel, Demand, HostModel, Model, PopulationModel, WayModel};
use narrows_engine::Stream;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::FlowId;

/// A transfer about to begin.
#[derive(Clone, Copy, Debug)]
pub(in crate::run) struct Plan {
    pub flow: FlowId,
    /// Index into the model's populations.
    pub population: u32,
    pub size: Bytes,
    /// How many transfers its user, or its population's arrivals, had before.
    pub order: u64,
    /// The class of files that the size was drawn from.
    pub file: u32,
    /// Index into the population's ways.
    pub way: u32,
    /// From the source's host to its router and back.
    pub near: [Access; 2],
    /// From the receiver's host to its router and back.
    pub far: [Access; 2],
    /// For an algorithm that draws random numbers.
    pub seed: u64,
}

/// Draws the transfers of a population.
#[derive(Debug)]
pub(in crate::run) struct Planner {
    transfers: Stream,
    hosts: Stream,
    thoughts: Stream,
    /// Running sums of the ways' weights.
    weights: Vec<f64>,
    /// Two-way propagation delay of each way.
    delays: Vec<Span>,
}

impl Planner {
    /// Of population `number`, whose random streams carry `name`.
    pub fn new(model: &Model, number: usize, stream: &impl Fn(String) -> Stream) -> Self {
        let population = &model.populations[number];
        // Both sides of a connection draw the same.
        let number =
            if matches!(population.demand, Demand::Exchanges { side: 1, .. }) { number - 1 } else { number };
        let mut sum = 0.0;
        let weights = population.ways.iter().map(|way| {
            sum += way.weight;
            sum
        });
        Self {
            transfers: stream(format!("population {number} transfers")),
            hosts: stream(format!("population {number} hosts")),
            thoughts: stream(format!("population {number} thoughts")),
            weights: weights.collect(),
            delays: population
                .ways
                .iter()
                .map(|way| along(model, way.outward) + along(model, way.homeward))
                .collect(),
        }
    }

    /// The draws of thought `index`: how long a user thinks, how patient he is.
    pub fn thought(&self, index: u64) -> Stream {
        self.thoughts.branch(index)
    }

    /// The transfer with number `index` of its population, which begins `now` in the seat of `flow`, with a payload of
    /// `size` bytes unless that is to be drawn.
    pub fn plan(
        &self,
        population: &PopulationModel,
        (number, index): (u32, u64),
        flow: FlowId,
        size: Option<u64>,
        now: Time,
    ) -> Plan {
        let mut draws = self.transfers.branch(index);
        let (file, usual) = population.size.sample_class(&mut draws);
        let surge = draws.uniform();
        let way = self.choose(draws.uniform());
        let [near, far] = self.access(population, way, (flow, index), &mut draws);
        let since_start = now.since(Time::ZERO);
        let factor: f64 = population
            .surges
            .iter()
            .filter(|each| each.from <= since_start && since_start < each.until && surge < each.share)
            .map(|each| each.factor)
            .product();
        let size = size.or_else(|| exchange::side(population, index).map(|side| side.size().count()));
        let bytes = size.unwrap_or_else(|| (usual * factor).round().max(1.0) as u64);
        Plan {
            flow,
            population: number,
            size: Bytes::new(bytes),
            order: index & ORDER,
            file: file as u32,
            way: way as u32,
            near,
            far,
            seed: draws.bits(),
        }
    }

    /// The propagation delay of data from the first router of `way` to the last.
    pub fn outward_delay(model: &Model, way: &WayModel) -> Span {
        along(model, way.outward)
    }

    fn choose(&self, draw: f64) -> usize {
        let all = self.weights[self.weights.len() - 1];
        self.weights.partition_point(|sum| *sum <= draw * all).min(self.weights.len() - 1)
    }

    fn access(
        &self,
        population: &PopulationModel,
        way: usize,
        (flow, index): (FlowId, u64),
        draws: &mut Stream,
    ) -> [[Access; 2]; 2] {
        match population.access {
            AccessModel::RoundTrip { ref rtt, rate } => {
                let (recorded, mirrored) = match &population.demand {
                    Demand::Exchanges { connections, side, .. } => {
                        (connections[index as usize].rtt, *side == 1)
                    }
                    Demand::Open(_) | Demand::Users { .. } => (None, false),
                };
                let rtt = recorded.unwrap_or_else(|| Span::from_secs_f64(rtt.sample(draws)));
                let rest = rtt.saturating_sub(self.delays[way]);
                let quarter = rest / 4;
                let last = rest - quarter * 3;
                let access = |delay| Access { rate, delay };
                let (one, other) = ([access(quarter), access(quarter)], [access(quarter), access(last)]);
                if mirrored { [other, one] } else { [one, other] }
            }
            AccessModel::Hosts { source, receiver } => {
                let host = |host: HostModel, draw: f64| {
                    let rate = if draw < host.fast_share { host.fast } else { host.normal };
                    [Access { rate, delay: host.delay }; 2]
                };
                let of_seat = self.hosts.branch(flow.seat() as u64).uniform();
                [host(source, of_seat), host(receiver, draws.uniform())]
            }
        }
    }
}

fn along(model: &Model, route: u32) -> Span {
    let links = model.routes[route as usize].iter();
    links.fold(Span::ZERO, |sum, &link| sum + model.links[link as usize].delay)
}

/// A transfer's number has the user's seat above these bits.
const ORDER: u64 = u32::MAX as u64;
