// SPDX-License-Identifier: Apache-2.0
//! The values of a card's parameters.

use crate::fault::Fault;
use crate::nearest;
use crate::parameter::{Parameter, rate};
use crate::value::Value;
use alloc::{borrow::ToOwned, string::String, vec::Vec};
use narrows_units::Rate;

/// The checked values of the parameters of a card: each has a value inside its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Returns the default of every parameter.
    pub(crate) fn defaults(parameters: &[Parameter]) -> Self {
        let value = |parameter: &Parameter| {
            let default = parameter.domain.default().value();
            (parameter.name, default.expect("every parameter of an algorithm has a value by default"))
        };
        Self(parameters.iter().map(value).collect())
    }

    /// Creates the values `given` by name, and the defaults of all other `parameters`.
    pub(crate) fn new(parameters: &[Parameter], given: Vec<(String, Value)>) -> Result<Self, Fault> {
        let mut values = Self::defaults(parameters);
        let mut seen = Vec::new();
        for (key, value) in given {
            let place = parameters.iter().position(|parameter| parameter.name == key).ok_or_else(|| {
                let names = || parameters.iter().map(|parameter| parameter.name);
                Fault::UnknownParameter {
                    nearest: nearest(&key, names()),
                    allowed: names().collect(),
                    given: key,
                }
            })?;
            let parameter = &parameters[place];
            if seen.contains(&place) {
                return Err(Fault::Repeated { parameter: parameter.name });
            }
            seen.push(place);
            values.0[place].1 = parameter.check(value)?;
        }
        Ok(values)
    }

    /// Returns the value of the parameter `name`, a number.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(number) => *number,
            other => unreachable!("the card declares {name} as a number, not {other:?}"),
        }
    }

    /// Returns the value of the parameter `name`, a rate.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a rate.
    pub fn rate(&self, name: &str) -> Rate {
        rate(self.word(name)).expect("a value inside its domain is a rate")
    }

    /// Returns the value of the parameter `name`, a flag.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a flag.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(flag) => *flag,
            other => unreachable!("the card declares {name} as a flag, not {other:?}"),
        }
    }

    /// Returns the value of the parameter `name`, a word.
    ///
    /// # Panics
    ///
    /// If the card does not declare `name` as a choice of words.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Word(word) => word,
            other => unreachable!("the card declares {name} as a word, not {other:?}"),
        }
    }

    /// Returns the name and value of each parameter, in the order of the card.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.iter().find(|(known, _)| *known == name);
        found.expect("only parameters of the card are read").1
    }
}

/// Parses `(parameter=value, …)` into names and values, which are not checked; see
/// [`Card::values`](crate::Card::values). An empty text has none.
///
/// `None` if the text has another form.
pub fn assignments(text: &str) -> Option<Vec<(String, Value)>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    if inside.trim().is_empty() {
        return Some(Vec::new());
    }
    let pair = |part: &str| {
        let (parameter, value) = part.split_once('=')?;
        let (parameter, value) = (parameter.trim(), value.trim());
        (!parameter.is_empty() && !value.is_empty()).then(|| (parameter.to_owned(), Value::parse(value)))
    };
    inside.split(',').map(pair).collect()
}
