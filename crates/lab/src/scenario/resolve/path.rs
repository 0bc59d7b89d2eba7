//! `[path]`: rates, queues and losses of the bottleneck.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Item, Table};
use super::super::tree::Place;
use super::{PathSettings, Surroundings};
use crate::model::{LossModel, RateModel};
use crate::network::dumbbell::{Direction, Dumbbell};
use crate::trace;
use narrows_qdisc::{Discipline, Limit, droptail, red};
use narrows_units::{Bytes, Quantity, Rate, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A resolved path, but for the delay of its middle, which depends on the flows.
pub(super) struct Resolved {
    pub settings: PathSettings,
    forward: Direction,
    reverse: Direction,
    access_rate: Rate,
}

impl Resolved {
    /// The dumbbell whose bottleneck has that one-way delay.
    pub fn dumbbell(&self, delay: Span) -> Dumbbell {
        Dumbbell {
            forward: self.forward.clone(),
            reverse: self.reverse.clone(),
            delay,
            access_rate: self.access_rate,
        }
    }
}

/// A rate over time, and the file it was recorded in.
#[derive(Clone)]
struct Source {
    rate: RateModel,
    file: Option<PathBuf>,
}

/// What the units of a queue's length mean on this path.
#[derive(Clone, Copy)]
struct Scale {
    mean: Rate,
    rtt: Span,
    packet: Bytes,
}

/// Resolves `[path]`; `None` if a fault stands in the way.
pub(super) fn resolve(
    table: &Table,
    duration: Option<Span>,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Resolved> {
    let rtt = table.given("rtt", Checked::span);
    let packet = table.read("packet", Bytes::new(1500), Checked::bytes);
    let packet = packet.filter(|packet| packet_fits(*packet, table, faults));
    let forward_rate = rate(table, around, faults);
    let access_rate = table.read("access_rate", None, |value| Some(value.rate()));

    let scale = |source: &Source| {
        let mean = Rate::from_bps_f64(source.rate.mean_bps(duration?));
        Some(Scale { mean, rtt: rtt?, packet: packet? })
    };
    let forward_scale = forward_rate.as_ref().and_then(scale);
    if forward_scale.is_some_and(|scale| scale.mean == Rate::ZERO) {
        faults.push(Fault::new(
            table.place_of("rate"),
            table.path_of("rate"),
            "the rate is zero all the time",
        ));
        return None;
    }
    let forward_queue = queue(table, forward_scale, usual_limit, faults);
    let forward_loss = loss(table);

    let nothing = Table::new("path.reverse", &table.place);
    let back = table.section("reverse", &nothing)?;
    let reverse_rate = if back.has("rate") { rate(back, around, faults) } else { forward_rate.clone() };
    let reverse_scale = reverse_rate.as_ref().and_then(scale);
    let reverse_queue = queue(back, reverse_scale, |_| Limit::Unlimited, faults);
    let reverse_loss = loss(back);

    let (forward_rate, reverse_rate) = (forward_rate?, reverse_rate?);
    let greatest = greatest_bps(&forward_rate.rate).max(greatest_bps(&reverse_rate.rate));
    let settings = PathSettings {
        rtt: rtt?,
        packet: packet?,
        mean: forward_scale?.mean,
        forward_trace: forward_rate.file,
        reverse_trace: reverse_rate.file,
    };
    Some(Resolved {
        settings,
        forward: Direction { rate: forward_rate.rate, queue: forward_queue?, loss: forward_loss? },
        reverse: Direction { rate: reverse_rate.rate, queue: reverse_queue?, loss: reverse_loss? },
        access_rate: access_rate?.unwrap_or(Rate::from_bps_f64(greatest * 10.0)),
    })
}

fn packet_fits(packet: Bytes, table: &Table, faults: &mut Vec<Fault>) -> bool {
    let fits = packet.count() <= LARGEST_PACKET;
    if !fits {
        let fault =
            Fault::new(table.place_of("packet"), table.path_of("packet"), "larger than an IP packet can be");
        faults.push(fault.given(packet.to_string()).allowed(format!("at most {LARGEST_PACKET}B")));
    }
    fits
}

/// The key `rate` of `[path]` or `[path.reverse]`.
fn rate(table: &Table, around: &Surroundings<'_>, faults: &mut Vec<Fault>) -> Option<Source> {
    let checked = table.value("rate")?;
    let generated = |rate| Some(Source { rate, file: None });
    let Checked::Variant(kind, form) = checked else {
        return generated(RateModel::Constant(checked.rate()));
    };
    match *kind {
        "steps" => generated(steps(form, faults)?),
        "square" => {
            let (high, low) = (form.given("high", Checked::rate), form.given("low", Checked::rate));
            let ordered = ordered(form, ("low", low), ("high", high), faults);
            let duty = form.read("duty", 0.5, Checked::number);
            let period = form.given("period", Checked::span);
            let (low, high) = ordered?;
            generated(RateModel::Square { high, low, period: period?, duty: duty? })
        }
        "walk" => generated(walk(form, faults)?),
        "uniform" => {
            let (minimum, maximum) =
                (form.given("minimum", Checked::rate), form.given("maximum", Checked::rate));
            let (minimum, maximum) = ordered(form, ("minimum", minimum), ("maximum", maximum), faults)?;
            let interval = form.given("interval", Checked::span)?;
            generated(RateModel::Uniform { minimum, maximum, interval })
        }
        "trace" => recorded(form, around, faults),
        other => unreachable!("the keys know no rate of kind {other}"),
    }
}

fn steps(form: &Table, faults: &mut Vec<Fault>) -> Option<RateModel> {
    let items = |key| match form.value(key) {
        Some(Checked::List(items)) => Some(items),
        _ => None,
    };
    let (rates, times): (&Vec<Item>, &Vec<Item>) = (items("rates")?, items("times")?);
    let fault = |place: &Place, key: &str, message: String| Fault::new(place, form.path_of(key), message);
    if rates.len() != times.len() || rates.is_empty() {
        let message = format!("{} rates for {} times", rates.len(), times.len());
        faults.push(
            fault(form.place_of("times"), "times", message).allowed("one time for each rate, at least one"),
        );
        return None;
    }
    let mut resolved: Vec<(Span, Rate)> = Vec::new();
    for (index, (rate, time)) in rates.iter().zip(times).enumerate() {
        let (rate, at) = (rate.value.as_ref()?.rate(), time.value.as_ref()?.span());
        let before = resolved.last().map(|(before, _)| *before);
        if index == 0 && at != Span::ZERO {
            let fault = fault(&time.place, "times.0", "the first rate must hold from the start".into());
            faults.push(fault.given(at.to_string()).allowed("0s"));
            return None;
        }
        if before.is_some_and(|before| at <= before) {
            let fault =
                fault(&time.place, &format!("times.{index}"), "not later than the time before it".into());
            faults.push(fault.given(at.to_string()).allowed("ascending times"));
            return None;
        }
        resolved.push((at, rate));
    }
    Some(RateModel::Steps(resolved))
}

fn walk(form: &Table, faults: &mut Vec<Fault>) -> Option<RateModel> {
    let (minimum, maximum) = (form.given("minimum", Checked::rate), form.given("maximum", Checked::rate));
    let ordered = ordered(form, ("minimum", minimum), ("maximum", maximum), faults);
    let step = form.given("step", Checked::rate);
    let interval = form.given("interval", Checked::span);
    let start = form.read("start", None, |value| Some(value.rate()));
    let (minimum, maximum) = ordered?;
    let middle = Rate::from_bps(u64::midpoint(minimum.as_bps(), maximum.as_bps()));
    let start = start?.unwrap_or(middle);
    if start < minimum || start > maximum {
        let fault =
            Fault::new(form.place_of("start"), form.path_of("start"), "outside the bounds of the walk");
        faults.push(fault.given(start.to_string()).allowed(format!("{minimum} to {maximum}")));
        return None;
    }
    let step = step?;
    if step.as_bps() > maximum.as_bps() - minimum.as_bps() {
        let fault =
            Fault::new(form.place_of("step"), form.path_of("step"), "a step longer than the whole walk");
        faults.push(
            fault
                .given(step.to_string())
                .allowed(format!("at most {}", Rate::from_bps(maximum.as_bps() - minimum.as_bps()))),
        );
        return None;
    }
    Some(RateModel::Walk { start, step, minimum, maximum, interval: interval? })
}

/// Two rates of which the first may not exceed the second.
fn ordered(
    form: &Table,
    (low_key, low): (&str, Option<Rate>),
    (high_key, high): (&str, Option<Rate>),
    faults: &mut Vec<Fault>,
) -> Option<(Rate, Rate)> {
    let (low, high) = (low?, high?);
    if low > high {
        let fault =
            Fault::new(form.place_of(low_key), form.path_of(low_key), format!("more than {high_key}"));
        faults.push(fault.given(low.to_string()).allowed(format!("at most {high}")));
        return None;
    }
    Some((low, high))
}

fn recorded(form: &Table, around: &Surroundings<'_>, faults: &mut Vec<Fault>) -> Option<Source> {
    let name = form.given("trace", Checked::text)?;
    let place = form.place_of("trace");
    // What is typed on the command line is relative to where it is typed.
    let base = if matches!(place, Place::File(_)) { around.directory } else { Path::new("") };
    let file = base.join(&name);
    match trace::read(&file) {
        Ok(trace) => {
            let file = std::path::absolute(&file).unwrap_or(file);
            Some(Source { rate: RateModel::Trace(Arc::new(trace)), file: Some(file) })
        }
        Err(error) => {
            let fault = Fault::new(place, form.path_of("trace"), error.to_string());
            let allowed = "a file in mahimahi's format: a whole number of milliseconds per line, ascending";
            faults.push(fault.given(format!("\"{name}\"")).allowed(allowed));
            None
        }
    }
}

/// The greatest rate that a link ever has.
fn greatest_bps(rate: &RateModel) -> f64 {
    let bps = |rate: &Rate| rate.as_bps() as f64;
    match rate {
        RateModel::Constant(rate) => bps(rate),
        RateModel::Steps(steps) => steps.iter().map(|(_, rate)| bps(rate)).fold(0.0, f64::max),
        RateModel::Square { high, .. } => bps(high),
        RateModel::Walk { maximum, .. } | RateModel::Uniform { maximum, .. } => bps(maximum),
        RateModel::Trace(trace) => trace.greatest_bps(),
    }
}

/// The key `queue`; `absent` gives the limit where there is none.
fn queue(
    table: &Table,
    scale: Option<Scale>,
    absent: fn(Scale) -> Limit,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    if !table.has("queue") {
        return Some(Discipline::DropTail(droptail::Config { limit: absent(scale?) }));
    }
    let (kind, form) = table.value("queue")?.variant();
    let scale = scale?;
    let limit = limit(form, scale, faults);
    match kind {
        "droptail" => Some(Discipline::DropTail(droptail::Config { limit: limit? })),
        "red" => early(form, limit, scale, faults),
        other => unreachable!("the keys know no queue of kind {other}"),
    }
}

fn usual_limit(scale: Scale) -> Limit {
    Limit::Bytes(scale.bytes(Quantity::Bdp(1.0)).max(scale.packet.count()))
}

/// The key `limit` of a queue. A queue that is written has the usual limit, in the reverse direction too.
fn limit(form: &Table, scale: Scale, faults: &mut Vec<Fault>) -> Option<Limit> {
    if !form.has("limit") {
        return Some(usual_limit(scale));
    }
    let Some(quantity) = form.value("limit")?.limit() else { return Some(Limit::Unlimited) };
    if let Quantity::Packets(number) = quantity {
        return Some(Limit::Packets(number as u64));
    }
    let bytes = scale.bytes(quantity);
    if bytes < scale.packet.count() {
        let message = format!("a queue of {bytes} bytes is smaller than a packet");
        let fault =
            Fault::new(form.place_of("limit"), form.path_of("limit"), message).given(quantity.to_string());
        faults.push(fault.allowed(format!("at least {}, the size of a packet", scale.packet)));
        return None;
    }
    Some(Limit::Bytes(bytes))
}

fn early(form: &Table, limit: Option<Limit>, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let quantity = |key| form.read(key, None, Checked::limit);
    let (min, max) = (quantity("min"), quantity("max"));
    let max_p = form.read("max_p", 0.1, Checked::number);
    let weight = form.read("weight", 0.002, Checked::number);
    let gentle = form.read("gentle", true, Checked::flag);
    let wait = form.read("wait", true, Checked::flag);
    let ecn = form.read("ecn", false, Checked::flag);
    let min = min?.unwrap_or(Quantity::Packets(5.0));
    let (unit, min_length) = scale.threshold(min);
    let (max_unit, max_length) = max?.map_or((unit, 3.0 * min_length), |max| scale.threshold(max));
    if unit != max_unit {
        let key = if form.has("max") { "max" } else { "min" };
        let fault = Fault::new(form.place_of(key), form.path_of(key), "min and max are not in the same unit");
        faults.push(fault.allowed("both in pkt, or both in bytes, time or bdp"));
        return None;
    }
    if min_length >= max_length {
        let fault = Fault::new(form.place_of("min"), form.path_of("min"), "min is not below max");
        let max = max?.map_or(max_length.to_string(), |max| max.to_string());
        faults.push(fault.given(min.to_string()).allowed(format!("less than max, {max}")));
        return None;
    }
    Some(Discipline::Red(red::Config {
        unit,
        min: min_length,
        max: max_length,
        max_p: max_p?,
        weight: weight?,
        gentle: gentle?,
        wait: wait?,
        ecn: ecn?,
        limit: limit?,
        mean_packet: scale.packet,
    }))
}

impl Scale {
    /// A length in bytes, rounded down.
    fn bytes(self, quantity: Quantity) -> u64 {
        match quantity {
            Quantity::Size(bytes) => bytes.count(),
            Quantity::Time(span) => self.bytes_in(span),
            // A factor such as 0.1 is no exact float: its last digit must not cost a byte.
            Quantity::Bdp(factor) => (self.bytes_in(self.rtt) as f64 * factor + 1e-6) as u64,
            other => unreachable!("{other} is no length in bytes"),
        }
    }

    fn bytes_in(self, span: Span) -> u64 {
        let bits = u128::from(self.mean.as_bps()) * u128::from(span.as_ps());
        u64::try_from(bits / 8_000_000_000_000).unwrap_or(u64::MAX)
    }

    /// A threshold in the unit in which it was written.
    fn threshold(self, quantity: Quantity) -> (red::Unit, f64) {
        match quantity {
            Quantity::Packets(number) => (red::Unit::Packets, number),
            other => (red::Unit::Bytes, self.bytes(other) as f64),
        }
    }
}

/// The key `loss`: `Some(None)` for none.
#[expect(clippy::option_option, reason = "None stands for a faulty value, as everywhere in this module")]
fn loss(table: &Table) -> Option<Option<LossModel>> {
    if !table.has("loss") {
        return Some(None);
    }
    let (kind, form) = table.value("loss")?.variant();
    let probability = |key| form.given(key, Checked::number);
    Some(Some(match kind {
        "bernoulli" => LossModel::Bernoulli { rate: probability("rate")? },
        "gilbert-elliott" => LossModel::GilbertElliott {
            good_to_bad: probability("good_to_bad")?,
            bad_to_good: probability("bad_to_good")?,
            loss_good: form.read("loss_good", 0.0, Checked::number)?,
            loss_bad: form.read("loss_bad", 1.0, Checked::number)?,
        },
        other => unreachable!("the keys know no loss of kind {other}"),
    }))
}

/// The largest packet of IP, which the wire's 16-bit size holds too.
const LARGEST_PACKET: u64 = 65_535;
