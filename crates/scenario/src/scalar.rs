//! Values of the keys whose type is known only when the program runs.

use super::diagnostic::Fault;
use super::kind::{Kind, Quantities};
use super::table::Checked;
use super::tree::{Node, Value};
use super::value::{self, wrong_type};

/// Checks a value that is no table and no list.
pub(super) fn check(node: &Node, kind: &'static Kind, path: &str) -> Result<Checked, Fault> {
    match (kind, &node.value) {
        (Kind::Text | Kind::File, _) => value::string(node, kind, path).map(Checked::Text),
        (Kind::Flag, Value::Flag(flag)) => Ok(Checked::Flag(*flag)),
        (Kind::Integer { minimum, maximum }, _) => {
            value::integer(node, *minimum, *maximum, path).map(Checked::Integer)
        }
        (Kind::Number, Value::Integer(number)) => Ok(Checked::Number(*number as f64)),
        (Kind::Number, Value::Float(number)) if number.is_finite() => Ok(Checked::Number(*number)),
        (Kind::Fraction { zero }, _) => value::fraction(node, *zero, path).map(Checked::Number),
        (Kind::Choice(words), Value::Text(text)) => {
            value::chosen(text, words, node, path).map(|index| Checked::Word(words[index]))
        }
        (Kind::Quantity(quantities), _) => quantity(node, *quantities, path),
        _ => Err(wrong_type(node, kind, path)),
    }
}

/// Reads a number with a unit.
pub(super) fn quantity(node: &Node, quantities: Quantities, path: &str) -> Result<Checked, Fault> {
    let written = value::quantity(node, quantities, path)?;
    Ok(written.map_or(Checked::Unlimited, Checked::Quantity))
}
