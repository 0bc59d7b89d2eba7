//! The sanity section: signs that a run did not do what its author meant.

use super::{Measures, WarmUp};
use crate::model::{FlowModel, GroupModel, Model};
use crate::records::Recorded;
use narrows_qdisc::Limit;
use narrows_transport::ConnectionState;

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What should be the case.
    pub name: &'static str,
    /// Whether it is; `None` where the question does not arise.
    pub ok: Option<bool>,
    /// The figures behind the answer.
    pub detail: String,
}

/// Asks every question.
pub(crate) fn all(
    model: &Model,
    recorded: &Recorded,
    (groups, links): (&[Measures], &[Measures]),
    found: Option<WarmUp>,
) -> Vec<Check> {
    let mut checks = vec![
        saturated(model, links),
        buffer_filled(model, recorded, links),
        ecn_used(model, groups),
        requests_answered(model),
        control_was_the_limit(recorded),
        connections_opened(recorded),
        long_enough(model, recorded),
        Check {
            name: "packets conserved",
            ok: Some(true),
            detail: format!("{} packet-hops", recorded.performance.packet_hops),
        },
    ];
    checks.extend(model.record.packets.map(|limit| packets_logged(recorded, limit)));
    checks.extend(found.map(warmup_found));
    checks
}

fn warmup_found(warmup: WarmUp) -> Check {
    let detail = if warmup.found {
        format!("it was over after {}", warmup.end)
    } else {
        format!("the run did not settle in its first half; measured from {} on", warmup.end)
    };
    Check { name: "warm-up found", ok: Some(warmup.found), detail }
}

fn packets_logged(recorded: &Recorded, limit: u64) -> Check {
    let entries = recorded.packets.len();
    let detail = match recorded.packets_until {
        None => format!("{entries} entries"),
        Some(at) => {
            let at = at.as_secs_f64();
            format!("record.packet_limit = {limit} was reached: {entries} entries, the last before {at} s")
        }
    };
    Check { name: "packet log complete", ok: Some(recorded.packets_until.is_none()), detail }
}

fn saturated(model: &Model, links: &[Measures]) -> Check {
    let name = "bottleneck saturated";
    let Some(bottleneck) = bottleneck(model, links) else { return nowhere(name) };
    let utilization = bottleneck.value("utilization");
    let detail = format!("{} was used at {:.1} % of its capacity", bottleneck.name, utilization * 100.0);
    Check { name, ok: Some(utilization >= SATURATED), detail }
}

fn buffer_filled(model: &Model, recorded: &Recorded, links: &[Measures]) -> Check {
    let name = "buffer ever full";
    let Some(number) = first_bottleneck(model) else { return nowhere(name) };
    let link = &model.links[number];
    let limited = link.queue.limit() != Limit::Unlimited;
    let counted = recorded.links.iter().find(|link| link.link == number);
    let dropped =
        counted.map_or(0, |link| link.recorder.counts.overflowed - link.recorder.at_measure.overflowed);
    let peak = bottleneck(model, links).map_or(f64::NAN, |link| link.value("queue_peak_packets"));
    let detail = format!("{dropped} packets found it full; at most {peak} waited");
    Check { name, ok: limited.then_some(dropped > 0), detail }
}

fn ecn_used(model: &Model, groups: &[Measures]) -> Check {
    let name = "ECN used";
    let on = model.flows.iter().any(|flow| flow.transport.ecn);
    let marked = groups.iter().any(|group| group.value("mark_rate") > 0.0);
    let detail = if !on {
        "no flow uses ECN".to_owned()
    } else if marked {
        "packets were marked".to_owned()
    } else {
        "flows use ECN but no packet was marked".to_owned()
    };
    Check { name, ok: on.then_some(marked), detail }
}

