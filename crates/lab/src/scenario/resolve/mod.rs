//! From checked values to a scenario in which every default is written out.
//!
//! Here are the rules between keys: what each alone may hold has been seen to by the walk. A rule whose inputs did not
//! pass is silent, for their fault is known already.

mod algorithm;
mod classes;
mod course;
mod distribution;
mod explicit;
mod flows;
mod network;
mod path;
mod queue;
mod rate;
mod record;
mod source;
mod transfers;
mod transport;

pub(super) use distribution::Unit;
pub(super) use network::Network;
pub(super) use record::Recording;
pub(super) use transport::Endpoint;

use super::LoadOptions;
use super::diagnostic::Fault;
use super::expectation::{self, Expectation, Named};
use super::table::{Checked, Table};
use super::tree::Place;
use crate::network::Group;
use crate::network::dumbbell::Dumbbell;
use narrows_units::{Bytes, Rate, Span};
use std::path::{Path, PathBuf};

/// A scenario with nothing left to choose.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub title: String,
    pub duration: Span,
    /// `None` where it is to be found.
    pub warmup: Option<Span>,
    pub seed: u64,
    pub replications: u32,
    /// What the file says of replications.
    pub replications_written: Option<u32>,
    pub ground: Ground,
    pub transport: Endpoint,
    pub groups: Vec<Group>,
    /// The preset of each group.
    pub presets: Vec<&'static str>,
    pub recording: Recording,
    pub expectations: Vec<Expectation>,
}

/// Where the flows are.
#[derive(Clone, Debug)]
pub(super) enum Ground {
    Path { settings: PathSettings, dumbbell: Box<Dumbbell> },
    Network(Box<Network>),
}

impl Ground {
    /// What 1bdp of a buffer counts.
    pub fn rtt(&self) -> Span {
        match self {
            Self::Path { settings, .. } => settings.rtt,
            Self::Network(network) => network.rtt,
        }
    }

    /// A full data packet.
    pub fn packet(&self) -> Bytes {
        match self {
            Self::Path { settings, .. } => settings.packet,
            Self::Network(network) => network.packet,
        }
    }
}

/// What `[path]` says besides the shape of the dumbbell.
#[derive(Clone, Debug)]
pub(super) struct PathSettings {
    pub rtt: Span,
    pub packet: Bytes,
    /// Mean rate of the bottleneck, forward.
    pub mean: Rate,
    /// Files of recorded rates, forward and reverse, with their digests.
    pub forward_trace: Option<PathBuf>,
    pub reverse_trace: Option<PathBuf>,
}

/// What resolving needs to know besides the tables.
pub(super) struct Surroundings<'a> {
    /// Paths in the file are relative to this.
    pub directory: &'a Path,
    pub file: &'a str,
    pub options: &'a LoadOptions,
}

