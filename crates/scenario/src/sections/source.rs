// SPDX-License-Identifier: Apache-2.0
//! `source`: the data that the application above a flow writes.

use super::application::{Call, Game, Objects, Responsiveness, Video, Web};
use super::distribution::{self, Drawn};
use super::rate::{self, Generated, RateContext, greatest_bps};
use super::transfers::Process;
use super::transfers::arrivals::{Arrivals, Poisson, PoissonSteps};
use super::transfers::flow_records::FlowRecords;
use super::transfers::users::Users;
use super::transfers::vectors::Vectors;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::forms::{Choice, PlainOr, forms};
use crate::section::keys;
use crate::value::{Count, Positive};
use narrows_model::SourceModel;
use narrows_model::traffic::{Sizes, Spans};
use narrows_units::{Bytes, Rate, Span};

keys! {
    /// All data, up to `size`, is available at the start.
    pub struct Bulk = "bulk" {}
}

keys! {
    /// A constant bit rate in full packets. Each flow of the group sends at the whole rate.
    pub struct ConstantRate = "cbr" {
        /// Sending rate on the wire, from the start of the run.
        rate: SendingRate => "none",
        /// Given instead of rate: the part of a constant path.rate that the source leaves to other flows.
        leaves: SendingRate => "none",
        /// With leaves: the number of other flows if every flow gets an equal share, or 0 if shares are not equal. As
        /// many flows of the group send as leave the others their share: n (C - B) / B where n others share B of the
        /// capacity C (CMU-CS-02-139 §3.3), each at 5 % more than its share; count is the maximum.
        sharing: Count<0, 1_000_000> = 0,
    }
}

keys! {
    /// A constant bit rate, as cbr, that is switched on and off.
    pub struct OnOff = "onoff" {
        /// Sending rate on the wire in on periods.
        rate: Positive<Rate>,
        /// Duration of an on period; the run begins with one.
        on: Drawn<Span>,
        /// Duration of an off period.
        off: Drawn<Span>,
    }
}

keys! {
    /// Writes of the application at intervals, sent under congestion control.
    pub struct Writes = "writes" {
        /// Time between two writes; the first is at the start.
        interval: Drawn<Span>,
        /// Size of a write.
        size: Drawn<Bytes>,
        /// Whether writes are rounded up to full packets. false: they are a stream of bytes, and what does not fill a
        /// segment is sent in one that is not full, as transport.nagle says.
        whole_packets: bool = true,
    }
}

forms! {
    /// The source of the data of a group.
    pub enum Source {
        Bulk, ConstantRate, OnOff, Writes, Poisson, PoissonSteps, Arrivals, FlowRecords, Vectors, Users, Video, Web,
        Responsiveness, Call, Game, Objects,
    }
}

/// Declares which forms of a source start connections during the run.
macro_rules! processes {
    ($($form:ident),+ $(,)?) => {
        impl Source {
            /// Returns what starts connections during the run; `None` if its flows start once.
            pub fn process(&self) -> Option<&dyn Process> {
                match self {
                    $(Self::$form(form) => Some(form),)+
                    _ => None,
                }
            }

            /// Does the same as [`process`](Self::process).
            pub fn process_mut(&mut self) -> Option<&mut dyn Process> {
                match self {
                    $(Self::$form(form) => Some(form),)+
                    _ => None,
                }
            }
        }
    };
}

processes! { Poisson, PoissonSteps, Arrivals, FlowRecords, Vectors, Users, Video, Web, Responsiveness, Call, Game, Objects }

/// A rate over time, of bits on the wire.
type SendingRate = PlainOr<Positive<Rate>, Generated>;

/// The values on which a source depends.
#[derive(Clone, Copy)]
pub struct SourceContext<'a> {
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
    /// Duration of the run.
    pub duration: Result<Span, Reported>,
    /// Rate of the path.
    pub path: PathRate,
    /// Number of flows in the group.
    pub count: Result<u64, Reported>,
}

/// The rate of a path, of which a source may leave a part to others.
#[derive(Clone, Copy, Debug)]
pub enum PathRate {
    /// A constant rate.
    Constant(Rate),
    /// A rate that changes over time.
    Changing,
    /// None: the flows are in a network.
    Network,
    /// Unknown because of an error that was reported.
    Faulty(Reported),
}

