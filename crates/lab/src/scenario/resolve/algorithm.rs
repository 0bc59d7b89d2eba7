//! The key `algorithm` of a group: what it says, and what `compare` puts in its place.

use super::super::diagnostic::Fault;
use super::super::table::{AlgorithmText, Checked, Table};
use super::super::tree::Place;
use super::Surroundings;
use crate::algorithm::{self, Control, GuestAlgorithm};
use narrows_cc::catalogue::{self, Algorithm, Value};
use std::path::{Path, absolute};

/// Resolves the algorithm of the group that `table` describes, with `typed` in its place where there is one.
pub(super) fn resolve(
    table: &Table,
    typed: Option<&str>,
    preset: &str,
    around: &Surroundings<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Control> {
    let path = table.path_of("algorithm");
    let place = table.place_of("algorithm");
    let text = table.given("algorithm", |value| match value {
        Checked::Algorithm(text) => text.clone(),
        other => unreachable!("{other:?} is no algorithm"),
    })?;
    let own = match &text {
        AlgorithmText::Line(text) if text == SUBJECT => None,
        AlgorithmText::Line(text) => Some(line(text, preset, (place, &path), around)),
        AlgorithmText::Parts { name, name_place, values } => {
            let given = values.iter().map(|(key, value, _)| (key.clone(), value.clone())).collect();
            Some(if is_guest(name) {
                guest(name, given, (name_place, &format!("{path}.name")), around)
            } else {
                let parsed = Algorithm::among(algorithm::listed(), variant(name, preset), given);
                parsed.map(Control::Listed).map_err(|fault| locate(&fault, place, name_place, values, &path))
            })
        }
    };
    let own = own.transpose().map_err(|fault| faults.push(fault)).ok()?;
    match (own, typed) {
        (_, Some(typed)) => {
            let typed = line(typed.trim(), preset, (&Place::CommandLine, "algorithm"), around);
            typed.map_err(|fault| faults.push(fault)).ok()
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

/// Reads `name(parameter=value, …)`.
fn line(
    text: &str,
    preset: &str,
    (place, path): (&Place, &str),
    around: &Surroundings<'_>,
) -> Result<Control, Fault> {
    let (name, parameters) = split(text);
    let Some(given) = catalogue::parameters(parameters).filter(|_| !name.is_empty()) else {
        return Err(describe(&catalogue::Fault::Form { given: text.to_owned() }, place, path));
    };
    if is_guest(name) {
        return guest(name, given, (place, path), around);
    }
    let parsed = Algorithm::among(algorithm::listed(), variant(name, preset), given);
    parsed.map(Control::Listed).map_err(|fault| describe(&fault, place, path))
}

/// Loads an algorithm from its file.
fn guest(
    name: &str,
    given: Vec<(String, Value)>,
    (place, path): (&Place, &str),
    around: &Surroundings<'_>,
) -> Result<Control, Fault> {
    let fault = |message: &str| Fault::new(place, path, message).given(format!("\"{name}\""));
    let Some((file, class)) =
        name.rsplit_once(':').filter(|(file, class)| !file.is_empty() && !class.is_empty())
    else {
        return Err(fault("a file without the name of an algorithm in it").allowed(GUEST_FORM));
    };
    let count = |key: &str| given.iter().filter(|(other, _)| other == key).count();
    if let Some((twice, _)) = given.iter().find(|(key, _)| count(key) > 1) {
        return Err(fault(&format!("{twice} is given twice")));
    }
    let Some(guests) = &around.options.guests else {
        return Err(fault("no algorithm can be loaded from a file here").allowed("a name of the catalogue"));
    };
    let base =
        if matches!(place, Place::File(_)) { around.directory } else { &around.options.overrides_directory };
    let file = base.join(file);
    let file = absolute(&file).unwrap_or(file);
    let loaded = guests.load(&file, class, &given);
    let guest = loaded.map_err(|why| fault(&why.message).allowed(why.allowed).hint(why.hint))?;
    Ok(Control::Guest(GuestAlgorithm { file, name: class.to_owned(), parameters: given, guest }))
}

/// The name is that of something in a file.
fn is_guest(name: &str) -> bool {
    name.contains(':') || Path::new(name).extension().is_some_and(|extension| extension == "py")
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

/// The name and the parenthesis behind it; a folder's name may hold one too.
pub(super) fn split(line: &str) -> (&str, &str) {
    let from = line.find(".py").unwrap_or(0);
    let (name, parameters) = line.split_at(line[from..].find('(').map_or(line.len(), |at| from + at));
    (name.trim(), parameters)
}

/// What a group is called that has no name of its own but an algorithm of this name.
pub(super) fn group_name(algorithm: &str) -> &str {
    if is_guest(algorithm) { algorithm.rsplit(':').next().unwrap_or(algorithm) } else { algorithm }
}

fn describe(fault: &catalogue::Fault, place: &Place, path: &str) -> Fault {
    let known = || algorithm::listed().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
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

const GUEST_FORM: &str = "a file and a class in it, as in \"./mine.py:Mine\"";
