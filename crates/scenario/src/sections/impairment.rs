// SPDX-License-Identifier: Apache-2.0
//! `impairments`: the effects of a link on packets after its queue and its loss model, in the order of the list.

mod describe;

pub use describe::describe;

use super::distribution::{Drawn, resolve_drawn};
use super::loss::{Number, SelectionKeys, below_one};
use crate::context::LoadContext;
use crate::delay_trace;
use crate::diagnostic::Fault;
use crate::field::{At, Field, Reported};
use crate::forms::forms;
use crate::input::InputFile;
use crate::queue::Groups;
use crate::section::keys;
use crate::value::{
    Count, Element, File, Fraction, List, Packets, PacketsOrSize, Positive, PositiveFraction, Words, words,
};
use narrows_model::traffic::{Distribution, Spans};
use narrows_model::{Counted, DelayModel, EcnChange, Impairment, Lateness};
use narrows_units::{Bytes, Rate, Span};

keys! {
    /// Random additional delay of each packet, as in tc-netem.
    pub struct Jitter = "jitter" {
        /// Distribution of the additional delay.
        delay: Drawn<Span>,
        /// Autocorrelation of successive delays (of their normal scores), below 100 %; the marginal distribution is
        /// unchanged.
        correlation: Fraction = 0.0,
        /// Whether packets may be reordered.
        reorder: bool = false,
    }
}

keys! {
    /// Random reordering: a fraction of the packets is delayed (RFC 4737, RFC 4653).
    pub struct Reorder = "reorder" {
        /// Probability that a packet is delayed.
        share: PositiveFraction,
        /// Reordering extent: number of later packets that overtake it. Either distance or delay is required.
        distance: Packets => "none",
        /// Maximum delay of a packet that waits to be overtaken, if fewer packets follow.
        hold: Positive<Span> => "1s with distance",
        /// Additional delay; given instead of distance.
        delay: Drawn<Span> => "none",
    }
}

keys! {
    /// A token bucket policer, which drops non-conforming packets (RFC 2475, RFC 2697).
    pub struct Policer = "policer" {
        /// Token rate: the committed information rate.
        rate: Positive<Rate>,
        /// Bucket depth, the committed burst size: at least a full packet. The bucket is full at the start.
        burst: PacketsOrSize,
    }
}

keys! {
    /// A hop that changes the ECN field (RFC 3168, RFC 6040). For a tunnel in the compatibility mode of RFC 6040, whose
    /// queues drop packets instead of marking them, use a queue without ecn.
    pub struct Ecn = "ecn" {
        /// bleach: all packets become Not-ECT. clear-ce: CE becomes ECT(0), as at the end of a tunnel that discards the
        /// outer header. ect1-to-ect0: ECT(1) becomes ECT(0). set-ce: ECT(0) and ECT(1) become CE. drop: ECT(0), ECT(1) and CE
        /// are lost.
        mode: EcnChange,
        /// Probability that a packet selected by `packets` and `of` is changed.
        share: PositiveFraction = 1.0,
        /// Numbers of the packets that are changed among those that `of` counts, from 1, in any order.
        packets: List<Number> => "all of them",
        /// Which packets of the link are counted: all, data packets, retransmissions, or pure acknowledgements.
        of: Counted = Counted::All,
        /// Name of a group of flows whose packets alone are counted.
        group: String => "none: those of all flows",
        /// Whether the packets of each flow are counted apart.
        per_flow: bool = false,
    }
}

words!(EcnChange {
    Bleach = "bleach",
    ClearCe = "clear-ce",
    Ect1ToEct0 = "ect1-to-ect0",
    SetCe = "set-ce",
    Drop = "drop",
});

keys! {
    /// A piecewise constant additional delay.
    pub struct DelaySteps = "delay-steps" {
        /// Additional delays, one for each time.
        delays: List<Span>,
        /// Times from which the delays apply, ascending; the first is 0s.
        times: List<Span>,
        /// Period after which the steps repeat.
        period: Positive<Span> => "the last delay stays",
        /// Whether packets may be reordered when the delay decreases.
        reorder: bool = false,
    }
}

keys! {
    /// A sawtooth: the additional delay rises linearly in each period, then falls to its minimum at once.
    pub struct DelaySawtooth = "delay-sawtooth" {
        /// Additional delay at the start of a period.
        minimum: Span = Span::ZERO,
        /// Additional delay at the end of a period.
        maximum: Positive<Span>,
        /// Period of the sawtooth.
        period: Positive<Span>,
        /// Whether packets may be reordered when the delay decreases.
        reorder: bool = false,
    }
}

