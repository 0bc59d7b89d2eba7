//! The walk over a scenario's tree: every key against the tables of [`keys`](super::keys), every fault reported.
//!
//! What passes comes out as [`Checked`] values, each with its place. A value that does not pass is kept as a hole, so
//! that rules between keys can tell a faulty value, already reported, from one that was never given.

use super::diagnostic::{Fault, nearest};
use super::keys::{Key, Kind, Variant};
use super::scalar;
use super::table::{Checked, Item, Name, Table};
use super::tree::{Entry, Node, Place, Value};

/// Checks a whole tree against the keys of its root.
pub(super) fn walk(root: &Node, keys: &'static [Key], faults: &mut Vec<Fault>) -> Table {
    match &root.value {
        Value::Table(entries) => table(entries, &root.place, "", &[keys], None, faults),
        _ => unreachable!("a document is a table"),
    }
}

type Parts<'a> = &'a [&'static [Key]];

/// Checks the entries of one table. `tag` is the form of which it is, whose `kind` is no key of its own.
fn table(
    entries: &[Entry],
    place: &Place,
    path: &str,
    parts: Parts<'_>,
    tag: Option<&str>,
    faults: &mut Vec<Fault>,
) -> Table {
    let keys = || parts.iter().copied().flatten();
    let mut checked = Table::new(path, place);
    for entry in entries.iter().filter(|entry| tag.is_none() || entry.key != KIND) {
        let path = join(path, &entry.key);
        if let Some(key) = keys().find(|key| key.name == entry.key) {
            let value = item(&entry.node, &key.kind, &path, faults);
            checked.insert(
                key.name,
                entry.key_place.clone(),
                Item { place: entry.node.place.clone(), value },
            );
        } else {
            let names = || keys().map(|key| key.name);
            let whose = tag.map_or(String::new(), |tag| format!(" of `{tag}`"));
            let fault = Fault::new(&entry.key_place, path, format!("unknown key{whose}")).given(&entry.key);
            let fault =
                fault.allowed(if names().next().is_some() { list(names()) } else { "no further key".into() });
            faults.push(fault.nearest(nearest(&entry.key, names())));
        }
    }
    let missing: Vec<_> = keys().filter(|key| key.required && !checked.has(key.name)).collect();
    for key in missing {
        let fault = Fault::new(place, join(path, key.name), "missing, and it has no default");
        faults.push(fault.allowed(scalar::allowed(&key.kind)));
        checked.insert(key.name, place.clone(), Item { place: place.clone(), value: None });
    }
    checked
}

fn item(node: &Node, kind: &'static Kind, path: &str, faults: &mut Vec<Fault>) -> Option<Checked> {
    match (kind, &node.value) {
        (Kind::Table(keys), Value::Table(entries)) => {
            // A slice of one table's keys is its only part.
            let parts = std::slice::from_ref(keys);
            Some(Checked::Table(table(entries, &node.place, path, parts, None, faults)))
        }
        (Kind::Named(kind), Value::Table(entries)) => {
            let each = entries.iter().map(|entry| {
                let path = format!("{path}.{}", entry.key);
                let value = item(&entry.node, kind, &path, faults);
                let item = Item { place: entry.node.place.clone(), value };
                Name { text: entry.key.clone(), place: entry.key_place.clone(), path, item }
            });
            Some(Checked::Named(each.collect()))
        }
        (Kind::Tables(parts), Value::List(nodes)) => tables(nodes, node, path, parts, faults),
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
        (Kind::Variants { plain: Some(plain), .. }, _) => {
            scalar::quantity(node, *plain, path).map_err(|fault| faults.push(fault)).ok()
        }
        (Kind::Variants { variants, .. }, Value::Text(text)) => {
            let fault = wrong_type(node, kind, path);
            let known = variants.iter().any(|variant| variant.name == text);
            faults.push(fault.hint(known.then(|| format!("write {{ kind = \"{text}\" }}"))));
            None
        }
        (Kind::Named(_) | Kind::Table(_) | Kind::Tables(_) | Kind::List(_) | Kind::Variants { .. }, _) => {
            faults.push(wrong_type(node, kind, path));
            None
        }
        (Kind::Algorithm, _) => scalar::algorithm(node, path, faults),
        _ => scalar::check(node, kind, path).map_err(|fault| faults.push(fault)).ok(),
    }
}

fn tables(
    nodes: &[Node],
    list: &Node,
    path: &str,
    parts: Parts<'_>,
    faults: &mut Vec<Fault>,
) -> Option<Checked> {
    if nodes.is_empty() {
        faults.push(Fault::new(&list.place, path, "an empty list").allowed("at least one table"));
        return None;
    }
    let mut checked = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let path = format!("{path}.{index}");
        if let Value::Table(entries) = &node.value {
            checked.push(table(entries, &node.place, &path, parts, None, faults));
        } else {
            let fault =
                Fault::new(&node.place, path, format!("{} where a table is needed", node.value.kind()));
            faults.push(fault.given(node.value.shown()));
        }
    }
    Some(Checked::Tables(checked))
}

fn variant(
    entries: &[Entry],
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

/// The fault of a value of the wrong TOML type.
pub(super) fn wrong_type(node: &Node, kind: &Kind, path: &str) -> Fault {
    let allowed = scalar::allowed(kind);
    Fault::new(&node.place, path, format!("{} does not fit here", node.value.kind()))
        .given(node.value.shown())
        .allowed(allowed)
}

/// Names side by side.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Tells the forms of a table apart.
pub(super) const KIND: &str = "kind";
