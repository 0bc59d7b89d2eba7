// SPDX-License-Identifier: Apache-2.0
//! The origin of a scenario, and the options of a command for it besides `--set`.

use super::location::Location;
use crate::series::SeriesMetrics;
use narrows_backend::Support;
use narrows_model::algorithm::AlgorithmLoader;
use narrows_model::stack::ProtocolStack;
use std::cell::RefCell;
use std::ops::Range;
use std::path::{Component, Path, PathBuf, absolute};
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
    /// Protocol stacks that can carry flows.
    pub stacks: Vec<Arc<dyn ProtocolStack>>,
    /// Parser of metrics of the series in expectations; `None` refuses them.
    pub series: Option<Arc<dyn SeriesMetrics>>,
    /// Features of the backend that is to run the scenario; `None` for the simulator.
    pub backend: Option<Arc<dyn Support>>,
    /// Files and commands that may be executed, and files that may be read.
    pub trust: Trust,
}

/// The trust in a scenario: which commands it may execute, and which files it may name. External algorithms are not
/// covered; their loader refuses those that are not trusted.
#[derive(Clone, Debug)]
pub struct Trust {
    /// Whether commands in the text of the scenario may be executed.
    pub text: bool,
    /// The overrides, by index, whose commands may be executed.
    pub overrides: Range<usize>,
    /// Folder that no file leaves; `None` for any file.
    pub within: Option<PathBuf>,
    /// Whether overrides and subject are the user's own, and may name any file.
    pub typed: bool,
}

impl Default for Trust {
    /// Everything is trusted.
    fn default() -> Self {
        Self { text: true, overrides: 0..usize::MAX, within: None, typed: true }
    }
}

impl Trust {
    /// Whether a command that was written at `location` may be executed.
    pub(super) fn allows_command(&self, location: &Location) -> bool {
        match location {
            Location::File(_) => self.text,
            Location::Argument(index) => self.overrides.contains(index),
            Location::CommandLine => false,
        }
    }

    /// Whether the file `path`, named at `location`, may be read. Links are followed; of a file that is missing, its name
    /// decides.
    fn allows_file(&self, path: &Path, location: &Location) -> bool {
        let Some(folder) = &self.within else { return true };
        if self.typed && !matches!(location, Location::File(_)) {
            return true;
        }
        let Ok(root) = folder.canonicalize() else { return false };
        match path.canonicalize() {
            Ok(real) => real.starts_with(&root),
            Err(_) => absolute(path).is_ok_and(|path| {
                path.starts_with(folder) && !path.components().any(|each| each == Component::ParentDir)
            }),
        }
    }
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
    /// Assumptions about the files that the scenario names, so far.
    pub assumed: &'a RefCell<Vec<String>>,
}

impl LoadContext<'_> {
    /// Adds to the assumptions, a sentence each.
    pub fn assume(&self, sentences: impl IntoIterator<Item = String>) {
        self.assumed.borrow_mut().extend(sentences);
    }

    /// Returns the path of the file `name`, which was written at `location`.
    ///
    /// # Errors
    ///
    /// In words, if it leaves the folder in which all files must be.
    pub fn path(&self, name: &str, location: &Location) -> Result<PathBuf, String> {
        let path = match location {
            Location::File(_) => self.directory.join(name),
            // Names typed on the command line are relative to the working directory.
            Location::Argument(_) | Location::CommandLine => self.options.overrides_directory.join(name),
        };
        if self.options.trust.allows_file(&path, location) {
            Ok(path)
        } else {
            Err("is not in the folder of the results, which hold every file that they rest on".to_owned())
        }
    }
}
