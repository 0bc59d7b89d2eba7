// SPDX-License-Identifier: Apache-2.0
//! The key `queue`: a discipline of the catalogue with its parameters, lengths in packets or bytes.

use super::QueueContext;
use super::classes;
use super::read::{Assigned, Assignment, Written};
use crate::diagnostic::Fault;
use crate::field::{At, Reported};
use narrows_card::Domain;
use narrows_qdisc::{Classes, Discipline, Given, Limit, Scale, Setting};
use narrows_units::{Bytes, Quantity, Span};

/// Returns the discipline `written` on a link with `context`.
///
/// # Errors
///
/// If it has errors, which are added to `faults`.
pub fn discipline(
    written: &Written,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Discipline, Reported> {
    let given: Vec<_> = written.parameters.iter().map(|each| given(each, context, faults)).collect();
    let given = given.into_iter().collect::<Result<_, _>>()?;
    let discipline = Discipline::new(written.entry, context.scale, given).map_err(|conflict| {
        let fault = written.at_of(conflict.parameter).fault(conflict.message).allowed(conflict.allowed);
        let fault = match conflict.given {
            Some(given) => fault.given(given),
            None => fault,
        };
        fault.report(faults)
    })?;
    check_timer(&discipline, written, context.duration, faults)?;
    Ok(discipline)
}

/// Refuses a queue that wakes more often than a run can end with.
fn check_timer(
    discipline: &Discipline,
    written: &Written,
    duration: Span,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let Some((parameter, time)) = discipline.timer() else { return Ok(()) };
    if duration.as_ps() / time.as_ps().max(1) <= MOST_WAKES {
        return Ok(());
    }
    let message = format!("the queue would wake more than {MOST_WAKES} times");
    let fault = written.at_of(parameter).fault(message).given(time.to_string());
    let least = Span::from_ps(duration.as_ps().div_ceil(MOST_WAKES));
    Err(fault.allowed(format!("at least {least} in a run of this duration")).report(faults))
}

/// A parameter that is written.
fn given(
    Assignment { parameter, at, value }: &Assignment,
    context: QueueContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Given, Reported> {
    let QueueContext { scale, groups, .. } = context;
    let mut shown = None;
    let setting = match value.as_ref().map_err(|reported| *reported)? {
        Assigned::Setting(setting) => setting.clone(),
        Assigned::Length(written) => {
            shown = written.map(|quantity| quantity.to_string());
            length(parameter.domain, *written, at, scale, faults)?
        }
        Assigned::Limits(limits) => {
            let limits: Vec<_> = limits
                .iter()
                .map(|each| {
                    let each = each.as_ref().map_err(|reported| *reported)?;
                    limit(each.value, &each.at, scale, faults)
                })
                .collect();
            Setting::Limits(limits.into_iter().collect::<Result<_, _>>()?)
        }
        Assigned::Groups(names) => classes::favoured(names, groups.ok_or_else(Reported::before)?, faults)?,
        // As without the table, if it may be left out.
        Assigned::Classes(named)
            if named.is_empty() && matches!(parameter.domain, Domain::Classes { required: false, .. }) =>
        {
            Setting::Classes(Vec::new(), Classes::new([], 0))
        }
        Assigned::Classes(named) => classes::classes(named, groups.ok_or_else(Reported::before)?, faults)?,
        Assigned::Discipline(own) => Setting::Discipline(Box::new(discipline(own, context, faults)?)),
    };
    let written = shown.unwrap_or_else(|| setting.to_string());
    Ok(Given::new(parameter.name, setting, written))
}

/// The length or size `written` of a parameter with this domain.
fn length(
    domain: Domain,
    written: Option<Quantity>,
    at: &At,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Result<Setting, Reported> {
    if matches!(domain, Domain::Limit { .. }) {
        return limit(written, at, scale, faults).map(Setting::Limit);
    }
    let quantity = check_length(written.ok_or_else(Reported::before)?, at, scale, faults)?;
    Ok(match domain {
        Domain::Size { .. } => Setting::Size(scale.size(quantity)),
        Domain::Length { whole: true, .. } => Setting::Limit(scale.step(quantity)),
        _ => Setting::Threshold(scale.threshold(quantity)),
    })
}

/// A length of a queue that can be counted and written in bytes.
fn check_length(
    quantity: Quantity,
    at: &At,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Result<Quantity, Reported> {
    if let Limit::Bytes(bytes) = scale.limit(quantity)
        && bytes > LONGEST
    {
        let fault = at.fault("longer than any queue").given(quantity.to_string());
        return Err(fault.allowed(format!("at most {}", Bytes::new(LONGEST))).report(faults));
    }
    Ok(quantity)
}

/// The limit of a queue, at least a packet; `None` without a limit.
fn limit(
    written: Option<Quantity>,
    at: &At,
    scale: Scale,
    faults: &mut Vec<Fault>,
) -> Result<Limit, Reported> {
    let Some(quantity) = written else { return Ok(Limit::Unlimited) };
    let limit = scale.limit(check_length(quantity, at, scale, faults)?);
    if let Limit::Bytes(bytes) = limit
        && bytes < scale.packet.count()
    {
        let fault = at.fault(format!("a queue of {bytes} bytes is smaller than a packet"));
        let allowed = format!("at least {}, the size of a packet", scale.packet);
        return Err(fault.given(quantity.to_string()).allowed(allowed).report(faults));
    }
    Ok(limit)
}

/// Bytes of a queue: a petabyte, which a float holds exactly.
const LONGEST: u64 = 1_000_000_000_000_000;

/// Times that a queue wakes in a run: seconds of processor time.
const MOST_WAKES: u64 = 100_000_000;
