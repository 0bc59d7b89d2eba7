//! `count`, `start`, `size` and `source`: the process that starts the connections of a group.

use super::super::distribution;
use super::super::source::Source;
use super::super::transfers::{Transfers, Window};
use super::FlowKeys;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::Reported;
use narrows_model::Start;
use narrows_model::traffic::Sizes;
use narrows_units::Span;

/// The process that starts the connections of a group, as far as it does not depend on the network.
#[derive(Clone, Debug)]
pub struct GroupLoad {
    pub(super) count: u64,
    pub(super) start: Start,
    pub(super) size: Option<Sizes>,
    /// `None` if the flows are endless.
    pub(super) transfers: Option<Transfers>,
}

impl GroupLoad {
    /// Number of connection slots, and whether the workload is fixed.
    pub fn slots(&self) -> (u64, bool) {
        self.transfers.as_ref().map_or((self.count, true), |transfers| {
            let sides = if self.is_two_sided() { 2 } else { 1 };
            (u64::from(transfers.slots) * sides, false)
        })
    }

    /// Whether both sides of its connections send data.
    pub fn is_two_sided(&self) -> bool {
        self.transfers.as_ref().is_some_and(|transfers| transfers.demand.side().is_some())
    }
}

impl FlowKeys {
    /// The process that starts the connections of the group; keys that follow from others are filled in.
    ///
    /// # Errors
    ///
    /// If it has errors, which are added to `faults`.
    pub fn resolve_load(
        &mut self,
        duration: Result<Span, Reported>,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<GroupLoad, Reported> {
        let count = self.count.copied();
        let start = self.check_start(duration, faults);
        let size = self.size.get_mut().and_then(|size| distribution::resolve(size, context, faults));
        let (count, start, size) = (count?, start?, size?.map(Sizes));
        let transfers = self.resolve_transfers(count, start, size.is_some(), duration, context, faults)?;
        Ok(GroupLoad { count, start, size, transfers })
    }

    fn check_start(
        &self,
        duration: Result<Span, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<Start, Reported> {
        let (first, last) = self.start.copied()?;
        if let Ok(duration) = duration
            && last >= duration
        {
            let fault = self.start.fault("a flow that starts after the run ends").given(last.to_string());
            return Err(fault.allowed(format!("before the duration, {duration}")).report(faults));
        }
        Ok(if first == last { Start::At(first) } else { Start::Between(first, last) })
    }

    fn resolve_transfers(
        &mut self,
        count: u64,
        start: Start,
        sized: bool,
        duration: Result<Span, Reported>,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Transfers>, Reported> {
        let Some(kind) = self.source.get()?.as_ref().and_then(Kind::of) else { return Ok(None) };
        self.check_keys(kind, start, sized, faults)?;
        self.count.omitted = !kind.is_counted();
        let from = match start {
            Start::At(from) | Start::Between(from, _) => from,
        };
        let duration = duration?;
        let window = Window { from, until: duration, duration };
        let Some(source) = self.source.get_mut()? else { return Ok(None) };
        let (steps, transfers) = match source {
            Source::Poisson(form) => form.resolve(window, faults).map(|(steps, it)| (Some(steps), it))?,
            Source::PoissonSteps(form) => {
                form.resolve(window, faults).map(|(steps, it)| (Some(steps), it))?
            }
            Source::Arrivals(form) => (None, form.resolve(window, context, faults)?),
            Source::Vectors(form) => (None, form.resolve(window, context, faults)?),
            Source::Users(form) => (None, form.resolve(count, window, context, faults)?),
            Source::Video(form) => (None, form.resolve(count, start, faults)?),
            Source::Web(form) => (None, form.resolve(count, start, window, context, faults)?),
            Source::Responsiveness(form) => (None, form.resolve(count, start)?),
            Source::Call(form) => (None, form.resolve(count, start, faults)?),
            Source::Game(form) => (None, form.resolve(count, start, faults)?),
            Source::Bulk(_) | Source::ConstantRate(_) | Source::OnOff(_) | Source::Writes(_) => {
                return Ok(None);
            }
        };
        if let Some(steps) = steps {
            *source = Source::PoissonSteps(steps);
        }
        Ok(Some(transfers))
    }

    /// Checks `start`, `size` and `count` against the kind of the process.
    fn check_keys(
        &self,
        kind: Kind,
        start: Start,
        sized: bool,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        if kind != Kind::Application && matches!(start, Start::Between(..)) {
            let fault = self.start.fault("a process of transfers starts at one time");
            return Err(fault.allowed("a time").report(faults));
        }
        let own_sizes = match kind {
            Kind::Application => Some("an application fetches objects of its own sizes"),
            Kind::Arrivals | Kind::Vectors => Some("what is recorded has its size"),
            Kind::Random | Kind::Users => None,
        };
        match own_sizes {
            Some(message) if sized => return Err(self.size.fault(message).allowed("no size").report(faults)),
            None if !sized => {
                let fault = self.size.fault("the transfers of a process end").given("unlimited");
                return Err(fault.allowed("a size, or a distribution of sizes").report(faults));
            }
            _ => {}
        }
        if self.count.written && !kind.is_counted() {
            let bound = match kind {
                Kind::Vectors => "",
                _ => "; `concurrent` in source bounds how many are in progress at once",
            };
            let fault = self.count.fault("only users are counted: arrivals make as many transfers as arrive");
            return Err(fault.allowed(format!("no count{bound}")).report(faults));
        }
        Ok(())
    }
}

/// The kinds of processes that start connections during a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Arrivals that are drawn.
    Random,
    /// Arrivals from a file.
    Arrivals,
    /// Connection vectors from a file.
    Vectors,
    /// Users who think between transfers.
    Users,
    /// Clients of an application.
    Application,
}

impl Kind {
    /// The kind of a source; `None` if its flows start once.
    fn of(source: &Source) -> Option<Self> {
        match source {
            Source::Bulk(_) | Source::ConstantRate(_) | Source::OnOff(_) | Source::Writes(_) => None,
            Source::Poisson(_) | Source::PoissonSteps(_) => Some(Self::Random),
            Source::Arrivals(_) => Some(Self::Arrivals),
            Source::Vectors(_) => Some(Self::Vectors),
            Source::Users(_) => Some(Self::Users),
            Source::Video(_)
            | Source::Web(_)
            | Source::Responsiveness(_)
            | Source::Call(_)
            | Source::Game(_) => Some(Self::Application),
        }
    }

    /// Whether `count` is the number of users or clients.
    fn is_counted(self) -> bool {
        matches!(self, Self::Users | Self::Application)
    }
}
