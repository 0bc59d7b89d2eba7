// SPDX-License-Identifier: Apache-2.0
//! Loss on a link, at random, at fixed distances or by a list.
//!
//! Source: Gilbert, "Capacity of a Burst-Noise Channel", 1960; Elliott, "Estimates of Error Rates for Codes on
//! Burst-Noise Channels", 1963. A Markov chain of two states, good and bad, makes a transition per packet; each state
//! has its own probability of loss. The stationary probability of the bad state is `good_to_bad / (good_to_bad +
//! bad_to_good)`, its mean duration `1 / bad_to_good` packets.
//!
//! Every packet uses the same number of draws, so that the draws for the n-th packet of a link are the same for every
//! algorithm.

use crate::Selection;
use crate::selected::Selected;
use narrows_wire::Packet;

/// Loss on a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Losses with the same probability for each packet.
    Bernoulli {
        /// Loss probability, 0 to 1.
        rate: f64,
    },
    /// A two-state Markov chain that makes a step per packet, with a loss probability for each state (Gilbert 1960,
    /// Elliott 1963).
    GilbertElliott {
        /// Probability of a transition from the good to the bad state.
        good_to_bad: f64,
        /// Probability of a transition from the bad to the good state.
        bad_to_good: f64,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
        /// Largest number of packets lost in a row, after which the next passes in the good state; `None` without a limit.
        longest: Option<u64>,
    },
    /// Losses at fixed distances.
    Periodic {
        /// Number of the first packet that is lost, from 1.
        first: u64,
        /// Packets from one that is lost to the next.
        every: u64,
    },
    /// The packets of a list.
    List(Selection),
}

/// Loss on a link: decides for each packet whether it is lost.
#[derive(Clone, Debug)]
pub struct Loss {
    model: LossModel,
    /// Whether the chain is in the bad state; always false for independent losses.
    bad: bool,
    /// Packets so far, where losses have fixed distances; those lost since the last that passed, where bursts are limited.
    packets: u64,
    /// Selection of the packets of a list; `None` for other loss models.
    listed: Option<Selected>,
}

impl Loss {
    /// Creates a loss process in the good state.
    pub fn new(model: LossModel) -> Self {
        let listed = match &model {
            LossModel::List(selection) => Some(Selected::new(selection.clone())),
            _ => None,
        };
        Self { model, bad: false, packets: 0, listed }
    }

    /// Returns the rule by which it loses packets, as logs name it.
    pub fn rule(&self) -> &'static str {
        match self.model {
            LossModel::Bernoulli { .. } | LossModel::GilbertElliott { .. } => "random",
            LossModel::Periodic { .. } => "periodic",
            LossModel::List(_) => "listed",
        }
    }

    /// Whether `packet`, the next, is lost. `uniform` draws from the uniform distribution on [0, 1).
    pub fn lose(&mut self, packet: &Packet, mut uniform: impl FnMut() -> f64) -> bool {
        match self.model {
            LossModel::Bernoulli { rate } => uniform() < rate,
            LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, longest } => {
                let (probability, leave) =
                    if self.bad { (loss_bad, bad_to_good) } else { (loss_good, good_to_bad) };
                let lost = uniform() < probability;
                self.bad ^= uniform() < leave;
                if lost && longest == Some(self.packets) {
                    (self.bad, self.packets) = (false, 0);
                    return false;
                }
                self.packets = if lost { self.packets + 1 } else { 0 };
                lost
            }
            LossModel::Periodic { first, every } => {
                self.packets += 1;
                self.packets.checked_sub(first).is_some_and(|beyond| beyond.is_multiple_of(every))
            }
            LossModel::List(_) => self.listed.as_mut().is_some_and(|listed| listed.takes(packet)),
        }
    }
}

#[cfg(test)]
mod tests {
    //! Truth: closed forms of the two processes, within five standard deviations.

    use super::{Loss, LossModel, Packet};
    use crate::{Counted, Selection};
    use narrows_engine::Stream;
    use narrows_wire::Body;

    const PACKETS: u32 = 400_000;

