// SPDX-License-Identifier: Apache-2.0
//! `--set key.path=value`: changes a scenario's tree before it is checked.
//!
//! The value is TOML if it can be read as TOML, otherwise a string. A key below a string replaces the whole value:
//! `path.rate.trace=FILE` does over `rate = "10Mbps"`. Elements of a list are named by their number from 0, groups of flows and
//! links also by their name, which may contain dots. A queue may be written as its name with parameters, as in
//! `path.queue=red(gentle=true)`. If a table takes another form, by such a name, by its `kind` or by a key that only the other
//! form has, it keeps the keys that both forms have for values of the same kind.

use super::diagnostic::Fault;
use super::forms::named;
use super::kind::{KIND, Key, Kind, Parts, Variant, list};
use super::location::Location;
use super::section::Section;
use super::sections::root::RootKeys;
use super::tree::{Node, Pair, Value, parse, parse_argument};
use std::mem::discriminant;

/// Applies every argument, in order.
pub(super) fn apply(root: &mut Node, parts: Parts, arguments: &[String], faults: &mut Vec<Fault>) {
    for (index, argument) in arguments.iter().enumerate() {
        let place = Location::Argument(index);
        let Some((path, value)) = argument.split_once('=') else {
            let fault = Fault::new(&place, "", "not of the form key.path=value").given(argument);
            faults.push(fault.allowed("as in path.rate=20Mbps"));
            continue;
        };
        let path = path.trim();
        let steps: Vec<&str> = path.split('.').map(str::trim).collect();
        if steps.iter().any(|step| step.is_empty()) {
            faults
                .push(Fault::new(&place, path, "an empty key in the path").allowed("as in path.rate=20Mbps"));
            continue;
        }
        let setter = Setter { path, place, value: parse_argument(value.trim(), index) };
        if let Err(fault) = setter.in_table(root, parts, &steps) {
            faults.push(fault);
        }
    }
}

/// Returns the keys that the table of the last key of `argument`, as of a `--set`, loses when it changes `text`, for one who changes
/// the text itself: those that a new `kind` does not have. None if the text cannot be read, or has no such table.
pub fn dropped(text: &str, argument: &str) -> Vec<String> {
    let keys = |root: &Node| -> Option<Vec<String>> {
        let (path, _) = argument.split_once('=')?.0.rsplit_once('.')?;
        let table = path.split('.').try_fold(root, |node, step| match &node.value {
            Value::List(nodes) => nodes.get(step.parse::<usize>().ok()?),
            value => value.get(step).map(|entry| &entry.node),
        })?;
        let Value::Table(entries) = &table.value else { return None };
        Some(entries.iter().map(|entry| entry.key.clone()).collect())
    };
    let Ok(mut root) = parse(text) else { return Vec::new() };
    let mut before = keys(&root).unwrap_or_default();
    apply(&mut root, RootKeys::PARTS, &[argument.to_owned()], &mut Vec::new());
    let after = keys(&root).unwrap_or_default();
    before.retain(|key| !after.contains(key));
    before
}

struct Setter<'a> {
    path: &'a str,
    place: Location,
    value: Node,
}

