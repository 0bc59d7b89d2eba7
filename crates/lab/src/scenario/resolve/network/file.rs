//! `[network.graph]`: links from a GraphML file.

use super::super::super::diagnostic::Fault;
use super::super::super::table::{Checked, Table};
use super::super::super::tree::Place;
use super::super::rate::Source;
use super::links::{link, of_rate};
use super::{Context, Draft};
use crate::model::RateModel;
use crate::network::graphml::{self, Assumptions, Edge};
use crate::trace::hexadecimal;
use narrows_units::Span;
use sha2::{Digest, Sha256};

/// The links of the file that `table` names.
pub(super) fn read(table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Draft> {
    let name = table.given("file", Checked::text)?;
    let factor = table.read("delay_factor", 1.0, Checked::number)?;
    if !(factor > 0.0 && factor <= LARGEST_FACTOR) {
        let fault = Fault::new(table.place_of("delay_factor"), table.path_of("delay_factor"), "out of range");
        faults.push(fault.given(factor.to_string()).allowed(format!("above 0 and up to {LARGEST_FACTOR}")));
        return None;
    }
    let assumptions = Assumptions {
        rate: table.read("rate", None, |value| Some(value.rate()))?,
        delay: table.read("delay", None, |value| Some(value.span()))?,
        drawing_unit: table.read("drawing_unit", None, |value| Some(value.span()))?,
        factor,
    };
    let base = match table.place_of("file") {
        Place::File(_) => context.around.directory,
        // What is typed on the command line is relative to where it is typed.
        _ => &context.around.options.overrides_directory,
    };
    let file = base.join(&name);
    let bytes = std::fs::read(&file).map_err(|error| format!("cannot be read: {error}"));
    let read = bytes.and_then(|bytes| {
        let text = std::str::from_utf8(&bytes).map_err(|_| "not UTF-8 text".to_owned())?;
        let imported = graphml::import(text, &assumptions)?;
        Ok((hexadecimal(&Sha256::digest(&bytes)), imported))
    });
    let (digest, imported) = match read {
        Ok(read) => read,
        Err(problem) => {
            let fault = Fault::new(table.place_of("file"), table.path_of("file"), problem);
            faults.push(
                fault.given(format!("\"{name}\"")).allowed("a GraphML file whose edges join its nodes"),
            );
            return None;
        }
    };
    let path = std::path::absolute(&file).unwrap_or(file.clone());
    let stem = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let note = format!("{stem} (SHA-256 {digest}): {}", imported.assumed.join("; "));
    let mut draft = Draft {
        nodes: imported.nodes,
        note: Some(note.chars().filter(|c| !c.is_control()).collect()),
        file: Some((path, digest)),
        ..Draft::default()
    };
    for Edge { from, to, rate, delay } in imported.edges {
        let source = Source { rate: RateModel::Constant(rate), file: None };
        let direction = of_rate(&[table], source, context, faults)?;
        for (from, to) in [(from, to), (to, from)] {
            let name = format!("{}-{}", draft.nodes[from as usize], draft.nodes[to as usize]);
            draft.push(link(&name, from, to, delay.max(LEAST_DELAY), &direction), &direction.source);
        }
        draft.pair();
    }
    Some(draft)
}

/// Routers in the same place: two kilometres of fibre.
const LEAST_DELAY: Span = Span::from_ps(10_000_000);

/// No fibre takes such a detour.
const LARGEST_FACTOR: f64 = 1000.0;
