// SPDX-License-Identifier: Apache-2.0
//! The support of a Linux kernel.

use crate::kernel::{KERNEL_NAMES, Kernel, kernel_name, setting};
use crate::queues::Queues;
use narrows_backend::{Endpoints, Support};
use narrows_cc::{Needs, SlowStartKind, Transport};
use narrows_model::algorithm::{Control, KERNEL};
use narrows_model::{Model, Refusal, Refused, Workload, of_carried};
use narrows_transport::TransportOptions;
use narrows_units::Bytes;

impl Support for Kernel {
    fn name(&self) -> &'static str {
        "linux"
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        refusals(self, model)
    }

    /// Those of Linux, but for what its hosts are configured to do and for what is not theirs: marks, the size of segments, and the
    /// patience of receive offload, which merges nothing.
    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        let TransportOptions { ecn, mss, receive_offload_timeout, .. } = *workload.transport;
        let header = header(model);
        let options = TransportOptions {
            ecn,
            mss,
            receive_offload_timeout,
            header,
            ack: header,
            slow_start: slow_start(&model.groups[workload.group].algorithm),
            tso_autosizing: model.linux.gso,
            ..TransportOptions::linux()
        };
        let reason = "the kernel's TCP decides this";
        Some(Endpoints { options, own_slow_start: true, reason, elsewhere: ELSEWHERE })
    }
}

/// Options of which `[linux]` decides.
const ELSEWHERE: &[(&str, &str)] = &[
    ("segmentation_offload", "linux.gso"),
    ("tso_autosizing", "linux.gso"),
    ("syn_retries", "net.ipv4.tcp_syn_retries in linux.sysctl"),
    ("retries", "net.ipv4.tcp_retries2 in linux.sysctl"),
];

/// How a flow of `algorithm` starts in the kernel.
fn slow_start(algorithm: &Control) -> SlowStartKind {
    if kernel_name(algorithm) == Some("cubic") { SlowStartKind::HyStart } else { SlowStartKind::Standard }
}

/// Bytes of the headers of IP and TCP, with timestamps unless a setting of `model` removes them.
fn header(model: &Model) -> Bytes {
    Bytes::new(if setting(model, "net.ipv4.tcp_timestamps") == Some("0") { 40 } else { 52 })
}

/// The parts of `model` that `kernel` cannot run, besides options of its endpoints.
fn refusals(kernel: &Kernel, model: &Model) -> Vec<Refusal> {
    let algorithms = (0..model.groups.len()).filter_map(|group| algorithm(kernel, model, group));
    algorithms
        .chain(of_carried(model, "the kernel"))
        .chain(too_many_programs(model))
        .chain(too_many_connections(model))
        .chain(queues(kernel, model))
        .collect()
}

/// An algorithm that the kernel does not have, or runs only with ECN.
fn algorithm(kernel: &Kernel, model: &Model, group: usize) -> Option<Refusal> {
    let algorithm = &model.groups[group].algorithm;
    let ecn = model.workloads.iter().find(|each| each.group == group).is_some_and(|each| each.transport.ecn);
    let reason = lacks(algorithm, &kernel.algorithms).or_else(|| lacks_ecn(algorithm, ecn))?;
    let here = |name: &str| kernel.algorithms.iter().any(|own| own == name);
    let ours = KERNEL_NAMES.iter().filter(|(_, theirs)| here(theirs)).map(|(ours, _)| (*ours).to_owned());
    let theirs = kernel.algorithms.iter().map(|name| format!("{KERNEL}{name}"));
    let known: Vec<String> = ours.chain(theirs).collect();
    Some(Refusal::of_group(group, "algorithm", reason, &known.join(", ")))
}

