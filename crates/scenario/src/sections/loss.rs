//! `loss`: packets that a link loses at random or at fixed distances.

use crate::emit::short;
use crate::field::Reported;
use crate::forms::forms;
use crate::section::keys;
use crate::value::{Fraction, Packets, PositiveFraction};
use narrows_model::LossModel;

keys! {
    /// Each packet is lost with the same probability.
    pub struct Bernoulli = "bernoulli" {
        /// Probability that a packet is lost.
        rate: Fraction,
    }
}

keys! {
    /// A two-state Markov chain with a loss probability for each state (Gilbert 1960, Elliott 1963).
    pub struct GilbertElliott = "gilbert-elliott" {
        /// Probability per packet of a transition to the bad state.
        good_to_bad: PositiveFraction,
        /// Probability per packet of a transition to the good state.
        bad_to_good: PositiveFraction,
        /// Loss probability in the good state.
        loss_good: Fraction = 0.0,
        /// Loss probability in the bad state.
        loss_bad: Fraction = 1.0,
    }
}

keys! {
    /// Packets are lost at fixed distances, counted over all packets of the link.
    pub struct Periodic = "periodic" {
        /// From one lost packet to the next.
        every: Packets,
        /// Number of the first lost packet.
        first: Packets => "every",
    }
}

forms! {
    /// Loss at random or at fixed distances.
    pub enum Loss { Bernoulli, GilbertElliott, Periodic }
}

impl Loss {
    /// The loss model.
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
        })
    }
}

/// Description of a loss model.
pub fn describe(loss: &LossModel) -> String {
    let percent = |fraction: f64| format!("{} %", short(fraction * 100.0, 6));
    match *loss {
        LossModel::Bernoulli { rate } => format!("{} of packets lost at random", percent(rate)),
        LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => format!(
            "packets lost in two states: {} in the good, left with {}, and {} in the bad, left with {}",
            percent(loss_good),
            percent(good_to_bad),
            percent(loss_bad),
            percent(bad_to_good)
        ),
        LossModel::Periodic { first, every } => {
            format!("packet {first} lost and every {every} packets another")
        }
    }
}