impl Setter<'_> {
    fn set(&self, node: &mut Node, kind: Option<&'static Kind>, steps: &[&str]) -> Result<(), Fault> {
        let [step, ..] = steps else {
            match (kind, &self.value.value) {
                (Some(Kind::Listed(variants)), Value::Text(text)) => {
                    let named = self.named(text, node, variants());
                    // What cannot be read is one fault: any form stands in its place.
                    *node = named.clone().unwrap_or_else(|_| self.table(variants()[0].name));
                    return named.map(drop);
                }
                _ => *node = self.value.clone(),
            }
            return Ok(());
        };
        match kind {
            Some(Kind::Table(parts)) => self.in_table(node, parts, steps),
            Some(Kind::Variants { variants, .. }) => self.in_variant(node, variants, steps),
            Some(Kind::Listed(variants)) => self.in_variant(node, variants(), steps),
            Some(Kind::Tables(parts)) => {
                let (element, taken) = self.named_element(node, steps)?;
                let rest = &steps[taken..];
                if rest.is_empty() {
                    self.set(element, None, rest)
                } else {
                    self.in_table(element, parts, rest)
                }
            }
            Some(Kind::Named(kind)) => self.set(self.entry(node, step), Some(kind), &steps[1..]),
            Some(Kind::List(kind)) => self.set(self.element(node, step)?, Some(kind), &steps[1..]),
            // What else has no keys: a table takes its place, which is refused when it is read.
            _ => self.in_table(node, &[], steps),
        }
    }

    fn in_table(&self, node: &mut Node, parts: &[&'static [Key]], steps: &[&str]) -> Result<(), Fault> {
        let (step, rest) = steps.split_first().expect("a path has a step left where a table is entered");
        let kind = parts.iter().copied().flatten().find(|key| key.name == *step).map(|key| &key.kind);
        self.set(self.entry(node, step), kind, rest)
    }

    fn in_variant(&self, node: &mut Node, variants: &'static [Variant], steps: &[&str]) -> Result<(), Fault> {
        let step = steps[0];
        if let Some(variant) = named(node, variants) {
            *node = self.table(variant.name);
        }
        let has = |variant: &&Variant| variant.keys.iter().any(|key| key.name == step);
        let present = present(node, variants);
        let replaced = match present {
            _ if !matches!(node.value, Value::Table(_)) => true,
            Some(present) if step == KIND => {
                !matches!(&self.value.value, Value::Text(name) if name == present.name)
            }
            Some(present) => !has(&present) && variants.iter().any(|variant| has(&variant)),
            None => false,
        };
        // The form that the key belongs to need not be named; nor need the first, the usual one.
        let mut owners = variants.iter().filter(has);
        let owner = owners
            .next()
            .filter(|owner| owners.next().is_none() || std::ptr::eq(*owner, &raw const variants[0]));
        if replaced {
            let next = match &self.value.value {
                Value::Text(name) if step == KIND => variants.iter().find(|variant| variant.name == name),
                _ => owner,
            };
            *node = Node { value: Value::Table(shared(node, present, next)), place: self.place.clone() };
        }
        if let Some(owner) = owner.filter(|_| replaced) {
            let kind = Node { value: Value::Text(owner.name.to_owned()), place: self.place.clone() };
            *self.entry(node, KIND) = kind;
        }
        let variant = if replaced { owner } else { present };
        match variant {
            Some(variant) => self.in_table(node, std::slice::from_ref(&variant.keys), steps),
            None => self.in_table(node, &[], steps),
        }
    }

    /// The form that `text` names, as in `red(gentle=true)`, with those keys of `before` that it has, too.
    fn named(&self, text: &str, before: &Node, variants: &'static [Variant]) -> Result<Node, Fault> {
        let (name, parameters) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or_else(|| self.unreadable(text))?),
        };
        let name = name.trim();
        let form = variants.iter().find(|variant| variant.name == name);
        let mut pairs = vec![self.pair(KIND, Value::Text(name.to_owned()))];
        pairs.extend(shared(before, present(before, variants), form));
        for part in split(parameters).into_iter().filter(|part| !part.trim().is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| self.unreadable(text))?;
            let Location::Argument(index) = self.place else { unreachable!("only arguments are applied") };
            let pair = self.pair(key.trim(), parse_argument(value.trim(), index).value);
            pairs.retain(|other| other.key != pair.key);
            pairs.push(pair);
        }
        Ok(Node { value: Value::Table(pairs), place: self.place.clone() })
    }

    fn table(&self, name: &str) -> Node {
        let pairs = vec![self.pair(KIND, Value::Text(name.to_owned()))];
        Node { value: Value::Table(pairs), place: self.place.clone() }
    }

    fn pair(&self, key: &str, value: Value) -> Pair {
        let node = Node { value, place: self.place.clone() };
        Pair { key: key.to_owned(), key_place: self.place.clone(), node }
    }

    fn unreadable(&self, text: &str) -> Fault {
        let fault =
            Fault::new(&self.place, self.path, "not a name with parameters").given(format!("\"{text}\""));
        fault.allowed("as in codel or red(gentle=true,min=5pkt)")
    }

    /// The value of `key` in `node`, made if it is not there; `node` becomes a table if it is none.
    fn entry<'n>(&self, node: &'n mut Node, key: &str) -> &'n mut Node {
        if !matches!(node.value, Value::Table(_)) {
            *node = Node { value: Value::Table(Vec::new()), place: self.place.clone() };
        }
        let Value::Table(entries) = &mut node.value else { unreachable!("it was made a table above") };
        let at = entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            // No table is written for a key that is new: the new value decides.
            let node = Node { value: Value::Text(String::new()), place: self.place.clone() };
            entries.push(Pair { key: key.to_owned(), key_place: self.place.clone(), node });
            entries.len() - 1
        });
        &mut entries[at].node
    }

    /// The element with the longest name that `steps` begin with, or with the number that is the first; and how many of them
    /// that takes.
    fn named_element<'n>(&self, node: &'n mut Node, steps: &[&str]) -> Result<(&'n mut Node, usize), Fault> {
        let has = |name: &str| matches!(&node.value, Value::List(nodes) if nodes.iter().any(|node| name_of(node) == name));
        let taken = (2..=steps.len()).rev().find(|taken| has(&steps[..*taken].join("."))).unwrap_or(1);
        Ok((self.element(node, &steps[..taken].join("."))?, taken))
    }

    fn element<'n>(&self, node: &'n mut Node, step: &str) -> Result<&'n mut Node, Fault> {
        let Value::List(nodes) = &mut node.value else {
            let fault = Fault::new(&self.place, self.path, format!("no list that has an element `{step}`"));
            return Err(fault);
        };
        let names: Vec<String> = nodes.iter().map(name_of).collect();
        let by_number = step.parse().ok().filter(|index: &usize| *index < nodes.len());
        let found = by_number.or_else(|| names.iter().position(|name| name == step));
        if let Some(index) = found {
            return Ok(&mut nodes[index]);
        }
        let names = || names.iter().map(String::as_str).filter(|name| !name.is_empty());
        let numbers: Vec<String> = (0..nodes.len()).map(|index| index.to_string()).collect();
        let fault = Fault::new(&self.place, self.path, format!("unknown element `{step}`"));
        let allowed = list(numbers.iter().map(String::as_str).chain(names()));
        Err(fault.allowed(allowed).nearest(step, names()))
    }
}

