// SPDX-License-Identifier: Apache-2.0
//! Keys that hold numbers without a unit, parts of a whole, and ranges of times.

use super::{KeyType, wrong_type};
use crate::diagnostic::Fault;
use crate::emit::{Naming, number, text};
use crate::field::Reported;
use crate::kind::Kind;
use crate::tree::{Node, Value};
use crate::value::LONGEST;
use narrows_units::{Dimension, Quantity, Span};

/// The type of a key whose value is a whole number within inclusive bounds.
#[derive(Clone, Debug)]
pub struct Integer<const MINIMUM: u64, const MAXIMUM: u64>;

impl<const MINIMUM: u64, const MAXIMUM: u64> KeyType for Integer<MINIMUM, MAXIMUM> {
    type Value = u64;
    const KIND: Kind = Kind::Integer { minimum: MINIMUM, maximum: MAXIMUM };

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<u64, Reported> {
        integer(node, MINIMUM, MAXIMUM, path).map_err(|fault| fault.report(faults))
    }

    fn write(value: &u64, _: Naming) -> String {
        value.to_string()
    }
}

/// As [`Integer`], for numbers of 32 bits.
#[derive(Clone, Debug)]
pub struct Count<const MINIMUM: u32, const MAXIMUM: u32>;

impl<const MINIMUM: u32, const MAXIMUM: u32> KeyType for Count<MINIMUM, MAXIMUM> {
    type Value = u32;
    const KIND: Kind = Kind::Integer { minimum: MINIMUM as u64, maximum: MAXIMUM as u64 };

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<u32, Reported> {
        let number = integer(node, MINIMUM.into(), MAXIMUM.into(), path);
        number.map(|number| number as u32).map_err(|fault| fault.report(faults))
    }

    fn write(value: &u32, _: Naming) -> String {
        value.to_string()
    }
}

/// Returns the whole number at `node`, from `minimum` to `maximum`.
///
/// # Errors
///
/// If the value is none.
pub fn integer(node: &Node, minimum: u64, maximum: u64, path: &str) -> Result<u64, Fault> {
    let kind = Kind::Integer { minimum, maximum };
    let Value::Integer(number) = node.value else { return Err(wrong_type(node, &kind, path)) };
    let number = u64::try_from(number).ok().filter(|number| (minimum..=maximum).contains(number));
    number.ok_or_else(|| {
        Fault::new(&node.place, path, "out of range").given(node.value.shown()).allowed(kind.allowed())
    })
}

/// Any finite number.
impl KeyType for f64 {
    type Value = Self;
    const KIND: Kind = Kind::Number;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<Self, Reported> {
        finite(node, path).map_err(|fault| fault.report(faults))
    }

    fn write(value: &Self, _: Naming) -> String {
        number(*value)
    }
}

/// The type of a key whose value is a fraction from 0 to 1.
#[derive(Clone, Debug)]
pub struct Fraction;

/// The type of a key whose value is a fraction above 0 and up to 1.
#[derive(Clone, Debug)]
pub struct PositiveFraction;

impl KeyType for Fraction {
    type Value = f64;
    const KIND: Kind = Kind::Fraction { zero: true };

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
        fraction(node, true, path).map_err(|fault| fault.report(faults))
    }

    fn write(value: &f64, _: Naming) -> String {
        number(*value)
    }
}

impl KeyType for PositiveFraction {
    type Value = f64;
    const KIND: Kind = Kind::Fraction { zero: false };

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
        fraction(node, false, path).map_err(|fault| fault.report(faults))
    }

    fn write(value: &f64, _: Naming) -> String {
        number(*value)
    }
}

/// Returns the finite number at `node`.
///
/// # Errors
///
/// If the value is none.
pub fn finite(node: &Node, path: &str) -> Result<f64, Fault> {
    match node.value {
        Value::Integer(number) => Ok(number as f64),
        Value::Float(number) if number.is_finite() => Ok(number),
        _ => Err(wrong_type(node, &Kind::Number, path)),
    }
}

/// Returns the fraction at `node`; `zero` says whether 0 is allowed.
///
/// # Errors
///
/// If the value is none.
pub fn fraction(node: &Node, zero: bool, path: &str) -> Result<f64, Fault> {
    let fault = |message: String| {
        let allowed = Kind::Fraction { zero }.allowed();
        Fault::new(&node.place, path, message).given(node.value.shown()).allowed(allowed)
    };
    let value = match &node.value {
        Value::Text(text) => match Quantity::parse(text, &[Dimension::Fraction]) {
            Ok(Quantity::Fraction(value)) => value,
            Ok(other) => return Err(fault(format!("expected a fraction, got {other}"))),
            Err(error) => return Err(fault(error.to_string()).hint(error.hint())),
        },
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        other => return Err(fault(format!("{} does not fit here", other.kind()))),
    };
    if !(0.0..=1.0).contains(&value) {
        return Err(fault("outside 0 to 100 %".into()));
    }
    if value == 0.0 && !zero {
        return Err(fault("zero is impossible here".into()));
    }
    Ok(value)
}

/// The type of a key whose value is a time, or a range of times as in `"0s..5s"`: its first and its last time.
#[derive(Clone, Debug)]
pub struct SpanRange;

impl KeyType for SpanRange {
    type Value = (Span, Span);
    const KIND: Kind = Kind::TimeRange;

    fn read(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Result<(Span, Span), Reported> {
        range(node, path).map_err(|fault| fault.report(faults))
    }

    fn write((first, last): &(Span, Span), _: Naming) -> String {
        if first == last { text(first) } else { text(format!("{first}..{last}")) }
    }
}

fn range(node: &Node, path: &str) -> Result<(Span, Span), Fault> {
    let fault = |message: String| {
        Fault::new(&node.place, path, message).given(node.value.shown()).allowed(Kind::TimeRange.allowed())
    };
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) => node.value.shown(),
        other => return Err(fault(format!("{} does not fit here", other.kind()))),
    };
    let time = |text: &str| match text.parse::<Span>() {
        Ok(span) if span > LONGEST => Err(fault(format!("longer than {LONGEST}"))),
        Ok(span) => Ok(span),
        Err(error) => Err(fault(error.to_string()).hint(error.hint())),
    };
    match text.split_once("..") {
        None => time(&text).map(|at| (at, at)),
        Some((first, last)) => {
            let (first, last) = (time(first)?, time(last)?);
            if first > last {
                return Err(fault("the range ends before it begins".into()));
            }
            Ok((first, last))
        }
    }
}
