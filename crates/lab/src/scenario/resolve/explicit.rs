//! The queues that answer requests: XCP, RCP and Quick-Start.

use super::super::diagnostic::Fault;
use super::super::table::{Checked, Table};
use super::queue::{Scale, of_kind};
use narrows_qdisc::quick_start::Encoding;
use narrows_qdisc::{Discipline, Limit, droptail, quick_start, rcp, xcp};
use narrows_units::Span;

pub(super) fn xcp(form: &Table, limit: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let discipline = discipline(form, limit, scale, faults);
    Some(Discipline::Xcp(xcp::Config {
        alpha: form.read("alpha", 0.4, Checked::number)?,
        beta: form.read("beta", 0.226, Checked::number)?,
        gamma: form.read("gamma", 0.1, Checked::number)?,
        min_interval: form.read("min_interval", Span::from_ms(1), Checked::span)?,
        max_interval: form.read("max_interval", Span::from_ms(1000), Checked::span)?,
        initial_interval: form.read("initial_interval", Span::from_ms(50), Checked::span)?,
        discipline: discipline?,
    }))
}

pub(super) fn rcp(form: &Table, limit: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Discipline> {
    let discipline = discipline(form, limit, scale, faults);
    Some(Discipline::Rcp(rcp::Config {
        alpha: form.read("alpha", 0.1, Checked::number)?,
        beta: form.read("beta", 1.0, Checked::number)?,
        gain: form.read("gain", 0.02, Checked::number)?,
        interval: form.read("interval", Span::from_ms(10), Checked::span)?,
        initial: form.read("initial", 0.05, Checked::number)?,
        packet: scale.packet,
        discipline: discipline?,
    }))
}

pub(super) fn quick_start(
    form: &Table,
    limit: Limit,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    let discipline = discipline(form, limit, scale, faults);
    let encoding = form.read("encoding", "rfc4782", Checked::word)?;
    Some(Discipline::QuickStart(quick_start::Config {
        threshold: form.read("threshold", 0.85, Checked::number)?,
        share: form.read("share", 0.85, Checked::number)?,
        interval: form.read("interval", Span::from_ms(200), Checked::span)?,
        encoding: match encoding {
            "rfc4782" => Encoding::Rfc4782,
            "linear" => Encoding::Linear,
            "exact" => Encoding::Exact,
            other => unreachable!("the keys know no encoding {other}"),
        },
        discipline: discipline?,
    }))
}

/// How packets wait: the key `discipline`, else `DropTail` with `limit`.
fn discipline(form: &Table, limit: Limit, scale: Scale, faults: &mut Vec<Fault>) -> Option<Box<Discipline>> {
    if !form.has("discipline") {
        return Some(Box::new(Discipline::DropTail(droptail::Config { limit })));
    }
    if form.has("limit") {
        let message = "the discipline has a limit of its own";
        let fault = Fault::new(form.place_of("limit"), form.path_of("limit"), message);
        faults.push(fault.allowed(format!("{}.limit", form.path_of("discipline"))));
        return None;
    }
    let (kind, own) = form.value("discipline")?.variant();
    of_kind(kind, own, scale, faults).map(Box::new)
}
