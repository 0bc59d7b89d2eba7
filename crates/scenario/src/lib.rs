// SPDX-License-Identifier: Apache-2.0
//! The scenario file: from its text to a [`Model`] in which nothing can be invalid.
//!
//! [`load`] reads TOML into a tree that knows its places (`tree`), lets `--set` change it (`overrides`), reads every
//! key by its declaration (`section`, `sections`), writes out every default (`resolve`), and lays out the network. All
//! faults are returned together, in the order of the file, each with its place, the given value and the allowed values.
//! The resolved scenario is printed as a file that loads to the same model.

mod context;
mod delay_trace;
mod describe;
mod diagnostic;
mod document;
mod emit;
mod executed;
mod field;
mod file;
mod flow_records;
mod forms;
mod input;
mod kind;
pub mod links;
mod location;
mod overrides;
mod queue;
mod recorded_rate;
mod refusal;
mod resolve;
pub mod samples;
mod schema;
mod section;
mod sections;
mod series;
pub mod trace;
mod tree;
mod value;
pub mod vectors;

pub use context::{LoadOptions, Trust};
pub use diagnostic::Diagnostic;
pub use document::{Complaint, Located, Written, complain, read_document};
pub use executed::{Executed, ExecutedKind, executed};
pub use input::{InputFile, kept};
pub use narrows_model::hexadecimal;
pub use overrides::dropped;
pub use schema::schema;
pub use sections::expect::Expectation;
pub use sections::preset::{PresetCard, PresetValue};
pub use sections::transport::presets;
pub use series::{MetricFault, SeriesMetric, SeriesMetrics};

use context::LoadContext;
use diagnostic::Fault;
use emit::{Naming, TomlTable};
use narrows_backend::{Endpoints, Support, simulator_endpoints, simulator_refusals};
use narrows_model::{Model, Refusal, Workload};
use narrows_topology::{Group, Layout};
use refusal::{Judgement, Replaced};
use resolve::{Resolved, Topology};
use section::{Section, Table};
use sections::network::NetworkKeys;
use sections::path::PathKeys;
use sections::root::RootKeys;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use tree::Node;
use value::KeyType;

/// A scenario that is ready to run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The resolved model.
    pub model: Model,
    /// Number of replications: that of the command line, else that of the file, else one.
    pub replications: u32,
    /// Number of replications in the file; `None` if the file has none, which leaves it to the command.
    pub replications_written: Option<u32>,
    /// The scenario as TOML with every default that the backend honours; it is resolved to the same model.
    pub resolved: String,
    /// Description of the scenario: title and text of each paragraph.
    pub description: Vec<(String, String)>,
    /// Metrics that must be within bounds.
    pub expectations: Vec<Expectation>,
    /// Resolved file in which each file is named by its place in a folder of results, relative to the folder.
    pub portable: String,
    /// Every place at which the scenario names a file, be it used or not.
    pub inputs: Vec<InputFile>,
    /// Every file that is used, with the SHA-256 of its content in hexadecimal.
    pub files: Vec<(PathBuf, String)>,
    /// SHA-256, in hexadecimal, of the resolved scenario, the contents of its files, wherever they are, and the identity of
    /// a backend other than the simulator.
    pub digest: String,
}

/// Reads and resolves the scenario `text`. `file` is its name in messages, `directory` the folder to which its paths
/// are relative; each of `overrides` is the argument of a `--set`.
///
/// # Errors
///
/// All errors of the scenario, in the order of the file.
pub fn load(
    text: &str,
    file: &str,
    directory: &Path,
    overrides: &[String],
    options: &LoadOptions,
) -> Result<Scenario, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut refused = false;
    let assumed = RefCell::default();
    let context = LoadContext { directory, file, options, assumed: &assumed };
    let resolved = resolved(text, overrides, &context, &mut faults);
    let scenario = resolved.and_then(|(node, root, resolved)| {
        let identity = options.backend.as_ref().and_then(|backend| backend.identity());
        let mut scenario = finish(&root, &resolved, identity.as_deref(), assumed.take());
        let backend = options.backend.as_deref().unwrap_or(&InSimulator);
        let Judgement { faults: found, replaced } =
            refusal::judge(backend, &node, &resolved, &scenario.model, options.subject.as_deref());
        if !replaced.is_empty() {
            scenario.resolved = written(&root, Naming::Path, &replaced);
            scenario.portable = written(&root, Naming::Kept, &replaced);
            scenario.digest = digest(&root, identity.as_deref(), &replaced);
        }
        faults = found;
        refused = !faults.is_empty();
        faults.is_empty().then_some(scenario)
    });
    scenario.ok_or_else(|| {
        debug_assert!(!faults.is_empty(), "a refusal has a reason");
        let found = diagnostic::locate(faults, text, file, overrides);
        found.into_iter().map(|each| Diagnostic { refused, ..each }).collect()
    })
}

/// The simulator, as far as it supports a scenario.
#[derive(Debug)]
struct InSimulator;