/// An end host that asks its routers is lost on a path where none answers: it stays at its initial window.
fn requests_answered(model: &Model) -> Check {
    let name = "routers answer requests";
    let unanswered = |flow: &&FlowModel| {
        let group = &model.groups[flow.group];
        let router = group.bottleneck.map_or("", |link| model.links[link].queue.name());
        explicit(group).is_some_and(|name| router != name)
            || (flow.transport.quick_start.is_some() && router != "quick-start")
    };
    let asks = |flow: &&FlowModel| {
        explicit(&model.groups[flow.group]).is_some() || flow.transport.quick_start.is_some()
    };
    let asking = model.flows.iter().filter(asks).count();
    let alone = model.flows.iter().filter(unanswered).count();
    let detail = match (asking, alone) {
        (0, _) => "no flow asks routers for anything".to_owned(),
        (_, 0) => "the bottleneck's queue answers every flow that asks".to_owned(),
        _ => format!("{alone} of {asking} flows ask for what the bottleneck's queue does not answer"),
    };
    Check { name, ok: (asking > 0).then_some(alone == 0), detail }
}

/// The name of the group's algorithm, if it asks routers of its own kind.
fn explicit(group: &GroupModel) -> Option<&'static str> {
    group.algorithm.entry().filter(|entry| entry.family == "explicit").map(|entry| entry.name)
}

fn control_was_the_limit(recorded: &Recorded) -> Check {
    let name = "senders limited by congestion control";
    let calls: u64 = recorded.flows.iter().map(|flow| flow.sender.calls).sum();
    let otherwise: u64 = recorded.flows.iter().map(|flow| flow.sender.otherwise_limited).sum();
    let share = otherwise as f64 / calls.max(1) as f64;
    let detail = format!(
        "something else (receive window, end of data) held a sender back at {:.1} % of its events",
        share * 100.0
    );
    Check { name, ok: (calls > 0).then_some(share < OTHERWISE_LIMITED), detail }
}

fn connections_opened(recorded: &Recorded) -> Check {
    let name = "connections opened";
    let started = recorded.flows.iter().filter(|flow| flow.sender.started.is_some()).count();
    let opened = recorded.flows.iter().filter(|flow| flow.sender.established.is_some()).count();
    let gave_up = recorded.flows.iter().filter(|flow| flow.state == ConnectionState::GaveUp).count();
    let detail = format!("{opened} of {started} connections were opened; {gave_up} gave up");
    Check { name, ok: Some(opened == started && gave_up == 0), detail }
}

fn long_enough(model: &Model, recorded: &Recorded) -> Check {
    let name = "long enough to measure";
    let flows = recorded.flows.iter().zip(&model.flows);
    let cutting = flows.filter(|(flow, plan)| plan.size.is_none() && flow.has_ssthresh);
    let cycles = cutting.map(|(flow, _)| flow.sender.reductions).min();
    let detail = match cycles {
        None => "no endless flow cuts a window at losses".to_owned(),
        Some(cycles) => format!("the flow with the fewest reductions after the warm-up had {cycles}"),
    };
    Check { name, ok: cycles.map(|cycles| cycles >= ENOUGH_CYCLES), detail }
}

fn bottleneck<'a>(model: &Model, links: &'a [Measures]) -> Option<&'a Measures> {
    let name = &model.links[first_bottleneck(model)?].name;
    links.iter().find(|link| link.name == *name)
}

/// The bottleneck of the first group whose packets share one.
fn first_bottleneck(model: &Model) -> Option<usize> {
    model.groups.iter().find_map(|group| group.bottleneck)
}

fn nowhere(name: &'static str) -> Check {
    Check { name, ok: None, detail: "no group's packets all share a link".to_owned() }
}

/// Below this a bottleneck is not one.
const SATURATED: f64 = 0.95;
/// From this share of events on, something else than congestion control is being measured.
const OTHERWISE_LIMITED: f64 = 0.05;
/// Fewer sawteeth than this say little about a mean.
const ENOUGH_CYCLES: u64 = 3;
