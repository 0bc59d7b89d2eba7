//! The description of a run in its records.

use narrows_model::{Classes, Demand, GroupModel, Impairment, LinkModel, Model, SourceModel, Workload};
use narrows_qdisc::Limit;
use narrows_records::{GroupDescription, LinkDescription, RunDescription};

/// The description of a run of `model`.
pub fn describe(model: &Model) -> RunDescription {
    let classes = Classes::of(&model.workloads);
    let links = model.links.iter().enumerate();
    RunDescription {
        duration: model.duration,
        warmup: model.warmup,
        warmup_found: None,
        assumed: model.assumed.clone(),
        groups: model.groups.iter().enumerate().map(|(number, each)| group(model, number, each)).collect(),
        links: links.map(|(number, each)| link(model, number as u32, each)).collect(),
        file_classes: classes.files,
        path_classes: classes.paths,
        packet_limit: model.record.packets,
        event_limit: model.record.events,
        internals: model.record.internals,
    }
}

fn group(model: &Model, number: usize, group: &GroupModel) -> GroupDescription {
    let own = || model.workloads.iter().filter(|each| each.group == number);
    // Data of acceptors uses connections that are counted with their initiators.
    let counts = own().map(Workload::connections);
    let explicit =
        group.algorithm.entry().filter(|entry| entry.card.family == "explicit").map(|entry| entry.card.name);
    let quick_start = own().any(|each| each.transport.quick_start.is_some()).then_some("quick-start");
    GroupDescription {
        name: group.name.clone(),
        algorithm: group.algorithm.to_string(),
        flows: counts.sum::<Option<u64>>(),
        finite: own().any(Workload::is_finite),
        source_limited: own().any(writes_over_time) || is_constant(group) || group.program.is_some(),
        bottleneck: group.bottleneck,
        ecn: own().any(|each| each.transport.ecn),
        asks: explicit.or(quick_start),
    }
}

/// Whether an application writes the data of a workload over time.
fn writes_over_time(workload: &Workload) -> bool {
    match &workload.demand {
        Demand::Fixed { source, .. } => !matches!(source, SourceModel::Bulk),
        Demand::Open(_) | Demand::Users { .. } => false,
        Demand::Exchanges { .. } | Demand::Clients { .. } => true,
    }
}

/// Whether the algorithm of the group sends at its rate whatever happens.
fn is_constant(group: &GroupModel) -> bool {
    group.algorithm.entry().is_some_and(|entry| entry.card.name == "constant")
}

/// The rate of a policer, bits per second.
fn policed(impairment: &Impairment) -> Option<f64> {
    match impairment {
        Impairment::Policer { rate, .. } => Some(rate.as_bps() as f64),
        _ => None,
    }
}

fn link(model: &Model, number: u32, link: &LinkModel) -> LinkDescription {
    let share = |group: usize| {
        let own = model.workloads.iter().filter(|each| each.group == group);
        let (mut crossing, mut all) = (0.0, 0.0);
        for workload in own {
            let weight: f64 = workload.paths.iter().map(|path| path.weight).sum();
            let across = workload.paths.iter().filter(|path| {
                let route = &model.routes[path.forward as usize];
                route.contains(&number)
            });
            crossing += f64::from(workload.slots) * across.map(|path| path.weight).sum::<f64>() / weight;
            all += f64::from(workload.slots);
        }
        crossing / all
    };
    let shares = (0..model.groups.len()).map(|group| (group, share(group)));
    LinkDescription {
        name: link.name.clone(),
        queue: link.queue.name().to_owned(),
        limited: link.queue.limit() != Limit::Unlimited,
        policed_bps: link.impairments.iter().filter_map(policed).reduce(f64::min),
        crossed_by: shares.filter(|(_, share)| *share > 0.0).collect(),
    }
}
