// SPDX-License-Identifier: Apache-2.0
//! The code that a run of a scenario would execute.

use crate::context::{LoadContext, LoadOptions, Trust};
use crate::diagnostic::{self, Diagnostic};
use crate::location::Location;
use narrows_card::Value;
use narrows_cc::{Algorithm, CongestionControl, Needs, Setup};
use narrows_model::algorithm::{self, AlgorithmLoader, ExternalAlgorithm, FlowStart, LoadFault};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file or a command that a run would execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Kind of the executed thing.
    pub kind: ExecutedKind,
    /// A class as its file and its name, as in `mine.py:Mine`, relative to the folder of the scenario if it is below it; or the
    /// command.
    pub what: String,
    /// The override, by index, that gives a command; `None` for one in the text of the scenario, and for a class.
    pub given: Option<usize>,
}

/// The kinds of executed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutedKind {
    /// A class in a file.
    Class,
    /// The command of a client.
    Client,
    /// The command of a server.
    Server,
}

/// Returns the code that a run of the scenario `text` would execute: every file that a loader would load, each once,
/// and every command. Modules of WebAssembly are not among them, for they reach nothing. No file of an algorithm is
/// read; arguments are as for [`crate::load`], without its backend.
///
/// # Errors
///
/// All errors of the scenario, which then is not run either.
pub fn executed(
    text: &str,
    file: &str,
    directory: &Path,
    overrides: &[String],
    options: &LoadOptions,
) -> Result<Vec<Executed>, Vec<Diagnostic>> {
    let reno = Algorithm::among(algorithm::listed(), "reno", Vec::new());
    let stand_in = reno.unwrap_or_else(|_| unreachable!("the catalogue has it"));
    let asked = Arc::new(Asked { stand_in, algorithms: Mutex::default() });
    let loader = Some(Arc::clone(&asked) as _);
    let trust = Trust { text: true, overrides: 0..usize::MAX, ..options.trust.clone() };
    let options = LoadOptions { loader, trust, ..options.clone() };
    let assumed = RefCell::default();
    let context = LoadContext { directory, file, options: &options, assumed: &assumed };
    let mut faults = Vec::new();
    let Some((_, root, _)) = crate::resolved(text, overrides, &context, &mut faults) else {
        return Err(diagnostic::locate(faults, text, file, overrides));
    };
    let root_folder = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let classes = asked.algorithms.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut found: Vec<Executed> = Vec::new();
    for (path, name) in classes {
        let shown = path.strip_prefix(&root_folder).unwrap_or(&path).display();
        let each = Executed { kind: ExecutedKind::Class, what: format!("{shown}:{name}"), given: None };
        if !found.contains(&each) {
            found.push(each);
        }
    }
    for group in root.flows.get().ok().into_iter().flatten() {
        let Ok(Some(program)) = group.own.program.get() else { continue };
        for (kind, command) in
            [ExecutedKind::Client, ExecutedKind::Server].into_iter().zip(program.commands())
        {
            let given = match command.at.location {
                Location::Argument(index) => Some(index),
                Location::File(_) | Location::CommandLine => None,
            };
            found.extend(command.get().ok().map(|what| Executed { kind, what: what.clone(), given }));
        }
    }
    Ok(found)
}

/// A loader that loads nothing, and keeps the file and the name of each algorithm that it is asked for.
#[derive(Debug)]
struct Asked {
    /// Algorithm that stands in for all of them.
    stand_in: Algorithm,
    algorithms: Mutex<Vec<(PathBuf, String)>>,
}

impl AlgorithmLoader for Asked {
    fn load(
        &self,
        file: &Path,
        name: &str,
        _parameters: &[(String, Value)],
    ) -> Result<Arc<dyn ExternalAlgorithm>, LoadFault> {
        // A WebAssembly module runs in a sandbox, which needs no trust.
        if file.extension().is_none_or(|extension| extension != "wasm") {
            let mut asked = self.algorithms.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push((file.to_owned(), name.to_owned()));
        }
        Ok(Arc::new(Unread(self.stand_in.clone())))
    }
}

/// An algorithm of which nothing has been read, and what stands for it.
#[derive(Debug)]
struct Unread(Algorithm);

impl ExternalAlgorithm for Unread {
    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn digest(&self) -> &'static str {
        ""
    }

    fn build(&self, setup: &Setup, _start: &FlowStart<'_>) -> Box<dyn CongestionControl> {
        self.0.build(setup)
    }
}