/// The parts of `text` between the commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|letter| {
        depth += i32::from(matches!(letter, '(' | '[' | '{')) - i32::from(matches!(letter, ')' | ']' | '}'));
        letter == ',' && depth == 0
    })
    .collect()
}

/// The form of table that `node` is.
fn present(node: &Node, variants: &'static [Variant]) -> Option<&'static Variant> {
    match node.value.get(KIND).map(|entry| &entry.node.value) {
        Some(Value::Text(name)) => variants.iter().find(|variant| variant.name == name),
        Some(_) => None,
        None => variants.iter().find(|variant| node.value.get(variant.name).is_some()),
    }
}

/// The entries of `before`, a table of the form `old`, whose keys `form` has, too, for values that are alike.
fn shared(before: &Node, old: Option<&Variant>, form: Option<&Variant>) -> Vec<Pair> {
    let key = |of: Option<&Variant>, name: &str| of?.keys.iter().find(|key| key.name == name);
    let has = |pair: &&Pair| {
        key(form, &pair.key)
            .is_some_and(|new| key(old, &pair.key).is_none_or(|old| alike(&old.kind, &new.kind)))
    };
    match &before.value {
        Value::Table(written) => written.iter().filter(has).cloned().collect(),
        _ => Vec::new(),
    }
}

/// Whether a value of one kind may be one of the other: `start` of a random walk is a rate, of a recording a time.
fn alike(one: &Kind, other: &Kind) -> bool {
    match (one, other) {
        (Kind::Quantity(one), Kind::Quantity(other)) => {
            one.dimensions.iter().any(|dimension| other.dimensions.contains(dimension))
        }
        _ => discriminant(one) == discriminant(other),
    }
}

/// The name of a group of flows, a link or another element of a list of tables.
fn name_of(node: &Node) -> String {
    let text = |key: &str| match node.value.get(key).map(|entry| &entry.node.value) {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    };
    if node.value.get("name").is_some() || node.value.get("algorithm").is_some() {
        return text("name").or_else(|| text("algorithm")).unwrap_or_default();
    }
    // A link without a name is called as its records are.
    text("from").zip(text("to")).map_or_else(String::new, |(from, to)| format!("{from}-{to}"))
}
