//! The walk over a scenario's tree: every key against the tables of [`keys`](super::keys), every fault reported.
//!
//! What passes comes out as [`Checked`] values, each with its place. A value that does not pass is kept as a hole, so
//! that rules between keys can distinguish a faulty value, already reported, from one that was never given.

use super::diagnostic::Fault;
use super::field::At;
use super::kind::{KIND, Key, Kind, Variant, list};
use super::location::Location;
use super::scalar;
use super::section::check_names;
use super::table::{Checked, Item, Name, Table};
use super::tree::{Node, Pair, Value};
use super::value::wrong_type;
use narrows_card::nearest;

/// Checks the entries of one table. `tag` is the form of which it is, whose `kind` is no key of its own.
fn table(
    entries: &[Pair],
    place: &Location,
    path: &str,
    parts: &[&'static [Key]],
    tag: Option<&str>,
    faults: &mut Vec<Fault>,
) -> Table {
    let at = At { path: path.to_owned(), location: place.clone() };
    check_names(entries, &at, parts, tag, faults);
    let mut checked = Table::new(path, place);
    for key in parts.iter().copied().flatten() {
        if let Some(entry) = entries.iter().find(|entry| entry.key == key.name) {
            let value = item(&entry.node, &key.kind, &at.path_of(key.name), faults);
            let place = entry.node.place.clone();
            checked.insert(key.name, entry.key_place.clone(), Item { place, value });
        } else if key.is_required() {
            checked.insert(key.name, place.clone(), Item { place: place.clone(), value: None });
        }
    }
    checked
}

/// Checks the value of a key.
pub(super) fn item(node: &Node, kind: &'static Kind, path: &str, faults: &mut Vec<Fault>) -> Option<Checked> {
    match (kind, &node.value) {
        (Kind::Named(kind), Value::Table(entries)) => {
            let each = entries.iter().map(|entry| {
                let path = format!("{path}.{}", entry.key);
                let value = item(&entry.node, kind, &path, faults);
                let item = Item { place: entry.node.place.clone(), value };
                Name { text: entry.key.clone(), place: entry.key_place.clone(), path, item }
            });
            Some(Checked::Named(each.collect()))
        }
        (Kind::List(kind), Value::List(nodes)) => {
            let each = nodes.iter().enumerate().map(|(index, node)| Item {
                place: node.place.clone(),
                value: item(node, kind, &format!("{path}.{index}"), faults),
            });
            Some(Checked::List(each.collect()))
        }
        (Kind::Variants { variants, .. }, Value::Table(entries)) => {
            variant(entries, node, path, variants, faults)
        }
        (Kind::Listed(variants), Value::Table(entries)) => variant(entries, node, path, variants(), faults),
        (Kind::Variants { plain: Some(plain), .. }, _) => {
            scalar::quantity(node, *plain, path).map_err(|fault| faults.push(fault)).ok()
        }
        (Kind::Variants { variants, .. }, Value::Text(text)) => {
            faults.push(name_alone(node, kind, path, variants, text));
            None
        }
        (Kind::Listed(variants), Value::Text(text)) => {
            faults.push(name_alone(node, kind, path, variants(), text));
            None
        }
        (
            Kind::Named(_)
            | Kind::Table(_)
            | Kind::Tables(_)
            | Kind::List(_)
            | Kind::Variants { .. }
            | Kind::Listed(_),
            _,
        ) => {
            faults.push(wrong_type(node, kind, path));
            None
        }
        _ => scalar::check(node, kind, path).map_err(|fault| faults.push(fault)).ok(),
    }
}

/// The fault of a name where a table of that form is needed.
fn name_alone(node: &Node, kind: &Kind, path: &str, variants: &[Variant], text: &str) -> Fault {
    let end =
        text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let known = variants.iter().find(|variant| variant.name == name.trim());
    let hint = known.map(|variant| match variant.keys.first() {
        // What stands behind the name may be a value of the first key, or a key with a value.
        Some(first) if !rest.trim().is_empty() => {
            let key = first.name;
            format!(
                "write {{ kind = \"{name}\", {key} = ... }}, or {name}({key}=...) behind --set and --vary"
            )
        }
        _ => format!("write {{ kind = \"{name}\" }}"),
    });
    wrong_type(node, kind, path).hint(hint)
}

fn variant(
    entries: &[Pair],
    node: &Node,
    path: &str,
    variants: &'static [Variant],
    faults: &mut Vec<Fault>,
) -> Option<Checked> {
    let names = || variants.iter().map(|variant| variant.name);
    let kind = entries.iter().find(|entry| entry.key == KIND);
    let variant = match kind.map(|entry| &entry.node) {
        Some(Node { value: Value::Text(name), place }) => {
            let found = variants.iter().find(|variant| variant.name == name);
            if found.is_none() {
                let fault = Fault::new(place, join(path, KIND), "unknown kind").given(format!("\"{name}\""));
                faults.push(fault.allowed(list(names())).nearest(nearest(name, names())));
            }
            found
        }
        Some(node) => {
            let message = format!("{} where a word is needed", node.value.kind());
            let fault = Fault::new(&node.place, join(path, KIND), message).given(node.value.shown());
            faults.push(fault.allowed(list(names())));
            None
        }
        None => {
            let implied =
                variants.iter().find(|variant| entries.iter().any(|entry| entry.key == variant.name));
            if implied.is_none() {
                let fault = Fault::new(&node.place, join(path, KIND), "missing, and it has no default");
                faults.push(fault.allowed(list(names())));
            }
            implied
        }
    }?;
    let parts = std::slice::from_ref(&variant.keys);
    let checked = table(entries, &node.place, path, parts, Some(variant.name), faults);
    Some(Checked::Variant(variant.name, checked))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
