//! The key `queue`: which discipline, and its lengths in packets or bytes.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use super::super::tree::Place;
use super::classes::{self, Groups};
use super::explicit;
use narrows_qdisc::{Discipline, Limit, codel, droptail, drr, dualpi2, fq_codel, pie, red, step};
use narrows_units::{Bytes, Quantity, Rate, Span};

/// What the units of a queue's length mean on this path.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub mean: Rate,
    pub rtt: Span,
    pub packet: Bytes,
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
    pub fn threshold(self, quantity: Quantity) -> (red::Unit, f64) {
        match quantity {
            Quantity::Packets(number) => (red::Unit::Packets, number),
            other => (red::Unit::Bytes, self.bytes(other) as f64),
        }
    }
}

/// Resolves the key `queue` of a link; `absent` gives the limit where there is none, and `groups` are the groups of
/// flows that it may name, `None` if they did not pass.
pub(super) fn resolve(
    table: &Table,
    scale: Option<Scale>,
    absent: fn(Scale) -> Limit,
    groups: Option<&Groups>,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    if !table.has("queue") {
        return Some(Discipline::DropTail(droptail::Config { limit: absent(scale?) }));
    }
    let (kind, form) = table.value("queue")?.variant();
    let scale = scale?;
    let mut common = || limit(form, usual_limit(scale), scale, faults);
    match kind {
        "priority" => classes::priority(form, common(), scale, groups?, faults),
        "rio" => classes::rio(form, common(), scale, groups?, faults),
        _ => of_kind(kind, form, scale, faults),
    }
}

/// The queue of this `kind` that `form` describes; one that favours no group of flows.
pub(super) fn of_kind(kind: &str, form: &Table, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let usual = match kind {
        "codel" | "pie" => Limit::Packets(1_000),
        "fq-codel" => Limit::Packets(10_240),
        "dualpi2" => Limit::Packets(10_000),
        _ => usual_limit(scale),
    };
    let limit = limit(form, usual, scale, faults);
    match kind {
        "droptail" => Some(Discipline::DropTail(droptail::Config { limit: limit? })),
        "red" => early(form, limit, scale, faults),
        "drr" => scheduled(form, limit?, scale),
        "step" => Some(Discipline::Step(step::Config { threshold: threshold(form, scale)?, limit: limit? })),
        "codel" => codel(form, limit?, scale),
        "fq-codel" => fq_codel(form, limit?, scale),
        "pie" => pie(form, limit?, scale, faults),
        "dualpi2" => dualpi2(form, limit?, scale, faults),
        "xcp" => explicit::xcp(form, limit?, scale, faults),
        "rcp" => explicit::rcp(form, limit?, scale, faults),
        "quick-start" => explicit::quick_start(form, limit?, scale, faults),
        other => unreachable!("the keys know no queue of kind {other}"),
    }
}

/// One bandwidth-delay product, but room for a packet.
pub(super) fn usual_limit(scale: Scale) -> Limit {
    Limit::Bytes(scale.bytes(Quantity::Bdp(1.0)).max(scale.packet.count()))
}

