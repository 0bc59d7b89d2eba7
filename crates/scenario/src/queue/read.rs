// SPDX-License-Identifier: Apache-2.0
//! A queue discipline as written: values of its parameters, each with its place.

use crate::diagnostic::Fault;
use crate::field::{At, Reported};
use crate::forms::form_at;
use crate::kind::{Kind, Variant};
use crate::section::check_names;
use crate::tree::{Node, Pair, Value};
use crate::value::{self, Element, KeyType, wrong_type};
use narrows_card::{Domain, Parameter};
use narrows_qdisc::{Entry, Setting, catalogue};
use narrows_units::Quantity;

/// A queue discipline as written.
#[derive(Clone, Debug)]
pub struct Written {
    /// Entry of the discipline in the catalogue.
    pub entry: &'static Entry,
    /// Place of its table.
    pub at: At,
    /// The parameters that were written, in the order of the card, and required ones that are missing.
    pub parameters: Vec<Assignment>,
}

/// The value of a parameter as written.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The parameter.
    pub parameter: &'static Parameter,
    /// Place of its value.
    pub at: At,
    /// The value.
    pub value: Result<Assigned, Reported>,
}

/// A value before it is known on which link the queue is, and which groups of flows there are.
#[derive(Clone, Debug)]
pub enum Assigned {
    /// A value that does not depend on them.
    Setting(Setting),
    /// A length or a size; `None` for no limit.
    Length(Option<Quantity>),
    /// The limits of classes.
    Limits(Vec<Result<Element<Option<Quantity>>, Reported>>),
    /// Names of groups.
    Groups(Vec<Result<Element<String>, Reported>>),
    /// Names of groups, each with a class.
    Classes(Vec<(Element<String>, Result<u64, Reported>)>),
    /// Another discipline.
    Discipline(Box<Written>),
}

impl Written {
    /// Reads the discipline at `node`, one of `forms`.
    ///
    /// # Errors
    ///
    /// If there is none; the error is added to `faults`, as are errors of its parameters.
    pub fn read(
        node: &Node,
        path: &str,
        forms: fn() -> &'static [Variant],
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let found = form_at(node, path, &Kind::Listed(forms), forms());
        let (form, entries) = found.map_err(|fault| fault.report(faults))?;
        let entry = catalogue::find(form.name).expect("the forms of a queue are those of the catalogue");
        let at = At { path: path.to_owned(), location: node.place.clone() };
        check_names(entries, &at, &[form.keys], Some(form.name), faults);
        let mut parameters = Vec::new();
        for (parameter, key) in entry.card.parameters.iter().zip(form.keys) {
            let path = at.path_of(parameter.name);
            if let Some(Pair { node, .. }) = entries.iter().find(|entry| entry.key == parameter.name) {
                let value = assigned(node, &key.kind, parameter.domain, &path, faults);
                let at = At { path, location: node.place.clone() };
                parameters.push(Assignment { parameter, at, value });
            } else if key.is_required() {
                let at = At { path, location: at.location.clone() };
                parameters.push(Assignment { parameter, at, value: Err(Reported::before()) });
            }
        }
        Ok(Self { entry, at, parameters })
    }

    /// Returns the place of the value of the parameter `name`; of the table if it was not written.
    pub fn at_of(&self, name: &str) -> At {
        let found = self.parameters.iter().find(|each| each.parameter.name == name);
        let absent = || At { path: self.at.path_of(name), location: self.at.location.clone() };
        found.map_or_else(absent, |each| each.at.clone())
    }
}

/// The value at `node` of a parameter with this domain, whose key is of this kind.
fn assigned(
    node: &Node,
    kind: &'static Kind,
    domain: Domain,
    path: &str,
    faults: &mut Vec<Fault>,
) -> Result<Assigned, Reported> {
    let element =
        |index: usize, node: &Node| At { path: format!("{path}.{index}"), location: node.place.clone() };
    match (domain, kind, &node.value) {
        (Domain::Discipline { .. }, Kind::Listed(forms), _) => {
            Written::read(node, path, *forms, faults).map(|written| Assigned::Discipline(Box::new(written)))
        }
        (Domain::Limits, Kind::List(Kind::Quantity(quantities)), Value::List(nodes)) => {
            let limits = nodes.iter().enumerate().map(|(index, node)| {
                let at = element(index, node);
                let value =
                    value::quantity(node, *quantities, &at.path).map_err(|fault| fault.report(faults))?;
                Ok(Element { at, value })
            });
            Ok(Assigned::Limits(limits.collect()))
        }
        (Domain::Groups, _, Value::List(nodes)) => {
            let names = nodes.iter().enumerate().map(|(index, node)| {
                let at = element(index, node);
                let value = String::read(node, &at.path, faults)?;
                Ok(Element { at, value })
            });
            Ok(Assigned::Groups(names.collect()))
        }
        (Domain::Classes { worst, .. }, _, Value::Table(entries)) => {
            let classes = entries.iter().map(|Pair { key, key_place, node }| {
                let at = At { path: format!("{path}.{key}"), location: key_place.clone() };
                let class = value::integer(node, 0, worst, &at.path).map_err(|fault| fault.report(faults));
                (Element { at, value: key.clone() }, class)
            });
            Ok(Assigned::Classes(classes.collect()))
        }
        (_, Kind::Quantity(quantities), _) => {
            let written = value::quantity(node, *quantities, path).map_err(|fault| fault.report(faults))?;
            Ok(match written {
                Some(Quantity::Time(span)) if matches!(domain, Domain::Span { .. }) => {
                    Assigned::Setting(Setting::Span(span))
                }
                Some(Quantity::Rate(rate)) => Assigned::Setting(Setting::Rate(rate)),
                length => Assigned::Length(length),
            })
        }
        _ => setting(node, kind, domain, path).map(Assigned::Setting).map_err(|fault| fault.report(faults)),
    }
}

/// The value at `node` of a parameter that is a number, a flag or a word.
fn setting(node: &Node, kind: &'static Kind, domain: Domain, path: &str) -> Result<Setting, Fault> {
    match (domain, &node.value) {
        (Domain::Number { minimum, .. }, _) => {
            let number = value::finite(node, path)?;
            if number >= minimum {
                return Ok(Setting::Number(number));
            }
            let fault = Fault::new(&node.place, path, if minimum == 0.0 { "negative" } else { "too small" });
            Err(fault.given(number.to_string()).allowed(domain.to_string()))
        }
        (Domain::Fraction { zero, .. }, _) => value::fraction(node, zero, path).map(Setting::Number),
        (Domain::Integer { minimum, maximum, .. }, _) => {
            value::integer(node, minimum, maximum, path).map(Setting::Whole)
        }
        (Domain::Choice { allowed, .. }, Value::Text(text)) => {
            value::chosen(text, allowed, node, path).map(|index| Setting::Word(allowed[index]))
        }
        (Domain::Flag { .. }, Value::Flag(flag)) => Ok(Setting::Flag(*flag)),
        _ => Err(wrong_type(node, kind, path)),
    }
}