keys! {
    /// A recorded additional delay.
    pub struct DelayTrace = "delay-trace" {
        /// Path of a file, relative to the scenario file, with a time and the delay from that time on each line: in the units of
        /// its header, such as `time_s,delay_ms`, or in seconds if it has no header.
        file: File,
        /// Period after which the recording repeats.
        period: Positive<Span> => "the last delay stays",
        /// Whether packets may be reordered when the delay decreases.
        reorder: bool = false,
    }
}

keys! {
    /// Periodic handovers, as of satellites in low Earth orbit: a new additional delay after each, and an outage.
    pub struct Handover = "handover" {
        /// Time between handovers.
        interval: Positive<Span> = Span::from_ms(15_000),
        /// Distribution of the additional delay, drawn at every handover.
        delay: Drawn<Span>,
        /// Duration of the outage after each handover, in which packets wait.
        outage: Span = Span::ZERO,
        /// Whether packets may be reordered when the delay decreases.
        reorder: bool = false,
    }
}

keys! {
    /// Random loss of pure acknowledgements (ACK filtering or loss; RFC 3449 §5.2.2).
    pub struct AckThinning = "ack-thinning" {
        /// Probability that a pure acknowledgement is dropped.
        share: PositiveFraction,
    }
}

keys! {
    /// Frame aggregation with link-layer retransmissions (ARQ) and in-order delivery, as on Wi-Fi and cellular links.
    pub struct Aggregation = "aggregation" {
        /// Time between the ends of two frames.
        frame: Positive<Span>,
        /// Maximum amount of data in a frame; together with `frame` it must not limit the link to less than its rate.
        largest: PacketsOrSize => "no limit",
        /// Error probability of a transmission of a frame, below 100 %.
        error: Fraction = 0.0,
        /// Time between two transmissions of a frame.
        retry: Positive<Span> => "the frame time",
        /// Maximum number of retransmissions of a frame, after which its packets are lost.
        retries: Count<0, 1000> = 7,
    }
}

forms! {
    /// An impairment.
    pub enum Form {
        Jitter,
        Reorder,
        Policer,
        Ecn,
        DelaySteps,
        DelaySawtooth,
        DelayTrace,
        Handover,
        AckThinning,
        Aggregation,
    }
}

/// The values on which impairments depend.
#[derive(Clone, Copy)]
pub struct ImpairmentContext<'a> {
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
    /// Size of a full data packet on the wire.
    pub packet: Result<Bytes, Reported>,
    /// Highest rate of the link over time, bits per second.
    pub greatest_bps: f64,
    /// The flow groups that may be named; `None` if they have errors.
    pub groups: Option<&'a Groups>,
    /// Whether a group of flows may use ECN.
    pub ecn: bool,
    /// Whether acknowledgements may cross the link.
    pub acknowledged: bool,
}

/// The type of the key whose value is the list of impairments.
pub type Impairments = List<Form>;

/// The impairments as written.
pub type Written = Field<Option<Vec<Element<Form>>>>;

/// Resolves the impairments, and fills in defaults that follow from other keys.
///
/// # Errors
///
/// If a key has errors, which are added to `faults`.
pub fn resolve(
    written: &mut Written,
    context: ImpairmentContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Vec<Impairment>, Reported> {
    let Some(list) = written.get_mut()? else { return Ok(Vec::new()) };
    let mut models: Vec<Impairment> = Vec::new();
    let mut result = Ok(());
    for Element { at, value } in list {
        match value.model(context, faults) {
            Ok(model) => {
                let earlier = models.iter().find(|earlier| earlier.reorders());
                if let (true, Some(earlier)) = (model.needs_order(), earlier) {
                    let problem = format!("behind `{}`, which changes the order of packets", earlier.kind());
                    let fault = at.fault(problem).given(model.kind());
                    let allowed = "before it, or without changes of the order before";
                    result = Err(fault.allowed(allowed).report(faults));
                }
                models.push(model);
            }
            Err(reported) => result = Err(reported),
        }
    }
    result.map(|()| models)
}

/// Returns the place of the first thinning of acknowledgements; `None` if there is none.
pub fn thinning(written: &Written) -> Option<&At> {
    let mut list = written.get().ok().and_then(Option::as_ref).into_iter().flatten();
    list.find(|element| matches!(element.value, Form::AckThinning(_))).map(|element| &element.at)
}

/// Reports thinning at a place that no acknowledgements cross.
pub fn refuse_thinning(at: &At, hint: &str, faults: &mut Vec<Fault>) -> Reported {
    let fault = at.fault("no acknowledgements cross the link in this direction");
    fault.allowed("where acknowledgements return").hint(Some(hint.into())).report(faults)
}

/// Returns the files of recorded delays.
pub fn recordings(written: &Written) -> impl Iterator<Item = &InputFile> {
    let list = written.get().ok().and_then(Option::as_ref).into_iter().flatten();
    list.filter_map(|element| match &element.value {
        Form::DelayTrace(form) => form.file.get().ok()?.found.as_ref(),
        _ => None,
    })
}

impl Form {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        match self {
            Self::Jitter(form) => form.model(context, faults),
            Self::Reorder(form) => form.model(context, faults),
            Self::Policer(form) => form.model(context, faults),
            Self::Ecn(form) => form.model(context, faults),
            Self::DelaySteps(form) => form.model(faults),
            Self::DelaySawtooth(form) => form.model(faults),
            Self::DelayTrace(form) => form.model(context, faults),
            Self::Handover(form) => form.model(context, faults),
            Self::AckThinning(form) => form.model(context, faults),
            Self::Aggregation(form) => form.model(context, faults),
        }
    }
}

