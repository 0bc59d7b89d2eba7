//! The values of single keys: text to a checked value, or a fault that says what is allowed.

use super::diagnostic::{Fault, nearest};
use super::keys::{Kind, Quantities};
use super::table::{AlgorithmText, Checked};
use super::tree::{Entry, Node, Value};
use super::walk::{list, wrong_type};
use narrows_cc::catalogue;
use narrows_units::{Dimension, Quantity, Rate, Span, UnitError};

/// Checks a value that is no table and no list.
pub(super) fn check(node: &Node, kind: &'static Kind, path: &str) -> Result<Checked, Fault> {
    match (kind, &node.value) {
        (Kind::Text | Kind::File, Value::Text(text)) if text.trim().is_empty() => {
            Err(Fault::new(&node.place, path, "an empty string").allowed(allowed(kind)))
        }
        (Kind::Text, Value::Text(text)) if text.chars().any(char::is_control) => {
            Err(Fault::new(&node.place, path, "a control character").given(format!("{text:?}")))
        }
        (Kind::Text | Kind::File, Value::Text(text)) => Ok(Checked::Text(text.clone())),
        (Kind::Flag, Value::Flag(flag)) => Ok(Checked::Flag(*flag)),
        (Kind::Integer { minimum, maximum }, Value::Integer(number)) => u64::try_from(*number)
            .ok()
            .filter(|number| (*minimum..=*maximum).contains(number))
            .map(Checked::Integer)
            .ok_or_else(|| out_of_range(node, kind, path)),
        (Kind::Number, Value::Integer(number)) => Ok(Checked::Number(*number as f64)),
        (Kind::Number, Value::Float(number)) if number.is_finite() => Ok(Checked::Number(*number)),
        (Kind::Fraction { zero }, _) => fraction(node, kind, *zero, path),
        (Kind::Choice(words), Value::Text(text)) => {
            let found = words.iter().find(|word| *word == text).map(|word| Checked::Word(word));
            found.ok_or_else(|| {
                let fault = Fault::new(&node.place, path, "unknown word").given(node.value.shown());
                fault.allowed(allowed(kind)).nearest(nearest(text, words.iter().copied()))
            })
        }
        (Kind::Quantity(quantities), _) => quantity(node, *quantities, path),
        (Kind::TimeRange, _) => time_range(node, path),
        _ => Err(wrong_type(node, kind, path)),
    }
}

/// Reads a number with a unit.
pub(super) fn quantity(node: &Node, quantities: Quantities, path: &str) -> Result<Checked, Fault> {
    let fault = |message: String| {
        Fault::new(&node.place, path, message)
            .given(node.value.shown())
            .allowed(allowed_quantities(quantities))
    };
    let text = match &node.value {
        Value::Text(text) if quantities.word == Some(text.as_str()) => return Ok(Checked::Unlimited),
        Value::Text(text) => text.clone(),
        // A bare number is read for the sake of the message: it has no unit.
        Value::Integer(_) | Value::Float(_) => node.value.shown(),
        other => return Err(fault(format!("{} does not fit here", other.kind()))),
    };
    let quantity =
        Quantity::parse(&text, quantities.dimensions).map_err(|error| unit_fault(&fault, &error))?;
    if quantity.is_zero() && !quantities.zero {
        return Err(fault("zero is impossible here".into()));
    }
    match quantity {
        Quantity::Packets(number) if quantities.whole && number.fract() > 0.0 => {
            Err(fault("a part of a packet is impossible here".into()))
        }
        Quantity::Packets(number) if number > MOST_PACKETS => Err(fault("too large".into())),
        Quantity::Rate(rate) if rate > FASTEST => Err(fault(format!("faster than {FASTEST}"))),
        Quantity::Time(span) if span > LONGEST => Err(fault(format!("longer than {LONGEST}"))),
        _ => Ok(Checked::Quantity(quantity)),
    }
}

/// Reads an algorithm, its name not yet looked up.
pub(super) fn algorithm(node: &Node, path: &str, faults: &mut Vec<Fault>) -> Option<Checked> {
    let entries = match &node.value {
        Value::Text(text) => return Some(Checked::Algorithm(AlgorithmText::Line(text.trim().to_owned()))),
        Value::Table(entries) => entries,
        _ => {
            faults.push(wrong_type(node, &Kind::Algorithm, path));
            return None;
        }
    };
    let before = faults.len();
    let name = match node.value.get(NAME).map(|entry| &entry.node) {
        Some(Node { value: Value::Text(name), place }) => Some((name.clone(), place.clone())),
        Some(other) => {
            faults.push(wrong_type(other, &Kind::Text, &format!("{path}.{NAME}")));
            None
        }
        None => {
            let fault = Fault::new(&node.place, format!("{path}.{NAME}"), "missing, and it has no default");
            faults.push(fault.allowed("the name of an algorithm"));
            None
        }
    };
    let value = |entry: &Entry| match &entry.node.value {
        Value::Integer(number) => Some(catalogue::Value::Number(*number as f64)),
        Value::Float(number) => Some(catalogue::Value::Number(*number)),
        Value::Flag(flag) => Some(catalogue::Value::Flag(*flag)),
        Value::Text(word) => Some(catalogue::Value::Word(word.clone())),
        Value::Date(_) | Value::List(_) | Value::Table(_) => None,
    };
    let mut values = Vec::new();
    for entry in entries.iter().filter(|entry| entry.key != NAME) {
        if let Some(value) = value(entry) {
            values.push((entry.key.clone(), value, entry.node.place.clone()));
        } else {
            let path = format!("{path}.{}", entry.key);
            let fault =
                Fault::new(&entry.node.place, path, format!("{} does not fit here", entry.node.value.kind()));
            faults.push(fault.allowed("a number, true, false, or a word"));
        }
    }
    let (name, name_place) = name.filter(|_| faults.len() == before)?;
    Some(Checked::Algorithm(AlgorithmText::Parts { name, name_place, values }))
}

