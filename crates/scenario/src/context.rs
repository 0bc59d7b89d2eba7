//! Where a scenario is loaded from, and what a command says of it besides `--set`.

use super::location::Location;
use crate::series::SeriesMetrics;
use narrows_backend::Backend;
use narrows_model::algorithm::AlgorithmLoader;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of a command for the scenario that it loads, besides `--set`.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Algorithm, as typed, for all groups that are marked as subject, or for all groups if none is; `None` keeps their
    /// own.
    pub subject: Option<String>,
    /// Master seed in place of the file's; `None` keeps it.
    pub seed: Option<u64>,
    /// Number of replications in place of the file's; `None` keeps it.
    pub replications: Option<u32>,
    /// Folder to which paths in overrides are relative; empty for the working directory.
    pub overrides_directory: PathBuf,
    /// Loader of external algorithms; `None` refuses them.
    pub loader: Option<Arc<dyn AlgorithmLoader>>,
    /// Parser of metrics of the series in expectations; `None` refuses them.
    pub series: Option<Arc<dyn SeriesMetrics>>,
    /// Backend that is to run the scenario, which refuses what it does not support; `None` for the simulator.
    pub backend: Option<Arc<dyn Backend>>,
}

/// The place from which a scenario is loaded, and the options of the command.
#[derive(Clone, Copy)]
pub struct LoadContext<'a> {
    /// Folder to which paths in the file are relative.
    pub directory: &'a Path,
    /// Name of the file in messages.
    pub file: &'a str,
    /// Options of the command.
    pub options: &'a LoadOptions,
    /// What was assumed about the files that the scenario names, so far.
    pub assumed: &'a RefCell<Vec<String>>,
}

impl LoadContext<'_> {
    /// Adds to what was assumed, a sentence each.
    pub fn assume(&self, sentences: impl IntoIterator<Item = String>) {
        self.assumed.borrow_mut().extend(sentences);
    }

    /// Path of the file `name`, which was written at `location`.
    pub fn path(&self, name: &str, location: &Location) -> PathBuf {
        match location {
            Location::File(_) => self.directory.join(name),
            // What is typed on the command line is relative to where it is typed.
            Location::Argument(_) | Location::CommandLine => self.options.overrides_directory.join(name),
        }
    }
}
