//! The keys of the whole file.

use super::expect::ExpectKeys;
use super::flow::GroupKeys;
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
        /// Measures start here. auto: where the MSER-5 rule finds that the goodput of every group has settled, its
        /// bottleneck's rate where its flows have no series; in each replication, which is run twice for it. Where it
        /// finds no such time in the first half, measures start with the second.
        warmup: Or<Span, Auto> = Some(Span::ZERO),
        /// Master seed of all random streams.
        seed: Integer<0, { u64::MAX }> = 1,
        /// Independent repetitions; intervals need at least two.
        replications: Count<1, 1_000_000> => "1 for run, 5 for compare",
        /// The dumbbell: one bottleneck that all flows share.
        path: Table<PathKeys> => "none; either path or network is needed",
        /// Routers and links of any shape; each flow says from which router to which it goes.
        network: Table<NetworkKeys> => "none; either path or network is needed",
        /// Endpoints of every flow; a flow may override any key.
        transport: Table<TransportKeys> => "preset modern",
        /// Groups of equal flows.
        flows: Tables<GroupKeys>,
        /// What to record.
        record: Table<RecordKeys> => "see its keys",
        /// Measures that must lie within bounds.
        expect: Tables<ExpectKeys> => "none",
    }
}

/// The end of the warm-up is to be found.
#[derive(Clone, Debug)]
pub struct Auto;

impl Word for Auto {
    const WORD: &'static str = "auto";
}

/// What the keys of the root say of a run.
#[derive(Clone, Debug)]
pub struct Run {
    pub title: String,
    pub duration: Span,
    /// `None` where it is to be found.
    pub warmup: Option<Span>,
    pub seed: u64,
}

impl RootKeys {
    /// How often the scenario is run: by the command line, else by the file, else once.
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

    /// Title, duration, warm-up and seed; those that were not written are filled in.
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