/// What a key may hold, in words.
pub(super) fn allowed(kind: &Kind) -> String {
    match kind {
        Kind::Text => "a string that is not empty".into(),
        Kind::File => "the path of a file".into(),
        Kind::Flag => "true or false".into(),
        Kind::Integer { minimum, maximum: u64::MAX } => format!("a whole number, at least {minimum}"),
        Kind::Integer { minimum, maximum } => format!("a whole number from {minimum} to {maximum}"),
        Kind::Number => "a finite number".into(),
        Kind::Fraction { zero: true } => "a percentage as in \"1%\", or a number from 0 to 1".into(),
        Kind::Fraction { zero: false } => "a percentage as in \"1%\", or a number above 0 and up to 1".into(),
        Kind::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            quoted.join(", ")
        }
        Kind::Quantity(quantities) => allowed_quantities(*quantities),
        Kind::TimeRange => format!("{}; or a range as in \"0s..5s\"", Dimension::Time.allowed()),
        Kind::Algorithm => "the name of an algorithm, with parameters as in \"aimd(a=1,b=0.8)\", \
             a table { name = \"aimd\", a = 1, b = 0.8 }, or \"subject\""
            .into(),
        Kind::List(kind) => format!("a list, each {}", allowed(kind)),
        Kind::Named(kind) => format!("a table of names, each with {}", allowed(kind)),
        Kind::Table(keys) => format!("a table with {}", list(keys.iter().map(|key| key.name))),
        Kind::Tables(_) => "a list of tables".into(),
        Kind::Variants { plain, variants } => {
            let kinds = list(variants.iter().map(|variant| variant.name));
            let table = format!("a table whose kind is one of {kinds}");
            plain.map_or(table.clone(), |plain| format!("{}; or {table}", allowed_quantities(plain)))
        }
    }
}

fn allowed_quantities(quantities: Quantities) -> String {
    let mut each: Vec<String> = quantities.dimensions.iter().map(|each| each.allowed().to_owned()).collect();
    each.extend(quantities.word.map(|word| format!("\"{word}\"")));
    let zero = if quantities.zero { "" } else { ", above zero" };
    let example = quantities.dimensions.first().map_or("", |dimension| match dimension {
        Dimension::Rate => "10Mbps",
        Dimension::Time => "40ms",
        Dimension::Size => "1500B",
        Dimension::Packets => "100pkt",
        Dimension::Bdp => "1.5bdp",
        Dimension::Fraction => "1%",
    });
    format!("{}{zero}, as in \"{example}\"", each.join("; or "))
}

fn unit_fault(fault: &impl Fn(String) -> Fault, error: &UnitError) -> Fault {
    fault(error.to_string()).hint(error.hint())
}

fn fraction(node: &Node, kind: &Kind, zero: bool, path: &str) -> Result<Checked, Fault> {
    let fault = |message: String| {
        Fault::new(&node.place, path, message).given(node.value.shown()).allowed(allowed(kind))
    };
    let value = match &node.value {
        Value::Text(text) => match Quantity::parse(text, &[Dimension::Fraction]) {
            Ok(Quantity::Fraction(value)) => value,
            Ok(other) => unreachable!("{other} was asked to be a percentage"),
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
    Ok(Checked::Number(value))
}

fn time_range(node: &Node, path: &str) -> Result<Checked, Fault> {
    let fault = |message: String| {
        Fault::new(&node.place, path, message).given(node.value.shown()).allowed(allowed(&Kind::TimeRange))
    };
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) => node.value.shown(),
        other => return Err(fault(format!("{} does not fit here", other.kind()))),
    };
    let time = |text: &str| match text.parse::<Span>() {
        Ok(span) if span > LONGEST => Err(fault(format!("longer than {LONGEST}"))),
        Ok(span) => Ok(span),
        Err(error) => Err(unit_fault(&fault, &error)),
    };
    match text.split_once("..") {
        None => time(&text).map(|at| Checked::Range(at, at)),
        Some((first, last)) => {
            let (first, last) = (time(first)?, time(last)?);
            if first > last {
                return Err(fault("the range ends before it begins".into()));
            }
            Ok(Checked::Range(first, last))
        }
    }
}

fn out_of_range(node: &Node, kind: &Kind, path: &str) -> Fault {
    Fault::new(&node.place, path, "out of range").given(node.value.shown()).allowed(allowed(kind))
}

/// The key of an algorithm's name in its table.
const NAME: &str = "name";

/// A petabit per second.
const FASTEST: Rate = Rate::from_bps(1_000_000_000_000_000);

/// Ten million seconds: sums of a few times still fit the simulator's clock.
const LONGEST: Span = Span::from_ms(10_000_000_000);

/// Windows and queues of more packets than this are surely a slip; every f64 up to here is exact.
const MOST_PACKETS: f64 = 1e12;
