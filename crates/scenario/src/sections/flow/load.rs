// SPDX-License-Identifier: Apache-2.0
//! `count`, `start`, `size` and `source`: the process that starts the connections of a group.

use super::super::distribution;
use super::super::source::Source;
use super::super::transfers::{Process, ProcessContext, Rules, Transfers, Window};
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
    /// Returns the number of connection slots, and whether the workload is fixed.
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
    /// Resolves the process that starts the connections of the group; keys that follow from others are filled in.
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
        let Some(rules) = self.rules()? else { return Ok(None) };
        self.check_keys(rules, start, sized, faults)?;
        self.count.omitted = rules.no_count.is_some();
        let from = match start {
            Start::At(from) | Start::Between(from, _) => from,
        };
        let duration = duration?;
        let window = Window { from, until: duration, duration };
        let Some(source) = self.source.get_mut()? else { return Ok(None) };
        let Some(process) = source.process_mut() else { return Ok(None) };
        let mut transfers =
            process.resolve(ProcessContext { count, start, window, load: context }, faults)?;
        if let Some(steps) = transfers.written.take() {
            *source = Source::PoissonSteps(steps);
        }
        Ok(Some(transfers))
    }

    /// Returns what the process of transfers allows of the other keys; `None` if the flows start once.
    pub(super) fn rules(&self) -> Result<Option<Rules>, Reported> {
        Ok(self.source.get()?.as_ref().and_then(Source::process).map(Process::rules))
    }

    /// Checks `start`, `size` and `count` against the kind of the process.
    fn check_keys(
        &self,
        rules: Rules,
        start: Start,
        sized: bool,
        faults: &mut Vec<Fault>,
    ) -> Result<(), Reported> {
        if !rules.starts_apart && matches!(start, Start::Between(..)) {
            let fault = self.start.fault("a process of transfers starts at one time");
            return Err(fault.allowed("a time").report(faults));
        }
        match rules.no_size {
            Some(message) if sized => return Err(self.size.fault(message).allowed("no size").report(faults)),
            None if !sized => {
                let fault = self.size.fault("the transfers of a process end").given("unlimited");
                return Err(fault.allowed("a size, or a distribution of sizes").report(faults));
            }
            _ => {}
        }
        if let Some(allowed) = rules.no_count.filter(|_| self.count.written) {
            let fault = self.count.fault("only users are counted: arrivals make as many transfers as arrive");
            return Err(fault.allowed(allowed).report(faults));
        }
        Ok(())
    }
}
