//! The key `queue`: a discipline of the catalogue with its parameters, lengths in packets or bytes.

use super::QueueContext;
use super::classes;
use crate::diagnostic::Fault;
use crate::location::Location;
use crate::table::Table;
use narrows_card::{Domain, Parameter};
use narrows_qdisc::{Classes, Discipline, Given, Limit, Scale, Setting, catalogue};
use narrows_units::{Bytes, Quantity, Span};

/// The discipline `kind` with the settings in `form` on a link with `scale`; `None` if there are errors, which are
/// added to `faults`.
pub fn of_kind(
    kind: &str,
    form: &Table,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    let entry = catalogue::find(kind).expect("the forms of a queue are those of the catalogue");
    let written = entry.card.parameters.iter().filter(|parameter| form.has(parameter.name));
    let given: Vec<_> = written.map(|parameter| given(parameter, form, context, faults)).collect();
    let given = given.into_iter().collect::<Option<_>>()?;
    let discipline = Discipline::new(entry, context.scale, given);
    let at_key = discipline.map_err(|conflict| {
        let (place, path) = (form.place_of(conflict.parameter), form.path_of(conflict.parameter));
        let fault = Fault::new(place, path, conflict.message).allowed(conflict.allowed);
        faults.push(match conflict.given {
            Some(given) => fault.given(given),
            None => fault,
        });
    });
    at_key.ok().filter(|discipline| check_timer(discipline, form, context.duration, faults))
}

/// Refuses a queue that wakes more often than a run can end with.
fn check_timer(discipline: &Discipline, form: &Table, duration: Span, faults: &mut Vec<Fault>) -> bool {
    let Some((parameter, time)) = discipline.timer() else { return true };
    if duration.as_ps() / time.as_ps().max(1) <= MOST_WAKES {
        return true;
    }
    let message = format!("the queue would wake more than {MOST_WAKES} times");
    let fault =
        Fault::new(form.place_of(parameter), form.path_of(parameter), message).given(time.to_string());
    let least = Span::from_ps(duration.as_ps().div_ceil(MOST_WAKES));
    faults.push(fault.allowed(format!("at least {least} in a run of this duration")));
    false
}

/// A parameter that is written.
fn given(
    parameter: &Parameter,
    form: &Table,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Given> {
    let QueueContext { scale, groups, .. } = context;
    let value = form.value(parameter.name)?;
    let (place, path) = (form.place_of(parameter.name), form.path_of(parameter.name));
    let mut written = None;
    let mut quantity = || {
        let quantity = value.limit();
        written = quantity.map(|quantity| quantity.to_string());
        quantity
    };
    let mut length = |quantity: Option<Quantity>| check_length(quantity?, place, &path, scale, faults);
    let setting = match parameter.domain {
        Domain::Number { minimum, .. } if value.number() < minimum => {
            let fault = Fault::new(place, path, if minimum == 0.0 { "negative" } else { "too small" });
            faults.push(fault.given(value.number().to_string()).allowed(parameter.domain.to_string()));
            return None;
        }
        Domain::Number { .. } | Domain::Fraction { .. } => Setting::Number(value.number()),
        Domain::Integer { .. } => Setting::Whole(value.integer()),
        Domain::Flag { .. } => Setting::Flag(value.flag()),
        Domain::Choice { .. } => Setting::Word(value.word()),
        Domain::Span { .. } => Setting::Span(value.span()),
        Domain::Rate { .. } => Setting::Rate(value.rate()),
        Domain::Size { .. } => Setting::Size(scale.size(length(quantity())?)),
        Domain::Length { whole: true, .. } => Setting::Limit(scale.step(length(quantity())?)),
        Domain::Length { .. } => Setting::Threshold(scale.threshold(length(quantity())?)),
        Domain::Limit { .. } => Setting::Limit(limit(quantity(), place, path, scale, faults)?),
        Domain::Limits => {
            let limits = value.list().iter().enumerate().map(|(index, item)| {
                limit(item.value.as_ref()?.limit(), &item.place, format!("{path}.{index}"), scale, faults)
            });
            let limits: Vec<Option<Limit>> = limits.collect();
            Setting::Limits(limits.into_iter().collect::<Option<_>>()?)
        }
        Domain::Groups => classes::favoured(value.list(), &path, groups?, faults)?,
        // As without the table, where it may be left out.
        Domain::Classes { required: false, .. } if value.named().is_empty() => {
            Setting::Classes(Vec::new(), Classes::new([], 0))
        }
        Domain::Classes { .. } => classes::classes(value.named(), groups?, faults)?,
        Domain::Discipline { .. } => {
            let (kind, own) = value.variant();
            Setting::Discipline(Box::new(of_kind(kind, own, context, faults)?))
        }
    };
    let written = written.unwrap_or_else(|| setting.to_string());
    Some(Given { parameter: parameter.name, setting, written })
}

/// A length of a queue that can be counted and written in bytes.
fn check_length(
    quantity: Quantity,
    place: &Location,
    path: &str,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Option<Quantity> {
    if let Limit::Bytes(bytes) = scale.limit(quantity)
        && bytes > LONGEST
    {
        let fault = Fault::new(place, path, "longer than any queue").given(quantity.to_string());
        faults.push(fault.allowed(format!("at most {}", Bytes::new(LONGEST))));
        return None;
    }
    Some(quantity)
}

/// What may wait, of at least a packet; `None` is no limit.
fn limit(
    written: Option<Quantity>,
    place: &Location,
    path: String,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Option<Limit> {
    let Some(quantity) = written else { return Some(Limit::Unlimited) };
    let limit = scale.limit(check_length(quantity, place, &path, scale, faults)?);
    if let Limit::Bytes(bytes) = limit
        && bytes < scale.packet.count()
    {
        let message = format!("a queue of {bytes} bytes is smaller than a packet");
        let fault = Fault::new(place, path, message).given(quantity.to_string());
        faults.push(fault.allowed(format!("at least {}, the size of a packet", scale.packet)));
        return None;
    }
    Some(limit)
}

/// Bytes of a queue: a petabyte, which a float holds exactly.
const LONGEST: u64 = 1_000_000_000_000_000;

/// Times that a queue wakes in a run: seconds of processor time.
const MOST_WAKES: u64 = 100_000_000;
