// SPDX-License-Identifier: Apache-2.0
//! Sources that start transfers during the run.

pub mod arrivals;
pub mod flow_records;
pub mod users;
pub mod vectors;

use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::{Field, Reported};
use crate::file;
use crate::input::InputFile;
use crate::value::FileReference;
use arrivals::PoissonSteps;
use narrows_model::{Demand, Start, Stop, Surge};
use narrows_units::Span;

/// A source that starts connections during a run.
pub trait Process {
    /// Returns the values of the other keys of its group that the source allows.
    fn rules(&self) -> Rules;

    /// Returns the file of recorded transfers.
    fn recording(&self) -> Option<&InputFile> {
        None
    }

    /// The transfers that the source starts; keys that follow from others are filled in.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported>;
}

/// The values of the other keys of its group that a process of transfers permits.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Why `size` is not allowed; `None` if it is required.
    pub no_size: Option<&'static str>,
    /// The values allowed in place of `count`; `None` if it is the number of users or clients.
    pub no_count: Option<&'static str>,
    /// Whether it has clients, each of which may start and stop at times of its own.
    pub of_clients: bool,
    /// Whether the transfers may go between edges.
    pub spreads: bool,
}

/// The values on which a process of transfers depends.
#[derive(Clone, Copy)]
pub struct ProcessContext<'a> {
    /// Number of users or clients.
    pub count: u64,
    /// When clients start.
    pub start: Start,
    /// When they stop; `None` for the end of the run.
    pub stop: Option<Stop>,
    /// When transfers may start.
    pub window: Window,
    /// The place from which the scenario is loaded.
    pub load: &'a LoadContext<'a>,
}

/// A resolved process of transfers.
#[derive(Clone, Debug)]
pub struct Transfers {
    /// The process that starts transfers.
    pub demand: Demand,
    /// Maximum number of open connections; of connections over which both sides write, the number of all.
    pub slots: u32,
    /// Intervals with larger transfers, each with the classes of edges whose sources send them; all classes if none is
    /// named.
    pub surges: Vec<(Surge, Vec<String>)>,
    /// What starts them, in words.
    pub words: String,
    /// The sizes of transfers whose group has no `size`, in words.
    pub sizes: &'static str,
    /// The same process in the form in which it is written in a resolved file; `None` if that is its own.
    pub written: Option<PoissonSteps>,
}

impl Transfers {
    /// Transfers that `demand` starts in `slots`, which are in `words`.
    pub fn new(demand: Demand, slots: u32, words: String) -> Self {
        Self { demand, slots, surges: Vec::new(), words, sizes: "sizes as recorded", written: None }
    }
}

/// The interval in which transfers may start.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Start of the interval.
    pub from: Span,
    /// End of the interval, exclusive.
    pub until: Span,
    /// Duration of the run.
    pub duration: Span,
}

impl Window {
    /// Resolves `until`, whose default is the end of the run, and fills it in.
    ///
    /// # Errors
    ///
    /// If that is not after the start, which is added to `faults`.
    pub fn until(
        mut self,
        until: &mut Field<Option<Span>>,
        faults: &mut Vec<Fault>,
    ) -> Result<Self, Reported> {
        let end = until.copied()?.unwrap_or(self.duration);
        if end <= self.from {
            let fault = until.fault("nothing ever starts").given(end.to_string());
            return Err(fault.allowed(format!("after start, {}", self.from)).report(faults));
        }
        until.fill(Some(end));
        self.until = end;
        Ok(self)
    }
}

/// Warns that `number` of `count` things in a file start too late and are omitted.
fn late(number: usize, count: usize, things: &str, file: &str) -> Option<String> {
    (number > 0)
        .then(|| format!("{number} of {count} {things} in {file} left out, as they start when no more may"))
}

/// What `parse` makes of the text of the file at `field`, whose path and digest are filled in.
fn read<T>(
    field: &mut Field<FileReference>,
    context: &LoadContext<'_>,
    allowed: &str,
    parse: impl Fn(&str) -> Result<T, String>,
    faults: &mut Vec<Fault>,
) -> Result<T, Reported> {
    let location = field.at.location.clone();
    let reference = field.get_mut()?;
    let read = context.path(&reference.name, &location).and_then(|path| {
        let (text, digest) = file::text(&path)?;
        Ok((parse(&text)?, digest, path))
    });
    match read {
        Ok((parsed, digest, path)) => {
            reference.found = Some(InputFile::new(&reference.name, &location, path, digest));
            Ok(parsed)
        }
        Err(problem) => {
            let given = format!("\"{}\"", reference.name);
            Err(field.fault(problem).given(given).allowed(allowed).report(faults))
        }
    }
}

/// The rules of arrivals that are drawn.
const RANDOM: Rules = Rules {
    no_size: None,
    no_count: Some("no count; `concurrent` in source bounds how many are in progress at once"),
    of_clients: false,
    spreads: true,
};

const RECORDED: &str = "what is recorded has its size";
