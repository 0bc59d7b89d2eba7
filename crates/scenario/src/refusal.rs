// SPDX-License-Identifier: Apache-2.0
//! Settings that a backend does not support, reported at their lines.

use super::diagnostic::Fault;
use super::kind::Key;
use super::location::Location;
use super::resolve::Resolved;
use super::sections::preset::Unlike;
use super::tree::{Node, Value};
use narrows_backend::Support;
use narrows_model::{Model, Refused};

/// A key of the resolved file whose default is replaced by the backend's behaviour: its path, and the value of TOML in
/// its place; `None` if no value says it.
pub(super) type Replaced = (String, Option<String>);

/// The judgement of a backend about a scenario.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    /// Faults of the parts that it refuses.
    pub faults: Vec<Fault>,
    /// Defaults that it replaces: the resolved file must not say otherwise.
    pub replaced: Vec<Replaced>,
}

/// Returns what `backend` makes of the scenario `root`; `typed` is the algorithm that takes the place of the subjects'
/// own.
pub(super) fn judge(
    backend: &dyn Support,
    root: &Node,
    resolved: &Resolved,
    model: &Model,
    typed: Option<&str>,
) -> Judgement {
    let mut judgement = Judgement::default();
    let message = |reason: &str| format!("{} cannot honour this: {reason}", backend.name());
    for refusal in backend.refusals(model) {
        let path = match &refusal.key {
            Refused::Group(group, key) => {
                let typed = typed.filter(|_| key == "algorithm" && model.groups[*group].subject);
                if let Some(typed) = typed {
                    // It is not the file's.
                    let fault = Fault::new(&Location::CommandLine, "algorithm", message(&refusal.reason));
                    judgement.faults.push(fault.given(format!("{typed:?}")).allowed(refusal.allowed));
                    continue;
                }
                format!("flows.{}.{key}", resolved.groups[*group].place)
            }
            Refused::Queue(link, None) => model.links[*link].queue_key.to_string(),
            Refused::Queue(link, Some(parameter)) => format!("{}.{parameter}", model.links[*link].queue_key),
        };
        judgement.faults.push(fault(root, path, message(&refusal.reason), refusal.allowed));
    }
    let endpoints = |number: usize| {
        let workload = model.workloads.iter().find(|each| each.group == number);
        workload.and_then(|workload| backend.endpoints(model, workload))
    };
    // A key of all flows is one of those that have the endpoints of the model, if there are any.
    let all = (0..resolved.groups.len()).all(|number| endpoints(number).is_some());
    for (number, group) in resolved.groups.iter().enumerate() {
        let Some(endpoints) = endpoints(number) else { continue };
        for Unlike { key, at, written, other } in group.endpoint.differing(&endpoints.options) {
            if !all && !at.path.starts_with("flows") {
                continue;
            }
            if written {
                let elsewhere = endpoints.elsewhere.iter().find(|(name, _)| *name == key);
                let elsewhere = elsewhere.map_or(String::new(), |(_, place)| format!(", and {place}"));
                let allowed = format!("{}{elsewhere}", Key::plain(&other));
                judgement.faults.push(fault(root, at.path, message(endpoints.reason), allowed));
            } else {
                let other = Some(other).filter(|_| key != "slow_start" || !endpoints.own_slow_start);
                let places = [format!("transport.{key}"), format!("flows[{number}].{key}")];
                judgement.replaced.extend(places.map(|place| (place, other.clone())));
            }
        }
    }
    judgement
}

/// The fault at the value of the key `path` in `root`; if it is not written, at what it belongs to.
fn fault(root: &Node, path: String, message: String, allowed: String) -> Fault {
    let (node, written) = find(root, &path);
    let fault = Fault::new(&node.place, path, message).allowed(allowed);
    if written { fault.given(node.value.shown()) } else { fault }
}

/// The node of `key` and true, or the last node above it.
fn find<'n>(root: &'n Node, key: &str) -> (&'n Node, bool) {
    let mut node = root;
    for step in key.split('.') {
        let next = match &node.value {
            Value::List(nodes) => step.parse().ok().and_then(|place: usize| nodes.get(place)),
            value => value.get(step).map(|pair| &pair.node),
        };
        match next {
            Some(next) => node = next,
            None => return (node, false),
        }
    }
    (node, true)
}
