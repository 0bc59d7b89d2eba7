//! The queues that favour groups of flows: strict priority and RIO.

use super::super::diagnostic::{Fault, nearest};
use super::super::table::{Checked, Item, Table};
use super::super::tree::Place;
use super::super::walk::list;
use super::queue::{Scale, length};
use narrows_qdisc::{Classes, Discipline, Limit, priority, red, rio};
use narrows_units::Quantity;
use std::ops::Range;

/// The groups of flows that a queue may name: name and seats.
pub(super) type Groups = [(String, Range<u64>)];

pub(super) fn priority(
    form: &Table,
    limit: Option<Limit>,
    scale: Scale,
    groups: &Groups,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    let mut classes: Vec<Option<u8>> = vec![None; groups.len()];
    let mut sound = true;
    for name in form.value("classes")?.named() {
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
    let limits = limits(form, usize::from(last) + 1, scale, faults);
    let classes = sound.then(|| of_flows(groups, |group| classes[group], last))?;
    Some(Discipline::Priority(priority::Config { classes, limit: limit?, limits: limits? }))
}

/// The key `limits`: at most one for each class.
fn limits(form: &Table, classes: usize, scale: Scale, faults: &mut Vec<Fault>) -> Option<Vec<Limit>> {
    if !form.has("limits") {
        return Some(Vec::new());
    }
    let items = form.value("limits")?.list();
    if items.len() > classes {
        let message = format!("{} limits for {classes} classes", items.len());
        let fault = Fault::new(form.place_of("limits"), form.path_of("limits"), message);
        faults.push(fault.allowed(format!("at most {classes}, one for each class from 0 on")));
        return None;
    }
    let limits: Vec<Option<Limit>> = items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let path = format!("{}.{index}", form.path_of("limits"));
            length(item.value.as_ref()?.limit(), &item.place, path, scale, faults)
        })
        .collect();
    limits.into_iter().collect()
}

pub(super) fn rio(
    form: &Table,
    limit: Option<Limit>,
    scale: Scale,
    groups: &Groups,
    faults: &mut Vec<Fault>,
) -> Option<Discipline> {
    let inside = inside(form, groups, faults);
    let (unit, [in_min, in_max, out_min, out_max]) = thresholds(form, scale, faults)?;
    let ramp = |min, max, max_p: Option<f64>| Some(rio::Ramp { min, max, max_p: max_p? });
    let inside = inside?;
    Some(Discipline::Rio(rio::Config {
        classes: of_flows(groups, |group| u8::from(!inside.contains(&group)), 1),
        unit,
        inside: ramp(in_min, in_max, form.read("in_max_p", 0.02, Checked::number))?,
        outside: ramp(out_min, out_max, form.read("out_max_p", 0.2, Checked::number))?,
        weight: form.read("weight", 0.002, Checked::number)?,
        gentle: form.read("gentle", false, Checked::flag)?,
        wait: form.read("wait", true, Checked::flag)?,
        ecn: form.read("ecn", false, Checked::flag)?,
        limit: limit?,
        mean_packet: scale.packet,
    }))
}

/// The groups in the key `in`.
fn inside(form: &Table, groups: &Groups, faults: &mut Vec<Fault>) -> Option<Vec<usize>> {
    let named: Vec<Option<usize>> = form
        .value("in")?
        .list()
        .iter()
        .enumerate()
        .map(|(index, Item { place, value })| {
            let path = format!("{}.{index}", form.path_of("in"));
            find(&value.as_ref()?.text(), place, &path, groups, faults)
        })
        .collect();
    named.into_iter().collect()
}

/// The four thresholds, all in one unit, each `min` below its `max`.
fn thresholds(form: &Table, scale: Scale, faults: &mut Vec<Fault>) -> Option<(red::Unit, [f64; 4])> {
    let mut read = Vec::new();
    for (key, default) in THRESHOLDS {
        let written = form.read(key, Some(Quantity::Packets(default)), Checked::limit);
        let written = written?.expect("the key has no word for no limit");
        read.push((key, written, scale.threshold(written)));
    }
    let unit = read[0].2.0;
    if read.iter().any(|(.., (other, _))| *other != unit) {
        let key =
            THRESHOLDS.iter().map(|(key, _)| *key).rfind(|key| form.has(key)).expect("a default is in pkt");
        let names = list(THRESHOLDS.iter().map(|(key, _)| *key));
        let fault =
            Fault::new(form.place_of(key), form.path_of(key), "the thresholds are not in the same unit");
        faults.push(fault.allowed(format!("{names} all in pkt, or all in bytes, time or bdp")));
        return None;
    }
    for pair in read.chunks(2) {
        let [(min_key, min, (_, from)), (max_key, max, (_, to))] = pair else {
            unreachable!("four are two pairs")
        };
        if from >= to {
            let message = format!("{min_key} is not below {max_key}");
            let fault = Fault::new(form.place_of(min_key), form.path_of(min_key), message);
            faults.push(fault.given(min.to_string()).allowed(format!("less than {max_key}, {max}")));
            return None;
        }
    }
    Some((unit, [0, 1, 2, 3].map(|index: usize| read[index].2.1)))
}

/// The place of the group `name`, or the fault that there is none.
fn find(name: &str, place: &Place, path: &str, groups: &Groups, faults: &mut Vec<Fault>) -> Option<usize> {
    let names = || groups.iter().map(|(name, _)| name.as_str());
    let found = names().position(|known| known == name);
    if found.is_none() {
        let fault = Fault::new(place, path, "no group of flows has this name").given(format!("\"{name}\""));
        faults.push(fault.allowed(list(names())).nearest(nearest(name, names())));
    }
    found
}

/// The class of every flow, from that of its group.
fn of_flows(groups: &Groups, class: impl Fn(usize) -> u8, others: u8) -> Classes {
    let mut of_seats = vec![others; groups.iter().map(|(_, seats)| seats.end).max().unwrap_or(0) as usize];
    for (index, (_, seats)) in groups.iter().enumerate() {
        of_seats[seats.start as usize..seats.end as usize].fill(class(index));
    }
    Classes::new(of_seats, others)
}

/// Keys and defaults, in packets.
const THRESHOLDS: [(&str, f64); 4] =
    [("in_min", 15.0), ("in_max", 30.0), ("out_min", 5.0), ("out_max", 15.0)];
