// SPDX-License-Identifier: Apache-2.0
//! `loss`: loss models of a link: random, periodic, or by a list of packets.

use crate::diagnostic::Fault;
use crate::emit::short;
use crate::field::{Field, Reported};
use crate::forms::forms;
use crate::queue::{Groups, find};
use crate::section::keys;
use crate::value::{Element, Fraction, Integer, List, Packets, Positive, PositiveFraction, words};
use narrows_model::{Counted, LossModel, Selection};
use narrows_units::Span;

keys! {
    /// Independent losses with the same probability for each packet.
    pub struct Bernoulli = "bernoulli" {
        /// Loss probability of a packet.
        rate: Fraction,
        /// Weight of the last random number in the next, as in tc-netem: above 0 losses follow each other, and are fewer than
        /// `rate` if it is below a half.
        correlation: Fraction = 0.0,
    }
}

keys! {
    /// A two-state Markov chain in time, with exponential durations and a loss probability for each state.
    pub struct Timed = "gilbert-elliott-time" {
        /// Mean duration of the good state.
        good: Positive<Span>,
        /// Mean duration of the bad state.
        bad: Positive<Span>,
        /// Loss probability in the good state.
        loss_good: Fraction = 0.0,
        /// Loss probability in the bad state.
        loss_bad: Fraction = 1.0,
    }
}

keys! {
    /// A four-state Markov chain per packet, as loss state of tc-netem (Salsano et al. 2012): 1, a gap between bursts; 2, a packet
    /// that passes within a burst; 3, a loss within a burst; 4, an isolated loss.
    pub struct FourState = "four-state" {
        /// Transition probability from a gap to a loss within a burst.
        p13: PositiveFraction,
        /// Transition probability from a loss within a burst to a gap.
        p31: Fraction => "1 - p13",
        /// Transition probability from a loss within a burst to a packet that passes within it.
        p32: Fraction = 0.0,
        /// Transition probability from a packet that passes within a burst to a loss.
        p23: Fraction = 1.0,
        /// Transition probability from a gap to an isolated loss.
        p14: Fraction = 0.0,
    }
}

keys! {
    /// A two-state Markov chain with a loss probability for each state (Gilbert 1960, Elliott 1963).
    pub struct GilbertElliott = "gilbert-elliott" {
        /// Transition probability per packet from the good to the bad state.
        good_to_bad: PositiveFraction,
        /// Transition probability per packet from the bad to the good state.
        bad_to_good: PositiveFraction,
        /// Loss probability in the good state.
        loss_good: Fraction = 0.0,
        /// Loss probability in the bad state.
        loss_bad: Fraction = 1.0,
        /// Largest number of packets lost in a row: the next passes, and the chain returns to the good state.
        longest: Packets => "no limit",
    }
}

keys! {
    /// Periodic losses, counted over all packets of the link.
    pub struct Periodic = "periodic" {
        /// Distance between two lost packets: one packet in this many is lost.
        every: Packets,
        /// Number of the first lost packet, counted from 1.
        first: Packets => "every",
    }
}

keys! {
    /// Losses of the packets in a list.
    pub struct Listed = "list" {
        /// Numbers of the lost packets among those that `of` counts, from 1, in any order.
        packets: List<Number>,
        /// Which packets of the link are counted: all, data packets, retransmissions, or pure acknowledgements.
        of: Counted = Counted::All,
        /// Name of a group of flows whose packets alone are counted.
        group: String => "none: those of all flows",
        /// Whether the packets of each flow are counted apart.
        per_flow: bool = false,
    }
}

/// The type of the number of a packet of a link.
pub type Number = Integer<1, 1_000_000_000_000>;

words!(Counted { All = "all", Data = "data", Retransmissions = "retransmissions", Acks = "acks" });

/// The keys that choose packets of a link.
#[derive(Clone, Copy)]
pub struct SelectionKeys<'a> {
    /// The numbers; all packets if `None`.
    pub packets: Option<&'a [Element<u64>]>,
    /// The key `of`.
    pub of: &'a Field<Counted>,
    /// The key `group`.
    pub group: &'a Field<Option<String>>,
    /// The key `per_flow`.
    pub per_flow: &'a Field<bool>,
}

impl SelectionKeys<'_> {
    /// Returns the chosen packets of a link over which `groups` may send.
    ///
    /// # Errors
    ///
    /// If a key has an error, which is added to `faults`.
    pub fn resolve(self, groups: Option<&Groups>, faults: &mut Vec<Fault>) -> Result<Selection, Reported> {
        let numbers = self.packets.map(|packets| packets.iter().map(|packet| packet.value));
        let chosen = match numbers {
            Some(numbers) => Selection::numbered(self.of.copied()?, numbers),
            None => Selection { of: self.of.copied()?, ..Selection::default() },
        };
        let slots = match self.group.get()? {
            Some(name) => {
                let groups = groups.ok_or_else(Reported::before)?;
                let name = Element { at: self.group.at.clone(), value: name.clone() };
                let slots = &groups[find(&name, groups, faults)?].1;
                Some(slots.start as u32..slots.end as u32)
            }
            None => None,
        };
        Ok(Selection { slots, per_flow: self.per_flow.copied()?, ..chosen })
    }
}

