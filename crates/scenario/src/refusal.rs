//! What a backend cannot honour, reported where it was written.

use super::diagnostic::Fault;
use super::tree::{Node, Value};
use narrows_model::Refusal;

/// A fault for each of `refusals`, at the value of its key in `root`; where the key is not written, at what it belongs to.
pub(super) fn faults(root: &Node, backend: &str, refusals: Vec<Refusal>) -> Vec<Fault> {
    let fault = |refusal: Refusal| {
        let (node, written) = find(root, &refusal.key);
        if refusal.only_written && !written {
            return None;
        }
        let message = format!("{backend} cannot honour this: {}", refusal.reason);
        let fault = Fault::new(&node.place, refusal.key, message).allowed(refusal.allowed);
        Some(if written { fault.given(node.value.shown()) } else { fault })
    };
    refusals.into_iter().filter_map(fault).collect()
}

/// The keys of `refusals` that `root` leaves at their defaults: the backend does something else there, so the resolved file
/// must not say otherwise.
pub(super) fn replaced_defaults(root: &Node, refusals: &[Refusal]) -> Vec<String> {
    let replaced = refusals.iter().filter(|refusal| refusal.only_written && !find(root, &refusal.key).1);
    replaced.map(|refusal| refusal.key.clone()).collect()
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
