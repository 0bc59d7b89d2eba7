// SPDX-License-Identifier: Apache-2.0
//! `rate = { autorate = … }`: the rate of a shaper that follows round-trip times.

use super::{RateContext, period};
use crate::diagnostic::Fault;
use crate::emit::short;
use crate::field::Reported;
use crate::queue::find;
use crate::section::keys;
use crate::value::{Count, Element, Fraction, Positive, PositiveFraction};
use narrows_model::Autorate;
use narrows_units::{Rate, Span};

keys! {
    /// The keys of `autorate`.
    pub struct AutorateKeys {
        /// Name of a group of flows whose round trips are the probes: every sample of its senders' round-trip times is one, and
        /// the shaper knows it at once. Small writes at an interval probe as ping does: `source = { kind = "writes", interval =
        /// "300ms", size = "64B", whole_packets = false }` with `delayed_ack = 1` and `nagle = false`. Probes wait in the
        /// queues on their own route alone.
        probes: String,
        /// Excess of a round trip over the baseline of its flow beyond which a probe is delayed. The baseline is a moving average,
        /// which takes 0.9 of a shorter and 0.001 of a longer round trip.
        target: Positive<Span> = Span::from_ms(30),
        /// Lowest rate.
        minimum: Positive<Rate> => "a quarter of rate",
        /// Highest rate, at most peak.
        maximum: Positive<Rate> => "four times rate, or peak if that is lower",
        /// Factor on bufferbloat, when enough probes are delayed: the new rate is this part of the rate that was achieved in
        /// the last interval, or of the rate set if that is lower.
        down: PositiveFraction = 0.9,
        /// Relative increase per second while the load is high and there is no bufferbloat.
        up: PositiveFraction = 0.05,
        /// Relative change per second towards rate while the load is not high and there is no bufferbloat.
        decay: Fraction = 0.01,
        /// Part of the rate set above which the achieved rate is a high load.
        high_load: PositiveFraction = 0.75,
        /// Number of the last probes that are looked at.
        window: Count<1, 64> = 6,
        /// Number of delayed probes among them from which there is bufferbloat.
        delayed: Count<1, 64> = 3,
        /// Refractory period: time after a decrease in which the rate neither decreases again nor increases.
        refractory: Span = Span::from_ms(300),
        /// Time between two decisions, over which the achieved rate is measured.
        interval: Positive<Span> = Span::from_ms(200),
    }
}

impl AutorateKeys {
    /// Returns the settings of a shaper with the rate `base` in front of a line of `peak`.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn resolve(
        &mut self,
        base: Rate,
        peak: Rate,
        context: RateContext<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<Autorate, Reported> {
        let interval = period(&self.interval, context, faults);
        let times = |factor: f64| Rate::from_bps_f64(base.as_bps() as f64 * factor);
        let minimum = self.minimum.copied()?.unwrap_or(times(0.25).max(Rate::from_bps(1)));
        let maximum = self.maximum.copied()?.unwrap_or(times(4.0).min(peak));
        if minimum > base {
            let fault = self.minimum.fault("above the rate of the bucket").given(minimum.to_string());
            return Err(fault.allowed(format!("at most {base}")).report(faults));
        }
        if maximum < base || maximum > peak {
            let fault = self.maximum.fault("outside rate and peak of the bucket").given(maximum.to_string());
            return Err(fault.allowed(format!("{base} to {peak}")).report(faults));
        }
        let (window, delayed) = (self.window.copied()?, self.delayed.copied()?);
        if delayed > window {
            let fault =
                self.delayed.fault("more than the probes that are looked at").given(delayed.to_string());
            return Err(fault.allowed(format!("1 to {window}, the window")).report(faults));
        }
        let groups = context.groups.ok_or_else(Reported::before)?;
        let name = Element { at: self.probes.at.clone(), value: self.probes.get()?.clone() };
        let slots = &groups[find(&name, groups, faults)?].1;
        self.minimum.fill(Some(minimum));
        self.maximum.fill(Some(maximum));
        Ok(Autorate {
            // The number of connections that may be open is bounded.
            probes: slots.start as u32..slots.end as u32,
            target: self.target.copied()?,
            minimum,
            base,
            maximum,
            down: self.down.copied()?,
            up: self.up.copied()?,
            decay: self.decay.copied()?,
            high_load: self.high_load.copied()?,
            window,
            delayed,
            refractory: self.refractory.copied()?,
            interval: interval?,
        })
    }
}

/// Describes the rule.
pub fn describe(rule: &Autorate) -> String {
    let Autorate { target, minimum, maximum, down, delayed, window, interval, .. } = rule;
    format!(
        "its rate follows round-trip times every {interval}, between {minimum} and {maximum}: {} % of the rate achieved if \
         {delayed} of the last {window} are {target} above their baseline",
        short(down * 100.0, 4)
    )
}