/// Describes the chosen packets, as in "packets 1, 2, 5 of data".
pub fn selected(selection: &Selection) -> String {
    let of = match selection.of {
        Counted::All => "packets",
        Counted::Data => "data packets",
        Counted::Retransmissions => "retransmissions",
        Counted::Acks => "acknowledgements",
    };
    let flow = if selection.per_flow { " of each flow" } else { "" };
    let of = match &selection.slots {
        Some(slots) if slots.len() == 1 => format!("{of} of flow {}", slots.start),
        Some(slots) => format!("{of}{flow} of flows {} to {}", slots.start, slots.end.saturating_sub(1)),
        None => format!("{of}{flow}"),
    };
    match selection.numbers.as_deref() {
        None => of,
        Some(numbers) if numbers.len() > MOST_DESCRIBED => format!("{} {of}", numbers.len()),
        Some(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
            format!("{of} {}", numbers.join(", "))
        }
    }
}

/// Packets whose numbers are described.
const MOST_DESCRIBED: usize = 20;

forms! {
    /// A loss model: random, periodic, or by a list of packets.
    pub enum Loss { Bernoulli, GilbertElliott, Timed, FourState, Periodic, Listed }
}

/// Returns a share that is not the whole.
pub(super) fn below_one(field: &Field<f64>, faults: &mut Vec<Fault>) -> Result<f64, Reported> {
    let value = field.copied()?;
    if value < 1.0 {
        return Ok(value);
    }
    Err(field.fault("out of range").given("100 %").allowed("0 to below 100 %").report(faults))
}

impl Loss {
    /// Returns the loss model of a link over which `groups` may send; `None` if these have errors.
    ///
    /// # Errors
    ///
    /// If a key has errors, which are added to `faults`.
    pub fn model(&self, groups: Option<&Groups>, faults: &mut Vec<Fault>) -> Result<LossModel, Reported> {
        Ok(match self {
            Self::Bernoulli(form) => LossModel::Bernoulli {
                rate: form.rate.copied()?,
                correlation: below_one(&form.correlation, faults)?,
            },
            Self::Timed(form) => LossModel::Timed {
                good: form.good.copied()?,
                bad: form.bad.copied()?,
                loss_good: form.loss_good.copied()?,
                loss_bad: form.loss_bad.copied()?,
            },
            Self::FourState(form) => {
                let (p13, p14, p32) = (form.p13.copied()?, form.p14.copied()?, form.p32.copied()?);
                let p31 = form.p31.copied()?.unwrap_or(1.0 - p13);
                for (of, other, sum) in [(&form.p14, "p13", p13 + p14), (&form.p32, "p31", p31 + p32)] {
                    if sum > 1.0 + 1e-9 {
                        let fault = of.fault(format!("more than 1 with {other}")).given(sum.to_string());
                        return Err(fault
                            .allowed("probabilities of one state whose sum is at most 1")
                            .report(faults));
                    }
                }
                LossModel::FourState { p13, p31, p32, p23: form.p23.copied()?, p14 }
            }
            Self::GilbertElliott(form) => LossModel::GilbertElliott {
                good_to_bad: form.good_to_bad.copied()?,
                bad_to_good: form.bad_to_good.copied()?,
                loss_good: form.loss_good.copied()?,
                loss_bad: form.loss_bad.copied()?,
                longest: form.longest.copied()?,
            },
            Self::Periodic(form) => {
                let every = form.every.copied()?;
                LossModel::Periodic { first: form.first.copied()?.unwrap_or(every), every }
            }
            Self::Listed(form) => LossModel::List(
                SelectionKeys {
                    packets: Some(form.packets.get()?),
                    of: &form.of,
                    group: &form.group,
                    per_flow: &form.per_flow,
                }
                .resolve(groups, faults)?,
            ),
        })
    }
}

/// Describes a loss model.
pub fn describe(loss: &LossModel) -> String {
    let percent = |fraction: f64| format!("{} %", short(fraction * 100.0, 6));
    match loss {
        LossModel::Bernoulli { rate, correlation: 0.0 } => {
            format!("{} of packets lost at random", percent(*rate))
        }
        LossModel::Bernoulli { rate, correlation } => {
            format!("{} of packets lost at random with correlation {}", percent(*rate), percent(*correlation))
        }
        LossModel::Timed { good, bad, loss_good, loss_bad } => format!(
            "packets lost in two states: {} in the good, of mean {good}, and {} in the bad, of mean {bad}",
            percent(*loss_good),
            percent(*loss_bad)
        ),
        LossModel::FourState { p13, p31, p32, p23, p14 } => {
            let all = [p13, p31, p32, p23, p14].map(|each| percent(*each));
            format!("packets lost in four states: p13, p31, p32, p23, p14 = {}", all.join(", "))
        }
        LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, longest } => format!(
            "packets lost in two states: {} in the good, left with {}, and {} in the bad, left with {}{}",
            percent(*loss_good),
            percent(*good_to_bad),
            percent(*loss_bad),
            percent(*bad_to_good),
            longest.map_or(String::new(), |most| format!(", at most {most} in a row"))
        ),
        LossModel::Periodic { first, every } => {
            format!("packet {first} lost and every {every} packets another")
        }
        LossModel::List(selection) => format!("{} lost", selected(selection)),
    }
}
