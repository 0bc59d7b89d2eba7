// SPDX-License-Identifier: Apache-2.0
//! A checked and resolved scenario: nothing in it can be invalid, every default is written out, every name is an index.

pub mod algorithm;
pub mod application;
mod change;
mod demand;
mod framing;
mod hexadecimal;
mod pairing;
mod program;
mod refusal;
mod source;
pub mod traffic;
mod workload;

pub use algorithm::stack;
pub use change::{ChangeModel, LinkChange};
pub use demand::{Demand, Start, Stop, UserModel};
pub use framing::Framing;
pub use hexadecimal::hexadecimal;
pub use narrows_link::{
    Autorate, Counted, DelayModel, EcnChange, Impairment, Lateness, LossModel, Selection,
};
pub use pairing::arranged;
pub use program::{Program, Role};
pub use refusal::{KeyPath, Refusal, Refused, of_carried, of_kernels, of_probes, of_stacks};
pub use source::SourceModel;
pub use workload::{Access, Classes, HostModel, PathModel, Surge, Workload, access_delays};

use algorithm::Control;
use narrows_cc::Transport;
use narrows_qdisc::Discipline;
use narrows_units::{Bytes, Rate, Span};
use std::sync::Arc;

/// A resolved scenario: everything that determines a run except its replication.
#[derive(Clone, Debug)]
pub struct Model {
    /// Title of the scenario.
    pub title: String,
    /// Duration of the run, in simulated time.
    pub duration: Span,
    /// End of the warm-up, where metrics start.
    pub warmup: Span,
    /// Whether the end of the warm-up is found by a rule instead of given by `warmup`.
    pub finds_warmup: bool,
    /// Master seed.
    pub seed: u64,
    /// Number of routers; links refer to them by index.
    pub nodes: u32,
    /// Links between routers; routes hold indices into this list.
    pub links: Vec<LinkModel>,
    /// Routes through the network: the links that packets cross, in order; at least one on every route that is used.
    pub routes: Vec<Vec<u32>>,
    /// Workloads, which start connections: the fixed workloads first, then the others, each in the order of their
    /// groups.
    pub workloads: Vec<Workload>,
    /// Changes of the network, ascending by time.
    pub changes: Vec<ChangeModel>,
    /// Groups in the order of the scenario.
    pub groups: Vec<GroupModel>,
    /// Records to keep.
    pub record: RecordModel,
    /// Hosts of a run on a Linux kernel; the simulator does not read it.
    pub linux: LinuxModel,
    /// Assumptions about the files that the scenario names, one sentence each.
    pub assumed: Vec<String>,
}

/// The hosts of a run on a Linux kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinuxModel {
    /// Whether TCP passes on several segments at a time.
    pub gso: bool,
    /// Names below /proc/sys and their values, for both hosts.
    pub sysctls: Vec<(String, String)>,
}

/// A kernel with its default settings.
impl Default for LinuxModel {
    fn default() -> Self {
        Self { gso: true, sysctls: Vec::new() }
    }
}

/// A link in one direction: a queue, a serialiser and a propagation delay.
#[derive(Clone, Debug)]
pub struct LinkModel {
    /// Name of the link: `"bottleneck"`, `"bottleneck reverse"`, `"A-B"`, …
    pub name: String,
    /// Index of the router at which its queue is.
    pub from: u32,
    /// Index of the router to which it leads.
    pub to: u32,
    /// Rate of the link over time.
    pub rate: RateModel,
    /// One-way propagation delay.
    pub delay: Span,
    /// Framing overhead of each packet; `None` without any.
    pub framing: Option<Framing>,
    /// Queue discipline of the link.
    pub queue: Discipline,
    /// The key of its queue in the scenario file, whether it was written or not.
    pub queue_key: KeyPath,
    /// Random loss behind the queue; `None` without loss.
    pub loss: Option<LossModel>,
    /// Impairments after the random loss, in the order of traversal.
    pub impairments: Vec<Impairment>,
}

