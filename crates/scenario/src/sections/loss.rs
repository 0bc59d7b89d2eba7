// SPDX-License-Identifier: Apache-2.0
//! `loss`: loss models of a link: random, periodic, or by a list of packets.

use crate::emit::short;
use crate::field::Reported;
use crate::forms::forms;
use crate::section::keys;
use crate::value::{Element, Fraction, Integer, List, Packets, PositiveFraction, words};
use narrows_model::{Counted, LossModel, Selection};

keys! {
    /// Independent losses with the same probability for each packet.
    pub struct Bernoulli = "bernoulli" {
        /// Loss probability of a packet.
        rate: Fraction,
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
    }
}

/// The type of the number of a packet of a link.
pub type Number = Integer<1, 1_000_000_000_000>;

words!(Counted { All = "all", Data = "data", Retransmissions = "retransmissions", Acks = "acks" });

/// Returns the packets with the written numbers.
pub fn selection(of: Counted, packets: &[Element<u64>]) -> Selection {
    Selection::numbered(of, packets.iter().map(|packet| packet.value))
}

/// Describes the chosen packets, as in "packets 1, 2, 5 of data".
pub fn selected(selection: &Selection) -> String {
    let of = match selection.of {
        Counted::All => "packets",
        Counted::Data => "data packets",
        Counted::Retransmissions => "retransmissions",
        Counted::Acks => "acknowledgements",
    };
    match selection.numbers.as_deref() {
        None => of.to_owned(),
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
    pub enum Loss { Bernoulli, GilbertElliott, Periodic, Listed }
}

impl Loss {
    /// Returns the loss model.
    ///
    /// # Errors
    ///
    /// If a key has an error that was reported.
    pub fn model(&self) -> Result<LossModel, Reported> {
        Ok(match self {
            Self::Bernoulli(form) => LossModel::Bernoulli { rate: form.rate.copied()? },
            Self::GilbertElliott(form) => LossModel::GilbertElliott {
                good_to_bad: form.good_to_bad.copied()?,
                bad_to_good: form.bad_to_good.copied()?,
                loss_good: form.loss_good.copied()?,
                loss_bad: form.loss_bad.copied()?,
            },
            Self::Periodic(form) => {
                let every = form.every.copied()?;
                LossModel::Periodic { first: form.first.copied()?.unwrap_or(every), every }
            }
            Self::Listed(form) => LossModel::List(selection(form.of.copied()?, form.packets.get()?)),
        })
    }
}

/// Describes a loss model.
pub fn describe(loss: &LossModel) -> String {
    let percent = |fraction: f64| format!("{} %", short(fraction * 100.0, 6));
    match loss {
        LossModel::Bernoulli { rate } => format!("{} of packets lost at random", percent(*rate)),
        LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => format!(
            "packets lost in two states: {} in the good, left with {}, and {} in the bad, left with {}",
            percent(*loss_good),
            percent(*good_to_bad),
            percent(*loss_bad),
            percent(*bad_to_good)
        ),
        LossModel::Periodic { first, every } => {
            format!("packet {first} lost and every {every} packets another")
        }
        LossModel::List(selection) => format!("{} lost", selected(selection)),
    }
}