impl Support for InSimulator {
    fn name(&self) -> &'static str {
        "simulator"
    }

    fn refusals(&self, model: &Model) -> Vec<Refusal> {
        simulator_refusals(model)
    }

    fn endpoints(&self, model: &Model, workload: &Workload) -> Option<Endpoints> {
        simulator_endpoints(model, workload)
    }
}

/// The scenario as a tree, as its keys, and as resolved; `None` if it has errors, which are added to `faults`.
fn resolved(
    text: &str,
    overrides: &[String],
    context: &LoadContext<'_>,
    faults: &mut Vec<Fault>,
) -> Option<(Node, RootKeys, Resolved)> {
    let mut node = tree::parse(text).map_err(|syntax| faults.extend(syntax)).ok()?;
    overrides::apply(&mut node, RootKeys::PARTS, overrides, faults);
    let before = faults.len();
    tree::check_lengths(&node, "", faults);
    if faults.len() > before {
        return None;
    }
    let mut root = Table::<RootKeys>::read(&node, "", faults).ok()?;
    let resolved = resolve::resolve(&mut root, context, faults).ok()?;
    faults.is_empty().then_some((node, root, resolved))
}

fn finish(root: &RootKeys, resolved: &Resolved, backend: Option<&str>, assumed: Vec<String>) -> Scenario {
    let grouped: Vec<Group> = resolved.groups.iter().map(|each| each.group.clone()).collect();
    let (layout, changes) = match &resolved.topology {
        Topology::Path { dumbbell, .. } => (dumbbell.layout(&grouped), Vec::new()),
        Topology::Network(network) => network.graph.layout(&grouped),
    };
    let Layout { nodes, links, routes, workloads, groups } = layout;
    let description = describe::describe(resolved, &assumed);
    let model = Model {
        title: resolved.run.title.clone(),
        duration: resolved.run.duration,
        warmup: resolved.run.warmup.unwrap_or(narrows_units::Span::ZERO),
        finds_warmup: resolved.run.warmup.is_none(),
        seed: resolved.run.seed,
        nodes,
        links,
        routes,
        workloads,
        changes,
        groups,
        record: resolved.recording.model,
        linux: resolved.linux.clone(),
        assumed,
    };
    model.check().expect("a layout arranges its workloads");
    Scenario {
        description,
        model,
        replications: resolved.replications,
        replications_written: resolved.replications_written,
        resolved: written(root, Naming::Path, &[]),
        portable: written(root, Naming::Kept, &[]),
        inputs: inputs(root),
        expectations: resolved.expectations.clone(),
        files: files(root, &grouped),
        digest: digest(root, backend, &[]),
    }
}

/// The digest of the resolved file and of the backend. It must not depend on the path of a file, so there its content
/// stands for its path.
fn digest(root: &RootKeys, backend: Option<&str>, replaced: &[Replaced]) -> String {
    let mut anonymous = written(root, Naming::Digest, replaced);
    anonymous.extend(backend);
    hexadecimal(&Sha256::digest(anonymous))
}

/// The resolved file, with the behaviour of a backend in place of some defaults.
fn written(root: &RootKeys, naming: Naming, replaced: &[Replaced]) -> String {
    let mut file = TomlTable::default();
    root.emit(naming, &mut file);
    for (key, value) in replaced {
        file.replace(key, value.as_deref());
    }
    file.text()
}

/// Every place at which the scenario names a file, once: a default may take over the file of another key.
fn inputs(root: &RootKeys) -> Vec<InputFile> {
    let flows = root.flows.get().ok().into_iter().flatten();
    let algorithms = flows.flat_map(|group| group.own.algorithm_files());
    let mut inputs: Vec<InputFile> = Vec::new();
    for input in recordings(root).into_iter().chain(algorithms) {
        if !inputs.contains(input) {
            inputs.push(input.clone());
        }
    }
    inputs
}

/// Every place at which the scenario names a file other than an algorithm's.
fn recordings(root: &RootKeys) -> Vec<&InputFile> {
    let path = root.path.get().ok().and_then(Option::as_ref).map(PathKeys::recordings);
    let network = root.network.get().ok().and_then(Option::as_ref).map(NetworkKeys::recordings);
    let flows = root.flows.get().ok().into_iter().flatten();
    let transfers = flows.filter_map(|group| group.own.recording());
    path.into_iter().chain(network).flatten().chain(transfers).collect()
}

/// Every file that is used, with its digest, once.
fn files(root: &RootKeys, groups: &[Group]) -> Vec<(PathBuf, String)> {
    let recorded = recordings(root).into_iter().map(|file| (file.path.clone(), file.digest.clone()));
    let external = groups.iter().filter_map(|group| group.algorithm.external());
    let external = external.map(|each| (each.file.clone(), each.algorithm.digest().to_owned()));
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for (file, digest) in recorded.chain(external) {
        if !files.iter().any(|(known, _)| *known == file) {
            files.push((file, digest));
        }
    }
    files
}

#[cfg(test)]
mod tests;