/// A rate over time. Times count from the start of the run.
#[derive(Clone, Debug)]
pub enum RateModel {
    /// A constant rate.
    Constant(Rate),
    /// Rates and the times from which they apply, ascending, starting at 0.
    Steps(Vec<(Span, Rate)>),
    /// `high` for the fraction `duty` of each period, then `low`.
    Square {
        /// Rate in the first part.
        high: Rate,
        /// Rate in the second part.
        low: Rate,
        /// Duration of both parts.
        period: Span,
        /// Share of the period at `high`, 0 to 1.
        duty: f64,
    },
    /// Every `interval`, a random step from the current rate.
    Walk {
        /// Rate at the start of the run.
        start: Rate,
        /// Distribution of the steps.
        step: Step,
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Rate,
        /// Time between two steps.
        interval: Span,
    },
    /// Every `interval`, a draw from the uniform distribution on `[minimum, maximum]`.
    Uniform {
        /// Lower bound.
        minimum: Rate,
        /// Upper bound.
        maximum: Rate,
        /// Time between two draws.
        interval: Span,
    },
    /// A token bucket in front of a faster line.
    TokenBucket {
        /// Rate at which the bucket is filled.
        rate: Rate,
        /// Depth of the bucket, at least a full packet; it is full at the start of a run.
        burst: Bytes,
        /// Rate of the line.
        peak: Rate,
        /// What changes the rate at which the bucket is filled; `None` if it stays.
        autorate: Option<Box<Autorate>>,
    },
    /// Recorded rates.
    Recording(Arc<Recording>),
    /// Delivery opportunities of 1500 bytes at recorded times.
    Trace(Arc<Trace>),
}

/// A step of a random walk from the current rate B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Up or down by this rate, each with probability ½; a step across a bound is taken in the other direction.
    Fixed(Rate),
    /// Uniform in [B − D, B + D] for this D, reflected at the bounds.
    Mirrored(Rate),
    /// Uniform in [B − D, B + D] for this D, clipped to the bounds.
    Clipped(Rate),
    /// Uniform in [0, B + D] for this D, clipped to the bounds.
    Additive(Rate),
    /// Uniform in [0, µB] for this µ, clipped to the bounds.
    Multiplicative(f64),
}

impl RateModel {
    /// Returns what changes the rate of a shaper; `None` for any other rate.
    pub fn autorate(&self) -> Option<&Autorate> {
        match self {
            Self::TokenBucket { autorate, .. } => autorate.as_deref(),
            _ => None,
        }
    }

    /// Returns the rate at the start of a run, bits per second; its mean if it is random.
    pub fn first_bps(&self) -> f64 {
        match self {
            Self::Constant(rate)
            | Self::Square { high: rate, .. }
            | Self::Walk { start: rate, .. }
            | Self::TokenBucket { rate, .. } => rate.as_bps() as f64,
            Self::Steps(steps) => steps[0].1.as_bps() as f64,
            Self::Recording(recording) => recording.steps[0].1.as_bps() as f64,
            Self::Uniform { .. } | Self::Trace(_) => self.mean_bps(Span::MAX),
        }
    }

    /// Returns the highest rate, bits per second; infinite for recorded opportunities, several of which may be at one
    /// time.
    pub fn highest_bps(&self) -> f64 {
        match self {
            Self::Constant(rate)
            | Self::Walk { maximum: rate, .. }
            | Self::Uniform { maximum: rate, .. }
            | Self::TokenBucket { peak: rate, .. } => rate.as_bps() as f64,
            Self::Square { high, low, .. } => high.max(low).as_bps() as f64,
            Self::Steps(steps) => highest(steps),
            Self::Recording(recording) => highest(&recording.steps),
            Self::Trace(_) => f64::INFINITY,
        }
    }

