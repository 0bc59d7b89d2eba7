//! A source that makes recorded connections again.

use super::super::super::diagnostic::Fault;
use super::super::super::table::{Checked, Table};
use super::super::Surroundings;
use super::file;
use crate::model::Demand;
use crate::network::Transfers;
use crate::trace::hexadecimal;
use crate::traffic::Connection;
use crate::vectors::parse;
use narrows_units::Span;
use sha2::{Digest, Sha256};
use std::path::Path;

/// The connections of a file that begin before `until`, their times counted from `start`.
pub(super) fn resolve(
    form: &Table,
    start: Span,
    until: Span,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Transfers> {
    let (name, path) = file(form, "vectors", around)?;
    let share = form.read("share", 1.0, Checked::number)?;
    let recorded = |key| form.read(key, "recorded", Checked::word).map(|word| word == "recorded");
    let (rtt, window) = (recorded("rtt")?, recorded("window")?);
    let fault = |problem: String| {
        Fault::new(form.place_of("vectors"), form.path_of("vectors"), problem).given(format!("\"{name}\""))
    };
    let (all, digest) = match read(&path) {
        Ok(found) => found,
        Err(problem) => {
            faults.push(fault(problem).allowed("a file of Tmix connection vectors"));
            return None;
        }
    };
    let kept =
        all.into_iter().enumerate().filter(|(number, _)| is_kept(*number, share)).map(|(_, each)| each);
    let connections: Vec<Connection> =
        kept.filter(|each| start + each.start < until).map(|each| heeding(each, rtt, window)).collect();
    if connections.is_empty() {
        let problem = format!("none of its connections begins before {until}");
        faults.push(
            fault(problem).allowed("a connection that begins within the run, and a share that keeps it"),
        );
        return None;
    }
    Some(Transfers {
        seats: connections.len() as u32,
        demand: Demand::Exchanges { connections: connections.into(), side: 0, from: start },
        surges: Vec::new(),
        file: Some((path, digest)),
        share,
    })
}

fn read(path: &Path) -> Result<(Vec<Connection>, String), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok((parse(&text)?, hexadecimal(&Sha256::digest(text))))
}

/// Whether the connection `number` of a file is among the `share` that is kept: evenly spread, the last of each stretch.
fn is_kept(number: usize, share: f64) -> bool {
    let before = |count: usize| (count as f64 * share).floor();
    before(number + 1) > before(number)
}

/// `connection` with only that of what was recorded of its network that is wanted.
fn heeding(mut connection: Connection, rtt: bool, window: bool) -> Connection {
    connection.rtt = connection.rtt.filter(|_| rtt);
    for side in &mut connection.sides {
        side.window = side.window.filter(|_| window);
    }
    connection
}
