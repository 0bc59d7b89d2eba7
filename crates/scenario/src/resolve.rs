// SPDX-License-Identifier: Apache-2.0
//! From checked values to a scenario in which every default is written out.
//!
//! Here are the rules between keys: what each alone may hold was checked when it was read. A rule whose inputs did not
//! pass is silent, for their fault is known already.

use super::context::LoadContext;
use super::diagnostic::Fault;
use super::field::{Field, Reported};
use super::section::Section;
use super::sections::expect::{ExpectKeys, Expectation, Known};
use super::sections::flow::placement::{DirectionWord, TopologyContext};
use super::sections::flow::{FlowContext, GroupKeys, GroupLoad, ResolvedGroup};
use super::sections::link::Traffic;
use super::sections::linux::LinuxKeys;
use super::sections::network::ResolvedNetwork;
use super::sections::path::ResolvedPath;
use super::sections::record::{RecordKeys, Recorded, Recording};
use super::sections::root::{RootKeys, Run};
use super::sections::transport::start_up::check_start_ups;
use super::sections::transport::{ResolvedTransport, Scale, TransportKeys};
use narrows_model::LinuxModel;
use narrows_topology::Placement;
use narrows_topology::dumbbell::Dumbbell;
use narrows_units::Span;
use std::collections::BTreeSet;
use std::ops::Range;

/// A scenario with nothing left to choose.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    /// Title, duration, warm-up and seed.
    pub run: Run,
    /// Number of replications: that of the command line, else that of the file, else one.
    pub replications: u32,
    /// Number of replications in the file; `None` if it has none.
    pub replications_written: Option<u32>,
    /// The path or the network.
    pub topology: Topology,
    /// The flow groups.
    pub groups: Vec<ResolvedGroup>,
    /// Records to keep.
    pub recording: Recording,
    /// Hosts of a run on a kernel.
    pub linux: LinuxModel,
    /// Metrics that must be within bounds.
    pub expectations: Vec<Expectation>,
}

/// The path or network that the flows share.
#[derive(Clone, Debug)]
pub(super) enum Topology {
    Path { path: Box<ResolvedPath>, dumbbell: Box<Dumbbell> },
    Network(Box<ResolvedNetwork>),
}