    /// Returns the mean rate over a run of `duration`, bits per second; its expectation if the rate is random, and
    /// the base of a shaper's. A buffer of `1bdp` is computed from it.
    pub fn mean_bps(&self, duration: Span) -> f64 {
        let bps = |rate: &Rate| rate.as_bps() as f64;
        match self {
            Self::Constant(rate) | Self::TokenBucket { rate, .. } => bps(rate),
            Self::Steps(steps) => bits_within(steps, duration) / duration.as_secs_f64(),
            Self::Recording(recording) => {
                let period = recording.period.unwrap_or(Span::MAX);
                let whole = duration.as_ps() / period.as_ps();
                let rest = bits_within(&recording.steps, duration.saturating_sub(period * whole));
                let repeated =
                    if whole == 0 { 0.0 } else { whole as f64 * bits_within(&recording.steps, period) };
                (repeated + rest) / duration.as_secs_f64()
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

/// Bits that can be sent within `duration` from the start, if the last rate stays.
fn bits_within(steps: &[(Span, Rate)], duration: Span) -> f64 {
    let ends = steps.iter().skip(1).map(|(from, _)| *from).chain([duration]);
    let bits = steps.iter().zip(ends).map(|((from, rate), end)| {
        rate.as_bps() as f64 * end.min(duration).saturating_sub(*from).as_secs_f64()
    });
    bits.sum()
}

/// The highest of the rates, bits per second.
fn highest(steps: &[(Span, Rate)]) -> f64 {
    steps.iter().map(|(_, rate)| rate.as_bps()).max().unwrap_or(0) as f64
}

/// How many rates hold within `duration`.
fn steps_in(interval: Span, duration: Span) -> u64 {
    duration.as_ps().div_ceil(interval.as_ps()).max(1)
}

/// Mean over `steps` steps of a walk whose expectation changes from `rate` to `next(rate)`, clipped to the bounds. The effect
/// of clipping on the expectation is neglected.
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
    /// Returns the greatest rate in any millisecond, bits per second.
    pub fn greatest_bps(&self) -> f64 {
        let mut most = 0;
        let mut run = 0;
        let mut before = None;
        for at in &self.opportunities {
            run = if before == Some(at) { run + 1 } else { 1 };
            most = most.max(run);
            before = Some(at);
        }
        f64::from(most) * OPPORTUNITY.bits() as f64 * 1000.0
    }

    /// Returns the mean rate of the recorded opportunities, bits per second.
    pub fn mean_bps(&self) -> f64 {
        self.opportunities.len() as f64 * OPPORTUNITY.bits() as f64 / self.period.as_secs_f64()
    }
}

/// Bytes per delivery opportunity of a recorded link.
pub const OPPORTUNITY: Bytes = Bytes::new(1500);

/// Recorded rates, each of which holds until the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Name of the file without its folder.
    pub name: String,
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// What its columns and units are, in words.
    pub understood: String,
    /// Rates and the times from which they apply, ascending, starting at 0.
    pub steps: Vec<(Span, Rate)>,
    /// Time after which they are repeated; `None` if the last rate stays.
    pub period: Option<Span>,
}

/// A recorded link in mahimahi's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Name of the file without its folder.
    pub name: String,
    /// SHA-256 of the file, in hexadecimal.
    pub digest: String,
    /// Times of the opportunities from the start of the trace, ascending.
    pub opportunities: Vec<Span>,
    /// Time after which the trace is repeated: its last timestamp.
    pub period: Span,
    /// Place in the trace at which a run starts, before its end; `None` for one drawn for each replication.
    pub start: Option<Span>,
    /// Where it is from.
    pub origin: Origin,
}

/// Where the opportunities of a link are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// They were recorded.
    Recorded,
    /// They were generated, with the statistics of a recording.
    Synthetic,
}

/// A group of flows with a common name and description.
#[derive(Clone, Debug)]
pub struct GroupModel {
    /// Name of the group in the scenario.
    pub name: String,
    /// Congestion control of the flows.
    pub algorithm: Control,
    /// Whether `compare` may replace its algorithm.
    pub subject: bool,
    /// The programs that carry its flows; `None` if the backend's endpoints do.
    pub program: Option<Program>,
    /// Index of the link that is its bottleneck; `None` if its packets share no link.
    pub bottleneck: Option<usize>,
    /// Two-way propagation delay of its flows; the mean if it is random.
    pub rtt: Span,
}

impl Model {
    /// Returns the number of connection slots of all workloads.
    pub fn slots(&self) -> usize {
        self.workloads.iter().map(|each| each.slots as usize).sum()
    }

    /// Checks what links its workloads: partners, and the numbers of random streams; and that data for which the other side of
    /// a connection waits is sent reliably.
    ///
    /// # Errors
    ///
    /// If they are not as [`arranged`] leaves them, or data may be lost; the message says of which workload, and how.
    pub fn check(&self) -> Result<(), String> {
        pairing::check(&self.workloads)?;
        let datagrams = |each: &Workload| {
            matches!(self.groups[each.group].algorithm.needs().transport, Transport::Datagram(_))
        };
        match self.workloads.iter().position(|each| each.partner.is_some() && datagrams(each)) {
            Some(number) => {
                Err(format!("workload {number} waits for data, and its algorithm sends datagrams"))
            }
            None => Ok(()),
        }
    }

    /// Returns the propagation delay of `route` at the start of the run.
    pub fn delay(&self, route: u32) -> Span {
        let links = self.routes[route as usize].iter();
        links.fold(Span::ZERO, |sum, &link| sum + self.links[link as usize].delay)
    }

    /// Returns the two-way propagation delay of `path` between its routers at the start of the run.
    pub fn path_delay(&self, path: &PathModel) -> Span {
        self.delay(path.forward) + self.delay(path.reverse)
    }
}

/// The records to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordModel {
    /// Length of an interval of the series.
    pub interval: Span,
    /// Whether series of flows are recorded, in addition to the series of links.
    pub flows: bool,
    /// Approximate number of finite flows that are recorded as rows.
    pub transfers: u64,
    /// Maximum number of entries of the packet log; `None` if packets are not logged.
    pub packets: Option<u64>,
    /// Maximum number of entries of the log of events; `None` if events are not logged.
    pub events: Option<u64>,
    /// Maximum number of clients of each group with an application that are recorded over time.
    pub clients: u32,
    /// Maximum number of entries of the log of their events; `None` if these are not logged.
    pub client_events: Option<u64>,
    /// Whether inner variables of algorithms and queues are recorded.
    pub internals: bool,
}
