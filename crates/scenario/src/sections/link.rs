// SPDX-License-Identifier: Apache-2.0
//! The properties of a link in each of its directions: a rate over time, a queue, random loss and
//! impairments.

use super::impairment::{self, ImpairmentContext};
use super::loss::{self, Loss};
use super::overhead::{self, Added};
use super::rate::{self, RateContext, WrittenRate, greatest_bps};
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::input::InputFile;
use crate::queue::{self, Groups, QueueContext, QueueValue};
use narrows_model::KeyPath;
use narrows_qdisc::{Limit, Scale};
use narrows_topology::dumbbell::Direction;
use narrows_units::{Bytes, Rate, Span};

/// The values on which the keys of a link depend.
#[derive(Clone, Copy)]
pub struct LinkContext<'a> {
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
    /// Duration of the run.
    pub duration: Result<Span, Reported>,
    /// Round-trip time in a bandwidth-delay product of a buffer.
    pub rtt: Result<Span, Reported>,
    /// Size of a full data packet on the wire.
    pub packet: Result<Bytes, Reported>,
    /// The flow groups that a queue may name; `None` if they have errors.
    pub groups: Option<&'a Groups>,
    /// Whether a group of flows may use ECN.
    pub ecn: bool,
    /// Whether acknowledgements may cross the link.
    pub acknowledged: bool,
}

/// The traffic of flows, as far as the impairments of links depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Whether a group may use ECN.
    pub ecn: bool,
    /// Whether acknowledgements may cross a path in its forward direction.
    pub acknowledged_forward: bool,
    /// Whether acknowledgements may cross a path in its reverse direction.
    pub acknowledged_reverse: bool,
}

/// The keys of one direction of a link.
#[derive(Clone, Debug)]
pub struct OneWayKeys {
    /// The key `rate`.
    pub rate: Field<WrittenRate>,
    /// The key `overhead`.
    pub overhead: Field<Option<Added>>,
    /// The key `queue`.
    pub queue: Field<Option<QueueValue>>,
    /// The key `loss`.
    pub loss: Field<Option<Loss>>,
    /// The key `impairments`.
    pub impairments: impairment::Written,
}

/// One direction of a link: its keys with the values that hold, and the link as resolved.
#[derive(Clone, Debug)]
pub struct OneWay {
    /// The keys.
    pub keys: OneWayKeys,
    /// Rate, queue, loss and impairments as resolved.
    pub direction: Direction,
    /// Mean rate over the run.
    pub mean: Rate,
    /// Description of the direction.
    pub words: String,
}

impl OneWay {
    /// Resolves the keys of one direction; `absent` gives the limit of the queue if none was written.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn new(
        mut keys: OneWayKeys,
        absent: impl FnOnce(Scale) -> Limit,
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let OneWayKeys { rate, overhead, queue, loss, impairments } = &mut keys;
        let framing = overhead.get().and_then(|each| each.as_ref().map(overhead::model).transpose());
        let lossy = loss
            .get()
            .and_then(|loss| loss.as_ref().map(|loss| loss.model(context.groups, faults)).transpose());
        let written = rate.get_mut()?;
        let of_rate = RateContext {
            load: context.load,
            duration: context.duration,
            packet: context.packet.ok(),
            groups: context.groups,
        };
        let over_time = rate::resolve(written, of_rate, faults)?;
        let of_impairments = ImpairmentContext {
            load: context.load,
            packet: context.packet,
            greatest_bps: greatest_bps(&over_time),
            groups: context.groups,
            ecn: context.ecn,
            acknowledged: context.acknowledged,
        };
        let impaired = impairment::resolve(impairments, of_impairments, faults);
        let mean_bps = over_time.mean_bps(context.duration?);
        let mean = Rate::from_bps_f64(mean_bps);
        if mean == Rate::ZERO {
            return Err(rate.fault("the rate is zero all the time").report(faults));
        }
        let scale = Scale::new(mean, context.rtt?, context.packet?);
        if mean_bps * scale.rtt.as_secs_f64() > GREATEST_BDP {
            let fault = rate.fault("the bandwidth-delay product is larger than any").given(mean.to_string());
            let allowed = format!("a product with rtt of at most {GREATEST_BDP:e} bits");
            return Err(fault.allowed(allowed).report(faults));
        }
        let of_queue = QueueContext { scale, mean_bps, duration: context.duration?, groups: context.groups };
        let discipline = queue::resolve(queue, absent, of_queue, faults)?;
        let direction = Direction {
            rate: over_time,
            framing: framing?,
            queue: discipline,
            queue_key: KeyPath::new(&queue.at.path),
            loss: lossy?,
            impairments: impaired?,
        };
        let words = describe(&direction, of_queue);
        Ok(Self { keys, direction, mean, words })
    }
}

fn describe(direction: &Direction, context: QueueContext<'_>) -> String {
    let loss = direction.loss.as_ref().map_or(String::new(), |each| format!("; {}", loss::describe(each)));
    let queue = queue::describe(&direction.queue, context);
    let impairments = direction.impairments.iter().map(|each| format!("; {}", impairment::describe(each)));
    let framing = direction.framing.map_or(String::new(), |each| format!("; {}", overhead::describe(each)));
    format!("{}{framing}; {queue}{loss}{}", rate::describe(&direction.rate), impairments.collect::<String>())
}

/// Returns the files of a recorded rate and of recorded delays.
pub fn recordings<'a>(
    rate: Option<&'a WrittenRate>,
    impairments: &'a impairment::Written,
) -> impl Iterator<Item = &'a InputFile> {
    rate.and_then(rate::recording).into_iter().chain(impairment::recordings(impairments))
}

/// Bits of a bandwidth-delay product: a hundred terabytes.
const GREATEST_BDP: f64 = 8e14;
