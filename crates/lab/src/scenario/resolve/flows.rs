//! `[[flows]]`: groups of equal flows.

use super::super::diagnostic::Fault;
use super::super::table::{AlgorithmText, Checked, Table};
use super::algorithm::{self, SUBJECT, group_name, split};
use super::course;
use super::distribution::{self, Unit};
use super::source;
use super::transfers::{self, Beside};
use super::transport::{self, Scale};
use super::{Network, Surroundings};
use crate::model::{Demand, Start};
use crate::network::{self, Course, Group, Transfers};
use crate::traffic::{Distribution, Sizes, Spans};
use narrows_cc::Transport;
use narrows_units::Span;
use std::ops::Range;

/// A group and the preset that its endpoints came from.
pub(super) struct Resolved {
    pub group: Group,
    pub preset: &'static str,
}

/// What a group depends on.
pub(super) struct Context<'a> {
    pub around: &'a Surroundings<'a>,
    pub duration: Option<Span>,
    /// The flows are in a network, which is `None` if it did not pass.
    pub in_network: bool,
    pub network: Option<&'a Network>,
    pub path: Option<&'a Table>,
    pub path_rtt: Option<Span>,
    /// The bottleneck's delay, where it is written.
    pub delay: Option<Span>,
    /// What `compare` puts to the test.
    pub subject: Option<&'a str>,
    /// `None` if the path did not pass.
    pub scale: Option<Scale<'a>>,
}

/// Resolves every group and leaves out those without flows; `None` if a fault stands in the way.
pub(super) fn resolve(
    tables: &[Table],
    transport: Option<&Table>,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Vec<Resolved>> {
    unique_names(tables, faults);
    let marked: Vec<bool> = tables.iter().map(is_subject).collect();
    // Where no group is marked, all are put to the test whose rate is not their source's.
    let all = context.subject.is_some() && !marked.contains(&true);
    let groups: Vec<Option<Resolved>> = tables
        .iter()
        .zip(marked)
        .map(|(table, marked)| {
            let tested = marked || (all && source::own_rate(table).is_none());
            group(table, tested, transport, context, faults)
        })
        .collect();
    let mut groups: Vec<Resolved> = groups.into_iter().collect::<Option<_>>()?;
    groups.retain(|resolved| resolved.group.count > 0);
    if let Some(table) = tables.last().filter(|_| groups.is_empty()) {
        let fault = Fault::new(table.place_of("count"), table.path_of("count"), "every group is left out");
        faults.push(fault.given("0").allowed("a group with a flow at least"));
        return None;
    }
    Some(groups)
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
        let typed = context.subject.filter(|_| subject);
        preset.and_then(|preset| algorithm::resolve(table, typed, preset, context.around, faults))
    };
    let start = table.read("start", (Span::ZERO, Span::ZERO), Checked::range);
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
    let course = course::course(table, context, faults);
    let scale = course::scale(course.as_ref(), context);
    let rtt = rtt(table, course.as_ref(), context, faults);
    let size = size(table, context, faults);
    let source = source::resolve(table, context, faults);
    let endpoint = scale.and_then(|scale| transport::resolve(&layers, algorithm.as_ref(), scale, faults));
    let (mut endpoint, start, size, source) = (endpoint?, start?, size?, source?);
    // A source of its own rate spaces its packets itself.
    if source.has_rate() && !layers.iter().any(|layer| layer.has("send_delay")) {
        endpoint.send_delay = Span::ZERO;
    }
    let start = if start.0 == start.1 { Start::At(start.0) } else { Start::Between(start.0, start.1) };
    let written = if table.has("source") { Some(table.value("source")?.variant()) } else { None };
    let transfers = match written {
        Some((kind, form)) if transfers::KINDS.contains(&kind) => {
            let beside =
                Beside { count: count(table)?, start, sized: size.is_some(), duration: context.duration };
            Some(transfers::resolve(kind, form, table, &beside, context.around, faults)?)
        }
        _ => None,
    };
    let (algorithm, options) = (algorithm?, endpoint.options);
    if let Some(Transfers { demand: Demand::Exchanges { .. }, .. }) = transfers
        && algorithm.transport(&options.setup(0)) != Transport::Reliable
    {
        let message = "who waits for data must get all of it, and datagrams may be lost";
        let fault = Fault::new(table.place_of("algorithm"), table.path_of("algorithm"), message);
        faults.push(fault.allowed("an algorithm of TCP for a source of kind vectors"));
        return None;
    }
    Some(Resolved {
        preset: endpoint.preset,
        group: Group {
            name: name(table)?,
            algorithm,
            subject,
            count: count(table)?,
            transfers,
            start,
            source,
            size,
            rtt: rtt?,
            course: course?,
            transport: options,
            send_delay: endpoint.send_delay,
        },
    })
}

