// SPDX-License-Identifier: Apache-2.0
//! The keys at the top level of the file.

use super::expect::ExpectKeys;
use super::flow::GroupKeys;
use super::linux::LinuxKeys;
use super::network::NetworkKeys;
use super::path::PathKeys;
use super::record::RecordKeys;
use super::transport::TransportKeys;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::location::Location;
use crate::section::{Table, Tables, keys};
use crate::value::{Count, Integer, Or, Positive, Word};
use narrows_units::Span;
use std::path::Path;

keys! {
    /// The keys at the top level of the file.
    pub struct RootKeys {
        /// Title of the run.
        title: String => "the file's name",
        /// Duration of the run, in simulated time.
        duration: Positive<Span>,
        /// End of the warm-up, from which metrics are computed. auto: the time from which the goodput of every group is
        /// stationary by the MSER-5 rule (or the rate of its bottleneck, if its flows have no series); it is determined
        /// for each replication, which is run twice. If there is no such time in the first half of the run, the warm-up
        /// ends in the middle of the run.
        warmup: Or<Span, Auto> = Some(Span::ZERO),
        /// Master seed, from which the seeds of all random streams are derived.
        seed: Integer<0, { u64::MAX }> = 1,
        /// Number of independent replications; confidence intervals need at least two.
        replications: Count<1, 1_000_000> => "1 for run, 5 for compare",
        /// The dumbbell topology: one bottleneck that all flows share.
        path: Table<PathKeys> => "none; either path or network is needed",
        /// A topology of routers and links; each flow has a source and a destination router.
        network: Table<NetworkKeys> => "none; either path or network is needed",
        /// Options of the endpoints of all flows; a flow may override each of them.
        transport: Table<TransportKeys> => "preset modern",
        /// Groups of flows with the same properties.
        flows: Tables<GroupKeys>,
        /// Which records are kept.
        record: Table<RecordKeys> => "see its keys",
        /// Options of the Linux hosts in a run with `--on linux`.
        linux: Table<LinuxKeys> => "see its keys",
        /// Bounds that metrics must satisfy.
        expect: Tables<ExpectKeys> => "none",
    }
}

/// The word for a warm-up whose end is detected by the MSER-5 rule.
#[derive(Clone, Debug)]
pub struct Auto;

impl Word for Auto {
    const WORD: &'static str = "auto";
}

/// The keys of the top level that describe a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Title of the scenario.
    pub title: String,
    /// Simulated time.
    pub duration: Span,
    /// End of the warm-up; `None` if it is detected by the MSER-5 rule.
    pub warmup: Option<Span>,
    /// Master seed.
    pub seed: u64,
}

impl RootKeys {
    /// Resolves the number of replications: from the command line, else from the file, else one. An error is added to
    /// `faults` if it is zero.
    pub fn resolve_replications(&mut self, context: &LoadContext<'_>, faults: &mut Vec<Fault>) -> u32 {
        if context.options.replications == Some(0) {
            let fault = Fault::new(&Location::CommandLine, "replications", "nothing would run").given("0");
            faults.push(fault.allowed("at least 1"));
        }
        let written = self.replications.copied().ok().flatten();
        let replications = context.options.replications.or(written).unwrap_or(1);
        self.replications.fill(Some(replications));
        replications
    }

    /// Resolves the title, duration, warm-up and seed; defaults are filled in.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve_run(
        &mut self,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Run, Reported> {
        let (duration, warmup) = (self.duration.copied(), self.warmup.copied());
        if let (Ok(duration), Ok(Some(warmup))) = (duration, warmup)
            && warmup >= duration
        {
            let fault = self.warmup.fault("the warm-up leaves nothing to measure").given(warmup.to_string());
            faults.push(fault.allowed(format!("less than the duration, {duration}")));
        }
        let stem = || Path::new(context.file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let title = self
            .title
            .get()
            .map(|title| title.clone().or_else(stem).unwrap_or_else(|| "scenario".to_owned()));
        let seed = self.seed.copied().map(|seed| context.options.seed.unwrap_or(seed));
        let run = Run { title: title?, duration: duration?, warmup: warmup?, seed: seed? };
        self.title.fill(Some(run.title.clone()));
        self.seed.fill(run.seed);
        Ok(run)
    }
}