/// Resolves a whole scenario and fills in absent keys.
pub(super) fn resolve(
    root: &mut RootKeys,
    load: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Resolved, Reported> {
    let replications_written = root.replications.copied().ok().flatten();
    let replications = root.resolve_replications(load, faults);
    let run = root.resolve_run(load, faults);
    check_topology(root, faults);
    check_groups(root, faults)?;
    let mut groups = root.flows.get().cloned().unwrap_or_default();
    let (loads, members) = group_loads(&mut groups, root.duration.copied(), load, faults);
    let duration = root.duration.copied();
    let traffic = traffic(root, &groups, &loads);
    let path = match root.path.get_mut() {
        Ok(Some(keys)) => Some(keys.resolve(load, duration, members.as_deref(), traffic, faults)),
        _ => None,
    };
    let network = match root.network.get_mut() {
        Ok(Some(keys)) => Some(keys.resolve(load, duration, members.as_deref(), traffic, faults)),
        _ => None,
    };
    let context = flow_context(root, path.as_ref(), network.as_ref(), load);
    let layers: Vec<&TransportKeys> = context.transport.into_iter().collect();
    let transport = context.scale.and_then(|scale| ResolvedTransport::new(&layers, None, scale, faults));
    let of_groups: Vec<&TransportKeys> = groups.iter().map(|group| &group.transport).collect();
    check_start_ups(&of_groups, context.transport, faults);
    let resolved = resolve_groups(&mut groups, loads, context, faults);
    let links = link_names(context, resolved.as_deref().ok());
    let expectations =
        expectations(&mut root.expect, load, resolved.as_deref().ok(), links.as_deref(), faults);
    if let (Ok(Some(keys)), Some(Ok(network)), Ok(groups)) = (root.network.get(), &network, &resolved) {
        keys.check_thinning(network, groups.iter().map(|each| &each.group), faults)?;
    }
    let (resolved, transport) = (resolved?, transport?.endpoint);
    let links = links.ok_or_else(Reported::before)?.len() as u64;
    let linux = root.linux.get()?.as_ref().map_or_else(|| Ok(LinuxModel::default()), LinuxKeys::resolve)?;
    let recording = recording(root, &resolved, links, replications, faults)?;
    check_intervals(root, recording.model.interval, faults)?;
    for (keys, group) in groups.iter_mut().zip(&resolved) {
        keys.transport = group.endpoint.keys_unlike(&transport);
        if let Some(control) = group.group.algorithm.stack() {
            // A default of [transport] is none of the stack.
            let window = control.settings.initial_window.map(u64::from);
            keys.transport.window.initial_window.fill(window);
        }
    }
    root.flows.fill(groups);
    root.transport.fill(Some(transport.keys()));
    let topology = match (path, network) {
        (Some(path), None) => dumbbell(root, path?, &resolved)?,
        (None, Some(network)) => Topology::Network(Box::new(network?)),
        // Both, or none, is a fault that was reported.
        _ => return Err(Reported::before()),
    };
    Ok(Resolved {
        run: run?,
        replications,
        replications_written,
        topology,
        groups: resolved,
        recording,
        linux,
        expectations: expectations?,
    })
}

/// The processes that start the connections of each group.
type Loads = Vec<Result<GroupLoad, Reported>>;

/// Name and connection slots of each group that queues may name.
type Members = Vec<(String, Range<u64>)>;

/// The processes that start the connections of each group, and the groups that queues may name, unless one of them is
/// faulty.
fn group_loads(
    groups: &mut [GroupKeys],
    duration: Result<Span, Reported>,
    load: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> (Loads, Option<Members>) {
    for group in groups.iter_mut() {
        group.own.complete(faults);
    }
    check_names(groups, faults);
    let loads: Vec<_> =
        groups.iter_mut().map(|group| group.own.resolve_load(duration, load, faults)).collect();
    let there = || groups.iter().zip(&loads).filter(|(group, _)| group.own.count.copied() != Ok(0));
    let names: Result<Vec<String>, Reported> = there().map(|(group, _)| group.own.group_name()).collect();
    let slots: Result<Vec<_>, Reported> =
        there().map(|(_, load)| load.as_ref().map(GroupLoad::slots).map_err(|reported| *reported)).collect();
    let members =
        names.and_then(|names| Ok(names.into_iter().zip(narrows_topology::slots(&slots?)).collect()));
    (loads, members.ok())
}

/// The packets that the flows send, as far as the impairments of links depend on them.
fn traffic(root: &RootKeys, groups: &[GroupKeys], loads: &Loads) -> Traffic {
    // Of a group with faults it is not known.
    let acknowledged = |data: DirectionWord| {
        groups.is_empty()
            || groups.iter().zip(loads).any(|(group, load)| {
                let direction =
                    group.own.direction.copied().map(|word| word.unwrap_or(DirectionWord::Forward));
                let one_sided = load.as_ref().is_ok_and(|load| !load.is_two_sided());
                !one_sided || group.own.program.written || direction.is_ok_and(|word| word == data)
            })
    };
    Traffic {
        ecn: may_use_ecn(root, groups),
        acknowledged_forward: acknowledged(DirectionWord::Reverse),
        acknowledged_reverse: acknowledged(DirectionWord::Forward),
    }
}

/// Whether a group may use ECN: it says so, or is carried by programs, which may ask the kernel for it.
fn may_use_ecn(root: &RootKeys, groups: &[GroupKeys]) -> bool {
    let written = |keys: &TransportKeys| keys.ecn.ecn.copied().ok().flatten();
    let shared = root.transport.get().ok().and_then(Option::as_ref).and_then(written);
    let uses = |group: &GroupKeys| written(&group.transport).or(shared).unwrap_or(false);
    // Without groups there is a fault that was reported.
    groups.is_empty() || groups.iter().any(|group| group.own.program.written || uses(group))
}

/// Refuses more groups than records can number.
fn check_groups(root: &RootKeys, faults: &mut Vec<Fault>) -> Result<(), Reported> {
    let count = root.flows.get()?.len();
    if count <= MOST_GROUPS {
        return Ok(());
    }
    let fault = root.flows.fault("too many groups").given(count.to_string());
    Err(fault.allowed(format!("at most {MOST_GROUPS}; a group has any number of equal flows")).report(faults))
}

/// Refuses a name that an earlier group has.
fn check_names(groups: &[GroupKeys], faults: &mut Vec<Fault>) {
    let mut seen = BTreeSet::new();
    for GroupKeys { own, .. } in groups {
        let Ok(name) = own.group_name() else { continue };
        if seen.contains(&name) {
            let at = if own.name.written { &own.name.at } else { &own.algorithm.at };
            let fault = at.fault(format!("two groups are called `{name}`")).given(format!("\"{name}\""));
            let hint = "a group without a name takes its algorithm's; give this one a name of its own";
            faults.push(fault.allowed("a name that no other group has").hint(Some(hint.into())));
        }
        seen.insert(name);
    }
}

/// The inputs of groups.
fn flow_context<'a>(
    root: &'a RootKeys,
    path: Option<&Result<ResolvedPath, Reported>>,
    network: Option<&'a Result<ResolvedNetwork, Reported>>,
    load: &'a LoadContext<'a>,
) -> FlowContext<'a> {
    let duration = root.duration.copied();
    let scale =
        match (root.path.get(), root.network.get(), path, network) {
            (Ok(Some(keys)), _, Some(path), _) => path.as_ref().map_err(|reported| *reported).map(|path| {
                Scale { packet: path.packet, packet_location: &keys.packet.at.location, mean: path.mean }
            }),
            (_, Ok(Some(keys)), _, Some(network)) => {
                network.as_ref().map_err(|reported| *reported).and_then(|network| {
                    let (packet, mean) = (network.packet, network.narrowest(duration?));
                    Ok(Scale { packet, packet_location: &keys.packet.at.location, mean })
                })
            }
            _ => Err(Reported::before()),
        };
    let topology = match (root.path.get(), network) {
        _ if root.network.written => {
            let network = network.ok_or_else(Reported::before);
            TopologyContext::Network(network.and_then(|it| it.as_ref().map_err(|reported| *reported)))
        }
        (Ok(Some(path)), _) => TopologyContext::Path(path),
        _ => TopologyContext::Missing(Reported::before()),
    };
    let transport = root.transport.get().ok().and_then(Option::as_ref);
    FlowContext { load, duration, topology, scale, transport }
}