impl Jitter {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        let delay = resolve_drawn(self.delay.get_mut()?, context.load, faults);
        let correlation = below_one(&self.correlation, faults)?;
        let delay = delay?;
        if correlation > 0.0 && matches!(delay, Distribution::Mixture(_) | Distribution::Constant(_)) {
            let fault = self.correlation.fault("a constant and a mixture have no correlation");
            return Err(fault.allowed("0, or another distribution").report(faults));
        }
        Ok(Impairment::Jitter { delay: Spans(delay), correlation, reorder: self.reorder.copied()? })
    }
}

impl Reorder {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        let share = self.share.copied();
        let (distance, hold) = (self.distance.copied()?, self.hold.copied()?);
        let late = match (distance, self.delay.get_mut()?) {
            (Some(packets), None) => {
                let hold = hold.unwrap_or(LONGEST_HOLD);
                self.hold.fill(Some(hold));
                Lateness::Distance { packets, hold }
            }
            (None, Some(delay)) => {
                if self.hold.written {
                    let fault = self.hold.fault("a delay says itself how late a packet is");
                    return Err(fault.allowed("no hold, or distance instead of delay").report(faults));
                }
                Lateness::Delay(Spans(resolve_drawn(delay, context.load, faults)?))
            }
            (distance, _) => {
                let count = if distance.is_some() { "both" } else { "neither" };
                let fault = self.table.fault(format!("{count} of distance and delay"));
                return Err(fault.allowed("exactly one of distance, delay").report(faults));
            }
        };
        Ok(Impairment::Reorder { share: share?, late })
    }
}

impl Policer {
    fn model(&self, context: ImpairmentContext<'_>, faults: &mut Vec<Fault>) -> Result<Impairment, Reported> {
        let burst = holds_packet(&self.burst, self.burst.copied()?, context, faults)?;
        Ok(Impairment::Policer { rate: self.rate.copied()?, burst })
    }
}

impl Ecn {
    fn model(&self, context: ImpairmentContext<'_>, faults: &mut Vec<Fault>) -> Result<Impairment, Reported> {
        let (mode, share) = (self.mode.copied()?, self.share.copied()?);
        if !context.ecn {
            let fault = self.mode.fault("no flow uses ECN, so there is nothing to change");
            let fault = fault.given(format!("\"{}\"", mode.word()));
            let hint = "`ecn = true` in [transport] or a group of flows";
            return Err(fault.allowed("with flows that use ECN").hint(Some(hint.into())).report(faults));
        }
        let (of, group, per_flow) = (&self.of, &self.group, &self.per_flow);
        let packets = self.packets.get()?.as_deref();
        let selection = SelectionKeys { packets, of, group, per_flow }.resolve(context.groups, faults)?;
        Ok(Impairment::Ecn { mode, share, selection })
    }
}

impl AckThinning {
    fn model(&self, context: ImpairmentContext<'_>, faults: &mut Vec<Fault>) -> Result<Impairment, Reported> {
        let share = self.share.copied()?;
        if !context.acknowledged {
            let hint = "`reverse.impairments` if the data goes forward";
            return Err(refuse_thinning(&self.table, hint, faults));
        }
        Ok(Impairment::AckThinning { share })
    }
}

impl DelaySteps {
    fn model(&self, faults: &mut Vec<Fault>) -> Result<Impairment, Reported> {
        let (delays, times) = (self.delays.get()?, self.times.get()?);
        if delays.len() != times.len() || delays.is_empty() {
            let fault = self.times.fault(format!("{} delays for {} times", delays.len(), times.len()));
            return Err(fault.allowed("one time for each delay, at least one").report(faults));
        }
        if let Some(first) = times.first().filter(|first| first.value != Span::ZERO) {
            let fault = first.at.fault("the first delay must hold from the start");
            return Err(fault.given(first.value.to_string()).allowed("0s").report(faults));
        }
        if let Some(pair) = times.windows(2).find(|pair| pair[1].value <= pair[0].value) {
            let fault = pair[1].at.fault("not later than the time before it");
            return Err(fault.given(pair[1].value.to_string()).allowed("ascending times").report(faults));
        }
        let points: Vec<_> = times.iter().zip(delays).map(|(at, delay)| (at.value, delay.value)).collect();
        let period = period_behind(&self.period, &points, faults)?;
        let delay = DelayModel::Steps { points, period, recording: None };
        Ok(Impairment::Delay { delay, reorder: self.reorder.copied()? })
    }
}

