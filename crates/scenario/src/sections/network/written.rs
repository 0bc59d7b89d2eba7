// SPDX-License-Identifier: Apache-2.0
//! The links of `[[network.links]]`.

use super::super::link::LinkContext;
use super::draft::Draft;
use super::links::{Both, LinkKeys};
use crate::diagnostic::Fault;
use crate::field::Reported;

/// Returns `draft`, the routers and links of a file or none, with the links of the list `network.links`. A link without
/// a name takes the place of all links of the file between its routers.
///
/// # Errors
///
/// If a link has errors, which are added to `faults`.
pub fn extended(
    mut draft: Draft,
    links: &[LinkKeys],
    context: LinkContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Draft, Reported> {
    let replaced = links.iter().filter(|link| !link.name.written);
    for link in replaced {
        if let (Ok(from), Ok(to)) = (link.from.get(), link.to.get()) {
            draft.remove_between(from, to);
        }
    }
    let mut result = Ok(());
    for link in links {
        result = result.and(link.add(&mut draft, context, faults));
    }
    result.map(|()| draft)
}

impl LinkKeys {
    fn add(
        &self,
        draft: &mut Draft,
        context: LinkContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        let Self { rate, overhead, queue, loss, impairments, reverse, .. } = self;
        let directions = Both { rate, overhead, queue, loss, impairments, reverse }.resolve(context, faults);
        let (one_way, name) = (self.one_way.copied()?, self.name.get()?);
        let (from, to) = (self.from.get()?, self.to.get()?);
        if from == to {
            let fault = self.to.fault("a link from a router to itself").given(format!("\"{to}\""));
            return Err(fault.allowed("another router").report(faults));
        }
        if one_way && self.reverse.written {
            let fault = self.reverse.fault("a one-way link has no reverse direction");
            return Err(fault.allowed("no reverse, or one_way = false").report(faults));
        }
        let ends = (draft.node(from), draft.node(to));
        let names = [
            name.clone().unwrap_or_else(|| draft.free_name(ends)),
            name.as_ref().map_or_else(|| draft.free_name((ends.1, ends.0)), |name| format!("{name} reverse")),
        ];
        let used = &names[..if one_way { 1 } else { 2 }];
        if let Some(name) = used.iter().find(|name| draft.names().any(|known| known == **name)) {
            let at = if self.name.written { &self.name.at } else { &self.from.at };
            let fault = at.fault(format!("two links are called `{name}`"));
            return Err(fault.allowed("a name that no other link has").report(faults));
        }
        let (directions, delay) = (directions?, self.delay.copied()?);
        if one_way {
            let [name, _] = names;
            draft.push(name, ends, delay, &directions[0]);
        } else {
            draft.pair(names, ends, delay, &directions);
        }
        Ok(())
    }
}
