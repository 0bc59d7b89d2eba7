// SPDX-License-Identifier: Apache-2.0
//! The backend *real-time*: programs of this machine carry flows of a scenario, in real time.
//!
//! Each flow that programs carry has two hosts: network namespaces, each with a TUN device, which a process of its own sets
//! up (`python/narrows/_internal/emulate/host.py`). Every packet that a host sends enters the network of the scenario at the
//! time at which it was read, crosses its links and queues beside the traffic of all other groups, which is simulated, and is
//! written to the device of the other host at the time at which it leaves. The simulator advances with the wall clock; how
//! late each packet left is recorded.

#![cfg(target_os = "linux")]

mod host;
mod lateness;
mod network;
mod packet;
mod run;
mod tuples;

pub use host::Launcher;

use narrows_backend::{Backend, Endpoints, Progress, RunError, Support};
use narrows_linux::{Kernel, kernel_name, lacks_algorithm};
use narrows_model::{Model, Refusal, Workload, of_carried, of_kernels, of_probes};
use narrows_records::Records;
use narrows_units::Span;

/// The backend.
#[derive(Clone, Debug)]
pub struct RealTime {
    /// How hosts are started.
    pub launcher: Launcher,
    /// Congestion control algorithms of this machine's kernel that its users may use.
    pub algorithms: Vec<String>,
    /// Congestion control algorithms that this machine's kernel has.
    pub installed: Vec<String>,
    /// Greatest 99th percentile of lateness with which a run counts as punctual.
    pub limit: Span,
    /// Time before each event that is waited for without sleep.
    pub spin: Span,
    /// Whether the output of clients is written to the standard output, too.
    pub echo: bool,
}

impl Support for RealTime {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> Option<String> {
        Some(NAME.to_owned())
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        let is_carried = |group: usize| run::carried(model, group);
        // Programs run here, and kernels do not.
        let simulated =
            of_kernels(model).into_iter().filter(|each| each.group().is_none_or(|group| !is_carried(group)));
        let carried = of_carried(model, "the programs");
        let carried = carried.into_iter().filter(|each| each.group().is_some_and(is_carried));
        let groups = 0..model.groups.len();
        let algorithms = groups.filter(|group| is_carried(*group)).filter_map(|group| {
            let algorithm = &model.groups[group].algorithm;
            let mut reason = lacks_algorithm(algorithm, &self.algorithms)?;
            if let Some(name) = kernel_name(algorithm).filter(|name| self.installed.iter().any(|each| each == name)) {
                let all = self.algorithms.join(" ");
                reason = format!(
                    "users of this kernel may not use {name}; `sudo sysctl net.ipv4.tcp_allowed_congestion_control='{all} {name}'` allows it"
                );
            }
            let allowed: Vec<_> = self.algorithms.iter().map(|name| format!("linux:{name}")).collect();
            Some(Refusal::of_group(group, "algorithm", reason, &allowed.join(", ")))
        });
        let stacks = model.groups.iter().enumerate().filter_map(|(number, group)| {
            let name = group.algorithm.stack()?.stack.name();
            let reason = format!("{name} runs in simulated time");
            Some(Refusal::of_group(number, "algorithm", reason, "an algorithm of the catalogue"))
        });
        let probes = of_probes(model, is_carried);
        simulated
            .chain(stacks)
            .chain(probes)
            .chain(carried)
            .chain(algorithms)
            .chain(too_many(model))
            .collect()
    }

    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        run::carried(model, workload.group).then(|| Kernel::default().endpoints(model, workload))?
    }
}

impl Backend for RealTime {
    fn run(
        &self,
        model: &Model,
        replication: u32,
        _threads: usize,
        progress: &Progress,
    ) -> Result<Records, RunError> {
        let mut records = run::run(self, model, replication, progress)?;
        records.run = narrows_sim::describe(model);
        for (number, group) in records.run.groups.iter_mut().enumerate() {
            group.hidden_senders = run::carried(model, number);
        }
        Ok(records)
    }
}

/// More flows of programs than a machine has processors for.
fn too_many(model: &Model) -> Option<Refusal> {
    let of_programs = || model.workloads.iter().filter(|each| run::carried(model, each.group));
    let flows: u32 = of_programs().map(|each| each.slots).sum();
    let last = of_programs().next_back()?.group;
    let reason = format!("{flows} flows are carried by programs, each with two hosts");
    (flows > MOST_FLOWS).then(|| Refusal::of_group(last, "count", reason, &format!("at most {MOST_FLOWS}")))
}

/// Name of the backend.
pub const NAME: &str = "real-time";
/// Flows that programs may carry.
const MOST_FLOWS: u32 = 32;
