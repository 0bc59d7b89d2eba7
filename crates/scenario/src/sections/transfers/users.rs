// SPDX-License-Identifier: Apache-2.0
//! Users with alternating think times and transfers.

use super::super::distribution::{self, Drawn, DrawnOr};
use super::super::transport::Infinite;
use super::{Process, ProcessContext, RANDOM, Rules, Transfers};
use crate::diagnostic::Fault;
use crate::field::Reported;
use crate::forms::Choice;
use crate::section::{Tables, keys};
use crate::value::{List, Positive, PositiveFraction};
use narrows_model::traffic::Distribution;
use narrows_model::{Demand, Surge, UserModel};
use narrows_units::Span;

keys! {
    /// `count` users, each with alternating think times and transfers of `size`.
    pub struct Users = "users" {
        /// Think time: from the end of a transfer, or from `start`, to the start of the next.
        think: Drawn<Span>,
        /// Time after which an unfinished transfer is aborted.
        patience: DrawnOr<Span, Infinite> = Choice::Plain(None),
        /// Barrier synchronization (incast): all users start their transfers together, a think time after the last of
        /// the previous transfers has ended.
        barrier: bool = false,
        /// Time at or after which no transfer starts.
        until: Positive<Span> => "the end of the run",
        /// Periods in which a fraction of the transfers is larger.
        surges: Tables<SurgeKeys> => "none",
    }
}

keys! {
    /// A period in which a fraction of the transfers is larger.
    pub struct SurgeKeys {
        /// Start of the period.
        from: Span,
        /// End of the period.
        until: Positive<Span>,
        /// Fraction of the transfers started in the period that are larger.
        share: PositiveFraction = 1.0,
        /// Factor that multiplies their size.
        factor: f64,
        /// Classes of edge routers whose sources are affected.
        at: List<String> => "all",
    }
}

impl Process for Users {
    fn rules(&self) -> Rules {
        Rules { no_count: None, ..RANDOM }
    }

    fn resolve(
        &mut self,
        context: ProcessContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Transfers, Reported> {
        let ProcessContext { count, load, .. } = context;
        let window = context.window.until(&mut self.until, faults)?;
        let think = distribution::resolve_drawn(self.think.get_mut()?, load, faults)?;
        let patience = distribution::resolve(self.patience.get_mut()?, load, faults)?;
        if think == Distribution::Constant(0.0) {
            let fault = self.think.fault("users who never pause").given("0s");
            return Err(fault.allowed("a positive time, or a distribution").report(faults));
        }
        let mut surges = Vec::new();
        for keys in self.surges.get_mut()?.iter_mut().flatten() {
            surges.push(keys.resolve(window.duration, faults)?);
        }
        let barrier = self.barrier.copied()?;
        let together = if barrier { ", all of whom start together" } else { "" };
        let pauses = distribution::describe::<Span>(&think);
        let patient =
            patience.as_ref().map(|it| format!(", patient for {}", distribution::describe::<Span>(it)));
        let words = format!("{count} users{together} who think for {pauses}{}", patient.unwrap_or_default());
        let demand =
            Demand::Users(UserModel { think, from: window.from, until: window.until, patience, barrier });
        Ok(Transfers { surges, ..Transfers::new(demand, count as u32, words) })
    }
}

impl SurgeKeys {
    fn resolve(&mut self, duration: Span, faults: &mut Vec<Fault>) -> Result<(Surge, Vec<String>), Reported> {
        let (from, until) = (self.from.copied()?, self.until.copied()?);
        let (share, factor) = (self.share.copied()?, self.factor.copied()?);
        if until <= from || until > duration {
            let fault = self.until.fault("no time of the run").given(until.to_string());
            return Err(fault.allowed(format!("after {from} and up to {duration}")).report(faults));
        }
        if factor <= 0.0 || factor > GREATEST_FACTOR {
            let fault = self.factor.fault("out of range").given(factor.to_string());
            return Err(fault.allowed(format!("a number in (0, {GREATEST_FACTOR}]")).report(faults));
        }
        let at = self.at.get_mut()?.get_or_insert_default();
        let classes = at.iter().map(|class| class.value.clone()).collect();
        Ok((Surge { from, until, share, factor }, classes))
    }
}

/// A file that grows by more than this is surely a slip.
const GREATEST_FACTOR: f64 = 1e6;
