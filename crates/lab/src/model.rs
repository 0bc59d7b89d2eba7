//! A checked and resolved scenario: nothing in it can be invalid, every default is written out, every name is an index.

mod change;
mod population;
mod source;

pub use change::{ChangeModel, FlowRoutes, LinkChange};
pub use population::{Access, Classes, Demand, HostModel, PopulationModel, Surge, WayModel};
pub use source::SourceModel;

use crate::algorithm::Control;
use crate::traffic::{Sizes, Spans};
use narrows_qdisc::Discipline;
use narrows_transport::TransportOptions;
use narrows_units::{Bytes, Rate, Span};
use std::sync::Arc;

/// A run, but for its seed and replication.
#[derive(Clone, Debug)]
pub struct Model {
    /// What the run is about.
    pub title: String,
    /// Simulated time.
    pub duration: Span,
    /// Measures start here.
    pub warmup: Span,
    /// Instead, they start where a rule finds that the run has settled.
    pub finds_warmup: bool,
    /// Master seed.
    pub seed: u64,
    /// Routers and hosts; links join them by number.
    pub nodes: u32,
    /// Every link; flows' routes hold indices into this.
    pub links: Vec<LinkModel>,
    /// Every flow, by its seat. Flows of a group are neighbours.
    pub flows: Vec<FlowModel>,
    /// Ways through the network that populations' packets take: lists of links.
    pub routes: Vec<Vec<u32>>,
    /// Transfers that come and go; their seats follow those of the flows.
    pub populations: Vec<PopulationModel>,
    /// What happens to the network, ascending by time.
    pub changes: Vec<ChangeModel>,
    /// Groups in the order of the file.
    pub groups: Vec<GroupModel>,
    /// What to record.
    pub record: RecordModel,
}

/// A link: a queue, a serialiser and a delay.
#[derive(Clone, Debug)]
pub struct LinkModel {
    /// `"bottleneck"`, `"bottleneck reverse"`, `"cubic[0] access"`, …
    pub name: String,
    /// The node in which packets wait for it.
    pub from: u32,
    /// The node to which it brings them.
    pub to: u32,
    /// Its rate over time.
    pub rate: RateModel,
    /// Propagation, one way.
    pub delay: Span,
    /// What waits in front of it.
    pub queue: Discipline,
    /// Packets lost on it at random, after the queue.
    pub loss: Option<LossModel>,
    /// Only one flow uses it and it never drops: records hold its counts, not its series.
    pub access: bool,
}

/// A rate over time. Times count from the start of the run.
#[derive(Clone, Debug)]
pub enum RateModel {
    /// Always the same.
    Constant(Rate),
    /// `(from, rate)`, ascending, the first from 0.
    Steps(Vec<(Span, Rate)>),
    /// `high` for `duty` of each period, then `low`.
    Square {
        /// First part.
        high: Rate,
        /// Second part.
        low: Rate,
        /// Both parts.
        period: Span,
        /// Share of the period at `high`, 0 to 1.
        duty: f64,
    },
    /// Every `interval` a step that depends on the present rate.
    Walk {
        /// At the start.
        start: Rate,
        /// Which step.
        step: Step,
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Rate,
        /// Time between steps.
        interval: Span,
    },
    /// Every `interval` a draw uniform in `[minimum, maximum]`.
    Uniform {
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Rate,
        /// Time between draws.
        interval: Span,
    },
    /// Delivery opportunities of 1500 bytes at recorded times.
    Trace(Arc<Trace>),
}

/// A step of a walk from the rate B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// By this much up or down, each with probability ½; one that would cross a bound is taken the other way.
    Fixed(Rate),
    /// Uniform in [B − D, B + D] for this D, mirrored at the bounds.
    Mirrored(Rate),
    /// As `Mirrored`, but what is beyond a bound becomes the bound.
    Clipped(Rate),
    /// Uniform in [0, B + D] for this D, then clipped.
    Additive(Rate),
    /// Uniform in [0, µB] for this µ, then clipped.
    Multiplicative(f64),
}

impl RateModel {
    /// The rate at the start of a run, in the mean where that is not known, bits per second.
    pub fn first_bps(&self) -> f64 {
        match self {
            Self::Constant(rate) | Self::Square { high: rate, .. } | Self::Walk { start: rate, .. } => {
                rate.as_bps() as f64
            }
            Self::Steps(steps) => steps[0].1.as_bps() as f64,
            Self::Uniform { .. } | Self::Trace(_) => self.mean_bps(Span::MAX),
        }
    }