/// Resolves a whole scenario; `None` if a fault stands in the way.
pub(super) fn resolve(root: &Table, around: &Surroundings<'_>, faults: &mut Vec<Fault>) -> Option<Resolved> {
    let stem = || Path::new(around.file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let title = root.read("title", String::new(), Checked::text);
    let title = title.map(|title| if title.is_empty() { stem().unwrap_or("scenario".into()) } else { title });
    let duration = root.given("duration", Checked::span);
    let warmup = root.read("warmup", Some(Span::ZERO), |value| match value {
        Checked::Unlimited => None,
        written => Some(written.span()),
    });
    if let (Some(duration), Some(Some(warmup))) = (duration, warmup)
        && warmup >= duration
    {
        let fault = Fault::new(root.place_of("warmup"), "warmup", "the warm-up leaves nothing to measure");
        faults.push(fault.given(warmup.to_string()).allowed(format!("less than the duration, {duration}")));
    }
    let seed = root.read("seed", 1, Checked::integer).map(|seed| around.options.seed.unwrap_or(seed));
    let written = root.given("replications", Checked::integer).map(|count| count as u32);
    if around.options.replications == Some(0) {
        let fault = Fault::new(&Place::CommandLine, "replications", "nothing would run").given("0");
        faults.push(fault.allowed("at least 1"));
    }
    let replications = around.options.replications.or(written).unwrap_or(1);

    only_one_ground(root, faults);
    let path_table = root.given("path", |value| value.table().clone());
    let network_table = root.given("network", |value| value.table().clone());
    let transport_table = root.given("transport", |value| value.table().clone());
    let mut flow_tables = root.given("flows", |value| value.tables().to_vec()).unwrap_or_default();
    source::complete(&mut flow_tables, faults);
    let members = flows::names(&flow_tables, duration, around);
    let path = path_table
        .as_ref()
        .and_then(|table| path::resolve(table, duration, around, members.as_deref(), faults));
    let network = network_table
        .as_ref()
        .and_then(|table| network::resolve(table, duration, around, members.as_deref(), faults));
    let of_path = path.as_ref().map(|path| (path.settings.packet, path.settings.mean));
    let of_network =
        || network.as_ref().zip(duration).map(|(each, duration)| (each.packet, each.narrowest(duration)));
    let ground_table = path_table.as_ref().or(network_table.as_ref());
    let scale = of_path.or_else(of_network).zip(ground_table).map(|((packet, mean), table)| {
        transport::Scale { packet, packet_place: table.place_of("packet"), mean }
    });
    let transport_layers: Vec<&Table> = transport_table.iter().collect();
    let transport = scale.and_then(|scale| transport::resolve(&transport_layers, None, scale, faults));
    let context = flows::Context {
        around,
        duration,
        in_network: network_table.is_some(),
        network: network.as_ref(),
        path: path_table.as_ref(),
        path_rtt: path_table.as_ref().and_then(|table| table.given("rtt", Checked::span)),
        delay: path_table.as_ref().and_then(|table| table.given("delay", Checked::span)),
        subject: around.options.subject.as_deref(),
        scale,
    };
    transport::check_start_ups(&flow_tables, transport_table.as_ref(), faults);
    let groups = flows::resolve(&flow_tables, transport_table.as_ref(), &context, faults);
    let with_kind = |group: &Group| Named { name: group.name.clone(), coming: group.transfers.is_some() };
    let known: Option<Vec<Named>> =
        groups.as_ref().map(|groups| groups.iter().map(|group| with_kind(&group.group)).collect());
    let expect = root.given("expect", |value| value.tables().to_vec()).unwrap_or_default();
    let links = if network_table.is_some() {
        network.as_ref().zip(groups.as_deref()).map(|(network, groups)| network.names_of_links(groups))
    } else {
        Some(["bottleneck", "bottleneck reverse"].map(str::to_owned).to_vec())
    };
    let expectations = expectation::resolve(&expect, known.as_deref(), links.as_deref(), faults);
    let groups = groups?;
    let smallest = groups.iter().map(|group| group.group.rtt.least()).min()?;
    let delay = context.delay.unwrap_or(Span::from_ps((u128::from(smallest.as_ps()) * 2 / 5) as u64));
    let (presets, groups): (Vec<_>, Vec<_>) =
        groups.into_iter().map(|group| (group.preset, group.group)).unzip();
    let recording = record::resolve(root, duration?, &groups, links?.len() as u64, replications, faults)?;
    if warmup == Some(None) && duration?.as_ps() / recording.model.interval.as_ps() < FEWEST_INTERVALS {
        let message =
            format!("fewer than {FEWEST_INTERVALS} intervals of {} do not tell", recording.model.interval);
        let fault = Fault::new(root.place_of("warmup"), "warmup", message).given("\"auto\"");
        faults.push(fault.allowed("a longer duration, a shorter record.interval, or a time"));
        return None;
    }
    let ground = match (path, network) {
        (Some(path), None) => {
            Ground::Path { dumbbell: Box::new(path.dumbbell(delay)), settings: path.settings }
        }
        (None, Some(network)) => Ground::Network(Box::new(network)),
        // Both, or none, is a fault that was reported.
        _ => return None,
    };
    Some(Resolved {
        title: title?,
        duration: duration?,
        warmup: warmup?,
        seed: seed?,
        replications,
        replications_written: written,
        ground,
        transport: transport?,
        groups,
        presets,
        recording,
        expectations: expectations?,
    })
}

/// Either a path or a network.
fn only_one_ground(root: &Table, faults: &mut Vec<Fault>) {
    let (message, place) = match (root.has("path"), root.has("network")) {
        (false, false) => ("missing: flows need a path or a network", &root.place),
        (true, true) => ("a scenario has a path or a network, not both", root.place_of("network")),
        _ => return,
    };
    let key = if root.has("network") { "network" } else { "path" };
    faults.push(Fault::new(place, key, message).allowed("either [path] or [network]"));
}

/// Of the series in which the end of a warm-up is looked for.
const FEWEST_INTERVALS: u64 = 50;
