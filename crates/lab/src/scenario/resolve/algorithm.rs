//! The key `algorithm` of a group: what it says, and what `compare` puts in its place.

use super::super::diagnostic::Fault;
use super::super::table::{AlgorithmText, Checked, Table};
use super::super::tree::Place;
use narrows_cc::catalogue::{self, Algorithm};

/// Resolves the algorithm of the group that `table` describes, with `typed` in its place where there is one.
pub(super) fn resolve(
    table: &Table,
    typed: Option<&str>,
    preset: &str,
    faults: &mut Vec<Fault>,
) -> Option<Algorithm> {
    let path = table.path_of("algorithm");
    let place = table.place_of("algorithm");
    let text = table.given("algorithm", |value| match value {
        Checked::Algorithm(text) => text.clone(),
        other => unreachable!("{other:?} is no algorithm"),
    })?;
    let own = match &text {
        AlgorithmText::Line(line) if line == SUBJECT => None,
        AlgorithmText::Line(line) => {
            let (name, parameters) = split(line);
            let parsed = Algorithm::parse(&format!("{}{parameters}", variant(name, preset)));
            Some(parsed.map_err(|fault| faults.push(describe(&fault, place, &path))).ok()?)
        }
        AlgorithmText::Parts { name, name_place, values } => {
            let given = values.iter().map(|(key, value, _)| (key.clone(), value.clone())).collect();
            let parsed = Algorithm::new(variant(name, preset), given);
            Some(parsed.map_err(|fault| faults.push(locate(&fault, place, name_place, values, &path))).ok()?)
        }
    };
    match (own, typed) {
        (_, Some(typed)) => {
            let (name, parameters) = split(typed.trim());
            let parsed = Algorithm::parse(&format!("{}{parameters}", variant(name, preset)));
            parsed.map_err(|fault| faults.push(describe(&fault, &Place::CommandLine, "algorithm"))).ok()
        }
        (Some(own), None) => Some(own),
        (None, None) => {
            let fault = Fault::new(place, path, "nothing is put to the test here").given("\"subject\"");
            let fault = fault.allowed("the name of an algorithm, unless `narrows compare` runs the scenario");
            faults.push(fault.hint(Some("run it with `narrows compare ALGORITHM … --scenario FILE`".into())));
            None
        }
    }
}

/// Linux counts windows in whole packets, and its CUBIC is another program than RFC 9438: in its preset the names mean
/// that.
fn variant<'a>(name: &'a str, preset: &str) -> &'a str {
    match name {
        "cubic" if preset == "linux" => "cubic-linux",
        "reno" | "newreno" if preset == "linux" => "reno-linux",
        _ => name,
    }
}

/// The name and the parenthesis behind it.
pub(super) fn split(line: &str) -> (&str, &str) {
    let (name, parameters) = line.split_at(line.find('(').unwrap_or(line.len()));
    (name.trim(), parameters)
}

fn describe(fault: &catalogue::Fault, place: &Place, path: &str) -> Fault {
    let known = || catalogue::entries().iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    match fault {
        catalogue::Fault::UnknownName { given, nearest } => Fault::new(place, path, "unknown algorithm")
            .given(format!("\"{given}\""))
            .allowed(known())
            .nearest(*nearest),
        catalogue::Fault::UnknownParameter { given, allowed, nearest } => {
            let allowed = if allowed.is_empty() { "no parameter at all".into() } else { allowed.join(", ") };
            Fault::new(place, path, "unknown parameter of the algorithm")
                .given(given)
                .allowed(allowed)
                .nearest(*nearest)
        }
        catalogue::Fault::BadValue { parameter, given, allowed } => {
            Fault::new(place, path, format!("{parameter} cannot have this value"))
                .given(given)
                .allowed(allowed.as_str())
        }
        catalogue::Fault::Repeated { parameter } => {
            Fault::new(place, path, format!("{parameter} is given twice"))
        }
        catalogue::Fault::Form { given } => {
            Fault::new(place, path, "neither a name nor a name with parameters")
                .given(format!("\"{given}\""))
                .allowed("as in \"cubic\" or \"aimd(a=1,b=0.8)\"")
        }
    }
}

/// As [`describe`], at the key of a table that is to blame.
fn locate(
    fault: &catalogue::Fault,
    place: &Place,
    name_place: &Place,
    values: &[(String, catalogue::Value, Place)],
    path: &str,
) -> Fault {
    let blamed = match fault {
        catalogue::Fault::UnknownName { .. } => return describe(fault, name_place, &format!("{path}.name")),
        catalogue::Fault::UnknownParameter { given, .. } => given.as_str(),
        catalogue::Fault::BadValue { parameter, .. } | catalogue::Fault::Repeated { parameter } => parameter,
        catalogue::Fault::Form { .. } => return describe(fault, place, path),
    };
    let place = values.iter().find(|(key, ..)| key == blamed).map_or(place, |(.., place)| place);
    describe(fault, place, &format!("{path}.{blamed}"))
}

/// The word that stands for whatever `compare` puts to the test.
pub(super) const SUBJECT: &str = "subject";
