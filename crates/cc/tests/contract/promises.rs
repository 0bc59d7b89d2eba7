// SPDX-License-Identifier: Apache-2.0
//! The contract of all algorithms, for the `subjects` of the test file that includes this one.

use crate::facts::{MSS, histories, histories_then_growth, rounds_with_losses};
use narrows_cc::card::{Domain, Value};
use narrows_cc::fact::replay;
use narrows_cc::{
    AckCounting, Algorithm, Cause, CongestionControl, Fact, FirstCut, Loss, Path, QuickStartRequest,
    RestartWindow, SavedPath, Setup, SlowStartKind, UndoRestores,
};
use narrows_units::{Bytes, Rate, Span};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

pub fn setups() -> impl Strategy<Value = Setup> {
    let first_cut = prop_oneof![Just(FirstCut::Rule), Just(FirstCut::Half)];
    let slow_start = prop_oneof![
        Just(SlowStartKind::Standard),
        Just(SlowStartKind::HyStart),
        Just(SlowStartKind::Limited),
        Just(SlowStartKind::HyStartPlusPlus),
        Just(SlowStartKind::Search),
        Just(SlowStartKind::Rapid),
    ];
    let restart_window = prop_oneof![Just(RestartWindow::Initial), Just(RestartWindow::Halved)];
    let ack_counting =
        prop_oneof![Just(AckCounting::Segments), Just(AckCounting::Mixed), Just(AckCounting::Acks)];
    let ssthresh = prop_oneof![Just(f64::INFINITY), 2.0..2000.0];
    let start_up = (1..10_000_000_000u64, any::<bool>())
        .prop_map(|(bps, ends_slow_start)| QuickStartRequest::new(Rate::from_bps(bps), ends_slow_start));
    let saved = (2.0..2000.0, proptest::option::of(1..1_000_u64))
        .prop_map(|(window, ms)| SavedPath::new(window, ms.map(Span::from_ms)));
    (
        1.0..50.0,
        ssthresh,
        (first_cut, restart_window),
        (slow_start, ack_counting),
        (proptest::option::of(start_up), proptest::option::of(saved)),
        (any::<bool>(), any::<bool>()),
        prop_oneof![Just(UndoRestores::State), Just(UndoRestores::Window)],
        any::<u64>(),
    )
        .prop_map(
            |(
                initial_window,
                initial_ssthresh,
                (first_cut, restart_window),
                (slow_start, ack_counting),
                (quick_start, saved_path),
                (paced, abe),
                undo_restores,
                seed,
            )| {
                Setup::new(MSS, seed)
                    .packet(Bytes::new(1500))
                    .initial_window(initial_window)
                    .initial_ssthresh(initial_ssthresh)
                    .first_cut(first_cut)
                    .abe(abe)
                    .undo_restores(undo_restores)
                    .restart_window(restart_window)
                    .slow_start(slow_start)
                    .ack_counting(ack_counting)
                    .quick_start(quick_start)
                    // A scenario has one of them at most.
                    .saved_path(saved_path.filter(|_| quick_start.is_none()))
                    .paced(paced)
            },
        )
}

/// Every algorithm under test, with each parameter at its default, its minimum or its maximum, chosen by `draw`.
fn all_algorithms(setup: &Setup, draw: u32) -> impl Iterator<Item = Box<dyn CongestionControl>> {
    crate::subjects().map(move |entry| {
        let given = entry.card.parameters.iter().enumerate().map(|(place, parameter)| {
            (parameter.name.to_owned(), value(parameter.domain, draw >> (2 * place) & 3))
        });
        Algorithm::among([entry], entry.card.name, given.collect())
            .expect("the values are inside their domains")
            .build(setup)
    })
}

fn value(domain: Domain, draw: u32) -> Value {
    match (domain, draw) {
        (Domain::Number { minimum, .. }, 2) => Value::Number(minimum),
        (Domain::Number { maximum, .. }, 3) => Value::Number(maximum),
        (Domain::Flag { default }, 2..) => Value::Flag(!default),
        (Domain::Choice { allowed, .. }, 2..) => Value::Word(allowed[allowed.len() - 1].to_owned()),
        _ => domain.default().value().expect("it has one"),
    }
}

pub fn state(algorithm: &dyn CongestionControl) -> impl PartialEq + std::fmt::Debug + use<> {
    let inner = observed(algorithm);
    (algorithm.limits(), algorithm.window(), algorithm.ssthresh(), algorithm.next_timer(), inner)
}

/// Names and values of the inner variables.
pub fn observed(algorithm: &dyn CongestionControl) -> Vec<(String, f64)> {
    let mut inner = Vec::new();
    algorithm.observe(&mut |name, value| inner.push((name.to_owned(), value)));
    inner
}

/// Histories with the same facts in every run of the tests: drawn ones, and one with many losses in every round.
fn fixed_histories(count: usize) -> Vec<(Setup, Vec<Fact>)> {
    let mut runner = TestRunner::deterministic();
    let drawn = (setups(), histories(400));
    let mut draw = || drawn.new_tree(&mut runner).expect("nothing is filtered").current();
    let lossy = (draw().0, rounds_with_losses(40));
    (0..count).map(|_| draw()).chain([lossy]).collect()
}

#[test]
fn every_declared_variable_is_observed_in_some_history() {
    let histories = fixed_histories(64);
    for entry in crate::subjects() {
        let mut seen = BTreeSet::new();
        for (setup, facts) in &histories {
            let algorithm = Algorithm::among([entry], entry.card.name, Vec::new()).expect("the defaults");
            let mut algorithm = algorithm.build(setup);
            for fact in facts {
                fact.apply_to(&mut *algorithm);
                seen.extend(observed(&*algorithm).into_iter().map(|(name, _)| name));
            }
        }
        let declared: BTreeSet<_> = entry.card.variables.iter().map(|each| each.name.to_owned()).collect();
        assert_eq!(seen, declared, "{}", entry.card.name);
    }
}