/// More programs than a virtual machine has memory for.
fn too_many_programs(model: &Model) -> Option<Refusal> {
    let carried = |group: usize| model.groups[group].program.is_some();
    let flows = model.workloads.iter().filter(|each| carried(each.group)).map(|each| each.slots).sum::<u32>();
    let last = model.groups.iter().rposition(|group| group.program.is_some())?;
    let reason = format!("{flows} flows are carried by programs");
    let allowed = format!("at most {MOST_PROGRAMS}");
    (flows > MOST_PROGRAMS).then(|| Refusal::of_group(last, "count", reason, &allowed))
}

/// Flows that programs may carry, two programs each.
const MOST_PROGRAMS: u32 = 32;

/// More connections at a time than the sending host has ports.
fn too_many_connections(model: &Model) -> Option<Refusal> {
    let mut slots = 0;
    let too_many = model.workloads.iter().find(|workload| {
        slots += u64::from(workload.slots);
        slots > MOST_CONNECTIONS
    })?;
    let key = if too_many.demand.may_refuse() { "source.concurrent" } else { "count" };
    let reason =
        format!("with this group {slots} connections may be open at once, each of which needs a port");
    let allowed = format!("at most {MOST_CONNECTIONS} in all");
    Some(Refusal::of_group(too_many.group, key, reason, &allowed))
}

/// Ports from `FIRST` of the driver on.
const MOST_CONNECTIONS: u64 = 65_536 - 1024;

/// The queues of `model` that the kernel cannot have in place of ours.
fn queues(kernel: &Kernel, model: &Model) -> Vec<Refusal> {
    let refusal = |number| {
        let (parameter, reason) = match kernel.queue(model, number) {
            Ok(queue) => ("", lacks_queue(kernel, queue?.kind)?),
            Err(lack) => lack,
        };
        Some(Refusal {
            key: Refused::Queue(number, Some(parameter).filter(|name| !name.is_empty())),
            reason: format!("{reason} (--queue {})", kernel.queues.text()),
            allowed: Queues::same(),
        })
    };
    (0..model.links.len()).filter_map(refusal).collect()
}

/// Why `kernel` does not have the queue discipline `kind`; `None` if it does.
fn lacks_queue(kernel: &Kernel, kind: &str) -> Option<String> {
    let since = if kind == "dualpi2" { ", which Linux has since 6.17" } else { "" };
    (!kernel.disciplines.iter().any(|own| own == kind)).then(|| format!("this kernel has no {kind}{since}"))
}

/// Returns why a kernel with `algorithms` does not have `algorithm` with its parameters; `None` if it does.
pub fn lacks(algorithm: &Control, algorithms: &[String]) -> Option<String> {
    if matches!(algorithm, Control::External(_)) {
        return Some("the kernel cannot load it".to_owned());
    }
    if let Some(control) = algorithm.stack() {
        return Some(format!("the kernel has no stack {}", control.stack.name()));
    }
    let Needs { transport, .. } = algorithm.needs();
    if matches!(transport, Transport::Datagram(_)) {
        return Some("the kernel's TCP sends no datagrams".to_owned());
    }
    let Some(name) = kernel_name(algorithm).filter(|name| algorithms.iter().any(|own| own == name)) else {
        return Some(format!("the kernel has no {}", algorithm.name()));
    };
    // The kernel's parameters belong to its module and to all flows.
    let changed =
        matches!(algorithm, Control::Listed(listed) if listed.values != listed.entry.card.defaults());
    changed.then(|| format!("the kernel's {name} has its own parameters, not those of {algorithm}"))
}

/// Why the kernel does not run `algorithm` as the scenario says, with `ecn` or without; `None` if it does.
fn lacks_ecn(algorithm: &Control, ecn: bool) -> Option<String> {
    let name = kernel_name(algorithm).filter(|name| !ecn && NEEDING_ECN.contains(name))?;
    Some(format!("the kernel's {name} asks for ECN itself, and without it is reno: it needs ecn = true"))
}

/// Algorithms of the kernel with `TCP_CONG_NEEDS_ECN`.
const NEEDING_ECN: &[&str] = &["dctcp"];
