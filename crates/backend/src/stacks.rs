// SPDX-License-Identifier: Apache-2.0
//! The scenarios that the simulator supports, so that a scenario can be judged without it.

use crate::Endpoints;
use narrows_model::{Model, Refusal, Workload, of_kernels, of_probes, of_stacks};
use narrows_transport::TransportOptions;

/// Returns the parts of `model` that the simulator cannot run.
pub fn simulator_refusals(model: &Model) -> Vec<Refusal> {
    of_kernels(model).into_iter().chain(of_stacks(model)).chain(of_probes(model, |_| false)).collect()
}

/// Returns the endpoints of a `workload` that a protocol stack carries; `None` for the endpoints of the model. The work
/// of hosts around a stack stays the model's: marks, the size of packets, and the room at the receiver.
pub fn simulator_endpoints(model: &Model, workload: &Workload) -> Option<Endpoints> {
    let settings = model.groups[workload.group].algorithm.stack()?.settings;
    let TransportOptions { ecn, mss, header, ack, receive_window, .. } = *workload.transport;
    let usual = TransportOptions::default();
    let initial_window = settings.initial_window.map_or(usual.initial_window, u64::from);
    let options = TransportOptions { ecn, mss, header, ack, receive_window, initial_window, ..usual };
    let reason = "the stack that carries the flows decides this";
    Some(Endpoints { options, own_slow_start: true, reason, elsewhere: &[] })
}