    fn losses(model: LossModel) -> Vec<bool> {
        let mut loss = Loss::new(model);
        let mut stream = Stream::new(1, 0, "loss");
        (0..PACKETS).map(|_| loss.lose(&Packet::EMPTY, || stream.uniform())).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|&&each| each).count() as f64 / lost.len() as f64
    }

    #[test]
    fn bernoulli_loss_has_its_rate_and_no_memory() {
        let rate = 0.02;
        let lost = losses(LossModel::Bernoulli { rate });
        let sigma = (rate * (1.0 - rate) / f64::from(PACKETS)).sqrt();
        assert!((share(&lost) - rate).abs() < 5.0 * sigma);
        let after_a_loss: Vec<_> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let sigma = (rate * (1.0 - rate) / after_a_loss.len() as f64).sqrt();
        assert!((share(&after_a_loss) - rate).abs() < 5.0 * sigma);
    }

    #[test]
    fn bernoulli_loss_at_its_ends_loses_nothing_or_everything() {
        assert!(losses(LossModel::Bernoulli { rate: 0.0 }).iter().all(|lost| !lost));
        assert!(losses(LossModel::Bernoulli { rate: 1.0 }).iter().all(|lost| *lost));
    }

    #[test]
    fn gilbert_elliott_loss_has_the_rate_of_its_stationary_chain() {
        let (p, r, good, bad) = (0.01, 0.2, 0.001, 0.5);
        let model = LossModel::GilbertElliott {
            good_to_bad: p,
            bad_to_good: r,
            loss_good: good,
            loss_bad: bad,
            longest: None,
        };
        let pi = p / (p + r);
        let expected = (1.0 - pi) * good + pi * bad;
        // The variance of a mean over a two-state chain: Bernoulli's, plus twice the sum of the covariances, which
        // fall off with the chain's second eigenvalue 1 − p − r.
        let memory = (1.0 - p - r) / (p + r);
        let variance =
            expected * (1.0 - expected) + 2.0 * memory * pi * (1.0 - pi) * (bad - good) * (bad - good);
        let sigma = (variance / f64::from(PACKETS)).sqrt();
        let found = share(&losses(model));
        assert!((found - expected).abs() < 5.0 * sigma, "{found}, expected {expected} ± {sigma}");
    }

    #[test]
    fn bursts_of_a_fully_lossy_bad_state_last_as_long_as_the_state() {
        let (p, r) = (0.01, 0.25);
        let model = LossModel::GilbertElliott {
            good_to_bad: p,
            bad_to_good: r,
            loss_good: 0.0,
            loss_bad: 1.0,
            longest: None,
        };
        let lost = losses(model);
        let bursts: Vec<_> = lost.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
        let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
        let sigma = ((1.0 - r) / (r * r) / bursts.len() as f64).sqrt();
        assert!((mean - 1.0 / r).abs() < 5.0 * sigma, "{mean}");
    }

    /// A geometric length X of mean 1/r, cut at L: the mean of min(X, L) is (1 − (1 − r)^L) / r.
    #[test]
    fn bursts_are_no_longer_than_their_limit_and_as_long_as_a_geometric_number_cut_there() {
        let (p, r, longest) = (0.01, 0.25, 3_u64);
        let (loss_good, loss_bad) = (0.0, 1.0);
        let limited = |longest| LossModel::GilbertElliott {
            good_to_bad: p,
            bad_to_good: r,
            loss_good,
            loss_bad,
            longest,
        };
        let lost = losses(limited(Some(longest)));
        let bursts: Vec<_> = lost.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
        assert_eq!(bursts.iter().max(), Some(&3));
        let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
        let expected = (1.0 - libm::pow(1.0 - r, 3.0)) / r;
        assert!((mean - expected).abs() < 5.0 / (bursts.len() as f64).sqrt(), "{mean}, expected {expected}");
        assert_eq!(losses(limited(None)), losses(limited(Some(1000))), "a limit that is never reached");
    }

    #[test]
    fn a_list_counts_the_packets_of_a_group_or_of_each_flow_apart() {
        let of = |slot: u32| Packet { flow: narrows_wire::FlowId::new(slot, 0), ..Packet::EMPTY };
        let packets = [0, 1, 2, 1, 2, 0, 2].map(of);
        let numbers = |selection: Selection| {
            let mut loss = Loss::new(LossModel::List(selection));
            let fates = packets.iter().map(|packet| loss.lose(packet, || 0.0));
            (1..).zip(fates).filter_map(|(at, lost)| lost.then_some(at)).collect::<Vec<usize>>()
        };
        let second = Selection::numbered(Counted::All, [2]);
        assert_eq!(numbers(second.clone()), [2]);
        assert_eq!(numbers(Selection { slots: Some(1..3), ..second.clone() }), [3]);
        assert_eq!(numbers(Selection { per_flow: true, ..second.clone() }), [4, 5, 6]);
        assert_eq!(numbers(Selection { slots: Some(1..3), per_flow: true, ..second }), [4, 5]);
    }

    #[test]
    fn periodic_loss_takes_exactly_every_nth_packet() {
        let lost = losses(LossModel::Periodic { first: 3, every: 10 });
        let numbers: Vec<_> = (1..).zip(&lost).filter_map(|(number, lost)| lost.then_some(number)).collect();
        assert_eq!(numbers[..3], [3, 13, 23]);
        assert_eq!(numbers.len(), (PACKETS as usize - 3) / 10 + 1);
    }

    #[test]
    fn a_list_takes_its_numbers_among_the_packets_that_it_counts() {
        let data = |retransmission| Packet {
            body: Body::Data { request: None, payload: 1460, retransmission, timestamp: 0 },
            ..Packet::EMPTY
        };
        let ack = Packet { body: Body::PartialAck, ..Packet::EMPTY };
        let packets = [Packet::EMPTY, data(false), ack, data(true), data(false), data(true), ack];
        for (of, expected) in [
            (Counted::All, [1, 3].as_slice()),
            (Counted::Data, &[2, 5]),
            (Counted::Retransmissions, &[4]),
            (Counted::Acks, &[3]),
        ] {
            let mut loss = Loss::new(LossModel::List(Selection::numbered(of, [3, 1])));
            let numbers: Vec<usize> = (1..)
                .zip(&packets)
                .filter(|(_, packet)| loss.lose(packet, || 0.0))
                .map(|(at, _)| at)
                .collect();
            assert_eq!(numbers, expected, "{of:?}");
        }
    }

    #[test]
    fn every_packet_takes_the_same_number_of_draws() {
        let model = LossModel::GilbertElliott {
            good_to_bad: 0.5,
            bad_to_good: 0.5,
            loss_good: 0.0,
            loss_bad: 1.0,
            longest: None,
        };
        let mut loss = Loss::new(model);
        let mut stream = Stream::new(1, 0, "loss");
        for _ in 0..100 {
            let mut draws = 0;
            loss.lose(&Packet::EMPTY, || {
                draws += 1;
                stream.uniform()
            });
            assert_eq!(draws, 2);
        }
    }
}
