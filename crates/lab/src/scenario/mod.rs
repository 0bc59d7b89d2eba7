//! The scenario file: from what a person wrote to a [`Model`] in which nothing can be invalid.
//!
//! [`load`] reads TOML into a tree that knows its places (`tree`), lets `--set` change it (`overrides`), checks every
//! key (`walk`, by the tables of `keys`), writes out every default (`resolve`), and lays out the network. All mistakes
//! come back together, in the order of the file, each with its place, what was given and what is allowed. The resolved
//! scenario is printed as a file that loads to the same model.

mod describe;
mod diagnostic;
mod document;
mod expectation;
mod keys;
mod overrides;
mod resolve;
mod scalar;
mod schema;
mod table;
mod tree;
mod walk;
mod write;

pub use diagnostic::Diagnostic;
pub(crate) use diagnostic::nearest;
pub use document::{Complaint, Located, Written, complain, read_document};
pub use expectation::Expectation;
pub use schema::schema;

use crate::algorithm::{Control, Guests};
use crate::model::{Model, RateModel};
use crate::network::Layout;
use crate::trace::hexadecimal;
use resolve::{Ground, Resolved, Surroundings};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A scenario that is ready to run.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What runs.
    pub model: Model,
    /// How often: what was asked for on the command line, else what the file says, else once.
    pub replications: u32,
    /// What the file says of replications; `None` leaves it to the command.
    pub replications_written: Option<u32>,
    /// The scenario with every default written out; loads to the same model.
    pub resolved: String,
    /// What is run, in words: title and text of each paragraph.
    pub description: Vec<(String, String)>,
    /// Measures that must lie within bounds.
    pub expectations: Vec<Expectation>,
    /// Every file that the scenario names, with the SHA-256 of its content in hexadecimal.
    pub files: Vec<(PathBuf, String)>,
    /// SHA-256, in hexadecimal, of the resolved scenario and the content of its files, wherever they lie.
    pub digest: String,
}

/// What a command may say about a scenario besides `--set`.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// An algorithm, as typed, for every group marked as subject, or for all where none is.
    pub subject: Option<String>,
    /// Instead of the file's seed.
    pub seed: Option<u64>,
    /// Instead of the file's replications.
    pub replications: Option<u32>,
    /// What paths in overrides are relative to; empty means the working directory.
    pub overrides_directory: PathBuf,
    /// Loads algorithms that are not compiled in; `None` where there are only those of the catalogue.
    pub guests: Option<Arc<dyn Guests>>,
}

/// Reads the scenario `text`. `file` is its name in messages, `directory` what its paths are relative to, and each of
/// `overrides` the argument of a `--set`. Errors: every mistake, in the order of the file.
pub fn load(
    text: &str,
    file: &str,
    directory: &Path,
    overrides: &[String],
    options: &LoadOptions,
) -> Result<Scenario, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let resolved = tree::parse(text).map_err(|syntax| faults.extend(syntax)).ok().and_then(|mut root| {
        overrides::apply(&mut root, keys::ROOT, overrides, &mut faults);
        let root = walk::walk(&root, keys::ROOT, &mut faults);
        resolve::resolve(&root, &Surroundings { directory, file, options }, &mut faults)
    });
    match resolved.filter(|_| faults.is_empty()) {
        Some(resolved) => Ok(finish(&resolved)),
        None => Err(diagnostic::locate(faults, text, file, overrides)),
    }
}

fn finish(resolved: &Resolved) -> Scenario {
    let (layout, changes) = match &resolved.ground {
        Ground::Path { dumbbell, .. } => (dumbbell.layout(&resolved.groups), Vec::new()),
        Ground::Network(network) => network.graph.layout(&resolved.groups),
    };
    let Layout { nodes, links, flows, routes, populations, groups } = layout;
    let mut files = Vec::new();
    let recorded: Vec<_> = match &resolved.ground {
        Ground::Path { settings, dumbbell } => vec![
            (&settings.forward_trace, &dumbbell.forward.rate),
            (&settings.reverse_trace, &dumbbell.reverse.rate),
        ],
        Ground::Network(network) => {
            files.extend(network.file.clone());
            network.traces.iter().zip(network.graph.core.links.iter().map(|link| &link.rate)).collect()
        }
    };
    for (file, rate) in recorded {
        if let (Some(file), RateModel::Trace(trace)) = (file, rate)
            && !files.iter().any(|(known, _)| known == file)
        {
            files.push((file.clone(), trace.digest.clone()));
        }
    }
    for group in &groups {
        if let Control::Guest(guest) = &group.algorithm
            && !files.iter().any(|(known, _)| *known == guest.file)
        {
            files.push((guest.file.clone(), guest.guest.digest().to_owned()));
        }
    }
    let recorded = resolved.groups.iter().filter_map(|group| group.transfers.as_ref()?.file.as_ref());
    for (file, digest) in recorded {
        if !files.iter().any(|(known, _)| known == file) {
            files.push((file.clone(), digest.clone()));
        }
    }
    // The digest must not depend on where a file lies, so there its content stands for its path.
    let anonymous = write::resolved(resolved, write::Naming::Digest);
    Scenario {
        model: Model {
            title: resolved.title.clone(),
            duration: resolved.duration,
            warmup: resolved.warmup.unwrap_or(narrows_units::Span::ZERO),
            finds_warmup: resolved.warmup.is_none(),
            seed: resolved.seed,
            nodes,
            links,
            flows,
            routes,
            populations,
            changes,
            groups,
            record: resolved.recording.model,
        },
        replications: resolved.replications,
        replications_written: resolved.replications_written,
        resolved: write::resolved(resolved, write::Naming::Path),
        description: describe::describe(resolved),
        expectations: resolved.expectations.clone(),
        files,
        digest: hexadecimal(&Sha256::digest(anonymous)),
    }
}

#[cfg(test)]
mod tests;
