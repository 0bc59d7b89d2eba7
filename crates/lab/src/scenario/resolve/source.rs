//! The key `source` of a group, and what a source implies.

use super::super::diagnostic::Fault;
use super::super::table::{AlgorithmText, Checked, Item, Table};
use super::distribution::{self, Unit};
use super::flows::Context;
use super::{rate, transfers};
use crate::model::SourceModel;
use crate::traffic::{Sizes, Spans};
use narrows_units::Rate;

/// Gives groups whose source sends at a rate of its own an algorithm that holds nothing back, and a name, where they have
/// none; every other group must name its algorithm.
pub(super) fn complete(tables: &mut [Table], faults: &mut Vec<Fault>) {
    for table in tables.iter_mut().filter(|table| !table.has("algorithm")) {
        let place = table.place.clone();
        let insert = |table: &mut Table, key, value| {
            table.insert(key, place.clone(), Item { place: place.clone(), value });
        };
        if let Some(kind) = own_rate(table) {
            if !table.has("name") {
                insert(table, "name", Some(Checked::Text(kind.to_owned())));
            }
            let algorithm = AlgorithmText::Line(UNRESPONSIVE.to_owned());
            insert(table, "algorithm", Some(Checked::Algorithm(algorithm)));
        } else {
            let fault = Fault::new(&place, table.path_of("algorithm"), "missing, and it has no default");
            faults.push(fault.allowed("the name of an algorithm; a source of kind cbr or onoff needs none"));
            insert(table, "algorithm", None);
        }
    }
}

/// The kind of the group's source, if it sends at a rate of its own.
pub(super) fn own_rate(table: &Table) -> Option<&'static str> {
    table.given("source", |source| source.variant().0).filter(|kind| matches!(*kind, "cbr" | "onoff"))
}

/// Resolves the key `source` of flows that stay; what comes and goes writes all of a transfer as it begins.
pub(super) fn resolve(table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<SourceModel> {
    if !table.has("source") {
        return Some(SourceModel::Bulk);
    }
    let (kind, form) = table.value("source")?.variant();
    let mut spans = |key| distribution::resolve(form, key, Unit::Seconds, context.around, faults).map(Spans);
    let source = match kind {
        "bulk" => SourceModel::Bulk,
        "cbr" => return constant(table, form, context, faults),
        "onoff" => {
            let (on, off) = (spans("on"), spans("off"));
            SourceModel::OnOff { rate: form.given("rate", Checked::rate)?, on: on?, off: off? }
        }
        "writes" => {
            let interval = spans("interval");
            let size = distribution::resolve(form, "size", Unit::Bytes, context.around, faults);
            SourceModel::Writes { interval: interval?, size: Sizes(size?) }
        }
        kind if transfers::KINDS.contains(&kind) => SourceModel::Bulk,
        other => unreachable!("the keys know no source of kind {other}"),
    };
    if source.acts(context.duration?) > MOST_ACTS {
        let message = format!("it would act more than {MOST_ACTS} times");
        let fault = Fault::new(table.place_of("source"), table.path_of("source"), message);
        faults.push(fault.allowed("longer times"));
        return None;
    }
    Some(source)
}

fn constant(
    table: &Table,
    form: &Table,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<SourceModel> {
    let key = match (form.has("rate"), form.has("leaves")) {
        (true, false) => "rate",
        (false, true) => "leaves",
        _ => {
            let fault = Fault::new(form.place_of("rate"), form.path_of("rate"), "either rate or leaves");
            faults.push(fault.allowed("exactly one of the two"));
            return None;
        }
    };
    let resolved = rate::resolve(form, key, context.duration, context.around, faults)?;
    let others = form.given("sharing", |value| value.integer() as u32).filter(|&others| others > 0);
    if key == "rate" {
        if others.is_some() {
            let fault = Fault::new(
                form.place_of("sharing"),
                form.path_of("sharing"),
                "of a rate that is shared with nobody",
            );
            faults.push(fault.allowed("leaves instead of rate"));
            return None;
        }
        return Some(SourceModel::Rate(resolved.rate));
    }
    let whole = whole(form, context, faults)?;
    if resolved.greatest_bps() > whole.as_bps() as f64 {
        let fault = Fault::new(form.place_of(key), form.path_of(key), "more than there is");
        faults.push(fault.allowed(format!("at most the rate of the path, {whole}")));
        return None;
    }
    let left = resolved.rate;
    Some(match others {
        None => SourceModel::Leaving { whole, left },
        Some(others) => {
            let count = table.read("count", 1, Checked::integer)? as u32;
            SourceModel::Sharing { whole, left, others, count }
        }
    })
}

/// The rate of the path, of which a source leaves a part.
fn whole(form: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Rate> {
    if context.in_network {
        let fault = Fault::new(form.place_of("leaves"), form.path_of("leaves"), "a network has no one rate");
        faults.push(fault.allowed("rate instead of leaves"));
        return None;
    }
    match context.path?.value("rate")? {
        Checked::Variant(..) => {
            let message = "nothing can be left of a rate that changes by itself";
            let fault = Fault::new(form.place_of("leaves"), form.path_of("leaves"), message);
            faults.push(fault.allowed("a constant path.rate, or rate instead of leaves"));
            None
        }
        plain => Some(plain.rate()),
    }
}

/// What sends at once whatever is written.
const UNRESPONSIVE: &str = "constant(rate=1000Gbps)";

/// Switches or writes of one source in one run.
const MOST_ACTS: f64 = 1e7;
