// SPDX-License-Identifier: Apache-2.0
//! Algorithms of Narrows, and those from files, as controllers in a stack.

use crate::sent::Shared;
use narrows_adapter::{Plan, Reason, Stack};
use narrows_cc::{EcnUse, Failure};
use narrows_model::algorithm::{Control, FlowStart};
use narrows_model::stack::StackSetup;
use narrows_units::Time;
use std::sync::Arc;

/// Returns why `algorithm` cannot be a controller in `stack`; `None` if it can. One from a file is not executed while a scenario is
/// read: what it asks for is seen when a connection starts.
pub(crate) fn refusal(algorithm: &Arc<Control>, stack: Stack) -> Option<String> {
    if algorithm.external().is_some() {
        return None;
    }
    let start = FlowStart { flow: 0, group: "", stack: "", now: Time::ZERO };
    plan_of(algorithm, &start, &Shared::default(), stack).reason(stack).map(|reason| reason.to_string())
}

/// Returns what builds the instance of `algorithm` for the connection `start` in `stack`, whose failures become known to `watching`. One that
/// the stack cannot limit fails before anything is sent.
pub(crate) fn plan(
    algorithm: &Arc<Control>,
    start: &FlowStart<'_>,
    setup: &StackSetup,
    watching: &Shared,
    stack: Stack,
) -> Plan {
    let mut plan = plan_of(algorithm, start, watching, stack);
    plan.setup.seed = setup.seed;
    if let Some(packets) = setup.settings.initial_window {
        plan.setup.initial_window = packets.into();
    }
    if !setup.observed {
        return plan;
    }
    let seen = watching.clone();
    plan.observing(move |algorithm| {
        let observed = &mut seen.lock().observed;
        observed.clear();
        algorithm.observe(&mut |name, value| observed.push((name.to_owned(), value)));
    })
}

fn plan_of(algorithm: &Arc<Control>, start: &FlowStart<'_>, watching: &Shared, stack: Stack) -> Plan {
    let FlowStart { flow, now, .. } = *start;
    let (control, group, carrier) = (Arc::clone(algorithm), start.group.to_owned(), start.stack.to_owned());
    let (building, running) = (watching.clone(), watching.clone());
    let build = move |setup: &_| {
        let instance = control.build(setup, &FlowStart { flow, group: &group, stack: &carrier, now });
        let limits = instance.limits();
        let refused = if instance.ecn() != EcnUse::Classic {
            Some(Reason::Marks)
        } else if !stack.paces && limits.window.is_none() {
            Some(Reason::NoWindow)
        } else if !stack.paces && limits.pacing.is_some() {
            Some(Reason::Pacing)
        } else {
            None
        };
        if let Some(reason) = refused {
            building.lock().fail(Failure::new(now, reason.to_string()));
        }
        instance
    };
    let plan = Plan::new(algorithm.to_string(), algorithm.needs(), build);
    plan.reporting(move |failure| running.lock().fail(failure.clone()))
}
