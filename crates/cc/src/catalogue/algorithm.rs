//! An algorithm as somebody asks for it: parsed, checked against its card, and built.
//!
//! The written form is `name` or `name(parameter=value, …)`. What passes [`Algorithm::new`] holds a value for every
//! parameter of the card, each inside its domain, so that building cannot fail.

use super::fault::nearest;
use super::{Domain, Entry, Fault, FirstCut, Parameter, Setup, SlowStartKind, Value, entries};
use crate::explicit::quick_start::QuickStart;
use crate::{CongestionControl, Transport};
use narrows_units::{Bytes, Dimension, Quantity, Rate};
use std::fmt;

/// The checked values of an entry's parameters: every one is present and inside its domain.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

/// An algorithm with its parameters, ready to be built any number of times.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Which.
    pub entry: &'static Entry,
    /// With what.
    pub values: Values,
}

impl Values {
    /// The value of a parameter that the card declares as a number.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(number) => *number,
            other => unreachable!("the card declares {name} as a number, not {other:?}"),
        }
    }

    /// The value of a parameter that the card declares as a rate.
    pub fn rate(&self, name: &str) -> Rate {
        rate(self.word(name)).expect("a value inside its domain is a rate")
    }

    /// The value of a parameter that the card declares as a flag.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(flag) => *flag,
            other => unreachable!("the card declares {name} as a flag, not {other:?}"),
        }
    }

    /// The value of a parameter that the card declares as a choice of words.
    pub fn word(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Word(word) => word,
            other => unreachable!("the card declares {name} as a word, not {other:?}"),
        }
    }

    /// Every parameter with its value, in the order of the card.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.iter().find(|(known, _)| *known == name);
        found.expect("an algorithm reads only parameters of its own card").1
    }
}

impl Algorithm {
    /// Reads `name` or `name(parameter=value, …)`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let form = || Fault::Form { given: text.to_owned() };
        let text = text.trim();
        let (name, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
        let given = parameters(rest).filter(|_| !text.is_empty()).ok_or_else(form)?;
        Self::new(name.trim(), given)
    }

    /// The algorithm `name` with the values `given`; what is not given takes its default.
    pub fn new(name: &str, given: Vec<(String, Value)>) -> Result<Self, Fault> {
        Self::among(entries(), name, given)
    }

    /// As [`new`](Self::new), of the algorithms `known` alone.
    pub fn among(
        known: impl IntoIterator<Item = &'static Entry>,
        name: &str,
        given: Vec<(String, Value)>,
    ) -> Result<Self, Fault> {
        let known: Vec<_> = known.into_iter().collect();
        let entry =
            known.iter().copied().find(|entry| entry.name == name).ok_or_else(|| Fault::UnknownName {
                given: name.to_owned(),
                nearest: nearest(name, known.iter().map(|entry| entry.name)),
            })?;
        let mut values: Vec<_> = entry.defaults().collect();
        let mut seen = Vec::new();
        for (key, value) in given {
            let place =
                entry.parameters.iter().position(|parameter| parameter.name == key).ok_or_else(|| {
                    let names = || entry.parameters.iter().map(|parameter| parameter.name);
                    Fault::UnknownParameter {
                        nearest: nearest(&key, names()),
                        allowed: names().collect(),
                        given: key,
                    }
                })?;
            let parameter = &entry.parameters[place];
            if seen.contains(&place) {
                return Err(Fault::Repeated { parameter: parameter.name });
            }
            seen.push(place);
            values[place].1 = parameter.check(value)?;
        }
        Ok(Self { entry, values: Values(values) })
    }

    /// A fresh instance for one flow.
    pub fn build(&self, setup: &Setup) -> Box<dyn CongestionControl> {
        let algorithm = (self.entry.build)(&self.values, setup);
        match setup.quick_start {
            Some(ask) => Box::new(QuickStart::new(algorithm, ask, setup)),
            None => algorithm,
        }
    }
}

/// Reads `(parameter=value, …)`, or nothing at all; `None` if it is neither.
pub fn parameters(text: &str) -> Option<Vec<(String, Value)>> {
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

impl Entry {
    /// Which sender hosts it, with every parameter at its default.
    pub fn transport(&self) -> Transport {
        let values = Values(self.defaults().collect());
        let setup = Setup {
            mss: Bytes::new(1_000),
            packet: Bytes::new(1_040),
            initial_window: 1.0,
            initial_ssthresh: f64::INFINITY,
            first_cut: FirstCut::default(),
            slow_start: SlowStartKind::default(),
            quick_start: None,
            paced: false,
            seed: 0,
        };
        (self.build)(&values, &setup).transport()
    }

    fn defaults(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.parameters.iter().map(|parameter| (parameter.name, parameter.domain.default()))
    }
}

/// The canonical form: the bare name where all values are the defaults, else the name with every parameter.
impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        if self.entry.defaults().zip(self.values.iter()).all(|((_, default), (_, value))| default == *value) {
            return Ok(());
        }
        for (place, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name}={value}", if place == 0 { '(' } else { ',' })?;
        }
        f.write_str(")")
    }
}

impl Value {
    /// Reads `true` and `false` as flags, what looks like a number as a number, all else as a word.
    pub fn parse(text: &str) -> Self {
        match text {
            "true" => Self::Flag(true),
            "false" => Self::Flag(false),
            _ => text.parse().map_or_else(|_| Self::Word(text.to_owned()), Self::Number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl Domain {
    /// The value of a parameter that nobody gave.
    pub fn default(&self) -> Value {
        match self {
            Self::Number { default, .. } => Value::Number(*default),
            Self::Flag { default } => Value::Flag(*default),
            Self::Rate { default } | Self::Choice { default, .. } => Value::Word((*default).to_owned()),
        }
    }

    /// Whether the parameter may take `value`.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number { minimum, maximum, .. }, Value::Number(number)) => {
                minimum <= number && number <= maximum
            }
            (Self::Rate { .. }, Value::Word(word)) => rate(word).is_some(),
            (Self::Flag { .. }, Value::Flag(_)) => true,
            (Self::Choice { allowed, .. }, Value::Word(word)) => allowed.contains(&word.as_str()),
            _ => false,
        }
    }
}

/// The domain in words: `a number from 0 to 1`.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { minimum, maximum, .. } => write!(f, "a number from {minimum} to {maximum}"),
            Self::Rate { .. } => f.write_str("a rate above zero with its unit, as in 10Mbps"),
            Self::Flag { .. } => f.write_str("true or false"),
            Self::Choice { allowed, .. } => write!(f, "one of {}", allowed.join(", ")),
        }
    }
}

impl Parameter {
    fn check(&self, value: Value) -> Result<Value, Fault> {
        // One word of a choice may look like a number, as in `rules=2001`.
        let value = match (self.domain, value) {
            (Domain::Choice { .. }, Value::Number(number)) => Value::Word(number.to_string()),
            (_, value) => value,
        };
        if self.domain.contains(&value) {
            return Ok(value);
        }
        Err(Fault::BadValue {
            parameter: self.name,
            given: value.to_string(),
            allowed: self.domain.to_string(),
        })
    }
}

/// What `text` says, if it is a rate above zero.
fn rate(text: &str) -> Option<Rate> {
    match Quantity::parse(text, &[Dimension::Rate]) {
        Ok(Quantity::Rate(rate)) if rate > Rate::ZERO => Some(rate),
        _ => None,
    }
}