/// The start of a loss episode.
pub fn episode(cause: Cause, path: Path) -> Fact {
    Fact::Lost { loss: Loss::new(cause, 1), packets: Vec::new(), path }
}

/// The state of the flow at the first of `acks`.
pub fn path_of(acks: &[Fact]) -> Path {
    match acks.first() {
        Some(Fact::Acked { path, .. }) => *path,
        other => unreachable!("{other:?} is no acknowledgement"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn limits_are_finite_and_allow_at_least_one_packet(setup in setups(), draw in any::<u32>(), facts in histories(200)) {
        for mut algorithm in all_algorithms(&setup, draw) {
            // Before the first fact, and after each.
            for fact in std::iter::once(None).chain(facts.iter().map(Some)) {
                if let Some(fact) = fact {
                    fact.apply_to(&mut *algorithm);
                }
                let limits = algorithm.limits();
                prop_assert!(limits.window.is_some() || limits.pacing.is_some(), "{algorithm:?}");
                prop_assert!(limits.window.is_none_or(|packets| (1..=1 << 30).contains(&packets)), "{algorithm:?}");
                prop_assert!(limits.pacing.is_none_or(|rate| rate > Rate::ZERO), "{algorithm:?}");
                prop_assert!(algorithm.window().is_none_or(|window| window.is_finite() && window >= 1.0));
                prop_assert!(algorithm.ssthresh().is_none_or(|ssthresh| ssthresh >= 2.0), "{algorithm:?}");
            }
        }
    }

    #[test]
    fn only_declared_variables_are_observed_in_their_order(setup in setups(), draw in any::<u32>(), facts in histories(200)) {
        for (entry, mut algorithm) in crate::subjects().zip(all_algorithms(&setup, draw)) {
            for fact in std::iter::once(None).chain(facts.iter().map(Some)) {
                if let Some(fact) = fact {
                    fact.apply_to(&mut *algorithm);
                }
                let mut declared = entry.card.variables.iter();
                for (name, value) in observed(&*algorithm) {
                    let known = declared.any(|variable| variable.name == name);
                    prop_assert!(known, "{}: {name} is not the next variable of the card", entry.card.name);
                    prop_assert!(value.is_finite(), "{}: {name} is {value}", entry.card.name);
                }
            }
        }
    }

    #[test]
    fn the_same_facts_give_the_same_state(setup in setups(), draw in any::<u32>(), facts in histories(200)) {
        for (mut one, mut other) in all_algorithms(&setup, draw).zip(all_algorithms(&setup, draw)) {
            replay(&mut *one, &facts);
            replay(&mut *other, &facts);
            prop_assert_eq!(state(&*one), state(&*other));
        }
    }

    #[test]
    fn a_clone_continues_as_the_original(setup in setups(), draw in any::<u32>(), facts in histories(200), cut in 0.0..1.0) {
        let (before, after) = facts.split_at((cut * facts.len() as f64) as usize);
        for mut original in all_algorithms(&setup, draw) {
            replay(&mut *original, before);
            let mut clone = original.boxed_clone();
            replay(&mut *original, after);
            replay(&mut *clone, after);
            prop_assert_eq!(state(&*original), state(&*clone));
        }
    }

    #[test]
    fn no_window_grows_until_the_episode_is_over(
        setup in setups(), draw in any::<u32>(),
        (before, acks) in histories_then_growth(100, 50),
        mark in any::<bool>(),
    ) {
        for mut algorithm in all_algorithms(&setup, draw).filter(|algorithm| algorithm.ssthresh().is_some()) {
            replay(&mut *algorithm, &before);
            let uncut = algorithm.window();
            episode(if mark { Cause::Mark } else { Cause::Detected }, path_of(&acks)).apply_to(&mut *algorithm);
            let cut = algorithm.window();
            prop_assert!(cut <= uncut);
            for fact in &acks {
                fact.apply_to(&mut *algorithm);
                prop_assert!(algorithm.window() <= cut, "{algorithm:?}");
            }
        }
    }

    #[test]
    fn a_spurious_episode_is_undone_completely(
        setup in setups(), draw in any::<u32>(),
        (before, acks) in histories_then_growth(100, 2),
        cause in prop_oneof![Just(Cause::Detected), Just(Cause::Timeout), Just(Cause::Mark)],
    ) {
        let setup = setup.undo_restores(UndoRestores::State);
        for mut algorithm in all_algorithms(&setup, draw).filter(|algorithm| algorithm.ssthresh().is_some()) {
            replay(&mut *algorithm, &before);
            let path = path_of(&acks);
            Fact::Recovered(path).apply_to(&mut *algorithm);
            let untouched = state(&*algorithm);
            episode(cause, path).apply_to(&mut *algorithm);
            Fact::SpuriousLoss(path).apply_to(&mut *algorithm);
            prop_assert_eq!(untouched, state(&*algorithm));
        }
    }

    #[test]
    fn after_a_timeout_the_window_is_one_packet(setup in setups(), draw in any::<u32>(), (before, acks) in histories_then_growth(100, 2)) {
        for mut algorithm in all_algorithms(&setup, draw).filter(|algorithm| algorithm.ssthresh().is_some()) {
            replay(&mut *algorithm, &before);
            episode(Cause::Timeout, path_of(&acks)).apply_to(&mut *algorithm);
            prop_assert_eq!(algorithm.limits().window, Some(1));
        }
    }
}