    /// The mean rate over a run of `duration`, in expectation where it is random, bits per second: what a buffer of
    /// `1bdp` is sized by.
    pub fn mean_bps(&self, duration: Span) -> f64 {
        let bps = |rate: &Rate| rate.as_bps() as f64;
        match self {
            Self::Constant(rate) => bps(rate),
            Self::Steps(steps) => {
                let ends = steps.iter().skip(1).map(|(from, _)| *from).chain([duration]);
                let bits = steps.iter().zip(ends).map(|((from, rate), end)| {
                    bps(rate) * end.min(duration).saturating_sub(*from).as_secs_f64()
                });
                bits.sum::<f64>() / duration.as_secs_f64()
            }
            Self::Square { high, low, duty, .. } => bps(high) * duty + bps(low) * (1.0 - duty),
            Self::Walk { start, step: Step::Additive(step), minimum, maximum, interval } => {
                mean_of_walk(bps(start), bps(minimum), bps(maximum), steps_in(*interval, duration), |rate| {
                    f64::midpoint(rate, bps(step))
                })
            }
            Self::Walk { start, step: Step::Multiplicative(factor), minimum, maximum, interval } => {
                mean_of_walk(bps(start), bps(minimum), bps(maximum), steps_in(*interval, duration), |rate| {
                    0.5 * factor * rate
                })
            }
            Self::Walk { minimum, maximum, .. } | Self::Uniform { minimum, maximum, .. } => {
                f64::midpoint(bps(minimum), bps(maximum))
            }
            Self::Trace(trace) => trace.mean_bps(),
        }
    }
}

/// How many rates hold within `duration`.
fn steps_in(interval: Span, duration: Span) -> u64 {
    duration.as_ps().div_ceil(interval.as_ps()).max(1)
}

/// The mean over `steps` steps of a walk whose expectation goes from `rate` to `next(rate)`, which the bounds cut short.
/// What clipping does to the expectation itself is not counted.
fn mean_of_walk(start: f64, minimum: f64, maximum: f64, steps: u64, next: impl Fn(f64) -> f64) -> f64 {
    let (mut rate, mut sum) = (start, 0.0);
    for step in 0..steps {
        let next = next(rate).clamp(minimum, maximum);
        if (next - rate).abs() <= f64::EPSILON * rate {
            // It has settled.
            sum += rate * (steps - step) as f64;
            break;
        }
        sum += rate;
        rate = next;
    }
    sum / steps as f64
}

impl Trace {
    /// The mean rate that the recorded opportunities offer, bits per second.
    pub fn mean_bps(&self) -> f64 {
        self.opportunities.len() as f64 * OPPORTUNITY.bits() as f64 / self.period.as_secs_f64()
    }
}

/// What one delivery opportunity of a recorded link carries.
pub const OPPORTUNITY: Bytes = Bytes::new(1500);

/// A recorded link in mahimahi's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The file's name, without its folder.
    pub name: String,
    /// SHA-256 of the file, hexadecimal.
    pub digest: String,
    /// When each opportunity comes, from the start of the trace, ascending.
    pub opportunities: Vec<Span>,
    /// After this the trace begins again: its last time stamp.
    pub period: Span,
}

/// Random loss on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossModel {
    /// Each packet with the same probability.
    Bernoulli {
        /// Probability.
        rate: f64,
    },
    /// Two states, each with its own loss probability (Gilbert 1960, Elliott 1963); a step per packet.
    GilbertElliott {
        /// Probability of going from good to bad.
        good_to_bad: f64,
        /// Probability of going from bad to good.
        bad_to_good: f64,
        /// Loss probability while good.
        loss_good: f64,
        /// Loss probability while bad.
        loss_bad: f64,
    },
}

/// Flows that share a name and a description.
#[derive(Clone, Debug)]
pub struct GroupModel {
    /// The person's name for it.
    pub name: String,
    /// Its algorithm.
    pub algorithm: Control,
    /// `compare` may put another algorithm in its place.
    pub subject: bool,
    /// The bottleneck its data crosses, an index into the links; `None` where its packets share no link.
    pub bottleneck: Option<usize>,
    /// Two-way propagation delay of its flows; the mean where they draw it.
    pub rtt: Span,
}

/// One flow.
#[derive(Clone, Debug)]
pub struct FlowModel {
    /// Index into the groups.
    pub group: usize,
    /// When it starts.
    pub start: Start,
    /// What makes its data.
    pub source: SourceModel,
    /// Payload to transfer; `None` is endless.
    pub size: Option<Sizes>,
    /// Two-way propagation delay where it is drawn anew in every replication; else the links have it.
    pub rtt: Option<Spans>,
    /// Links its data crosses, in order.
    pub outward: Vec<u32>,
    /// Links its acknowledgements cross, in order.
    pub homeward: Vec<u32>,
    /// How its endpoints behave.
    pub transport: Arc<TransportOptions>,
    /// A random delay, uniform from zero to this, before each packet the sender lets go; order is kept.
    pub send_delay: Span,
}

/// When a flow starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Then.
    At(Span),
    /// Uniform at random between the two.
    Between(Span, Span),
}

impl Model {
    /// Seats of flows and populations.
    pub fn seats(&self) -> usize {
        self.flows.len() + self.populations.iter().map(|each| each.seats as usize).sum::<usize>()
    }
}

/// What to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordModel {
    /// Length of an interval of the series.
    pub interval: Span,
    /// Series of every flow, or of links alone.
    pub flows: bool,
    /// So many transfers of populations, about, are kept as rows.
    pub transfers: u64,
    /// What happens to packets is logged, so many entries at most.
    pub packets: Option<u64>,
}
