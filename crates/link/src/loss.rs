// SPDX-License-Identifier: Apache-2.0
//! Loss on a link, at random, at fixed distances or by a list.
//!
//! Source: Gilbert, "Capacity of a Burst-Noise Channel", 1960; Elliott, "Estimates of Error Rates for Codes on
//! Burst-Noise Channels", 1963. A Markov chain of two states, good and bad, makes a transition per packet; each state
//! has its own probability of loss. The stationary probability of the bad state is `good_to_bad / (good_to_bad +
//! bad_to_good)`, its mean duration `1 / bad_to_good` packets. The chain in time has exponential durations and is observed
//! at the packets: after `t` it is bad with probability `b + (s − b) exp(−(1 / good + 1 / bad) t)`, if `s` is 1 in the bad
//! state and 0 in the good, and `b` is `bad / (good + bad)`. Four states: Salsano, Ludovici, Ordine and Giuliani, "Definition
//! of a general and intuitive loss model for packet networks and its implementation in the Netem module in the Linux kernel",
//! 2012, and `loss_4state` of Linux's sch_netem.c. Correlation: `get_crandom` there.
//!
//! Every packet uses the same number of draws, so that the draws for the n-th packet of a link are the same for every
//! algorithm.

use crate::Selection;
use crate::selected::Selected;
use narrows_units::{Span, Time};
use narrows_wire::Packet;

