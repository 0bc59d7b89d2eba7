// SPDX-License-Identifier: Apache-2.0
//! The classes of groups of flows, for queues that favour some.

use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::kind::list;
use crate::value::Element;
use narrows_qdisc::{Classes, Setting};
use std::ops::Range;

/// The flow groups that a queue discipline may name: name and range of connection slots.
pub type Groups = [(String, Range<u64>)];

/// Returns the classes of the groups in `named`; all other groups share a class after these.
///
/// # Errors
///
/// If a name or a class has errors, which are added to `faults`.
pub fn classes(
    named: &[(Element<String>, Result<u64, Reported>)],
    groups: &Groups,
    faults: &mut Vec<Fault>,
) -> Result<Setting, Reported> {
    let mut classes: Vec<Option<u8>> = vec![None; groups.len()];
    let mut sound = Ok(());
    for (name, class) in named {
        let group = find(name, groups, faults);
        sound = sound.and(group.and(*class).map(drop));
        if let (Ok(group), Ok(class)) = (group, class) {
            classes[group] = Some(*class as u8);
        }
    }
    let worst = classes.iter().flatten().max().copied();
    let behind = worst.map_or(0, |worst| worst + 1);
    let classes: Vec<u8> = classes.into_iter().map(|class| class.unwrap_or(behind)).collect();
    let last = classes.iter().max().copied().unwrap_or(0);
    sound.map(|()| setting(groups, &classes, last))
}

/// Class 0 for the groups `named`, class 1 for all others.
///
/// # Errors
///
/// If a name has errors, which are added to `faults`.
pub fn favoured(
    named: &[Result<Element<String>, Reported>],
    groups: &Groups,
    faults: &mut Vec<Fault>,
) -> Result<Setting, Reported> {
    let find =
        |name: &Result<_, _>| find(name.as_ref().map_err(|reported: &Reported| *reported)?, groups, faults);
    let named: Vec<Result<usize, Reported>> = named.iter().map(find).collect();
    let named: Vec<usize> = named.into_iter().collect::<Result<_, _>>()?;
    let classes: Vec<u8> = (0..groups.len()).map(|group| u8::from(!named.contains(&group))).collect();
    Ok(setting(groups, &classes, 1))
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

/// Returns the place of the group `name`.
///
/// # Errors
///
/// If there is none, which is added to `faults`.
pub fn find(name: &Element<String>, groups: &Groups, faults: &mut Vec<Fault>) -> Result<usize, Reported> {
    let names = || groups.iter().map(|(name, _)| name.as_str());
    names().position(|known| known == name.value).ok_or_else(|| {
        let fault = name.at.fault("no group of flows has this name").given(format!("\"{}\"", name.value));
        fault.allowed(list(names())).nearest(&name.value, names()).report(faults)
    })
}
