//! Where a scenario is loaded from, and what a command says of it besides `--set`.

use super::location::Location;
use crate::series::SeriesMetrics;
use narrows_backend::Backend;
use narrows_model::algorithm::AlgorithmLoader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// Loads external algorithms; `None` where the scenario may name those compiled in only.
    pub loader: Option<Arc<dyn AlgorithmLoader>>,
    /// Reads metrics of the series in expectations; `None` where only counters give metrics.
    pub series: Option<Arc<dyn SeriesMetrics>>,
    /// What is to run the scenario: what it cannot honour is refused where it is written.
    pub backend: Option<Arc<dyn Backend>>,
}

/// Where a scenario is loaded from.
#[derive(Clone, Copy)]
pub struct LoadContext<'a> {
    /// Paths in the file are relative to this.
    pub directory: &'a Path,
    /// The name of the file in messages.
    pub file: &'a str,
    pub options: &'a LoadOptions,
}

impl LoadContext<'_> {
    /// The file of this name, which was written at `location`.
    pub fn path(&self, name: &str, location: &Location) -> PathBuf {
        match location {
            Location::File(_) => self.directory.join(name),
            // What is typed on the command line is relative to where it is typed.
            Location::Argument(_) | Location::CommandLine => self.options.overrides_directory.join(name),
        }
    }
}