impl Source {
    /// Returns the kind of the source if it sends at a rate of its own, without congestion control; `None` otherwise.
    pub fn own_rate(&self) -> Option<&'static str> {
        match self {
            Self::ConstantRate(_) => Some("cbr"),
            Self::OnOff(_) => Some("onoff"),
            _ => None,
        }
    }

    /// Resolves the source of the data of endless or single flows.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        context: SourceContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<SourceModel, Reported> {
        match self {
            Self::ConstantRate(form) => form.resolve(context, faults),
            Self::OnOff(form) => {
                let (on, off) = (spans(&mut form.on, context, faults), spans(&mut form.off, context, faults));
                Ok(SourceModel::OnOff { rate: form.rate.copied()?, on: on?, off: off? })
            }
            Self::Writes(form) => {
                let interval = spans(&mut form.interval, context, faults);
                let size = distribution::resolve_drawn(form.size.get_mut()?, context.load, faults)?;
                let whole_packets = form.whole_packets.copied()?;
                Ok(SourceModel::Writes { interval: interval?, size: Sizes(size), whole_packets })
            }
            // A process of transfers writes all of a transfer at its start.
            _ => Ok(SourceModel::Bulk),
        }
    }
}

fn spans(
    field: &mut Field<Choice<Span, distribution::Distributed<Span>>>,
    context: SourceContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Spans, Reported> {
    distribution::resolve_drawn(field.get_mut()?, context.load, faults).map(Spans)
}

impl ConstantRate {
    fn resolve(
        &mut self,
        context: SourceContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<SourceModel, Reported> {
        let of_rate =
            RateContext { load: context.load, duration: context.duration, packet: None, groups: None };
        let others = self.sharing.copied()?;
        self.sharing.omitted = others == 0;
        match (self.rate.get_mut()?, self.leaves.get_mut()?) {
            (Some(rate), None) => {
                let rate = rate::resolve(rate, of_rate, faults)?;
                if others > 0 {
                    let fault = self.sharing.fault("rate is not shared with other flows");
                    return Err(fault.allowed("leaves instead of rate").report(faults));
                }
                Ok(SourceModel::Rate(rate))
            }
            (None, Some(left)) => {
                let left = rate::resolve(left, of_rate, faults)?;
                let whole = self.whole(context.path, faults)?;
                if greatest_bps(&left) > whole.as_bps() as f64 {
                    let fault = self.leaves.fault("more than there is");
                    return Err(fault
                        .allowed(format!("at most the rate of the path, {whole}"))
                        .report(faults));
                }
                Ok(match others {
                    0 => SourceModel::Leaving { whole, left },
                    others => SourceModel::Sharing { whole, left, others, count: context.count? as u32 },
                })
            }
            _ => {
                let fault = self.rate.fault("either rate or leaves");
                Err(fault.allowed("exactly one of the two").report(faults))
            }
        }
    }

    /// The rate of the path, of which a part is left.
    fn whole(&self, path: PathRate, faults: &mut Vec<Fault>) -> Result<Rate, Reported> {
        let (message, allowed) = match path {
            PathRate::Constant(rate) => return Ok(rate),
            PathRate::Faulty(reported) => return Err(reported),
            PathRate::Network => ("a network has no one rate", "rate instead of leaves"),
            PathRate::Changing => (
                "nothing can be left of a rate that changes by itself",
                "a constant path.rate, or rate instead of leaves",
            ),
        };
        Err(self.leaves.fault(message).allowed(allowed).report(faults))
    }
}

/// Checks that a source does not act too often for a run of `duration`.
///
/// # Errors
///
/// If it does; the error is added to `faults`.
pub fn check_acts(
    field: &Field<Option<Source>>,
    model: &SourceModel,
    duration: Span,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    if model.acts(duration) <= MOST_ACTS {
        return Ok(());
    }
    let fault = field.fault(format!("it would act more than {MOST_ACTS} times"));
    Err(fault.allowed("longer times").report(faults))
}

/// Describes a source.
pub fn describe(source: &SourceModel) -> String {
    let spans = |spans: &Spans| distribution::describe::<Span>(&spans.0);
    match source {
        SourceModel::Bulk => String::new(),
        SourceModel::Rate(model) => format!(", sending at {}", rate::describe(model)),
        SourceModel::Leaving { whole, left } => {
            format!(", sending at what is left of {whole} by {}", rate::describe(left))
        }
        SourceModel::Sharing { whole, left, others, .. } => {
            let left = rate::describe(left);
            format!(
                ", as many sending as leave {others} others of equal shares what is left of {whole}: {left}"
            )
        }
        SourceModel::OnOff { rate, on, off } => {
            format!(", sending at {rate}, on for {} and off for {}", spans(on), spans(off))
        }
        SourceModel::Writes { interval, size, whole_packets } => {
            let size = distribution::describe::<Bytes>(&size.0);
            let stream = if *whole_packets { "" } else { ", as a stream of bytes" };
            format!(", written {size} at a time, every {}{stream}", spans(interval))
        }
    }
}

/// Switches or writes of one source in one run.
const MOST_ACTS: f64 = 1e7;
