// SPDX-License-Identifier: Apache-2.0
//! `count`, `start`, `size` and `source`: the process that starts the connections of a group.

use super::super::distribution;
use super::super::source::Source;
use super::super::transfers::{Process, ProcessContext, Rules, Transfers, Window};
use super::FlowKeys;
use crate::context::LoadContext;
use crate::diagnostic::Fault;
use crate::field::Reported;
use narrows_model::traffic::Sizes;
use narrows_model::{Start, Stop};
use narrows_units::Span;

/// The process that starts the connections of a group, as far as it does not depend on the network.
#[derive(Clone, Debug)]
pub struct GroupLoad {
    pub(super) count: u64,
    pub(super) start: Start,
    pub(super) stop: Option<Stop>,
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
        let times = self.check_times(duration, faults);
        let size = self.size.get_mut().and_then(|size| distribution::resolve(size, context, faults));
        let (count, (start, stop), size) = (count?, times?, size?.map(Sizes));
        let transfers =
            self.resolve_transfers(count, (start, stop), size.is_some(), duration, context, faults)?;
        Ok(GroupLoad { count, start, stop, size, transfers })
    }

    /// When flows or clients start and stop.
    fn check_times(
        &self,
        duration: Result<Span, Reported>,
        faults: &mut Vec<Fault>,
    ) -> Result<(Start, Option<Stop>), Reported> {
        let count = self.count.copied()?;
        let start = self.check_start(count, duration, faults)?;
        Ok((start, self.check_stop(count, start, faults)?))
    }

    fn check_start(
        &self,
        count: u64,
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
        let Some(every) = self.stagger.copied()? else {
            return Ok(if first == last { Start::At(first) } else { Start::Between(first, last) });
        };
        if first < last {
            let fault = self.stagger.fault("starts at random times are not a given time apart");
            return Err(fault.given(every.to_string()).allowed("a time in start, no range").report(faults));
        }
        let later = count.saturating_sub(1);
        if let Ok(duration) = duration
            && later > 0
            && every.as_ps().saturating_mul(later) >= (duration - first).as_ps()
        {
            let message = format!("flow number {count} starts after the run ends");
            let fault = self.stagger.fault(message).given(every.to_string());
            let allowed = format!("below {}", (duration - first) / later);
            return Err(fault.allowed(allowed).report(faults));
        }
        Ok(Start::Apart { first, every })
    }

    /// When each flow stops, which must be after the start of the last.
    fn check_stop(
        &self,
        count: u64,
        start: Start,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Stop>, Reported> {
        let (stop, lasts) = (self.stop.copied()?, self.lasts.copied()?);
        let Some(stop) = stop else { return Ok(lasts.map(Stop::After)) };
        if lasts.is_some() {
            let fault = self.lasts.fault("does not fit beside stop").allowed("one of stop and lasts");
            return Err(fault.report(faults));
        }
        let last = match start {
            Start::At(last) | Start::Between(_, last) => last,
            Start::Apart { first, every } => first + every * count.saturating_sub(1),
        };
        if stop <= last {
            let fault = self.stop.fault("a flow stops before it starts").given(stop.to_string());
            return Err(fault.allowed(format!("after the last start, {last}")).report(faults));
        }
        Ok(Some(Stop::At(stop)))
    }

    fn resolve_transfers(
        &mut self,
        count: u64,
        (start, stop): (Start, Option<Stop>),
        sized: bool,
        duration: Result<Span, Reported>,
        context: &LoadContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Option<Transfers>, Reported> {
        let Some(rules) = self.rules()? else { return Ok(None) };
        self.check_keys(rules, start, sized, faults)?;
        self.count.omitted = rules.no_count.is_some();
        let from = match start {
            Start::At(from) | Start::Between(from, _) | Start::Apart { first: from, .. } => from,
        };
        let duration = duration?;
        let window = Window { from, until: duration, duration };
        let Some(source) = self.source.get_mut()? else { return Ok(None) };
        let Some(process) = source.process_mut() else { return Ok(None) };
        let mut transfers =
            process.resolve(ProcessContext { count, start, stop, window, load: context }, faults)?;
        if let Some(steps) = transfers.written.take() {
            *source = Source::PoissonSteps(steps);
        }
        Ok(Some(transfers))
    }

    /// Returns the values of the other keys that the process of transfers allows; `None` if the flows start once.
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
        if !rules.of_clients {
            if matches!(start, Start::Between(..)) {
                let fault = self.start.fault("a process of transfers starts at one time");
                return Err(fault.allowed("a time").report(faults));
            }
            let others = [
                (&self.stagger, "no such key"),
                (&self.stop, "until in source, the time at which no more transfers start"),
                (&self.lasts, "until in source, the time at which no more transfers start"),
            ];
            if let Some((key, allowed)) = others.into_iter().find(|(key, _)| key.written) {
                let fault = key.fault("does not fit a process of transfers, which has no flows of its own");
                return Err(fault.allowed(allowed).report(faults));
            }
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
