//! What a backend cannot honour, reported where it was written.

use super::diagnostic::Fault;
use super::location::Location;
use super::tree::{Node, Value};
use narrows_model::{DefaultValue, GroupModel, Refusal};

/// The algorithm that takes the place of the subjects' own, as typed, and the groups that may be subjects.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    /// The algorithm; `None` if all groups keep their own.
    pub typed: Option<&'a str>,
    /// The groups of the model.
    pub groups: &'a [GroupModel],
}

/// A key of the resolved file, and the value of TOML in place of its default, if a value says what the backend does.
pub(super) type Replaced = (String, Option<String>);

/// A fault for each of `refusals`, at the value of its key in `root`; where the key is not written, at what it belongs to.
/// `places` has the index of each group of the model in the file, where groups without flows are, too. An algorithm that is not the
/// file's is reported where it was typed, once.
pub(super) fn faults(
    root: &Node,
    places: &[usize],
    subject: Subject<'_>,
    backend: &str,
    refusals: Vec<Refusal>,
) -> Vec<Fault> {
    let fault = |refusal: Refusal| {
        if let Some(typed) = subject.algorithm(&refusal.key) {
            let message = format!("{backend} cannot honour this: {}", refusal.reason);
            let fault = Fault::new(&Location::CommandLine, "algorithm", message).given(format!("{typed:?}"));
            return Some(fault.allowed(refusal.allowed));
        }
        let key = in_file(&refusal.key, places);
        let (node, written) = find(root, &key);
        if refusal.default != DefaultValue::Refused && !written {
            return None;
        }
        let message = format!("{backend} cannot honour this: {}", refusal.reason);
        let fault = Fault::new(&node.place, key, message).allowed(refusal.allowed);
        Some(if written { fault.given(node.value.shown()) } else { fault })
    };
    let mut found: Vec<Fault> = Vec::new();
    for fault in refusals.into_iter().filter_map(fault) {
        if !found.contains(&fault) {
            found.push(fault);
        }
    }
    found
}

impl<'a> Subject<'a> {
    /// The typed algorithm, if `key` is the algorithm of a group that has it.
    fn algorithm(self, key: &str) -> Option<&'a str> {
        let number = key.strip_prefix("flows[")?.strip_suffix("].algorithm")?;
        let group = self.groups.get(number.parse::<usize>().ok()?)?;
        self.typed.filter(|_| group.subject)
    }
}

/// The keys of `refusals` that `root` leaves at their defaults, each with what the backend does instead: the resolved file must
/// not say otherwise.
pub(super) fn replaced_defaults(root: &Node, places: &[usize], refusals: &[Refusal]) -> Vec<Replaced> {
    let written = |key: &str| find(root, &in_file(key, places)).1;
    let replaced = |refusal: &Refusal| match &refusal.default {
        DefaultValue::Replaced(value) if !written(&refusal.key) => Some((refusal.key.clone(), value.clone())),
        _ => None,
    };
    refusals.iter().filter_map(replaced).collect()
}

/// The path in the file of `key` in the model.
fn in_file(key: &str, places: &[usize]) -> String {
    let group = key.strip_prefix("flows[").and_then(|rest| rest.split_once(']'));
    let place = group.and_then(|(number, rest)| Some((places.get(number.parse::<usize>().ok()?)?, rest)));
    place.map_or_else(|| key.to_owned(), |(place, rest)| format!("flows[{place}]{rest}"))
}

/// The node of `key` and true, or the last node above it.
fn find<'n>(root: &'n Node, key: &str) -> (&'n Node, bool) {
    let mut node = root;
    for step in key.split(['.', '[']) {
        let next = match (step.strip_suffix(']'), &node.value) {
            (Some(place), Value::List(nodes)) => place.parse().ok().and_then(|place: usize| nodes.get(place)),
            (None, value) => value.get(step).map(|pair| &pair.node),
            (Some(_), _) => None,
        };
        match next {
            Some(next) => node = next,
            None => return (node, false),
        }
    }
    (node, true)
}
