// SPDX-License-Identifier: Apache-2.0
//! The description of a run in its records.

use narrows_model::{Classes, Framing, GroupModel, Impairment, LinkModel, Model, RateModel, Workload};
use narrows_qdisc::{Limit, Order};
use narrows_records::{GroupDescription, LinkDescription, RunDescription};

/// Returns the description of a run of `model`.
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
        client_event_limit: model.record.client_events,
        clients: model.record.clients,
        internals: model.record.internals,
    }
}

fn group(model: &Model, number: usize, group: &GroupModel) -> GroupDescription {
    let own = || model.workloads.iter().filter(|each| each.group == number);
    // Data of acceptors uses connections that are counted with their initiators.
    let counts = own().map(Workload::connections);
    let quick_start = own().any(|each| each.transport.quick_start.is_some()).then_some("quick-start");
    GroupDescription {
        name: group.name.clone(),
        algorithm: group.algorithm.to_string(),
        flows: counts.sum::<Option<u64>>(),
        finite: own().any(Workload::is_finite),
        application: own().any(|each| each.demand.is_application()),
        source_limited: own().any(|each| each.demand.writes_over_time())
            || group.algorithm.constant_rate().is_some()
            || group.program.is_some(),
        bottleneck: group.bottleneck,
        leaves_bottleneck: leaves(model, number, group),
        hidden_senders: false,
        packet_bits: largest_packet(own(), group.bottleneck.and_then(|link| model.links[link].framing)),
        highest_bitrate_bps: own()
            .filter_map(|each| each.demand.highest_bitrate())
            .map(|rate| rate.as_bps() as f64)
            .reduce(f64::max),
        ecn: own().any(|each| each.transport.ecn),
        asks: group.algorithm.needs().router.or(quick_start),
    }
}

/// Whether data of the group takes a route without its bottleneck, from the start or after a change of the network.
fn leaves(model: &Model, number: usize, group: &GroupModel) -> bool {
    let Some(bottleneck) = group.bottleneck else { return false };
    let without = |route: &[u32]| !route.is_empty() && !route.contains(&(bottleneck as u32));
    let own = model.workloads.iter().filter(|each| each.group == number);
    let mut routes = own.flat_map(|each| each.paths.iter().map(|path| path.forward));
    routes.any(|route| {
        let changed = model.changes.iter().flat_map(|change| &change.routes);
        without(&model.routes[route as usize])
            || changed.filter(|(each, _)| *each == route).any(|(_, links)| without(links))
    })
}

/// Bits on a link with `framing` of the largest data packet of `workloads`.
fn largest_packet<'m>(workloads: impl Iterator<Item = &'m Workload>, framing: Option<Framing>) -> f64 {
    let sizes = workloads.map(|each| each.transport.mss + each.transport.header);
    let on_link = sizes.map(|size| framing.map_or(size, |framing| framing.on_link(size)).bits());
    on_link.max().unwrap_or(0) as f64
}

/// Rate, bits per second, and bucket, bits, of a policer.
fn policer(impairment: &Impairment) -> Option<(f64, f64)> {
    match impairment {
        Impairment::Policer { rate, burst } => Some((rate.as_bps() as f64, burst.bits() as f64)),
        _ => None,
    }
}

/// The longest time that a packet can wait at `link`, if `bytes` at most wait there.
fn longest_wait_s(model: &Model, link: &LinkModel, bytes: f64) -> Option<f64> {
    let RateModel::Constant(rate) = link.rate else { return None };
    let in_order = link.queue.entry().order == Order::All;
    let fails = model.changes.iter().any(|change| !change.links.is_empty());
    // What framing adds to a byte depends on the sizes of packets.
    let plain = link.framing.is_none();
    let in_transmission = largest_packet(model.workloads.iter(), None);
    (in_order && plain && !fails).then(|| (bytes * 8.0 + in_transmission) / rate.as_bps() as f64)
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
            // Every connection has the further paths of weight 0.
            let share = across.map(|path| if path.weight > 0.0 { path.weight } else { weight }).sum::<f64>();
            crossing += f64::from(workload.slots) * share.min(weight) / weight;
            all += f64::from(workload.slots);
        }
        crossing / all
    };
    let shares = (0..model.groups.len()).map(|group| (group, share(group)));
    let slowest = link
        .impairments
        .iter()
        .filter_map(policer)
        .reduce(|one, other| if one.0 <= other.0 { one } else { other });
    let largest_bytes = largest_packet(model.workloads.iter(), None) / 8.0;
    let (most_packets, most_bytes) = match link.queue.limit() {
        Limit::Unlimited => (None, None),
        Limit::Packets(packets) => (Some(packets as f64), Some(packets as f64 * largest_bytes)),
        Limit::Bytes(bytes) => (None, Some(bytes as f64)),
    };
    LinkDescription {
        name: link.name.clone(),
        queue: link.queue.name().to_owned(),
        limited: link.queue.limit() != Limit::Unlimited,
        most_packets,
        most_bytes,
        longest_wait_s: most_bytes.and_then(|bytes| longest_wait_s(model, link, bytes)),
        highest_bps: link.rate.highest_bps(),
        policed_bps: slowest.map(|(rate, _)| rate),
        policer_burst_bits: slowest.map_or(0.0, |(_, burst)| burst),
        crossed_by: shares.filter(|(_, share)| *share > 0.0).collect(),
    }
}
