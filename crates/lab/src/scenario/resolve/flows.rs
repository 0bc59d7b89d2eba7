//! `[[flows]]`: groups of equal flows.

use super::super::diagnostic::Fault;
use super::super::table::{AlgorithmText, Checked, Table};
use super::super::tree::Place;
use super::transport::{self, Scale};
use crate::model::Start;
use crate::network::dumbbell::Group;
use narrows_cc::catalogue::{self, Algorithm};
use narrows_units::{Quantity, Span};

/// A group and the preset that its endpoints came from.
pub(super) struct Resolved {
    pub group: Group,
    pub preset: &'static str,
}

/// What a group depends on.
pub(super) struct Context<'a> {
    pub duration: Option<Span>,
    pub path: Option<&'a Table>,
    pub path_rtt: Option<Span>,
    /// The bottleneck's delay, where it is written.
    pub delay: Option<Span>,
    /// What `compare` puts to the test.
    pub subject: Option<&'a str>,
    /// `None` if the path did not pass.
    pub scale: Option<Scale<'a>>,
}

/// Resolves every group; `None` if a fault stands in the way.
pub(super) fn resolve(
    tables: &[Table],
    transport: Option<&Table>,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Vec<Resolved>> {
    unique_names(tables, faults);
    let marked: Vec<bool> = tables.iter().map(is_subject).collect();
    // Where no group is marked, all are put to the test.
    let all = context.subject.is_some() && !marked.contains(&true);
    let groups: Vec<Option<Resolved>> = tables
        .iter()
        .zip(marked)
        .map(|(table, marked)| group(table, marked || all, transport, context, faults))
        .collect();
    groups.into_iter().collect()
}

fn group(
    table: &Table,
    subject: bool,
    transport: Option<&Table>,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Resolved> {
    let layers: Vec<&Table> = [Some(table), transport].into_iter().flatten().collect();
    let preset = transport::preset(&layers);
    let denied = table.value("subject").is_some_and(|value| !value.flag());
    let algorithm = if denied && written(table).as_deref() == Some(SUBJECT) {
        let fault =
            Fault::new(table.place_of("subject"), table.path_of("subject"), "the algorithm says otherwise");
        faults.push(fault.given("false").allowed("true, or an algorithm by name"));
        None
    } else {
        preset.and_then(|preset| algorithm(table, subject, preset, context, faults))
    };
    let start = table.read("start", (Span::ZERO, Span::ZERO), |value| match value {
        Checked::Range(first, last) => (*first, *last),
        other => unreachable!("{other:?} is no range of times"),
    });
    if let (Some((_, last)), Some(duration)) = (start, context.duration)
        && last >= duration
    {
        let fault = Fault::new(
            table.place_of("start"),
            table.path_of("start"),
            "a flow that starts after the run ends",
        );
        faults.push(fault.given(last.to_string()).allowed(format!("before the duration, {duration}")));
    }
    let rtt = table.read("rtt", None, |value| Some(value.span()));
    let rtt = rtt.and_then(|rtt| rtt.or(context.path_rtt)).filter(|rtt| fits(*rtt, table, context, faults));
    let size = table.read("size", None, Checked::limit);
    let count = table.read("count", 1, Checked::integer);
    let direction = table.read("direction", "forward", Checked::word);
    // Bulk is the only source so far; what the walk lets pass is bulk.
    let source = table.read("source", (), |_| ());
    let endpoint =
        context.scale.and_then(|scale| transport::resolve(&layers, algorithm.as_ref(), scale, faults));
    let (endpoint, start) = (endpoint?, start?);
    source?;
    Some(Resolved {
        preset: endpoint.preset,
        group: Group {
            name: name(table)?,
            algorithm: algorithm?,
            subject,
            count: count?,
            start: if start.0 == start.1 { Start::At(start.0) } else { Start::Between(start.0, start.1) },
            size: size?.map(|size| match size {
                Quantity::Size(bytes) => bytes,
                other => unreachable!("{other} is no size"),
            }),
            rtt: rtt?,
            reverse: direction? == "reverse",
            transport: endpoint.options,
            send_delay: endpoint.send_delay,
        },
    })
}

fn is_subject(table: &Table) -> bool {
    table.read("subject", false, Checked::flag).unwrap_or(false) || written(table).as_deref() == Some(SUBJECT)
}

/// The name of the algorithm as written, without parameters.
fn written(table: &Table) -> Option<String> {
    table.given("algorithm", |value| match value {
        Checked::Algorithm(AlgorithmText::Line(text)) => split(text).0.to_owned(),
        Checked::Algorithm(AlgorithmText::Parts { name, .. }) => name.clone(),
        other => unreachable!("{other:?} is no algorithm"),
    })
}

/// The group's name: its own, else its algorithm's.
fn name(table: &Table) -> Option<String> {
    if table.has("name") { table.given("name", Checked::text) } else { written(table) }
}

fn unique_names(tables: &[Table], faults: &mut Vec<Fault>) {
    let mut seen: Vec<String> = Vec::new();
    for table in tables {
        let Some(name) = name(table) else { continue };
        if seen.contains(&name) {
            let key = if table.has("name") { "name" } else { "algorithm" };
            let message = format!("two groups are called `{name}`");
            let fault =
                Fault::new(table.place_of(key), table.path_of(key), message).given(format!("\"{name}\""));
            let hint = "a group without a name takes its algorithm's; give this one a name of its own";
            faults.push(fault.allowed("a name that no other group has").hint(Some(hint.into())));
        }
        seen.push(name);
    }
}

fn fits(rtt: Span, table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> bool {
    let Some(delay) = context.delay.filter(|delay| *delay * 2 > rtt) else { return true };
    let table = if table.has("rtt") { Some(table) } else { context.path };
    let table = table.expect("a path with a delay is a table");
    let message = format!("a round trip of {rtt} is shorter than twice path.delay, {delay}");
    let fault = Fault::new(table.place_of("rtt"), table.path_of("rtt"), message).given(rtt.to_string());
    faults.push(fault.allowed(format!("at least {}", delay * 2)));
    false
}

fn algorithm(
    table: &Table,
    subject: bool,
    preset: &str,
    context: &Context<'_>,
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
    match (own, context.subject.filter(|_| subject)) {
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
fn split(line: &str) -> (&str, &str) {
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
const SUBJECT: &str = "subject";