/// Resolves every group and leaves out those without flows.
fn resolve_groups(
    groups: &mut Vec<GroupKeys>,
    loads: Loads,
    context: FlowContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<Vec<ResolvedGroup>, Reported> {
    let marked: Vec<bool> = groups.iter().map(|group| group.own.is_subject()).collect();
    // If no group is marked, all groups are under test whose rate is not their source's.
    let all = context.load.options.subject.is_some() && !marked.contains(&true);
    let resolved: Vec<_> = groups
        .iter_mut()
        .zip(loads)
        .zip(marked)
        .map(|((group, load), marked)| {
            let subject = marked || (all && group.own.own_rate().is_none());
            group.resolve(subject, load, context, faults)
        })
        .collect();
    let mut resolved = resolved.into_iter().collect::<Result<Vec<_>, _>>()?;
    check_slots(groups, &resolved, context, faults)?;
    let has_flows = |group: &GroupKeys| group.own.count.copied() != Ok(0);
    if let Some(last) = groups.last().filter(|_| !groups.iter().any(has_flows)) {
        let fault = last.own.count.fault("every group is left out").given("0");
        return Err(fault.allowed("a group with a flow at least").report(faults));
    }
    for (place, group) in resolved.iter_mut().enumerate() {
        group.place = place;
    }
    let mut kept = groups.iter().map(has_flows);
    resolved.retain(|_| kept.next().unwrap_or(true));
    groups.retain(has_flows);
    Ok(resolved)
}

/// Refuses more connections at once than memory should hold, and more workloads than they can number.
fn check_slots(
    groups: &[GroupKeys],
    resolved: &[ResolvedGroup],
    context: FlowContext<'_>,
    faults: &mut Vec<Fault>,
) -> Result<(), Reported> {
    let edges = match context.topology {
        TopologyContext::Network(Ok(network)) => {
            network.graph.edges.as_ref().map_or(0, |edges| edges.all.len())
        }
        _ => 0,
    };
    let (mut slots, mut workloads) = (0, 0);
    for (keys, group) in groups.iter().zip(resolved) {
        slots += group.group.slots;
        workloads += if matches!(group.group.placement, Placement::Edges) { edges } else { 2 };
        let (message, allowed) = if slots > MOST_SLOTS {
            let message = format!("with this group more than {MOST_SLOTS} connections may be open at once");
            (message, "fewer flows, users or concurrent transfers")
        } else if workloads > MOST_WORKLOADS {
            let message =
                format!("with this group there are more than {MOST_WORKLOADS} pairs of a group and an edge");
            (message, "fewer groups between edges, or fewer edges")
        } else {
            continue;
        };
        let at = if keys.own.count.written { &keys.own.count.at } else { &keys.own.table };
        return Err(at.fault(message).allowed(allowed).report(faults));
    }
    Ok(())
}

/// The names of all links, first of that which is the bottleneck of the first group; `None` if they are not known.
fn link_names(context: FlowContext<'_>, groups: Option<&[ResolvedGroup]>) -> Option<Vec<String>> {
    match context.topology {
        TopologyContext::Network(network) => {
            let points = match &groups?.first()?.group.placement {
                Placement::Routers(points) => Some(points),
                _ => None,
            };
            Some(network.ok()?.link_names(points))
        }
        _ => Some(["bottleneck", "bottleneck reverse"].map(str::to_owned).to_vec()),
    }
}

/// The dumbbell, whose bottleneck has a delay that suits the groups unless one was written.
fn dumbbell(root: &mut RootKeys, path: ResolvedPath, groups: &[ResolvedGroup]) -> Result<Topology, Reported> {
    let keys = root.path.get_mut()?.as_mut().ok_or_else(Reported::before)?;
    let smallest = groups.iter().map(|group| group.group.rtt.least()).min().ok_or_else(Reported::before)?;
    let usual = Span::from_ps((u128::from(smallest.as_ps()) * 2 / 5) as u64);
    let delay = keys.delay.copied()?.unwrap_or(usual);
    keys.delay.fill(Some(delay));
    Ok(Topology::Path { dumbbell: Box::new(path.dumbbell(delay)), path: Box::new(path) })
}

/// What to record of `groups` and so many links.
fn recording(
    root: &mut RootKeys,
    groups: &[ResolvedGroup],
    links: u64,
    replications: u32,
    faults: &mut Vec<Fault>,
) -> Result<Recording, Reported> {
    let flows = groups.iter().map(|each| each.group.individual()).sum();
    let applications = groups.iter().filter(|each| each.group.demand.is_application()).count() as u64;
    let of = Recorded { duration: root.duration.copied()?, flows, links, applications, replications };
    let at = root.record.at.clone();
    let record = root.record.get_mut()?.get_or_insert_with(|| RecordKeys::absent(&at, faults));
    record.resolve(of, faults)
}

/// Refuses to search too few intervals for the end of the warm-up.
fn check_intervals(root: &RootKeys, interval: Span, faults: &mut Vec<Fault>) -> Result<(), Reported> {
    let finds = root.warmup.copied()?.is_none();
    if !finds || root.duration.copied()?.as_ps() / interval.as_ps() >= FEWEST_INTERVALS {
        return Ok(());
    }
    let message = format!("fewer than {FEWEST_INTERVALS} intervals of {interval} to search");
    let fault = root.warmup.fault(message).given("\"auto\"");
    Err(fault.allowed("a longer duration, a shorter record.interval, or a time").report(faults))
}

/// Every expectation, of the groups and links that are known.
fn expectations(
    field: &mut Field<Option<Vec<ExpectKeys>>>,
    load: &LoadContext<'_>,
    groups: Option<&[ResolvedGroup]>,
    links: Option<&[String]>,
    faults: &mut Vec<Fault>,
) -> Result<Vec<Expectation>, Reported> {
    let groups: Option<Vec<String>> =
        groups.map(|groups| groups.iter().map(|each| each.group.name.clone()).collect());
    let series = load.options.series.as_deref();
    let known = Known { series, groups: groups.as_deref(), links };
    let clauses = field.get_mut()?.iter_mut().flatten();
    let all: Vec<_> = clauses.map(|clause: &mut ExpectKeys| clause.resolve(known, faults)).collect();
    all.into_iter().collect()
}

/// Either a path or a network.
fn check_topology(root: &RootKeys, faults: &mut Vec<Fault>) {
    let (message, at) = match (root.path.written, root.network.written) {
        (false, false) => ("missing: flows need a path or a network", &root.path.at),
        (true, true) => ("a scenario has a path or a network, not both", &root.network.at),
        _ => return,
    };
    faults.push(at.fault(message).allowed("either [path] or [network]"));
}

/// Connections that may be open at once: gigabytes, even where most are idle.
const MOST_SLOTS: u32 = 10_000_000;

/// Groups of flows.
const MOST_GROUPS: usize = 10_000;

/// A connection has 16 bits for the number of its workload.
const MOST_WORKLOADS: usize = 1 << 16;

/// Of the series in which the end of a warm-up is looked for.
const FEWEST_INTERVALS: u64 = 50;
