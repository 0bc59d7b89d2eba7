// SPDX-License-Identifier: Apache-2.0
//! Refusals: values of keys that a backend does not support.

use crate::algorithm::Control;
use crate::{Model, Stop, Workload};
use narrows_cc::{Reports, Transport};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A key of the scenario whose value a backend does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The key that is refused.
    pub key: Refused,
    /// Reason of the refusal.
    pub reason: String,
    /// Values that the backend supports.
    pub allowed: String,
}

/// The key of a refusal, by the part of the model that came from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A key of the group of flows with this index in the model, as in `source.concurrent`.
    Group(usize, Cow<'static, str>),
    /// The queue of the link with this index, or this parameter of it.
    Queue(usize, Option<&'static str>),
}

/// A key path in the scenario file, as in `path.reverse.queue`. It does not belong to the model proper, and is not shown.
#[derive(Clone)]
pub struct KeyPath(Arc<str>);

impl KeyPath {
    /// Creates the path `path`.
    pub fn new(path: &str) -> Self {
        Self(path.into())
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl Refusal {
    /// Returns the group whose key is refused; `None` if it is a key of a link.
    pub fn group(&self) -> Option<usize> {
        match self.key {
            Refused::Group(group, _) => Some(group),
            Refused::Queue(..) => None,
        }
    }

    /// Returns the refusal of the key `key` of the group `group`, an index in the model.
    pub fn of_group(group: usize, key: impl Into<Cow<'static, str>>, reason: String, allowed: &str) -> Self {
        Self { key: Refused::Group(group, key.into()), reason, allowed: allowed.to_owned() }
    }
}

/// Returns the algorithms and programs of `model` that only a Linux kernel runs.
pub fn of_kernels(model: &Model) -> Vec<Refusal> {
    let refusal = |group, key: &'static str, what, allowed| {
        let reason = format!("only a Linux kernel {what}");
        Refusal::of_group(group, key, reason, allowed)
    };
    let groups = || model.groups.iter().enumerate();
    let kernels =
        groups().filter(|(_, group)| matches!(group.algorithm, Control::Kernel { .. })).map(|(number, _)| {
            refusal(
                number,
                "algorithm",
                "has it, and --on linux runs on one",
                "an algorithm of the catalogue",
            )
        });
    let programs = groups().filter(|(_, group)| group.program.is_some()).map(|(number, _)| {
        refusal(
            number,
            "program",
            "runs programs: in simulated time with --on linux, in real time with narrows emulate",
            "no program",
        )
    });
    kernels.chain(programs).collect()
}

/// Returns the requirements of `model` on flows that a kernel carries, `who`, that only the endpoints of Narrows meet.
pub fn of_carried(model: &Model, who: &str) -> Vec<Refusal> {
    let workloads = || model.workloads.iter();
    let exchanges = workloads().filter(|workload| workload.partner.is_some()).map(two_sided);
    let streams = workloads().filter(|workload| workload.demand.is_stream());
    // What carries a connection has all its data from the start.
    let stops = workloads().filter_map(|workload| {
        let key = if matches!(workload.demand.stop()?, Stop::At(_)) { "stop" } else { "lasts" };
        let reason = format!("{who} has the data of a connection from its start, and sends it");
        Some(Refusal::of_group(workload.group, key, reason, "no stop and no lasts; a size ends a flow"))
    });
    exchanges.chain(streams.map(|workload| in_bytes(workload, who))).chain(stops).collect()
}

/// Returns what `model` asks of flows that protocol stacks carry, and that these do not do.
pub fn of_stacks(model: &Model) -> Vec<Refusal> {
    let small = model.workloads.iter().filter_map(|workload| {
        let control = model.groups[workload.group].algorithm.stack()?;
        let packet = workload.transport.mss + workload.transport.header;
        let least = control.stack.least_packet();
        let name = control.stack.name();
        let reason = format!("{name} needs packets of {least} or more, and those here have {packet}");
        (packet < least).then(|| Refusal::of_group(workload.group, "stack", reason, "a larger packet"))
    });
    let carried = |each: &&Workload| model.groups[each.group].algorithm.stack().is_some();
    let workloads = || model.workloads.iter().filter(carried);
    let exchanges = workloads().filter(|workload| workload.demand.is_recorded()).map(two_sided);
    let streams = workloads().filter(|workload| workload.demand.is_stream());
    let streams = streams.map(|workload| in_bytes(workload, "the stack"));
    small.chain(exchanges).chain(streams).collect()
}

/// Returns the groups of `model` whose round trips a shaper follows, and whose senders measure none: those of which `silent` says
/// so, and those whose receivers send nothing back.
pub fn of_probes(model: &Model, silent: impl Fn(usize) -> bool) -> Vec<Refusal> {
    let mut end = 0;
    let slots: Vec<_> = model
        .workloads
        .iter()
        .map(|each| {
            (end, {
                end += each.slots;
                end
            })
        })
        .collect();
    let is_probe = |(start, end): (u32, u32)| {
        let mut rules = model.links.iter().filter_map(|link| link.rate.autorate());
        rules.any(|rule| start < rule.probes.end && rule.probes.start < end)
    };
    let probes = model.workloads.iter().zip(slots).filter(|(_, slots)| is_probe(*slots));
    let nothing = Transport::Datagram(Reports::Nothing);
    let silent = probes.filter(|(workload, _)| {
        let algorithm = &model.groups[workload.group].algorithm;
        silent(workload.group) || algorithm.stack().is_none() && algorithm.needs().transport == nothing
    });
    let reason = "the rate of a link follows its round trips, and its sender measures none";
    let refuse = |group| {
        Refusal::of_group(group, "algorithm", reason.to_owned(), "an algorithm with acknowledgements")
    };
    silent.map(|(workload, _)| refuse(workload.group)).collect()
}

fn two_sided(workload: &Workload) -> Refusal {
    let reason = "both sides of a connection write".to_owned();
    Refusal::of_group(workload.group, "source", reason, "a source that writes at the sender alone")
}

fn in_bytes(workload: &Workload, who: &str) -> Refusal {
    let reason = format!("its data is passed to {who} in full packets");
    Refusal::of_group(workload.group, "source.whole_packets", reason, "true")
}