/// Loss on a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LossModel {
    /// Losses with the same probability for each packet.
    Bernoulli {
        /// Loss probability, 0 to 1.
        rate: f64,
        /// Weight of the last random number in the next, 0 to below 1.
        correlation: f64,
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
    /// A chain of two states with exponential durations, and a loss probability for each state.
    Timed {
        /// Mean duration of the good state.
        good: Span,
        /// Mean duration of the bad state.
        bad: Span,
        /// Loss probability in the good state.
        loss_good: f64,
        /// Loss probability in the bad state.
        loss_bad: f64,
    },
    /// A Markov chain of four states that makes a step per packet, by its transition probabilities: 1, a gap between bursts; 2, a
    /// packet that passes within a burst; 3, a loss within a burst; 4, an isolated loss.
    FourState {
        /// Probability of a transition from a gap to a burst.
        p13: f64,
        /// Probability of a transition from a loss within a burst to a gap.
        p31: f64,
        /// Probability of a transition from a loss within a burst to a packet that passes within it.
        p32: f64,
        /// Probability of a transition from a packet that passes within a burst to a loss.
        p23: f64,
        /// Probability of an isolated loss in a gap.
        p14: f64,
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
    /// State of the chain: 1 is good, 3 is bad; 2 and 4 have only four states.
    state: u8,
    /// The last random number of correlated losses; `None` before the first.
    last: Option<f64>,
    /// Arrival of the last packet, of which the chain in time knows the state.
    at: Time,
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
        Self { model, state: GOOD, last: None, at: Time::ZERO, packets: 0, listed }
    }

    /// Returns the rule by which it loses packets, as logs name it.
    pub fn rule(&self) -> &'static str {
        match self.model {
            LossModel::Bernoulli { .. }
            | LossModel::GilbertElliott { .. }
            | LossModel::Timed { .. }
            | LossModel::FourState { .. } => "random",
            LossModel::Periodic { .. } => "periodic",
            LossModel::List(_) => "listed",
        }
    }

    /// Whether `packet`, the next, is lost. `uniform` draws from the uniform distribution on [0, 1).
    pub fn lose(&mut self, packet: &Packet, mut uniform: impl FnMut() -> f64) -> bool {
        match self.model {
            LossModel::Bernoulli { rate, correlation } => {
                let fresh = uniform();
                let number = fresh + correlation * (self.last.unwrap_or(fresh) - fresh);
                self.last = Some(number);
                number < rate
            }
            LossModel::Timed { good, bad, loss_good, loss_bad } => {
                let (good, bad) = (good.as_secs_f64(), bad.as_secs_f64());
                let stationary = bad / (good + bad);
                let passed = packet.arrival.since(self.at).as_secs_f64();
                let kept = libm::exp(-(1.0 / good + 1.0 / bad) * passed);
                let is_bad = uniform() < stationary + (f64::from(self.state == BAD) - stationary) * kept;
                (self.state, self.at) = (if is_bad { BAD } else { GOOD }, packet.arrival);
                uniform() < if is_bad { loss_bad } else { loss_good }
            }
            LossModel::FourState { p13, p31, p32, p23, p14 } => {
                let number = uniform();
                self.state = match self.state {
                    GOOD if number < p14 => ISOLATED,
                    GOOD if number < p14 + p13 => BAD,
                    PASSES if number >= p23 => PASSES,
                    BAD if number < p32 => PASSES,
                    BAD if number >= p32 + p31 => BAD,
                    PASSES => BAD,
                    _ => GOOD,
                };
                matches!(self.state, BAD | ISOLATED)
            }
            LossModel::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, longest } => {
                let (probability, leave, other) = if self.state == BAD {
                    (loss_bad, bad_to_good, GOOD)
                } else {
                    (loss_good, good_to_bad, BAD)
                };
                let lost = uniform() < probability;
                if uniform() < leave {
                    self.state = other;
                }
                if lost && longest == Some(self.packets) {
                    (self.state, self.packets) = (GOOD, 0);
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

/// A gap between bursts.
const GOOD: u8 = 1;
/// A packet that passes within a burst.
const PASSES: u8 = 2;
/// A burst, and a loss within it.
const BAD: u8 = 3;
/// An isolated loss.
const ISOLATED: u8 = 4;

#[cfg(test)]
mod tests {
    //! Truth: closed forms of the processes, within five standard deviations.

    use super::{Loss, LossModel, Packet};
    use crate::{Counted, Selection};
    use narrows_engine::Stream;
    use narrows_units::{Span, Time};
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
        let lost = losses(LossModel::Bernoulli { rate, correlation: 0.0 });
        let sigma = (rate * (1.0 - rate) / f64::from(PACKETS)).sqrt();
        assert!((share(&lost) - rate).abs() < 5.0 * sigma);
        let after_a_loss: Vec<_> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let sigma = (rate * (1.0 - rate) / after_a_loss.len() as f64).sqrt();
        assert!((share(&after_a_loss) - rate).abs() < 5.0 * sigma);
    }

    #[test]
    fn bernoulli_loss_at_its_ends_loses_nothing_or_everything() {
        assert!(losses(LossModel::Bernoulli { rate: 0.0, correlation: 0.0 }).iter().all(|lost| !lost));
        assert!(losses(LossModel::Bernoulli { rate: 1.0, correlation: 0.0 }).iter().all(|lost| *lost));
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

    /// Mixed with weight `c`, the numbers have the standard deviation of uniform ones times `sqrt((1 − c) / (1 + c))`, so that fewer are
    /// below a small rate, and losses follow each other.
    #[test]
    fn correlated_losses_are_rarer_and_follow_each_other_as_with_netem() {
        let lost = losses(LossModel::Bernoulli { rate: 0.1, correlation: 0.25 });
        let found = share(&lost);
        // The stationary distribution of x = 0.75 u + 0.25 x' below 0.1, by the fixed point of its distribution function.
        assert!((found - fixed_point(0.1, 0.25)).abs() < 1e-3, "{found}");
        let after_a_loss: Vec<_> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        assert!(share(&after_a_loss) > 1.2 * found);
    }

    /// The distribution function of `x = (1 − c) u + c x'` at `rate`.
    fn fixed_point(rate: f64, c: f64) -> f64 {
        const CELLS: usize = 1000;
        let mut function: Vec<f64> = (0..=CELLS).map(|index| index as f64 / CELLS as f64).collect();
        for _ in 0..30 {
            // P(x <= t) is the mean of F((t − (1 − c) u) / c) over u.
            let of = |t: f64| {
                let mean = (0..CELLS).map(|index| {
                    let u = (index as f64 + 0.5) / CELLS as f64;
                    let x = ((t - (1.0 - c) * u) / c).clamp(0.0, 1.0) * CELLS as f64;
                    let below = (x as usize).min(CELLS - 1);
                    function[below] + (function[below + 1] - function[below]) * (x - below as f64)
                });
                mean.sum::<f64>() / CELLS as f64
            };
            function = (0..=CELLS).map(|index| of(index as f64 / CELLS as f64)).collect();
        }
        function[(rate * CELLS as f64).round() as usize]
    }

    /// With packets every millisecond a bad state of mean 16 ms has `1 / (1 − q)` of them in a row, and `q` is the probability that the
    /// next is bad, too.
    #[test]
    fn bursts_in_time_last_as_long_whatever_the_rate_of_packets() {
        let (good, bad) = (Span::from_ms(160), Span::from_ms(16));
        for apart_us in [250, 1000, 4000_u64] {
            let mut process = Loss::new(LossModel::Timed { good, bad, loss_good: 0.0, loss_bad: 1.0 });
            let mut stream = Stream::new(1, 0, "loss");
            let lost: Vec<_> = (0..u64::from(PACKETS))
                .map(|number| {
                    let arrival = Time::ZERO + Span::from_us(apart_us) * number;
                    process.lose(&Packet { arrival, ..Packet::EMPTY }, || stream.uniform())
                })
                .collect();
            let bursts: Vec<_> =
                lost.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
            let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
            let kept = libm::exp(-(1.0 / 0.16 + 1.0 / 0.016) * apart_us as f64 * 1e-6);
            let stationary = 1.0 / 11.0;
            let expected = 1.0 / ((1.0 - stationary) * (1.0 - kept));
            assert!(
                (mean / expected - 1.0).abs() < 5.0 / (bursts.len() as f64).sqrt(),
                "{mean}, expected {expected}"
            );
            assert!((share(&lost) / stationary - 1.0).abs() < 0.05);
        }
    }

    /// The stationary probabilities of the four states, by their balance.
    #[test]
    fn four_states_have_the_losses_of_their_stationary_chain() {
        let (p13, p31, p32, p23, p14) = (0.01, 0.2, 0.1, 0.4, 0.02);
        let found = share(&losses(LossModel::FourState { p13, p31, p32, p23, p14 }));
        // Of a gap as 1: the burst's losses p13 / p31, isolated losses p14, packets that pass within the burst p32 / p23 of the losses.
        let (in_burst, isolated) = (p13 / p31, p14);
        let expected = (in_burst + isolated) / (1.0 + in_burst * (1.0 + p32 / p23) + isolated);
        assert!((found - expected).abs() < 0.003, "{found}, expected {expected}");
        let simple = losses(LossModel::FourState { p13: 0.01, p31: 0.25, p32: 0.0, p23: 1.0, p14: 0.0 });
        let bursts: Vec<_> = simple.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
        let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
        assert!((mean - 4.0).abs() < 0.2, "{mean}");
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
