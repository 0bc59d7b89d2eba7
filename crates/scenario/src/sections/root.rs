//! The keys of the whole file.

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
    /// The whole file.
    pub struct RootKeys {
        /// What the run is about.
        title: String => "the file's name",
        /// Simulated time.
        duration: Positive<Span>,
        /// End of the warm-up: metrics count from here on. auto: the time at which, by the MSER-5 rule, the goodput of
        /// every group is stationary, or its bottleneck's rate if its flows have no series; determined for each
        /// replication, which is run twice for it. Without such a time in the first half of the run, metrics count from
        /// its middle on.
        warmup: Or<Span, Auto> = Some(Span::ZERO),
        /// Master seed of all random streams.
        seed: Integer<0, { u64::MAX }> = 1,
        /// Independent repetitions; intervals need at least two.
        replications: Count<1, 1_000_000> => "1 for run, 5 for compare",
        /// The dumbbell: one bottleneck that all flows share.
        path: Table<PathKeys> => "none; either path or network is needed",
        /// Routers and links of any topology; each flow has a source and a destination router.
        network: Table<NetworkKeys> => "none; either path or network is needed",
        /// Endpoints of every flow; a flow may override any key.
        transport: Table<TransportKeys> => "preset modern",
        /// Groups of equal flows.
        flows: Tables<GroupKeys>,
        /// What to record.
        record: Table<RecordKeys> => "see its keys",
        /// Hosts of a run with `--on linux`.
        linux: Table<LinuxKeys> => "see its keys",
        /// Metrics that must lie within bounds.
        expect: Tables<ExpectKeys> => "none",
    }
}

/// The word for a warm-up whose end is found by a rule.
#[derive(Clone, Debug)]
pub struct Auto;

impl Word for Auto {
    const WORD: &'static str = "auto";
}

/// The keys of the root that describe a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Title of the scenario.
    pub title: String,
    /// Simulated time.
    pub duration: Span,
    /// End of the warm-up; `None` if it is found by a rule.
    pub warmup: Option<Span>,
    /// Master seed.
    pub seed: u64,
}

impl RootKeys {
    /// Number of replications: that of the command line, else that of the file, else one. An error is added to `faults`
    /// if it is zero.
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

    /// Title, duration, warm-up and seed; defaults are filled in.
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