impl DelaySawtooth {
    fn model(&self, faults: &mut Vec<Fault>) -> Result<Impairment, Reported> {
        let (minimum, maximum) = (self.minimum.copied()?, self.maximum.copied()?);
        if minimum > maximum {
            let fault = self.minimum.fault("more than maximum").given(minimum.to_string());
            return Err(fault.allowed(format!("at most {maximum}")).report(faults));
        }
        let delay = DelayModel::Sawtooth { minimum, maximum, period: self.period.copied()? };
        Ok(Impairment::Delay { delay, reorder: self.reorder.copied()? })
    }
}

impl DelayTrace {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        let location = self.file.at.location.clone();
        let reference = self.file.get_mut()?;
        let found = context.load.path(&reference.name, &location);
        let (path, trace) = match found.and_then(|path| Ok((delay_trace::read(&path)?, path))) {
            Ok((trace, path)) => (path, trace),
            Err(problem) => {
                let given = format!("\"{}\"", reference.name);
                let allowed =
                    "a table of ascending times and delays, in seconds or with a header as time_s,delay_ms";
                return Err(self.file.fault(problem).given(given).allowed(allowed).report(faults));
            }
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let recording = Some((name, trace.digest.clone()));
        reference.found = Some(InputFile::new(&reference.name, &location, path, trace.digest));
        let period = period_behind(&self.period, &trace.points, faults)?;
        let delay = DelayModel::Steps { points: trace.points, period, recording };
        Ok(Impairment::Delay { delay, reorder: self.reorder.copied()? })
    }
}

impl Handover {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        let delay = resolve_drawn(self.delay.get_mut()?, context.load, faults);
        let (interval, outage) = (self.interval.copied()?, self.outage.copied()?);
        if outage >= interval {
            let fault = self.outage.fault("nothing would ever be delivered").given(outage.to_string());
            return Err(fault.allowed(format!("less than {interval}")).report(faults));
        }
        let delay = DelayModel::Handover { interval, delay: Spans(delay?), outage };
        Ok(Impairment::Delay { delay, reorder: self.reorder.copied()? })
    }
}

impl Aggregation {
    fn model(
        &mut self,
        context: ImpairmentContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Impairment, Reported> {
        let (frame, error) = (self.frame.copied(), below_one(&self.error, faults));
        let largest = match self.largest.copied()? {
            None => None,
            Some(size) => Some(holds_packet(&self.largest, size, context, faults)?),
        };
        let (frame, error) = (frame?, error?);
        // What fits in no frame would wait without a limit.
        let carried = largest.map(|largest| largest.bits() as f64 / frame.as_secs_f64());
        if let Some(carried) = carried.filter(|carried| *carried < context.greatest_bps) {
            let problem = format!("frames carry only {} of a faster link", Rate::from_bps_f64(carried));
            let least = Bytes::new(libm::ceil(context.greatest_bps * frame.as_secs_f64() / 8.0) as u64);
            let fault = self.largest.fault(problem);
            return Err(fault.allowed(format!("at least {least}, or a shorter frame")).report(faults));
        }
        let retry = self.retry.copied()?.unwrap_or(frame);
        self.retry.fill(Some(retry));
        Ok(Impairment::Aggregation { frame, largest, error, retry, retries: self.retries.copied()? })
    }
}

/// The size that `size` stands for, which must be at least a full packet.
fn holds_packet<V>(
    field: &Field<V>,
    size: PacketsOrSize,
    context: ImpairmentContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Bytes, Reported> {
    let packet = context.packet?;
    let size = match size {
        PacketsOrSize::Size(size) => size,
        PacketsOrSize::Packets(number) => Bytes::new(packet.count().saturating_mul(number)),
    };
    if size < packet {
        let fault = field.fault("no full packet would pass").given(size.to_string());
        return Err(fault.allowed(format!("at least {packet}")).report(faults));
    }
    Ok(size)
}

/// The time after which `points` are repeated, which must be later than the last.
fn period_behind(
    field: &Field<Option<Span>>,
    points: &[(Span, Span)],
    faults: &mut Vec<Fault>,
) -> Result<Option<Span>, Reported> {
    let (period, last) = (field.copied()?, points[points.len() - 1].0);
    if let Some(period) = period.filter(|period| *period <= last) {
        let fault = field.fault("the last step is not before it").given(period.to_string());
        return Err(fault.allowed(format!("more than {last}")).report(faults));
    }
    Ok(period)
}

/// Default maximum delay of a packet that waits to be overtaken.
const LONGEST_HOLD: Span = Span::from_ms(1000);