/// What each flow transfers: `Some(None)` is endless.
#[expect(clippy::option_option, reason = "None stands for a faulty value, as everywhere in this module")]
fn size(table: &Table, context: &Context<'_>, faults: &mut Vec<Fault>) -> Option<Option<Sizes>> {
    if !table.has("size") || matches!(table.value("size")?, Checked::Unlimited) {
        return Some(None);
    }
    distribution::resolve(table, "size", Unit::Bytes, context.around, faults).map(|size| Some(Sizes(size)))
}

/// The round trip of each flow.
fn rtt(
    table: &Table,
    course: Option<&Course>,
    context: &Context<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Spans> {
    let between = match (course, context.network) {
        (Some(Course::Routers(trip)), Some(network)) => Some((trip, network)),
        // Every pair of edges has its own; what is said of the group is what buffers count.
        (Some(Course::Edges), Some(network)) => {
            return Some(Spans(Distribution::Constant(distribution::seconds(network.rtt))));
        }
        _ if context.in_network => return None,
        _ => None,
    };
    let rtt = if table.has("rtt") {
        Spans(distribution::resolve(table, "rtt", Unit::Seconds, context.around, faults)?)
    } else {
        let usual = between.map_or(context.path_rtt, |(trip, network)| Some(network.propagation(trip)));
        Spans(Distribution::Constant(distribution::seconds(usual?)))
    };
    let drawn = rtt.constant().is_none();
    let fault = |message: &str| Fault::new(table.place_of("rtt"), table.path_of("rtt"), message);
    if drawn && rtt.mean() > LONGEST_MEAN {
        faults.push(fault("the mean is longer than any path").allowed(format!("at most {LONGEST_MEAN}")));
        return None;
    }
    if drawn && !context.in_network && context.delay.is_none() && rtt.least() == Span::ZERO {
        let allowed = "path.delay, or a distribution with a smallest value above zero";
        faults.push(fault("round trips of any shortness leave no delay for the bottleneck").allowed(allowed));
        return None;
    }
    let fits = drawn
        || match between {
            Some((trip, network)) => course::fits(rtt.mean(), trip, network, table, faults),
            None => fits(rtt.mean(), table, context, faults),
        };
    fits.then_some(rtt)
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
    if table.has("name") {
        table.given("name", Checked::text)
    } else {
        written(table).map(|name| group_name(&name).to_owned())
    }
}

/// Name and seats of every group; `None` if one did not pass.
pub(super) fn names(
    tables: &[Table],
    duration: Option<Span>,
    around: &Surroundings<'_>,
) -> Option<Vec<(String, Range<u64>)>> {
    let tables: Vec<&Table> = tables.iter().filter(|table| count(table) != Some(0)).collect();
    let names: Option<Vec<String>> = tables.iter().map(|table| name(table)).collect();
    let seats: Option<Vec<(u64, bool)>> = tables
        .iter()
        .map(|table| {
            let form = table.value("source").map(Checked::variant);
            match form.filter(|(kind, _)| transfers::KINDS.contains(kind)) {
                Some((kind, form)) => {
                    let seats = transfers::all_seats(kind, form, table, (count(table), duration), around)?;
                    Some((seats, true))
                }
                None => Some((count(table)?, false)),
            }
        })
        .collect();
    Some(names?.into_iter().zip(network::seats(&seats?)).collect())
}

fn count(table: &Table) -> Option<u64> {
    table.read("count", 1, Checked::integer)
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

/// A day.
const LONGEST_MEAN: Span = Span::from_ms(86_400_000);
