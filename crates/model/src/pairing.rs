// SPDX-License-Identifier: Apache-2.0
//! What links the workloads of a model: their order, partners, and the numbers of their random streams.

use crate::{PathModel, Workload};

/// Puts fixed workloads first, otherwise as they are, adjusts their partners, which count in the order given, and numbers their
/// random streams.
pub fn arranged(workloads: Vec<Workload>) -> Vec<Workload> {
    let (mut order, others): (Vec<usize>, Vec<usize>) =
        (0..workloads.len()).partition(|&number| workloads[number].demand.is_fixed());
    let fixed = order.len();
    order.extend(others);
    let mut places = vec![0; workloads.len()];
    for (place, &number) in order.iter().enumerate() {
        places[number] = place;
    }
    let mut waiting: Vec<_> = workloads.into_iter().map(Some).collect();
    let mut first_user = 0;
    let mut arrange = |(place, &number): (usize, &usize)| {
        let mut workload = waiting[number].take()?;
        workload.partner = workload.partner.map(|partner| places[partner as usize] as u32);
        if place >= fixed {
            let first = workload.partner.map_or(place, |partner| place.min(partner as usize));
            (workload.stream, workload.first_user) = ((first - fixed) as u32, first_user);
            first_user += workload.slots;
        }
        Some(workload)
    };
    order.iter().enumerate().filter_map(&mut arrange).collect()
}

/// Checks that partners are each other's, and that all others draw from different random streams.
pub(crate) fn check(workloads: &[Workload]) -> Result<(), String> {
    for number in 0..workloads.len() {
        check_partner(workloads, number).map_err(|fault| format!("workload {number} {fault}"))?;
    }
    let drawn = || workloads.iter().enumerate().filter(|(_, each)| !each.demand.is_fixed());
    let mut streams: Vec<_> = drawn().map(|(number, each)| (each.stream, number)).collect();
    streams.sort_unstable();
    for pair in streams.windows(2) {
        let [(stream, one), (same, other)] = [pair[0], pair[1]];
        if stream == same && workloads[one].partner != Some(other as u32) {
            return Err(format!("workloads {one} and {other} have the same random stream, {stream}"));
        }
    }
    let mut users: Vec<_> = drawn().map(|(number, each)| (each.first_user, each.slots, number)).collect();
    users.sort_unstable();
    for pair in users.windows(2) {
        let [(first, count, one), (next, _, other)] = [pair[0], pair[1]];
        if u64::from(first) + u64::from(count) > u64::from(next) {
            return Err(format!("workloads {one} and {other} have the same user, {next}"));
        }
    }
    Ok(())
}

fn check_partner(workloads: &[Workload], number: usize) -> Result<(), String> {
    let workload = &workloads[number];
    let Some(partner) = workload.partner else {
        return match workload.demand.side() {
            Some(_) => Err("has no partner, and both sides of its connections write".to_owned()),
            None => Ok(()),
        };
    };
    let Some(other) = workloads.get(partner as usize) else {
        return Err(format!("has the partner {partner}, and there are {} workloads", workloads.len()));
    };
    let is_back =
        |(one, two): (&PathModel, &PathModel)| (one.forward, one.reverse) == (two.reverse, two.forward);
    let paths =
        workload.paths.len() == other.paths.len() && workload.paths.iter().zip(&other.paths).all(is_back);
    let faults = [
        (other.partner == Some(number as u32), "whose partner is another"),
        (workload.demand.faces(&other.demand), "which has not the other sides of its connections"),
        (workload.group == other.group, "which is of another group"),
        (workload.slots == other.slots, "which has another number of slots"),
        (workload.stream == other.stream, "which has another random stream"),
        (paths, "which has not the same paths in exchange"),
    ];
    match faults.iter().find(|(holds, _)| !holds) {
        Some((_, fault)) => Err(format!("has the partner {partner}, {fault}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
