//! The classes of groups of flows, for queues that favour some.

use crate::diagnostic::Fault;
use crate::kind::list;
use crate::location::Location;
use crate::table::{Item, Name};
use narrows_card::nearest;
use narrows_qdisc::{Classes, Setting};
use std::ops::Range;

/// The flow groups that a queue discipline may name: name and range of connection slots.
pub type Groups = [(String, Range<u64>)];

/// The classes of the groups in `named`; all other groups share a class after these. `None` if there are errors, which
/// are added to `faults`.
pub fn classes(named: &[Name], groups: &Groups, faults: &mut Vec<Fault>) -> Option<Setting> {
    let mut classes: Vec<Option<u8>> = vec![None; groups.len()];
    let mut sound = true;
    for name in named {
        let group = find(&name.text, &name.place, &name.path, groups, faults);
        let class = name.item.value.as_ref().map(|class| class.integer() as u8);
        sound &= group.is_some() && class.is_some();
        if let Some(group) = group {
            classes[group] = class;
        }
    }
    let worst = classes.iter().flatten().max().copied();
    let behind = worst.map_or(0, |worst| worst + 1);
    let classes: Vec<u8> = classes.into_iter().map(|class| class.unwrap_or(behind)).collect();
    let last = classes.iter().max().copied().unwrap_or(0);
    sound.then(|| setting(groups, &classes, last))
}

/// Class 0 for the groups named at `path`, class 1 for all others. `None` if there are errors, which are added to
/// `faults`.
pub fn favoured(items: &[Item], path: &str, groups: &Groups, faults: &mut Vec<Fault>) -> Option<Setting> {
    let named = items.iter().enumerate().map(|(index, Item { place, value })| {
        find(&value.as_ref()?.text(), place, &format!("{path}.{index}"), groups, faults)
    });
    let named: Vec<Option<usize>> = named.collect();
    let named: Vec<usize> = named.into_iter().collect::<Option<_>>()?;
    let classes: Vec<u8> = (0..groups.len()).map(|group| u8::from(!named.contains(&group))).collect();
    Some(setting(groups, &classes, 1))
}

/// The class of each group, and of each of its flows; flows of no group are in the class `others`.
fn setting(groups: &Groups, classes: &[u8], others: u8) -> Setting {
    let last = groups.iter().map(|(_, slots)| slots.end).max().unwrap_or(0);
    let mut of_slots = vec![others; last as usize];
    for ((_, slots), class) in groups.iter().zip(classes) {
        of_slots[slots.start as usize..slots.end as usize].fill(*class);
    }
    let of_groups = groups.iter().zip(classes).map(|((name, _), class)| (name.clone(), *class));
    Setting::Classes(of_groups.collect(), Classes::new(of_slots, others))
}

/// The place of the group `name`, or the fault that there is none.
fn find(name: &str, place: &Location, path: &str, groups: &Groups, faults: &mut Vec<Fault>) -> Option<usize> {
    let names = || groups.iter().map(|(name, _)| name.as_str());
    let found = names().position(|known| known == name);
    if found.is_none() {
        let fault = Fault::new(place, path, "no group of flows has this name").given(format!("\"{name}\""));
        faults.push(fault.allowed(list(names())).nearest(nearest(name, names())));
    }
    found
}
