//! `[[network.edges]]` and `[network.hosts]`.

use super::super::super::diagnostic::{Fault, nearest};
use super::super::super::table::{Checked, Table};
use super::super::super::walk::list;
use super::Draft;
use crate::model::HostModel;
use crate::network::{Edge, Edges};
use narrows_units::{Rate, Span};

/// The edges written, or those of the generator; `Some(None)` where there are none.
#[expect(clippy::option_option, reason = "None stands for a faulty value, as everywhere in this module")]
pub(super) fn resolve(
    table: &Table,
    draft: &Draft,
    access_rate: Rate,
    faults: &mut Vec<Fault>,
) -> Option<Option<Edges>> {
    let mut all = draft.edges.clone();
    if table.has("edges") {
        all = Vec::new();
        for form in table.value("edges")?.tables() {
            all.push(edge(form, draft, &all, faults)?);
        }
        if all.len() < 2 {
            let fault =
                Fault::new(table.place_of("edges"), table.path_of("edges"), "transfers go from edge to edge");
            faults.push(fault.given("1").allowed("at least two"));
            return None;
        }
    }
    let nothing = Table::new("network.hosts", &table.place);
    let form = table.section("hosts", &nothing)?;
    let usual = if draft.edges.is_empty() { access_rate } else { NORMAL_HOST };
    let normal = form.read("rate", usual, Checked::rate)?;
    let hosts = HostModel {
        normal,
        fast: form.read("fast_rate", Rate::from_bps(normal.as_bps() * 10), Checked::rate)?,
        fast_share: form.read("fast", 0.0, Checked::number)?,
        delay: form.read("delay", Span::ZERO, Checked::span)?,
    };
    Some((!all.is_empty()).then_some(Edges { all, hosts }))
}

fn edge(form: &Table, draft: &Draft, known: &[Edge], faults: &mut Vec<Fault>) -> Option<Edge> {
    let name = form.given("router", Checked::text)?;
    let names = || draft.nodes.iter().map(String::as_str);
    let found = names().position(|node| node == name);
    let fault = |message: &str| Fault::new(form.place_of("router"), form.path_of("router"), message);
    let Some(router) = found else {
        let fault = fault("no such router").given(format!("\"{name}\"")).allowed(list(names()));
        faults.push(fault.nearest(nearest(&name, names())));
        return None;
    };
    if known.iter().any(|edge| edge.router == router as u32) {
        faults.push(fault("the same edge twice").given(format!("\"{name}\"")).allowed("each router once"));
        return None;
    }
    Some(Edge {
        router: router as u32,
        class: form.read("class", "edge".to_owned(), Checked::text)?,
        sources: weight(form, "sources", faults)?,
        receivers: weight(form, "receivers", faults)?,
    })
}

fn weight(form: &Table, key: &str, faults: &mut Vec<Fault>) -> Option<f64> {
    let weight = form.read(key, 1.0, Checked::number)?;
    if weight > 0.0 && weight < 1e9 {
        return Some(weight);
    }
    let fault = Fault::new(form.place_of(key), form.path_of(key), "no weight").given(weight.to_string());
    faults.push(fault.allowed("a number above 0"));
    None
}

/// Eight packets of 1500 bytes each millisecond (Mills et al., NIST SP 500-282, §3).
const NORMAL_HOST: Rate = Rate::from_bps(96_000_000);