/// The key `limit` of a queue. A queue that is written has the `usual` limit, in the reverse direction too.
fn limit(form: &Table, usual: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Limit> {
    if !form.has("limit") {
        return Some(usual);
    }
    length(form.value("limit")?.limit(), form.place_of("limit"), form.path_of("limit"), scale, faults)
}

/// What may wait, of at least a packet; `None` is no limit.
pub(super) fn length(
    written: Option<Quantity>,
    place: &Place,
    path: String,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Option<Limit> {
    let Some(quantity) = written else { return Some(Limit::Unlimited) };
    if let Quantity::Packets(number) = quantity {
        return Some(Limit::Packets(number as u64));
    }
    let bytes = scale.bytes(quantity);
    if bytes < scale.packet.count() {
        let message = format!("a queue of {bytes} bytes is smaller than a packet");
        let fault = Fault::new(place, path, message).given(quantity.to_string());
        faults.push(fault.allowed(format!("at least {}, the size of a packet", scale.packet)));
        return None;
    }
    Some(Limit::Bytes(bytes))
}

fn scheduled(form: &Table, limit: Limit, scale: Scale) -> Option<Discipline> {
    let drop = match form.read("drop", "head", Checked::word)? {
        "tail" => drr::End::Tail,
        _ => drr::End::Head,
    };
    Some(Discipline::Drr(drr::Config { quantum: quantum(form, scale)?, limit, drop }))
}

/// The key `threshold` of a step; at least a byte.
fn threshold(form: &Table, scale: Scale) -> Option<Limit> {
    Some(match form.read("threshold", Some(Quantity::Bdp(0.17)), Checked::limit)? {
        Some(Quantity::Packets(number)) => Limit::Packets(number as u64),
        Some(length) => Limit::Bytes(scale.bytes(length).max(1)),
        None => Limit::Unlimited,
    })
}

fn codel(form: &Table, limit: Limit, scale: Scale) -> Option<Discipline> {
    let ecn = form.read("ecn", false, Checked::flag)?;
    Some(Discipline::Codel(codel::Config { control: control(form, scale)?, ecn, limit }))
}

fn fq_codel(form: &Table, limit: Limit, scale: Scale) -> Option<Discipline> {
    Some(Discipline::FqCodel(fq_codel::Config {
        control: control(form, scale)?,
        ecn: form.read("ecn", true, Checked::flag)?,
        quantum: quantum(form, scale)?,
        queues: form.read("flows", 1_024, Checked::integer)? as u32,
        limit,
    }))
}

fn pie(form: &Table, limit: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let alpha = gain(form, "alpha", 0.125, faults);
    let beta = gain(form, "beta", 1.25, faults);
    Some(Discipline::Pie(pie::Config {
        target: form.read("target", Span::from_ms(15), Checked::span)?,
        update: form.read("update", Span::from_ms(15), Checked::span)?,
        alpha: alpha?,
        beta: beta?,
        burst: form.read("burst", Span::from_ms(150), Checked::span)?,
        ecn: form.read("ecn", false, Checked::flag)?,
        limit,
        mean_packet: scale.packet,
    }))
}

fn dualpi2(form: &Table, limit: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let alpha = gain(form, "alpha", 0.16, faults);
    let beta = gain(form, "beta", 3.2, faults);
    let coupling = gain(form, "coupling", 2.0, faults);
    Some(Discipline::DualPi2(dualpi2::Config {
        target: form.read("target", Span::from_ms(15), Checked::span)?,
        update: form.read("update", Span::from_ms(16), Checked::span)?,
        alpha: alpha?,
        beta: beta?,
        coupling: coupling?,
        step: form.read("step", Span::from_ms(1), Checked::span)?,
        classic_share: form.read("classic_share", 0.1, Checked::number)?,
        limit,
        mtu: scale.packet,
    }))
}

fn control(form: &Table, scale: Scale) -> Option<codel::Control> {
    Some(codel::Control {
        target: form.read("target", Span::from_ms(5), Checked::span)?,
        interval: form.read("interval", Span::from_ms(100), Checked::span)?,
        mtu: scale.packet,
    })
}

fn quantum(form: &Table, scale: Scale) -> Option<Bytes> {
    Some(match form.read("quantum", Some(Quantity::Packets(1.0)), Checked::limit)?? {
        Quantity::Packets(number) => scale.packet * number as u64,
        size => Bytes::new(scale.bytes(size)),
    })
}

/// A factor of a controller: not negative.
fn gain(form: &Table, key: &str, default: f64, faults: &mut Vec<Fault>) -> Option<f64> {
    let value = form.read(key, default, Checked::number)?;
    if value < 0.0 {
        let fault = Fault::new(form.place_of(key), form.path_of(key), "negative").given(value.to_string());
        faults.push(fault.allowed("a number from 0"));
        return None;
    }
    Some(value)
}

fn early(form: &Table, limit: Option<Limit>, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let quantity = |key| form.read(key, None, Checked::limit);
    let (min, max) = (quantity("min"), quantity("max"));
    let max_p = form.read("max_p", 0.1, Checked::number);
    let weight = form.read("weight", 0.002, Checked::number);
    let gentle = form.read("gentle", true, Checked::flag);
    let wait = form.read("wait", true, Checked::flag);
    let ecn = form.read("ecn", false, Checked::flag);
    let adaptive = form.read("adaptive", false, Checked::flag);
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
        adaptive: adaptive?,
        limit: limit?,
        mean_packet: scale.packet,
    }))
}
